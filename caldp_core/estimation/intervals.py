"""Confidence intervals of single shares: all shares that a test would not reject.

They belong to the *unbiased* estimate: a post-processed one has a bias that these intervals do not
cover. They are for the distribution that the people were drawn from; for shares among the people
who reported they are wider than needed.

Beside a shown share stands a *range*. A share that was drawn towards its surroundings may lie
outside of its own interval. Drawn back into them, shares would be worse: of the world's empty cells
a fortieth have intervals above 0, together more than everybody, and the error of the cascade would
double at ε = 1. So ranges are widened. They are also wider downwards where a share is among the
highest, because a reader looks at the highest first, and luck is among what lifted them.

Whether anybody has a value at all is tested exactly. If nobody has a hidden symbol, each report of
its block's oracle includes it with one probability π, so the number that do is binomial, and no
approximation is needed for the far tail by which one of tens of thousands of symbols is judged.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import check_number, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN
from caldp_core.basics.powers import clopper_pearson_lower, clopper_pearson_upper
from caldp_core.basics.types import (
    Bools,
    EqualByFields,
    Floats,
    Ints,
    counts_by,
    html_table,
    sums_by,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import (
    ChannelProducts,
    HasClearCounts,
    SymbolPartition,
    block_totals,
    channel_products,
    support_tally,
)


def absence_probability(evidence: Evidence, partition: SymbolPartition, at: Ints) -> Floats:
    """(t,) probability of the observed reports or more, if nobody had the hidden symbols `at`.

    `at`: (t,) places in `partition.hidden`. 0 for a lone hidden symbol, and where reports include
    symbols in other ways. Z, what a report adds to n·p̂, is a or −b, so that π = b/(a + b). Exact
    but where cover reports include a symbol more often than others' do, as in subset selection
    beside open values: there the reports that this adds on average are taken off.
    """
    mechanism = evidence.mechanism
    if channel_products(mechanism) is None and support_tally(mechanism, evidence.tally) is None:
        return np.zeros(at.size)
    block, symbols = evidence.blocks[partition.hidden[at]], partition.hidden[at]
    own, other, _ = squares(evidence, partition)
    step = np.sqrt((own - other) ** 2 + 4.0 * other)
    loss = 0.5 * (step - own + other)
    sent = np.maximum(_sent(evidence, partition), 1)[block]
    included = (evidence.n * evidence.unbiased[symbols] + sent * loss[block]) / step[block]
    some = np.clip(included, 1.0, sent)
    tail = scipy.special.betainc(some, sent - some + 1.0, (loss / step)[block])
    return np.where(partition.sizes[block] > 1, tail, 0.0)


def _sent(evidence: Evidence, partition: SymbolPartition) -> Ints:
    """(m,) reports of each block that name no symbol."""
    blocks, people = block_totals(evidence.mechanism, evidence.tally)
    assert isinstance(evidence.mechanism, HasClearCounts)
    named = evidence.mechanism.clear_counts(evidence.tally)
    return people - counts_by(blocks[partition.clear], named, people.size)


def squares(evidence: Evidence, partition: SymbolPartition) -> tuple[Floats, Floats, Floats]:
    """(m,) each: E[Z²] from x itself, from another hidden symbol, and from one that is not hidden.

    Z is what a report adds to n·p̂_x. Read off the exact variance, E[Z²] − p_x² for one person,
    where one symbol has all of a block; all hidden symbols of a block are equal. Where no symbol is
    hidden nobody asks for them.
    """
    mechanism, sizes = evidence.mechanism, partition.sizes
    first = np.cumsum(sizes) - sizes
    some, more = sizes > 0, sizes > 1
    x = partition.hidden[first[some]]
    beside = partition.hidden[first[more] + 1]
    _, place = np.unique(evidence.blocks[partition.clear], return_index=True)
    from_x, from_clear = square_from(mechanism, x), square_from(mechanism, partition.clear[place])
    own, other, clear = np.ones(sizes.size), np.zeros(sizes.size), np.zeros(sizes.size)
    own[some], clear[some] = from_x[x], from_clear[x]
    # Beside a lone hidden symbol all others are in the clear.
    other[some] = clear[some]
    other[more] = from_x[beside]
    return own, other, clear


def square_from(mechanism: Mechanism, symbols: Ints) -> Floats:
    """(k,) E[Z_x²] of the reports of `symbols`, at most one of each block."""
    share = np.zeros(mechanism.k)
    share[symbols] = 1.0
    return np.asarray(mechanism.variance(share, 1) + share**2)


LEVEL: Final = 0.95
_PROBED_MAX: Final = 256
"""Most symbols of which each one's E[Z²] is worked out, at the cost of a variance each."""
_LEAST_SPREAD: Final = 1e-12
"""Below it a variance of one report is rounding, and its skewness would be too."""


