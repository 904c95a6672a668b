"""Columns by local search, where the extreme rays are too many to look at all of them.

Each round some columns in use, and others a little or farther off, climb by the multipliers found
so far (`climb`).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.designed.climb import ColumnScore, clear_columns, climb
from caldp_core.mechanisms.designed.generation import complete_start, excess_of
from caldp_core.mechanisms.designed.master import WeightedColumns
from caldp_core.mechanisms.designed.moments import (
    Classes,
    Columns,
    Information,
    columns_of,
    join_columns,
)
from caldp_core.mechanisms.designed.planes import two_level_columns

_CLIMBERS: Final = 384
_CLIMBERS_LARGE: Final = 192
_NEW_COLUMNS_MAX: Final = 256
"""Most columns of a round, as more make the weights slow."""
_ROUNDS: Final = 26
"""Rounds of the search: five seconds of one core for 64 symbols."""
_ROUNDS_SMALL: Final = 30
"""Rounds for up to `_SMALL` symbols: less than a second of one core for 16."""
_ROUNDS_LARGE: Final = 20
"""Rounds from `_LARGE_K` symbols on: less than a minute for 256."""
_SMALL: Final = 24
_LARGE_K: Final = 100
_AFAR: Final = 0.3
"""Of the usual level: how far the third part of the climbers starts from columns in use."""


def _new(v: Floats, used: Floats) -> Ints:
    """Indices of (N, k) columns v, each kind once, that are none of the (M, k) columns in use."""
    both = np.concatenate([used, v])
    with np.errstate(divide="ignore"):
        u = np.log(both / both.max(axis=1, keepdims=True))
    rounded = np.round(np.where(np.isfinite(u), u, -1e4), 7)
    first = np.unique(rounded, axis=0, return_index=True)[1]
    return np.asarray(first[first >= len(used)] - len(used), np.int64)


def _allowed(u: Floats, levels: Floats) -> Floats:
    """(N, k) logarithms → the highest below them of columns that keep E."""
    highest = np.empty_like(u)
    for x, row in enumerate(levels):
        near = np.flatnonzero(np.isfinite(row))
        highest[:, x] = (u[:, near] + row[near]).min(axis=1)
    return highest


@dataclass(frozen=True, eq=False)
class SearchedRays:
    """A source that climbs from the columns in use and from others nearby."""

    classes: Classes
    levels: Floats
    rng: np.random.Generator

    def initial_columns(self) -> Columns:
        """Columns that can be weighted so that rows sum to 1, and that span.

        Among them the reports of Hadamard response at the least level, which keep any E, and
        those of Galois response, stretched as far as E allows.
        """
        k = len(self.levels)
        signs = scipy.linalg.hadamard(1 << k.bit_length())[1 : k + 1].T
        halves = 0.5 * float(self.levels[self.levels > 0].min()) * signs
        start = [complete_start(self.levels), halves, two_level_columns(self.levels)]
        return columns_of(np.concatenate(start), self.classes)

    def retained_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """Columns sent the most, and the constant one, with which some weights make a channel."""
        k = len(self.levels)
        informative = np.flatnonzero(np.ptp(weighted.columns.v, axis=1) > 0)
        ranked = informative[np.argsort(-weighted.w[informative], kind="stable")]
        ranked = ranked[weighted.w[ranked] > 1e-7]
        most = min(20 * k, max(640, 4 * k))
        while most < len(ranked) and self._loses(weighted, ranked[:most]):
            most *= 2
        ranked = ranked[:most]
        nothing = columns_of(np.zeros((1, k)), self.classes)
        return join_columns(weighted.columns.rows(ranked), nothing), np.append(
            weighted.w[ranked], 0.0
        )

    def _loses(self, weighted: WeightedColumns, kept: Ints) -> bool:
        """Whether these columns alone have much less information: a symbol may need the others."""
        w, rows = weighted.w[kept], weighted.columns.rows(kept)
        least = np.linalg.eigvalsh(Information.of(rows, w / w.sum(), self.classes).shared)[0]
        return bool(least < 0.5 * np.linalg.eigvalsh(weighted.information.shared)[0])

    @property
    def rounds(self) -> int:
        """Most rounds, fewer where symbols are many."""
        k = len(self.levels)
        return _ROUNDS_SMALL if k <= _SMALL else _ROUNDS if k < _LARGE_K else _ROUNDS_LARGE

    def improving_columns(self, weighted: WeightedColumns) -> tuple[Columns, Floats]:
        """The best columns that climbers reach, each once, and (N,) their excess."""
        k = len(self.levels)
        u = self._near(weighted)
        u -= u.max(axis=1, keepdims=True)
        worth = ColumnScore.of(weighted)
        v = clear_columns(climb(np.exp(u), self.levels, worth, self.rng), self.levels, worth)
        with np.errstate(divide="ignore"):
            columns = columns_of(np.log(v[_new(v, weighted.columns.v)]), self.classes)
        excess = excess_of(weighted, columns)
        best = np.argsort(-excess)[: min(8 * k, _NEW_COLUMNS_MAX)]
        return columns.rows(best), excess[best]

    def _near(self, weighted: WeightedColumns) -> Floats:
        """(N, k) logarithms of allowed columns that are a little or farther off those in use."""
        count = _CLIMBERS if len(self.levels) < _LARGE_K else _CLIMBERS_LARGE
        used = weighted.columns.v[weighted.w > 1e-7 * weighted.w.max()]
        with np.errstate(divide="ignore"):
            u = np.log(used[self.rng.integers(0, len(used), count)])
        own = self.levels[(self.levels > 0) & np.isfinite(self.levels)]
        sizes = np.array([0.3 * own.min(), 3.0 * own.min(), _AFAR * np.median(own)])
        size = sizes[np.arange(count) % len(sizes), None]
        return _allowed(u + size * self.rng.normal(size=u.shape), self.levels)
