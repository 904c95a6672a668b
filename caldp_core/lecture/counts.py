"""Counts and winners: by a trusted curator, by noise on each phone, and by sketches.

docs/derivations.md, “Counts and winners of votes”, has the derivation.

Sketches: Apple's Differential Privacy Team 2017, "Learning with privacy at scale". A phone picks
one of k public hash functions and reports, randomized, the one of m cells of its value: one bit a
cell (CMS, ε/2 a bit), or one entry of the cell's Hadamard row (HCMS, one bit with all of ε). Values
that share a cell are separated by other functions; a random function sends two values to one cell
with probability 1/m, which the estimate takes out.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import (
    check_counts,
    check_epsilon,
    check_number,
    check_symbols,
    check_whole,
    require,
    require_exact,
)
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import EPSILON_MAX, K_MAX, N_MAX
from caldp_core.basics.powers import floor_of
from caldp_core.basics.types import Bools, Floats, Ints, Seed
from caldp_core.mechanisms import in_context
from caldp_core.mechanisms.direct.planar import GeometricAxis
from caldp_core.mechanisms.oracles.hadamard import fwht
from caldp_core.mechanisms.oracles.unary import UnaryOracles
from caldp_core.mechanisms.randomness import COIN_ONE, generator, truth_threshold
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix

_EPSILON_LEAST: Final = 1e-6


class GeometricNoise:
    """Two-sided geometric noise of scale 1/ε: the Laplace noise of whole numbers.

    `epsilon`: of one count, in [10^-6, 20]; an office shares its ε among many. `alpha`: e^−ε
    rounded up to a multiple of 2^-48, exact as a fraction.
    """

    def __init__(self, epsilon: float) -> None:
        self.epsilon = check_number("epsilon", epsilon, _EPSILON_LEAST, EPSILON_MAX)
        self.alpha = Fraction(GeometricAxis(1, self.epsilon).whole, COIN_ONE)
        self._a = float(self.alpha)
        self._stop = float(1 - self.alpha)

    def draw(self, shape: tuple[int, ...], rng: Seed) -> Ints:
        """Independent draws: the difference of two geometric numbers."""
        first, second = generator(rng).geometric(self._stop, (2, *shape))
        return np.asarray(first - second, dtype=np.int64)

    @property
    def variance(self) -> float:
        """2α/(1−α)²; for small ε nearly Laplace's 2/ε²."""
        return 2.0 * self._a / self._stop**2

    def cdf(self, t: Ints) -> Floats:
        """P(Z ≤ t) for whole numbers of any shape."""
        far = self._a ** np.abs(np.where(t >= 0, t + 1, t)).astype(np.float64) / (1.0 + self._a)
        return np.where(t >= 0, 1.0 - far, far)

    def sum_limits(self, draws: int, tails: Floats) -> Ints:
        """(m,) least whole numbers that a sum of independent draws is above with chances ≤ `tails`.

        The law of the sum by its characteristic function ((1 − α)²/|1 − αe^{it}|²)^draws.
        """
        reach = math.ceil(9 * math.sqrt(draws * self.variance) + 40 / self.epsilon) + 1
        circle = np.cos(2 * np.pi * np.arange(reach + 1) / (2 * reach))
        law = np.fft.irfft(
            (self._stop**2 / (1 - 2 * self._a * circle + self._a**2)) ** draws, 2 * reach
        )
        above = np.cumsum(law[reach:0:-1])[::-1]  # the chance of more than 0, 1, …
        return np.searchsorted(-above, -np.asarray(tails))