@dataclass(frozen=True, eq=False)
class Intervals(EqualByFields):
    """(k,) `low` ≤ `high`, shares in [0, 1]; `level`: chance that one of them holds its share."""

    low: Floats
    high: Floats
    level: float

    def _repr_html_(self) -> str:
        """What a notebook shows: the ranges of the first values."""
        ends = {"low": self.low.round(4).tolist(), "high": self.high.round(4).tolist()}
        columns = {"number": range(self.low.size), **ends}
        return html_table(f"Ranges, each with probability {self.level:g}", columns)

    def around(self, shares: Floats) -> "Intervals":
        """The same, widened where they exclude the (k,) estimated `shares` that stand beside them.

        They are never narrower, so they hold the true share at least as often. A negative estimate
        takes the lower end below 0 with it.
        """
        return Intervals(np.minimum(self.low, shares), np.maximum(self.high, shares), self.level)


def intervals(evidence: Evidence, level: float = 0.95) -> Intervals:
    """One interval a symbol, each of which holds its true share with probability `level`.

    Hidden symbols, and all of a mechanism that names none openly: every p with |p̂ − p| ≤ z·σ(p),
    σ² the exact variance were p the share (a score interval, Wilson 1927), with two corrections for
    few reports. The rest of σ is as observed, so the level is kept about, not surely: in
    simulations at 0.95 with 30, 100 and 1000 people, shares from 0.003 to 0.99 and ε from 0.5 to
    12, every mechanism held at least 0.94. Shares within a few σ of 0 or 1 are mostly held more
    often, as estimates outside of [0, 1] are taken for its ends. What a wrong background of tags
    shifts is not covered.
    Symbols that name themselves: at least `level`, surely (Clopper and Pearson 1934), from the
    binomial number of reports in the clear.
    `level`: in [0.5, 1 − 10^-12]; raises `CaldpError` otherwise.
    """
    level = check_number("level", level, CONFIDENCE_MIN, CONFIDENCE_MAX)
    return Intervals(*limits(evidence, Tails.even(0.5 * (1.0 - level), evidence)), level)


def simultaneous(evidence: Evidence, level: float = 0.95) -> Intervals:
    """Intervals that *all* hold with probability `level`: Bonferroni's correction for k symbols."""
    level = check_number("level", level, CONFIDENCE_MIN, CONFIDENCE_MAX)
    tail = 0.5 * (1.0 - level) / evidence.unbiased.size
    return Intervals(*limits(evidence, Tails.even(tail, evidence)), level)


def may_be_noise(evidence: Evidence, level: float = 0.95) -> Bools:
    """(k,) flags of symbols that perhaps nobody has; all others have people, with chance `level`.

    A symbol is not noise where its `simultaneous` interval leaves out 0. So of any of the symbols
    that one looks at, however picked, not one is called so wrongly, but for a chance of
    (1 − `level`)/2 at most. In contexts that is exact, elsewhere as good as the
    intervals. A rule for one symbol at a time would name a fortieth of all empty ones; one for the
    false share of those named (Benjamini and Hochberg 1995) could be wrong of every faint one.
    """
    mechanism, noise = evidence.mechanism, np.ones(evidence.unbiased.size, np.bool_)
    if not isinstance(mechanism, HasClearCounts):
        return simultaneous(evidence, level).low <= 0.0
    level = check_number("level", level, CONFIDENCE_MIN, CONFIDENCE_MAX)
    partition = mechanism.symbol_partition
    hidden, moments = partition.hidden, _Moments.of_hidden(evidence, partition)
    tail = 0.5 * (1.0 - level) / noise.size
    # The lower limit of an estimate within half of z deviations of nobody's is 0.
    reach = -0.5 * float(scipy.special.ndtri(tail))
    at = np.flatnonzero(evidence.unbiased[hidden] > reach * np.sqrt(moments.absent / evidence.n))
    tails = Tails.even(tail, evidence).at(at)
    low, _ = _of_hidden(evidence, partition, tails, moments.at(at), at)
    noise[hidden[at]] = low <= 0.0
    noise[partition.clear] = mechanism.clear_counts(evidence.tally) == 0
    return noise


