"""Planar noise on small maps and on one as large as the paper's, for its tests."""

from caldp_core.mechanisms.direct.planar import PlanarGeometric
from caldp_core.privacy.distance import EuclideanMetric

SHAPES = [(1, 1), (1, 4), (3, 1), (2, 2), (3, 4)]
STEPS = [(0.05, 0.05), (1.0, 0.3), (0.5, 4.0)]
US = (125, 350)


def planar(shape: tuple[int, int], steps: tuple[float, float]) -> PlanarGeometric:
    return PlanarGeometric(EuclideanMetric(*shape, *steps))
