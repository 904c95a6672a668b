"""The personalised mechanism: what a user is promised, what stays unseen, what is estimated."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats, Ints, WordSource
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.catalogue import Hadamard, Rappor
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.personalised import (
    NO_PLACE,
    PersonalisedMechanism,
    TaggedMechanism,
    background_bias,
    known_background,
    population_background,
    uniform_background,
)
from caldp_core.privacy.context import Context, PersonalPolicy
from caldp_core.scenarios.scenario import Best, choose_mechanism
from tests.contract import checks
from tests.stats import SIGNIFICANCE, assert_same_law


class UserMechanism(PersonalisedMechanism):
    """`PersonalisedMechanism` with each user's policy and channel."""

    def histogram(self, x: ArrayLike, own: ArrayLike) -> Ints:
        """(k + κ,) people per symbol after pre-processing; the input of `sample_tally`."""
        return np.bincount(self.add_tags(x, own), minlength=self.k + self.tags)

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


SENSITIVE = np.array([1, 0, 0, 0, 1, 0], dtype=np.bool_)
K, TAGS = 6, 2
OWN_PAIRS = list(itertools.product(range(-1, K), repeat=TAGS))
FAMILY = pytest.mark.parametrize("family", list(FAMILIES))


def personalised(
    family: str = "hadamard", epsilon: float = 1.0, kind: type = UserMechanism
) -> UserMechanism:
    mechanism: UserMechanism = kind(SENSITIVE, TAGS, epsilon, family, FAMILIES[family].family)
    return mechanism


