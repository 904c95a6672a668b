"""Mean distance of planar noise by the rule for sums, beside what kernels and trials say."""

import numpy as np

from caldp_core.mechanisms.direct.planar import _mean_distance


def planar_displacement(epsilon_row: float, epsilon_column: float) -> float:
    """Mean distance of report and truth for planar noise; ε in nats per step, [0.001, 20]."""
    return _mean_distance(epsilon_row, epsilon_column, np.hypot)
