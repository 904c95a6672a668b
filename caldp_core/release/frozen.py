"""The frozen object of a release: everything that its files say comes from here."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, check_number, require
from caldp_core.release.settings import TREATMENTS

FORMAT: Final = 1
"""Of release.json."""
_TOTAL: Final = "all"
_EPSILON_MAX: Final = 1e6


@dataclass(frozen=True)
class Line:
    """What counts of a release: `id`, the day, the kind of treatment, and ε, None without noise.

    `by`: how this is known. "this ledger", "this office's seal" or "trust", of a record whose seal
    is not this office's; "" of the release itself.
    """

    id: str
    date: str
    kind: str
    epsilon: float | None
    threshold: int
    by: str = ""


@dataclass(frozen=True)
class Row:
    """A number of the table.

    `level`: "cell", the title of a total, or "all"; `people`: None where hidden; `what`: "exact",
    "rounded", "noisy", "hidden" or "sum of noisy cells".
    """

    level: str
    name: str
    people: int | None
    what: str


@dataclass(frozen=True)
class Frozen:
    """A release as it was drawn.

    `list`: the name of the list; `facts`: numbers about the table by name; `earlier`: releases of
    the same list before; `people`: in the list, None where that is not public; `settings`: those
    parts that the record repeats. `rows`: () in a draft.
    """

    line: Line
    list: str
    facts: dict[str, Any]
    earlier: tuple[Line, ...]
    settings: dict[str, Any]
    cells: str
    people: int | None
    rows: tuple[Row, ...]

    @property
    def releases(self) -> int:
        """How many releases of the list there are, with this one."""
        return len(self.earlier) + 1

    @property
    def together(self) -> float | None:
        """ε of all releases together; None where one of them has no noise."""
        return epsilon_together([*self.earlier, self.line])

    def to_record(self) -> dict[str, Any]:
        """The release as plain data, without its seal."""
        return {
            "caldp_release": FORMAT,
            "id": self.line.id,
            "list": self.list,
            "date": self.line.date,
            "kind": self.line.kind,
            "epsilon": self.line.epsilon,
            "threshold": self.line.threshold,
            "together": {"releases": self.releases, "epsilon": self.together},
            "earlier": [asdict(each) for each in self.earlier],
            "facts": self.facts,
            "cells": self.cells,
            "people_in_list": self.people,
            "settings": self.settings,
            "table": [[row.level, row.name, row.people, row.what] for row in self.rows],
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Frozen":
        """The release of a record that this office sealed."""
        return cls(
            line=line_of(record, ""),
            list=record["list"],
            facts=dict(record["facts"]),
            earlier=tuple(Line(**each) for each in record["earlier"]),
            settings=dict(record["settings"]),
            cells=record["cells"],
            people=record["people_in_list"],
            rows=tuple(Row(*each) for each in record["table"]),
        )


def epsilon_together(lines: Iterable[Line]) -> float | None:
    """The sum of ε, as exact as they are written; None where one has none (basic composition)."""
    total = Decimal(0)
    for line in lines:
        if line.epsilon is None:
            return None
        total += Decimal(repr(line.epsilon))
    return float(total)


def right_guesses(epsilon: float) -> float:
    """How often of 100 who knows all others is right at most about one person, of two answers.

    100/(1 + e^−ε): the best guess between two equally likely values.
    """
    return 100.0 / (1.0 + math.exp(-epsilon))


def line_of(record: Mapping[str, Any], by: str) -> Line:
    """The line of a record that was brought in; raises `CaldpError` for what is none."""
    try:
        known = {name: record[name] for name in ("id", "date", "kind", "epsilon", "threshold")}
    except KeyError as error:
        raise CaldpError(
            f"A record of a release needs {error.args[0]!r}; give the release.json of a pack."
        ) from None
    epsilon = known["epsilon"]
    texts = [known[name] for name in ("id", "date", "kind")]
    is_text = all(isinstance(text, str) and 0 < len(text) <= 40 for text in texts)
    require(is_text and isinstance(known["threshold"], int), "This is no record of a release.")
    require(known["kind"] in TREATMENTS, f"No release is of the kind {known['kind']!r}.")
    require(
        (epsilon is not None) == (known["kind"] == "central"),
        "A release with central noise has an epsilon, and no other has.",
    )
    if epsilon is not None:
        epsilon = check_number("epsilon of an earlier release", epsilon, 1e-9, _EPSILON_MAX)
    return Line(**(known | {"epsilon": epsilon}), by=by)
