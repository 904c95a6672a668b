"""The local hashing family in every context: Wang, Blocki, Li, Jha 2017 (OLH).

A person of a block with s hidden symbols draws h and sends it with h(x) ∈ [g] after k-RR on [g], g
≈ e^ε + 1; the report includes the symbols that h maps to the value sent. h(x) = ⌊g·f(x)/P⌋ for a
uniform polynomial f of degree ≤ 2 over GF(P), P the least prime ≥ s. One f goes through any three
points, so f(x) is uniform and values of three symbols are independent (Wegman & Carter 1981): two
symbols collide with probability c = Σ_v (n_v/P)² and three with Σ_v (n_v/P)³, n_v numbers being
mapped to v: not 1/g and 1/g², and these are what the estimator and its variances use. A block of
one symbol has P = 1. Base distribution: uniform h and value, with k-RR's λ = g/(g + e^ε − 1). No
smaller λ covers the hidden symbols, as f can map some of them to each value.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import require
from caldp_core.basics.limits import HASHES_MAX, K_MAX, N_MAX
from caldp_core.basics.types import Bools, Floats, Ints, Reports, Words, WordSource, counts_by
from caldp_core.mechanisms.capabilities import SupportForm
from caldp_core.mechanisms.oracles.supports import RecordReports, SupportProbabilities, number_law
from caldp_core.mechanisms.randomness import (
    COIN_ONE,
    flip_coins,
    noise_threshold,
    seeded_words,
    stream_tally,
    uniform_below,
)


@cache
def least_prime(size: int) -> int:
    """Least prime ≥ `size`; 1 for at most one symbol."""
    if size <= 1:
        return 1
    while any(size % d == 0 for d in range(2, int(size**0.5) + 1)):
        size += 1
    return size


def polynomial(coefficients: Ints, x: Ints, prime: Ints | int) -> Ints:
    """(n,) f(x) mod P; `coefficients`: (n, 3) c₀, c₁, c₂; P ≤ 2^21 keeps products below 2^63."""
    inner = (coefficients[:, 2] * x + coefficients[:, 1]) % prime
    return np.asarray((inner * x + coefficients[:, 0]) % prime)


def every_hash(prime: int) -> Ints:
    """(P³, 3) all coefficients, c₀ counting up first."""
    return np.stack(np.unravel_index(np.arange(prime**3), (prime,) * 3)[::-1], axis=1)


def count_hits(coefficients: Ints, value: Ints, prime: int, g: int, size: int) -> Ints:
    """(size,) for how many of the n pairs h(x) = value, for each x < size ≤ P.

    f is stepped from x to x + 1 by differences. Of unsigned z < 2P and z − P the smaller one is
    z mod P.
    """
    kind = np.uint16 if prime < 1 << 15 else np.uint32
    modulus = kind(prime)
    now, first, second = (coefficients[:, i] for i in range(3))
    step: NDArray[Any] = ((first + second) % prime).astype(kind)
    bend: NDArray[Any] = (2 * second % prime).astype(kind)
    # h(x) = v means ⌈vP/g⌉ ≤ f(x) < ⌈(v+1)P/g⌉.
    low = -(-value * prime // g)
    width = (-(-(value + 1) * prime // g) - low).astype(kind)
    here: NDArray[Any] = ((now - low) % prime).astype(kind)
    counts = np.empty(size, np.int64)
    for x in range(size):
        counts[x] = np.count_nonzero(here < width)
        here += step
        np.minimum(here, here - modulus, out=here)
        step += bend
        np.minimum(step, step - modulus, out=step)
    return counts


ChoiceOfRange: TypeAlias = Callable[[Ints, Ints, Floats], Ints]
"""(m,) hidden symbols per block, (m,) P and (m,) ε → (m,) numbers g of values of a hash."""
_WRITTEN_OUT_MAX: Final = 4096
"""Blocks with at most this many different reports draw how many people send each."""
_NUMBERS_MAX: Final = 1 << 23
"""Hashes times symbols times values up to which `number_law` goes through all: 0.1 s."""
_CHUNK: Final = 1 << 14
"""People at a time, so that their numbers stay in the cache."""
_WRONG: Final = (
    "reports must be hashes and values as this mechanism sends them; "
    "pass what privatize or client_report returned."
)


class LocalHashingOracles(RecordReports):
    """Local hashing of all blocks; `sizes`: (m,) hidden symbols per block, `epsilon`: (m,).

    `choose` gives (m,) g in [1, P], at least 2 where a block hides two or more.
    A report is a record of `source` (see `RecordReports`), `hash`, the coefficients of f from x⁰
    on, and `value`.
    """

    dtype: np.dtype[Any] = np.dtype([("source", "<i8"), ("hash", "<i8", (3,)), ("value", "<i8")])

    def __init__(self, sizes: Ints, epsilon: Floats, choose: ChoiceOfRange | None = None) -> None:
        self._prime = np.array([least_prime(int(s)) for s in sizes], np.int64)
        self._g = (choose or best_range)(sizes, self._prime, epsilon)
        small = bool((self._prime.astype(np.float64) ** 3 * self._g <= _WRITTEN_OUT_MAX).all())
        self.n_max = N_MAX if small else HASHES_MAX // int(sizes.max())
        noise = noise_threshold(np.where(sizes > 0, self._g, 0), epsilon)
        prob = support_probabilities(sizes, self._prime, self._g, noise / COIN_ONE)
        super().__init__(sizes, noise, prob)

    @property
    def settings(self) -> tuple[Ints, ...]:
        """P and g of every block."""
        return self._prime, self._g

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """See `HasDeviceNumbers`: polynomials over GF(`prime`), hashed to `g` values."""
        return {"prime": self._prime, "g": self._g}

    def privatize(self, rank: Ints, words: WordSource) -> Reports:
        """(n,) ranks → (n,) reports."""
        block = self._block[rank]
        reports = self.privatize_base(block, words)
        self._set_values(reports, rank, ~flip_coins(words(rank.size), self.cover_threshold[block]))
        return reports

    def _set_values(self, reports: Reports, rank: Ints, honest: Bools) -> None:
        """Put the own symbol's value into the reports of the `honest`: (n,) flags."""
        at = np.flatnonzero(honest)
        block = self._block[rank[at]]
        x = rank[at] - self._starts[block]
        number = polynomial(reports["hash"][at], x, self._prime[block])
        reports["value"][at] = number * self._g[block] // self._prime[block]

    def privatize_base(self, block: Ints, words: WordSource) -> Reports:
        """(n,) blocks → (n,) reports with uniform hash and value."""
        reports = self.blank_records(block)
        prime, g = self._prime[block].astype(np.uint64), self._g[block].astype(np.uint64)
        for degree in range(3):
            reports["hash"][:, degree] = uniform_below(prime, words)
        reports["value"] = uniform_below(g, words)
        return reports

    def columns_of(self, block: int) -> int:
        """P³·g: every hash with every value."""
        return int(self._prime[block]) ** 3 * int(self._g[block])

    def list_reports(self, block: int) -> Reports:
        """(P³·g,) hashes as `every_hash` gives them, each with the values 0 … g−1."""
        prime, g = int(self._prime[block]), int(self._g[block])
        reports = self.blank_records(np.full(prime**3 * g, block))
        reports["value"] = np.tile(np.arange(g), prime**3)
        reports["hash"] = np.repeat(every_hash(prime), g, axis=0)
        return reports

    def count_inclusions(self, reports: Reports, members: Ints, block: int) -> Ints:
        """(s_j,) how many of the `members` include each symbol; `CaldpError` on other numbers."""
        size, prime, g = (int(part[block]) for part in (self._sizes, self._prime, self._g))
        counts = np.zeros(size, np.int64)
        for first in range(0, members.size, _CHUNK):
            part = reports[members[first : first + _CHUNK]]
            numbers, value = part["hash"], part["value"]
            require(bool(((numbers >= 0) & (numbers < prime)).all()), _WRONG)
            require(bool(((value >= 0) & (value < g)).all()), _WRONG)
            counts += count_hits(numbers, value, prime, g, size)
        return counts

    def report_bits(self, clear: int) -> int:
        """Bits of the source's number, three coefficients and a value, at the widest block's."""
        numbers = [self._sizes.size + clear, *[int(self._prime.max())] * 3, int(self._g.max())]
        return max(1, sum((number - 1).bit_length() for number in numbers))

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """Small blocks: how many people send each report. Others: the reports themselves."""
        if self.n_max < N_MAX:
            words = seeded_words(rng)
            return np.asarray(
                stream_tally(counts, lambda rank: self.privatize(rank, words), self._cells_of)
                + stream_tally(base, lambda at: self.privatize_base(at, words), self._cells_of)
            )
        return super().sample_tally(counts, base, rng)

    def _sent(self, truths: Ints, noise: Ints, rng: np.random.Generator) -> Ints:
        included = np.zeros_like(truths)
        for block in np.flatnonzero(self._sizes).tolist():
            at = slice(int(self._starts[block]), int(self._starts[block] + self._sizes[block]))
            included[at] = self._sample_small(block, truths[at], int(noise[block]), rng)
        per_block = counts_by(self._block, truths, noise.size) + noise
        return np.concatenate([included, per_block])

    def _cells_of(self, reports: Reports) -> Ints:
        return self.tally(reports, 0)

    def _sample_small(self, block: int, truths: Ints, noise: int, rng: np.random.Generator) -> Ints:
        prime, g, size = (int(part[block]) for part in (self._prime, self._g, self._sizes))
        hashes = every_hash(prime)
        table = np.stack(
            [polynomial(hashes, np.full(prime**3, x), prime) * g // prime for x in range(size)]
        )
        every = np.arange(prime**3)
        reports = rng.multinomial(noise, np.full(g * prime**3, 1.0 / (g * prime**3)))
        reports = reports.reshape(prime**3, g)
        honest = rng.multinomial(truths, np.full(prime**3, 1.0 / prime**3))
        for x in range(size):
            reports[every, table[x]] += honest[x]
        return np.array([reports[every, values].sum() for values in table], np.int64)

    def number_law(self, block: int, p: Floats, block_p: Floats) -> Floats:
        """See `SupportOracles`: exact by all hashes of a small field.

        Else values are independent but for the P of P³ hashes that are constant: a wider law.
        """
        prime, g, size = (int(part[block]) for part in (self._prime, self._g, self._sizes))
        hidden, base, _ = (each[block] for each in self._shares(p, block_p))
        if prime**3 * size * g <= _NUMBERS_MAX:
            people = p[self._starts[block] : self._starts[block] + size]
            return self._law_by_hashes(block, people, self._share[block] * hidden + base)
        prob, constant = self.probabilities, float(prime) ** -2
        own = float(prob.own[block])
        other = float(prob.other[block] - constant * own) / (1.0 - constant)
        law = hidden * number_law(size, own, other) + base * number_law(size, 1 / g, 1 / g)
        everything = hidden * own + base / g
        law = (1.0 - constant) * law
        law[[0, size]] += constant * np.array([hidden + base - everything, everything])
        return np.asarray(law / law.sum())

    def _law_by_hashes(self, block: int, people: Floats, lies: float) -> Floats:
        prime, g, size = (int(part[block]) for part in (self._prime, self._g, self._sizes))
        hashes = every_hash(prime)
        numbers = [polynomial(hashes, np.full(prime**3, x), prime) for x in range(size)]
        table, law = np.stack(numbers, axis=1) * g // prime, np.zeros(size + 1)
        honest = (1.0 - self._share[block]) * people
        for value in range(g):
            hit = table == value
            law += np.bincount(hit.sum(axis=1), hit @ honest + lies / g, size + 1)
        return np.asarray(law / law.sum())

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """Numerators over 2^48·g·P³: a lie N, the truth g·(2^48 − N) more; base: uniform."""
        size, g = int(self._sizes[block]), int(self._g[block])
        every = self.list_reports(block)
        noise = int(self.cover_threshold[block])
        rows = [
            [noise + (g * (COIN_ONE - noise) if hit else 0) for hit in self._hits(every, block, x)]
            for x in range(size)
        ]
        rows.append([COIN_ONE] * every.size)
        return self.first_column(block), np.array(rows, dtype=object), COIN_ONE * every.size

    def _hits(self, reports: Reports, block: int, x: int) -> list[bool]:
        number = polynomial(reports["hash"], np.full(reports.size, x), int(self._prime[block]))
        hits: list[bool] = (
            number * self._g[block] // self._prime[block] == reports["value"]
        ).tolist()
        return hits

    def support_form(self, block: int) -> SupportForm:
        """Of all pairs of hash and value x sends λ, and 1 − λ of the P³ with h(x) for the value."""
        lie = Fraction(int(self.cover_threshold[block]), COIN_ONE)
        g = int(self._g[block])
        return SupportForm(lie + (1 - lie) * g, lie, Fraction(1, g))


def support_probabilities(sizes: Ints, prime: Ints, g: Ints, share: Floats) -> SupportProbabilities:
    """Probabilities of inclusion; `share`: (m,) λ. Hash values of three symbols are independent."""
    most = prime // g + (prime % g > 0)
    few = prime // g
    large = prime % g
    two = large * (most / prime) ** 2 + (g - large) * (few / prime) ** 2
    three = large * (most / prime) ** 3 + (g - large) * (few / prime) ** 3
    # A block of one symbol has no others; this makes a − r = 1 − λ.
    two = np.where(sizes > 1, two, 0.0)
    lie, honest = share / g, 1.0 - share
    return SupportProbabilities(
        own=honest + lie,
        other=honest * two + lie,
        base=1.0 / g,
        own_pair=(honest + lie) * two,
        other_pair=honest * three + lie * two,
        base_pair=two / g,
        gain=honest * (1.0 - two),
        clear=share * (1.0 / g - two),
    )


def best_range(sizes: Ints, prime: Ints, epsilon: Floats) -> Ints:
    """(m,) of the whole numbers next to e^ε + 1, at most P, the g with the least total variance."""
    least = np.clip(np.floor(np.exp(epsilon)).astype(np.int64) + 1, np.minimum(2, prime), prime)
    most = np.minimum(least + 1, prime)
    lower, upper = (
        support_probabilities(sizes, prime, g, g / (g + np.expm1(epsilon))) for g in (least, most)
    )
    return np.where(upper.total_square(sizes) < lower.total_square(sizes), most, least)


def same_range(sizes: Ints, prime: Ints, _: Floats, g: int) -> Ints:
    """(m,) g ≥ 2 values in every block, whatever ε; raises `CaldpError`.

    A block of s ≥ 2 hidden symbols needs g ≤ P; a lone one has one value.
    """
    several = prime[sizes > 1]
    require(
        bool((several >= g).all()),
        f"g must be at most the least prime that no block's sensitive values exceed, got "
        f"{g} where it is {int(several.min(initial=K_MAX))}; choose a smaller one.",
    )
    return np.where(sizes > 1, g, 1)