class CentralCount:
    """How many of n people say yes, published by a curator who knows every answer.

    Source: Dwork, McSherry, Nissim, Smith 2006, on whole numbers. A count moves by 1 when one
    person's answer changes. The published number is kept in [0, n].
    """

    def __init__(self, n: int, epsilon: float) -> None:
        self.n = check_whole("n", n, 1, N_MAX)
        self.noise = GeometricNoise(epsilon)

    def publish(self, yes: int, draws: int, rng: Seed) -> Ints:
        """(draws,) published counts, each with noise of its own."""
        count = check_whole("yes", yes, 0, self.n)
        return np.asarray(np.clip(count + self.noise.draw((draws,), rng), 0, self.n))

    def error_law(self, yes: int) -> tuple[Ints, Floats]:
        """(m,) errors of the published count, and (m,) their chances, down to e^−40."""
        reach = math.ceil(40.0 / self.noise.epsilon)
        errors = np.arange(-min(yes, reach), min(self.n - yes, reach) + 1)
        up_to = self.noise.cdf(errors)
        up_to[-1] = 1.0  # published numbers end at 0 and n
        return errors, np.diff(up_to, prepend=0.0)

    @property
    def policy(self) -> DenseMatrix:
        """(n+1, n+1) ε between counts that one person's answer tells apart, ∞ between others."""
        far = np.abs(np.subtract.outer(np.arange(self.n + 1), np.arange(self.n + 1)))
        return DenseMatrix.of(np.where(far == 1, self.noise.epsilon, np.where(far > 1, np.inf, 0)))

    def exact_channel(self) -> list[list[Fraction]]:
        """n+1 rows of n+1 probabilities in rationals: true count → published count."""
        return GeometricAxis(self.n + 1, self.noise.epsilon).exact_channel()


class NoisyMax:
    """Which of d items has most votes: noise on every count, then the largest (ties: the first).

    Source: "report noisy max", Dwork, Roth 2014, Claim 3.9, whose Lap(1/ε) is for one person more
    or less. A person who changes their vote takes one from an item and gives one to another, so
    here the noise is that of ε/2.
    """

    def __init__(self, d: int, epsilon: float) -> None:
        self.d = check_whole("d", d, 2, K_MAX)
        self.epsilon = float(check_epsilon(epsilon))
        self.noise = GeometricNoise(self.epsilon / 2)

    def choose(self, votes: Ints, draws: int, rng: Seed) -> Ints:
        """(draws,) chosen items; `votes`: (d,)."""
        return np.asarray(np.argmax(votes + self.noise.draw((draws, self.d), rng), axis=1))

    def chance(self, lead: Ints) -> Floats:
        """Probability of the true winner where all d − 1 rivals are `lead` votes behind, each.

        Any shape. Ties count for the rivals. Sums Pr(Z = r)·Pr(Z' < lead + r)^{d−1} over r, but
        for a rest below e^−40.
        """
        reach = math.ceil(40.0 / self.noise.epsilon)
        r = np.arange(-reach, reach + 1)
        mass = self.noise.cdf(r) - self.noise.cdf(r - 1)
        below = self.noise.cdf(np.asarray(lead)[..., None] + r - 1)
        return np.asarray((mass * below ** (self.d - 1)).sum(axis=-1))

    def exact_chances(self, votes: Sequence[int]) -> list[Fraction]:
        """Probability of each item, exact; for a few items, as 2^d terms are summed."""
        return [self._exact_chance(item, votes) for item in range(self.d)]

    def _exact_chance(self, item: int, votes: Sequence[int]) -> Fraction:
        """Probability that `item` is chosen: a sum over its own noise r, in three parts."""
        # With noise r it wins if every other's noise is at most lead + r. Of equal numbers the
        # first is chosen, so that over an item before it the lead is smaller by 1.
        leads = []
        for other, count in enumerate(votes):
            if other < item:
                leads.append(votes[item] - count - 1)
            elif other > item:
                leads.append(votes[item] - count)
        alpha = self.noise.alpha
        unit = (1 - alpha) / (1 + alpha)

        # From −end to end the terms are added up one by one.
        end = max(map(abs, leads)) + 1
        total = Fraction(0)
        for r in range(-end, end + 1):
            others_are_behind = math.prod(self._cdf(lead + r) for lead in leads)
            total += unit * alpha ** abs(r) * others_are_behind

        # Beyond, every factor is 1 − a·α^r (right) or a·α^−r (left): geometric series.
        tail = [alpha ** (lead + 1) / (1 + alpha) for lead in leads]
        for size in range(len(leads) + 1):
            ratio = alpha ** (size + 1)
            series = unit * ratio ** (end + 1) / (1 - ratio)
            for part in itertools.combinations(tail, size):
                total += (-1) ** size * math.prod(part) * series
        product = math.prod(alpha**-lead / (1 + alpha) for lead in leads)
        return Fraction(
            total + unit * product * alpha ** (self.d * (end + 1)) / (1 - alpha**self.d)
        )

    def _cdf(self, t: int) -> Fraction:
        """P(Z ≤ t) of the noise, exact."""
        alpha = self.noise.alpha
        if t >= 0:
            return 1 - alpha ** (t + 1) / (1 + alpha)
        return alpha**-t / (1 + alpha)

    def data_sets(self, n: int) -> list[tuple[int, ...]]:
        """Every way in which n people can vote: d counts that sum to n."""
        all_counts = itertools.product(range(n + 1), repeat=self.d)
        return [counts for counts in all_counts if sum(counts) == n]

    def policy(self, n: int) -> DenseMatrix:
        """ε between data sets of n people that differ in one vote, ∞ between others."""
        votes = np.array(self.data_sets(n))
        far = np.abs(votes[:, None] - votes).sum(axis=2)
        return DenseMatrix.of(np.where(far == 2, self.epsilon, np.where(far > 2, np.inf, 0.0)))

    def exact_channel(self, n: int) -> list[list[Fraction]]:
        """A row for each of `data_sets(n)`: the probability of each item, in rationals."""
        return [self.exact_chances(votes) for votes in self.data_sets(n)]


