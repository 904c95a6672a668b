"""How near estimates come: all estimators on the same reports of maps."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Final

import numpy as np
from scipy.ndimage import gaussian_filter

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.datasets.base_map import world_cities
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation.cascade_estimator import cascade_with_prior, prior_effect
from caldp_core.estimation.estimators import ESTIMATORS, PostProcess
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.metrics import box_error
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context

US_BLOCKS: Final = {"US": (1, 1), "US, 5 × 7 blocks": (5, 7), "US, 25 × 35 blocks": (25, 35)}
WITH_INHABITANTS: Final = "cascade with inhabitants"
_OTHERS: Final = ("none", "cascade-inhabitants", "cascade-map")
FOR_ANY_DATA: Final = {
    entry.name: entry.apply
    for entry in ESTIMATORS.values()
    if not entry.in_order and entry.name not in _OTHERS
}
_SIDE: Final = 16
_LARGEST: Final = 50


def inhabitants(rows: int, columns: int) -> Floats:
    """(rows × columns,) inhabitants of the Earth, spread as in `datasets/base_map.py`."""
    towns = world_cities()
    at = np.array([((t.latitude + 90) / 180, (t.longitude + 180) / 360) for t in towns])
    row, column = (at * (rows, columns)).astype(np.int64).T
    middles = np.zeros((rows, columns))
    np.add.at(middles, (row, column), [town.population for town in towns])
    return np.asarray((0.4 * middles + 0.6 * gaussian_filter(middles, 1, mode="constant")).ravel())


class Estimators:
    """All on the same reports of Galois response; people in 100 in the wrong cell.

    `CALDP_WORLD`: a map of the world, .npz with `counts`, rows × columns; skipped without it. The
    projection onto the simplex has 42 of 100 on the world at ε = 1.
    """

    params = (["the world", *US_BLOCKS], [0.5, 1.0, 2.0], [*FOR_ANY_DATA, WITH_INHABITANTS])
    param_names = ("map", "epsilon", "estimator")
    timeout, draws = 600, 3
    bars: ClassVar = {
        "track_wrong_cell": lambda *case: 27.0 if case == ("the world", 1.0, "cascade") else None,
        "time_estimate": lambda on, _, name: (
            0.03 if name == "cascade" and on != "the world" else None
        ),
    }

    def setup(self, on: str, epsilon: float, name: str) -> None:
        """Draw the reports; raises `NotImplementedError` without the map."""
        people = self._people(on)
        rng = np.random.default_rng(5)
        labels = grid_blocks(self.grid, *US_BLOCKS.get(on, (1, 1))).labels
        self.apply = self._estimator(on, name)
        mechanism = catalogue.in_context(Context.block_structured(labels, epsilon), "galois")
        tallies = [mechanism.sample_tally(people, rng) for _ in range(self.draws)]
        self.truth = people / people.sum()
        self.evidences = [Evidence.of(mechanism, tally, domain=self.grid) for tally in tallies]

    def _people(self, on: str) -> Ints:
        self.grid = US_GRID
        if on != "the world":
            counts = Gowalla().load().counts
            assert counts is not None
            return counts
        if "CALDP_WORLD" not in os.environ:
            raise NotImplementedError("CALDP_WORLD names no map of the world.")
        world: Ints = np.load(os.environ["CALDP_WORLD"])["counts"].astype(np.int64)
        rows, columns = world.shape  # only their neighbourhood matters
        self.grid = GridDomain(-90, -180, min(180 / rows, 360 / columns), rows, columns)
        return world.ravel()

    def _estimator(self, on: str, name: str) -> PostProcess:
        if name != WITH_INHABITANTS:
            return FOR_ANY_DATA[name]
        if on != "the world":
            raise NotImplementedError("The reconstruction was made from where people live.")
        self.prior = inhabitants(self.grid.rows, self.grid.columns)
        return lambda evidence: cascade_with_prior(evidence, self.prior)

    def _estimate(self, evidence: Evidence) -> Floats:
        return self.apply(replace(evidence))  # without what an earlier estimator has worked out

    def _mean(self, error: Callable[[Floats], float]) -> float:
        return 100 * float(np.mean([error(self._estimate(each)) for each in self.evidences]))

    def time_estimate(self, *_: object) -> None:
        """One estimate."""
        self._estimate(self.evidences[0])

    def track_wrong_cell(self, *_: object) -> float:
        """People in 100 in the wrong cell."""
        return self._mean(lambda shares: 0.5 * float(np.abs(shares - self.truth).sum()))

    def track_wrong_box(self, *_: object) -> float:
        """People in 100 in the wrong box of 16 × 16 cells."""
        return self._mean(lambda shares: box_error(self.truth, shares, self.grid, _SIDE))

    def track_wrong_in_largest(self, *_: object) -> float:
        """The part of the 50 largest cells in the error."""
        largest = np.argsort(self.truth)[-_LARGEST:]
        return self._mean(lambda shares: 0.5 * float(np.abs(shares - self.truth)[largest].sum()))

    def track_moved_by_prior(self, _: str, __: float, name: str) -> float:
        """People in 100 whom the inhabitants have moved."""
        if name != WITH_INHABITANTS:
            return float("nan")
        pairs = ((each, self._estimate(each)) for each in self.evidences)
        return float(np.mean([50 * np.abs(prior_effect(*pair)).sum() for pair in pairs]))
