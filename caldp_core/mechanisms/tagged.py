"""The personalised mechanism as one channel on people's places: for runs, audits and forecasts.

`personalised.py` is what a device and a collector run; there each person says which places are
their own. Here people are drawn from a model, as a dataset has no homes: whoever is at a place x
outside of the common sensitive set is there as at their own place of tag j with probability h_j,
wherever x is. Then tag j's share is h_j·p(X∖X_S) and its places are spread as people are; whether
the collector's background says so decides the bias (`background_bias`).
"""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_counts, check_floats, check_symbols
from caldp_core.basics.types import Floats, Ints, Reports, Seed, WordSource
from caldp_core.mechanisms.backgrounds import Bias, background_bias, population_background
from caldp_core.mechanisms.base import Family
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.personalised import PersonalisedMechanism
from caldp_core.mechanisms.randomness.coins import (
    COIN_ONE,
    flip_coins,
    generator,
    seeded_words,
    system_words,
)
from caldp_core.mechanisms.tally import Tally
from caldp_core.privacy.context import PersonalPolicy


class TaggedMechanism:
    """`PersonalisedMechanism` with people of the policy's model. See `Mechanism`.

    `estimate` is unbiased if the background is right, and has `expected_estimate` as its mean if
    not.
    """

    def __init__(self, policy: PersonalPolicy, name: str, family: Family) -> None:
        self.policy = policy
        self.name = f"personalised {name}"
        self.personalised = PersonalisedMechanism(
            policy.sensitive, policy.tags, policy.epsilon, name, family
        )
        self.common = self.personalised.common

    def __repr__(self) -> str:
        return f"<{self.name}: {self.k:,} values>"

    @property
    def k(self) -> int:
        """Domain size without the tags."""
        return self.policy.k

    @property
    def outputs(self) -> int:
        """Number of different reports: those of the common mechanism."""
        return self.common.outputs

    @property
    def report_bits(self) -> int:
        """Bits that the longest report needs."""
        return self.common.report_bits

    @property
    def n_max(self) -> int:
        """Most people whose tally can be sampled."""
        return self.common.n_max

    @property
    def fingerprint(self) -> str:
        """The common mechanism's, as backgrounds change the estimate, not the reports."""
        return self.common.fingerprint

    def privatize(self, x: ArrayLike, rng: Seed) -> Reports:
        """(n,) symbols → (n,) reports; who is at their own place is drawn, too."""
        symbols, rng = check_symbols("x", x, self.k), generator(rng)
        return self.common.privatize(self._tagged(symbols, seeded_words(rng)), rng)

    def client_report(self, x: int) -> Reports:
        """(1,) report of one person of the model, with the operating system's randomness.

        A device that knows its owner's places uses `PersonalisedMechanism.client_report`.
        """
        symbols = check_symbols("x", [x], self.k)
        return self.common.client_report(int(self._tagged(symbols, system_words)[0]))

    def _tagged(self, symbols: Ints, words: WordSource) -> Ints:
        """(n,) symbols of X → (n,) symbols of X ∪ tags, each place somebody's own by chance."""
        ends = np.rint(np.cumsum(self.policy.shares) * COIN_ONE).astype(np.uint64)
        coin = words(symbols.size)
        tag = np.full(symbols.size, -1)
        for place, end in reversed(list(enumerate(ends))):
            tag[flip_coins(coin, end)] = place
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
        people, rng = check_counts("counts", counts, self.k), generator(rng)
        shares = self.policy.shares
        parts = rng.multinomial(people, [*shares, max(0.0, 1.0 - float(shares.sum()))])
        own = np.where(self.policy.sensitive[:, None], 0, parts[:, :-1])
        untagged = people - own.sum(axis=1)
        return self.common.sample_tally(np.concatenate([untagged, own.sum(axis=0)]), rng)

    def estimate(self, tally: Tally) -> Floats:
        """(k,) shares of places, each tag's share spread over its background."""
        return self.personalised.estimate(tally, self.policy.background)

    def expected_estimate(self, p: Floats) -> Floats:
        """(k,) exact expectation of `estimate` when people come from p: (k,) shares."""
        return self.personalised.expected_estimate(self.shares_with_tags(p), self.policy.background)

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

        `expected_estimate(p)` − p by another way: own places are spread as the people at open
        places are.
        """
        true = population_background(self.policy.tags, p, ~self.policy.sensitive)
        return background_bias(self.shares_with_tags(p)[self.k :], true, self.policy.background)

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people come from p: (k,) shares."""
        p = check_floats("p", p, self.k)
        return self.personalised.variance(self.shares_with_tags(p), self.policy.background, n)

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
                [sum((w * q for w, q in zip(weights, column, strict=True)), Fraction(0))
                 for column in columns]
            )  # fmt: skip
        return mixed
