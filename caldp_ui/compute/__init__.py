"""Cached work of the core, shared by all visits. Nothing in here draws."""
