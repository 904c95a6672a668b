"""Noise that a trusted office adds to the counts of a table: the central model.

Two-sided geometric noise, the discrete Laplace noise of Ghosh, Roughgarden, Sundararajan 2009.
Neighbours are tables in which one person is elsewhere, as in the local model: two counts move by
one, so the noise is that of ε/2, and the number of people is no secret.
"""

import math

import numpy as np

from caldp_core.basics.errors import check_counts, check_epsilon
from caldp_core.basics.types import Ints
from caldp_core.estimation.projection import simplex_projection
from caldp_core.lecture.central import GeometricNoise
from caldp_core.treatments.release import Release


class CentralTable:
    """A table whose every cell has noise; totals are sums of the published cells, so they agree.

    `epsilon`: for one person who is elsewhere, in [0.001, 20].
    """

    def __init__(self, epsilon: float) -> None:
        self.epsilon = float(check_epsilon(epsilon))
        self.noise = GeometricNoise(self.epsilon / 2)

    def draw(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """The noisy counts, of the shape of `counts`; whole, unbiased, may be negative."""
        return np.asarray(counts + self.noise.draw(counts.shape, rng), dtype=np.int64)

    def publish(self, counts: Ints, rng: np.random.Generator) -> Release:
        """The table of (k,) counts nearest to the noisy ones with no count below 0.

        It adds up to everybody; mending a published table costs no privacy.
        """
        checked = check_counts("counts", counts, counts.size)
        total = int(checked.sum())
        shares = simplex_projection(self.draw(checked, rng) / max(total, 1))
        return Release(shares * total, np.zeros(checked.size, np.bool_))

    def box_error(self, cells: int) -> float:
        """Root mean square error, in people, of a box of so many cells: √cells·sd of the noise."""
        return math.sqrt(cells * self.noise.variance)

    @property
    def guess_accuracy(self) -> float:
        """How often the best guess between two cells of one person is right, all others known.

        1/(1 + e^{−ε/2}): both counts show only whether they are above what the others make.
        """
        return 1.0 / (1.0 + float(self.noise.alpha))

    @property
    def mean_error(self) -> float:
        """Mean error of a noisy count, in people."""
        return self.noise.mean_error
