"""Controls that several pages share; each shows a page's slot and changes it."""
