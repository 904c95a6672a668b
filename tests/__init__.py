"""Tests of the project. Shared tools: `stats.py`, `strategies.py`, `contract/checks.py`."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
"""Of the repository."""


def require_software(lack: str, variable: str) -> None:
    """Skip the test where the machine lacks what it needs; fail where the variable is set to 1."""
    if lack:
        (pytest.fail if os.environ.get(variable) == "1" else pytest.skip)(lack)
