"""Runs, regions, distances and the examples."""
