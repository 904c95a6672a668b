"""How many people send each hyperplane when everybody sends a random one through their point.

Draws a population's tally for `galois.py` at a cost that ignores its size.
"""

from typing import Final

import numpy as np

from caldp_core.basics.types import Ints
from caldp_core.mechanisms.oracles.finite_field import product
from caldp_core.mechanisms.randomness.binomial import binomial_half

_BATCH: Final = 1 << 15
"""Counts that are split at once, where there are so few: for the sake of small spaces."""


def coins_of(m: int, d: int) -> int:
    """Binomial draws that `sample_hyperplanes` takes for one block: less than d·q^(d+1)."""
    q = 1 << m
    return sum(last * q ** (last + 1) * (q - 1) for last in range(1, d))


def sample_hyperplanes(people: Ints, m: int, d: int, rng: np.random.Generator) -> Ints:
    """(blocks, q^d) people per point → (blocks, reports), numbered as in `hyperplanes.py`.

    Exactly the law of reports that are drawn one by one.

    By the last digit of a normal that is not 0, which is 1: it is digit `last` with probability
    q^last·(q − 1)/(q^d − 1). Then y starts as x's digit there, and for each lower digit, from the
    highest down, a's digit is drawn for all people at once and x's is forgotten.
    """
    blocks, q = people.shape[0], 1 << m
    times = product(np.arange(q)[:, None], np.arange(q), m)
    stop = (q**d - 1) // (q - 1)
    tally, waiting = np.empty((q, stop, blocks), np.int64), people.T.reshape(-1)
    for last in reversed(range(d)):
        some = np.flatnonzero(waiting)
        people_here = np.zeros_like(waiting)
        share = q**last * (q - 1) / (q ** (last + 1) - 1)
        people_here[some] = rng.binomial(waiting[some], share) if last else waiting[some]
        waiting = waiting - people_here
        state = people_here.reshape(-1, q, q**last, 1, blocks).sum(axis=0)
        for _ in range(last):
            state = _exchange_digit(state, times, rng)
        tally[:, stop - q**last : stop] = state.reshape(q, -1, blocks)
        stop -= q**last
    return tally.reshape(-1, blocks).T


def _exchange_digit(state: Ints, times: Ints, rng: np.random.Generator) -> Ints:
    """One digit: state[y, (x's digit, lower digits), a's digits, block] → the same, one digit on.

    A person with x's digit v who draws a's digit c goes from y to y + c·v; `times`: (q, q) c·v.
    """
    q, rest, done, blocks = state.shape
    state = state.reshape(q, q, rest // q, done, blocks)
    after = np.zeros((q, q, rest // q, done, blocks), np.int64)
    drawn, now = np.arange(q)[:, None, None], np.arange(q)[:, None]
    step = int(np.clip(_BATCH // state.size, 1, q))
    for first in range(0, q, step):
        v = np.arange(first, min(first + step, q))
        parts = _spread(state[:, v], rng)
        after += parts[drawn, now ^ times[:, None, v], v - first].sum(axis=2)
    moved = after.transpose(1, 2, 3, 0, 4)
    return np.ascontiguousarray(moved).reshape(q, rest // q, done * q, blocks)


def _spread(counts: Ints, rng: np.random.Generator) -> Ints:
    """(q, …) counts → (q, q, …) parts of them, uniform multinomials: a fair coin for each bit."""
    parts = counts[None]
    while parts.shape[0] < counts.shape[0]:
        heads = binomial_half(parts, rng)
        parts = np.concatenate([heads, parts - heads])
    return parts
