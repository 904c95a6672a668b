"""The cascade: what stands out is kept where it does, the rest is pooled to ever larger tiles.

Symbols that stand out from the noise keep their share; the others are pooled to tiles, those tiles
that stand out keep theirs, and so on; the last level shares what remains. It says where the data
bear which resolution. Averaged over shifted tiles (Coifman and Donoho 1995).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints, Levels, sums_by
from caldp_core.domain.partitions import Tree
from caldp_core.estimation.projection import TiedShares, block_thresholds

_ROUNDING: Final = 1e-9
T = TypeVar("T", np.float64, np.int64)


@dataclass(frozen=True, eq=False)
class Cascade:
    """(k,) `shares` ≥ 0, and how far each was pooled.

    `pool_sizes`: (k,) the mean number of symbols that each shared evenly with. `stands_out`: (k,)
    symbols kept by themselves, of which a share q may be noise. `levels`: (k,) 0 for these, j for
    symbols that the first cut pooled to its j-th tiles from below.
    """

    shares: Floats
    pool_sizes: Floats
    stands_out: Bools
    levels: Levels


def discoveries(z: Floats, false_share: float) -> Bools:
    """(t,) which of t estimates stand out, each `z` standard deviations above 0.

    The rule of Benjamini and Hochberg (1995): of those named, `false_share` are noise on average at
    most, where noise is independent or positively dependent.
    """
    if not z.size:
        return np.zeros(0, np.bool_)
    candidates = np.flatnonzero(
        z >= scipy.special.ndtri(1.0 - false_share) - _ROUNDING
    )  # no other estimate can stand out
    tail = scipy.special.ndtr(-z[candidates])
    ordered = np.sort(tail)
    passing = np.flatnonzero(ordered <= false_share / z.size * np.arange(1, ordered.size + 1))
    stands_out = np.zeros(z.size, np.bool_)
    if passing.size:
        stands_out[candidates[tail <= ordered[passing[-1]]]] = True
    return stands_out


def cascade(tied: TiedShares, trees: Sequence[Tree], false_share: float) -> Cascade:
    """The mean over `trees` of `domain.neighbours.tile_trees`; without them nothing pools.

    `false_share`: q, of what is kept on a level the share that may be noise, in (0, 0.5].
    """
    alone = _known_or_discovered(tied, false_share)
    kept, rest = _begin(tied, alone)
    runs = [_pool(tied, tree, rest, false_share) for tree in trees if tree]
    runs = runs or [_pool(tied, (tied.blocks,), rest, false_share)]
    each = np.mean([_downwards(levels, lambda level: level.each) for levels in runs], axis=0)
    number = np.mean([_downwards(levels, lambda level: level.number) for levels in runs], axis=0)
    height = np.where(alone, 0, _downwards(runs[0], lambda level: level.height)).astype(np.uint8)
    return Cascade(np.where(alone, kept, each), np.where(alone, 1.0, number), alone, height)


def _known_or_discovered(tied: TiedShares, false_share: float) -> Bools:
    """(k,) symbols that stand out by themselves, and those that are known exactly."""
    deviation = tied.deviations
    noisy = deviation > 0.0
    z = np.divide(tied.estimate, deviation, out=np.zeros(noisy.size), where=noisy)
    alone = ~noisy
    alone[noisy] = discoveries(z[noisy], false_share)
    return alone


@dataclass(frozen=True, eq=False)
class _Level:
    """One level of (t,) tiles. `kept`: (t,) tiles that stand out.

    `parent`: tile of each symbol, or of each tile of the level below. `each`: (t,) share that a
    kept tile gives each of its symbols. `number`: (t,) its symbols that no lower level kept.
    `height`: (t,) levels up to this one.
    """

    parent: Ints
    kept: Bools
    each: Floats
    number: Floats
    height: Ints


@dataclass(frozen=True, eq=False)
class _Unpooled:
    """The mass still to be pooled, of (t,) tiles in `blocks`; 0 where all of a tile was kept.

    `mass`, its `variance` and the `number` of symbols, each (t,); `left`: (m,) unassigned shares of
    the blocks.
    """

    mass: Floats
    variance: Floats
    number: Floats
    blocks: Ints
    left: Floats

    def in_tiles(self, parent: Ints) -> "_Unpooled":
        """The rest summed into parent tiles; `parent`: (t,) parent of each tile."""
        tiles = int(parent.max()) + 1
        mass, variance, number = (
            sums_by(parent, part, tiles) for part in (self.mass, self.variance, self.number)
        )
        blocks = np.zeros(tiles, np.int64)
        blocks[parent] = self.blocks
        return _Unpooled(mass, variance, number, blocks, self.left)

    def without(self, kept: Bools, tied: TiedShares) -> "_Unpooled":
        """The rest without the (t,) tiles that are `kept`."""
        mass, variance, number = (
            np.where(kept, 0.0, part) for part in (self.mass, self.variance, self.number)
        )
        left = self.left - sums_by(self.blocks, self.mass - mass, tied.totals.size)
        return _Unpooled(mass, variance, number, self.blocks, left)


def _begin(tied: TiedShares, alone: Bools) -> tuple[Floats, _Unpooled]:
    """(k,) shares of the symbols that are kept `alone`, and the others, which are to be pooled."""
    kept = np.where(alone, np.maximum(tied.estimate, 0.0), 0.0)
    mass, variance, number = (
        np.where(alone, 0.0, part) for part in (tied.estimate, tied.variance, 1.0)
    )
    left = tied.totals - sums_by(tied.blocks, kept, tied.totals.size)
    return kept, _Unpooled(mass, variance, number, tied.blocks, left)


def _pool(tied: TiedShares, tree: Tree, rest: _Unpooled, false_share: float) -> list[_Level]:
    """The levels of one cut into tiles, of which the last keeps all that is left of `rest`."""
    levels: list[_Level] = []
    for parent in tree:
        rest = rest.in_tiles(parent)
        if parent is tree[-1]:
            mass, kept = _remainder(rest), np.ones(rest.mass.size, np.bool_)
        else:
            mass, kept = rest.mass, _stand_out(rest, tied, false_share)
        each, height = mass / np.maximum(rest.number, 1.0), np.full(kept.size, len(levels) + 1)
        levels.append(_Level(parent, kept, each, rest.number, height))
        rest = rest.without(kept, tied)
    return levels


def _stand_out(rest: _Unpooled, tied: TiedShares, false_share: float) -> Bools:
    """Among the tiles that still hold something; one that is known exactly stands out."""
    deviation = tied.deviation(rest.variance, rest.blocks)
    open_ = (rest.number > 0) & (deviation > 0)
    kept = (rest.number > 0) & (deviation <= 0)
    kept[open_] = discoveries(rest.mass[open_] / deviation[open_], false_share)
    return np.asarray(kept & (rest.mass > 0))


def _remainder(rest: _Unpooled) -> Floats:
    """The nearest shares of the last tiles that sum to what is left of each block."""
    left = np.maximum(rest.left, 0.0)
    # A tile without open symbols lies below all thresholds of blocks that have some.
    shut = float(rest.mass.min()) - float(left.max()) - 1.0
    mass = np.where(rest.number > 0, rest.mass, shut)
    return np.maximum(mass - block_thresholds(mass, rest.blocks, left)[rest.blocks], 0.0)


def _downwards(levels: Sequence[_Level], of: Callable[[_Level], NDArray[T]]) -> NDArray[T]:
    """(k,) value of `of` for the tile that each symbol was kept in."""
    values, parent = of(levels[-1]), levels[-1].parent
    for level in reversed(levels[:-1]):
        values, parent = np.where(level.kept, of(level), values[parent]), level.parent
    return values[parent]
