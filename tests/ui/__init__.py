"""Tests of what the dashboard shows, against the core computed a second time."""
