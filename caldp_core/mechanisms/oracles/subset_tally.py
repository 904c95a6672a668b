"""How many random subsets include each symbol, drawn at a cost that does not depend on n.

Used by `subset_selection.py`. A uniform subset of a given size can be chosen symbol by symbol: who
still needs r of the remaining symbols takes the next of q with probability r/q (selection sampling;
Fan, Muller, Rezucha 1962; Knuth, TAOCP 2, Algorithm 3.4.2S). People with the same r are alike, so a
pool that counts them by r is enough, and one binomial per r tells how many take the symbol.

Who must include x has ω−1 others, of which a hypergeometric number a lies before x; given a, the
others before x and those behind it are independent uniform subsets. So these people enter one
scan upwards, behind x, with need ω−1−a, and one scan downwards, before x, with need a. Both
directions pool everybody, whatever their x.
"""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.types import Floats, Ints

_DEVIATIONS = 12.0
_AT_LEAST = 30.0
"""Beyond 12 standard deviations + 30 a hypergeometric has less than e^−55 (Bernstein)."""


@dataclass(frozen=True, eq=False)
class _Entry:
    """People who enter a scan: (blocks, width) of them, by needs from `least` on."""

    least: int
    people: Ints


def sample_supports(truths: Ints, uniform: Ints, omega: int, rng: np.random.Generator) -> Ints:
    """(blocks, s) how many subsets of ω symbols include each symbol; exact up to rounding in p.

    `truths`: (blocks, s) people whose subset must include that symbol and is uniform otherwise;
    `uniform`: (blocks,) people with a uniform subset.
    """
    blocks, size = truths.shape
    pool = np.zeros((blocks, omega + 1), np.int64)
    pool[:, omega] = uniform
    up, down = _split(truths, omega, rng)
    counts = truths + _scan(size, pool, up, rng)
    counts += _scan(size, np.zeros_like(pool), down[::-1], rng)[:, ::-1]
    return np.asarray(counts)


def _split(
    truths: Ints, omega: int, rng: np.random.Generator
) -> tuple[list[_Entry | None], list[_Entry | None]]:
    """For each symbol, who enters the scan upwards and who the one downwards from there."""
    up: list[_Entry | None] = []
    down: list[_Entry | None] = []
    for x in range(truths.shape[1]):
        if not truths[:, x].any():
            up.append(None)
            down.append(None)
            continue
        least, shares = numbers_before(x, truths.shape[1], omega)
        people = rng.multinomial(truths[:, x], shares)
        some = np.flatnonzero(people.any(axis=0))
        first, last = int(some[0]), int(some[-1])
        people = people[:, first : last + 1]
        up.append(_Entry(omega - 1 - least - last, people[:, ::-1]))
        down.append(_Entry(least + first, people))
    return up, down


def numbers_before(x: int, size: int, omega: int) -> tuple[int, Floats]:
    """Least a and the (width,) probabilities of it and those after it, for one x of `size`.

    a is how many of ω−1 uniform symbols other than x are below x. Built from the mode outwards
    by ratios of neighbours, so that no logarithm of a factorial costs digits.
    """
    draws, others = omega - 1, size - 1
    mode = (draws + 1) * (x + 1) // (others + 2)
    share = x / max(others, 1)
    reach = int(_DEVIATIONS * (draws * share * (1.0 - share)) ** 0.5 + _AT_LEAST)
    least = max(0, draws - (others - x), mode - reach)
    most = min(x, draws, mode + reach)
    mode = min(max(mode, least), most)
    a = np.arange(least, most, dtype=np.float64)
    ratio = (x - a) * (draws - a) / ((a + 1.0) * (others - x - draws + a + 1.0))
    at = mode - least
    above = np.cumprod(ratio[at:])
    below = np.cumprod(1.0 / ratio[:at][::-1])[::-1]
    shares = np.concatenate([below, [1.0], above])
    return least, shares / shares.sum()


def _scan(size: int, pool: Ints, entries: list[_Entry | None], rng: np.random.Generator) -> Ints:
    """(blocks, size) people who take each symbol; `pool`: (blocks, needs) is used up.

    `entries`: who comes in behind each symbol.
    """
    counts = np.zeros((pool.shape[0], size), np.int64)
    low, high = 1, pool.shape[1]
    for symbol in range(size):
        some = np.flatnonzero(pool[:, low:high].any(axis=0))
        low, high = (low + int(some[0]), low + int(some[-1]) + 1) if some.size else (1, 1)
        take = rng.binomial(pool[:, low:high], np.arange(low, high) / (size - symbol))
        counts[:, symbol] = take.sum(axis=1)
        pool[:, low:high] -= take
        pool[:, low - 1 : high - 1] += take
        entry = entries[symbol]
        if entry is not None:
            stop = entry.least + entry.people.shape[1]
            pool[:, entry.least : stop] += entry.people
            low, high = (
                (min(low, entry.least), max(high, stop)) if some.size else (entry.least, stop)
            )
        low = max(1, low - 1)
    return counts
