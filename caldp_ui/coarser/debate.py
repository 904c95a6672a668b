"""Words for a decision, and arguments for and against noise with their sources: `debate.toml`."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_TEXTS: Final[Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
COLUMNS: Final = tuple(_TEXTS["columns"].values())
DECISION: Final = {name: tuple(row.values()) for name, row in _TEXTS["decision"].items()}
"""By treatment, an entry for each of `COLUMNS`; `{times}` is the factor of odds that ε allows."""
SIDES: Final = {side["title"]: side["claims"] for side in _TEXTS["sides"]}
OFFICES: Final = _TEXTS["offices"]
