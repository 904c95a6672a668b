"""How many of the n people of one class have an answer: exact ranges, where only noise is random.

A phone whose true answer is y names y in its report with chance p, any other phone with chance
q < p. In randomized response and in subset selection that is so for each of the k answers, so the
number S of reports that name y is Bin(T, p) + Bin(n − T, q), T the class's true count. The class is
the whole population: nobody was sampled, and no approximation is needed for any k.

A closed range holds every T that Blaker's exact test keeps (Blaker 2000, Canadian Journal of
Statistics 28, 783–798). It is then widened, never narrowed: reports beyond what a class of n who
all have the answer sends on average count as that average; the range holds the estimate and two
counts at least, unless the reports prove one count; its ends never fall as S rises.

An open range, after m of n phones, holds everything that the closed range can still become,
whatever the missing phones send. As S never falls and S + n − m never rises, each range holds all
later ones, so all looks together miss exactly as often as the last one does, in any order of
arrival. That needs n to be fixed before the first report. If a poll ends early, the missing phones
stay as room in the range: the range of the m who came would be right only if nobody saw one before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import asinh, ceil, exp, floor, sqrt
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_number, check_whole, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, Floats, Ints, read_only

CLASS_MAX: Final = 1000
"""People of a class at most: tables have (n + 1)² entries."""
_TIE: Final = 1e-9
"""Relative difference up to which two tail probabilities are equal."""


@dataclass(frozen=True)
class NamingChances:
    """Chances that a report names an answer: `own` by its people, `other` by everybody else.

    0 ≤ `other` < `own` ≤ 1; raises `CaldpError` otherwise.
    """

    own: float
    other: float

    def __post_init__(self) -> None:
        check_number("own", self.own, 0.0, 1.0)
        check_number("other", self.other, 0.0, 1.0)
        require(
            self.other < self.own,
            f"other must be below own, got {self.other!r} and {self.own!r}; "
            "reports must name the answers of their people more often than others.",
        )

    @classmethod
    def of_randomized_response(cls, k: int, epsilon: float) -> "NamingChances":
        """Of k-ary randomized response (Kairouz et al. 2016); `epsilon` in [0.001, 20]."""
        check_number("epsilon", epsilon, EPSILON_MIN, EPSILON_MAX)
        total = exp(epsilon) + check_whole("k", k, 2, CLASS_MAX) - 1
        return cls(exp(epsilon) / total, 1 / total)


@dataclass(frozen=True)
class ClassRange:
    """Ranges of the true count of one answer among the `n` people of a class.

    `n`: 1 to 1,000, fixed before the first report. `level`: least chance that the range at the end
    holds the true count, in [0.5, 1 − 10^-12]. Raises `CaldpError` otherwise.
    """

    n: int
    chances: NamingChances
    level: float = 0.95

    def __post_init__(self) -> None:
        check_whole("n", self.n, 1, CLASS_MAX)
        check_number("level", self.level, CONFIDENCE_MIN, CONFIDENCE_MAX)

    def at_end(self, named: int) -> tuple[int, int]:
        """Lowest and highest count once all n have reported, `named` of them this answer."""
        return self.so_far(named, self.n)

    def so_far(self, named: int, reports: int) -> tuple[int, int]:
        """Lowest and highest count that the range at the end can have, as it is now.

        `reports`: 0 to n phones have reported; `named`: 0 to `reports` of them this answer. Raises
        `CaldpError` otherwise.
        """
        check_whole("reports", reports, 0, self.n)
        check_whole("named", named, 0, reports)
        low, high = _ends(self.n, self.chances, self.level)
        return int(low[named]), int(high[named + self.n - reports])

    def estimate(self, named: float) -> float:
        """The count without the noise, in [0, n], once all have reported."""
        low, high = self.chances.other, self.chances.own
        return min(max((named - self.n * low) / (high - low), 0.0), float(self.n))

    def coverage(self) -> Floats:
        """(n + 1,) exact chance that the range at the end holds the true count 0, 1, …, n."""
        low, high = _ends(self.n, self.chances, self.level)
        true_count = np.arange(self.n + 1)[:, None]
        holds = (low <= true_count) & (true_count <= high)
        return np.asarray((_report_law(self.n, self.chances) * holds).sum(axis=1))

    def half_width(self) -> float:
        """Half of the width at the end as a share of people, on average, for the widest count."""
        low, high = _ends(self.n, self.chances, self.level)
        return float((_report_law(self.n, self.chances) @ (high - low)).max()) / self.n / 2


def _report_law(n: int, chances: NamingChances) -> Floats:
    """(n + 1, n + 1) chance of S = s, in columns, for each true count, in rows."""
    from_own = [_binomial(trials, chances.own) for trials in range(n + 1)]
    from_others = [_binomial(trials, chances.other) for trials in range(n + 1)]
    law = np.array([np.convolve(from_own[t], from_others[n - t]) for t in range(n + 1)])
    return np.asarray(law / law.sum(axis=1, keepdims=True))


def _binomial(trials: int, chance: float) -> Floats:
    """(trials + 1,) chances of 0, 1, … successes."""
    hits = np.arange(trials + 1)
    ways = scipy.special.gammaln(trials + 1) - (
        scipy.special.gammaln(hits + 1) + scipy.special.gammaln(trials - hits + 1)
    )
    logarithm = scipy.special.xlogy(hits, chance) + scipy.special.xlog1py(trials - hits, -chance)
    return np.asarray(np.exp(ways + logarithm))


def blaker_p_values(law: Floats) -> Floats:
    """Chance, in each row, of an outcome at least as far out in its tail as each column's.

    `law`: (r, c) chances of outcomes 0, …, c − 1, rows sum to 1. Outcomes that are equally far out
    count in full (Blaker 2000, equation 4).
    """
    below = np.cumsum(law, axis=1)
    above = np.cumsum(law[:, ::-1], axis=1)[:, ::-1]
    tail = np.minimum(below, above)
    order = np.argsort(tail, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(law, order, axis=1), axis=1)
    ascending = np.take_along_axis(tail, order, axis=1)
    p_values = np.empty_like(law)
    for row in range(law.shape[0]):
        last = np.searchsorted(ascending[row], tail[row] * (1 + _TIE), side="right") - 1
        p_values[row] = sums[row, last]
    return p_values


@lru_cache(maxsize=1024)
def _ends(n: int, chances: NamingChances, level: float) -> tuple[Ints, Ints]:
    """(n + 1,) lowest and highest count of the range at the end, for S = 0, …, n."""
    law = _report_law(n, chances)
    low, high = _kept_counts(blaker_p_values(law) > 1 - level)
    named = np.arange(n + 1)
    # More reports than a class sends whose people all have the answer count as its average, and
    # fewer than one sends in which nobody has it as well: else 10 of 10 at ε = 1 would prove 10.
    low = np.minimum(low, low[np.minimum(named, floor(n * chances.own))])
    high = np.maximum(high, high[np.maximum(named, ceil(n * chances.other))])
    unclipped = (named - n * chances.other) / (chances.own - chances.other)
    estimate = np.clip(unclipped, 0, n)
    low = np.minimum(low, np.floor(estimate).astype(np.int64))
    high = np.maximum(high, np.ceil(estimate).astype(np.int64))
    _widen_lone_counts(law, low, high)
    low = np.minimum.accumulate(low[::-1])[::-1]
    return read_only(low), read_only(np.maximum.accumulate(high))


def _kept_counts(kept: Bools) -> tuple[Ints, Ints]:
    """(n + 1,) the first and last row that is kept in each column; n and 0 where none is."""
    n = kept.shape[0] - 1
    has_any = kept.any(axis=0)
    first = np.where(has_any, kept.argmax(axis=0), n)
    last = np.where(has_any, n - kept[::-1].argmax(axis=0), 0)
    return first.astype(np.int64), last.astype(np.int64)


def _widen_lone_counts(law: Floats, low: Ints, high: Ints) -> None:
    """Add the likelier neighbour to each range of one count that the reports do not prove."""
    n = low.size - 1
    for named in np.flatnonzero(low == high).tolist():
        neighbours = [t for t in (low[named] - 1, low[named] + 1) if 0 <= t <= n]
        possible = [t for t in neighbours if law[t, named] > 0]
        if possible:
            other = max(possible, key=lambda t: float(law[t, named]))
            low[named] = min(low[named], other)
            high[named] = max(high[named], other)


_EPSILON_STEP: Final = 0.05
_FORMULA_PART: Final = 0.4
"""Part of the formula's ε at which `epsilon_for_class` begins: it is within 0.2 for two answers."""


