"""Coins that decide privacy: whole-number thresholds, never floating-point comparisons.

A coin is 1 with probability T/2^48, T a whole number rounded so that the realised ε never exceeds
the stated one; estimators debias with the same T/2^48. Other draws are by inversion, from a
distribution in rationals: of a uniform number u the first 64 bits mostly settle its place among the
steps; else (once in 2^64 draws a step) more bits are drawn until it is.

docs/derivations.md, “Coins and binomial draws”, has the derivation.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import check_whole
from caldp_core.basics.extras import scipy
from caldp_core.basics.powers import ceiling_of, floor_of
from caldp_core.basics.types import Bools, Floats, Ints, Reports, Seed, Words, WordSource

WORD_BITS: Final = 64
"""Bits of a random word, and of a word of packed bits."""
COIN_BITS: Final = 48
COIN_ONE: Final = 1 << COIN_BITS
SPARE_BITS: Final = WORD_BITS - COIN_BITS
"""Bits of a random word that the coin leaves free for other uses."""


def thresholds(rule: Callable[..., int], *columns: NDArray[Any]) -> Words:
    """rule(a, b, …) for the entries of each place of `columns`, computed once for equal entries.

    `columns`: arrays of one shape, of ε's and of whole numbers below 2^53; the result has their
    shape. `rule` is called with Python floats, and with ints where a column has whole numbers.
    """
    flat = [column.ravel() for column in columns]
    place = np.zeros(flat[0].size, np.int64)
    first = place[:1]
    for column in flat:  # a column at a time: unique rows of all at once take many times as long
        if (column == column[:1]).all():  # as of equal blocks
            continue
        values, own = np.unique(column, return_inverse=True)
        _, first, place = np.unique(
            place * values.size + own, return_index=True, return_inverse=True
        )
    whole = [rule(*(column[i].item() for column in flat)) for i in first.tolist()]
    return np.array(whole, dtype=np.uint64)[place].reshape(columns[0].shape)


def truth_threshold(epsilon: Floats, lies: Ints | None = None) -> Words:
    """T = ⌊2^48·e^ε/(e^ε + l)⌋ for each ε: the truth with probability T/2^48, else one of l lies.

    Rounding down makes l·p/(1 − p) ≤ e^ε for p = T/2^48. `epsilon`: any shape, in [0.001, 20];
    `lies`: l ≥ 1 of that shape, or 1 for all.
    """

    def rule(level: float, others: int) -> int:
        return floor_of(lambda power: COIN_ONE * power / (others + power), level)

    alone = np.ones(epsilon.shape, np.int64)
    return thresholds(rule, epsilon, alone if lies is None else lies)


def noise_threshold(sizes: Ints, epsilon: Floats) -> Words:
    """N = ⌈2^48·s/(s+e^ε−1)⌉: k-RR on s symbols sends a uniform one with probability N/2^48.

    Rounding up makes (1−λ+λ/s)/(λ/s) ≤ e^ε. `sizes`, `epsilon`: (m,); 0 where s = 0.
    """
    return uniform_threshold(sizes, np.ones_like(sizes), epsilon)


def uniform_threshold(sizes: Ints, omega: Ints, epsilon: Floats) -> Words:
    """N = ⌈2^48·s/(s + ω(e^ε − 1))⌉: a uniform one of C(s, ω) subsets with probability N/2^48.

    Rounding up makes (λ/C(s, ω) + (1 − λ)/C(s − 1, ω − 1))/(λ/C(s, ω)) ≤ e^ε. All (m,); 0 where
    s = 0.
    """

    def rule(size: int, subset: int, level: float) -> int:
        if not size:
            return 0
        least = ceiling_of(lambda power: COIN_ONE * size / (size + subset * (power - 1)), level)
        return min(least, COIN_ONE)

    return thresholds(rule, sizes, omega, epsilon)


def flip_coins(words: Words, threshold: Words) -> Bools:
    """(n,) True with probability threshold/2^48: looks at the top 48 bits of each word."""
    return np.asarray((words >> np.uint64(SPARE_BITS)) < threshold)


_CALDP: Final = int.from_bytes(b"caldp")
"""Stands before every seed, so that caldp draws other numbers than `default_rng` of that seed."""


def seed_sequence(seed: int, *purpose: int) -> np.random.SeedSequence:
    """All randomness that follows from a seed, to spawn from; `purpose` separates its uses.

    People often draw their data by `np.random.default_rng(seed)` and give caldp the same seed.
    Were both one stream, each person's noise would depend on their answer, and estimates would be
    wrong without a sign of it. `seed`: in [0, 2^63); `purpose`: whole numbers ≥ 0. `CaldpError`
    for a seed that is not such a number.
    """
    whole = check_whole("The seed", seed, 0, 2**63 - 1)
    # Two words of 32 bits for every seed: a large one is never read as a small one and a purpose.
    low, high = whole % 2**32, whole >> 32
    return np.random.SeedSequence([_CALDP, low, high, *purpose])


def generator(seed: Seed) -> np.random.Generator:
    """The generator of a simulation: `seed` itself if it is one, else by `seed_sequence`.

    `CaldpError` for a seed that is not a whole number in [0, 2^63).
    """
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(seed_sequence(seed))


def generators(seeds: np.random.SeedSequence, number: int) -> list[np.random.Generator]:
    """Independent generators, one by each of the first `number` children of `seeds`.

    The same at every call: `seeds` are not used up.
    """
    unused = np.random.SeedSequence(seeds.entropy, spawn_key=seeds.spawn_key)
    return [np.random.default_rng(child) for child in unused.spawn(number)]


def seeded_words(seed: Seed) -> WordSource:
    """Random words for a simulation that can be repeated."""
    rng = generator(seed)
    return lambda n: rng.integers(0, 2**64 - 1, size=n, dtype=np.uint64, endpoint=True)


def system_words(n: int) -> Words:
    """(n,) random words from the operating system: what a real client uses. It takes no seed."""
    return np.frombuffer(os.urandom(8 * n), dtype=np.uint64).copy()  # callers may redraw some


def uniform_below(bound: Words, words: WordSource) -> Words:
    """(n,) whole numbers, each exactly uniform on [0, bound_i); `bound`: (n,) ≥ 1."""
    drawn = words(bound.size)
    # 2^64 mod bound top values would favour small results: draw those again.
    top = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % bound + np.uint64(1)) % bound
    again = np.flatnonzero(drawn > top)
    while again.size:
        drawn[again] = words(again.size)
        again = again[drawn[again] > top[again]]
    return np.asarray(drawn % bound)


WORD: Final = 1 << WORD_BITS


@dataclass(frozen=True, eq=False)
class ExactInversion:
    """Draws i with probability steps[i] − steps[i−1] (steps[−1] = 0, and 1 after the last).

    `steps`: gives the non-decreasing rationals in [0, 1), the distribution function without its
    last 1; it is called for ties only. `floors`: (steps,) ⌊2^64·step⌋.
    """

    floors: Words
    steps: Callable[[], Sequence[Fraction]]

    @classmethod
    def of(cls, steps: Sequence[Fraction]) -> "ExactInversion":
        """Draws by a short list of steps."""
        floors = np.array([step * WORD // 1 for step in steps], dtype=np.uint64)
        return cls(floors, lambda: steps)

    def draw(self, n: int, words: WordSource) -> Ints:
        """(n,) places in [0, len(steps)]."""
        drawn = words(n)
        place = np.searchsorted(self.floors, drawn, side="left")
        if self.floors.size:
            last = self.floors.size - 1
            tied = (place <= last) & (self.floors[np.minimum(place, last)] == drawn)
            for i in np.flatnonzero(tied):
                place[i] = self._settle(int(drawn[i]), words)
        return place.astype(np.int64, copy=False)

    def _settle(self, known: int, words: WordSource) -> int:
        size, steps = WORD, self.steps()
        while True:
            low, high = Fraction(known, size), Fraction(known + 1, size)
            if not any(low < step < high for step in steps):
                return sum(step <= low for step in steps)
            known, size = known * WORD + int(words(1)[0]), size * WORD


_FIRST_BITS: Final = np.array([(1 << g) - 1 for g in range(WORD_BITS + 1)], dtype=np.uint64)
"""Masks that keep the lowest g bits of a word."""
_STIRLING_FROM: Final = 16.0
_USUAL: Final = 3.0
"""Standard scores beyond it, 27 in 10,000, are looked at one by one."""
_CHUNK: Final = 65_536
"""Draws at a time, so that they stay in the cache (measured)."""


def binomial_half(counts: Ints, rng: np.random.Generator, out: Ints | None = None) -> Ints:
    """Binomial(g, ½) for each g of `counts` (any shape, 0 ≤ g ≤ 10^12), independent.

    `out`: a contiguous array of the same shape to draw into, as elsewhere in NumPy.
    """
    flat = counts.reshape(-1)
    drawn = np.empty_like(flat) if out is None else out.reshape(-1)
    doubtful = []
    for start in range(0, flat.size, _CHUNK):
        part, out = flat[start : start + _CHUNK], drawn[start : start + _CHUNK]
        few = part <= WORD_BITS
        number = np.count_nonzero(few)
        if number == part.size:
            _few(part, rng, out)
        elif not number:
            doubtful.append(_propose(part, rng, out).after(start))
        else:
            small, larger = np.flatnonzero(few), np.flatnonzero(~few)
            out[small] = _few(part[small], rng, np.empty(small.size, np.int64))
            proposed = np.empty(larger.size, np.int64)
            doubtful.append(_propose(part[larger], rng, proposed).among(larger, start))
            out[larger] = proposed
    if doubtful:
        again = _rejected(flat, drawn, doubtful, rng)
        if again.size:
            drawn[again] = binomial_half(flat[again], rng)
    return drawn.reshape(counts.shape)


def _few(counts: Ints, rng: np.random.Generator, out: Ints) -> Ints:
    """Binomial(g, ½) for g ≤ 64 into `out`: ones among g random bits."""
    words = rng.integers(0, 2**64 - 1, size=counts.size, dtype=np.uint64, endpoint=True)
    words &= _FIRST_BITS.take(counts, mode="clip")
    out[:] = np.bitwise_count(words)
    return out


@dataclass(frozen=True, eq=False)
class _Doubtful:
    """Proposals that need a closer look: where they are, their scores, their 16 bits of doubt."""

    where: Ints
    z: Floats
    doubt: NDArray[np.uint16]

    def after(self, start: int) -> "_Doubtful":
        """These proposals in a longer array, in which their places begin at `start`."""
        return replace(self, where=self.where + start)

    def among(self, places: Ints, start: int) -> "_Doubtful":
        """These proposals in a longer array, in which they are at `start` + `places`."""
        return replace(self, where=places[self.where] + start)


def _propose(counts: Ints, rng: np.random.Generator, out: Ints) -> _Doubtful:
    """Proposals for g > 64 into `out`; nearly all are accepted as they are.

    The doubt, a uniform number, is known by its first 16 bits. They settle a draw whose score is
    usual, as r/M ≥ 1 − squeeze(3²)/g for it.
    """
    z = rng.standard_normal(counts.size)
    g = counts.astype(np.float64)
    drawn = np.sqrt(g)
    drawn *= z
    drawn += g
    drawn *= 0.5
    out[:] = np.rint(drawn, out=drawn)
    doubt = _sixteen_bits(counts.size, rng)
    passes = np.divide(-float(squeeze(_USUAL**2)) * 2.0**16, g, out=g)
    passes += 2.0**16 - 1.0  # all numbers that begin with these bits are below 1 − squeeze/g
    accepted = doubt < passes
    accepted &= np.abs(z, out=drawn) <= _USUAL
    rest = np.flatnonzero(~accepted)
    return _Doubtful(rest, z[rest], doubt[rest])


def _sixteen_bits(n: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    words = rng.integers(0, 2**64 - 1, size=-(-n // 4), dtype=np.uint64, endpoint=True)
    return words.view(np.uint16)[:n]


def _rejected(flat: Ints, drawn: Ints, doubtful: list[_Doubtful], rng: np.random.Generator) -> Ints:
    """Where to draw again: more bits of doubt are drawn and each draw's own bound looked at."""
    where = np.concatenate([each.where for each in doubtful])
    z = np.concatenate([each.z for each in doubtful])
    bits = np.concatenate([each.doubt for each in doubtful])
    doubt = (bits + rng.random(where.size)) / 2.0**16
    accepted = _decide(doubt, drawn[where].astype(np.float64), z, flat[where].astype(np.float64))
    return where[~accepted]


