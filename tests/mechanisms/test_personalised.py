"""The personalised mechanism: what a user is promised, what stays unseen, what is estimated."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import Hadamard, Rappor
from caldp_core.mechanisms.personalised import (
    NO_PLACE,
    PersonalisedMechanism,
    population_background,
    uniform_background,
)
from caldp_core.privacy.context import Context, PersonalPolicy
from caldp_core.scenarios.scenario import Best, choose_mechanism
from tests.contract import checks


class UserMechanism(PersonalisedMechanism):
    """`PersonalisedMechanism` with each user's policy and channel."""

    def user_policy(self, own: Sequence[int]) -> Context:
        """One user's privacy matrix: ε for X_S and for the user's (κ,) own symbols, or −1."""
        flags = self.policy.sensitive.copy()
        flags[[each for each in own if each != NO_PLACE]] = True
        return Context.high_low(flags, self.policy.epsilon)

    def user_channel(self, own: Sequence[int]) -> list[list[Fraction]]:
        """k rows: one user's exact channel, pre-processor and common mechanism in one."""
        rows = self.common.exact_channel()
        every = np.arange(self.k)
        return [rows[s] for s in self.add_tags(every, np.tile(list(own), (self.k, 1)))]


SENSITIVE = np.array([1, 0, 0, 0, 1, 0], dtype=np.bool_)
K, TAGS = 6, 2
OWN_PAIRS = list(itertools.product(range(-1, K), repeat=TAGS))
FAMILY = pytest.mark.parametrize("family", list(FAMILIES))


def personalised(
    family: str = "hadamard", epsilon: float = 1.0, kind: type = UserMechanism
) -> UserMechanism:
    background = uniform_background(TAGS, ~SENSITIVE)
    policy = PersonalPolicy.of(SENSITIVE, (0.4, 0.2), background, epsilon)
    mechanism: UserMechanism = kind(policy, family, FAMILIES[family].family)
    return mechanism


def test_places_become_tags() -> None:
    mechanism = personalised()
    x = [1, 1, 1, 2, 0, 5, 3, 3]
    own = [[1, -1], [2, 1], [1, 1], [-1, -1], [0, 0], [3, 5], [5, 3], [5, 2]]
    # A place with two tags counts for the first; 0 is sensitive for everybody and keeps its name.
    np.testing.assert_array_equal(mechanism.add_tags(x, own), [6, 7, 6, 2, 0, 7, 7, 3])


@FAMILY
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
def test_every_user_gets_what_was_promised(family: str, epsilon: float) -> None:
    mechanism = personalised(family, epsilon)
    for own in ((1, 2), (-1, 5), (3, 3), (0, 1), (-1, -1)):
        policy = mechanism.user_policy(own)
        assert policy.sensitive.sum() == len({0, 4, *own} - {-1})
        audit = audit_channel(mechanism.user_channel(own), policy)
        assert audit.holds, f"{own}: {audit}"


def unseen(mechanism: UserMechanism) -> None:
    """The law of a report depends on (x, own) only through the common symbol or the tag.

    And x as an own place is within e^ε of the same x as a place like any other, of x' as an
    own place exactly alike: what is own can't be told, in rationals, for all x and all own.
    """
    by_tag: dict[int, list[Fraction]] = {}
    plain = mechanism.user_channel((-1, -1))
    bound = exp_below(mechanism.policy.epsilon)
    for own in OWN_PAIRS:
        channel = mechanism.user_channel(own)
        for x, row in enumerate(channel):
            if SENSITIVE[x] or x not in own:
                assert row == plain[x], "a place that is not tagged must look alike for all users"
                continue
            tag = own.index(x)
            assert by_tag.setdefault(tag, row) == row, "the report tells which place has the tag"
            for other in (plain[x], *by_tag.values()):
                assert all(a <= bound * b for a, b in zip(row, other, strict=True))
    assert set(by_tag) == {0, 1}


@FAMILY
def test_which_places_are_a_user_s_own_stays_unseen(family: str) -> None:
    unseen(personalised(family))


