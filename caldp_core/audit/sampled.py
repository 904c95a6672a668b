"""A lower bound on ε from samples of reports alone, at a stated confidence.

For mechanisms whose channel is unknown. A bound above the promised ε is evidence of a leak. A bound
below it proves nothing: samples cannot show that there is no leak.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, check_n, require
from caldp_core.basics.powers import clopper_pearson_lower, clopper_pearson_upper
from caldp_core.basics.types import Bools, Floats, Ints, Reports
from caldp_core.mechanisms.base import Mechanism

Sampler: TypeAlias = Callable[[int, int, np.random.Generator], Reports]
"""(x, n, rng) → n independent reports of symbol x, as an array whose first axis is the reports."""

ALPHA: Final = 0.05


@dataclass(frozen=True)
class EpsilonBound:
    """log Pr(S|x)/Pr(S|x′) ≥ `epsilon` for an event S, so E[x, x′] is at least that.

    `epsilon`: lower bound at `confidence` 1 − α, in nats, in [0, ∞). `hits_x` of `n_x` reports of
    x and `hits_other` of `n_other` of x′ fell into S; S was chosen on other reports than these.
    """

    epsilon: float
    confidence: float
    hits_x: int
    n_x: int
    hits_other: int
    n_other: int

    def __str__(self) -> str:
        return f"ε ≥ {self.epsilon:.4f} (lower bound at confidence {self.confidence:.12g})"


def sampler_of(mechanism: Mechanism) -> Sampler:
    """A mechanism's `privatize`, as a `Sampler`."""
    return lambda x, n, rng: mechanism.privatize(np.full(n, x), rng)


def audit_sampler(
    sampler: Sampler, x: int, other: int, n: int, rng: np.random.Generator, *, alpha: float = ALPHA
) -> EpsilonBound:
    """Lower bound on E[x, x′] from n reports of each; raises `CaldpError` for an n below 2."""
    check_n(n)
    return epsilon_bound(sampler(x, n, rng), sampler(other, n, rng), alpha)


def epsilon_bound(reports_x: Reports, reports_other: Reports, alpha: float = ALPHA) -> EpsilonBound:
    """Lower bound on E[x, x′] at confidence 1 − α, from independent reports of x and of x′.

    The first half of each chooses the event, the second half tests it: Clopper–Pearson for both
    probabilities, each at α/2 (Ding et al. 2018 and Jagielski et al. 2020 audit this way). If
    one half did both, the event would be chosen for its luck and the bound would be too high.

    Raises `CaldpError` for α outside of (0, 1) and fewer than two reports of either.
    """
    require(0 < alpha < 1, f"alpha must be between 0 and 1, got {alpha!r}.")
    n_x, n_other = len(reports_x), len(reports_other)
    if min(n_x, n_other) < 2:
        raise CaldpError(f"Two reports of each symbol are needed, got {n_x} and {n_other}.")
    codes, kinds = _codes(reports_x, reports_other)
    choose_x, test_x = np.split(codes[:n_x], [n_x // 2])
    choose_other, test_other = np.split(codes[n_x:], [n_other // 2])
    event = best_event(
        np.bincount(choose_x, minlength=kinds), np.bincount(choose_other, minlength=kinds), alpha
    )
    hits_x, hits_other = int(event[test_x].sum()), int(event[test_other].sum())
    sizes = test_x.size, test_other.size
    bound = privacy_loss_bound(np.array(hits_x), sizes[0], np.array(hits_other), sizes[1], alpha)
    epsilon = max(0.0, float(bound))
    return EpsilonBound(epsilon, 1.0 - alpha, hits_x, sizes[0], hits_other, sizes[1])


def best_event(counts_x: Ints, counts_other: Ints, alpha: float) -> Bools:
    """(kinds,) which reports are in the event that would give the highest bound on these counts.

    Candidates are the kinds of largest likelihood ratio, 1, 2, … of them (Neyman–Pearson).
    `counts_x`, `counts_other`: (kinds,) reports of each kind.
    """
    # Adding one to each count keeps kinds that were seen only once from ranking first.
    n_x, n_other = int(counts_x.sum()), int(counts_other.sum())
    order = np.argsort(-(counts_x + 1) / (counts_other + 1), kind="stable")
    hits_x, hits_other = np.cumsum(counts_x[order]), np.cumsum(counts_other[order])
    bounds = privacy_loss_bound(hits_x, n_x, hits_other, n_other, alpha)
    event = np.zeros(counts_x.size, np.bool_)
    event[order[: int(np.argmax(bounds)) + 1]] = True
    return event


def privacy_loss_bound(
    hits_x: Ints, n_x: int, hits_other: Ints, n_other: int, alpha: float
) -> Floats:
    """Lower bounds on log p/q at confidence 1 − α; −∞ where nothing of x was hit.

    `hits_x` of `n_x` with probability p, `hits_other` of `n_other` with q: any one shape.
    """
    low = clopper_pearson_lower(hits_x, n_x, alpha / 2)
    high = clopper_pearson_upper(hits_other, n_other, alpha / 2)
    logs = np.full(low.shape, -math.inf)
    return np.log(low / high, out=logs, where=low > 0)


def _codes(reports_x: Reports, reports_other: Reports) -> tuple[NDArray[np.intp], int]:
    """(n_x + n_other,) a number for each different report, and how many there are."""
    both = np.concatenate([np.asarray(reports_x), np.asarray(reports_other)])
    flat: NDArray[Any] = both.reshape(len(both), -1)
    if flat.shape[1] == 1:
        kinds, codes = np.unique(flat[:, 0], return_inverse=True)
    else:
        kinds, codes = np.unique(flat, axis=0, return_inverse=True)
    return codes.ravel(), len(kinds)
