"""Tests of the project. Shared tools: `stats.py`, `strategies.py`, `contract/checks.py`."""

import os
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parents[1]
"""Of the repository."""
_PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _names(requirements: Iterable[str]) -> set[str]:
    return {re.split("[<>=~!]", each)[0].strip() for each in requirements}


DEPENDENCIES: Final = _names(_PROJECT["dependencies"])
EXTRAS: Final = {name: _names(e) for name, e in _PROJECT["optional-dependencies"].items()}
"""What pyproject.toml says that the package depends on."""


def require_software(lack: str, variable: str) -> None:
    """Skip the test where the machine lacks what it needs; fail where the variable is set to 1."""
    if lack:
        (pytest.fail if os.environ.get(variable) == "1" else pytest.skip)(lack)
