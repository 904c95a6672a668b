"""Confidence intervals of single shares: all shares that a test would not reject.

They belong to the *unbiased* estimate: a post-processed one has a bias that these intervals do not
cover. They are for the distribution that the people were drawn from; for shares among the people
who reported they are wider than needed.

Quantiles of the true share of yes, from the reports to one yes-or-no question.

A report is yes or no, so the yes reports are a binomial count, and the share of yes is a straight
line of that count's probability.

How far each estimated share can be trusted: columns for tables and files.

Ranges to stand beside estimated shares, in files, tables and pictures.

Intervals belong to the unbiased estimate, and a share that was drawn towards its surroundings may
lie outside of its own. Drawn back into them, shares would be worse: of the world's empty cells a
fortieth have intervals above 0, together more than everybody, and the error of the cascade would
double at ε = 1. So ranges are widened.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.errors import check_number, require
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN
from caldp_core.basics.powers import clopper_pearson_lower, clopper_pearson_upper
from caldp_core.basics.types import Bools, Floats, Ints, Levels, sums_by
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.presence import absence_probability, square_from, squares
from caldp_core.mechanisms.capabilities import HasClearCounts, SymbolPartition
from caldp_core.mechanisms.channel_products import ChannelProducts

_PROBED_MAX: Final = 256
"""Most symbols of which each one's E[Z²] is worked out, at the cost of a variance each."""
_LEAST_SPREAD: Final = 1e-12
"""Below it a variance of one report is rounding, and its skewness would be too."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """(k,) `low` ≤ `high`, shares in [0, 1]; `level`: chance that one of them holds its share."""

    low: Floats
    high: Floats
    level: float

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
    return Intervals(*_limits(evidence, 0.5 * (1.0 - level)), level)


def simultaneous(evidence: Evidence, level: float = 0.95) -> Intervals:
    """Intervals that *all* hold with probability `level`: Bonferroni's correction for k symbols."""
    level = check_number("level", level, CONFIDENCE_MIN, CONFIDENCE_MAX)
    return Intervals(*_limits(evidence, 0.5 * (1.0 - level) / evidence.unbiased.size), level)