@dataclass(frozen=True, eq=False)
class Tails:
    """(s,) probabilities with which the lower and the upper limits of symbols are missed."""

    low: Floats
    high: Floats

    @classmethod
    def even(cls, tail: float, evidence: Evidence) -> "Tails":
        """The same for both limits of all symbols."""
        tails = np.full(evidence.unbiased.size, tail)
        return cls(tails, tails)

    @classmethod
    def by_rank(cls, shares: Floats, tail: float) -> "Tails":
        """`tail`·r/k for the lower limit of the r-th highest of k shares; upwards from the lowest.

        Equal shares count as the last of them. See `ranges`.
        """
        return cls(tail * _ranks(-shares) / shares.size, tail * _ranks(shares) / shares.size)

    def at(self, places: Ints) -> "Tails":
        """Those of some symbols alone."""
        return Tails(self.low[places], self.high[places])


def _ranks(values: Floats) -> Ints:
    """(k,) how many of the values are at most as large as each."""
    return np.asarray(np.searchsorted(np.sort(values), values, side="right"))


def limits(evidence: Evidence, tails: Tails) -> tuple[Floats, Floats]:
    """(k,) lower and upper limits, missed with probabilities `tails`."""
    low, high = np.empty(evidence.unbiased.size), np.empty(evidence.unbiased.size)
    mechanism = evidence.mechanism
    if not isinstance(mechanism, HasClearCounts):
        # No more is known than its exact variances.
        return _two_value_limits(evidence.unbiased, _Moments.of_any(evidence), evidence.n, tails)
    partition = mechanism.symbol_partition
    moments, every = _Moments.of_hidden(evidence, partition), np.arange(partition.hidden.size)
    ends = _of_hidden(evidence, partition, tails.at(partition.hidden), moments, every)
    low[partition.hidden], high[partition.hidden] = ends
    count = mechanism.clear_counts(evidence.tally).astype(np.float64)
    ends = _in_the_clear(evidence, partition, count, tails.at(partition.clear))
    low[partition.clear], high[partition.clear] = ends
    return low, high


def _of_hidden(
    evidence: Evidence, partition: SymbolPartition, tails: Tails, moments: "_Moments", at: Ints
) -> tuple[Floats, Floats]:
    """(t,) limits for hidden symbols `at`, (t,) places in `partition.hidden`.

    `tails`, `moments`: theirs.

    Without noise they are near Clopper and Pearson's. The lower one is 0 unless the exact test
    refuses 0, too.
    """
    estimate = evidence.unbiased[partition.hidden[at]]
    low, high = _two_value_limits(estimate, moments, evidence.n, tails)
    some = np.flatnonzero(low > 0.0)
    low[some[absence_probability(evidence, partition, at[some]) > tails.low[some]]] = 0.0
    return low, high


def _two_value_limits(
    estimate: Floats, moments: "_Moments", n: int, tails: Tails
) -> tuple[Floats, Floats]:
    """(s,) limits, as if what a report adds to n·p̂ had two values.

    p̂ moves in steps, half of which is added; and it is skewed, for which the centre is shifted by
    (z² − 1)/6·κ₃/κ₂ (Cornish and Fisher 1938).
    """
    clipped = np.clip(estimate, 0.0, 1.0)
    skew, half_step = moments.skew(clipped), 0.5 * moments.step

    def centre(z2: Floats, step: Floats) -> Floats:
        return np.clip(estimate + (step - (z2 - 1.0) / 6.0 * skew) / n, 0.0, 1.0)

    z2_low, z2_high = (scipy.special.ndtri(tail) ** 2 for tail in (tails.low, tails.high))
    low, high = centre(z2_low, -half_step), centre(z2_high, half_step)
    least, most = np.minimum(low, clipped), np.maximum(high, clipped)
    for level, slope in moments.lines:
        below, _ = _score_limits(low, 1.0, (level, slope, -1.0), z2_low / n)
        _, above = _score_limits(high, 1.0, (level, slope, -1.0), z2_high / n)
        least, most = np.minimum(least, below), np.maximum(most, above)
    return np.maximum(least, 0.0), np.minimum(most, 1.0)


