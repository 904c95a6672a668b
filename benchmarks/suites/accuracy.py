"""How near estimates come: all estimators on the same reports of maps."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

import numpy as np

from benchmarks.estimates import collections, us_people, world_inhabitants, world_map
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import US_GRID
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.public_prior import cascade_with_prior, prior_effect
from caldp_core.experiments.metrics import box_error

US_BLOCKS: Final = {"US": (1, 1), "US, 5 × 7 blocks": (5, 7), "US, 25 × 35 blocks": (25, 35)}
WITH_INHABITANTS: Final = "cascade-inhabitants"
"""Not for the reconstruction, which was made from where people live."""
_NAMES: Final = [
    entry.name
    for entry in ESTIMATORS.values()
    if not entry.in_order and entry.name not in ("none", "cascade-map")
]
_SIDE: Final = 16
_LARGEST: Final = 50


class Estimators:
    """All on the same reports of Galois response; people in 100 in the wrong cell.

    `CALDP_WORLD`: a map of the world, .npz with `counts`, rows × columns; skipped without it. The
    projection onto the simplex has 42 of 100 on the world at ε = 1.
    """

    params = (["the world", *US_BLOCKS], [0.5, 1.0, 2.0], _NAMES)
    param_names = ("map", "epsilon", "estimator")
    timeout, draws = 600, 3
    bars: ClassVar = {
        "track_wrong_cell": lambda *case: 27.0 if case == ("the world", 1.0, "cascade") else None,
        "time_estimate": lambda on, _, name: (
            0.03 if name == "cascade" and on != "the world" else None
        ),
    }

    def setup(self, on: str, epsilon: float, name: str) -> None:
        """Draw the reports; raises `NotImplementedError` without a map that may be used."""
        if on in US_BLOCKS:
            found = None if name == WITH_INHABITANTS else (US_GRID, us_people())
        else:
            file = os.environ.get("CALDP_WORLD")
            found = world_map(file) if file else None
        if found is None:
            raise NotImplementedError("No such map, or one from where people live.")
        self.grid, people = found
        self.apply, self.truth = ESTIMATORS[name].apply, people / people.sum()
        if name == WITH_INHABITANTS:  # a cell of the world is twice as wide as high
            self.apply = partial(cascade_with_prior, prior=world_inhabitants(self.grid.rows))
        blocks = US_BLOCKS.get(on, (1, 1))
        self.evidences = collections(self.grid, people, epsilon, blocks, draws=self.draws)

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