_NORMAL_FROM: Final = 1e4
"""Variance of the number of flipped bits from which it counts as normal."""


def half_width(errors: Floats | Ints, chances: Floats, level: float = 0.95) -> float:
    """Smallest w with P(|error| ≤ w) ≥ `level`; (m,) `errors` with their `chances`, sum 1."""
    sizes = np.abs(errors)
    order = np.argsort(sizes, kind="stable")
    enough = np.searchsorted(np.cumsum(chances[order]), level - 1e-12)
    return float(sizes[order[min(int(enough), order.size - 1)]])


def local_half_width(no: int, yes: int, flip: float) -> float:
    """The 95 % half-width of the estimated number of yes, in people.

    `no`, `yes`: people with each answer; `flip`: chance in [0, ½) that a bit is the other one.
    """
    slope = 1.0 - 2.0 * flip
    variance = (no + yes) * flip * (1.0 - flip)
    if variance > _NORMAL_FROM:
        return float(scipy.special.ndtri(0.975) * math.sqrt(variance) / slope)
    # People with no who send yes are gained, people with yes who send no are lost.
    gained, up = _flipped(no, flip)
    lost, down = _flipped(yes, flip)
    moved = gained[0] - lost[-1] + np.arange(gained.size + lost.size - 1)
    errors = (moved - flip * (no - yes)) / slope
    return half_width(errors, np.convolve(up, down[::-1]))


def _flipped(n: int, flip: float) -> tuple[Ints, Floats]:
    """Numbers of flipped bits that are likely at all, ascending, with their binomial chances."""
    reach = 12.0 * math.sqrt(n * flip * (1.0 - flip)) + 40.0
    few = max(0, math.floor(n * flip - reach))
    many = min(n, math.ceil(n * flip + reach))
    k = np.arange(few, many + 1)
    chances = scipy.stats.binom.pmf(k, n, flip)
    return k, chances / chances.sum()


EXACT_PEOPLE: Final = 1_000
"""Most voters whose chances are exact; with more, normals are off by 3 of 100 at ε = 3 at most."""