def _score_limits(
    centre: Floats, whole: float, square: tuple[Floats | float, ...], w: Floats | float
) -> tuple[Floats, Floats]:
    """Least and largest p with (centre − whole·p)² ≤ w·(v₀ + v₁·p + v₂·p²), v = `square`, all (s,).

    `centre`/`whole` twice if no p does; `whole`² must be above w·v₂.
    """
    level, slope, bend = square
    half, product = centre * whole + 0.5 * w * slope, centre**2 - w * level
    factor = whole**2 - w * bend
    discriminant = half**2 - factor * product
    root, only = np.sqrt(np.maximum(discriminant, 0.0)), centre / whole
    # Not half − root, whose terms are nearly equal where the least p is small.
    stable = product / np.where(half > 0, half + root, 1.0)
    least = np.where(half > 0, stable, (half - root) / factor)
    most = (half + root) / factor
    return np.where(discriminant >= 0, least, only), np.where(discriminant >= 0, most, only)


@dataclass(frozen=True, eq=False)
class _Moments:
    """E[Z²] and E[Z³] of what one report adds to n·p̂_x, at any share p of x, symbol by symbol.

    Z has two values, a and −b, and so Z² = (a − b)·Z + ab, where E[Z] is 1 for reports from x and
    0 for others. `own`, `other`: (s,) E[Z²] for x itself, a − b + ab, and for others, ab. `lines`:
    each (s,) levels and slopes in p, the largest of which is E[Z²].
    """

    own: Floats
    other: Floats
    lines: tuple[tuple[Floats, Floats], ...]

    @classmethod
    def of_hidden(cls, evidence: Evidence, partition: SymbolPartition) -> "_Moments":
        """Of hidden symbols, with the shares of blocks, and of hidden ones together, as observed.

        What x has is missing from the other hidden symbols, from those that are not hidden, or,
        once it is more than all of the block was seen to have, from outside.
        """
        own, other, clear = squares(evidence, partition)
        shares, symbols = evidence.block_shares, partition.clear
        in_clear = sums_by(evidence.blocks[symbols], evidence.unbiased[symbols], shares.size)
        hidden = np.clip(shares - in_clear, 0.0, shares)
        lines = (
            (hidden * other + (shares - hidden) * clear, own - other),
            (shares * clear, own - clear),
            (np.zeros_like(shares), own),
        )
        block = evidence.blocks[partition.hidden]
        by_symbol = tuple((level[block], slope[block]) for level, slope in lines)
        return cls(own[block], other[block], by_symbol)

    @classmethod
    def of_any(cls, evidence: Evidence) -> "_Moments":
        """Of every symbol; the others' shares stay to each other as they were observed.

        Exact where there are two reports. Above 256 symbols `own` is taken for 1 more than `other`,
        which is what it is without noise.
        """
        mechanism, p = evidence.mechanism, evidence.plausible
        square = evidence.n * evidence.deviation**2 + p**2
        if mechanism.k > _PROBED_MAX:
            other = np.maximum(square - p, 0.0)
            return cls(other + 1.0, other, ((other, np.ones_like(other)),))
        own = np.array([square_from(mechanism, np.array([x]))[x] for x in range(mechanism.k)])
        rest = 1.0 - p
        alone = rest < 0.5 / evidence.n
        other = np.maximum(square - p * own, 0.0) / np.where(alone, 1.0, rest)
        for x in np.flatnonzero(alone):  # nobody else was seen: as if all others were equal
            even = np.full(mechanism.k, 1.0 / max(mechanism.k - 1, 1))
            even[x] = 0.0
            other[x] = mechanism.variance(even, 1)[x]
        return cls(own, other, ((other, own - other),))

    def at(self, places: Ints) -> "_Moments":
        """Those of some symbols alone."""
        lines = tuple((level[places], slope[places]) for level, slope in self.lines)
        return _Moments(self.own[places], self.other[places], lines)

    @property
    def absent(self) -> Floats:
        """(s,) E[Z²] where nobody has the symbol."""
        return np.asarray(np.max([level for level, _ in self.lines], axis=0))

    @property
    def step(self) -> Floats:
        """(s,) a + b, by how much n·p̂_x moves with a report."""
        return np.sqrt((self.own - self.other) ** 2 + 4.0 * self.other)

    def skew(self, p: Floats) -> Floats:
        """(s,) κ₃/κ₂ of Z for symbols of share p; where Z is certain, its limit without noise."""
        bend = self.own - self.other
        square = np.max([level + slope * p for level, slope in self.lines], axis=0)
        third = bend * square + self.other * p
        spread = square - p**2
        varies = spread > _LEAST_SPREAD
        ratio = (third - 3.0 * p * square + 2.0 * p**3) / np.where(varies, spread, 1.0)
        return np.where(varies, ratio, bend - 2.0 * p)


