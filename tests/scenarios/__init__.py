"""Scenarios, their files, links and schema."""
