"""The posterior of a share, given one noisy estimate and the share that its surroundings suggest.

Everything is in units of the noise's standard deviation: an estimate z, normal around the share u,
and an expected share e. Before the estimate is seen, u/e has a beta prime distribution of mean 1:
with a small shape most shares are far below what is expected and a few far above it, as numbers of
people in neighbouring cells are; with a large one all are close to it.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints, read_only


@dataclass(frozen=True)
class Shape:
    """How shares spread around what is expected: beta prime with `shape` a and `tail` b."""

    shape: float
    tail: float

    @property
    def prior_penalty(self) -> float:
        """Nats that speak against it beforehand: one for each factor of two from a = ½."""
        return float(abs(np.log2(self.shape / 0.5)))


SHAPES: Final = (
    *(Shape(shape, tail) for tail in (1.5, 6.0) for shape in (0.1, 0.25, 0.5, 1.0, 2.0)),
    *(Shape(shape, shape) for shape in (8.0, 32.0, 128.0)),
)
"""From nearly all shares 0 to shares that are all nearly as expected."""
LEVELS: Final = np.array([0.02, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.98])
"""Probabilities of the quantiles."""
UNSHRUNK_ABOVE: Final = 12.0
"""Estimates above it are not drawn towards what was expected."""
_STEP: Final = 0.125
"""Step of the grids in z and in the logarithm of e."""
_Z: Final = np.arange(-6.0, UNSHRUNK_ABOVE + _STEP / 2, _STEP)
_LOG_E: Final = np.arange(-7.0, 4.0, _STEP)
_EDGES: Final = np.concatenate(
    [
        np.geomspace(3e-4, 1.0, 60)[:-1],
        np.arange(1.0, UNSHRUNK_ABOVE + 6.0, _STEP),
        np.geomspace(18.0, 400, 30),
    ]
)
"""Upper edges of the grid in u: fine beside 0, then an eighth of the noise."""
_LOWEST: Final = -4.0
"""Estimates below it are taken for it: noise alone gives one in 30,000."""


def _prior(shape: Shape) -> Floats:
    """(e, u) probability that the share is in the cell of the grid below each u; rows sum to 1."""
    ratio = _EDGES * np.exp(-_LOG_E[:, None]) * shape.shape / (shape.tail - 1.0)
    below = scipy.special.betainc(shape.shape, shape.tail, ratio / (1.0 + ratio))
    below[:, -1] = 1.0
    return np.diff(below, axis=1, prepend=0.0)


def _likelihood() -> Floats:
    """(z, u) density of each estimate, but for a constant, if the share is in a cell u."""
    middle = _EDGES - 0.5 * np.diff(_EDGES, prepend=0.0)
    deviations = np.maximum(_Z, _LOWEST)[:, None] - middle
    return np.asarray(np.exp(-0.5 * deviations**2))


@lru_cache(maxsize=1)
def _log_evidence() -> Floats:
    """(shapes, e, z) logarithm of the density of an estimate, but for a constant."""
    law = _likelihood().T
    return read_only(np.log(np.stack([_prior(shape) @ law for shape in SHAPES]) + 1e-300))


@lru_cache(maxsize=len(SHAPES))
def _quantiles(shape: Shape) -> Floats:
    """(levels, e, z) quantiles of the share, once its estimate is seen."""
    law, edges = _likelihood(), np.concatenate([[0.0], _EDGES])
    each = np.arange(_Z.size)
    table = np.empty((LEVELS.size, _LOG_E.size, _Z.size), np.float32)
    for row, prior in enumerate(_prior(shape)):
        below = np.cumsum(law * prior, axis=1)
        below /= below[:, -1:]
        reached = np.concatenate([np.zeros((_Z.size, 1)), below], axis=1)
        # Row i between i and i + 1: one sorted list, in which all levels of all are looked up.
        places = np.searchsorted((below + each[:, None]).ravel(), LEVELS[:, None] + each)
        cell = np.clip(places - each * _EDGES.size, 0, _EDGES.size - 1)
        before, upto = reached[each, cell], reached[each, cell + 1]
        inside = (LEVELS[:, None] - before) / (upto - before)
        table[:, row] = edges[cell] + inside * (edges[cell + 1] - edges[cell])
    return read_only(table)


@dataclass(frozen=True, eq=False)
class GridEstimates:
    """(k,) estimates `z`, each as its `place` on the grid and the `fraction` of a step beyond it.

    `far`: symbols whose estimates are beyond `UNSHRUNK_ABOVE`.
    """

    z: Floats
    place: Ints
    fraction: Floats
    far: Ints

    @classmethod
    def of(cls, z: Floats) -> "GridEstimates":
        """The grid places of (k,) estimates `z`, over their standard deviations."""
        at = (np.clip(z, _Z[0], UNSHRUNK_ABOVE - 1e-9) - _Z[0]) / _STEP
        place = at.astype(np.int64)
        return cls(z, place, at - place, np.flatnonzero(z >= UNSHRUNK_ABOVE))


def grid_rows(expected: Floats) -> Ints:
    """(k,) rows of the grid for (k,) expected shares, in standard deviations."""
    at = (np.log(np.maximum(expected, np.exp(_LOG_E[0]))) - _LOG_E[0]) / _STEP
    return np.asarray(np.minimum(np.rint(at), _LOG_E.size - 1), np.int64)


def shape_scores(estimates: GridEstimates, rows: Ints) -> Floats:
    """(shapes,) fit of `SHAPES` to all estimates that are not far, in nats, but for a constant."""
    cells = rows * _Z.size + estimates.place + (estimates.fraction > 0.5)
    size = _LOG_E.size * _Z.size
    numbers = np.bincount(cells, minlength=size) - np.bincount(cells[estimates.far], minlength=size)
    surprise = np.array([shape.prior_penalty for shape in SHAPES])
    return np.asarray(_log_evidence().reshape(len(SHAPES), -1) @ numbers - surprise)


def quantile(estimates: GridEstimates, rows: Ints, shape: Shape, level: Ints) -> Floats:
    """(k,) quantiles of the shares, in standard deviations, each ≥ 0 and rising with its `level`.

    `level`: (k,) or one, places in `LEVELS`. Beyond `UNSHRUNK_ABOVE` the estimate counts as it is:
    its quantiles are those of the noise.
    """
    table = _quantiles(shape).ravel()
    first = (level * _LOG_E.size + rows) * _Z.size + estimates.place
    low = table[first]
    values = low + (table[first + 1] - low) * estimates.fraction
    noise = scipy.special.ndtri(LEVELS)[np.broadcast_to(level, rows.shape)[estimates.far]]
    values[estimates.far] = np.maximum(estimates.z[estimates.far] + noise, 0.0)
    return np.asarray(values)
