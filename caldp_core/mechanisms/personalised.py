"""The personalised mechanism: what is sensitive differs from user to user (ULDP §5, PUM).

Some symbols are sensitive for everybody, others (home, work) only for the user whose place they
are. A user's own *pre-processor* replaces such a place by its tag ⊥_1 … ⊥_κ; then one common
mechanism for all runs on X ∪ tags with X_S ∪ tags sensitive. Tags are the symbols k … k+κ−1. So the
distribution of a report depends on x and on whose place x is only through the tag: two homes are
reported alike, and "x as my home" is within e^ε of "x, a place like any other". As in ULDP itself,
one thing is not protected: a report in the clear reveals that x is none of the user's own places.

The collector spreads each tag's share over a *background* (`backgrounds.py`):
p̂(x) = p̂_common(x) + Σ_j p̂(⊥_j)·π_j(x), unbiased if π_j is where the tag's people really are.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import check_number, check_symbols, check_whole, require
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN, K_MAX
from caldp_core.basics.types import Bools, Floats, Ints, Reports, Seed
from caldp_core.mechanisms.backgrounds import NO_PLACE, check_places, known_background
from caldp_core.mechanisms.base import Family
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.tally import Tally
from caldp_core.privacy.context import Context


class PersonalisedMechanism:
    """One family as PUM. `sensitive`: (k,) bool, X_S; `tags`: κ ≥ 1; ε in [0.001, 20].

    `name`, `family`: of the common mechanism. Raises `CaldpError` for anything else.
    `own` is (n, κ): user i's own symbol for each tag, or −1. Own symbols that are in X_S keep
    their name (ULDP takes the two sets apart; such a place is protected anyway), and a place
    that a user gives two tags counts for the first.
    """

    def __init__(
        self, sensitive: Bools, tags: int, epsilon: float, name: str, family: Family
    ) -> None:
        self.tags = check_whole("tags", tags, 1, K_MAX)
        self.sensitive = _flags(sensitive)
        self.epsilon = check_number("epsilon", epsilon, EPSILON_MIN, EPSILON_MAX)
        everything = np.concatenate([self.sensitive, np.ones(self.tags, np.bool_)])
        # The number of tags is part of the name, as it is part of what a report means.
        title = f"personalised {name} with κ = {self.tags}"
        policy = Context.high_low(everything, self.epsilon)
        self.common = ContextMechanism(policy, title, family)

    @property
    def k(self) -> int:
        """Domain size without the tags."""
        return self.sensitive.size

    @property
    def open_symbols(self) -> Bools:
        """(k,) True where a symbol may hide behind a tag."""
        return ~self.sensitive

    def add_tags(self, x: ArrayLike, own: ArrayLike) -> Ints:
        """(n,) symbols and (n, κ) own symbols → (n,) symbols of the common mechanism."""
        symbols = check_symbols("x", x, self.k)
        places = self._places(own, symbols.size)
        result = symbols.copy()
        is_open = self.open_symbols[symbols]
        for tag in reversed(range(self.tags)):
            result[is_open & (places[:, tag] == symbols)] = self.k + tag
        return result

    def _places(self, own: ArrayLike, n: int) -> Ints:
        places = np.asarray(own)
        require(
            places.shape == (n, self.tags) and places.dtype.kind in "iu",
            f"own must be {count_text(n, 'row', 'rows')} of {self.tags} whole numbers, "
            f"got shape {places.shape} of {places.dtype}.",
        )
        return check_places(places, self.k)

    def histogram(self, x: ArrayLike, own: ArrayLike) -> Ints:
        """(k + κ,) people per symbol after pre-processing; the input of `sample_tally`."""
        return np.bincount(self.add_tags(x, own), minlength=self.k + self.tags)

    def privatize(self, x: ArrayLike, own: ArrayLike, rng: Seed) -> Reports:
        """(n,) symbols and (n, κ) own symbols → (n,) reports, simulated with `rng`."""
        return self.common.privatize(self.add_tags(x, own), rng)

    def client_report(self, x: int, own: Sequence[int]) -> Reports:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        return self.common.client_report(int(self.add_tags([x], [list(own)])[0]))

    def tally(self, reports: Reports) -> Tally:
        """Sum (n,) reports; raises `CaldpError` on a report that this mechanism cannot send."""
        return self.common.tally(reports)

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        """Tally of (k + κ,) people per symbol or tag; distributed as `tally(privatize(…))`."""
        return self.common.sample_tally(counts, rng)

    def estimate(self, tally: Tally, background: Floats) -> Floats:
        """(k,) p̂_common(x) + Σ_j p̂(⊥_j)·π_j(x); `background`: (κ, k) shares π_j.

        Its expectation is `expected_estimate`: unbiased if and only if the backgrounds are right.
        Raises `CaldpError` for a background that puts weight on a symbol that is never tagged.
        """
        return self._spread(self.common.estimate(tally), background)

    def expected_estimate(self, shares: Floats, background: Floats) -> Floats:
        """(k,) exact expectation of `estimate`; `shares`: (k + κ,) after pre-processing."""
        return self._spread(shares, background)

    def _spread(self, shares: Floats, background: Floats) -> Floats:
        return np.asarray(shares[: self.k] + shares[self.k :] @ self._checked(background))

    def _checked(self, background: Floats) -> Floats:
        rows = known_background(background)
        require(
            rows.shape == (self.tags, self.k),
            f"The background must have shape {(self.tags, self.k)}, got {rows.shape}.",
        )
        require(
            not rows[:, self.sensitive].any(),
            "The background must be 0 where a symbol is sensitive for everybody: "
            "nobody is tagged there.",
        )
        return rows

    def variance(self, shares: Floats, background: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people come from `shares`: (k + κ,).

        For an open symbol x, Var(p̂_x) + 2Σ_j π_j(x)·Cov(p̂_x, t̂_j) + π(x)ᵀCov(t̂)π(x), where a
        report in the clear that counts for x adds offset_j to n·t̂_j, the tags being hidden and
        x not: n·Cov(p̂_x, t̂_j) = p_x·(offset_j − t_j). π(x) = 0 for the others.
        """
        rows = self._checked(background)
        result = self.common.variance(shares, n)[: self.k]
        tag_shares, p = shares[self.k :], shares[: self.k]
        offsets = np.array([self._offset(self._unit(tag)) for tag in range(self.tags)])
        crossed = p * ((offsets - tag_shares) @ rows) / n
        within = np.einsum("ix,ij,jx->x", rows, self._tag_covariance(shares, n), rows)
        # Where all of it cancels, rounding may leave a little less than nothing.
        return np.asarray(np.maximum(result + 2.0 * crossed + within, 0.0))

    def _unit(self, tag: int) -> Floats:
        """(s,) weights of the hidden symbols, of which the tag's is 1."""
        return np.asarray(self.common.hidden_symbols == self.k + tag, np.float64)

    def _offset(self, weights: Floats) -> float:
        """Contribution of a report in the clear to n·Σ w_x p̂_x over hidden symbols x."""
        return float(self.common.oracles.offset(weights)[0])

    def _tag_covariance(self, shares: Floats, n: int) -> Floats:
        """(κ, κ) Cov(t̂_i, t̂_j), by polarisation: Var(a + b) = Var(a) + 2·Cov(a, b) + Var(b)."""
        common = self.common
        p, total = shares[common.hidden_symbols], np.array([shares.sum()])
        named = float(shares[common.clear_symbols].sum()) * float(common.clear_share[0])

        def variance(weights: Floats) -> float:
            """`sum_variance` of the common mechanism, where all other symbols have weight 0."""
            square = named * self._offset(weights) ** 2
            square += common.oracles.second_moment(weights, p, total)
            return max((square - float(weights @ p) ** 2) / n, 0.0)

        units = [self._unit(tag) for tag in range(self.tags)]
        covariance = np.diag([variance(unit) for unit in units])
        for i, j in combinations(range(self.tags), 2):
            both = variance(units[i] + units[j])
            covariance[i, j] = covariance[j, i] = (both - covariance[i, i] - covariance[j, j]) / 2
        return covariance

    def user_policy(self, own: Sequence[int]) -> Context:
        """One user's privacy matrix: ε for X_S and for the user's (κ,) own symbols, or −1.

        Raises `CaldpError` for anything else.
        """
        places = self._places([list(own)], 1)[0]
        flags = self.sensitive.copy()
        flags[places[places != NO_PLACE]] = True
        return Context.high_low(flags, self.epsilon)

    def user_channel(self, own: Sequence[int]) -> list[list[Fraction]]:
        """k rows: one user's exact channel, pre-processor and common mechanism in one.

        Raises `CaldpError` where the domain is too large for a channel in rationals.
        """
        rows = self.common.exact_channel()
        every = np.arange(self.k)
        return [rows[s] for s in self.add_tags(every, np.tile(list(own), (self.k, 1)))]


def _flags(sensitive: Bools) -> Bools:
    """(k,) checked copy; the text "False" is no boolean, though it can be made one."""
    flags = np.array(sensitive)
    require(
        flags.ndim == 1 and flags.dtype == np.bool_,
        f"sensitive must be one boolean per symbol, got shape {flags.shape} of {flags.dtype}.",
    )
    return flags
