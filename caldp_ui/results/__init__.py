"""The page Results of a collection, and what is its alone."""
