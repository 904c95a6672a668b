"""Controls that several pages share; each shows a page's state and changes it."""
