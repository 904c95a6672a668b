"""Tests of the project. Shared tools: `stats.py`, `strategies.py`, `contract/checks.py`."""
