"""The personalised mechanism: what is sensitive differs from user to user (ULDP §5, PUM).

Some symbols are sensitive for everybody, others (home, work) only for the user whose place they
are. A user's own *pre-processor* replaces such a place by its tag ⊥_1 … ⊥_κ; then one common
mechanism for all runs on X ∪ tags with X_S ∪ tags sensitive. Tags are the symbols k … k+κ−1. So the
distribution of a report depends on x and on whose place x is only through the tag: two homes have
equal laws, and "x as my home" is within e^ε of "x, a place like any other". As in ULDP itself,
one thing is not protected: a report in the clear reveals that x is none of the user's own places.

The collector spreads each tag's share over a *background*, (κ, k) rows π_j that sum to 1: p̂(x) =
p̂_common(x) + Σ_j p̂(⊥_j)·π_j(x), unbiased if π_j is where the tag's people really are.

Runs, audits and forecasts draw people from a model, as a dataset has no homes: a person at a place
x outside of the common sensitive set is there as at their own place of tag j with probability h_j,
wherever x is. Whether the background says so decides the bias (`PersonalisedMechanism.bias`).
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import (
    check_counts,
    check_floats,
    check_symbols,
    check_whole,
    count_text,
    require,
)
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Bools, Floats, Ints, Reports, Seed, WordSource
from caldp_core.mechanisms import randomness
from caldp_core.mechanisms.base import EqualByMeaning, Family, Tally
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.privacy.context import PersonalPolicy

NO_PLACE: Final = -1
"""Stands in `own` for a tag that a user does not use."""


def uniform_background(tags: int, open_symbols: Bools) -> Floats:
    """(κ, k) rows that are uniform on the open symbols: the assumption if nothing is known."""
    return population_background(tags, np.ones(open_symbols.size), open_symbols)


def population_background(tags: int, population: ArrayLike, open_symbols: Bools) -> Floats:
    """(κ, k) rows proportional to a public population; `population`: (k,) weights ≥ 0.

    Raises `CaldpError` if no weight is left on the open symbols.
    """
    check_whole("tags", tags, 1, K_MAX)
    weights = np.asarray(population, dtype=np.float64)
    require(
        weights.shape == open_symbols.shape and bool((weights >= 0).all()),
        f"population must be {open_symbols.size} weights that are not negative.",
    )
    open_weights = np.where(open_symbols, weights, 0.0)
    total = float(open_weights.sum())
    require(
        0 < total < np.inf,
        "population must be positive at something not sensitive for everybody; leave more open.",
    )
    return np.tile(open_weights / total, (tags, 1))


@dataclass(frozen=True, eq=False)
class Bias:
    """Error from a wrong background.

    `per_symbol`: (k,) expected estimate − truth. `total_variation`: half its ℓ₁ norm.
    """

    per_symbol: Floats
    total_variation: float


class PersonalisedMechanism(EqualByMeaning):
    """One family as PUM, for people of the policy's model. See `Mechanism`.

    `name`, `family`: of the common mechanism, `common`. `estimate` is unbiased if the background is
    right, and has `expected_estimate` as its mean if not. A device that knows its owner's places
    sends the common mechanism's report of `add_tags`.
    """

    def __init__(self, policy: PersonalPolicy, name: str, family: Family) -> None:
        self.policy, self.k = policy, policy.k
        self.name = f"personalised {name}"
        # The number of tags is part of the name, as it is part of what a report means.
        title = f"{self.name} with κ = {policy.tags}"
        self.common = ContextMechanism(policy.with_tags(), title, family)
        self.outputs, self.n_max = self.common.outputs, self.common.n_max
        self.report_bits = self.common.report_bits

    def __repr__(self) -> str:
        return f"<{self.name}: {self.k:,} values>"

    @property
    def fingerprint(self) -> str:
        """The common mechanism's, as backgrounds change the estimate, not the reports."""
        return self.common.fingerprint

    def compared_values(self) -> tuple[Any, ...]:
        """What equal mechanisms share; the policy has the backgrounds."""
        return self.fingerprint, self.policy

    def add_tags(self, x: ArrayLike, own: ArrayLike) -> Ints:
        """(n,) symbols and (n, κ) own symbols → (n,) symbols of the common mechanism.

        `own`: user i's own symbol for each tag, or −1. Own symbols that are in X_S keep their name
        (ULDP takes the two sets apart; such a place is protected anyway), and a place that a user
        gives two tags counts for the first. Raises `CaldpError` for anything else.
        """
        symbols, places, tags = check_symbols("x", x, self.k), np.asarray(own), self.policy.tags
        require(
            places.shape == (symbols.size, tags) and places.dtype.kind in "iu",
            f"own must be {count_text(symbols.size, 'row', 'rows')} of {tags} whole numbers, "
            f"got shape {places.shape} of {places.dtype}.",
        )
        low, high = int(places.min(initial=0)), int(places.max(initial=0))
        require(
            low >= NO_PLACE and high < self.k,
            f"own must hold symbols in [0, {self.k - 1}], or −1 for none; it goes from {low} to "
            f"{high}.",
        )
        result = symbols.copy()
        is_open = ~self.policy.sensitive[symbols]
        for tag in reversed(range(tags)):
            result[is_open & (places[:, tag].astype(np.int64) == symbols)] = self.k + tag
        return result

    def privatize(self, x: ArrayLike, rng: Seed) -> Reports:
        """(n,) symbols → (n,) reports; who is at their own place is drawn, too."""
        symbols, rng = check_symbols("x", x, self.k), randomness.generator(rng)
        return self.common.privatize(self._tagged(symbols, randomness.seeded_words(rng)), rng)

    def client_report(self, x: int) -> Reports:
        """(1,) report of one person of the model, with the operating system's randomness."""
        symbols = check_symbols("x", [x], self.k)
        return self.common.client_report(int(self._tagged(symbols, randomness.system_words)[0]))

    def _tagged(self, symbols: Ints, words: WordSource) -> Ints:
        """(n,) symbols of X → (n,) symbols of X ∪ tags, each place somebody's own by chance."""
        ends = np.rint(np.cumsum(self.policy.shares) * randomness.COIN_ONE).astype(np.uint64)
        coin = words(symbols.size)
        tag = np.full(symbols.size, -1)
        for place, end in reversed(list(enumerate(ends))):
            tag[randomness.flip_coins(coin, end)] = place
        own = (tag >= 0) & ~self.policy.sensitive[symbols]
        return np.where(own, self.k + tag, symbols)

    def every_report(self) -> Reports:
        """(outputs,) all different reports in the order of the channel's columns."""
        return self.common.every_report()

    def tally(self, reports: Reports) -> Tally:
        """Sum (n,) reports; raises `CaldpError` on a report that this mechanism cannot send."""
        return self.common.tally(reports)

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        """Draw the tally of (k,) people per symbol; same law as `tally(privatize(x))`."""
        people, rng = check_counts("counts", counts, self.k), randomness.generator(rng)
        shares = self.policy.shares
        parts = rng.multinomial(people, [*shares, max(0.0, 1.0 - float(shares.sum()))])
        own = np.where(self.policy.sensitive[:, None], 0, parts[:, :-1])
        untagged = people - own.sum(axis=1)
        return self.common.sample_tally(np.concatenate([untagged, own.sum(axis=0)]), rng)

    def estimate(self, tally: Tally) -> Floats:
        """(k,) p̂_common(x) + Σ_j p̂(⊥_j)·π_j(x): each tag's share spread over its background."""
        return self._spread(self.common.estimate(tally))

    def expected_estimate(self, p: Floats) -> Floats:
        """(k,) exact expectation of `estimate` when people come from p: (k,) shares."""
        return self._spread(self.shares_with_tags(p))

    def _spread(self, shares: Floats) -> Floats:
        return np.asarray(shares[: self.k] + shares[self.k :] @ self.policy.background)

    def shares_with_tags(self, p: Floats) -> Floats:
        """(k,) shares of places → (k + κ,) shares after the devices put in tags."""
        open_p = np.where(self.policy.sensitive, 0.0, p)
        tags = self.policy.shares * open_p.sum()
        return np.concatenate([p - self.policy.shares.sum() * open_p, tags])

    def without_tags(self, chances: Floats, p: Floats) -> Floats:
        """(k + κ,) chances of places and tags → (k,) of places when people come from p: (k,).

        Own places are spread as the people of p at open places are, whatever the background says.
        """
        open_p = np.where(self.policy.sensitive, 0.0, p)
        tagged = float(chances[self.k :].sum())
        spread = open_p * (tagged / total) if (total := float(open_p.sum())) else open_p
        return np.asarray(chances[: self.k] + spread)

    def mean_over_tags(self, values: Floats) -> Floats:
        """(k + κ,) values → (k,) means over what the model's devices put in for each place."""
        places, shares = values[: self.k], self.policy.shares
        mixed = (1.0 - shares.sum()) * places + shares @ values[self.k :]
        return np.where(self.policy.sensitive, places, mixed)

    def bias(self, p: Floats) -> Bias:
        """Error from the policy's background when people come from p: (k,) shares.

        Σ_j p(⊥_j)·(assumed_j − true_j): no number of people makes it smaller. Own places are spread
        as the people at open places are. The total variation is at most Σ_j p(⊥_j)·TV(assumed_j,
        true_j).
        """
        true = population_background(self.policy.tags, p, ~self.policy.sensitive)
        per_symbol = self.shares_with_tags(p)[self.k :] @ (self.policy.background - true)
        return Bias(per_symbol, 0.5 * float(np.abs(per_symbol).sum()))

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people come from p: (k,) shares.

        For an open symbol x, Var(p̂_x) + 2Σ_j π_j(x)·Cov(p̂_x, t̂_j) + π(x)ᵀCov(t̂)π(x), where a
        report in the clear that counts for x adds offset_j to n·t̂_j, the tags being hidden and
        x not: n·Cov(p̂_x, t̂_j) = p_x·(offset_j − t_j). π(x) = 0 for the others.
        """
        shares, rows = self.shares_with_tags(check_floats("p", p, self.k)), self.policy.background
        result = self.common.variance(shares, n)[: self.k]
        tag_shares, places = shares[self.k :], shares[: self.k]
        units = [self._unit(tag) for tag in range(self.policy.tags)]
        offsets = np.array([self.common.oracles.offset(unit)[0] for unit in units])
        crossed = places * ((offsets - tag_shares) @ rows) / n
        within = np.einsum("ix,ij,jx->x", rows, self._tag_covariance(shares, n), rows)
        # Where all of it cancels, rounding may leave a little less than nothing.
        return np.asarray(np.maximum(result + 2.0 * crossed + within, 0.0))

    def _unit(self, tag: int) -> Floats:
        """(s,) weights of the hidden symbols, of which the tag's is 1."""
        return np.asarray(self.common.hidden_symbols == self.k + tag, np.float64)

    def _tag_covariance(self, shares: Floats, n: int) -> Floats:
        """(κ, κ) Cov(t̂_i, t̂_j), by polarisation: Var(a + b) = Var(a) + 2·Cov(a, b) + Var(b)."""
        common = self.common
        p, total = shares[common.hidden_symbols], np.array([shares.sum()])
        named = float(shares[common.clear_symbols].sum()) * float(common.clear_share[0])

        def variance(weights: Floats) -> float:
            """`sum_variance` of the common mechanism, where all other symbols have weight 0."""
            square = named * float(self.common.oracles.offset(weights)[0]) ** 2
            square += common.oracles.second_moment(weights, p, total)
            return max((square - float(weights @ p) ** 2) / n, 0.0)

        units = [self._unit(tag) for tag in range(self.policy.tags)]
        covariance = np.diag([variance(unit) for unit in units])
        for i, j in combinations(range(self.policy.tags), 2):
            both = variance(units[i] + units[j])
            covariance[i, j] = covariance[j, i] = (both - covariance[i, i] - covariance[j, j]) / 2
        return covariance

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x when n people come from p; `p`, `weights`: (k,)."""
        p, weights = check_floats("p", p, self.k), check_floats("weights", weights, self.k)
        spread = np.concatenate([weights, self.policy.background @ weights])
        return self.common.sum_variance(self.shares_with_tags(p), spread, n)

    def after_pre_processing(self) -> ContextMechanism:
        """The common mechanism on X ∪ tags, which makes every report (see `HasPreProcessing`)."""
        return self.common

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of `outputs` probabilities in rationals, of people of the model."""
        rows = self.common.exact_channel()
        chances = [Fraction(share) for share in self.policy.shares.tolist()]
        rest = 1 - sum(chances, Fraction(0))
        mixed = []
        for x in range(self.k):
            parts = [(Fraction(1), rows[x])]
            if not self.policy.sensitive[x]:
                parts = [(rest, rows[x]), *zip(chances, rows[self.k :], strict=True)]
            columns = zip(*(row for _, row in parts), strict=True)
            weights = [weight for weight, _ in parts]
            mixed.append(
                [
                    sum((w * q for w, q in zip(weights, column, strict=True)), Fraction(0))
                    for column in columns
                ]
            )
        return mixed
