"""How far a report lies from the truth, for the two mechanisms that keep a Euclidean promise.

For readers who choose between `PlanarGeometric` and `GridGeometric` on `stricter_grid_metric()`. On
a map without a border, which pulls both back alike. Distances are in nats of the promise, so that a
distance in kilometres is the result divided by ε per kilometre. With small steps the noise is that
of the plane: 2 nats for Laplace noise in the plane, and for the product √2·E‖(X, Y)‖ = 2.296 with X
and Y Laplace.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_epsilon
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.direct.planar_law import sum_rule

_REACH: Final = 64.0
"""Nats beyond which neither noise counts: e^{−64/√2} of the product's is left."""


def planar_displacement(epsilon_row: float, epsilon_column: float) -> float:
    """Mean distance of report and truth for planar noise; ε in nats per step, [0.001, 20]."""
    return _mean_distance(epsilon_row, epsilon_column, np.hypot)


def product_displacement(epsilon_row: float, epsilon_column: float) -> float:
    """Mean distance of report and truth for geometric noise on both axes, same promise and ε."""
    return _mean_distance(epsilon_row, epsilon_column, lambda x, y: np.sqrt(0.5) * (x + y))


def _mean_distance(a: float, b: float, exponent: Callable[[Floats, Floats], Floats]) -> float:
    check_epsilon([a, b])
    (x, x_times), (y, y_times) = _axis(a), _axis(b)
    weights = np.exp(-exponent(x[:, None], y)) * np.outer(x_times, y_times)
    return float((weights * np.hypot(x[:, None], y)).sum() / weights.sum())


def _axis(epsilon: float) -> tuple[Floats, Floats]:
    """Nats and how many displacements they stand for: 0 once, all others on both sides."""
    rule = sum_rule(1, epsilon, max(_REACH / epsilon, 1.0))
    return epsilon * np.append(0.0, rule.nodes), np.append(1.0, 2.0 * rule.weights)