def noise_skewness(evidence: Evidence) -> Floats:
    """(k,) skewness of each estimate's noise if nobody has the symbol; 0 where it is not known."""
    mechanism, skewness = evidence.mechanism, np.zeros(evidence.unbiased.size)
    if isinstance(mechanism, HasClearCounts):
        at = mechanism.symbol_partition.hidden
        moments = _Moments.of_hidden(evidence, mechanism.symbol_partition)
        spread = np.maximum(np.sqrt(evidence.n * moments.absent), _LEAST_SPREAD)
        skewness[at] = moments.skew(np.zeros(at.size)) / spread
    return skewness


def _in_the_clear(
    evidence: Evidence, partition: SymbolPartition, count: Floats, tails: Tails
) -> tuple[Floats, Floats]:
    """Limits from count ~ Binomial(n, share·p), with at most `tails` beyond them.

    For the lower ones, estimates above 1 are taken for 1, so that no limit is above 1.
    """
    n, share = evidence.n, partition.clear_share[evidence.blocks[partition.clear]]
    low = clopper_pearson_lower(np.minimum(count, n * share), n, tails.low)
    high = clopper_pearson_upper(count, n, tails.high)
    return np.minimum(low / share, 1.0), np.minimum(high / share, 1.0)


def share_quantiles(products: ChannelProducts, unbiased: Floats, n: int, levels: Floats) -> Floats:
    """Shares of symbol 1, in [0, 1], that are below the true one at these levels.

    `products`: of a channel of two rows and two columns; `unbiased`: (2,) estimate from `n`
    reports; `levels`: (m,) in (0, 1), ascending → (m,). Jeffreys' limits (Brown, Cai, DasGupta
    2001, §3.1) for the probability of the report 1, carried over to the share. Those at 0.025 and
    0.975 hold the true share in about 95 of 100 surveys. Raises `CaldpError` where both symbols
    send the same reports.
    """
    from_no, from_yes = (float(products.apply(row)[1]) for row in np.eye(2))
    require(
        from_yes > from_no,
        "Nothing can be learned where both answers send the same reports; make epsilon larger.",
    )
    count = n * float(np.clip(products.apply(unbiased)[1], 0.0, 1.0))
    probability = scipy.special.betaincinv(count + 0.5, n - count + 0.5, levels)
    return np.asarray(np.clip((probability - from_no) / (from_yes - from_no), 0.0, 1.0))


def ranges(evidence: Evidence, shares: Floats, level: float = 0.95) -> Intervals:
    """Ranges for (k,) estimated `shares`, which each includes, also for readers who look at some.

    Each holds its true share with probability `level`, as `intervals` does. So do on average the
    ranges of the R highest shares, and of the R lowest, whatever R. Of the r-th highest the lower
    end is missed with probability α/2·r/k only, α = 1 − `level`, so that of the R highest at most
    k·α/2·R/k are too high on average, a share α/2, by whatever estimator and however dependent
    their noise (the idea of Benjamini and Yekutieli 2005, for all R at once). A share rises with
    its own estimate, so that picking high ones can only make their upper ends safer.
    """
    level = check_number("level", level, CONFIDENCE_MIN, CONFIDENCE_MAX)
    tails = Tails.by_rank(shares, 0.5 * (1.0 - level))
    return Intervals(*limits(evidence, tails), level).around(shares)


