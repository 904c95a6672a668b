"""The personalised mechanism with people of a model: one channel on places, held like the others'.

The common mechanism and the collector's formula have tests of their own (test_personalised.py).
"""

from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import Hadamard, Rappor
from caldp_core.mechanisms.personalised import (
    TaggedMechanism,
    population_background,
    uniform_background,
)
from caldp_core.privacy.context import PersonalPolicy
from caldp_core.scenarios.scenario import Best, choose_mechanism
from tests.contract import checks

SENSITIVE = np.array([True, False, False, True, False])
SHARES = (0.4, 0.2)
P = np.array([0.1, 0.4, 0.2, 0.1, 0.2])


def policy_of(background: Floats | None = None, shares: Any = SHARES) -> PersonalPolicy:
    if background is None:
        background = uniform_background(len(shares), ~SENSITIVE)
    return PersonalPolicy.of(SENSITIVE, shares, background, 1.0)


def mechanism_by(family: str, policy: PersonalPolicy) -> TaggedMechanism:
    mechanism = FAMILIES[family].spec().make(policy)
    assert isinstance(mechanism, TaggedMechanism)
    return mechanism


@pytest.mark.parametrize("family", ["hadamard", "randomized-response", "oue", "subset-selection"])
def test_the_channel_is_a_law_within_the_policy(family: str) -> None:
    mechanism = mechanism_by(family, policy_of())
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@pytest.mark.parametrize("family", ["hadamard", "randomized-response", "oue"])
def test_mean_and_variance_are_those_of_the_channel(family: str) -> None:
    mechanism = mechanism_by(family, policy_of())
    channel, single = checks.channel_of(mechanism), checks.single_estimates(mechanism)
    means = np.stack([mechanism.expected_estimate(person) for person in np.eye(mechanism.k)])
    np.testing.assert_allclose(channel @ single, means, atol=1e-9)
    square = P @ channel @ single**2
    np.testing.assert_allclose(
        mechanism.variance(P, 7), (square - mechanism.expected_estimate(P) ** 2) / 7, rtol=1e-9
    )
    weights = np.array([1.0, -2.0, 0.5, 0.0, 3.0])
    mean = float(weights @ mechanism.expected_estimate(P))
    exact = float(P @ channel @ (single @ weights) ** 2 - mean**2) / 7
    assert mechanism.sum_variance(P, weights, 7) == pytest.approx(exact, rel=1e-9)


def test_a_report_that_names_no_place_says_nothing_of_open_places() -> None:
    for family in ("hadamard", "randomized-response", "oue"):
        rows = np.array(mechanism_by(family, policy_of()).exact_channel(), dtype=float)
        one, *others = rows[~SENSITIVE]
        for other in others:
            # Where two open places' rows differ, one of them is named: the other's chance is 0.
            differ = ~np.isclose(one, other, rtol=1e-12, atol=0)
            assert differ.any()
            assert (np.minimum(one, other)[differ] == 0).all()


def test_where_everybody_is_at_an_own_place_there_is_still_a_best_mechanism() -> None:
    # Tags as likely as each other and one background: their estimates' sum is known exactly.
    nowhere = np.zeros(400, np.bool_)
    policy = PersonalPolicy.of(nowhere, (0.25,) * 4, uniform_background(4, ~nowhere), 1.0)
    best = choose_mechanism(Best(), policy)
    variance = best.mechanism.variance(np.full(400, 1 / 400), 1)
    assert (variance >= 0).all()
    assert variance.sum() < 1e-12


def test_the_bias_is_the_expectation_less_the_truth() -> None:
    for background in (uniform_background(2, ~SENSITIVE), np.array([[0, 1, 0, 0, 0.0]] * 2)):
        mechanism = mechanism_by("hadamard", policy_of(background))
        bias = mechanism.bias(P)
        np.testing.assert_allclose(bias.per_symbol, mechanism.expected_estimate(P) - P, atol=1e-15)
        assert bias.total_variation == pytest.approx(
            0.5 * np.abs(mechanism.expected_estimate(P) - P).sum()
        )
        assert bias.total_variation > 0.05


def test_it_is_unbiased_just_if_the_background_is_right() -> None:
    right = population_background(2, P, ~SENSITIVE)
    np.testing.assert_allclose(
        mechanism_by("hadamard", policy_of(right)).expected_estimate(P), P, atol=1e-15
    )
    wrong = mechanism_by("hadamard", policy_of()).expected_estimate(P)
    assert np.abs(wrong - P).max() > 0.05
    np.testing.assert_allclose(wrong[SENSITIVE], P[SENSITIVE], atol=1e-15)


class NobodyAtHome(TaggedMechanism):
    """Devices forget the tags."""

    def _tagged(self, symbols: Ints, words: WordSource) -> Ints:
        return symbols


class SwappedTags(TaggedMechanism):
    """The simulation gives tags each other's people."""

    def sample_tally(self, counts: Any, rng: Any) -> Any:
        other = PersonalPolicy.of(SENSITIVE, SHARES[::-1], self.policy.background, 1.0)
        return TaggedMechanism(other, "hadamard", Hadamard().family()).sample_tally(counts, rng)


def test_reports_follow_the_channel() -> None:
    family = Hadamard().family()
    checks.check_privatize(TaggedMechanism(policy_of(), "hadamard", family))
    with pytest.raises(AssertionError):
        checks.check_privatize(NobodyAtHome(policy_of(), "hadamard", family))


def test_tallies_follow_the_reports() -> None:
    family = Hadamard().family()
    checks.check_one_law(TaggedMechanism(policy_of(), "hadamard", family), P)
    with pytest.raises(AssertionError):
        checks.check_one_law(SwappedTags(policy_of(), "hadamard", family), P)


def test_one_real_report_is_a_report() -> None:
    mechanism = mechanism_by("hadamard", policy_of())
    assert mechanism.tally(mechanism.client_report(1)).n == 1
    assert Rappor(0.6).make(policy_of()).fingerprint != Rappor().make(policy_of()).fingerprint


@pytest.mark.parametrize("shares", [(), (0.7, 0.4), (-0.1,), (float("nan"),), ((0.1,),)])
def test_shares_that_are_none_are_refused(shares: Any) -> None:
    with pytest.raises(CaldpError, match="shares must be one number per tag"):
        policy_of(np.full((1, 5), 0.2), shares)


def test_backgrounds_and_levels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(CaldpError, match="background must have shape"):
        PersonalPolicy.of(SENSITIVE, SHARES, np.full((1, 5), 0.2), 1.0)
    with pytest.raises(CaldpError, match="epsilon must be a number"):
        PersonalPolicy.of(SENSITIVE, SHARES, uniform_background(2, ~SENSITIVE), 0.0)