def even_votes(n: int, d: int, lead: int) -> Ints:
    """(d,) votes of n people: the last item leads the next by exactly `lead`, in [0, n].

    The others are as even as can be, by complementary items, so that every bit of theirs is, too;
    where that can't be with all people, one stays away.
    """
    each, rest = divmod(max(n - lead, 0), d)
    counts = np.full(d, each)
    counts[-1] += lead + (rest > 1)
    half = np.arange(1, d // 2)
    pairs = np.stack([half, d - 1 - half], axis=1).ravel()
    order = np.concatenate([[0], pairs, np.full(d % 2, d // 2)])
    counts[order[: max(rest - 1, 0)]] += 1
    return counts


def law_of_sum(ones: int, zeros: int, p: float, q: float) -> Floats:
    """(ones + zeros + 1,) the law of Binomial(ones, p) + Binomial(zeros, q); p, q in [0, 1]."""
    from_ones = np.asarray(scipy.stats.binom.pmf(np.arange(ones + 1), ones, p))
    from_zeros = np.asarray(scipy.stats.binom.pmf(np.arange(zeros + 1), zeros, q))
    return np.convolve(from_ones, from_zeros)


_NODES = np.linspace(-9.0, 9.0, 181)
"""Standard scores over which normals are summed; the rest is below 1e-18, the sum good to 1e-13."""


class BitwiseResponse:
    """Randomized response on each of the b = log₂ d bits of an item, with ε/b a bit.

    `d`: a power of two, 2 to 2^20. `truth`: probability that a bit is sent as it is, exact.
    """

    def __init__(self, d: int, epsilon: float) -> None:
        self.d = check_whole("d", d, 2, K_MAX)
        require(self.d.bit_count() == 1, f"d must be a power of two, got {d}.")
        self.bits = self.d.bit_length() - 1
        self.policy = Context.plain(d, float(check_epsilon(epsilon)))
        self.truth = Fraction(self._threshold(epsilon), COIN_ONE)

    def _threshold(self, epsilon: float) -> int:
        """⌊2^48·e^{ε/b}/(1 + e^{ε/b})⌋, from ε/b as a fraction: b times it is ε exactly."""
        part = Fraction(float(epsilon)) / self.bits
        return floor_of(lambda power: COIN_ONE * power / (1 + power), part)

    def bits_of(self, x: ArrayLike) -> Bools:
        """(n,) items → (n, b) bits, the highest first."""
        items = check_symbols("x", x, self.d)
        return np.asarray((items[:, None] >> np.arange(self.bits)[::-1]) & 1, dtype=np.bool_)

    def sample_tally(self, votes: ArrayLike, rng: Seed, draws: int = 1) -> Ints:
        """(draws, b) how many reports have each bit set; `votes`: (d,).

        Bits of one report are flipped independently, so each sum is two binomials, at any n.
        """
        people = check_counts("votes", votes, self.d)
        rng = generator(rng)
        ones = people @ self.bits_of(np.arange(self.d))
        p = float(self.truth)
        size = (draws, self.bits)
        from_ones = rng.binomial(ones, p, size)
        from_zeros = rng.binomial(people.sum() - ones, 1 - p, size)
        return np.asarray(from_ones + from_zeros)

    def winner(self, tally: Ints, n: int) -> Ints:
        """(draws, b) tallies of n reports → (draws,) items: each bit as most reports have it."""
        places = 1 << np.arange(self.bits)[::-1]
        return np.asarray((2 * tally > n) @ places)

    def chance(self, lead: ArrayLike, n: int) -> Floats:
        """Probability of the true winner of `even_votes(n, d, lead)`. Any shape.

        Every bit is right with a majority of `lead`, one by one; a tie is lost, as by the winner
        whose bits are all 1. Exact up to `EXACT_PEOPLE`, nearly normal beyond.
        """
        p = float(self.truth)
        if n <= EXACT_PEOPLE:
            return _chance_of_leads(lambda whole_lead: self._exact_chance(n, whole_lead), lead)
        # Of an odd number a majority of one is enough, of an even number it takes two.
        leads = np.asarray(lead, dtype=np.int64)
        even = (n - ((n - leads) % self.d == 1)) % 2 == 0
        ahead = leads * (2 * p - 1) - even
        z = ahead / (2 * math.sqrt(n * p * (1 - p)))
        return np.asarray(scipy.special.ndtr(z) ** self.bits)

    def _exact_chance(self, n: int, lead: int) -> float:
        """`chance` of one lead, by the exact law of each bit's sum."""
        votes = even_votes(n, self.d, lead)
        people = int(votes.sum())
        p = float(self.truth)
        right = 1.0
        # Bits with equally many ones have one law.
        kinds, bits = np.unique(votes @ self.bits_of(np.arange(self.d)), return_counts=True)
        for ones, times in zip(kinds.tolist(), bits.tolist(), strict=True):
            law = law_of_sum(ones, people - ones, p, 1 - p)
            right *= float(law[people // 2 + 1 :].sum()) ** times
        return right

    def exact_channel(self) -> list[list[Fraction]]:
        """d rows of d probabilities in rationals; `CaldpError` above the stated size."""
        require_exact(self.d**2, "use fewer items")
        lie = 1 - self.truth
        # All that counts is how many bits of the report differ from those of the item.
        chance_of_wrong = []
        for wrong in range(self.bits + 1):
            chance_of_wrong.append(self.truth ** (self.bits - wrong) * lie**wrong)
        channel = []
        for x in range(self.d):
            channel.append([chance_of_wrong[(x ^ y).bit_count()] for y in range(self.d)])
        return channel


class OneHotResponse:
    """The catalogue's RAPPOR in plain LDP: a bit for each of d items, ε/2 a bit, whatever d is.

    `mechanism`: what makes and counts the reports. `theta`: probability that the own bit is set,
    `stray`: that any other is.
    """

    def __init__(self, d: int, epsilon: float) -> None:
        self.d = check_whole("d", d, 2, K_MAX)
        self.mechanism = in_context(Context.plain(self.d, float(check_epsilon(epsilon))), "rappor")
        oracles = self.mechanism.oracles
        assert isinstance(oracles, UnaryOracles)
        self.theta, self.stray = float(oracles.theta[0]), float(oracles.d1[0])

    def sample_tally(self, votes: ArrayLike, rng: Seed, draws: int = 1) -> Ints:
        """(draws, d) how many reports have each bit set; `votes`: (d,). Two binomials a bit."""
        people, rng = check_counts("votes", votes, self.d), generator(rng)
        n, size = people.sum(), (draws, self.d)
        own = rng.binomial(people, self.theta, size)
        return np.asarray(own + rng.binomial(n - people, self.stray, size))

    def chance(self, lead: ArrayLike, n: int) -> Floats:
        """Probability of the true winner of `even_votes(n, d, lead)`; a tie is lost. Any shape.

        Sums of bits are independent of each other, given the votes: exact up to `EXACT_PEOPLE`,
        nearly normal beyond.
        """
        if n <= EXACT_PEOPLE:
            return _chance_of_leads(lambda whole_lead: self._exact_chance(n, whole_lead), lead)
        ahead = np.asarray(lead, dtype=np.float64)
        rival = (n - ahead) / self.d
        noise = n * self.stray * (1 - self.stray)
        more = self.theta * (1 - self.theta) - self.stray * (1 - self.stray)
        spread = np.sqrt(noise + rival * more)[..., None]
        own = np.sqrt(noise + (rival + ahead) * more)[..., None]
        # Sums are whole numbers: to be ahead is to be so by more than a half.
        margin = ahead[..., None] * (self.theta - self.stray) - 0.5
        z = (margin + own * _NODES) / spread
        weights = np.exp(-0.5 * _NODES**2) * (_NODES[1] - _NODES[0]) / math.sqrt(2 * math.pi)
        return np.asarray((weights * scipy.special.ndtr(z) ** (self.d - 1)).sum(axis=-1))

    def _exact_chance(self, n: int, lead: int) -> float:
        votes = even_votes(n, self.d, lead)
        own, people = int(votes[-1]), int(votes.sum())
        chance = law_of_sum(own, people - own, self.theta, self.stray)
        kinds, rivals = np.unique(votes[:-1], return_counts=True)
        for count, times in zip(kinds.tolist(), rivals.tolist(), strict=True):
            law = law_of_sum(count, people - count, self.theta, self.stray)
            chance *= np.concatenate([[0.0], np.cumsum(law)[:-1]]) ** times
        return float(chance.sum())


def _chance_of_leads(chance: Callable[[int], float], lead: ArrayLike) -> Floats:
    """The chance for each whole lead, in the shape of `lead`."""
    leads = np.asarray(lead, dtype=np.int64)
    chances = [chance(whole_lead) for whole_lead in leads.ravel().tolist()]
    return np.array(chances).reshape(leads.shape)


@dataclass(frozen=True, eq=False)
class Hashes:
    """(k, d) `cells` in [0, m): k public random functions of d values. Build it with `drawn`."""

    cells: Ints
    m: int

    @classmethod
    def random(cls, d: int, functions: int, m: int, rng: Seed) -> "Hashes":
        """Functions drawn at random, as SHA-256 with public keys would be. Raises `CaldpError`."""
        check_whole("d", d, 2, K_MAX)
        check_whole("functions", functions, 1, 1 << 16)
        check_whole("m", m, 2, 1 << 16)
        return cls(generator(rng).integers(0, m, (functions, d)), m)

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

    def assign_functions(self, counts: Ints, rng: Seed) -> Ints:
        """(k, d) people by function and value; `counts`: (d,). Everybody picks one at random."""
        even = np.full(self.functions, 1 / self.functions)
        return np.asarray(generator(rng).multinomial(counts, even).T)


def collision_variance(people: ArrayLike, functions: int, m: int) -> Floats:
    """(d,) variance of the estimates that comes from values sharing cells, over the functions.

    `people`: (d,). For each other value x, Σ_j N_jx²·(1/m)(1 − 1/m)·(m/(m−1))², and E N_jx² summed
    over the k functions is c_x²/k + c_x(1 − 1/k).
    """
    counts = np.asarray(people, dtype=np.float64)
    squares = counts**2 / functions + counts * (1 - 1 / functions)
    return np.asarray((squares.sum() - squares) / (m - 1))


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

    def sample_tally(self, people: ArrayLike, rng: Seed) -> tuple[Ints, Ints]:
        """(k, m) sums of bits and (k,) people by function, at any n; `people`: (d,)."""
        counts = check_counts("people", people, self.policy.k)
        rng = generator(rng)
        rows = self.hashes.assign_functions(counts, rng)
        hits = self.hashes.hits(rows)
        members = rows.sum(axis=1)
        p = float(self.kept)
        from_hits = rng.binomial(hits, p)
        from_others = rng.binomial(members[:, None] - hits, 1 - p)
        return from_hits + from_others, members

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
        # All that counts is how many of the m bits differ from those of the value's cell.
        lie = 1 - self.kept
        chance_of_wrong = [self.kept ** (m - wrong) * lie**wrong / k for wrong in range(m + 1)]
        channel = []
        for cells in self.hashes.cells.T.tolist():
            row = []
            for cell in cells:
                for pattern in range(1 << m):
                    row.append(chance_of_wrong[(1 << cell ^ pattern).bit_count()])
            channel.append(row)
        return channel


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

    def sample_tally(self, people: ArrayLike, rng: Seed) -> tuple[Ints, int]:
        """(k, m) sums of reported signs by function and entry, and n, at any n."""
        counts = check_counts("people", people, self.policy.k)
        rng = generator(rng)
        k, m = self.hashes.functions, self.hashes.m
        # (k, m, m) people by function, cell and the entry of its row that they pick.
        hits = self.hashes.hits(self.hashes.assign_functions(counts, rng))
        entries = rng.multinomial(hits, np.full(m, 1 / m))
        # The entry is −1 where cell and entry share an odd number of bits.
        odd = (np.bitwise_count(np.arange(m)[:, None] & np.arange(m)) & 1).astype(np.bool_)
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
        right = self.kept / (k * m)
        wrong = (1 - self.kept) / (k * m)
        channel = []
        for cells in self.hashes.cells.T.tolist():
            row = []
            for cell in cells:
                for entry in range(m):
                    # Sent is the sign of the entry, 1 for −1, or the other one.
                    if (cell & entry).bit_count() % 2 == 0:
                        row += [right, wrong]
                    else:
                        row += [wrong, right]
            channel.append(row)
        return channel