Range: TypeAlias = tuple[float, float, float]
"""A share, or a difference of shares, and the ends of its range."""


@dataclass(frozen=True, eq=False)
class ShareWithin(EqualByFields):
    """Share of a whole's people, such as those of a group, who are in a part of it.

    `range`: in [0, 1]. `free`: (3,) low, estimate and high without these bounds; -2 to 2 where the
    whole may be nobody. `people`: of the whole. `weights`: (k,) what the estimate adds for each of
    p̂, or 0 where reports show the whole.
    """

    range: Range
    free: Floats
    people: float
    weights: Floats

    def minus(self, other: "ShareWithin", evidence: Evidence) -> Range:
        """The difference from the `other` one's share, with ends in [-1, 1].

        Newcombe's method 10 (1998), with the correlation of both (Zou and Donner 2008), which is 0
        where reports show one of the wholes.
        """
        middle = self.range[0] - other.range[0]
        one, two, both = (
            evidence.mechanism.sum_variance(evidence.plausible, weights, 1)
            for weights in (self.weights, other.weights, self.weights - other.weights)
        )
        twice = (one + two - both) / math.sqrt(one * two) if one * two > 0 else 0.0
        # Its lower end is made of this one's lower end and the other one's upper end.
        mine, theirs = (abs(each.free[[0, 2]] - each.free[1]) for each in (self, other))
        square = mine**2 + theirs[::-1] ** 2 - twice * mine * theirs[::-1]
        half = np.sqrt(np.maximum(square, 0.0)) * [-1.0, 1.0]
        low, high = np.clip(self.free[1] - other.free[1] + half, -1.0, 1.0)
        return middle, min(float(low), middle), max(float(high), middle)


def share_within(
    evidence: Evidence, part: Bools, whole: Bools, level: float = LEVEL
) -> ShareWithin:
    """The share that a part has of a whole, with all shares that a score test does not reject.

    `part`, `whole`: (k,) flags, the part's among the whole's. The test of a share θ is one of
    p(part) − θ·p(whole) = 0 (Fieller 1954), with the variance that the channel has if θ is true.
    Of a whole that consists of blocks the number of people is known, and how many of their reports
    include the part is binomial: then the ends are exact (Clopper and Pearson 1934), of parts of
    several values as if what a report adds had two values.
    `level`: in [0.5, 1 − 10^-12]; raises `CaldpError` otherwise.
    """
    level = check_number("level", level, CONFIDENCE_MIN, CONFIDENCE_MAX)
    blocks, n = evidence.blocks[whole], evidence.n
    known = not np.isin(blocks, evidence.blocks[~whole]).any()
    sums = evidence.block_shares[np.unique(blocks)] if known else evidence.unbiased[whole]
    share, total = evidence.unbiased[part].sum(), max(float(sums.sum()), 0.0)
    square, own, other = _squares_within(evidence, part, whole, total if known else None)
    tail, step = 0.5 * (1.0 - level), math.sqrt((own - other) ** 2 + 4.0 * other)
    w = float(scipy.special.ndtri(tail) ** 2) / n
    if total**2 <= (0.0 if known else max(w * square[2], 0.0)):
        free = np.array([-2.0, 0.0, 2.0])
        return ShareWithin((0.0, 0.0, 1.0), free, total * n, np.zeros(part.size))
    ratio, people = share / total, total * n
    # Shares beyond 0 and 1 are taken for these, as in `intervals`, but not in differences.
    centres = np.array([np.clip(ratio, 0.0, 1.0), ratio])
    if known:
        loss = 0.5 * (step - own + other)
        people = round(people)
        count = np.clip(people * (centres + loss) / step, 0.0, people)
        low = clopper_pearson_lower(count, people, tail) * step - loss
        high = clopper_pearson_upper(count, people, tail) * step - loss
    else:
        half_step = 0.5 * step / n
        low, _ = _score_limits(total * centres - half_step, total, square, w)
        _, high = _score_limits(total * centres + half_step, total, square, w)
    weights = np.zeros(part.size) if known else (part - ratio * whole) / total
    ends = np.clip(low[0], 0.0, centres[0]), np.clip(high[0], centres[0], 1.0)
    free = np.array([low[1], ratio, high[1]])
    return ShareWithin((float(centres[0]), float(ends[0]), float(ends[1])), free, people, weights)


