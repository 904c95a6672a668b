"""Whether a block's estimates add up to its reports: a check that sees some fake phones.

Every report shows its block, so how many came from there is exact. An honest report adds 1 to the
sum of the block's estimates on average, whatever its symbol; a crafted one adds A =
Σ `crafted_mean`, above 1 in Hadamard and Galois response, RAPPOR, unary encoding and local hashing:
the sum comes out too large, by (A − 1) people a phone. Nothing has to be known of the people.

It sees nothing where every report includes equally many symbols (randomized response, subset
selection): there each adds exactly 1. Nor does it see phones that follow the coins; no test does,
as their reports have an honest person's law.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.audit.poisoning import crafted_mean
from caldp_core.basics.errors import check_symbols
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms.base import Mechanism

FALSE_ALARMS: Final = 1e-3
"""Chance that any block of a collection without fakes is suspected."""
_NOISE_MIN: Final = 1e-6
"""People: noise below it is rounding."""


@dataclass(frozen=True)
class BlockSum:
    """One block of one collection, in people, and how many `blocks` are checked.

    `estimated`: the sum of its unbiased estimates; `reported`: how many reports came from it;
    `noise`: standard deviation of their difference without fakes, 0 where they always agree.
    """

    estimated: float
    reported: float
    noise: float
    blocks: int

    @property
    def always_agree(self) -> bool:
        """True where the sum always equals the number of reports, so that it shows nothing."""
        return self.noise == 0.0

    @property
    def limit(self) -> float:
        """People by which `estimated` may be above `reported` before fakes are suspected."""
        return float(-scipy.special.ndtri(FALSE_ALARMS / self.blocks)) * self.noise

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
        if self.always_agree or excess <= 0:
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
    return BlockSum(estimated, reported, noise, evidence.block_shares.size)
