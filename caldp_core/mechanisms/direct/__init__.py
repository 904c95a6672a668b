"""Mechanisms for policies that are not contexts: two symbols, distances, and uRAP as published."""
