"""Questions that are asked every day, of phones with memory: RAPPOR, and means by one bit a day.

docs/derivations.md, “Questions that are asked every day”, has the derivation.
"""

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics import errors
from caldp_core.basics.extras import scipy
from caldp_core.basics.powers import floor_of
from caldp_core.basics.types import Bools, Floats, Ints, Seed, Words, WordSource, read_only
from caldp_core.mechanisms.randomness import COIN_ONE, flip_coins, generator, truth_threshold
from caldp_core.privacy.context import Context

LEAST, MOST = Fraction(1, 4), Fraction(3, 4)
"""p and q of the daily response."""
_STEP: Final = 2.0**-9
"""Nats of a cell where sums of log-likelihoods are added up; see `guess_accuracy_of_laws`."""
Law = tuple[Floats, Floats]
"""Probabilities of the same observations, where a bit of the Bloom filter is set and where not."""


@dataclass(frozen=True)
class LastingRappor:
    """`bits`: k of the Bloom filter. `hashes`: h, bits that a value sets, at most. `epsilon`: ε∞.

    `keep_probability`: probability 1 − f/2 that a permanent bit is the Bloom filter's, rounded down
    to 2^-48, so that all reports ever sent of one value keep ε∞.
    """

    bits: int
    hashes: int
    epsilon: float

    def __post_init__(self) -> None:
        errors.check_whole("bits", self.bits, 1, 4096)
        errors.check_whole("hashes", self.hashes, 1, self.bits)
        errors.check_epsilon(self.epsilon)

    @property
    def keep_probability(self) -> Fraction:
        """1 − f/2 as rounded down, exact: a permanent bit is the Bloom filter's so often."""
        part = Fraction(float(self.epsilon)) / (2 * self.hashes)
        return Fraction(floor_of(lambda e: COIN_ONE * e / (1 + e), part), COIN_ONE)

    @property
    def sent_if_set(self) -> Fraction:
        """q*: a day's bit is 1 where the Bloom filter's is."""
        return self.keep_probability * MOST + (1 - self.keep_probability) * LEAST

    @property
    def sent_if_not(self) -> Fraction:
        """p*: a day's bit is 1 where the Bloom filter's is not."""
        return self.keep_probability * LEAST + (1 - self.keep_probability) * MOST

    @property
    def epsilon_one_day(self) -> float:
        """ε₁ = h·log(q*(1 − p*)/(p*(1 − q*))), Theorem 2: the loss of a single report."""
        q, p = self.sent_if_set, self.sent_if_not
        return self.hashes * math.log(q * (1 - p) / (p * (1 - q)))

    def bloom(self, value: str, cohort: int = 0) -> Bools:
        """(k,) bits that a value sets; phones of one cohort share their hash functions."""
        bits = np.zeros(self.bits, np.bool_)
        for i in range(self.hashes):
            text = f"{cohort}/{i}/{value}".encode()
            number = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
            bits[number % self.bits] = True
        return bits

    def permanent(self, bloom: Bools, words: WordSource) -> Bools:
        """(…, k) Bloom filters → (…, k) permanent bits, drawn anew: keep them (see `Phone`)."""
        return np.asarray(bloom == self._coins(bloom.shape, self.keep_probability, words))

    def daily(self, permanent: Bools, words: WordSource) -> Bools:
        """(…, k) permanent bits → (…, k) bits of a day's report."""
        # Both are drawn for every bit, so that as many words are used whatever the bits are.
        if_set = self._coins(permanent.shape, MOST, words)
        if_not = self._coins(permanent.shape, LEAST, words)
        return np.where(permanent, if_set, if_not)

    @staticmethod
    def _coins(shape: tuple[int, ...], chance: Fraction, words: WordSource) -> Bools:
        """Coins of a shape, each True with a chance that is a multiple of 2^-48."""
        size = math.prod(shape)
        threshold = np.full(size, int(chance * COIN_ONE), np.uint64)
        return flip_coins(words(size), threshold).reshape(shape)

    def exact_channel(self, blooms: ArrayLike, days: int) -> list[list[Fraction]]:
        """A row for each Bloom filter: probabilities of everything that is sent in `days` days.

        `blooms`: (values, k) bits. Columns go bit by bit, and in each bit day by day. Raises
        `CaldpError` above the stated size.
        """
        return self._channel(blooms, days, self._kept_bit)

    def redrawn_channel(self, blooms: ArrayLike, days: int) -> list[list[Fraction]]:
        """`exact_channel` of a naive phone, which draws the permanent response anew every day."""
        return self._channel(blooms, days, self._redrawn_bit)

    def _channel(
        self, blooms: ArrayLike, days: int, bit_law: Callable[[bool, int], list[Fraction]]
    ) -> list[list[Fraction]]:
        """The channel whose bits are independent; `bit_law(bit, days)`: the law of one of them."""
        filters = np.asarray(blooms, dtype=np.bool_)
        errors.require_exact(filters.shape[0] * 2 ** (self.bits * days), "use fewer bits or days")
        law_if_not = bit_law(False, days)
        law_if_set = bit_law(True, days)
        channel: list[list[Fraction]] = []
        for bloom in filters.tolist():
            laws = [law_if_set if bit else law_if_not for bit in bloom]
            channel.append([Fraction(math.prod(chances)) for chances in itertools.product(*laws)])
        return channel

    def _kept_bit(self, bit: bool, days: int) -> list[Fraction]:
        """Probabilities of the 2^days sequences of one bit of the Bloom filter."""
        # The permanent bit is drawn once; given it, days are independent.
        permanent_is_1 = self.keep_probability
        if not bit:
            permanent_is_1 = 1 - self.keep_probability
        law = []
        for path in itertools.product((0, 1), repeat=days):
            if_1 = _product(MOST, path)
            if_0 = _product(LEAST, path)
            law.append(permanent_is_1 * if_1 + (1 - permanent_is_1) * if_0)
        return law

    def _redrawn_bit(self, bit: bool, days: int) -> list[Fraction]:
        """The same where the permanent bit is drawn anew every day: all days are independent."""
        one = self.sent_if_not
        if bit:
            one = self.sent_if_set
        return [_product(one, path) for path in itertools.product((0, 1), repeat=days)]

    def law_memoised(self, days: int) -> Law:
        """(days+1,) law of how often a bit was sent, with one permanent response for all days."""
        often, rarely = _sent_count_laws(days, MOST, LEAST)
        keep = float(self.keep_probability)
        return keep * often + (1 - keep) * rarely, keep * rarely + (1 - keep) * often

    def law_redrawn(self, days: int) -> Law:
        """(days+1,) law of how often a bit was sent, with a new permanent response each day."""
        return _sent_count_laws(days, self.sent_if_set, self.sent_if_not)

    @property
    def law_of_permanent(self) -> Law:
        """The law of the permanent bit itself: what an attacker learns in infinitely many days."""
        keep = float(self.keep_probability)
        return np.array([1 - keep, keep]), np.array([keep, 1 - keep])

    def history_guess_accuracy(self, laws: Sequence[Law]) -> float:
        """Chance in [½, 1] that the best guess between two histories is right, from 50:50.

        `laws`: of a bit, for each value that the person had; two values share no bit. See
        `guess_accuracy_of_laws`.
        """
        laws_of_bits: list[Law] = []
        for law in laws:
            laws_of_bits += [law] * self.hashes
        return guess_accuracy_of_laws(laws_of_bits)


