"""Planar noise on small maps and on one as large as the paper's, for its tests."""

import numpy as np

from caldp_core.mechanisms.direct.planar import PlanarGeometricMechanism, PlanarNoise
from caldp_core.privacy.distance import EuclideanMetric

SHAPES = [(1, 1), (1, 4), (3, 1), (2, 2), (3, 4)]
STEPS = [(0.05, 0.05), (1.0, 0.3), (0.5, 4.0)]
US = (125, 350)


def planar(shape: tuple[int, int], steps: tuple[float, float]) -> PlanarGeometricMechanism:
    return PlanarGeometricMechanism(EuclideanMetric(*shape, *steps))


def least_reserve(mechanism: PlanarNoise) -> float:
    """Least of E[x, x′] − log Q(y|x)/Q(y|x′) over all y and neighbours or cells far apart.

    Sums of positive floats: right to 1e-13, a hundred times nearer than what is kept back.
    """
    rows, columns = US
    places = [(0, 0), (0, 1), (1, 1), (rows - 1, 7), (rows - 2, 7), (60, 0), (60, 9), (61, 10)]
    cells = [row * columns + column for row, column in places]
    laws = np.log([mechanism.law_of(x) for x in cells])
    ratios = (laws[:, None] - laws).max(axis=-1)
    claimed = mechanism.policy.between(np.repeat(cells, 8), np.tile(cells, 8)).reshape(8, 8)
    return float((claimed - ratios)[~np.eye(8, dtype=bool)].min())
