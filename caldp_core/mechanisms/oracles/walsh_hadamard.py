"""The Walsh–Hadamard transform, and a stochastic version that draws a population's tally.

Room: used by the Hadamard family only. H is Sylvester's matrix: H(r, y) = (−1)^popcount(r & y).
"""

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.randomness.binomial import binomial_half


def fwht(values: Floats) -> Floats:
    """values @ H_S along the last axis; shape (…, S), S a power of two.

    Bit by bit like `stochastic_fwht` below: the row's highest bit goes, the output's bit comes in
    last, so that every slice is long. Dense products with H_256 are no quicker, and BLAS threads
    get in each other's way when several visits compute at once.
    """
    order = values.shape[-1]
    state = np.ascontiguousarray(values.reshape(-1, order).T)
    width = state.shape[1]
    for _ in range(order.bit_length() - 1):
        upper, lower = state.reshape(2, order // 2, width)
        after = np.empty((order // 2, 2, width))
        np.add(upper, lower, out=after[:, 0])
        np.subtract(upper, lower, out=after[:, 1])
        state = after
    return np.ascontiguousarray(state.reshape(order, width).T).reshape(values.shape)


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
    state, done = counts, 1
    while done < order:
        state = _exchange_bit(state.reshape(2, 2, order // 2, blocks), done, rng)
        done *= 2
    return np.asarray(state.reshape(2, order, blocks)[0])


def _exchange_bit(state: Ints, done: int, rng: np.random.Generator) -> Ints:
    """One round: state[t, b, (h, y…), block] → [t, (h, y…), new bit of y, block].

    b is the row's bit that is exchanged, h its bits still to come, and `done` the number of
    values of the y bits behind h: h = 0 is the first `done` entries.
    """
    _, _, half, blocks = state.shape
    after = np.empty((2, half, 2, blocks), dtype=np.int64)
    # h ≠ 0: later bits can still mend the parity, so this bit of y is a fair coin.
    more = state[:, :, done:]
    zero = binomial_half(more, rng)
    one = more - zero
    np.add(zero[:, 0], zero[:, 1], out=after[:, done:, 0])
    np.add(one[:, 0], one[::-1, 1], out=after[:, done:, 1])
    # h = 0, b = 1: the last chance to get the parity right, so the bit of y must be t.
    # h = 0, b = 0: the parity is right already (t = 0), and the bit is a fair coin.
    free = state[0, 0, :done]
    zero = binomial_half(free, rng)
    np.add(zero, state[0, 1, :done], out=after[0, :done, 0])
    np.add(free - zero, state[1, 1, :done], out=after[0, :done, 1])
    after[1, :done] = 0
    return after
