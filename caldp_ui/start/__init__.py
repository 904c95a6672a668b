"""The start page, and what is its alone."""
