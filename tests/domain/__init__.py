"""Grids and partitions."""
