"""Mechanisms for policies that are no contexts: two symbols, distances, and uRAP as published."""
