"""docs/mathematics.md is held against the code: what it lists is there, and nothing is left out."""

import importlib
import re
from functools import cache
from typing import Any

import pytest

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.catalogue import MECHANISMS
from tests import ROOT
from tests.contract.checks import naming

TEXT = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")


def rows(section: str, text: str = TEXT) -> list[list[str]]:
    """Cells of the section's table, its header left out."""
    body = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    table = [line for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


@cache
def found(name: str) -> Any:
    """The module, function, class or method of this dotted name."""
    parts = name.split(".")
    for stop in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:stop]))
        except ModuleNotFoundError:
            continue
        for part in parts[stop:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(name)


def test_what_any_page_names_is_there() -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")]
    names = {name for text in pages for name in re.findall(r"`(caldp_core(?:\.\w+)+)", text)}
    assert len(names) > 30
    for name in names:
        with naming(name):
            assert found(name).__doc__
    with pytest.raises(AttributeError):
        found("caldp_core.theory.bounds.no_such_bound")


def test_every_mechanism_is_told() -> None:
    table = [(name.strip("`"), title, keeps.strip("`"), source)
            for name, title, keeps, source in rows("Mechanisms")]  # fmt: skip
    assert table == [
        (entry.name, entry.title, ", ".join(kept.__name__ for kept in entry.policies), entry.source)
        for entry in MECHANISMS.values()
    ]


def test_every_estimator_is_told() -> None:
    table = [(name.strip("`"), title, text) for name, title, text in rows("Estimators")]
    assert table == [(e.name, e.title, e.sentence) for e in ESTIMATORS.values()]


def test_every_policy_that_a_mechanism_keeps_is_told() -> None:
    text = " ".join(row[-1] for row in rows("One promise"))
    assert all(f".{policy.__name__}" in text for e in MECHANISMS.values() for policy in e.policies)
