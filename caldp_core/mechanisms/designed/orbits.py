"""The orbit of one column under permutations of twins: all members, random ones, cyclic shifts."""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.designed.moments import Classes

_DIGITS: Final = 12
"""Entries that agree in so many digits are one value."""


class Orbit:
    """`v`: (k,) a column. `size`: how many different ones twins make of it.

    `moving`: the symbols of each class in which v is not constant. `shifts`: how often all of those
    must be turned by one place to be back where they were.
    """

    def __init__(self, v: Floats, classes: Classes) -> None:
        self.v = v
        shared = np.flatnonzero(classes.sizes > 1)
        members = [np.flatnonzero(classes.labels == c) for c in shared]
        self.moving = [part for part in members if len(_values(v[part])[0]) > 1]
        self.size = math.prod(_multinomial(_values(v[part])[1]) for part in self.moving)
        self.shifts = math.lcm(*(len(part) for part in self.moving))

    def members(self) -> Floats:
        """(size, k) all columns of the orbit."""
        result = self.v[None]
        for part in self.moving:
            orders = np.array(list(_orders(*_values(self.v[part]))))
            result = np.repeat(result, len(orders), axis=0)
            result[:, part] = np.tile(orders, (len(result) // len(orders), 1))
        return result

    def random_member(self, rng: np.random.Generator) -> Floats:
        """(k,) a random column of the orbit."""
        v = self.v.copy()
        for part in self.moving:
            v[part] = rng.permutation(v[part])
        return v

    def cyclic_shifts(self, v: Floats) -> Floats:
        """(shifts, k) a column with all its moving classes turned at once."""
        turned = np.repeat(v[None], self.shifts, axis=0)
        for part in self.moving:
            places = (np.arange(len(part)) + np.arange(self.shifts)[:, None]) % len(part)
            turned[:, part] = v[part][places]
        return turned


def _values(entries: Floats) -> tuple[Floats, Ints]:
    """The different values and how often each occurs."""
    _, place, counts = np.unique(
        np.round(entries / entries.max(initial=1e-300), _DIGITS),
        return_index=True,
        return_counts=True,
    )
    return entries[place], counts


def _multinomial(counts: Ints) -> int:
    return math.factorial(int(counts.sum())) // math.prod(math.factorial(int(c)) for c in counts)


def _orders(values: Floats, counts: Ints) -> Iterator[Floats]:
    """Every different order of `values`, each as often as it counts."""
    total = int(counts.sum())
    if len(values) == 1:
        yield np.full(total, values[0])
        return
    for rest in _orders(values[1:], counts[1:]):
        for places in combinations(range(total), int(counts[0])):
            yield np.insert(rest, np.array(places) - np.arange(len(places)), values[0])
