"""Variances, expected errors, bounds and plans."""
