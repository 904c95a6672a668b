"""A collection by a channel that is written out: any mechanism on few values, in any policy.

The protocol holds the limits of all pairs and each answer's law in whole numbers; its
reader checks one against the other, exactly.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Final, Self

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import parse_int
from caldp_core.basics.limits import PAIRWISE_MAX
from caldp_core.basics.short_repr import short_repr
from caldp_core.basics.types import Floats, Ints
from caldp_core.collect.coins import Coins
from caldp_core.collect.formats import NUMBER, Format
from caldp_core.collect.protocol_fields import ADVICE, NAME, kind_field, list_field
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.designed.arrange import rows_keep_levels
from caldp_core.mechanisms.structures import HasPreProcessing
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.context import dense
from caldp_core.privacy.matrix import DenseMatrix
from caldp_core.scenarios.records import INFINITY

TABLE: Final = "table"
WHOLE_MAX: Final = 1 << 8192
"""Largest denominator: a law of 60 values on a line has 2,833 bits."""


@dataclass(frozen=True, eq=False)
class TableDevice:
    """`steps`: k rows of whole numbers; answer x sends y with chance (step y − step y−1)/whole."""

    steps: Sequence[Sequence[int]]
    whole: int
    __repr__ = short_repr

    def draw(self, symbol: int, coins: Coins) -> tuple[int, None]:
        """(report, None): the first whose step is above a number that is uniform below `whole`."""
        return coins.draw_step(self.steps[symbol], self.whole), None


@dataclass(frozen=True, eq=False)
class TablePlan:
    """A collection by a channel written out; `made_by`: its mechanism's name in the catalogue."""

    made_by: str
    mechanism: WrittenOut

    @classmethod
    def of(cls, name: str, mechanism: Mechanism) -> Self:
        """The plan of a mechanism on few values; `CaldpError` where it has too many."""
        channel = mechanism.exact_channel()
        whole = math.lcm(*(entry.denominator for row in channel for entry in row))
        rows = tuple(tuple(int(entry * whole) for entry in row) for row in channel)
        return cls(name, _mechanism(dense(mechanism.policy), rows, whole))

    @classmethod
    def from_parts(cls, policy: Mapping[str, Any], mechanism: Mapping[str, Any]) -> Self:
        """The plan that a protocol's parts describe; raises `CaldpError`."""
        kind_field(policy, "policy", {"matrix": None})
        rows = [_levels(row) for row in list_field(policy, "rows", list)]
        whole = _whole(mechanism.get("whole"))
        steps = [[_whole(step) for step in row] for row in list_field(mechanism, "steps", list)]
        made_by = mechanism.get("made_by")
        sizes = {len(row) for row in steps}
        require(
            isinstance(made_by, str) and len(made_by) <= 100 and len(sizes) == 1,
            f"{NAME}'s mechanism needs made_by, a short text, and rows of steps of one length; "
            f"{ADVICE}",
        )
        numerators = tuple(tuple(b - a for a, b in pairwise((0, *row))) for row in steps)
        right = all(sum(row) == whole and min(row, default=-1) >= 0 for row in numerators)
        require(right, f"{NAME}'s steps must rise to whole in every row; {ADVICE}")
        return cls(str(made_by), _mechanism(DenseMatrix.of(rows).entries, numerators, whole))

    @property
    def name(self) -> str:
        """What the mechanism is called in a protocol."""
        return TABLE

    @cached_property
    def device(self) -> TableDevice:
        """The device that draws reports."""
        steps = tuple(tuple(accumulate(row)) for row in self.mechanism.numerators)
        return TableDevice(steps, self.mechanism.whole)

    @property
    def format(self) -> Format:
        """How its reports are written."""
        return Format(NUMBER, self.mechanism.outputs, self.mechanism.outputs)

    @property
    def blocks(self) -> Ints:
        """(k,) one block of everything."""
        return np.zeros(self.mechanism.k, np.int64)

    def policy_part(self) -> dict[str, Any]:
        """The policy, JSON-ready."""
        rows = dense(self.mechanism.policy).tolist()
        return {
            "kind": "matrix",
            "rows": [[INFINITY if level == math.inf else level for level in row] for row in rows],
        }

    def mechanism_part(self) -> dict[str, Any]:
        """The mechanism, JSON-ready; as texts, as numbers of JSON lose digits in browsers."""
        steps = [[str(step) for step in row] for row in self.device.steps]
        whole = str(self.mechanism.whole)
        return {"kind": TABLE, "made_by": self.made_by, "whole": whole, "steps": steps}

    def summary(self) -> dict[str, Any]:
        """The mechanism in short, for a record."""
        return {"kind": self.made_by}

    def promise(self) -> dict[str, Any]:
        """What is promised, for a record."""
        levels = dense(self.mechanism.policy)
        finite = levels[np.isfinite(levels) & ~np.eye(len(levels), dtype=np.bool_)]
        return {
            "epsilon_least": float(finite.min()) if finite.size else None,
            "epsilon_most": float(finite.max()) if finite.size else None,
            "values": self.mechanism.k,
            "pairs_without_a_limit": int(np.isinf(levels).sum()),
        }


def can_be_written_out(mechanism: Mechanism) -> bool:
    """Whether all of its channel can be in a protocol: few values, and reports that are numbers.

    Mechanisms that draw a part of the person from a model have no device.
    """
    small = mechanism.k**2 * mechanism.outputs <= PAIRWISE_MAX
    if not small or isinstance(mechanism, HasPreProcessing):
        return False
    return mechanism.every_report().dtype.names is None


def _mechanism(levels: Floats, rows: Sequence[Sequence[int]], whole: int) -> WrittenOut:
    """The channel as a mechanism, checked against its limits; raises `CaldpError`."""
    policy, k = DenseMatrix.of(levels), len(levels)
    require(
        len(rows) == k and k**2 * len(rows[0]) <= PAIRWISE_MAX and 0 < whole < WHOLE_MAX,
        f"{NAME}'s table must have a row a value, and at most {PAIRWISE_MAX:,} pairs times "
        f"reports, in whole numbers of 8,192 bits; {ADVICE}",
    )
    require(
        rows_keep_levels(rows, whole, policy.entries),
        f"{NAME}'s table tells two values apart by more than its policy allows; {ADVICE}",
    )
    return WrittenOut(policy, rows, whole, np.full(k, 1.0 / k))


def _levels(row: list[Any]) -> list[float]:
    levels = [math.inf if level == INFINITY else level for level in row]
    require(
        all((type(level) in (int, float) and abs(level) < 1e300) or level == math.inf
            for level in levels),
        f"{NAME}'s rows must hold numbers or {INFINITY!r}; {ADVICE}",
    )  # fmt: skip
    return levels


def _whole(text: object) -> int:
    number = parse_int(text) if isinstance(text, str) and len(text) <= 2500 else None
    if number is None or number < 0:
        raise CaldpError(f"{NAME}'s table needs whole numbers, written as texts; {ADVICE}")
    return number