def epsilon_for_class(
    n: int, half_width: float, chances_at: Callable[[float], NamingChances], level: float = 0.95
) -> float | None:
    """The smallest ε, in steps of 0.05, whose range for a class of n is ± `half_width` on average.

    `half_width`: a share of people in (0, 0.5], for the widest true count. `chances_at`: chances of
    an answer at an ε in [0.001, 20]. The search begins at 0.4 of 2·asinh(0.98/(half_width·√n)), the
    normal approximation for two answers. None where no ε up to 20 is enough.
    """
    check_whole("n", n, 1, CLASS_MAX)
    check_number("half_width", half_width, 1e-6, 0.5)
    about = 2 * asinh(0.98 / (half_width * sqrt(n)))
    first = max(1, floor(_FORMULA_PART * about / _EPSILON_STEP))
    for step in range(first, floor(EPSILON_MAX / _EPSILON_STEP) + 1):
        epsilon = round(step * _EPSILON_STEP, 2)
        if ClassRange(n, chances_at(epsilon), level).half_width() <= half_width + _TIE:
            return epsilon
    return None


def honest_chance(n: int, chances: Sequence[NamingChances], reports: Sequence[int]) -> float:
    """A bound on the chance of reports as uniform as these from honest phones, in [0, 1].

    Whatever people truly answer, an honest report names an answer with chance `own` at most. Two
    exact tests of each answer against a class of n who all have it: the number of reports that name
    it, and the longest row of them. Both only grow, so the bound may be asked at every look for as
    long as n, the number of phones at the end, stays. `chances`: of answers 0, …, k − 1;
    `reports`: up to n numbers of answers in order of arrival. The least of the 2k chances, times 2k
    (Bonferroni).
    """
    check_whole("n", n, 1, CLASS_MAX)
    require(
        len(reports) <= n,
        f"reports must be at most n = {n}, got {len(reports)}; n is of the whole class.",
    )
    least = 1.0
    for answer, of_answer in enumerate(chances):
        total = sum(report == answer for report in reports)
        least = min(least, total_chance(n, total, of_answer.own))
        least = min(least, run_chance(n, longest_run(reports, answer), of_answer.own))
    return min(1.0, 2 * len(chances) * least)


def total_chance(n: int, successes: int, chance: float) -> float:
    """Chance of `successes` or more in n trials of this chance."""
    if successes <= 0:
        return 1.0
    return float(scipy.special.betainc(successes, n - successes + 1, chance))


def longest_run(reports: Sequence[int], answer: int) -> int:
    """The most reports of this answer in a row."""
    longest = current = 0
    for report in reports:
        current = current + 1 if report == answer else 0
        longest = max(longest, current)
    return longest


@lru_cache(maxsize=4096)
def run_chance(n: int, length: int, chance: float) -> float:
    """Chance of a run of `length` or more successes somewhere in n trials.

    By when the first one is complete: Feller 1968, An Introduction to Probability Theory, XIII.7.
    """
    if length <= 0:
        return 1.0
    by_now = [0.0] * (n + 1)
    for trial in range(length, n + 1):
        first_here = chance**length
        if trial > length:  # a failure before it, and no complete run before that
            first_here *= (1 - chance) * (1 - by_now[trial - length - 1])
        by_now[trial] = by_now[trial - 1] + first_here
    return min(1.0, by_now[n])
