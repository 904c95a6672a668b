"""Texts for readers that no code takes part in: one TOML file in the folder that shows them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_toml(module: str, name: str) -> dict[str, Any]:
    """The TOML file `name` beside a module; `module`: the module's `__file__`."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


def read_texts(module: str) -> Mapping[str, str]:
    """The texts of the module's folder by their names, some with {fields}."""
    return read_toml(module, "texts.toml")
