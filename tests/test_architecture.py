"""Rooms keep to themselves: the mathematics knows no user interface, pages hold no mathematics."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
USER_INTERFACE = {"streamlit", "plotly", "pydeck", "caldp_ui"}
ONLY_WHEN_USED = {"pooch", "pyarrow", "requests"}
MATHEMATICS = {"numpy", "scipy", "pandas"}
_IMPORT_ALL = """
import importlib, pkgutil, sys
import caldp_core
names = [module.name for module in pkgutil.walk_packages(caldp_core.__path__, "caldp_core.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names), *sorted(set(name.partition(".")[0] for name in sys.modules)))
"""


def imported(source: str) -> set[str]:
    """Top-level packages that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def test_imports_are_found_wherever_they_hide() -> None:
    source = "import a.b, c as d\ndef f():\n    from e.g import h\nfrom . import i\n"
    assert imported(source) == {"a", "c", "e"}


def test_the_core_runs_without_a_user_interface() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _IMPORT_ALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    modules, *packages = done.stdout.split()
    assert int(modules) >= 30
    assert "numpy" in packages, "the list of packages is not what it should be"
    assert USER_INTERFACE.isdisjoint(packages)
    assert ONLY_WHEN_USED.isdisjoint(packages), "what few people use would slow every start"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "caldp_core").rglob("*.py")), ids=lambda path: path.stem
)
def test_no_file_of_the_core_imports_a_user_interface(path: Path) -> None:
    assert USER_INTERFACE.isdisjoint(imported(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "path", sorted([*(ROOT / "pages").glob("*.py"), ROOT / "app.py"]), ids=lambda path: path.stem
)
def test_pages_hold_no_mathematics(path: Path) -> None:
    assert MATHEMATICS.isdisjoint(imported(path.read_text(encoding="utf-8")))


def test_rooms_do_not_look_up() -> None:
    # The ground floor imports nothing of ours but itself, and mechanisms know no experiments.
    core = ROOT / "caldp_core"
    for name, below in (
        ("types", set()),
        ("limits", set()),
        ("errors", {"limits", "types"}),
        ("binomial", {"types"}),
        ("coins", {"types"}),
        ("privacy", {"errors", "limits", "types"}),
        ("audit", {"errors", "mechanisms", "privacy"}),
    ):
        tree = ast.parse((core / f"{name}.py").read_text(encoding="utf-8"))
        own = {
            node.module.split(".")[1]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("caldp_core.")
        }
        assert own <= below | {"arrays"}, name
