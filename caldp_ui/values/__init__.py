"""The page Sensitive values, and what is its alone."""