def may_be_noise(evidence: Evidence, level: float = 0.95) -> Bools:
    """(k,) flags of symbols that perhaps nobody has; all others have people, with chance `level`.

    A symbol is no noise where its `simultaneous` interval leaves out 0. So of any of the symbols
    that one looks at, however picked, not one is called so wrongly, but for a chance of
    (1 − `level`)/2 at most. In contexts that is exact (`presence.py`), elsewhere as good as the
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
    low, _ = _of_hidden(evidence, partition, tail, moments.at(at), at)
    noise[hidden[at]] = low <= 0.0
    noise[partition.clear] = mechanism.clear_counts(evidence.tally) == 0
    return noise


def after_selection(evidence: Evidence, chosen: Bools, level: float = 0.95) -> Intervals:
    """Intervals for the `chosen` ones of k symbols, (k,), picked because their estimates are high.

    Of the chosen ones' intervals a share 1 − `level` miss on average at most: each is made for
    1 − (1 − `level`)·R/k, R the number chosen, whatever the threshold that chose them (false
    coverage rate, Benjamini and Yekutieli 2005). Plain intervals miss far more often there, as
    noise is among what lifted an estimate over the threshold.
    """
    level = check_number("level", level, CONFIDENCE_MIN, CONFIDENCE_MAX)
    share = max(int(chosen.sum()), 1) / chosen.size
    return Intervals(*_limits(evidence, 0.5 * (1.0 - level) * share), level)


def _limits(evidence: Evidence, tail: float) -> tuple[Floats, Floats]:
    """(k,) lower and upper limits, each missed with probability `tail`."""
    low, high = np.empty(evidence.unbiased.size), np.empty(evidence.unbiased.size)
    mechanism = evidence.mechanism
    if not isinstance(mechanism, HasClearCounts):
        return _of_any(evidence, tail)
    partition = mechanism.symbol_partition
    moments, every = _Moments.of_hidden(evidence, partition), np.arange(partition.hidden.size)
    ends = _of_hidden(evidence, partition, tail, moments, every)
    low[partition.hidden], high[partition.hidden] = ends
    count = mechanism.clear_counts(evidence.tally).astype(np.float64)
    low[partition.clear], high[partition.clear] = _in_the_clear(evidence, partition, count, tail)
    return low, high


def _of_any(evidence: Evidence, tail: float) -> tuple[Floats, Floats]:
    """(k,) limits for a mechanism of which no more is known than its exact variances."""
    return _two_value_limits(evidence.unbiased, _Moments.of_any(evidence), evidence.n, tail)


def _of_hidden(
    evidence: Evidence, partition: SymbolPartition, tail: float, moments: "_Moments", at: Ints
) -> tuple[Floats, Floats]:
    """(t,) limits for hidden symbols `at`, (t,) places in `partition.hidden`; `moments`: theirs.

    Without noise they are near Clopper and Pearson's. The lower one is 0 unless the exact test
    refuses 0, too.
    """
    estimate = evidence.unbiased[partition.hidden[at]]
    low, high = _two_value_limits(estimate, moments, evidence.n, tail)
    some = np.flatnonzero(low > 0.0)
    low[some[absence_probability(evidence, partition, at[some]) > tail]] = 0.0
    return low, high


def _two_value_limits(
    estimate: Floats, moments: "_Moments", n: int, tail: float
) -> tuple[Floats, Floats]:
    """(s,) limits, as if what a report adds to n·p̂ had two values.

    p̂ moves in steps, half of which is added; and it is skewed, for which the centre is shifted by
    (z² − 1)/6·κ₃/κ₂ (Cornish and Fisher 1938).
    """
    clipped = np.clip(estimate, 0.0, 1.0)
    z2 = float(scipy.special.ndtri(tail)) ** 2
    centre = estimate - (z2 - 1.0) / 6.0 * moments.skew(clipped) / n
    half_step = 0.5 * moments.step / n
    low, high = np.clip(centre - half_step, 0.0, 1.0), np.clip(centre + half_step, 0.0, 1.0)
    least, most = np.minimum(low, clipped), np.maximum(high, clipped)
    for level, slope in moments.lines:
        below, _ = _score_limits(low, level, slope, z2 / n)
        _, above = _score_limits(high, level, slope, z2 / n)
        least, most = np.minimum(least, below), np.maximum(most, above)
    return least, np.minimum(most, 1.0)


def _score_limits(centre: Floats, level: Floats, slope: Floats, w: float) -> tuple[Floats, Floats]:
    """Least and largest p ≥ 0 with (centre − p)² ≤ w·(level + slope·p − p²), all (s,).

    `centre` twice where there is no such p.
    """
    half, product = centre + 0.5 * w * slope, centre**2 - w * level
    discriminant = half**2 - (1.0 + w) * product
    root = np.sqrt(np.maximum(discriminant, 0.0))
    # Not half − root, whose terms are nearly equal where the least p is small.
    positive = (half > 0) & (product > 0)
    least = np.where(positive, product / np.where(positive, half + root, 1.0), 0.0)
    most = (half + root) / (1.0 + w)
    return np.where(discriminant >= 0, least, centre), np.where(discriminant >= 0, most, centre)


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
        for x in np.flatnonzero(alone):  # nobody else was seen: as if all others were alike
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


def _in_the_clear(
    evidence: Evidence, partition: SymbolPartition, count: Floats, tail: float
) -> tuple[Floats, Floats]:
    """Limits from count ~ Binomial(n, share·p), with at most `tail` beyond each of them.

    For the lower ones, estimates above 1 are taken for 1, so that no limit is above 1.
    """
    n, share = evidence.n, partition.clear_share[evidence.blocks[partition.clear]]
    low = clopper_pearson_lower(np.minimum(count, n * share), n, tail)
    high = clopper_pearson_upper(count, n, tail)
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
    """Ranges for (k,) estimated `shares`, which each includes.

    Each holds its true share with probability `level`, as `intervals` does; those of shares that
    their own intervals leave out are widened to them.
    """
    return intervals(evidence, level).around(shares)


def widening(levels: Levels, level: float = 0.95) -> Floats:
    """(k,) times that a symbol's range of half-width z·σ around the cascade's share is to be wider.

    The cascade keeps what stands out, and noise is among what lifted it; a reader points at what is
    bright, where ranges made for one symbol miss far more often than they say.
    1 for what was pooled. For the R of k symbols that were kept alone, 0 in the (k,) `levels` of
    `cascade_estimator.pooling_levels`, the range is one for 1 − (1 − `level`)·R/k (false coverage
    rate, Benjamini and Yekutieli 2005). On the reconstructed map, ε from 0.5 to 4, one block to
    875, 0 to 2 % of these then miss, and 6 to 29 % of ranges that are not widened.
    """
    alone = levels == 0
    tail = 0.5 * (1.0 - level)
    share = max(float(alone.mean()), 1.0 / alone.size)
    return np.where(
        alone, float(scipy.special.ndtri(tail * share) / scipy.special.ndtri(tail)), 1.0
    )


LEVEL: Final = 0.95


def margins(evidence: Evidence, shares: Floats, level: float = LEVEL) -> dict[str, list[object]]:
    """Columns for (k,) estimated `shares`, each of k entries.

    `low` and `high` hold the true share with probability `level`, each row by itself, and include
    the estimate (see `ranges`). `relative error`: half of that range over the share, "" where that
    is 0. `may be noise`: "no" where somebody surely has the value; with probability `level` that is
    so of all rows that say "no" together (see `may_be_noise`), whichever of them one looks at.
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
