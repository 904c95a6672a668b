"""The page Results of a collection."""
