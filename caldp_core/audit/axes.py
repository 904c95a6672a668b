"""Audits of mechanisms on a map that report rows and columns independently.

Room: audit. Its channel is the product of two small ones, which are read entry by entry. For places
i rows and j columns apart no report is told apart by more than ρ_i·κ_j, the largest ratios between
rows i apart and between columns j apart; and all such places are equally secret. So a few thousand
comparisons in rationals decide all k² pairs, at any size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from caldp_core.audit.block_extremes import quotient, size_of
from caldp_core.audit.blockwise import LargeAudit, PairClass, worst_of
from caldp_core.audit.pairwise import as_fraction
from caldp_core.basics.powers import power_below
from caldp_core.basics.types import Progress, no_progress
from caldp_core.mechanisms.base import MovesAlongAxes
from caldp_core.privacy.distance import EuclideanMetric, GridMetric

EVERY_AXIS: Final = "every entry of the channels of rows and columns"
PLACES: Final = "places apart"


@dataclass(frozen=True)
class _Widest:
    """The largest Q(y|x)/Q(y|x′) between cells of an axis that are some steps apart."""

    ratio: Fraction | None
    x: int
    other: int


class _Axis:
    """One axis' channel, and how well it tells cells apart by their distance."""

    def __init__(self, channel: Sequence[Sequence[Fraction]]) -> None:
        self.rows = [list(map(as_fraction, row)) for row in channel]
        self.size = len(self.rows)
        self._known: dict[int, _Widest] = {0: _Widest(Fraction(1), 0, 0)}

    @cached_property
    def faulty(self) -> int | None:
        """The first cell whose row is not a distribution."""
        wrong = (x for x, row in enumerate(self.rows) if sum(row) != 1 or min(row) < 0)
        return next(wrong, None)

    @cached_property
    def most(self) -> list[Fraction | None]:
        """(size,) upper bounds by distance: the largest ratio of neighbours, as often as steps."""
        step = self.exactly(1).ratio if self.size > 1 else Fraction(1)
        bounds: list[Fraction | None] = [Fraction(1)]
        for _ in range(self.size - 1):
            before = bounds[-1]
            bounds.append(None if before is None or step is None else before * step)
        return bounds

    def exactly(self, steps: int) -> _Widest:
        """The largest ratio at this distance itself."""
        if steps not in self._known:
            pairs = ((x, x + steps) for x in range(self.size - steps))
            both = [pair for x, y in pairs for pair in ((x, y), (y, x))]
            found = [_Widest(self._widest(x, other), x, other) for x, other in both]
            self._known[steps] = max(found, key=lambda each: size_of(each.ratio))
        return self._known[steps]

    def _widest(self, x: int, other: int) -> Fraction | None:
        entries = zip(self.rows[x], self.rows[other], strict=True)
        return max((quotient(a, b) for a, b in entries), key=size_of)


def audit_axes(
    mechanism: MovesAlongAxes,
    policy: GridMetric | EuclideanMetric,
    progress: Progress = no_progress,
) -> LargeAudit:
    """Hold such a mechanism against a policy that falls off with distance, exactly, at any k.

    One class for each distance that comes nearest to its level: a row apart, a column apart, and
    the worst of all others.
    """
    row, column = (_Axis(channel) for channel in mechanism.axis_channels())
    fits = (row.size, column.size) == (policy.rows, policy.columns)
    classes: dict[tuple[int, int], PairClass] = {}
    worst: PairClass | None = None
    for i in range(policy.rows if fits else 0):
        for j in range(policy.columns):
            if i or j:
                found = _class_of(row, column, policy, i, j)
                worst = worst_of([found] if worst is None else [worst, found])
                if i + j == 1:
                    classes[i, j] = found
        progress((i + 1) / policy.rows)
    told = list(classes.values()) + ([] if worst is None or worst in classes.values() else [worst])
    faulty = _faulty(row, column)
    holds = fits and faulty is None and all(each.holds for each in told)
    return LargeAudit(holds, EVERY_AXIS, tuple(told), worst, faulty)


def _class_of(
    row: _Axis, column: _Axis, policy: GridMetric | EuclideanMetric, i: int, j: int
) -> PairClass:
    x_other = i * policy.columns + j
    epsilon = float(policy.between(np.array([0]), np.array([x_other]))[0])
    allowed = power_below(epsilon)
    ratio, (a, b) = _product(row.most[i], column.most[j]), ((0, i), (0, j))
    if ratio is None or ratio > allowed:
        # The bound is too coarse, or something leaks: the distance itself decides.
        rows, columns = row.exactly(i), column.exactly(j)
        ratio = _product(rows.ratio, columns.ratio)
        a, b = (rows.x, rows.other), (columns.x, columns.other)
    pairs = (policy.rows - i) * (policy.columns - j) * 2 * (2 if i and j else 1)
    return PairClass(
        block=0,
        kind=PLACES,
        pairs=pairs,
        x=a[0] * policy.columns + b[0],
        x_other=a[1] * policy.columns + b[1],
        output=None,
        ratio=ratio,
        epsilon=epsilon,
        holds=ratio is not None and ratio <= allowed,
    )


def _product(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    return None if a is None or b is None else a * b


def _faulty(row: _Axis, column: _Axis) -> int | None:
    if column.faulty is not None:
        return column.faulty
    return None if row.faulty is None else row.faulty * column.size