class TagByPlace(UserMechanism):
    """Wrong: the tag gives away whether the place is odd."""

    def add_tags(self, x: object, own: object) -> Ints:
        right = super().add_tags(x, own)  # type: ignore[arg-type]
        return np.where(right >= self.k, self.k + np.asarray(x) % 2, right)


class TagsInTheClear(UserMechanism):
    """Wrong: own places keep their names."""

    def add_tags(self, x: object, own: object) -> Ints:
        super().add_tags(x, own)  # type: ignore[arg-type]
        return np.asarray(x)


@pytest.mark.parametrize("kind", [TagByPlace, TagsInTheClear])
def test_a_pre_processor_that_tells_is_found(kind: type) -> None:
    with pytest.raises(AssertionError):
        unseen(personalised(kind=kind))


def test_the_audit_finds_own_places_in_the_clear() -> None:
    mechanism = personalised(kind=TagsInTheClear)
    assert not audit_channel(mechanism.user_channel((1, 2)), mechanism.user_policy((1, 2))).holds


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ([[0, K]], r"\[0, 5\], or −1"),
        ([[0, -2]], "−1 for none"),
        ([[0]], "1 row of 2 whole numbers"),
        ([[0.0, 1.0]], "whole numbers"),
        ([["0", "1"]], "whole numbers"),
        ([], "own must"),
    ],
)
def test_nothing_is_promised_for_places_that_are_none(own: object, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        personalised().add_tags([0], own)  # type: ignore[arg-type]


TAGGED_SENSITIVE = np.array([True, False, False, True, False])
SHARES = (0.4, 0.2)
P = np.array([0.1, 0.4, 0.2, 0.1, 0.2])


def policy_of(
    background: Floats | None = None, shares: Any = SHARES, epsilon: float = 1.0
) -> PersonalPolicy:
    if background is None:
        background = uniform_background(len(shares), ~TAGGED_SENSITIVE)
    return PersonalPolicy.of(TAGGED_SENSITIVE, shares, background, epsilon)


def mechanism_by(family: str, policy: PersonalPolicy) -> PersonalisedMechanism:
    mechanism = FAMILIES[family].spec().make(policy)
    assert isinstance(mechanism, PersonalisedMechanism)
    return mechanism


@pytest.mark.parametrize("family", ["hadamard", "randomized-response", "oue", "subset-selection"])
def test_the_channel_is_a_law_within_the_policy(family: str) -> None:
    mechanism = mechanism_by(family, policy_of())
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@FAMILY
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_mean_and_variance_are_those_of_the_channel(family: str, epsilon: float) -> None:
    rng = np.random.default_rng(1)
    background = rng.random((2, 5)) * ~TAGGED_SENSITIVE
    background /= background.sum(axis=1, keepdims=True)
    mechanism = mechanism_by(family, policy_of(background, epsilon=epsilon))
    channel, single = checks.channel_of(mechanism), checks.single_estimates(mechanism)
    rounding = checks.EXACT * float(np.abs(single).max()) ** 2
    means = np.stack([mechanism.expected_estimate(person) for person in np.eye(mechanism.k)])
    np.testing.assert_allclose(channel @ single, means, rtol=checks.EXACT, atol=rounding)
    weights = np.array([1.0, -2.0, 0.5, 0.0, 3.0])
    for p in (P, *rng.dirichlet(np.full(5, 0.7), size=2)):
        mean = mechanism.expected_estimate(p)
        exact = (p @ channel @ single**2 - mean**2) / 7
        np.testing.assert_allclose(
            mechanism.variance(p, 7), exact, rtol=checks.EXACT, atol=rounding
        )
        exact = (p @ channel @ (single @ weights) ** 2 - float(weights @ mean) ** 2) / 7
        assert mechanism.sum_variance(p, weights, 7) == pytest.approx(exact, rel=1e-9)


@FAMILY
def test_the_variance_at_many_symbols_is_that_of_the_weighted_sum(family: str) -> None:
    k, rng = 300, np.random.default_rng(2)
    sensitive = rng.random(k) < 0.2
    background = uniform_background(3, ~sensitive) * rng.random((3, k))
    background /= background.sum(axis=1, keepdims=True)
    policy = PersonalPolicy.of(sensitive, (0.1, 0.3, 0.2), background, 1.0)
    mechanism, p = mechanism_by(family, policy), rng.dirichlet(np.ones(k))
    variance = mechanism.variance(p, 1000)
    for x in rng.choice(k, 20, replace=False):
        one = (np.arange(k) == x).astype(np.float64)
        assert variance[x] == pytest.approx(mechanism.sum_variance(p, one, 1000), rel=1e-9)


def test_a_report_that_names_no_place_says_nothing_of_open_places() -> None:
    for family in ("hadamard", "randomized-response", "oue"):
        rows = np.array(mechanism_by(family, policy_of()).exact_channel(), dtype=float)
        one, *others = rows[~TAGGED_SENSITIVE]
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
    for background in (uniform_background(2, ~TAGGED_SENSITIVE), np.array([[0, 1, 0, 0, 0.0]] * 2)):
        mechanism = mechanism_by("hadamard", policy_of(background))
        bias = mechanism.bias(P)
        np.testing.assert_allclose(bias.per_symbol, mechanism.expected_estimate(P) - P, atol=1e-15)
        assert bias.total_variation == pytest.approx(
            0.5 * np.abs(mechanism.expected_estimate(P) - P).sum()
        )
        assert bias.total_variation > 0.05


def test_it_is_unbiased_just_if_the_background_is_right() -> None:
    right = population_background(2, P, ~TAGGED_SENSITIVE)
    np.testing.assert_allclose(
        mechanism_by("hadamard", policy_of(right)).expected_estimate(P), P, atol=1e-15
    )
    wrong = mechanism_by("hadamard", policy_of()).expected_estimate(P)
    assert np.abs(wrong - P).max() > 0.05
    np.testing.assert_allclose(wrong[TAGGED_SENSITIVE], P[TAGGED_SENSITIVE], atol=1e-15)


class NobodyAtHome(PersonalisedMechanism):
    """Devices forget the tags."""

    def _tagged(self, symbols: Ints, words: WordSource) -> Ints:
        return symbols


class SwappedTags(PersonalisedMechanism):
    """The simulation gives tags each other's people."""

    def sample_tally(self, counts: Any, rng: Any) -> Any:
        other = PersonalPolicy.of(TAGGED_SENSITIVE, SHARES[::-1], self.policy.background, 1.0)
        return PersonalisedMechanism(other, "hadamard", Hadamard().family()).sample_tally(
            counts, rng
        )


def test_reports_follow_the_channel() -> None:
    family = Hadamard().family()
    checks.check_privatize(PersonalisedMechanism(policy_of(), "hadamard", family))
    with pytest.raises(AssertionError):
        checks.check_privatize(NobodyAtHome(policy_of(), "hadamard", family))


def test_tallies_follow_the_reports() -> None:
    family = Hadamard().family()
    checks.check_one_law(PersonalisedMechanism(policy_of(), "hadamard", family), P)
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


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([0.2] * 4, "background must have shape"),
        ([0, 0.5, 0.4, 0, 0], "shares that sum to 1, row 0 sums to 0.9"),
        ([0, 1.5, -0.5, 0, 0], "with a least entry of -0.5"),
        ([0, math.nan, 1, 0, 0], "shares that sum to 1"),
        ([0.2] * 5, "sensitive for everybody"),
    ],
)
def test_backgrounds_that_are_none_are_refused(row: list[float], words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        policy_of(np.array([row] * 2))


def test_what_else_is_refused() -> None:
    with pytest.raises(CaldpError, match="epsilon must be a number"):
        policy_of(epsilon=0.0)
    with pytest.raises(CaldpError, match="tags must be"):
        uniform_background(0, ~SENSITIVE)
    with pytest.raises(CaldpError, match="population must be positive"):
        population_background(1, SENSITIVE * 1.0, ~SENSITIVE)


def test_backgrounds() -> None:
    open_symbols = ~SENSITIVE
    even = [0, 0.25, 0.25, 0.25, 0, 0.25]
    np.testing.assert_allclose(uniform_background(2, open_symbols), [even, even])
    np.testing.assert_allclose(
        population_background(1, [9, 1, 2, 3, 9, 4], open_symbols), [[0, 0.1, 0.2, 0.3, 0, 0.4]]
    )
