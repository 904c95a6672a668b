"""What an attacker may believe, guess and tell apart, against written-out channels."""

import math
from dataclasses import asdict
from fractions import Fraction
from itertools import cycle, permutations
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit import inference
from caldp_core.audit.adversary import (
    PairOdds,
    claimed_region,
    error_vertex,
    even_guess,
    guess_accuracy,
    max_guess_accuracy,
    pair_odds,
    posterior,
    reached_region,
)
from caldp_core.audit.inference import (
    Beliefs,
    best_guess,
    channel_beliefs,
    credible_set,
    easiest_guess,
    likelihood,
    max_posterior,
    policy_beliefs,
    policy_beliefs_of_value,
    posterior_after_reports,
)
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.experiments.forecast import epsilon_against_guesses
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms import FAMILIES, Mechanism, catalogue
from caldp_core.mechanisms.capabilities import HasJointSupports, HasSupportForm
from caldp_core.mechanisms.catalogue import MechanismEntry, mechanisms_for
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.mechanisms.personalised import PersonalisedMechanism, uniform_background
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix, closure, coverage
from caldp_core.scenarios.scenario import Scenario
from tests import ROOT
from tests.channels import best_guess_of_channel, least_weighted_error
from tests.contract.checks import CONTEXTS, channel_of, context, naming, single_tallies
from tests.contract.test_contract import POLICIES
from tests.strategies import thinned

ALSO: Final = ("plain", "sensitive set", "one ε per block")
PAIRS: Final = [
    pytest.param(policy, entry, id=f"{kind}, {entry.name}")
    for kind, policy in {**POLICIES, **{name: context(name, 1.0) for name in ALSO}}.items()
    for entry in mechanisms_for(policy)
]
EVERY: Final = pytest.mark.parametrize(("policy", "entry"), PAIRS)
NEARLY: Final = 1e-9


def prior_of(k: int) -> Floats:
    return np.random.default_rng(5).dirichlet(np.ones(k))


def by_bayes(channel: Floats, prior: Floats, outputs: list[int]) -> Floats:
    joint = prior * np.prod(channel[:, outputs], axis=1)
    return np.asarray(joint / joint.sum())


