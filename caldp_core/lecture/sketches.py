"""Counting with little communication: count-mean sketch and its one-bit Hadamard form.

Source: Apple's Differential Privacy Team 2017, "Learning with privacy at scale". A phone picks one
of k public hash functions and reports, randomized, the one of m cells of its value: one bit a cell
(CMS, ε/2 a bit), or one entry of the cell's Hadamard row (HCMS, one bit with all of ε). Values that
share a cell are told apart by other functions; a random function sends two values to one cell with
probability 1/m, which the estimate takes out.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import (
    check_counts,
    check_epsilon,
    check_whole,
    require,
    require_exact,
)
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.oracles.hadamard import fwht
from caldp_core.mechanisms.randomness import COIN_ONE, truth_threshold
from caldp_core.privacy.context import Context


@dataclass(frozen=True, eq=False)
class Hashes:
    """(k, d) `cells` in [0, m): k public random functions of d values. Build it with `drawn`."""

    cells: Ints
    m: int

    @classmethod
    def random(cls, d: int, functions: int, m: int, rng: np.random.Generator) -> "Hashes":
        """Functions drawn at random, as SHA-256 with public keys would be. Raises `CaldpError`."""
        check_whole("d", d, 2, K_MAX)
        check_whole("functions", functions, 1, 1 << 16)
        check_whole("m", m, 2, 1 << 16)
        return cls(rng.integers(0, m, (functions, d)), m)

    @property
    def functions(self) -> int:
        """k, the number of functions."""
        return len(self.cells)

    def hits(self, rows: Ints) -> Ints:
        """(k, m) people in each cell; `rows`: (k, d) people by function and value."""
        result = np.zeros((self.functions, self.m), np.int64)
        np.add.at(result, (np.arange(self.functions)[:, None], self.cells), rows)
        return result

    def estimate(self, hits: Floats, n: int) -> Floats:
        """(d,) people by value: m/(m−1)·(Σ_j hits[j, h_j(x)] − n/m).

        Unbiased over the functions and the coins.
        """
        sums = np.take_along_axis(hits, self.cells, axis=1).sum(axis=0)
        return np.asarray((sums - n / self.m) * self.m / (self.m - 1))

    def assign_functions(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """(k, d) people by function and value; `counts`: (d,). Everybody picks one at random."""
        each = np.full(self.functions, 1 / self.functions)
        return np.asarray(rng.multinomial(counts, each).T)


def collision_variance(people: ArrayLike, functions: int, m: int) -> Floats:
    """(d,) variance of the estimates that comes from values sharing cells, over the functions.

    `people`: (d,). For each other value x, Σ_j N_jx²·(1/m)(1 − 1/m)·(m/(m−1))², and E N_jx² summed
    over the k functions is c_x²/k + c_x(1 − 1/k).
    """
    counts = np.asarray(people, dtype=np.float64)
    each = counts**2 / functions + counts * (1 - 1 / functions)
    return np.asarray((each.sum() - each) / (m - 1))


class CountMeanSketch:
    """A report: the number of the function and one bit for each of m cells.

    `kept`: probability that a bit is sent as it is, ε/2 a bit as two bits differ.
    """

    def __init__(self, hashes: Hashes, epsilon: float) -> None:
        self.hashes = hashes
        self.policy = Context.plain(hashes.cells.shape[1], float(check_epsilon(epsilon)))
        half = np.array([epsilon / 2 * (1 - 2.0**-48)])  # twice it may not round above ε
        self.kept = Fraction(int(truth_threshold(half)[0]), COIN_ONE)

    @property
    def bits(self) -> int:
        """Bits of a report."""
        return self.hashes.m + (self.hashes.functions - 1).bit_length()

    def sample_tally(self, people: ArrayLike, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """(k, m) sums of bits and (k,) people by function, at any n; `people`: (d,)."""
        counts = check_counts("people", people, self.policy.k)
        rows = self.hashes.assign_functions(counts, rng)
        hits, members = self.hashes.hits(rows), rows.sum(axis=1)
        p = float(self.kept)
        return rng.binomial(hits, p) + rng.binomial(members[:, None] - hits, 1 - p), members

    def estimate(self, tally: tuple[Ints, Ints]) -> Floats:
        """(d,) people by value; may be negative."""
        ones, members = tally
        p = float(self.kept)
        hits = (ones - (1 - p) * members[:, None]) / (2 * p - 1)
        return self.hashes.estimate(hits, int(members.sum()))

    def variance(self, people: ArrayLike) -> Floats:
        """(d,) exact variances over functions, their choice and coins; these people held fixed."""
        counts, m, p = np.asarray(people), self.hashes.m, float(self.kept)
        coins = counts.sum() * p * (1 - p) / (2 * p - 1) ** 2
        return np.asarray(
            collision_variance(counts, self.hashes.functions, m) + coins * (m / (m - 1)) ** 2
        )

    def exact_channel(self) -> list[list[Fraction]]:
        """d rows of k·2^m probabilities in rationals; `CaldpError` above the stated size."""
        k, m = self.hashes.functions, self.hashes.m
        require_exact(self.policy.k * k * 2**m, "use fewer cells or functions")
        lie = 1 - self.kept
        by_wrong = [self.kept ** (m - w) * lie**w / k for w in range(m + 1)]
        return [
            [
                by_wrong[(1 << cell ^ pattern).bit_count()]
                for cell in cells
                for pattern in range(1 << m)
            ]
            for cells in self.hashes.cells.T.tolist()
        ]


class HadamardSketch:
    """A report: the numbers of a function and of an entry of the cell's Hadamard row, one bit.

    m is a power of two. `kept`: probability that the bit is the entry, with all of ε.
    """

    def __init__(self, hashes: Hashes, epsilon: float) -> None:
        require(hashes.m.bit_count() == 1, f"m must be a power of two, got {hashes.m}.")
        self.hashes = hashes
        self.policy = Context.plain(hashes.cells.shape[1], float(check_epsilon(epsilon)))
        self.kept = Fraction(int(truth_threshold(np.array([epsilon]))[0]), COIN_ONE)

    @property
    def bits(self) -> int:
        """Bits of a report."""
        k, m = self.hashes.functions, self.hashes.m
        return 1 + (m - 1).bit_length() + (k - 1).bit_length()

    def sample_tally(self, people: ArrayLike, rng: np.random.Generator) -> tuple[Ints, int]:
        """(k, m) sums of reported signs by function and entry, and n, at any n."""
        counts = check_counts("people", people, self.policy.k)
        k, m = self.hashes.functions, self.hashes.m
        hits = self.hashes.hits(self.hashes.assign_functions(counts, rng))
        entries = rng.multinomial(hits, np.full(m, 1 / m))
        cell, entry = np.arange(m)[:, None], np.arange(m)
        odd = (np.bitwise_count(cell & entry) & 1).astype(np.bool_)
        sums = np.zeros((k, m), np.int64)
        for sign, these in ((1, ~odd), (-1, odd)):
            positive = (entries * these).sum(axis=1)
            sums += sign * (2 * rng.binomial(positive, float(self.kept)) - positive)
        return sums, int(counts.sum())

    def estimate(self, tally: tuple[Ints, int]) -> Floats:
        """(d,) people by value; may be negative."""
        sums, n = tally
        hits = fwht(sums.astype(np.float64)) / (2 * float(self.kept) - 1)
        return self.hashes.estimate(hits, n)

    def variance(self, people: ArrayLike) -> Floats:
        """(d,) exact variances over functions, choices and coins; these people held fixed.

        A report adds ±c to a value's hits: second moment c², mean 1 in its cell and else 0.
        """
        counts, m = np.asarray(people), self.hashes.m
        n = counts.sum()
        reports = n / (2 * float(self.kept) - 1) ** 2 - counts - (n - counts) / m
        shared = collision_variance(counts, self.hashes.functions, m)
        return np.asarray(shared + reports * (m / (m - 1)) ** 2)

    def exact_channel(self) -> list[list[Fraction]]:
        """d rows of k·m·2 probabilities in rationals; `CaldpError` above the stated size."""
        k, m = self.hashes.functions, self.hashes.m
        require_exact(self.policy.k * k * m * 2, "use fewer cells or functions")
        right, wrong = self.kept / (k * m), (1 - self.kept) / (k * m)
        return [
            [
                right if (cell & entry).bit_count() % 2 == sign else wrong
                for cell in cells
                for entry in range(m)
                for sign in (0, 1)
            ]
            for cells in self.hashes.cells.T.tolist()
        ]
