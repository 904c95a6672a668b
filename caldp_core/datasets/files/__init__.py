"""Uploaded files: read, their layout detected, and counted within bounds; only counts are kept."""
