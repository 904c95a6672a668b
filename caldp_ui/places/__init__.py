"""The page of places on a map, and what is its alone."""
