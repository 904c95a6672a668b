"""The estimator "cascade": shares of the least expected error, given what lies around them.

Three steps. The cascade (`cascade.py`) pools what does not stand out, so that each symbol has
surroundings that can be trusted. Their mean, the symbol left out, is what is expected of it; how
closely shares follow it the data say (`posterior.py`). Of all shares that are not negative and keep
each block's total, those with the least expected total variation are taken: by Lagrange, of each
symbol the same quantile of what its share may be, the one that gives the sum. The second step and
the third are done twice, as better shares are better surroundings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.neighbours import neighbours, trees
from caldp_core.estimation.cascade import Cascade, cascade
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.posterior import FAR, SHAPES, Seen, fits, quantiles, rows_of
from caldp_core.estimation.tied import Tied

SYMBOLS_LEAST: Final = 9
"""Noisy symbols of a block; of fewer nothing is expected, and they get the nearest shares."""
PEOPLE_LEAST: Final = 30
"""People of a block; the noise of fewer is no normal."""
ALL_LEAST: Final = 64
"""Noisy symbols of such blocks together; fewer do not say how shares spread."""
_ROUNDS: Final = 2


@dataclass(frozen=True, eq=False)
class _Expectation:
    """(k,) `shares` that symbols may have, and the nats that it fits too well by construction."""

    shares: Floats
    excess: float


def cascaded(evidence: Evidence) -> Floats:
    """(k,) shares ≥ 0 that keep each block's observed total."""
    tied = Tied.of(evidence)
    noisy, even = _Noisy.of(tied, evidence), _even(tied)
    if evidence.domain is None:
        return noisy.shares([even])
    around = neighbours(evidence.domain).around
    pooled = _pooled(tied, evidence)
    shares, excess = pooled.shares, _excess(pooled, tied)
    for _ in range(_ROUNDS):
        shares = noisy.shares([even, _Expectation(around(shares), excess)])
    return shares


def resolution(evidence: Evidence) -> Cascade:
    """Where the data bear which resolution: what stands out, and how far the rest is pooled."""
    return _pooled(Tied.of(evidence), evidence)


def _pooled(tied: Tied, evidence: Evidence) -> Cascade:
    return cascade(tied, () if evidence.domain is None else trees(evidence.domain, tied.blocks))


def _even(tied: Tied) -> _Expectation:
    """Each block's share parted evenly, but for a symbol that surely has most of it.

    It would have all others expect a part of what is known to be its own.
    """
    deviation, m = tied.deviation(tied.variance, tied.blocks), tied.totals.size
    sure = tied.estimate > FAR * deviation
    near = ~(sure & (tied.estimate > 0.5 * tied.totals[tied.blocks]))
    known = sums_by(tied.blocks, np.where(near, 0.0, np.maximum(tied.estimate, 0.0)), m)
    number = sums_by(tied.blocks, near.astype(np.float64), m)
    part = np.maximum(tied.totals - known, 0.0) / np.maximum(number, 1.0)
    return _Expectation(part[tied.blocks], 0.0)


def _excess(pooled: Cascade, tied: Tied) -> float:
    """Degrees of freedom by which surroundings know the symbol that they surround.

    A tile of g symbols spreads a g-th of the noise of each over all of it, and about 1 − 1/√g of a
    symbol's neighbours are in its tile; tiles that were left nothing know nothing. A fit gains a
    nat for each (Akaike 1974); a block's total is known and takes one back.
    """
    number = pooled.pooled[pooled.shares > 0]
    return max(float(((1.0 - 1.0 / np.sqrt(number)) / number).sum()) - tied.totals.size, 0.0)


@dataclass(frozen=True, eq=False)
class _Noisy:
    """The symbols `at` whose estimates are noisy: their `deviation`, and what was `seen`.

    `known`: (k,) shares of all others, 0 for these. `left`: (m,) what `known` leaves of each block.
    """

    blocks: Ints
    at: Ints
    deviation: Floats
    seen: Seen
    known: Floats
    left: Floats

    @classmethod
    def of(cls, tied: Tied, evidence: Evidence) -> "_Noisy":
        blocks, m = tied.blocks, tied.totals.size
        deviation = tied.deviation(tied.variance, blocks)
        noisy = deviation > 0
        symbols = sums_by(blocks, noisy.astype(np.float64), m)
        enough = (symbols >= SYMBOLS_LEAST) & (tied.totals * evidence.n >= PEOPLE_LEAST)
        enough &= symbols[enough].sum() >= ALL_LEAST
        at = np.flatnonzero(noisy & enough[blocks])
        known = np.where(enough[blocks], np.maximum(tied.estimate, 0.0), evidence.plausible)
        known[at] = 0.0
        left = np.maximum(tied.totals - sums_by(blocks, known, m), 0.0)
        seen = Seen.of(tied.estimate[at] / deviation[at])
        return cls(blocks[at], at, deviation[at], seen, known, left)

    def shares(self, expectations: Sequence[_Expectation]) -> Floats:
        """(k,) by the one of the expectations, and the shape, that fit best."""
        rows = [rows_of(each.shares[self.at] / self.deviation) for each in expectations]
        nats = [
            fits(self.seen, row) - each.excess for row, each in zip(rows, expectations, strict=True)
        ]
        best, shape = divmod(int(np.argmax(nats)), len(SHAPES))
        each = quantiles(self.seen, rows[best], SHAPES[shape]) * self.deviation[:, None]
        found = self.known.copy()
        found[self.at] = _parted(each, self.blocks, self.left)
        return found


def _parted(each: Floats, blocks: Ints, totals: Floats) -> Floats:
    """(u,) shares between two of each row's quantiles, the same in a block, that give its total.

    `each`: (u, levels), rising. A total beyond all of them scales the nearest.
    """
    m = totals.size
    sums = np.stack([sums_by(blocks, one, m) for one in np.ascontiguousarray(each.T)], axis=1)
    upper = np.clip((sums < totals[:, None]).sum(axis=1), 1, sums.shape[1] - 1)
    low, high = (sums[np.arange(m), at] for at in (upper - 1, upper))
    gap = high - low
    part = np.clip(np.divide(totals - low, gap, out=np.zeros(m), where=gap > 0), 0.0, 1.0)
    reached = low + part * gap
    scale = np.divide(totals, reached, out=np.zeros(m), where=reached > 0)
    row = np.arange(blocks.size)
    lower, above = each[row, upper[blocks] - 1], each[row, upper[blocks]]
    return np.asarray((lower + part[blocks] * (above - lower)) * scale[blocks])
