"""The page of the privacy matrix: E to be edited, and any channel held against it cell by cell."""
