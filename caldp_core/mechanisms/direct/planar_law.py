"""The distribution of planar geometric noise, with all that leaves the map summed on its border.

`planar.py` draws from it. On the lattice Z² the noise Z has weight e^{−d(Z)} with d =
√((ε_row·z_row)² + (ε_column·z_column)²). On m rows a displacement of m − 1 or more always ends on
the border, so displacements up to ±(m−1) are enough, the last of which hold the sums of the
infinite tails; columns alike. By symmetry one quadrant determines the rest.

A tail is summed panel by panel. Its terms are analytic in z but for branch points at distance |z|
or more, so on a panel no longer than its distance from 0, and no longer than a few 1/ε, a Gauss
rule for sums over whole numbers (with the polynomials of Gram and Chebyshev) gives the sum from 16
terms with a relative error of a few 2^-52, however small ε is.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.limits import SPAN_NATS
from caldp_core.basics.types import Floats
from caldp_core.privacy.distance import EuclideanMetric

SLACK_NATS: Final = 1e-11
"""Kept back from every E. A weight is wrong by less than 2e-12 of itself: an exponent of 1380 by a
few 2^-52 of itself, the sum by 1e-14. E is a float too, and may be 1e-12 below its distance."""
_FORGET: Final = 40.0
"""Terms more than so many nats below the largest of their sum are left out: together 1e-15."""
_TERMS: Final = 16
_PANEL_NATS: Final = 4.0


@dataclass(frozen=True, eq=False)
class SumRule:
    """Σ f(z) over many whole z is Σ weights·f(nodes): (terms,) and (terms,)."""

    nodes: Floats
    weights: Floats


def sum_rule(start: int, epsilon: float, reach: float) -> SumRule:
    """Rule for the sum over all whole z ≥ start ≥ 1 of an f that is negligible beyond `reach`.

    `epsilon`: log f falls by no more than this in a step.
    """
    nodes, weights = [], []
    longest = max(_TERMS, int(_PANEL_NATS / epsilon))
    while start <= reach:
        length = min(max(start, _TERMS), longest)
        panel = _panel(length)
        nodes.append(start + panel.nodes)
        weights.append(panel.weights)
        start += length
    return SumRule(np.concatenate(nodes), np.concatenate(weights))


def _panel(length: int) -> SumRule:
    """Gauss's rule for Σ f(z), z = 0 … length − 1, exact for degree 31 (Golub, Welsch 1969)."""
    if length <= _TERMS:
        return SumRule(np.arange(length, dtype=np.float64), np.ones(length))
    i = np.arange(1, _TERMS)
    beside = np.sqrt(i**2 * (length**2 - i**2) / (16 * i**2 - 4))
    nodes, vectors = scipy.linalg.eigh_tridiagonal(np.full(_TERMS, 0.5 * (length - 1)), beside)
    return SumRule(np.asarray(nodes, np.float64), length * np.square(vectors[0]))


def quadrant(policy: EuclideanMetric) -> Floats:
    """(rows, columns) weights of displacements by z_row, z_column ≥ 0; the last hold the tails.

    An axis of one cell has no noise. Farthest cells at most `SPAN_NATS` apart.
    """
    rows, columns = policy.rows, policy.columns
    a, b = reduced_epsilons(policy)
    farthest = float(np.hypot(a * (rows - 1), b * (columns - 1)))
    down, right = _axis(rows, a, farthest), _axis(columns, b, farthest)
    distance = np.hypot(a * down.nodes[:, None], b * right.nodes)
    # Weights times e^690 use the whole range of floats: their sum, below 2π·10^6·e^690, is in it.
    terms = np.exp(0.5 * SPAN_NATS - distance)
    return _with_tail(_with_tail(terms, down, rows).T, right, columns).T


def reduced_epsilons(policy: EuclideanMetric) -> tuple[float, float]:
    """ε per row and per column, both times one factor so that every E keeps `SLACK_NATS`."""
    sizes = ((policy.rows, policy.epsilon_row), (policy.columns, policy.epsilon_column))
    least = min((epsilon for size, epsilon in sizes if size > 1), default=1.0)
    share = 1.0 - SLACK_NATS / least
    return share * policy.epsilon_row, share * policy.epsilon_column


def _axis(size: int, epsilon: float, farthest: float) -> SumRule:
    """Displacements 0 … size − 2, and from there on a rule for the tail."""
    if size == 1:
        return SumRule(np.zeros(1), np.ones(1))
    # Beyond the circle farthest + _FORGET nothing counts beside the far corner's own term.
    reach = np.sqrt((size - 1) ** 2 + _FORGET * (2 * farthest + _FORGET) / epsilon**2)
    tail = sum_rule(size - 1, epsilon, reach)
    near = np.arange(size - 1, dtype=np.float64)
    return SumRule(np.append(near, tail.nodes), np.append(np.ones(size - 1), tail.weights))


def _with_tail(terms: Floats, axis: SumRule, size: int) -> Floats:
    tail = axis.weights[size - 1 :] @ terms[size - 1 :]
    return np.concatenate([terms[: size - 1], tail[None]])
