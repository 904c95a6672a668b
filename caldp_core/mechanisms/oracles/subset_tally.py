"""How many random subsets include each symbol, drawn at a cost that does not depend on n.

Used by `subset_selection.py`. A uniform subset of a given size can be chosen symbol by symbol: who
still needs r of the remaining symbols takes the next of q with probability r/q (selection sampling;
Fan, Muller, Rezucha 1962; Knuth, TAOCP 2, Algorithm 3.4.2S). People with the same r are alike, so a
pool that counts them by r is enough, and one binomial per r tells how many take the symbol.

Who must include x has ω−1 others, of which a hypergeometric number a lies before x; given a, the
others before x and those behind it are independent uniform subsets. So these people enter a scan
upwards, behind x, with need ω−1−a, and a scan downwards, before x, with need a. Both scans pool
everybody, whatever their x, and go step by step together.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Floats, Ints

_DEVIATIONS = 12.0
_AT_LEAST = 30.0
"""Beyond 12 standard deviations + 30 a hypergeometric has less than e^−55 (Bernstein)."""
_CHUNK = 1 << 17
"""Probabilities in hand at a time, so that they stay in the cache."""
_STRIDE = 8
"""Symbols after which a scan looks again for the needs that somebody has."""


@dataclass(frozen=True, eq=False)
class _Group:
    """People who must include `symbol`: (blocks, width) by others before it, from `least` on."""

    symbol: int
    least: int
    people: NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class _Arrival:
    """People who enter a scan: (blocks, width) by need, from `least` on; `pool`: its rows."""

    pool: Ints
    least: int
    people: NDArray[np.integer]


def sample_supports(truths: Ints, uniform: Ints, omega: int, rng: np.random.Generator) -> Ints:
    """(blocks, s) how many subsets of ω symbols include each symbol; exact up to rounding in p.

    `truths`: (blocks, s) people whose subset must include that symbol and is uniform otherwise;
    `uniform`: (blocks,) people with a uniform subset.
    """
    blocks, size = truths.shape
    pool = np.zeros((2 * blocks, omega + 1), np.int64)
    up, down = pool[:blocks], pool[blocks:]
    up[:, omega] = uniform
    arrivals: list[list[_Arrival]] = [[] for _ in range(size)]
    for group in _groups(truths, omega, rng):
        most = group.least + group.people.shape[1] - 1
        behind = _Arrival(up, omega - 1 - most, group.people[:, ::-1])
        arrivals[group.symbol].append(behind)
        arrivals[size - 1 - group.symbol].append(_Arrival(down, group.least, group.people))
    counts = _scan(pool, arrivals, rng)
    return np.asarray(truths + counts[:blocks] + counts[blocks:, ::-1])


def _groups(truths: Ints, omega: int, rng: np.random.Generator) -> Iterator[_Group]:
    """The people of each symbol that somebody must include, by their others before it."""
    size, symbols = truths.shape[1], np.flatnonzero(truths.any(axis=0))
    step = max(1, _CHUNK // (2 * _reach(size, omega) + 1))
    for start in range(0, symbols.size, step):
        chunk = symbols[start : start + step]
        least, shares = numbers_before(chunk, size, omega)
        people = _multinomial(truths[:, chunk], shares, rng)
        some = np.asarray(people.any(axis=0))
        first, end = some.argmax(axis=1), some.shape[1] - some[:, ::-1].argmax(axis=1)
        for i, x in enumerate(chunk.tolist()):
            here = people[:, i, first[i] : end[i]]
            # As small as its numbers are, and a copy: a view would keep the whole chunk.
            small = here.astype(np.min_scalar_type(-1 - here.max()))
            yield _Group(x, int(least[i] + first[i]), small)


def _multinomial(people: Ints, shares: Floats, rng: np.random.Generator) -> Ints:
    """(blocks, x, width) people in each column; `people`: (blocks, x), `shares`: (x, width).

    Columns are drawn from the middle outwards, each given those before, until everybody is placed.
    """
    width = shares.shape[1]
    columns = np.argsort(np.abs(np.arange(width) - width // 2), kind="stable")
    # Summed from the small end: a difference from 1 would be all rounding there.
    rest = np.cumsum(shares[:, columns[::-1]], axis=1)[:, ::-1]
    chances = np.divide(shares[:, columns], rest, out=np.ones_like(rest), where=rest > 0)
    placed, waiting = np.zeros((*people.shape, width), np.int64), people
    for column, chance in zip(columns.tolist(), chances.T, strict=True):
        if not waiting.any():
            break
        placed[..., column] = rng.binomial(waiting, chance)
        waiting = waiting - placed[..., column]
    return placed


def _reach(size: int, omega: int) -> int:
    """Numbers of others before a symbol, either side of their mode, that ever come."""
    return min(int(_DEVIATIONS * 0.5 * (omega - 1) ** 0.5 + _AT_LEAST), omega - 1, size - 1)


def numbers_before(x: Ints, size: int, omega: int) -> tuple[Ints, Floats]:
    """(x,) least a and (x, width) probabilities of it and those after it, for symbols x of `size`.

    a is how many of ω−1 uniform symbols other than x are below x; one that cannot be (it may be
    below 0) has probability 0. Built from the mode, in the middle, outwards by ratios of
    neighbours, so that no logarithm of a factorial costs digits.
    """
    draws, others, reach = omega - 1, size - 1, _reach(size, omega)
    before, behind = x[:, None].astype(np.float64), (others - x)[:, None].astype(np.float64)
    modes = (draws + 1) * (x + 1) // (others + 2)
    modes = np.clip(modes, np.maximum(0, draws - others + x), np.minimum(x, draws))
    steps = np.arange(1.0, reach + 1.0)
    a = modes[:, None] + steps
    above = (before - a + 1.0) * (draws - a + 1.0) / (a * (behind - draws + a))
    a = modes[:, None] - steps
    below = (a + 1.0) * (behind - draws + a + 1.0) / ((before - a) * (draws - a))
    shares = np.hstack([
        np.cumprod(below, axis=1)[:, ::-1],
        np.ones((x.size, 1)),
        np.cumprod(above, axis=1),
    ])  # fmt: skip
    return modes - reach, shares / shares.sum(axis=1, keepdims=True)


def _scan(pool: Ints, arrivals: list[list[_Arrival]], rng: np.random.Generator) -> Ints:
    """(rows, s) people who take each symbol; `pool`: (rows, needs) people by need, is used up.

    `arrivals`: who comes in behind each symbol.
    """
    size, end = len(arrivals), pool.shape[1]
    counts = np.zeros((pool.shape[0], size), np.int64)
    needs = np.arange(end, dtype=np.float64)
    low, high = 1, end
    for symbol, arriving in enumerate(arrivals):
        if symbol % _STRIDE == 0:
            some = np.flatnonzero(pool[:, 1:].any(axis=0)) + 1
            low, high = (int(some[0]), int(some[-1]) + 1) if some.size else (end, 1)
        high = min(high, size - symbol + 1)  # nobody needs more symbols than remain
        if low < high:
            waiting = pool[:, low:high]
            take = rng.binomial(waiting, needs[low:high] / (size - symbol))
            counts[:, symbol] = take.sum(axis=1)
            waiting -= take
            pool[:, low - 1 : high - 1] += take
            low = max(1, low - 1)
        for group in arriving:
            stop = group.least + group.people.shape[1]
            group.pool[:, group.least : stop] += group.people
            low, high = min(low, max(1, group.least)), max(high, stop)
    return counts
