"""Tallies that have to be drawn report by report, a million people in memory at a time.

For families with no known cheaper way to draw a tally.
"""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from caldp_core.basics.types import Ints, Reports

_CHUNK: Final = 1 << 20


def stream_tally(
    people: Ints, send: Callable[[Ints], Reports], add: Callable[[Reports], Ints]
) -> Ints:
    """Sum of `add(send(kinds))` over all people, in pieces.

    `people`: (kinds,) how many there are of each kind; `send`: (n,) kinds → (n,) reports;
    `add`: reports → (cells,) their tally.
    """
    total = add(send(np.zeros(0, np.int64)))
    for kinds in chunks(people, _CHUNK):
        total = total + add(send(kinds))
    return total


def chunks(people: Ints, most: int) -> Iterator[Ints]:
    """Everybody's kind, sorted, at most so many at a time."""
    ends = np.cumsum(people)
    n = int(ends[-1]) if ends.size else 0
    kinds = np.arange(people.size)
    for start in range(0, n, most):
        within = np.clip(ends, start, start + most)
        yield np.repeat(kinds, np.diff(within, prepend=start))
