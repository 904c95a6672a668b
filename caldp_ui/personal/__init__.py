"""The page of personal secrets: everybody's own places behind tags."""
