"""Column generation: weights for a few columns, then the columns that those multipliers ask for.

A `Source` knows columns; `generate` solves for the weights of some, asks which others would lower
the loss by the multipliers found, and goes on until none does by much.
"""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from caldp_core.basics.types import Floats, Progress
from caldp_core.mechanisms.designed.master import WarmStart, WeightedColumns, best_weights
from caldp_core.mechanisms.designed.moments import Classes, Columns, join_columns

_ROUNDS: Final = 60
_SMALL: Final = 1e-7
"""Where all rays are at hand, columns with a smaller weight leave the next round."""
_ROUGH: Final = 0.02
"""Relative accuracy of the weights in the first round."""
_SHARPER: Final = 0.2
"""Accuracy in later rounds, as a share of the gain that was left in the round before."""


class Source(Protocol):
    """Columns of a problem, all of them or those that a search finds."""

    @property
    def classes(self) -> Classes:
        """The problem's twins, prior and weights."""
        ...

    def initial_columns(self) -> Columns:
        """Columns to begin with, which span all symbols."""
        ...

    def improving_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns with the largest vᵀGv − λᵀv that are found, and (N,) these; may be none > 0."""
        ...

    def retained_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns for the next round and (N,) weights; with some weights they make a channel."""
        ...

    @property
    def rounds(self) -> int:
        """Most rounds of the search for columns."""
        ...


def generate(source: Source, accuracy: float, progress: Progress) -> WeightedColumns:
    """Columns and weights whose loss no column of the source lowers by more than `accuracy`.

    Relative; the share handed to `progress` is that of log(what is still to be gained), or that of
    the rounds. The last round's result is returned even if more could be gained.
    """
    columns = source.initial_columns()
    best, gain, reached, tolerance = best_weights(columns, source.classes, _ROUGH), 1.0, 0.0, _ROUGH
    for step in range(source.rounds):
        candidates, excess = source.improving_columns(best)
        gain = max(float(excess.max(initial=0.0)) / best.information.loss, 1e-16)
        log_share = min(float(np.log(gain) / np.log(accuracy)), 1.0)
        reached = max(reached, log_share, step / source.rounds)
        progress(reached)
        if gain < accuracy and tolerance <= 0.1 * accuracy:
            break
        kept, w = source.retained_columns(best)
        columns = join_columns(kept, candidates.rows(np.flatnonzero(excess > 0)))
        tolerance = max(min(_ROUGH, _SHARPER * gain), 0.1 * accuracy)
        best = best_weights(columns, source.classes, tolerance, WarmStart(w, best.dual))
    return best


def complete_start(levels: Floats) -> Floats:
    """(2k + 1, k) logarithms of columns that span and of which some weights make a channel.

    The ray highest in x is p_x = e^{−E[x, ·]}. As 1 lies inside of the cone, so does 1 − t·p_x
    for small t, up to min (e^E − 1)/(e^E·p_z − p_y) over E = E[y, z], and both add up to 1.
    """
    peaks, powers = np.exp(-levels), np.exp(-levels)
    np.fill_diagonal(powers, 1.0)
    rest = np.empty_like(peaks)
    for x, peak in enumerate(peaks):
        bottom = peak - powers * peak[:, None]
        np.fill_diagonal(bottom, 0.0)
        limit = np.where(bottom > 0, (1 - powers) / np.where(bottom > 0, bottom, 1.0), np.inf)
        rest[x] = 1 - 0.999 * min(float(limit.min()), 1.0) * peak
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.concatenate([peaks, rest, np.ones((1, len(peaks)))])))


@dataclass(frozen=True, eq=False)
class AllRays:
    """A source that has every extreme ray, so that its excess is the truth."""

    classes: Classes
    rays: Columns
    levels: Floats

    def initial_columns(self) -> Columns:
        """All rays if they are few, else an even choice and `complete_start`."""
        if len(self.rays) <= self._batch_size:
            return self.rays
        indices = np.linspace(0, len(self.rays) - 1, self._batch_size).astype(np.int64)
        complete = self.classes.columns(complete_start(self.levels))
        return join_columns(self.rays.rows(indices), complete)

    def improving_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """The rays of the largest excess, and (N,) their excess."""
        excess = excess_of(weighted, self.rays)
        most = min(self._batch_size, len(excess))
        largest = np.argpartition(-excess, most - 1)[:most]
        return self.rays.rows(largest), excess[largest]

    def retained_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns with a positive weight, and (N,) weights."""
        positive = np.flatnonzero(weighted.w > _SMALL)
        return weighted.columns.rows(positive), weighted.w[positive]

    @property
    def rounds(self) -> int:
        """Few are needed, as a round looks at all."""
        return _ROUNDS

    @property
    def _batch_size(self) -> int:
        return max(400, 2 * len(self.classes.sizes) ** 2)


def excess_of(weighted: WeightedColumns, columns: Columns) -> Floats:
    """(N,) vᵀGv − λᵀv: how fast the loss falls with v's weight, all rows kept."""
    return np.asarray(weighted.information.gains(columns) - columns.sums @ weighted.dual)
