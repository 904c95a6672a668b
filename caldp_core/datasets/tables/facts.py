"""A table as facts: numbers of people, each with one member of every label column."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

_UNITS: Final = (1_000_000, 100_000, 10_000, 1_000, 100, 10, 5)
_ROUNDED_SHARE: Final = 0.97
"""Of all numbers those that must be multiples of a unit, for a table to be rounded to it."""


CODES_BELOW_0: Final = frozenset({-1, -2, -7, -8, -9, -99, -999})
"""Numbers that stand for a hidden or unknown number of people."""


_NOISE: Final = 1e-4
"""Of a unit, by which a multiple may be off: shares of people have decimals."""
_ROUND_SHARE: Final = 0.7
"""Share of round numbers, by which the chance of a sum among round numbers is computed."""


@dataclass(frozen=True)
class Mark:
    """What stands in a cell instead of a number, such as "<5": people from `low` to `high`.

    `high` None: the mark names no upper end.
    """

    text: str
    low: int = 0
    high: int | None = None


_BELOW: Final = re.compile(
    r"(?:[<]|less than|fewer than|under|below|weniger als|unter|moins de|"
    r"menos de|meno di)\s*(\d+)",
    re.IGNORECASE,
)
_UP_TO: Final = re.compile(r"(?:[≤]|up to|at most|bis(?: zu)?|höchstens)\s*(\d+)", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"(\d+)\s?(?:[-–]|to|bis)\s?(\d+)", re.IGNORECASE)
_ABOVE: Final = re.compile(r"(?:[>≥]\s*(\d+)|(\d+)\s?\+)")


def mark_of(text: str) -> Mark:
    """The bounds that a mark says: "<5" is 0 to 4, "1 to 4" is 1 to 4, "20+" at least 20."""
    text = " ".join(text.split())
    below = _BELOW.fullmatch(text)
    if below:
        return Mark(text, 0, max(int(below[1]) - 1, 0))
    up_to = _UP_TO.fullmatch(text)
    if up_to:
        return Mark(text, 0, int(up_to[1]))
    between = _BETWEEN.fullmatch(text)
    if between:
        return Mark(text, int(between[1]), int(between[2]))
    above = _ABOVE.fullmatch(text)
    if above:
        return Mark(text, int(above[1] or above[2]))
    return Mark(text)


@dataclass(frozen=True)
class Fact:
    """People of one row: `members`, a label of each column, and `value`, None behind a `mark`.

    `indent`: spaces and dashes before its first label.
    """

    row: int
    members: tuple[str, ...]
    value: float | None
    mark: Mark | None = None
    indent: int = 0


@dataclass(frozen=True)
class Sum:
    """A proposal, or what was decided: `wholes` together are the sum of `parts`, by number of fact.

    Several wholes are one level that equals the next one. `slack`: how far a sum may be off because
    its parts were rounded by a rule's own assumption.
    """

    wholes: tuple[int, ...]
    parts: tuple[int, ...]
    slack: float = 0


Others: TypeAlias = tuple[str, ...]
"""The members of all other columns."""
MemberTable: TypeAlias = Mapping[tuple[str, int], Mapping[Others, int]]
"""By member of a column, the fact for each combination of the other columns' members.

In a table of one column each row is a member of its own, as labels may come twice there; the number
beside the label is its row there, and 0 elsewhere.
"""


@dataclass(frozen=True)
class FactTable:
    """`facts` with the `titles` of their columns; `beside`: further columns, by title.

    A column `beside` says of each row its code, level or region, which a label column says already.
    """

    titles: tuple[str, ...]
    facts: tuple[Fact, ...]
    beside: Mapping[str, tuple[str, ...]]

    @cached_property
    def unit(self) -> float:
        """What all numbers are rounded to: 1 for people as they are, 0.1 for decimals."""
        numbers = [fact.value for fact in self.facts if fact.value]
        if len(numbers) < 2:
            return 1
        for unit in _UNITS:
            multiples = sum(number % unit == 0 for number in numbers)
            if multiples >= _ROUNDED_SHARE * len(numbers) and min(numbers) > 2 * unit:
                return unit
        if all(number.is_integer() for number in numbers):
            return 1
        return 0.1

    @cached_property
    def grain(self) -> float:
        """What most numbers are multiples of: of round ones more sums hold by chance."""
        numbers = [fact.value for fact in self.facts if fact.value]
        for unit in (*_UNITS, 2):
            times = [number / unit for number in numbers]
            multiples = sum(round(n) > 0 and abs(n - round(n)) <= _NOISE for n in times)
            if len(numbers) > 1 and multiples >= _ROUND_SHARE * len(numbers):
                return max(unit, self.unit)
        return self.unit

    @cached_property
    def member_tables(self) -> tuple[MemberTable, ...]:
        """A `MemberTable` of each column, empty where two facts have one place."""
        return tuple(self._members_of(column) for column in range(len(self.titles)))

    def _members_of(self, column: int) -> MemberTable:
        """The `MemberTable` of one column."""
        is_alone = len(self.titles) == 1
        table = defaultdict[tuple[str, int], dict[Others, int]](dict)
        for number, fact in enumerate(self.facts):
            # A label may come twice in a column that is alone: then its row tells which it is.
            key = (fact.members[column], fact.row if is_alone else 0)
            others = fact.members[:column] + fact.members[column + 1 :]
            if others in table[key]:
                return {}
            table[key][others] = number
        return table

    def people(self, numbers: Iterable[int]) -> float:
        """The people of some facts, hidden ones without."""
        return sum(self.facts[number].value or 0 for number in numbers)

    def columns_of(self, found: Sum) -> frozenset[int]:
        """The columns over which a sum goes: those in which its parts differ from its whole."""
        whole = self.facts[found.wholes[0]].members
        differing = set[int]()
        for part in found.parts:
            members = self.facts[part].members
            for column, member in enumerate(whole):
                if members[column] != member:
                    differing.add(column)
        return frozenset(differing)


def sums_of_members(
    table: MemberTable, whole: tuple[str, int], parts: Sequence[tuple[str, int]]
) -> list[Sum]:
    """That a member is the sum of others, as sums of facts: one for each combination of others."""
    found = []
    for others, number in table[whole].items():
        facts = tuple(table[part][others] for part in parts if others in table[part])
        if facts:
            found.append(Sum((number,), facts))
    return found