@lru_cache(maxsize=256)
def _sent_count_laws(days: int, if_set: Fraction, if_not: Fraction) -> Law:
    """(days+1,) laws of how often a bit is sent as 1, by each of two chances a day."""
    times = np.arange(days + 1)
    often = scipy.stats.binom.pmf(times, days, float(if_set))
    rarely = scipy.stats.binom.pmf(times, days, float(if_not))
    return read_only(often), read_only(rarely)


def _product(one: Fraction, path: Sequence[int]) -> Fraction:
    """Probability of a sequence of independent bits, each 1 with probability `one`."""
    return Fraction(math.prod(one if bit else 1 - one for bit in path))


def guess_accuracy_of_laws(laws: Sequence[Law]) -> float:
    """Chance in [½, 1] to tell A from B, a bit set under A and a bit set under B for each law.

    With L the log-likelihood ratio, it is E[1/(1 + e^−|L|)] (Bayes). L is a sum of independent
    terms; it is added up on a grid of 2^-9 nats, which moves the result by at most 2^-11 a law.
    """
    # The grid is a circle: it is long enough that no sum comes round to the other side.
    reach = sum(2 * float(np.abs(_ratio(law)).max()) for law in laws) + 1.0
    size = 1 << math.ceil(math.log2(2 * reach / _STEP + 2))
    # Laws of sums are convolutions, which are products of transforms.
    spectrum = np.ones(size // 2 + 1, np.complex128)
    for law, times in _counted(laws):
        ratio = np.rint(_ratio(law) / _STEP).astype(np.int64)
        for weights, sign in ((law[0], 1), (law[1], -1)):
            cells = np.bincount(sign * ratio % size, weights=weights, minlength=size)
            spectrum *= np.fft.rfft(cells) ** times
    chances = np.fft.irfft(spectrum, size)
    index = np.arange(size)
    nats = _STEP * np.minimum(index, size - index)
    return float((chances / (1.0 + np.exp(-nats))).sum())


def _counted(laws: Sequence[Law]) -> list[tuple[Law, int]]:
    """Each law with how often it is there: one transform does for all of them."""
    by_id = {id(law): law for law in laws}
    times = Counter(map(id, laws))
    return [(law, times[name]) for name, law in by_id.items()]


def _ratio(law: Law) -> Floats:
    """Log-likelihood ratio of each observation: a set bit against one that is not."""
    # Outcomes too rare for floats are left out.
    return np.log(np.maximum(law[0], 1e-300)) - np.log(np.maximum(law[1], 1e-300))


@dataclass
class Phone:
    """One phone: it draws the permanent response of a value once, and keeps it.

    `permanent_bits`: value → (k,) bits; the number of entries is how often ε∞ was spent.
    """

    mechanism: LastingRappor
    words: WordSource
    cohort: int = 0
    permanent_bits: dict[Hashable, Bools] = field(default_factory=dict)

    def report(self, value: str) -> Bools:
        """(k,) bits of a day's report on the value."""
        if value not in self.permanent_bits:
            bloom = self.mechanism.bloom(value, self.cohort)
            self.permanent_bits[value] = self.mechanism.permanent(bloom, self.words)
        return self.mechanism.daily(self.permanent_bits[value], self.words)


class RapporCollector:
    """Counts of candidate values from one report of each of n phones.

    `candidates`: values to look for. `cohorts`: groups of phones with hash functions of their own.
    Bits are attributed by least squares on the candidates' Bloom filters (the paper's Lasso is for
    more candidates than bits); unbiased where only candidates occur.
    """

    def __init__(self, mechanism: LastingRappor, candidates: Sequence[str], cohorts: int) -> None:
        self.mechanism = mechanism
        self.cohorts = errors.check_whole("cohorts", cohorts, 1, 1024)
        blooms = []
        for cohort in range(cohorts):
            blooms.append([mechanism.bloom(value, cohort) for value in candidates])
        self.blooms: Bools = np.array(blooms)
        # (cohorts·k, candidates): how much a person with a candidate adds to each expected sum.
        design = self.blooms.transpose(0, 2, 1).reshape(-1, len(candidates)) / cohorts
        errors.require(
            np.linalg.matrix_rank(design) == len(candidates),
            f"{cohorts} cohorts of {mechanism.bits} bits cannot tell {len(candidates)} candidates "
            "apart; use more cohorts or bits.",
        )
        self._solve: Floats = np.linalg.pinv(design).astype(np.float64)

    def sample_tally(self, people: ArrayLike, rng: Seed) -> tuple[Ints, Ints]:
        """(cohorts, k) sums of bits and (cohorts,) people; `people`: (candidates,). At any n.

        Given the values and the cohorts, bits are independent: each sum is two binomials.
        """
        counts = errors.check_counts("people", people, self.blooms.shape[1])
        rng = generator(rng)
        # Each person is in a cohort by chance; `have`: how many there have a bit set.
        spread = rng.multinomial(counts, np.full(self.cohorts, 1 / self.cohorts)).T
        members = spread.sum(axis=1)
        have = (spread[:, :, None] * self.blooms).sum(axis=1)
        from_set = rng.binomial(have, float(self.mechanism.sent_if_set))
        from_not = rng.binomial(members[:, None] - have, float(self.mechanism.sent_if_not))
        return from_set + from_not, members

    def estimate(self, tally: tuple[Ints, Ints]) -> Floats:
        """(candidates,) unbiased numbers of people; may be negative."""
        sums, members = tally
        if_set = float(self.mechanism.sent_if_set)
        if_not = float(self.mechanism.sent_if_not)
        # First how many have each bit set, by cohort, then which candidates explain that.
        have = (sums - if_not * members[:, None]) / (if_set - if_not)
        return np.asarray(self._solve @ have.ravel())

    def variance(self, people: ArrayLike) -> Floats:
        """(candidates,) exact variances of `estimate`; `people`: (candidates,) held fixed.

        A person in cohort c adds w_c·(S − p*)/(q* − p*) to n·estimate, w_c the cohort's weights.
        """
        counts = errors.check_counts("people", people, self.blooms.shape[1])
        if_set = float(self.mechanism.sent_if_set)
        if_not = float(self.mechanism.sent_if_not)
        of_coins = np.where(self.blooms, if_set * (1 - if_set), if_not * (1 - if_not))
        noise = of_coins / (if_set - if_not) ** 2
        weights = self._solve.reshape(-1, self.cohorts, self.mechanism.bits)
        from_coins = np.einsum("vcb,cxb->vx", weights**2, noise)
        signal = np.einsum("vcb,cxb->vcx", weights, self.blooms.astype(np.float64))
        square = (from_coins + (signal**2).sum(axis=1)) / self.cohorts
        return np.asarray((square - np.eye(counts.size)) @ counts)


class OneBitMean:
    """One bit about a whole number in [0, m]; `most`: m.

    `chances`: (m+1,) whole numbers C: x sends 1 with probability C/2^48. They lie between those of
    0 and m, whose ratio is e^ε at most, so every pair keeps ε; rounding them down moves the mean by
    less than m·2^-48·c.
    """

    def __init__(self, most: int, epsilon: float) -> None:
        self.most = errors.check_whole("most", most, 1, 1 << 20)
        self.policy = Context.plain(self.most + 1, float(errors.check_epsilon(epsilon)))
        self._high = int(truth_threshold(np.array([epsilon]))[0])
        low = COIN_ONE - self._high
        steps = [low + x * (self._high - low) // self.most for x in range(self.most + 1)]
        self.chances: Words = np.array(steps, np.uint64)

    def sample_ones(self, counts: ArrayLike, rng: Seed) -> int:
        """How many of all people send 1; `counts`: (m+1,) people with each number. At any n."""
        people = errors.check_counts("counts", counts, self.most + 1)
        return int(generator(rng).binomial(people, self.chances / COIN_ONE).sum())

    def estimate(self, ones: int, n: int) -> float:
        """The mean, unbiased; may leave [0, m]."""
        low = COIN_ONE - self._high
        return self.most * (ones / n * COIN_ONE - low) / (self._high - low)

    def variance(self, counts: ArrayLike) -> float:
        """Exact variance of `estimate` over the coins, these (m+1,) people held fixed."""
        people = errors.check_counts("counts", counts, self.most + 1)
        chance = self.chances / COIN_ONE
        slope = (2 * self._high - COIN_ONE) / COIN_ONE / self.most
        return float((people * chance * (1 - chance)).sum() / (people.sum() * slope) ** 2)

    def exact_channel(self) -> list[list[Fraction]]:
        """m+1 rows of 2 probabilities in rationals: of 0, and of 1."""
        ones = [Fraction(int(c), COIN_ONE) for c in self.chances]
        return [[1 - one, one] for one in ones]


def round_to_nearest(x: Ints, width: int) -> Ints:
    """The nearest multiple of `width`, halves up: always off by the same, up to half a bucket."""
    return (2 * x + width) // (2 * width) * width


def round_by_offset(x: Ints, offset: Ints, width: int) -> Ints:
    """α-point rounding: up where x mod s ≥ s − α; right on average over α uniform on [0, s)."""
    down = x // width * width
    return np.asarray(down + np.where(x - down + offset >= width, width, 0))


@dataclass(frozen=True)
class DailyMean:
    """`mean`: the one bit. `width`: s, a divisor of m: numbers are rounded to its multiples."""

    mean: OneBitMean
    width: int

    def __post_init__(self) -> None:
        errors.check_whole("width", self.width, 1, self.mean.most)
        errors.require(
            self.mean.most % self.width == 0,
            f"width must divide {self.mean.most}, got {self.width}.",
        )

    def exact_channel(self, days: Sequence[Sequence[int]]) -> list[list[Fraction]]:
        """A row for each sequence of numbers: probabilities of all 2^days sequences of bits."""
        return [self._row(sequence, self._remembered) for sequence in days]

    def forgetful_channel(self, days: Sequence[Sequence[int]]) -> list[list[Fraction]]:
        """`exact_channel` of a naive phone, which tosses a new coin every day."""
        return [self._row(sequence, self._forgetful) for sequence in days]

    def _row(
        self, sequence: Sequence[int], chance: Callable[[Sequence[int], Sequence[int]], Fraction]
    ) -> list[Fraction]:
        numbers, paths = np.array(sequence), itertools.product((0, 1), repeat=len(sequence))
        rounded = [
            round_by_offset(numbers, np.full(numbers.shape, offset), self.width).tolist()
            for offset in range(self.width)
        ]
        return [
            sum((chance(at, path) for at in rounded), Fraction(0)) / self.width for path in paths
        ]

    def _remembered(self, places: Sequence[int], path: Sequence[int]) -> Fraction:
        """Probability of the bits `path` at these multiples: each multiple has one bit."""
        bits = dict(zip(places, path, strict=True))
        if [bits[place] for place in places] != list(path):
            return Fraction(0)
        return self._forgetful(list(bits), list(bits.values()))

    def _forgetful(self, places: Sequence[int], path: Sequence[int]) -> Fraction:
        ones = (Fraction(int(self.mean.chances[place]), COIN_ONE) for place in places)
        pairs = zip(ones, path, strict=True)
        return math.prod((one if bit else 1 - one for one, bit in pairs), start=Fraction(1))


def coins_used(numbers: Ints, offset: Ints, width: int) -> Floats:
    """(n,) different multiples that (n, days) numbers of (n,) phones are rounded to."""
    places = np.sort(round_by_offset(numbers, offset[:, None], width), axis=1)
    return np.asarray(1.0 + (np.diff(places, axis=1) != 0).sum(axis=1))