def _decide(doubt: Floats, drawn: Floats, z: Floats, g: Floats) -> Bools:
    """Accept if doubt < r/M: by the squeeze where it settles that, else by r itself."""
    bound = squeeze(z * z)
    np.subtract(g, bound, out=bound)
    accepted = doubt * g < bound
    close = np.flatnonzero(~accepted)
    if close.size:
        accepted[close] = doubt[close] < acceptance(drawn[close], g[close])
    return accepted


def squeeze(z2: Floats | float) -> Floats:
    """g·(1 − r/M) is at most this, for g > 64; `z2`: squared standard scores before rounding.

    Generous in the constants (rounding moves z by up to 1/√g ≤ 1/8), so that it is safe and
    still rarely asked: the test enumerates it.
    """
    return np.asarray(1.5 + z2 * (0.5 + 0.125 * z2))


def acceptance(drawn: Floats, g: Floats) -> Floats:
    """r(k)/M in [0, 1]: 0 outside [0, g]. `drawn`, `g`: (n,) floats holding whole numbers."""
    inside = (drawn >= 0) & (drawn <= g)
    k = np.where(inside, drawn, 0.0)
    k = np.minimum(k, g - k)  # by symmetry, the lower half: there ndtr keeps its relative accuracy
    half_width = 1.0 / np.sqrt(g)
    z = (2.0 * k - g) * half_width
    proposal = scipy.special.ndtr(z + half_width) - scipy.special.ndtr(z - half_width)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.exp(log_binomial_half(k, g)) / (proposal * (1.0 + 0.3 / g))
    return np.where(inside & (proposal > 0), ratio, 0.0)


