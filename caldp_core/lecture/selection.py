"""Which item has most votes, locally: bit by bit, and one bit for each item.

Bit by bit, an item of d = 2^b is written in b bits and each is flipped by randomized response with
ε/b, for b reports about one person add up (CALDP Prop. 2). The winner is the pattern of the bits'
majorities, which need not be anybody's favourite. One bit for each item is the catalogue's RAPPOR:
a change of vote changes two bits, so each has ε/2, whatever d is. Up to `EXACT_PEOPLE` voters laws
of sums of reports are summed exactly, beyond as normals.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from caldp_core.basics.errors import (
    check_counts,
    check_epsilon,
    check_symbols,
    check_whole,
    require,
    require_exact,
)
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.powers import floor_of
from caldp_core.basics.types import Bools, Floats, Ints, WordSource
from caldp_core.mechanisms import in_context
from caldp_core.mechanisms.oracles.unary import UnaryOracles
from caldp_core.mechanisms.randomness.coins import COIN_ONE, flip_coins
from caldp_core.privacy.context import Context

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
    one, other = (
        np.asarray(scipy.stats.binom.pmf(np.arange(n + 1), n, chance))
        for n, chance in ((ones, p), (zeros, q))
    )
    return np.convolve(one, other)


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

    def privatize(self, x: ArrayLike, words: WordSource) -> Bools:
        """(n,) items → (n, b) reported bits."""
        bits = self.bits_of(x)
        threshold = np.full(bits.size, int(self.truth * COIN_ONE), np.uint64)
        truthful = flip_coins(words(bits.size), threshold).reshape(bits.shape)
        return np.asarray(bits == truthful)

    def sample_tally(self, votes: ArrayLike, rng: np.random.Generator, draws: int = 1) -> Ints:
        """(draws, b) how many reports have each bit set; `votes`: (d,). The law of `privatize`.

        Bits of one report are flipped independently, so each sum is two binomials, at any n.
        """
        people = check_counts("votes", votes, self.d)
        ones, n, p = people @ self.bits_of(np.arange(self.d)), people.sum(), float(self.truth)
        size = (draws, self.bits)
        return np.asarray(rng.binomial(ones, p, size) + rng.binomial(n - ones, 1 - p, size))

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
            return _each(lambda each: self._exact_chance(n, each), lead)
        # Of an odd number a majority of one is enough, of an even number it takes two.
        leads = np.asarray(lead, dtype=np.int64)
        even = (n - ((n - leads) % self.d == 1)) % 2 == 0
        ahead = leads * (2 * p - 1) - even
        z = ahead / (2 * math.sqrt(n * p * (1 - p)))
        return np.asarray(scipy.special.ndtr(z) ** self.bits)

    def _exact_chance(self, n: int, lead: int) -> float:
        votes, p = even_votes(n, self.d, lead), float(self.truth)
        people, right = int(votes.sum()), 1.0
        kinds, bits = np.unique(votes @ self.bits_of(np.arange(self.d)), return_counts=True)
        for ones, times in zip(kinds.tolist(), bits.tolist(), strict=True):
            law = law_of_sum(ones, people - ones, p, 1 - p)
            right *= float(law[people // 2 + 1 :].sum()) ** times
        return right

    def exact_channel(self) -> list[list[Fraction]]:
        """d rows of d probabilities in rationals; `CaldpError` above the stated size."""
        require_exact(self.d**2, "use fewer items")
        lie = 1 - self.truth
        wrong = [self.truth ** (self.bits - w) * lie**w for w in range(self.bits + 1)]
        return [[wrong[(x ^ y).bit_count()] for y in range(self.d)] for x in range(self.d)]


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

    def sample_tally(self, votes: ArrayLike, rng: np.random.Generator, draws: int = 1) -> Ints:
        """(draws, d) how many reports have each bit set; `votes`: (d,). Two binomials a bit."""
        people = check_counts("votes", votes, self.d)
        n, size = people.sum(), (draws, self.d)
        own, other = (
            rng.binomial(people, self.theta, size),
            rng.binomial(n - people, self.stray, size),
        )
        return np.asarray(own + other)

    def chance(self, lead: ArrayLike, n: int) -> Floats:
        """Probability of the true winner of `even_votes(n, d, lead)`; a tie is lost. Any shape.

        Sums of bits are independent of each other, given the votes: exact up to `EXACT_PEOPLE`,
        nearly normal beyond.
        """
        if n <= EXACT_PEOPLE:
            return _each(lambda each: self._exact_chance(n, each), lead)
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


def _each(chance: Callable[[int], float], lead: ArrayLike) -> Floats:
    """The chance for each whole lead, in the shape of `lead`."""
    leads = np.asarray(lead, dtype=np.int64)
    return np.array([chance(each) for each in leads.ravel().tolist()]).reshape(leads.shape)
