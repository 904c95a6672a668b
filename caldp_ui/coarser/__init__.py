"""The page that compares coarser tables, noise and nothing, and lets the reader attack them all."""
