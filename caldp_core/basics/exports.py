"""What a package exports, by the stub that type checkers read: imported when it is first used."""

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def exports_of(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, from the stub beside its `file`."""
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8"))
    imports = (each for each in stub.body if isinstance(each, ast.ImportFrom))
    homes = {each.name: str(line.module) for line in imports for each in line.names}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return find, lambda: sorted(homes), sorted(homes)
