"""Policies: what they promise, and what follows from promises."""
