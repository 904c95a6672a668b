"""The cascade: what stands out is kept where it does, the rest is pooled to ever larger tiles.

Symbols that stand out from the noise keep their share; the others are pooled to tiles, those tiles
that stand out keep theirs, and so on; the last level shares what remains. It says where the data
bear which resolution. Averaged over shifted tiles (Coifman and Donoho 1995).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtr

from caldp_core.basics.arrays import sums_by
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.neighbours import Tree
from caldp_core.estimation.projection import block_thresholds
from caldp_core.estimation.tied import Tied

FALSE_SHARE: Final = 0.2
"""q: of what is kept on a level, the share that may be noise."""


@dataclass(frozen=True, eq=False)
class Cascade:
    """(k,) `shares` ≥ 0; (k,) `pooled`, the mean number of symbols that each shared evenly with.

    `stands_out`: (k,) symbols kept by themselves, of which `FALSE_SHARE` may be noise.
    """

    shares: Floats
    pooled: Floats
    stands_out: Bools


def discoveries(z: Floats, false_share: float = FALSE_SHARE) -> Bools:
    """(t,) which of t estimates stand out, each `z` standard deviations above 0.

    The rule of Benjamini and Hochberg (1995): of those named, `false_share` are noise on average at
    most, where noise is independent or positively dependent.
    """
    if not z.size:
        return np.zeros(0, np.bool_)
    tail = ndtr(-z)
    ordered = np.sort(tail[tail <= false_share])
    holds = np.flatnonzero(ordered <= false_share / z.size * np.arange(1, ordered.size + 1))
    return np.asarray(tail <= ordered[holds[-1]]) if holds.size else np.zeros(z.size, np.bool_)


def cascade(tied: Tied, trees: Sequence[Tree]) -> Cascade:
    """The mean over `trees`, the tiles of `domain.neighbours.trees`; without them nothing pools."""
    if not any(trees):
        trees = [(tied.blocks,)]
    deviation = tied.deviation(tied.variance, tied.blocks)
    exact = deviation <= 0.0
    alone = exact.copy()
    alone[~exact] = discoveries(tied.estimate[~exact] / deviation[~exact])
    runs = [_pool(tied, tree, alone) for tree in trees]
    shares = np.mean([each for each, _ in runs], axis=0)
    return Cascade(shares, np.mean([number for _, number in runs], axis=0), alone)


@dataclass(frozen=True, eq=False)
class _Level:
    """(t,) tiles: `parent` of what is below, and what tiles that are `kept` give each symbol."""

    parent: Ints
    kept: Bools
    each: Floats
    number: Floats


def _pool(tied: Tied, tree: Tree, alone: Bools) -> tuple[Floats, Floats]:
    """(k,) shares and numbers of symbols pooled, of one cut into tiles."""
    own = np.maximum(tied.estimate, 0.0)
    mass, variance, number = (
        np.where(alone, 0.0, part) for part in (tied.estimate, tied.variance, 1.0)
    )
    blocks, given = tied.blocks, tied.totals - _given(tied, tied.blocks, np.where(alone, own, 0.0))
    levels: list[_Level] = []
    for parent in tree:
        tiles = int(parent.max()) + 1
        mass, variance, number = (sums_by(parent, part, tiles) for part in (mass, variance, number))
        blocks = _of_tiles(parent, blocks, tiles)
        deviation = tied.deviation(variance, blocks)
        if parent is tree[-1]:
            mass = _remainder(mass, number, blocks, np.maximum(given, 0.0))
            kept = np.ones(mass.size, np.bool_)
        else:
            kept = _stand_out(mass, deviation, number)
        levels.append(_Level(parent, kept, mass / np.maximum(number, 1.0), number))
        given = given - _given(tied, blocks, np.where(kept, mass, 0.0))
        mass, variance, number = (np.where(kept, 0.0, part) for part in (mass, variance, number))
    each, pooled = _downwards(levels)
    return np.where(alone, own, each), np.where(alone, 1.0, pooled)


def _given(tied: Tied, blocks: Ints, mass: Floats) -> Floats:
    return sums_by(blocks, mass, tied.totals.size)


def _of_tiles(parent: Ints, below: Ints, tiles: int) -> Ints:
    """(tiles,) block of each, `below` being the blocks of its parts."""
    blocks = np.zeros(tiles, np.int64)
    blocks[parent] = below
    return blocks


def _stand_out(mass: Floats, deviation: Floats, number: Floats) -> Bools:
    """Among the tiles that still hold something; one that is known exactly stands out."""
    open_ = (number > 0) & (deviation > 0)
    kept = (number > 0) & (deviation <= 0)
    kept[open_] = discoveries(mass[open_] / deviation[open_])
    return np.asarray(kept & (mass > 0))


def _remainder(mass: Floats, number: Floats, blocks: Ints, left: Floats) -> Floats:
    """The nearest shares of the last tiles that sum to what is `left` of each block."""
    # A tile without open symbols lies below all thresholds of blocks that have some.
    shut = float(mass.min()) - float(left.max()) - 1.0
    mass = np.where(number > 0, mass, shut)
    return np.maximum(mass - block_thresholds(mass, blocks, left)[blocks], 0.0)


def _downwards(levels: Sequence[_Level]) -> tuple[Floats, Floats]:
    """What the tile of a symbol that was kept gives it."""
    each, pooled = levels[-1].each, levels[-1].number
    for above, level in zip(reversed(levels), reversed(levels[:-1]), strict=False):
        each = np.where(level.kept, level.each, each[above.parent])
        pooled = np.where(level.kept, level.number, pooled[above.parent])
    return each[levels[0].parent], pooled[levels[0].parent]
