"""Data that ship, that are made up, that are fetched and that are read."""
