"""Elections whose rivals are even: their votes, and laws of sums of their noisy reports.

Up to `EXACT_PEOPLE` voters laws are summed exactly, beyond as normals.
"""

from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints

EXACT_PEOPLE: Final = 1_000
"""Most voters whose chances are exact; with more, normals are off by 3 of 100 at ε = 3 at most."""


def even_votes(n: int, d: int, lead: int) -> Ints:
    """(d,) votes of n people: the last item leads the next by exactly `lead`, in [0, n].

    The others are as even as can be, by complementary items, so that every bit of theirs is, too;
    where that can't be with all people, one stays away.
    """
    each, rest = divmod(max(n - lead, 0), d)
    counts = np.full(d, each)
    counts[-1] += lead + (rest > 1)
    half = np.arange(1, d // 2)
    pairs = np.stack([half, d - 1 - half], axis=1).ravel()
    order = np.concatenate([[0], pairs, np.full(d % 2, d // 2)])
    counts[order[: max(rest - 1, 0)]] += 1
    return counts


def law_of_sum(ones: int, zeros: int, p: float, q: float) -> Floats:
    """(ones + zeros + 1,) the law of Binomial(ones, p) + Binomial(zeros, q); p, q in [0, 1]."""
    return np.convolve(_binomial(ones, p), _binomial(zeros, q))


def _binomial(n: int, p: float) -> Floats:
    k = np.arange(n + 1)
    log_counts = (
        scipy.special.gammaln(n + 1)
        - scipy.special.gammaln(k + 1)
        - scipy.special.gammaln(n - k + 1)
    )
    return np.asarray(
        np.exp(log_counts + scipy.special.xlogy(k, p) + scipy.special.xlog1py(n - k, -p))
    )
