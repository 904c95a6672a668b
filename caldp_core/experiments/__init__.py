"""Runs of a scenario, what to expect of them, and the paper's results."""
