"""CALDP's Propositions 1 to 3 on random and on real channels."""

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit.adversary import Posterior, posterior
from caldp_core.audit.pairwise import finite_pairs, release_adaptively, release_both
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.powers import exp_below
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix, released_together
from tests.audit.channels import post_process, within_error_region
from tests.channels import F, channels, holds, laws, least_promise, ratio
from tests.contract.contexts import context

SMALL = {
    "plain": lambda e: Context.plain(3, e),
    "sensitive set": lambda e: Context.high_low(np.array([True, True, False]), e),
    "single sensitive symbol": lambda e: Context.high_low(np.arange(3) == 2, e),
}
"""So small that all pairs of reports can be gone through in every family."""


def keeps(made: Posterior) -> bool:
    """Proposition 3, decided exactly: all odds are at most e^{E[x, x′]} times the prior odds."""
    prior, after = made.prior, made.posterior
    return all(
        after[x] * prior[other] <= exp_below(level) * prior[x] * after[other]
        for x, other, level in finite_pairs(made.policy)
    )


@given(channels())
def test_a_channel_keeps_its_least_promise_and_no_less(channel: list[list[Fraction]]) -> None:
    # The tests below lean on both.
    assert holds(channel, least_promise(channel))
    worst = [ratio(channel[x], channel[z]) for x, z in permutations(range(3), 2)]
    if any(each is not None and each > 1 for each in worst):
        assert not holds(channel, least_promise(channel, slack=-1e-6))


# Proposition 1


@given(channels(), st.data())
def test_post_processing_keeps_the_promise(channel: list[list[Fraction]], data: Any) -> None:
    columns = data.draw(st.integers(1, 5))
    rule = [data.draw(laws(columns)) for _ in channel[0]]
    after = post_process(channel, rule)
    assert holds(after, least_promise(channel))
    dense_product = np.array(channel) @ np.array(rule)
    assert after == dense_product.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_post_processing_of_a_mechanism(family: str) -> None:
    mechanism = catalogue.in_context(context("blocks and sensitive set", 1.0), family)
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 9, size=(mechanism.outputs, 4)).tolist()
    rule = [[F(w, sum(row)) for w in row] for row in weights]
    assert holds(post_process(mechanism.exact_channel(), rule), mechanism.policy)


def test_a_rule_that_creates_probability_is_none() -> None:
    channel = [[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]
    for rule in ([[F(1)], [F(2)]], [[F(1)]], [[F(2), F(-1)], [F(1), F(0)]], []):
        with pytest.raises(CaldpError):
            post_process(channel, rule)


# Proposition 2


@given(channels(), channels())
def test_two_releases_keep_the_sum(one: list[list[Fraction]], two: list[list[Fraction]]) -> None:
    both = release_both(one, two)
    assert all(sum(row) == 1 for row in both)
    assert holds(both, released_together(least_promise(one), least_promise(two)))


@given(channels(), st.data())
def test_a_release_that_looks_at_the_first_keeps_the_sum(
    first: list[list[Fraction]], data: Any
) -> None:
    outputs = data.draw(st.integers(1, 3))
    seconds = [[data.draw(laws(outputs)) for _ in range(3)] for _ in first[0]]
    both = release_adaptively(first, seconds)
    promises = np.stack([least_promise(second).entries for second in seconds])
    worst = DenseMatrix.of(promises.max(axis=0))
    assert holds(both, released_together(least_promise(first), worst))
    for x, row in enumerate(both):
        expected = [first[x][y] * second[x][z] for y, second in enumerate(seconds)
                    for z in range(outputs)]  # fmt: skip
        assert row == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", SMALL)
def test_releases_of_mechanisms_need_the_sum_and_no_less(family: str, kind: str) -> None:
    mechanism = catalogue.in_context(SMALL[kind](1.0), family)
    channel = mechanism.exact_channel()
    both = release_both(channel, channel)
    assert holds(both, released_together(mechanism.policy, mechanism.policy))
    assert not holds(both, mechanism.policy)
    less = SMALL[kind](0.99)
    assert not holds(both, released_together(mechanism.policy, less))


def test_releases_of_unlike_channels_are_refused() -> None:
    two, three = [[F(1)]] * 2, [[F(1)]] * 3
    for second in ([three], [two, two], [], [[[F(1)], [F(1, 2), F(1, 2)]]]):
        with pytest.raises(CaldpError):
            release_adaptively(two, second)
    wide = [[F(1, 500)] * 500] * 2
    with pytest.raises(CaldpError, match="at most 200,000 entries"):
        release_both(wide, wide)


# Proposition 3


@given(channels(), laws(3), st.data())
def test_posterior_odds_stay_within_the_bound(
    channel: list[list[Fraction]], prior: list[Fraction], data: Any
) -> None:
    y = data.draw(st.integers(0, len(channel[0]) - 1))
    chance = sum(p * row[y] for p, row in zip(prior, channel, strict=True))
    policy = least_promise(channel)
    if chance == 0:
        with pytest.raises(CaldpError, match="probability 0"):
            posterior(channel, policy, prior, y)
        return
    made = posterior(channel, policy, prior, y)
    assert sum(made.posterior) == 1
    assert made.posterior == tuple(
        p * row[y] / chance for p, row in zip(prior, channel, strict=True)
    )
    assert keeps(made)


@given(channels(), st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_some_report_breaks_the_odds_of_what_leaks(
    channel: list[list[Fraction]], weights: list[int]
) -> None:
    """With a prior that rules nobody out, Proposition 3 for all reports says E-LDP again."""
    prior = [F(w, sum(weights)) for w in weights]
    for slack in (1e-6, -1e-6):
        policy = least_promise(channel, slack)
        outputs = [y for y, column in enumerate(zip(*channel, strict=True)) if any(column)]
        within = all(keeps(posterior(channel, policy, prior, y)) for y in outputs)
        assert within == holds(channel, policy)


def test_odds_by_hand() -> None:
    # Warner with truth 3/4 multiplies the odds by 3.
    warner = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
    made = posterior(warner, Context.plain(2, math.log(3) + 1e-12), [F(1, 11), F(10, 11)], 0)
    assert made.posterior == (F(3, 13), F(10, 13))
    assert made.odds(0, 1) == F(3, 10)
    assert keeps(made)
    certain = posterior(warner, Context.plain(2, 1.0), [F(1), F(0)], 0)
    assert certain.odds(0, 1) is None


@pytest.mark.parametrize("prior", [[F(1, 2)], [F(1, 2), F(1, 3)], [F(3, 2), F(-1, 2)]])
def test_priors_have_to_be_distributions(prior: list[Fraction]) -> None:
    with pytest.raises(CaldpError, match="2 probabilities that sum to 1"):
        posterior([[F(1)], [F(1)]], Context.plain(2, 1.0), prior, 0)


def test_outputs_and_policies_that_are_none() -> None:
    with pytest.raises(CaldpError, match=r"output must be a whole number in \[0, 0\]"):
        posterior([[F(1)], [F(1)]], Context.plain(2, 1.0), [F(1), F(0)], 1)
    with pytest.raises(CaldpError, match="3 rows, got 2"):
        within_error_region([[F(1)], [F(1)]], Context.plain(3, 1.0))
    with pytest.raises(CaldpError, match="at least one row"):
        post_process([], [])
