"""Expected total variation of an estimate, projected or not, without running anything.

Room: theory. A normal approximation: each unbiased p̂_x is taken as normal with its exact mean
and variance and as independent of the others. A projection subtracts a threshold τ and cuts at 0;
τ is taken as the number that makes the expected total right, and its own wobble enters the
spread to first order. Accurate when many symbols share the mass (tests hold it to simulation);
with few symbols or people the true spread differs. The significance threshold has a file of its
own, `expected_threshold.py`; maximum likelihood has no formula.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.estimation import estimator, significant
from caldp_core.expected_threshold import significance_error
from caldp_core.mechanisms import ContextMechanism
from caldp_core.normals import (
    ExpectedError,
    Normals,
    mean_thresholds,
    moments_above,
    normals,
)
from caldp_core.types import Floats

__all__ = ["ExpectedError", "Normals", "expected_error", "expected_error_of", "normals"]


def expected_error_of(
    made: ContextMechanism, p: Floats, variance: Floats, n: int, name: str
) -> ExpectedError | None:
    """Expected TV after the named estimator from reports of n people; see `expected_error`.

    `p`: (k,) true shares; `variance`: (k,) of the unbiased estimate, with these people drawn
    from p or held fixed. Raises `CaldpError` for an unknown name.
    """
    if estimator(name).apply is significant:
        return significance_error(made, p, variance, n)
    return expected_error(normals(p, variance, made.policy.blocks), name)


def expected_error(estimates: Normals, name: str) -> ExpectedError | None:
    """Expected TV after the named estimator, None where these normals give no formula for it.

    Raises `CaldpError` for an unknown name.
    """
    formula = _EXPECTED.get(estimator(name).name)
    return None if formula is None else formula(estimates)


def _unprocessed(e: Normals) -> ExpectedError:
    """|W − p| of a normal: mean σ√(2/π), variance σ²(1 − 2/π)."""
    tv = float(0.5 * np.sqrt(2 / np.pi) * (e.times * e.sigma).sum())
    spread = 0.25 * (1 - 2 / np.pi) * float((e.times * e.sigma**2).sum())
    return ExpectedError(tv, float(np.sqrt(spread)))


def _clip(e: Normals) -> ExpectedError:
    """Shares max(W, 0)/Z; Z wobbles with the sum, which moves every share by its own part."""
    zero = np.zeros_like(e.p)
    total = float(e.sums(_Parts.of(e.p, e.sigma, zero).up1).sum())
    parts = _Parts.of(e.p / total, e.sigma / total, e.p)
    beta = -0.5 * float((e.times * (parts.up1 - parts.mid1)).sum())
    return _gather(e, parts, np.full_like(e.p, beta))


def _simplex(e: Normals) -> ExpectedError:
    return _per_block(e.in_one_block())


def _per_block(e: Normals) -> ExpectedError:
    """Shares max(W − τ, 0); a sum too large by δ raises τ by δ over the number of positive ones."""
    parts = _Parts.of(e.p - mean_thresholds(e)[e.block], e.sigma, e.p)
    positive = np.maximum(e.sums(parts.up0 + parts.mid0), 1.0)
    beta = -0.5 * e.sums(parts.up0 - parts.mid0) / positive
    return _gather(e, parts, beta[e.block])


_EXPECTED: Final[dict[str, Callable[[Normals], ExpectedError]]] = {
    "none": _unprocessed,
    "clip": _clip,
    "simplex": _simplex,
    "norm-sub": _simplex,
    "simplex-per-block": _per_block,
}


@dataclass(frozen=True, eq=False)
class _Parts:
    """Moments 0, 1, 2 of W ~ N(mean, σ²) cut to (0, p) and to (p, ∞); `low`: P(W < 0)."""

    low: Floats
    mid0: Floats
    mid1: Floats
    mid2: Floats
    up0: Floats
    up1: Floats
    up2: Floats

    @classmethod
    def of(cls, mean: Floats, sigma: Floats, p: Floats) -> "_Parts":
        up0, up1, up2 = moments_above(mean, sigma, p)
        all0, all1, all2 = moments_above(mean, sigma, np.zeros(1))
        return cls(1.0 - all0, all0 - up0, all1 - up1, all2 - up2, up0, up1, up2)


def _gather(e: Normals, parts: _Parts, beta: Floats) -> ExpectedError:
    """Mean of Σ f and deviation of Σ (f + β·g), with f = ½|max(W, 0) − p| and g = max(W, 0).

    f is ½p below 0, ½p − ½W between 0 and p, ½W − ½p above; β·g is what the threshold's wobble
    adds for each unit of the sum.
    """
    f = 0.5 * e.p * (parts.low + parts.mid0 - parts.up0) - 0.5 * parts.mid1 + 0.5 * parts.up1
    low, high = beta - 0.5, beta + 0.5
    h = f + beta * (parts.mid1 + parts.up1)
    square = (
        0.25 * e.p**2 * (parts.low + parts.mid0 + parts.up0)
        + e.p * (low * parts.mid1 - high * parts.up1)
        + low**2 * parts.mid2
        + high**2 * parts.up2
    )
    spread = float((e.times * np.maximum(square - h**2, 0.0)).sum())
    return ExpectedError(float((e.times * f).sum()), float(np.sqrt(spread)))
