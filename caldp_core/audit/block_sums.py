"""Whether a block's estimates add up to its reports: a check that sees some fake phones.

Every report shows its block, so how many came from there is exact. An honest report adds 1 to the
sum of the block's estimates on average, whatever its symbol; a crafted one adds A =
Σ `crafted_mean`, above 1 in Hadamard and Galois response, RAPPOR, unary encoding and local hashing:
the sum comes out too large, by (A − 1) people a phone. Nothing has to be known of the people.

It sees nothing where every report includes equally many symbols (randomized response, subset
selection): there each adds exactly 1. Nor does it see phones that follow the coins; no test does,
as their reports have an honest person's law.

Few reports are far from normal: of Hadamard response with 15 values a block one in 11 reports adds
nearly all. So the limit is where the tail of the sum of their own law is, by its saddlepoint
(Lugannani and Rice 1980, with Daniels' correction for lattices), given the number of reports.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.audit.poisoning import crafted_mean
from caldp_core.basics.errors import check_symbols
from caldp_core.basics.types import Floats
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.contextual import ContextMechanism

FALSE_ALARMS: Final = 1e-3
"""Chance that any block of a collection without fakes is suspected."""
_NOISE_MIN: Final = 1e-6
"""People: noise below it is rounding."""


@dataclass(frozen=True)
class BlockSum:
    """One block of one collection, in people, and how many `blocks` are checked.

    `estimated`: the sum of its unbiased estimates; `reported`: how many reports came from it;
    `noise`: standard deviation of their difference without fakes, 0 where they always agree.
    `deviations`: so many of them are exceeded without fakes with probability
    `FALSE_ALARMS`/`blocks`; infinite where the most that reports can add is likelier.
    """

    estimated: float
    reported: float
    noise: float
    blocks: int
    deviations: float

    @property
    def always_agree(self) -> bool:
        """True where the sum always equals the number of reports, so that it shows nothing."""
        return self.noise == 0.0

    @property
    def limit(self) -> float:
        """People by which `estimated` may be above `reported` before fakes are suspected."""
        return self.deviations * self.noise if self.noise else 0.0

    @property
    def is_suspect(self) -> bool:
        """True where the sum is too large for honest reports."""
        return not self.always_agree and self.estimated - self.reported > self.limit

    def detectable_fakes(self, mechanism: Mechanism, x: int) -> int | None:
        """Crafted reports for the block's symbol x, beside these, suspected every other time.

        They add noise as well: it grows as the root of the block's reports. None where no number
        of them is suspected. Raises `CaldpError` as `crafted_mean` does.
        """
        excess = float(crafted_mean(mechanism, x).sum()) - 1.0
        if self.always_agree or excess <= 0 or math.isinf(self.limit):
            return None
        enough = self.limit / excess
        own = enough**2 / (2 * self.reported)
        return math.ceil(own + math.sqrt(own**2 + enough**2))


def block_sum(evidence: Evidence, x: int) -> BlockSum:
    """The check of the block of symbol x; `CaldpError` for another symbol.

    The noise is exact at the plausible shares: Var Σ p̂ less the variance of the block's own share,
    which the reports show.
    """
    (symbol,) = check_symbols("x", [x], evidence.unbiased.size)
    block, n = int(evidence.blocks[symbol]), evidence.n
    inside = (evidence.blocks == block).astype(np.float64)
    p = evidence.plausible
    share = float(p @ inside)
    own = max(share * (1.0 - share), 0.0) / n
    variance = evidence.mechanism.sum_variance(p, inside, n) - own
    noise = n * math.sqrt(max(variance, 0.0))
    # Where both are equal, their difference is rounding.
    noise = noise if noise > max(_NOISE_MIN, 1e-6 * n * math.sqrt(own)) else 0.0
    estimated = n * float(evidence.unbiased @ inside)
    reported = n * float(evidence.block_shares[block])
    blocks = evidence.block_shares.size
    drawn = round(reported) - _clear_reports(evidence, block)
    found = 0.0
    if noise and drawn > 0:
        found = exceeded_deviations(*_law(evidence, block), drawn, FALSE_ALARMS / blocks)
    return BlockSum(estimated, reported, noise, blocks, found)


def _clear_reports(evidence: Evidence, block: int) -> int:
    """The block's reports that name an open symbol: they add 1 each."""
    mechanism = evidence.mechanism
    assert isinstance(mechanism, ContextMechanism)
    named = mechanism.clear_counts(evidence.tally)
    return int(named[evidence.blocks[mechanism.clear_symbols] == block].sum())


