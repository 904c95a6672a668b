"""What an onlooker may believe after a report: channels stay within the promise, and reach it."""

from fractions import Fraction

import numpy as np
import pytest

from caldp_core.audit.adversary import posterior
from caldp_core.audit.inference import (
    Beliefs,
    channel_beliefs,
    max_posterior,
    policy_beliefs,
    policy_beliefs_of_value,
)
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.distance import GridMetric
from caldp_core.privacy.matrix import DenseMatrix

K = 7
CONTEXTS = {
    "plain": Context.plain(K, 1.0),
    "high-low": Context.high_low(np.arange(K) < 3, 0.7),
    "blocks": Context.block_structured([0, 0, 0, 1, 1, 1, 1], [1.0, 2.0]),
    "both": Context.of([0, 0, 0, 1, 1, 1, 2], np.arange(K) % 3 != 1, 1.5),
}
SINGLE: Bools = np.eye(K, dtype=np.bool_)
PAIRS: Bools = SINGLE | np.roll(SINGLE, 1, axis=1)
NEARLY = 1e-12
"""Thresholds of coins are rounded to the private side, and floats by less than this."""


def a_prior() -> Floats:
    return np.random.default_rng(7).dirichlet(np.ones(K))


@pytest.mark.parametrize("name", CONTEXTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_channel_leads_beyond_the_promise(name: str, family: str) -> None:
    context, prior = CONTEXTS[name], a_prior()
    channel = catalogue.in_context(context, family).exact_channel()
    groups = np.concatenate([SINGLE, PAIRS])
    for group, found in zip(groups, channel_beliefs(channel, prior, groups), strict=True):
        bound = policy_beliefs(context, prior, group)
        assert bound.before == pytest.approx(found.before)
        assert bound.least - NEARLY <= found.least <= found.before + NEARLY
        assert found.before - NEARLY <= found.most <= bound.most + NEARLY


def test_randomized_response_between_two_values_reaches_the_promise() -> None:
    context, prior = Context.plain(2, 1.0), np.array([0.2, 0.8])
    (found,) = channel_beliefs(
        catalogue.in_context(context, "randomized-response").exact_channel(),
        prior,
        np.array([[True, False]]),
    )
    bound = policy_beliefs(context, prior, np.array([True, False]))
    assert (found.least, found.most) == pytest.approx((bound.least, bound.most), abs=1e-9)
    assert bound.most == pytest.approx(0.2 * np.e / (0.2 * np.e + 0.8))


POLICIES: dict[str, PrivacyMatrix] = {
    "line": GridMetric(1, K, 0.5, 0.5),
    "matrix": DenseMatrix.of(np.array([[0.0, 1.0], [np.inf, 0.0]])),
}


@pytest.mark.parametrize("name", POLICIES)
def test_channels_of_any_policy_stay_within_the_promise_of_each_value(name: str) -> None:
    policy = POLICIES[name]
    prior = np.random.default_rng(7).dirichlet(np.ones(policy.k))
    groups: Bools = np.eye(policy.k, dtype=np.bool_)
    for entry in mechanisms_for(policy):
        mechanism = entry.make(policy)
        for x, found in enumerate(channel_beliefs(mechanism.exact_channel(), prior, groups)):
            bound = policy_beliefs_of_value(policy, prior, x)
            assert bound.before == pytest.approx(found.before)
            assert bound.least - NEARLY <= found.least
            assert found.most <= bound.most + NEARLY
    if name == "line":  # half as secret: beyond the promise
        bold = GridMetric(1, K, 1.0, 1.0)
        channel = mechanisms_for(bold)[0].make(bold).exact_channel()
        (found, *_) = channel_beliefs(channel, prior, groups)
        assert found.most > policy_beliefs_of_value(policy, prior, 0).most + 0.01


def test_of_two_values_and_in_plain_ldp_both_ways_to_the_promise_agree() -> None:
    prior = a_prior()
    for x in range(K):
        of_group = policy_beliefs(CONTEXTS["plain"], prior, SINGLE[x])
        of_value = policy_beliefs_of_value(CONTEXTS["plain"], prior, x)
        assert of_value.most == pytest.approx(of_group.most)
        assert of_value.least == pytest.approx(of_group.least)


def test_a_stronger_channel_is_told_from_the_promise() -> None:
    prior, group = a_prior(), SINGLE[0]
    channel = catalogue.in_context(Context.plain(K, 1.1), "randomized-response").exact_channel()
    (found,) = channel_beliefs(channel, prior, group[None])
    bound = policy_beliefs(CONTEXTS["plain"], prior, group)
    assert found.most > mechanism_most(prior, 1.0) + 1e-3
    assert mechanism_most(prior, 1.0) <= bound.most + NEARLY


def mechanism_most(prior: Floats, epsilon: float) -> float:
    channel = catalogue.in_context(Context.plain(K, epsilon), "randomized-response").exact_channel()
    return channel_beliefs(channel, prior, SINGLE[:1])[0].most


@pytest.mark.parametrize("family", ["hadamard", "subset-selection"])
def test_single_values_by_another_way(family: str) -> None:
    context = CONTEXTS["high-low"]
    channel = catalogue.in_context(context, family).exact_channel()
    shares = [Fraction(i + 1, K * (K + 1) // 2) for i in range(K)]
    found = channel_beliefs(channel, np.array(shares, dtype=np.float64), SINGLE)
    outputs = range(len(channel[0]))
    support = [y for y in outputs if any(row[y] for row in channel)]
    for x in range(K):
        after = [float(posterior(channel, context, shares, y).posterior[x]) for y in support]
        assert (found[x].least, found[x].most) == pytest.approx((min(after), max(after)))


@pytest.mark.parametrize("name", CONTEXTS)
def test_the_promise_of_single_values_is_that_of_the_whole_matrix(name: str) -> None:
    context, prior = CONTEXTS[name], a_prior()
    for x in range(K):
        wanted = max_posterior(context, prior, x)
        assert policy_beliefs(context, prior, SINGLE[x]).most == pytest.approx(wanted)


def test_what_is_not_hidden_may_be_read_and_what_is_alone_too() -> None:
    prior = a_prior()
    bare = policy_beliefs(CONTEXTS["high-low"], prior, SINGLE[5])
    assert (bare.least, bare.most) == (0.0, 1.0)
    hidden = policy_beliefs(CONTEXTS["high-low"], prior, SINGLE[0])
    assert hidden.least == 0.0  # a report in the clear rules it out
    assert hidden.before < hidden.most < 1.0
    assert policy_beliefs(CONTEXTS["both"], prior, SINGLE[6]).most == 1.0
    plain = policy_beliefs(CONTEXTS["plain"], prior, SINGLE[0])
    assert 0.0 < plain.least < plain.before < plain.most < 1.0


def test_nobody_and_everybody_stay_what_they_are() -> None:
    prior = np.r_[0.0, np.full(K - 1, 1 / (K - 1))]
    assert policy_beliefs(CONTEXTS["plain"], prior, SINGLE[0]) == Beliefs(0.0, 0.0, 0.0)
    everybody = policy_beliefs(CONTEXTS["plain"], prior, np.ones(K, np.bool_))
    assert (everybody.least, everybody.most) == (1.0, 1.0)


def test_a_prior_of_another_size_is_an_error() -> None:
    channel = catalogue.in_context(CONTEXTS["plain"], "hadamard").exact_channel()
    with pytest.raises(CaldpError, match="one share for each of the 7 values, got 3"):
        channel_beliefs(channel, np.ones(3) / 3, SINGLE)
