"""Column generation: weights for a few columns, then the columns that those multipliers ask for.

Room: mechanisms. A `Source` knows columns; `generate` solves for the weights of some, asks which
others would lower the loss by the multipliers found, and goes on until none does by much.
"""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.types import Floats, Ints, Progress
from caldp_core.mechanisms.designed.master import Weighted, best_weights
from caldp_core.mechanisms.designed.moments import Classes, Columns, together

_ROUNDS: Final = 60
_KEPT: Final = 1e-7
"""Columns with a smaller weight leave the next round."""


class Source(Protocol):
    """Columns of a problem, all of them or those that a search finds."""

    classes: Classes

    def start(self) -> Columns:
        """Some that span all symbols."""
        ...

    def better(self, weighted: Weighted) -> tuple[Columns, Floats]:
        """Columns with the largest vᵀGv − λᵀv that are found, and (N,) these; may be none > 0."""
        ...


def generate(source: Source, accuracy: float, progress: Progress) -> Weighted:
    """Columns and weights whose loss no column of the source lowers by more than `accuracy`.

    Relative; the share handed to `progress` is on the scale of log(what is still to be gained).
    """
    columns = source.start()
    best = best_weights(columns, source.classes, 0.1 * accuracy)
    for _ in range(_ROUNDS):
        found, excess = source.better(best)
        still = max(float(excess.max(initial=0.0)) / best.information.loss, 1e-16)
        progress(float(np.clip(np.log(still) / np.log(accuracy), 0.0, 1.0)))
        if still < accuracy:
            break
        kept = columns.rows(np.flatnonzero(best.w > _KEPT))
        columns = together(kept, found.rows(np.flatnonzero(excess > 0)))
        best = best_weights(columns, source.classes, 0.1 * accuracy)
    return best


@dataclass(frozen=True, eq=False)
class AllRays:
    """A source that has every extreme ray, so that its excess is the truth."""

    classes: Classes
    every: Columns

    def start(self) -> Columns:
        """All of few, or an even choice of many."""
        return self.every.rows(self._spread_out(self._at_once))

    def better(self, weighted: Weighted) -> tuple[Columns, Floats]:
        """The largest."""
        excess = excess_of(weighted, self.every)
        most = min(self._at_once, len(excess))
        chosen = np.argpartition(-excess, most - 1)[:most]
        return self.every.rows(chosen), excess[chosen]

    @property
    def _at_once(self) -> int:
        entries = len(self.classes.sizes) ** 2 // 2
        return max(400, 4 * entries)

    def _spread_out(self, most: int) -> Ints:
        count = len(self.every)
        if count <= most:
            return np.arange(count)
        # The rays highest in one symbol and the lowest in one are among them: they span.
        ends = np.concatenate([self.every.v.argmax(axis=0), self.every.v.argmin(axis=0)])
        return np.unique(np.concatenate([ends, np.linspace(0, count - 1, most).astype(np.int64)]))


def excess_of(weighted: Weighted, columns: Columns) -> Floats:
    """(N,) vᵀGv − λᵀv: how fast the loss falls with v's weight, all rows kept."""
    return np.asarray(weighted.information.gains(columns) - columns.sums @ weighted.dual)
