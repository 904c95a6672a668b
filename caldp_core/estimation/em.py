"""Maximum likelihood for any known channel with products, by EM made faster.

Room: estimation. EM for a known channel is the iterative Bayesian technique (Agrawal and Aggarwal
2001; ULDP §2.5): p ← p ∘ Q(counts/(pQ))/n never lowers the likelihood and keeps p in the simplex.
It is slow where reports say little, so every second step is extrapolated: SQUAREM (Varadhan and
Roland 2008, scheme S3), given up for a plain EM step wherever it would lower the likelihood.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Ints, Progress
from caldp_core.mechanisms.channel_products import ChannelProducts

ROUNDS_MAX: Final = 300
GAIN_NATS: Final = 0.01
"""Stop once a round raises the whole log-likelihood by less. Slow rounds may add up: at k = 43,750
and 3.7 million people 3 nats are then left, which move the total variation by 1 %; `Fit.gap`
bounds what is."""
_GAIN_LEAST: Final = 1e-13
"""Nats per person: below it, rounding decides."""
_TINY: Final = 1e-300


@dataclass(frozen=True, eq=False)
class Fit:
    """(k,) `p` in the simplex, its log-likelihood, and how far that is from the highest.

    `likelihood`: mean log-likelihood of a report, in nats. `rounds`: of the method. `gap`: the
    maximum exceeds `likelihood` by no more than this, in nats per person.
    """

    p: Floats
    likelihood: float
    rounds: int
    gap: float


@dataclass(frozen=True, eq=False)
class Observed:
    """Reports of a channel as a function of p; `seen`: (outputs,) shares of the n of them."""

    products: ChannelProducts
    seen: Floats
    n: int

    def slopes(self, p: Floats) -> tuple[float, Floats]:
        """Mean log-likelihood of a report, and its (k,) derivatives Q(seen/(pQ))."""
        some = self.seen > 0
        law = np.maximum(self.products.expected(p), _TINY)
        likelihood = float((self.seen[some] * np.log(law[some])).sum())
        return likelihood, self.products.pull(self.seen / law)


def ascend(
    observed: Observed, start: Floats, progress: Progress, rounds: int, gain_nats: float
) -> tuple[Floats, int]:
    """Rounds until one of them gains less than `gain_nats` in all: (k,) p and their number.

    `start`: (k,) shares, positive wherever the result may be. A round is three channel products
    each way.
    """
    least = max(gain_nats / observed.n, _GAIN_LEAST)
    p, before = start, -np.inf
    for number in range(rounds):
        value, after = improved(observed, p)
        progress((number + 1) / rounds)
        if value - before < least:
            break
        p, before = after, value
    return p, number + 1


def improved(observed: Observed, p: Floats) -> tuple[float, Floats]:
    """Likelihood at p, and a point where it is at least as large: one round of SQUAREM."""
    at_p, slopes = observed.slopes(p)
    one = p * slopes
    at_one, slopes = observed.slopes(one)
    two = one * slopes
    r, v = one - p, two - 2.0 * one + p
    length = float(np.sqrt((r @ r) / max(float(v @ v), _TINY)))
    if length <= 1.0:
        return at_p, two
    far = p + 2.0 * length * r + length**2 * v
    # An entry may shrink a hundredfold but not to 0, from where it could not return.
    far = np.maximum(far, 0.01 * two)
    far /= far.sum()
    at_far, slopes = observed.slopes(far)
    return at_p, far * slopes if at_far >= at_one else two


def gap_of(slopes: Floats, blocks: Ints, shares: Floats) -> float:
    """Σ_j share_j·max slope − 1: by concavity, what any other p could still gain.

    `slopes`, `blocks`: (k,). `shares`: (m,) observed shares of the blocks, which the best p keeps.
    """
    highest = np.zeros(shares.size)
    np.maximum.at(highest, blocks, slopes)
    return max(float(shares @ highest) - 1.0, 0.0)
