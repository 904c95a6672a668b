"""The Walsh–Hadamard transform, and a stochastic version that draws a population's tally.

Used by the Hadamard family only. H is Sylvester's matrix: H(r, y) = (−1)^popcount(r & y).
"""

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.randomness import binomial_half

_LONG_ROW = 4096
"""Few rows so long, and more of them as they get longer, go one by one: up to 4 times quicker."""


def fwht(values: Floats) -> Floats:
    """values @ H_S along the last axis; shape (…, S), S a power of two.

    Bit by bit like `stochastic_fwht` below: the row's highest bit goes, the output's bit comes in
    last, so that every slice is long. Dense products with H_256 are no quicker, and BLAS threads
    get in each other's way when several visits compute at once.
    """
    order = values.shape[-1]
    width = values.size // order
    if 1 < width <= order // _LONG_ROW:
        return np.array([fwht(row) for row in values.reshape(width, order)]).reshape(values.shape)
    turns = list(np.empty((2, order, width)))  # as below
    turns[0][...] = values.reshape(-1, order).T
    for _ in range(order.bit_length() - 1):
        upper, lower = turns[0].reshape(2, order // 2, width)
        after = turns[1].reshape(order // 2, 2, width)
        np.add(upper, lower, out=after[:, 0])
        np.subtract(upper, lower, out=after[:, 1])
        turns.reverse()
    return np.ascontiguousarray(turns[0].T).reshape(values.shape)


def stochastic_fwht(counts: Ints, rng: np.random.Generator) -> Ints:
    """Tally of users who each send y uniform on {y : popcount(r & y) odd} or its complement.

    `counts`: (2, S, B) int64 ≥ 0; counts[t, r, b] users of block b hold row r and send a y whose
    parity popcount(r & y) mod 2 is t; row 0 with t = 1 must be empty, as no y fits it.
    Returns (S, B) int64: how many users of block b sent y, with exactly the distribution
    that one-by-one reports have, in O(S log S) whatever the number of users.

    One bit of r is exchanged for the same bit of y per round, from the highest down. In memory
    the bits still to do come first and the report's bits last, so that every slice is contiguous
    and the result is in order.
    """
    _, order, blocks = counts.shape
    # Made once, as fresh arrays in every round cost as much as the draws (page faults).
    *turns, people, heads = np.empty((4, counts.size), np.int64)
    state, done = counts, 1
    while done < order:
        state = state.reshape(2, 2, order // 2, blocks)
        after = turns[0].reshape(2, order // 2, 2, blocks)
        # h ≠ 0: later bits can still mend the parity, so this bit of y is a fair coin.
        _toss(state[:, :, done:], after[:, done:], rng, people, heads)
        _settle(state[:, :, :done], after[:, :done], rng)
        state, done = after, 2 * done
        turns.reverse()
    return np.array(state.reshape(2, order, blocks)[0])


def _toss(state: Ints, after: Ints, rng: np.random.Generator, *spare: Ints) -> None:
    """One round where h ≠ 0: state[t, b, (h, y…), block] → after[t, (h, y…), new bit, block].

    b is the row's bit that is exchanged, h its bits still to come, and y… the bits of y behind it.
    `spare`: two arrays of at least the size of `state` for what lies between.
    """
    people, zero = (each[: state.size].reshape(state.shape) for each in spare)
    people[...] = state
    binomial_half(people, rng, zero)
    np.add(zero[:, 0], zero[:, 1], out=after[:, :, 0])
    one = np.subtract(people, zero, out=zero)
    np.add(one[:, 0], one[::-1, 1], out=after[:, :, 1])


def _settle(state: Ints, after: Ints, rng: np.random.Generator) -> None:
    """One round where h = 0: this bit is the last of its row that the parity can depend on.

    With b = 1 the bit of y must be t; with b = 0 the parity is right already (t = 0), and the bit
    is a fair coin.
    """
    free = state[0, 0]
    zero = binomial_half(free, rng)
    np.add(zero, state[0, 1], out=after[0, :, 0])
    np.add(free - zero, state[1, 1], out=after[0, :, 1])
    after[1] = 0
