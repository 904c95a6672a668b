"""Tables of sums, such as turnover, whose largest contributor must not be estimated closely.

The p % rule: a cell is unsafe where its second largest contributor, who knows the own part x₂, can
tell the largest, x₁ ≤ X − x₂, to within p %. Dominance (n, k): unsafe where the n largest have more
than k % of it. Both are linear measures Σ wᵢ·xᵢ − X > 0 of the contributions in falling order, and
that is how far above X the values must reach that the published sums leave (Cox 1981; Hundepool et
al. 2012, Statistical Disclosure Control, sections 4.2 and 4.3). Contributions are whole numbers.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from caldp_core.basics.errors import check_whole
from caldp_core.basics.types import Ints
from caldp_core.treatments.suppression import HiddenTable, Margins, protect


@dataclass(frozen=True)
class Concentration:
    """A rule by its `weights` of the contributions in falling order."""

    weights: tuple[Fraction, ...]

    def need(self, contributions: Ints) -> int:
        """How far above a cell's sum, in whole units, its values must reach; unsafe if above 0."""
        largest = sorted(contributions.tolist(), reverse=True)
        weighted = sum((w * x for w, x in zip(self.weights, largest, strict=False)), Fraction(0))
        return math.ceil(weighted) - int(contributions.sum())

    def publish(self, contributions: Sequence[Ints], margins: Margins) -> HiddenTable:
        """The table without unsafe cells and totals, and without others that would narrow them.

        `contributions`: k arrays, one a cell; nobody contributes to two cells.
        """
        cells = list(contributions)
        for place in range(len(contributions), margins.always.size):
            inside = (margins.levels == place).any(axis=0)
            cells.append(np.concatenate(list(itertools.compress(contributions, inside))))
        numbers = np.array([each.sum() for each in cells], np.int64)
        needs = np.array([self.need(each) for each in cells], np.int64)
        unsafe = (needs > 0) & ~margins.always

        hidden = protect(
            numbers, unsafe, margins, lambda at, _, high: high - numbers[at] < needs[at]
        )
        return HiddenTable(margins, np.where(hidden, -1, numbers), unsafe, 1)


def p_percent(p: int) -> Concentration:
    """The p % rule; `p`: a whole number from 1 to 100."""
    return Concentration((1 + Fraction(check_whole("p", p, 1, 100), 100), Fraction(1)))


def dominance(n: int, k: int) -> Concentration:
    """The (n, k) rule; `n`: from 1 to 10, `k`: in percent, from 1 to 99."""
    share = Fraction(100, check_whole("k", k, 1, 99))
    return Concentration((share,) * check_whole("n", n, 1, 10))


def largest_seen_by_second(
    contributions: Ints, low: int, high: int, p: int | None = None
) -> tuple[int, int]:
    """The least and largest values of x₁ that the second largest of a cell finds possible.

    `low`, `high`: ends of the cell's sum by the published table. `p`: of the p % rule where a mark
    says that the cell is unsafe by it and the rule's p is known, as X − x₂ < (1 + p/100)·x₁ then.
    """
    second = sorted(contributions.tolist())[-2] if contributions.size > 1 else 0
    least = 0 if p is None else 100 * (low - second) // (100 + p) + 1
    return max(second, least), high - second