@EVERY
def test_every_report_is_as_likely_as_the_channel_says(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    mechanism = entry.make(policy)
    channel = channel_of(mechanism)
    tallies = single_tallies(mechanism)
    some = np.random.default_rng(2).permutation(len(tallies))[:60]
    for y in some.tolist():
        if not channel[:, y].any():
            continue
        found = likelihood(mechanism, tallies[y])
        found = found / found.sum() * channel[:, y].sum()
        np.testing.assert_allclose(found, channel[:, y], rtol=1e-6, atol=1e-14)


@EVERY
def test_two_reports_lead_where_bayes_leads_and_no_further_than_the_promise(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    mechanism = entry.make(policy)
    channel, tallies, prior = channel_of(mechanism), single_tallies(mechanism), prior_of(policy.k)
    rng = np.random.default_rng(8)
    for x in rng.permutation(policy.k)[:3].tolist():
        pair = rng.choice(mechanism.outputs, 2, p=channel[x] / channel[x].sum()).tolist()
        for reports in (pair[:1], pair):
            found = posterior_after_reports(mechanism, prior, [tallies[y] for y in reports])
            np.testing.assert_allclose(found, by_bayes(channel, prior, reports), rtol=1e-6)
            for s in range(policy.k):
                most = max_posterior(policy, prior, s, len(reports))
                assert found[s] <= most * (1 + NEARLY)


def test_a_stronger_channel_goes_beyond_the_promise() -> None:
    weaker, prior = Context.plain(7, 1.0), prior_of(7)
    mechanism = catalogue.in_context(Context.plain(7, 1.1), "randomized-response")
    after = posterior_after_reports(mechanism, prior, single_tallies(mechanism)[:1])
    assert after[0] > max_posterior(weaker, prior, 0) * 1.01


def test_the_promise_is_reached_and_adds_up() -> None:
    policy, prior = Context.plain(2, 1.0), np.array([0.5, 0.5])
    mechanism = catalogue.in_context(policy, "randomized-response")
    report = single_tallies(mechanism)[0]
    for m in (1, 2, 5):
        most = max_posterior(policy, prior, 0, m)
        assert most == pytest.approx(max_guess_accuracy(1.0, m))
        assert posterior_after_reports(mechanism, prior, [report] * m)[0] == pytest.approx(most)
    assert max_posterior(policy, prior, 0, 0) == 0.5


@EVERY
def test_two_symbols_are_told_apart_as_the_channel_allows(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    mechanism = entry.make(policy)
    channel = channel_of(mechanism)
    pairs = list(permutations(range(policy.k), 2))[:40]
    for (x, other), w in zip(pairs, cycle((0.5, 0.2)), strict=False):
        two = np.zeros(policy.k)
        two[[x, other]] = w, 1 - w
        expected = float((two[:, None] * channel).max(axis=0).sum())
        assert guess_accuracy(mechanism, x, other, w) == pytest.approx(expected, abs=1e-9)


TAGGED: Final = PersonalPolicy.of(
    np.array([True, False, False, True, False]),
    (0.4, 0.2),
    uniform_background(2, np.array([False, True, True, False, True])),
    1.0,
)


@pytest.mark.parametrize("family", ["hadamard", "randomized-response", "rappor"])
def test_reports_of_people_with_tags_lead_where_bayes_leads(family: str) -> None:
    """By all that may be true of a person: their place, and which of their own it is, if any."""
    mechanism = FAMILIES[family].spec().make(TAGGED)
    assert isinstance(mechanism, PersonalisedMechanism)
    common, channel = channel_of(mechanism.common), channel_of(mechanism)
    tallies, prior = single_tallies(mechanism), prior_of(TAGGED.k)
    own = np.where(TAGGED.sensitive[:, None], 0.0, TAGGED.shares)
    apart = []
    for y in np.random.default_rng(4).permutation(len(tallies))[:12].tolist():
        for reports in ([y], [y, y], [y, 0, y]):
            if not channel[:, reports].all(axis=1).any():
                continue
            of = common[:, reports].prod(axis=1)
            joint = prior * ((1.0 - own.sum(axis=1)) * of[: TAGGED.k] + own @ of[TAGGED.k :])
            found = posterior_after_reports(mechanism, prior, [tallies[each] for each in reports])
            np.testing.assert_allclose(found, joint / joint.sum(), rtol=1e-9)
            redrawn = prior * np.prod([likelihood(mechanism, tallies[r]) for r in reports], axis=0)
            apart.append(float(np.abs(found - redrawn / redrawn.sum()).max()))
            if len(reports) == 1:
                np.testing.assert_allclose(found, by_bayes(channel, prior, [y]), rtol=1e-6)
    # Whoever drew anew for each report whether they are at home would be believed otherwise.
    assert max(apart) > 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_a_map_of_43_750_places(family: str) -> None:
    rng, k = np.random.default_rng(3), 43_750
    blocks = np.arange(k) // 50
    policy = Context.of(blocks, rng.random(k) < 0.7, 1.0)
    mechanism: Mechanism = catalogue.in_context(policy, family)
    prior = rng.dirichlet(np.ones(k))
    x = int(np.flatnonzero(policy.sensitive)[10])
    reports = [mechanism.tally(mechanism.privatize(np.array([x]), rng)) for _ in range(40)]
    after = posterior_after_reports(mechanism, prior, reports)
    assert after.sum() == pytest.approx(1.0)
    assert not after[blocks != blocks[x]].any()
    assert after[x] > 0.5 > prior[x]  # 40 fresh reports leave little hidden
    assert after[x] <= max_posterior(policy, prior, x, 40) * (1 + NEARLY)
    other = int(np.flatnonzero((blocks == blocks[x]) & policy.sensitive)[0])
    assert 0.5 < guess_accuracy(mechanism, x, other) <= max_guess_accuracy(1.0) + NEARLY


def test_the_likeliest_are_the_fewest() -> None:
    after = np.array([0.1, 0.5, 0.0, 0.4])
    assert credible_set(after, 0.9).tolist() == [1, 3]
    assert credible_set(after, 0.95).tolist() == [1, 3, 0]
    assert credible_set(after, 0.3).tolist() == [1]


def test_bad_input_is_told_in_a_sentence() -> None:
    mechanism = catalogue.in_context(Context.plain(7, 1.0), "hadamard")
    one = mechanism.tally(mechanism.every_report()[:1])
    with pytest.raises(CaldpError, match=r"prior must be shares .* sum to 1, got a sum of 7"):
        posterior_after_reports(mechanism, np.ones(7), [one])
    with pytest.raises(CaldpError, match="n = 2"):
        likelihood(mechanism, one + one)
    blocks = catalogue.in_context(Context.block_structured([0, 0, 1, 1], 1.0), "hadamard")
    far = [blocks.tally(blocks.privatize(np.array([x]), np.random.default_rng(1))) for x in (0, 3)]
    with pytest.raises(CaldpError, match="impossible under this prior"):
        posterior_after_reports(blocks, np.full(4, 0.25), far)


K = 7
BELIEFS_CONTEXTS = {
    "plain": Context.plain(K, 1.0),
    "high-low": Context.high_low(np.arange(K) < 3, 0.7),
    "blocks": Context.block_structured([0, 0, 0, 1, 1, 1, 1], [1.0, 2.0]),
    "both": Context.of([0, 0, 0, 1, 1, 1, 2], np.arange(K) % 3 != 1, 1.5),
}
SINGLE: Bools = np.eye(K, dtype=np.bool_)
BELIEFS_PAIRS: Bools = SINGLE | np.roll(SINGLE, 1, axis=1)
BELIEFS_NEARLY = 1e-12
"""Thresholds of coins are rounded to the private side, and floats by less than this."""


def a_prior() -> Floats:
    return np.random.default_rng(7).dirichlet(np.ones(K))


@pytest.mark.parametrize("name", BELIEFS_CONTEXTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_no_channel_leads_beyond_the_promise(name: str, family: str) -> None:
    context, prior = BELIEFS_CONTEXTS[name], a_prior()
    channel = catalogue.in_context(context, family).exact_channel()
    groups = np.concatenate([SINGLE, BELIEFS_PAIRS])
    for group, found in zip(groups, channel_beliefs(channel, prior, groups), strict=True):
        bound = policy_beliefs(context, prior, group)
        assert bound.before == pytest.approx(found.before)
        assert bound.least - BELIEFS_NEARLY <= found.least <= found.before + BELIEFS_NEARLY
        assert found.before - BELIEFS_NEARLY <= found.most <= bound.most + BELIEFS_NEARLY


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


BELIEFS_POLICIES: dict[str, PrivacyMatrix] = {
    "line": GridMetric(1, K, 0.5, 0.5),
    "matrix": DenseMatrix.of(np.array([[0.0, 1.0], [np.inf, 0.0]])),
}


@pytest.mark.parametrize("name", BELIEFS_POLICIES)
def test_channels_of_any_policy_stay_within_the_promise_of_each_value(name: str) -> None:
    policy = BELIEFS_POLICIES[name]
    prior = np.random.default_rng(7).dirichlet(np.ones(policy.k))
    groups: Bools = np.eye(policy.k, dtype=np.bool_)
    for entry in mechanisms_for(policy):
        mechanism = entry.make(policy)
        for x, found in enumerate(channel_beliefs(mechanism.exact_channel(), prior, groups)):
            bound = policy_beliefs_of_value(policy, prior, x)
            assert bound.before == pytest.approx(found.before)
            assert bound.least - BELIEFS_NEARLY <= found.least
            assert found.most <= bound.most + BELIEFS_NEARLY
    if name == "line":  # half as secret: beyond the promise
        bold = GridMetric(1, K, 1.0, 1.0)
        channel = mechanisms_for(bold)[0].make(bold).exact_channel()
        (found, *_) = channel_beliefs(channel, prior, groups)
        assert found.most > policy_beliefs_of_value(policy, prior, 0).most + 0.01


def test_of_two_values_and_in_plain_ldp_both_ways_to_the_promise_agree() -> None:
    prior = a_prior()
    for x in range(K):
        of_group = policy_beliefs(BELIEFS_CONTEXTS["plain"], prior, SINGLE[x])
        of_value = policy_beliefs_of_value(BELIEFS_CONTEXTS["plain"], prior, x)
        assert of_value.most == pytest.approx(of_group.most)
        assert of_value.least == pytest.approx(of_group.least)


@pytest.mark.parametrize("family", ["hadamard", "subset-selection"])
def test_single_values_by_another_way(family: str) -> None:
    context = BELIEFS_CONTEXTS["high-low"]
    channel = catalogue.in_context(context, family).exact_channel()
    shares = [Fraction(i + 1, K * (K + 1) // 2) for i in range(K)]
    found = channel_beliefs(channel, np.array(shares, dtype=np.float64), SINGLE)
    outputs = range(len(channel[0]))
    support = [y for y in outputs if any(row[y] for row in channel)]
    for x in range(K):
        after = [float(posterior(channel, context, shares, y)[x]) for y in support]
        assert (found[x].least, found[x].most) == pytest.approx((min(after), max(after)))


@pytest.mark.parametrize("name", BELIEFS_CONTEXTS)
def test_the_promise_of_single_values_is_that_of_the_whole_matrix(name: str) -> None:
    context, prior = BELIEFS_CONTEXTS[name], a_prior()
    for x in range(K):
        wanted = max_posterior(context, prior, x)
        assert policy_beliefs(context, prior, SINGLE[x]).most == pytest.approx(wanted)


def test_what_is_not_hidden_may_be_read_and_what_is_alone_too() -> None:
    prior = a_prior()
    bare = policy_beliefs(BELIEFS_CONTEXTS["high-low"], prior, SINGLE[5])
    assert (bare.least, bare.most) == (0.0, 1.0)
    hidden = policy_beliefs(BELIEFS_CONTEXTS["high-low"], prior, SINGLE[0])
    assert hidden.least == 0.0  # a report in the clear rules it out
    assert hidden.before < hidden.most < 1.0
    assert policy_beliefs(BELIEFS_CONTEXTS["both"], prior, SINGLE[6]).most == 1.0
    plain = policy_beliefs(BELIEFS_CONTEXTS["plain"], prior, SINGLE[0])
    assert 0.0 < plain.least < plain.before < plain.most < 1.0


def test_nobody_and_everybody_stay_what_they_are() -> None:
    prior = np.r_[0.0, np.full(K - 1, 1 / (K - 1))]
    assert policy_beliefs(BELIEFS_CONTEXTS["plain"], prior, SINGLE[0]) == Beliefs(0.0, 0.0, 0.0)
    everybody = policy_beliefs(BELIEFS_CONTEXTS["plain"], prior, np.ones(K, np.bool_))
    assert (everybody.least, everybody.most) == (1.0, 1.0)


def test_a_prior_of_another_size_is_an_error() -> None:
    channel = catalogue.in_context(BELIEFS_CONTEXTS["plain"], "hadamard").exact_channel()
    with pytest.raises(CaldpError, match="one share for each of the 7 values, got 3"):
        channel_beliefs(channel, np.ones(3) / 3, SINGLE)


LEVELS = st.floats(0, 20) | st.just(math.inf)


@given(LEVELS, LEVELS)
def test_it_is_one_minus_half_the_errors_at_the_corner(a: float, b: float) -> None:
    corner = error_vertex(BinaryPolicy(a, b))
    expected = 1 - (corner.false_alarm + corner.missed) / 2
    assert float(even_guess(a, b)) == pytest.approx(expected, abs=1e-12)


@given(st.floats(0, 20))
def test_its_limits_are_those_by_hand(a: float) -> None:
    assert float(even_guess(a, a)) == pytest.approx(max_guess_accuracy(a), abs=1e-12)
    assert float(even_guess(a, math.inf)) == pytest.approx(1 - math.exp(-a) / 2, abs=1e-12)
    assert float(even_guess(math.inf, math.inf)) == 1.0
    assert float(even_guess(0.0, a)) == 0.5


@given(st.floats(0.001, 5), st.floats(0.001, 5), st.integers(1, 9))
def test_reports_add_up_both_ways(a: float, b: float, m: int) -> None:
    assert float(even_guess(a, b, m)) == pytest.approx(float(even_guess(m * a, m * b)))


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.5, 2.0), (3.0, math.inf), (math.inf, 0.3)])
def test_theorem_2s_mechanism_reaches_it(a: float, b: float) -> None:
    mechanism = BinaryMechanism(BinaryPolicy(a, b))
    found = best_guess_of_channel(mechanism.exact_channel(), np.full(2, 0.5), np.ones(2, np.bool_))
    assert found.after == pytest.approx(float(even_guess(a, b)), abs=1e-9)


def over_every_pair(policy: PrivacyMatrix) -> PairOdds:
    """By going through all pairs of the closure."""
    levels = closure(policy).entries
    found: dict[int, list[float]] = {0: [], 1: [], 2: []}
    for x in range(policy.k):
        for other in range(x):
            pair = float(levels[x, other]), float(levels[other, x])
            found[sum(map(math.isfinite, pair))].append(float(even_guess(*pair)))
    return PairOdds(max(found[2], default=None), max(found[1], default=None))


@st.composite
def contexts(draw: st.DrawFn) -> Context:
    k = draw(st.integers(1, 9))
    labels = np.unique(draw(st.lists(st.integers(0, 3), min_size=k, max_size=k)), False, True)[1]
    flags = np.array(draw(st.lists(st.booleans(), min_size=k, max_size=k)))
    m = int(labels.max()) + 1
    levels = draw(st.lists(st.floats(0.001, 20), min_size=m, max_size=m))
    return Context.of(labels, flags, levels)


@given(contexts())
def test_a_context_is_told_without_its_matrix(context: Context) -> None:
    odds, expected = pair_odds(context), over_every_pair(context)
    assert odds.protected == expected.protected == bool(context.hidden().any())
    for each, other in (
        (odds.both_ways, expected.both_ways),
        (odds.one_way, expected.one_way),
        (odds.largest, expected.largest),
    ):
        assert each == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize(
    "policy",
    [
        GridMetric(3, 4, 0.3, 0.7),
        EuclideanMetric(3, 4, 0.3, 0.7),
        GridMetric(1, 1, 1.0, 1.0),
        BinaryPolicy(0.4, math.inf),
        PersonalPolicy.of(np.eye(4)[0] > 0, (0.5,), np.array([[0.0, 0.5, 0.5, 0.0]]), 1.3),
    ],
    ids=lambda policy: type(policy).__name__,
)
def test_other_policies_too(policy: PrivacyMatrix) -> None:
    whole = policy.with_tags() if isinstance(policy, PersonalPolicy) else policy
    odds, expected = pair_odds(policy), over_every_pair(whole)
    assert odds.both_ways == pytest.approx(expected.both_ways)
    assert odds.one_way == pytest.approx(expected.one_way)


def test_a_bound_by_way_of_a_third_value_counts() -> None:
    free = np.inf
    levels = DenseMatrix.of([[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    odds = pair_odds(levels)
    assert odds.both_ways == pytest.approx(max_guess_accuracy(2.0))
    assert odds.one_way is None
    open_one = DenseMatrix.of([[0, 1, free], [free, 0, free], [free, free, 0]])
    odds = pair_odds(open_one)
    assert odds.both_ways is None
    assert odds.one_way == pytest.approx(1 - math.exp(-1) / 2)


def test_what_is_no_level_is_refused() -> None:
    for wrong in (-1.0, math.nan):
        with pytest.raises(CaldpError, match="must be in"):
            even_guess(wrong, 1.0)
    with pytest.raises(CaldpError, match="reports"):
        even_guess(1.0, 1.0, 0)


REGIONS_NEARLY = 1e-9
SOME = pytest.mark.parametrize(("family", "kind"), thinned(FAMILIES, CONTEXTS, one_in=3))
OVERLAP_FAMILIES = [family for family in FAMILIES if family != "local-hashing"]
"""Families that tell how their reports overlap."""


def supports(line: Floats, weight: float) -> float:
    """Least P_FA + weight·P_MD on a line of corners."""
    return float((line[:, 0] + weight * line[:, 1]).min())


def gap_to_claim(claimed: Floats, reached: Floats) -> float:
    """How far the reached line stays above the claimed one at most, in P_MD at equal P_FA."""
    at = np.unique(np.concatenate([claimed[:, 0], reached[:, 0]]))
    lines = [np.interp(at, line[:, 0], _lowest(line)) for line in (claimed, reached)]
    return float((lines[1] - lines[0]).max())


def _lowest(line: Floats) -> Floats:
    """P_MD of each corner; of corners at one P_FA the lowest, as `interp` takes any of them."""
    return np.array([line[line[:, 0] == fa, 1].min() for fa in line[:, 0]])


@SOME
def test_the_region_reached_is_that_of_the_exact_channel(family: str, kind: str) -> None:
    """Convex regions are compared by their support: min P_FA + w·P_MD, here in rationals."""
    mechanism = catalogue.in_context(context(kind, 1.0), family)
    channel = mechanism.exact_channel()
    for x, other in list(permutations(range(mechanism.k), 2))[::7]:
        line = reached_region(mechanism, x, other)
        assert (np.diff(line[:, 0]) >= 0).all()
        assert (np.diff(line[:, 1]) <= REGIONS_NEARLY).all()
        for weight in (Fraction(1, 9), Fraction(1, 2), Fraction(1), Fraction(5, 2), Fraction(9)):
            exact = float(least_weighted_error(channel, x, other, weight))
            with naming(f"{x} against {other}, weight {weight}"):
                assert supports(line, float(weight)) == pytest.approx(exact, abs=REGIONS_NEARLY)
        assert guess_accuracy(mechanism, x, other) == pytest.approx(
            1 - supports(line, 1.0) / 2, abs=REGIONS_NEARLY
        )
        assert gap_to_claim(claimed_region(mechanism.policy, x, other), line) >= -REGIONS_NEARLY


@pytest.mark.parametrize("levels", [(1.0, 1.0), (0.3, 2.0), (math.inf, 1.0), (2.0, math.inf)])
def test_theorem_2s_mechanism_touches_its_whole_region(levels: tuple[float, float]) -> None:
    policy = BinaryPolicy(*levels)
    line, claimed = reached_region(BinaryMechanism(policy), 0, 1), claimed_region(policy, 0, 1)
    assert gap_to_claim(claimed, line) == pytest.approx(0, abs=REGIONS_NEARLY)
    weaker = BinaryMechanism(BinaryPolicy(*(0.9 * level for level in levels)))
    assert gap_to_claim(claimed, reached_region(weaker, 0, 1)) > 0.01
    stronger = BinaryMechanism(BinaryPolicy(*(1.05 * level for level in levels)))
    line = reached_region(stronger, 0, 1)
    below = np.interp(line[1, 0], claimed[:, 0], claimed[:, 1]) - line[1, 1]
    assert below > 0.003


def test_regions_of_any_matrix() -> None:
    policy = DenseMatrix.of([[0, 1.0, math.inf], [0.5, 0, 0.0], [math.inf, 0.0, 0]])
    np.testing.assert_allclose(claimed_region(policy, 1, 2)[1], [0.5, 0.5])
    np.testing.assert_allclose(claimed_region(policy, 0, 2)[1], [0.0, 0.0])
    fa, md = claimed_region(policy, 0, 1)[1]
    # Theorem 1: the corner is where P_FA + e^{E[x′,x]}·P_MD and e^{E[x,x′]}·P_FA + P_MD are both 1.
    assert fa + math.exp(0.5) * md == pytest.approx(1)
    assert math.exp(1.0) * fa + md == pytest.approx(1)


@pytest.mark.parametrize(("family", "kind"), thinned(OVERLAP_FAMILIES, CONTEXTS, one_in=2))
def test_the_best_guess_is_that_of_the_channel(family: str, kind: str) -> None:
    for epsilon in (0.5, 1.0, 4.0):
        mechanism = catalogue.in_context(context(kind, epsilon), family)
        hidden, channel = mechanism.policy.hidden(), mechanism.exact_channel()
        for seed in range(4):
            prior = np.random.default_rng(seed).dirichlet(np.full(mechanism.k, 0.5))
            found, exact = (
                best_guess(mechanism, prior),
                best_guess_of_channel(channel, prior, hidden),
            )
            with naming(f"ε = {epsilon}, prior {seed}"):
                assert asdict(found) == pytest.approx(asdict(exact), abs=REGIONS_NEARLY)
                joint = prior[:, None] * np.array(channel, dtype=np.float64)
                assert found.after == pytest.approx(joint.max(axis=0).sum())
                whole = found.hidden * prior[hidden].sum() + found.others * prior[~hidden].sum()
                assert whole == pytest.approx(found.after)
                assert found.before <= found.after + REGIONS_NEARLY


def easiest_by_entries(mechanism: Mechanism) -> float:
    """Of the block where it is the largest, each report's best guess among its hidden symbols."""
    policy, channel = mechanism.policy, np.array(mechanism.exact_channel(), dtype=np.float64)
    assert isinstance(policy, Context)
    of_block = [policy.hidden() & (policy.blocks == block) for block in range(policy.m)]
    guesses = [channel[h].max(axis=0).sum() / h.sum() for h in of_block if h.any()]
    return float(max(guesses, default=0.0))


@pytest.mark.parametrize(("family", "kind"), thinned(OVERLAP_FAMILIES, CONTEXTS, one_in=2))
def test_the_easiest_guess_is_that_of_the_channel(family: str, kind: str) -> None:
    for epsilon in (0.5, 1.0, 4.0):
        mechanism = catalogue.in_context(context(kind, epsilon), family)
        found = easiest_guess(mechanism)
        assert found == pytest.approx(easiest_by_entries(mechanism), abs=REGIONS_NEARLY)


@pytest.mark.parametrize(
    "name", ["binary", "designed", "exponential", "grid-geometric", "scale", "local-hashing"]
)
def test_the_easiest_guess_of_a_family_without_a_form_is_that_of_its_channel(name: str) -> None:
    """By a count of right guesses, report by report; the command said to take another family."""
    setup = prepare(Scenario.from_file(ROOT / "examples" / f"{name}.json"))
    mechanism = setup.mechanism
    rows, protected = mechanism.exact_channel(), coverage(mechanism.policy).protected
    policy = mechanism.policy
    blocks = policy.blocks if isinstance(policy, Context) else np.zeros(policy.k)
    right = {
        block: sum(
            max(rows[x][y] for x in np.flatnonzero(protected & (blocks == block)))
            for y in range(len(rows[0]))
        )
        / int((protected & (blocks == block)).sum())
        for block in np.unique(blocks[protected])
    }
    assert easiest_guess(mechanism) == pytest.approx(float(max(right.values())))


def test_how_often_a_guess_on_a_scale_is_right_is_a_goal() -> None:
    setup = prepare(Scenario.from_file(ROOT / "examples" / "scale.json"))
    epsilon = epsilon_against_guesses(setup, 0.2)
    assert epsilon is not None
    guesses = [
        easiest_guess(prepare(setup.scenario.with_epsilon(e)).mechanism)
        for e in (epsilon, epsilon * 1.02)
    ]
    assert guesses[0] <= 0.2 < guesses[1]


def test_of_more_rows_than_are_read_the_guess_is_what_any_channel_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy = Context.of(np.arange(40) // 20, np.ones(40, np.bool_), [0.5, 2.0])
    mechanism = catalogue.in_context(policy, "hadamard")
    exact = easiest_guess(mechanism)
    monkeypatch.setattr(inference, "_ROWS_MAX", 1)
    most = math.exp(2) / (math.exp(2) + 19)
    assert exact < easiest_guess(mechanism) == pytest.approx(most)
    reaches = catalogue.in_context(policy, "randomized-response")
    assert easiest_guess(reaches) == pytest.approx(most)
    assert easiest_by_entries(reaches) == pytest.approx(most)


@pytest.mark.parametrize("family", ["randomized-response", "rappor", "subset-selection", "galois"])
def test_guesses_at_any_epsilon_are_those_of_the_form(family: catalogue.MechanismName) -> None:
    """Weights from floats against the coins' own fractions, where reports hardly lie, too."""
    for epsilon in (0.01, 1.0, 8.0, 20.0):
        mechanism = catalogue.in_context(Context.plain(5_000, epsilon), family)
        assert isinstance(mechanism.oracles, HasJointSupports)
        none = float(mechanism.oracles.none_included(0, np.arange(5_000))[-1])
        if isinstance(mechanism.oracles, HasSupportForm):
            form = mechanism.oracles.support_form(0)
            included, excluded = float(form.included), float(form.excluded)
        else:  # a report names one value: its own e^ε times as often as another
            included = 5_000 * math.exp(epsilon) / (math.exp(epsilon) + 4_999)
            excluded = 0.0
        right = (included * (1 - none) + excluded * none) / 5_000
        assert easiest_guess(mechanism) == pytest.approx(right, rel=1e-6)


def test_where_nothing_is_hidden_there_is_nothing_to_guess() -> None:
    nobody = Context.high_low(np.zeros(4, np.bool_), 1.0)
    assert easiest_guess(catalogue.in_context(nobody, "hadamard")) == 0.0
    with pytest.raises(CaldpError, match="does not tell how its reports overlap"):
        best_guess(catalogue.in_context(Context.plain(5, 1.0), "local-hashing"), np.full(5, 0.2))


def test_who_is_protected_is_guessed_less_often_than_who_is_not() -> None:
    even = np.full(40, 1 / 40)
    found = best_guess(
        catalogue.in_context(Context.high_low(np.arange(40) < 20, 1.0), "hadamard"), even
    )
    assert found.others > 0.4 > 4 * found.hidden
    rr = best_guess(catalogue.in_context(Context.plain(40, 1.0), "randomized-response"), even)
    assert rr.after == rr.hidden == pytest.approx(np.e / (np.e + 39))
    assert rr.others == 0.0


def test_more_symbols_than_rows_are_read_can_be_the_guess() -> None:
    """An even prior, where each symbol is the guess of a report; by all entries of the channel."""
    k = 5000
    mechanism = catalogue.in_context(Context.plain(k, 5.0), "galois")
    prior = np.random.default_rng(6).dirichlet(np.full(k, 50.0))
    oracles: Any = mechanism.oracles
    best = np.zeros(oracles.outputs)
    for start in range(0, k, 50):
        rows = oracles.channel_rows(0, start, start + 50)
        chances = np.array([value / rows.denominator for value in rows.values])[rows.codes]
        np.maximum(best, (prior[start : start + 50, None] * chances).max(axis=0), out=best)
    assert best_guess(mechanism, prior).after == pytest.approx(best.sum(), rel=1e-12)


def test_large_maps() -> None:
    rng, k = np.random.default_rng(5), 43_750
    policy = Context.of(np.arange(k) // 900, np.ones(k, np.bool_), 1.0)
    prior = rng.dirichlet(np.full(k, 0.1))
    by_block = np.array([prior[policy.blocks == j].max() for j in range(policy.m)])
    for family in OVERLAP_FAMILIES:
        found = best_guess(catalogue.in_context(policy, family), prior)
        assert by_block.sum() <= found.after <= math.e * by_block.sum()