def _squares_within(
    evidence: Evidence, part: Bools, whole: Bools, total: float | None
) -> tuple[tuple[float, float, float], float, float]:
    """E[(Z_part − θ·Z_whole)²] as v₀ + v₁θ + v₂θ², if θ is the part's share.

    And E[Z_part²] of people in the part, and of others. Z: what a report adds to n·p̂. `total`:
    share of a whole that reports show, for which Z_whole is 1, or None.
    """
    plausible, variance_of = evidence.plausible, evidence.mechanism.sum_variance
    inside, weights = float(plausible[whole].sum()), part.astype(np.float64)

    def law(flags: Bools) -> Floats:
        # Even among people with symbols that nobody seems to have.
        shares = np.where(flags, plausible + _LEAST_SPREAD, 0.0)
        return np.asarray(shares / max(shares.sum(), _LEAST_SPREAD))

    def variance(theta: float) -> float:
        people = theta * law(part) + (1.0 - theta) * law(whole & ~part)
        if total is not None:
            return total * variance_of(people, weights, 1)
        people = inside * people + (1.0 - inside) * law(~whole)
        return variance_of(people, weights - theta * whole, 1)

    none, half, every = map(variance, (0.0, 0.5, 1.0))
    bend = 2.0 * (none + every - 2.0 * half)
    own, other = variance_of(law(part), weights, 1) + 1.0, none / (total or 1.0)
    return (none, every - none - bend, bend), own, other


Looks: TypeAlias = Callable[[float, int, int], float]
"""Level, reports so far and symbols → the level of the ranges that are shown at this look."""
_SPREAD: Final = 0.09
"""ρ², variance of the mixed drift in deviations of one report: tightest at about 100 reports."""


def one_look(level: float, n: int, k: int) -> float:
    """The level itself, for people who look once, when all reports are in."""
    del n, k
    return level


def every_look(level: float, n: int, k: int) -> float:
    """Level at `n` reports by which ranges hold at all looks together with probability `level`.

    A sum of n reports drifts from its mean by more than z·√n deviations, at any n, with probability
    α at most, z² = (1 + 1/(nρ²))·ln((1 + nρ²)/α²): the normal mixture of Robbins (1970), for any
    law as n grows (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2024). α is a k-th of
    1 − `level`, so that the tails of `ranges` by rank and of `may_be_noise` hold as well.
    """
    known, alpha = 1.0 + n * _SPREAD, (1.0 - level) / k
    z = math.sqrt(known / (known - 1.0) * (math.log(known) - 2.0 * math.log(alpha)))
    return min(1.0 - 2.0 * k * float(scipy.special.ndtr(-z)), CONFIDENCE_MAX)


def margins(evidence: Evidence, shares: Floats, level: float = LEVEL) -> dict[str, list[object]]:
    """Columns for (k,) estimated `shares`, each of k entries.

    `low` and `high` hold the true share with probability `level`, each row alone and the
    highest rows on average, and include the estimate (see `ranges`). `relative error`: half of that
    range over the share, "" where that is 0. `may be noise`: "no" where somebody surely has the
    value; with probability `level` that is so of all rows that say "no" together (see
    `may_be_noise`), whichever of them one looks at.
    """
    ends, noise = ranges(evidence, shares, level), may_be_noise(evidence, level)
    half = (ends.high - ends.low) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(shares > 0, half / shares, np.inf)
    return {
        "low": ends.low.tolist(),
        "high": ends.high.tolist(),
        "level": [level] * shares.size,
        "relative error": ["" if value == np.inf else value for value in relative.tolist()],
        "may be noise": ["yes" if maybe else "no" for maybe in noise.tolist()],
    }