def log_binomial_half(k: Floats, g: Floats) -> Floats:
    """log of C(g, k)/2^g by Loader's saddle-point form, accurate for g up to 10^12 and beyond."""
    rest = g - k
    d = (2.0 * k - g) / g
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(k > 0, (1.0 + d) * np.log1p(d), 0.0)
        down = np.where(rest > 0, (1.0 - d) * np.log1p(-d), 0.0)
    deviance = 0.5 * g * (up + down)
    some, others = np.maximum(k, 1.0), np.maximum(rest, 1.0)
    error = _stirling_error(g) - _stirling_error(some) - _stirling_error(others)
    edge = 0.5 * np.log(g / (2 * np.pi * some * others)) + error
    return np.asarray(np.where((k > 0) & (rest > 0), edge, 0.0) - deviance)


def _stirling_error(x: Floats) -> Floats:
    """log Γ(x+1) − [½log(2πx) + x log x − x]; the series is exact to 1e-16 from 16 on."""
    inverse = 1.0 / x
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    near = np.minimum(x, _STIRLING_FROM)
    direct = scipy.special.gammaln(near + 1) - (
        0.5 * np.log(2 * np.pi * near) + near * np.log(near) - near
    )
    return np.where(x < _STIRLING_FROM, direct, series)


_PEOPLE_CHUNK: Final = 1 << 20


def stream_tally(
    people: Ints, send: Callable[[Ints], Reports], add: Callable[[Reports], Ints]
) -> Ints:
    """Sum of `add(send(kinds))` over all people, in pieces.

    `people`: (kinds,) how many there are of each kind; `send`: (n,) kinds → (n,) reports;
    `add`: reports → (cells,) their tally.
    """
    total = add(send(np.zeros(0, np.int64)))
    for kinds in chunks(people, _PEOPLE_CHUNK):
        total = total + add(send(kinds))
    return total


def chunks(people: Ints, most: int) -> Iterator[Ints]:
    """Everybody's kind, sorted, in chunks of at most `most`."""
    ends = np.cumsum(people)
    n = int(ends[-1]) if ends.size else 0
    kinds = np.arange(people.size)
    for start in range(0, n, most):
        within = np.clip(ends, start, start + most)
        yield np.repeat(kinds, np.diff(within, prepend=start))
