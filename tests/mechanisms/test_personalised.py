"""The personalised mechanism: what a user is promised, what stays unseen, and what is estimated."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.personalised import (
    background_bias,
    population_background,
    uniform_background,
)
from tests.contract import checks
from tests.mechanisms.personal_users import UserMechanism
from tests.stats import SIGNIFICANCE, assert_same_law

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


@FAMILY
def test_estimates_of_many_people_meet_the_truth(family: str) -> None:
    # Beyond 6 standard deviations once in 10^9; sampling is not drawn here, so even less often.
    # A uniform background instead of the true one is off by more than 10 of them.
    mechanism = personalised(family)
    x, own = people(200_000)
    truth = np.bincount(x, minlength=K) / x.size
    tagged = mechanism.add_tags(x, own)
    true = behind_tags(tagged, x)
    tally = mechanism.tally(mechanism.privatize(x, own, np.random.default_rng(6)))
    assert tally.n == x.size
    shares = mechanism.histogram(x, own) / x.size
    spread = np.sqrt(mechanism.variance(shares, true, x.size))
    assert (np.abs(mechanism.estimate(tally, true) - truth) < 6 * spread).all()
    wrong = mechanism.estimate(tally, uniform_background(TAGS, ~mechanism.sensitive))
    assert (np.abs(wrong - truth) > 10 * spread).any()


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


def test_a_map_of_cells() -> None:
    k, n = 43_750, 100_000
    rng = np.random.default_rng(8)
    own = rng.integers(0, k, (n, TAGS))
    x = np.where(rng.random(n) < 0.5, own[:, 0], rng.integers(0, k, n))
    mechanism = UserMechanism(np.arange(k) < 100, TAGS, 1.0, "hadamard", HadamardOracles)
    tally = mechanism.tally(mechanism.privatize(x, own, rng))
    background = population_background(
        TAGS, np.bincount(x, minlength=k) + 1.0, ~mechanism.sensitive
    )
    shares = mechanism.histogram(x, own) / n
    estimate = mechanism.estimate(tally, background)
    # 8 spreads: a normal error goes beyond it in one of 43,750 cells once in 10^10; the tags'
    # noise is normal to many digits, and people in the clear are fixed, so less spread out.
    z = (estimate - mechanism.expected_estimate(shares, background)) / np.sqrt(
        np.maximum(mechanism.variance(shares, background, n), 1e-30)
    )
    assert np.abs(z).max() < 8
    assert shares[k] > 0.45


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