def some_background(seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    rows = rng.random((TAGS, K)) * ~SENSITIVE
    return rows / rows.sum(axis=1, keepdims=True)


def test_places_become_tags() -> None:
    mechanism = personalised()
    x = [1, 1, 1, 2, 0, 5, 3, 3]
    own = [[1, -1], [2, 1], [1, 1], [-1, -1], [0, 0], [3, 5], [5, 3], [5, 2]]
    # A place with two tags counts for the first; 0 is sensitive for everybody and keeps its name.
    np.testing.assert_array_equal(mechanism.add_tags(x, own), [6, 7, 6, 2, 0, 7, 7, 3])
    np.testing.assert_array_equal(mechanism.histogram(x, own), [1, 0, 1, 1, 0, 0, 2, 3])


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
    bound = exp_below(mechanism.epsilon)
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


def single_estimates(mechanism: UserMechanism, background: Floats) -> Floats:
    """(outputs, k) the estimate from one report, for each possible report."""
    tallies = checks.single_tallies(mechanism.common)
    return np.stack([mechanism.estimate(tally, background) for tally in tallies])


@FAMILY
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_expectation_and_variance_are_the_channel_s(family: str, epsilon: float) -> None:
    mechanism, background = personalised(family, epsilon), some_background()
    channel = checks.channel_of(mechanism.common)
    single = single_estimates(mechanism, background)
    rounding = checks.EXACT * float(np.abs(single).max()) ** 2
    rng = np.random.default_rng(1)
    for shares in rng.dirichlet(np.full(K + TAGS, 0.7), size=4):
        mean = shares @ channel @ single
        expected = mechanism.expected_estimate(shares, background)
        np.testing.assert_allclose(expected, mean, rtol=checks.EXACT, atol=rounding)
        exact = (shares @ channel @ single**2 - mean**2) / 17
        variance = mechanism.variance(shares, background, 17)
        np.testing.assert_allclose(variance, exact, rtol=checks.EXACT, atol=rounding)


@FAMILY
def test_the_variance_at_many_symbols_is_that_of_the_weighted_sum(family: str) -> None:
    k, tags = 300, 3
    rng = np.random.default_rng(2)
    sensitive = rng.random(k) < 0.2
    mechanism = UserMechanism(sensitive, tags, 1.0, family, FAMILIES[family].family)
    background = uniform_background(tags, ~sensitive) * rng.random((tags, k))
    background /= background.sum(axis=1, keepdims=True)
    shares = rng.dirichlet(np.ones(k + tags))
    variance = mechanism.variance(shares, background, 1000)
    for x in rng.choice(k, 20, replace=False):
        weights = np.concatenate([np.zeros(k), background[:, x]])
        weights[x] += 1.0
        assert variance[x] == pytest.approx(
            mechanism.common.sum_variance(shares, weights, 1000), rel=1e-9
        )


def people(n: int) -> tuple[Ints, Ints]:
    """(n,) places and (n, κ) own places; a third are at home, a fifth at work, some have none."""
    rng = np.random.default_rng(4)
    own = rng.choice([-1, 1, 2, 3, 5], size=(n, TAGS), p=[0.1, 0.4, 0.2, 0.2, 0.1])
    x = rng.integers(0, K, n)
    doing = rng.random(n)
    x = np.where((doing < 0.33) & (own[:, 0] >= 0), own[:, 0], x)
    return np.where((doing > 0.8) & (own[:, 1] >= 0), own[:, 1], x), own


def behind_tags(tagged: Ints, x: Ints) -> Floats:
    """(κ, k) where the people behind each tag really are."""
    rows = [np.bincount(x[tagged == K + tag], minlength=K) for tag in range(TAGS)]
    return np.stack([row / row.sum() for row in rows])


def test_the_right_background_makes_it_unbiased_and_a_wrong_one_is_told_exactly() -> None:
    mechanism = personalised()
    x, own = people(5000)
    shares = mechanism.histogram(x, own) / 5000
    truth = np.bincount(x, minlength=K) / 5000
    true = behind_tags(mechanism.add_tags(x, own), x)
    np.testing.assert_allclose(mechanism.expected_estimate(shares, true), truth, rtol=0, atol=1e-12)
    for wrong in (uniform_background(TAGS, ~mechanism.sensitive), some_background(5)):
        bias = background_bias(shares[K:], true, wrong)
        expected = mechanism.expected_estimate(shares, wrong)
        np.testing.assert_allclose(expected - truth, bias.per_symbol, rtol=0, atol=1e-12)
        assert bias.total_variation == pytest.approx(0.5 * np.abs(expected - truth).sum())
        apart = shares[K:] @ (0.5 * np.abs(wrong - true).sum(axis=1))
        assert 0.01 < bias.total_variation <= apart + 1e-12
        assert abs(bias.per_symbol.sum()) < 1e-12
    right = background_bias(shares[K:], true, true)
    assert right.total_variation == 0


@pytest.mark.slow
def test_sampled_tallies_and_reports_have_one_law() -> None:
    """400 draws each of 2,000 people: shifts of 0.58 spreads are found (see `check_one_law`).

    A histogram that forgets the tags moves 600 people of 2,000: many spreads.
    """
    mechanism, background = personalised(), some_background()
    x, own = people(2000)
    counts = mechanism.histogram(x, own)
    rng = np.random.default_rng(7)

    def of_reports() -> Floats:
        reports = mechanism.privatize(x, own, rng)
        return mechanism.estimate(mechanism.tally(reports), background)

    def sampled(people: Ints) -> Floats:
        tally = mechanism.sample_tally(people, rng)
        assert tally.n == 2000
        return mechanism.estimate(tally, background)

    reported = np.stack([of_reports() for _ in range(400)])
    assert_same_law(np.stack([sampled(counts) for _ in range(400)]), reported, SIGNIFICANCE)
    untagged = np.bincount(x, minlength=K + TAGS)
    with pytest.raises(AssertionError):
        assert_same_law(np.stack([sampled(untagged) for _ in range(400)]), reported, SIGNIFICANCE)


def test_a_client_draws_from_the_operating_system() -> None:
    report = personalised(epsilon=20.0).client_report(3, (3, -1))
    assert report.shape == (1,)


@pytest.mark.parametrize("own", [[-3, 0], [K, 0], [0], [0, 1, 2], [0.0, 1.0], [], ["0", "1"]])
def test_nothing_is_promised_for_places_that_are_none(own: list[int]) -> None:
    for promised in (personalised().user_policy, personalised().user_channel):
        with pytest.raises(CaldpError, match="own must"):
            promised(own)


@pytest.mark.parametrize("flags", [["False", "True"], [0, 1], [[True], [False]], True])
def test_only_booleans_say_what_is_sensitive(flags: object) -> None:
    with pytest.raises(CaldpError, match="sensitive must be one boolean per symbol"):
        UserMechanism(flags, 1, 1.0, "hadamard", HadamardOracles)  # type: ignore[arg-type]


def test_what_is_refused() -> None:
    mechanism = personalised()
    rng = np.random.default_rng(0)
    for own, words in (
        ([[0, 6]], r"\[0, 5\], or −1"),
        ([[0, -2]], "−1 for none"),
        ([[0]], "1 row of 2 whole numbers"),
        ([[0.5, 1.0]], "whole numbers"),
    ):
        with pytest.raises(CaldpError, match=words):
            mechanism.privatize([0], own, rng)
    tally = mechanism.tally(mechanism.privatize([1], [[1, 1]], rng))
    with pytest.raises(CaldpError, match="sensitive for everybody"):
        mechanism.estimate(tally, np.full((TAGS, K), 1 / K))
    with pytest.raises(CaldpError, match=r"shape \(2, 6\)"):
        mechanism.estimate(tally, np.array([[0.5, 0.5]]))
    with pytest.raises(CaldpError, match="tags must be"):
        UserMechanism(SENSITIVE, 0, 1.0, "hadamard", HadamardOracles)
    with pytest.raises(CaldpError, match="population must be positive"):
        population_background(1, SENSITIVE * 1.0, ~SENSITIVE)
    with pytest.raises(CaldpError, match="one shape"):
        background_bias([0.1], some_background(), some_background())


TAGGED_SENSITIVE = np.array([True, False, False, True, False])
SHARES = (0.4, 0.2)
P = np.array([0.1, 0.4, 0.2, 0.1, 0.2])


def policy_of(background: Floats | None = None, shares: Any = SHARES) -> PersonalPolicy:
    if background is None:
        background = uniform_background(len(shares), ~TAGGED_SENSITIVE)
    return PersonalPolicy.of(TAGGED_SENSITIVE, shares, background, 1.0)


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


class NobodyAtHome(TaggedMechanism):
    """Devices forget the tags."""

    def _tagged(self, symbols: Ints, words: WordSource) -> Ints:
        return symbols


class SwappedTags(TaggedMechanism):
    """The simulation gives tags each other's people."""

    def sample_tally(self, counts: Any, rng: Any) -> Any:
        other = PersonalPolicy.of(TAGGED_SENSITIVE, SHARES[::-1], self.policy.background, 1.0)
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
        PersonalPolicy.of(TAGGED_SENSITIVE, SHARES, np.full((1, 5), 0.2), 1.0)
    with pytest.raises(CaldpError, match="epsilon must be a number"):
        PersonalPolicy.of(TAGGED_SENSITIVE, SHARES, uniform_background(2, ~TAGGED_SENSITIVE), 0.0)


def test_backgrounds() -> None:
    open_symbols = ~SENSITIVE
    even = [0, 0.25, 0.25, 0.25, 0, 0.25]
    np.testing.assert_allclose(uniform_background(2, open_symbols), [even, even])
    np.testing.assert_allclose(
        population_background(1, [9, 1, 2, 3, 9, 4], open_symbols), [[0, 0.1, 0.2, 0.3, 0, 0.4]]
    )
    np.testing.assert_array_equal(known_background([[0.5, 0.5]]), [[0.5, 0.5]])


@pytest.mark.parametrize("table", [[0.5, 0.5], [[0.5, 0.4]], [[1.5, -0.5]], [[math.nan, 1.0]]])
def test_backgrounds_that_are_none(table: object) -> None:
    with pytest.raises(CaldpError, match="background must"):
        known_background(table)  # type: ignore[arg-type]
