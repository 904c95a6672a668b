"""Tests of the project. Shared tools: `stats.py`, `strategies.py`, `contract/checks.py`."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""Of the repository."""