def _law(evidence: Evidence, block: int) -> tuple[Floats, Floats]:
    """How many of the block's hidden symbols an honest report includes: values, probabilities.

    But for a factor and a constant. Where the tally is no histogram of reports, its own symbol's
    bit and the others' are taken as independent, as they are in unary encoding and hashing.
    """
    mechanism = evidence.mechanism
    assert isinstance(mechanism, ContextMechanism)
    inside = (evidence.blocks == block) & mechanism.policy.hidden()
    products = mechanism.channel_products()
    if products is not None:
        included = products.apply(inside.astype(np.float64))
        law = products.apply(np.where(evidence.blocks == block, evidence.plausible, 0.0))
        own = included > 0
        values, at = np.unique(included[own].round(12), return_inverse=True)
        return values, np.bincount(at, weights=law[own]) / law[own].sum()
    prob = mechanism.oracles.probabilities  # type: ignore[attr-defined]
    others = int(inside.sum()) - 1
    bits = np.arange(others + 2, dtype=np.float64)
    rest = scipy.stats.binom.pmf(bits, others, prob.other[block])
    mine = float(prob.own[block])
    return bits, (1 - mine) * rest + mine * np.append(0.0, rest[:-1])


def exceeded_deviations(values: Floats, chances: Floats, n: int, chance: float) -> float:
    """Deviations above its mean that the sum of n draws of (c,) `values` exceeds with `chance`.

    Infinite where all draws being the largest is likelier.
    """
    kept = chances > 1e-200
    weights = chances[kept] / chances[kept].sum()
    if weights.size < 2:
        return float(-scipy.special.ndtri(chance))
    off = values[kept] - weights @ values[kept]
    off = off / math.sqrt(weights @ off**2)
    span, most = float(np.diff(np.sort(off)).min()), float(off.max())
    likely, wanted = float(weights[off.argmax()]), -math.log(chance)
    # Beyond it less than half a report is not the largest, and the saddlepoint ends.
    edge = math.log(max(2 * n * (1 - likely) / likely, 2.0)) / span
    low, high = math.log(1e-3 / math.sqrt(n)), math.log(min(edge, 500 / most))
    if _tail(off, weights, span, n, high)[1] < wanted:
        is_certain = -n * math.log(likely) < wanted
        return math.inf if is_certain else (most - 0.5 * span / n) * math.sqrt(n)
    log_tilt = scipy.optimize.brentq(
        lambda at: _tail(off, weights, span, n, at)[1] - wanted, low, high, xtol=1e-9
    )
    return _tail(off, weights, span, n, float(log_tilt))[0] * math.sqrt(n)


def _tail(
    off: Floats, weights: Floats, span: float, n: int, log_tilt: float
) -> tuple[float, float]:
    """The mean of n draws at a tilt, and −log of the probability to be there or above it.

    (c,) values `off`, with mean 0 and variance 1, their `weights`, and the `span` of their lattice.
    """
    tilt = math.exp(log_tilt)
    grown = float(weights @ np.expm1(tilt * off))
    tilted = weights * np.exp(tilt * off) / (1 + grown)
    place = float(tilted @ off)
    spread = max(float(tilted @ (off - place) ** 2), 1e-300)
    r = math.sqrt(max(2 * n * (tilt * place - math.log1p(grown)), 1e-300))
    u = -math.expm1(-tilt * span) / span * math.sqrt(n * spread)
    return place, float(-scipy.special.log_ndtr(-(r + math.log(u / r) / r)))
