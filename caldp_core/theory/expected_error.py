"""Expected total variation of an estimate, projected or not, without running anything.

Room: theory. Each unbiased p̂_x has its exact mean and variance, and the law of few reports or of
a normal (`estimate_laws.py`). They are taken as independent, but for the sums that are certain or
nearly so and for how many reports an oracle gets. A projection subtracts a threshold τ and cuts at
0; τ is taken as the number that makes the expected total right. Its wobble enters the spread to
first order, and the mean where estimates are more certain than τ is.

Tests hold this to simulation, means to 3 % and deviations to 25 %. Where it stays bad: hidden
symbols of blocks with few people. The projection per block is then up to 10 % off, as τ hangs on
how many people there are; unary and set-valued reports of small ε, taken as normal, give means up
to 20 % off unprocessed; deviations may be half or double. So they may be where the error is near
1, but tiny beside it.

The significance threshold has a file of its own, `expected_threshold.py`; maximum likelihood has
no formula.
"""

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from caldp_core.basics.types import Bools, Floats
from caldp_core.estimation.estimators import estimator, significant
from caldp_core.mechanisms import ContextMechanism
from caldp_core.theory.laws_of_estimates import estimates_of
from caldp_core.theory.normal_estimates import Estimates, ExpectedError, mean_thresholds, normals
from caldp_core.theory.piecewise_moments import Bent, Parts, excess_variance, gathered
from caldp_core.theory.threshold_error import significance_error

__all__ = ["Estimates", "ExpectedError", "expected_error", "expected_error_of", "normals"]

_QUARTERS: Final = (-1.271, -0.325, 0.325, 1.271)
"""Means of a standard normal within its quarters."""
_NEAR: Final = 1e-4
"""Part of a block's share to which thresholds are found that stand for a wobble."""
_MATTERS: Final = 0.01
"""Part of the error below which what a wobble does to certain estimates is left out."""


def expected_error_of(
    mechanism: ContextMechanism, p: Floats, variance: Floats, n: int, name: str
) -> ExpectedError | None:
    """Expected TV after the named estimator from reports of n people; see `expected_error`.

    `p`: (k,) true shares; `variance`: (k,) of the unbiased estimate, with these people drawn
    from p or held fixed. Raises `CaldpError` for an unknown name.
    """
    entry = estimator(name)
    if entry.apply is significant:
        return significance_error(mechanism, p, variance, n)
    if entry.name not in _EXPECTED:
        return None
    return expected_error(estimates_of(mechanism, p, variance, n), name)


def expected_error(estimates: Estimates, name: str) -> ExpectedError | None:
    """Expected TV after the named estimator, None where there is no formula for it.

    Raises `CaldpError` for an unknown name.
    """
    formula = _EXPECTED.get(estimator(name).name)
    return None if formula is None else formula(estimates)


def _unprocessed(e: Estimates) -> ExpectedError:
    """½|W − p|."""
    zero = np.zeros_like(e.p)
    error = Bent.of_distance(zero)
    return gathered(e, Parts.of(e, e.p, zero), error, error, zero)


def _clip(e: Estimates) -> ExpectedError:
    """Shares max(W, 0)/Z; Z wobbles with the sum, which moves every share by its own part."""
    zero = np.zeros_like(e.p)
    total = float(e.sums(e.above(zero, zero)[1]).sum())

    def divided(by: float) -> Parts:
        return Parts.of(e, zero, by * e.p).over(by)

    parts, error = divided(total), Bent.of_shares(e.p)
    beta = -0.5 * float((e.times * (parts.first[2] - parts.first[1])).sum())
    found = gathered(e, parts, error, error.plus(zero + beta), zero)
    wobble = float(np.sqrt(excess_variance(e.in_one_block(), parts)[0]))
    certain = 2.0 * e.sigma < wobble * e.p
    if not _matter(e, certain, wobble * e.p, found):
        return found
    moved = (divided(total * max(1.0 + z * wobble, 0.5)) for z in _QUARTERS)
    return _with_certain(e, parts, certain, moved, found)


def _simplex(e: Estimates) -> ExpectedError:
    return _per_block(e.in_one_block())


def _per_block(e: Estimates) -> ExpectedError:
    """Shares max(W − τ, 0); a sum too large by δ raises τ by δ over the number of positive ones.

    Too large against the block's observed share, which moves with the people drawn.
    """
    tau = mean_thresholds(e)
    parts, error = Parts.of(e, tau[e.block], e.p), Bent.of_shares(e.p)
    positive = np.maximum(e.sums(parts.zeroth[1] + parts.zeroth[2]), 1.0)
    beta = (-0.5 * e.sums(parts.zeroth[2] - parts.zeroth[1]) / positive)[e.block]
    found = gathered(e, parts, error, error.plus(beta), beta)
    excess = np.sqrt(excess_variance(e, parts))
    wobble = (excess / positive)[e.block]
    # Those that τ never leaves positive stay what they are.
    lowest = tau[e.block] + _QUARTERS[0] * wobble
    certain = (2.0 * e.sigma < wobble) & (e.p + 3.0 * e.sigma > lowest)
    if not _matter(e, certain, wobble, found):
        return found
    taus = (mean_thresholds(e, z * excess, _NEAR) for z in _QUARTERS)
    moved = (Parts.of(e, at[e.block], e.p) for at in taus)
    return _with_certain(e, parts, certain, moved, found)


_EXPECTED: Final[dict[str, Callable[[Estimates], ExpectedError]]] = {
    "none": _unprocessed,
    "clip": _clip,
    "simplex": _simplex,
    "norm-sub": _simplex,
    "simplex-per-block": _per_block,
}


def _matter(e: Estimates, certain: Bools, wobble: Floats, found: ExpectedError) -> bool:
    return 0.5 * float(e.times @ (certain * wobble)) > _MATTERS * found.tv


def _with_certain(
    e: Estimates, parts: Parts, certain: Bools, moved: Iterable[Parts], found: ExpectedError
) -> ExpectedError:
    """The same with the mean errors of `certain` groups over a threshold's wobble.

    A threshold that wobbles by more than they do moves them either way, and no sum of their own
    goes along with it.
    """
    error = Bent.of_shares(e.p)
    means = [at.mean(error) for at in moved]
    more = np.where(certain, np.mean(means, axis=0) - parts.mean(error), 0.0)
    return ExpectedError(found.tv + float(e.times @ more), found.deviation)
