"""Mechanisms for few values: binary, exponential, square wave; formulas, limits and draws."""

import itertools
import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from caldp_core.audit.adversary import error_vertex
from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.maximum_likelihood import (
    ReportLikelihood,
    maximum_likelihood,
    smoothed_likelihood,
)
from caldp_core.mechanisms.catalogue import Oue
from caldp_core.mechanisms.direct.few_values import (
    WHOLE,
    BinaryMechanism,
    ExponentialMechanism,
    SquareWaveMechanism,
    Wave,
    flip_thresholds,
    half_scale,
    half_width,
    largest_scale,
    privacy_losses,
)
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.distance import DistanceMetric
from caldp_core.privacy.matrix import BinaryPolicy
from tests.channels import exact_audit
from tests.contract import checks
from tests.contract.checks import CONTEXTS, context
from tests.stats import SIGNIFICANCE, assert_fits

INF = math.inf
F = Fraction
LEVELS = (0.01, 1.0, 20.0, INF)
PAIRS = list(itertools.product(LEVELS, LEVELS))
ANY = st.one_of(st.sampled_from([0.0, INF]), st.floats(1e-20, 1e4))
"""Below 1e-20 and above 1e4 the audit's own 60 digits give out; the limits are tested by hand."""
CASES = 100


def binary(epsilon_01: float, epsilon_10: float) -> BinaryMechanism:
    return BinaryMechanism(BinaryPolicy(epsilon_01, epsilon_10))


def equation_9(epsilon_01: float, epsilon_10: float) -> list[list[float]]:
    """(9) as printed, with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        a, b = Decimal(epsilon_01), Decimal(epsilon_10)
        up, down = b.exp(), (-a).exp()
        rows = [[up - 1, 1 - down], [down * (up - 1), up * (1 - down)]]
        return [[float(entry / (up - down)) for entry in row] for row in rows]


def test_the_policy_protects_the_row() -> None:
    np.testing.assert_array_equal(dense(BinaryPolicy(0.5, 2.0)), [[0, 0.5], [2.0, 0]])


@given(ANY, ANY)
def test_the_channel_keeps_every_policy(epsilon_01: float, epsilon_10: float) -> None:
    mechanism = binary(epsilon_01, epsilon_10)
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@given(st.floats(0.01, 30), st.floats(0.01, 30))
def test_the_channel_is_equation_9(epsilon_01: float, epsilon_10: float) -> None:
    channel = checks.channel_of(binary(epsilon_01, epsilon_10))
    # Coins are rounded by less than 2^-48.
    np.testing.assert_allclose(channel, equation_9(epsilon_01, epsilon_10), rtol=0, atol=2.0**-47)


@given(st.floats(0.01, 10), st.floats(0.01, 10), st.sampled_from([(2, 0), (0, 2)]))
def test_no_coin_could_be_smaller(a: float, b: float, less: tuple[int, int]) -> None:
    # A coin two steps lower: 2^48 − G ≤ e^b·(F − 2) would ask e^b·(2 − δ) < 1 of a δ < 1.
    mechanism = binary(a, b)
    f, g = (
        F(whole - step, COIN_ONE)
        for whole, step in zip(flip_thresholds(mechanism.policy), less, strict=True)
    )
    assert not audit_channel([[1 - f, f], [g, 1 - g]], mechanism.policy).holds


@pytest.mark.parametrize(
    ("levels", "flips"),
    [
        ((INF, INF), (0, 0)),
        ((0, 0), (F(1, 2), F(1, 2))),
        ((0, INF), (0, 1)),
        ((INF, 0), (1, 0)),
        ((0, 1), (0, 1)),
        ((5e-324, 5e-324), (F(1, 2), F(1, 2))),
        ((1e308, 1e308), (F(1, COIN_ONE), F(1, COIN_ONE))),
        ((1e308, INF), (0, F(1, COIN_ONE))),
        ((2000.0, 2000.0), (F(1, COIN_ONE), F(1, COIN_ONE))),
    ],
)
def test_limits(levels: tuple[float, float], flips: tuple[F, F]) -> None:
    f, g = flips
    assert binary(*levels).exact_channel() == [[1 - f, f], [g, 1 - g]]


@pytest.mark.parametrize("levels", [(0, 0), (0, 1.0), (1.0, 0), (0, INF), (1e-15, 1e-15)])
def test_where_nothing_can_be_learned_the_estimate_refuses(levels: tuple[float, float]) -> None:
    mechanism = binary(*levels)
    rows = mechanism.exact_channel()
    assert rows[0] == rows[1]
    tally = mechanism.tally(mechanism.privatize([0, 1, 1], np.random.default_rng(0)))
    with pytest.raises(CaldpError, match="Nothing can be learned"):
        mechanism.estimate(tally)
    with pytest.raises(CaldpError, match="Nothing can be learned"):
        mechanism.variance(np.array([0.5, 0.5]), 10)


@pytest.mark.parametrize("levels", PAIRS)
def test_estimate_and_variance_are_the_channel_s(levels: tuple[float, float]) -> None:
    mechanism = binary(*levels)
    checks.check_unbiased(mechanism)
    checks.check_variance(mechanism)


@pytest.mark.parametrize("levels", PAIRS)
def test_reports_follow_the_channel(levels: tuple[float, float]) -> None:
    checks.check_privatize(binary(*levels))


PEOPLE = np.array([70, 40])
DRAWS = 10_000


def law_of_ones(mechanism: BinaryMechanism) -> Floats:
    """(111,) exact law of how many of `PEOPLE` report 1, from the channel."""
    channel = checks.channel_of(mechanism)
    laws = [binom.pmf(np.arange(n + 1), n, q) for n, q in zip(PEOPLE, channel[:, 1], strict=True)]
    return np.convolve(*laws)


def check_tallies(mechanism: BinaryMechanism, drawn_by: BinaryMechanism) -> None:
    """Sampled tallies have the law that the channel's convolution says.

    Swapped coins at (0.3, 3): f = 0.013 and g = 0.73 change places, so the mean number of ones
    moves from 12 to 90; a coin for 5 % more ε moves g by 0.01, hence the mean by 0.3 against a
    standard error of 0.03: rejected by ten of them.
    """
    rng = np.random.default_rng(11)
    tallies = [drawn_by.sample_tally(PEOPLE, rng) for _ in range(DRAWS)]
    assert {tally.n for tally in tallies} == {110}
    ones = np.array([tally.counts for tally in tallies])
    assert (ones.sum(axis=1) == 110).all()
    observed = np.bincount(ones[:, 1], minlength=111)
    assert_fits(observed, DRAWS * law_of_ones(mechanism), SIGNIFICANCE / CASES)


@pytest.mark.parametrize("levels", [(0.3, 3.0), (1.0, 1.0), (INF, 1.0), (0.5, INF), (0.0, 0.0)])
def test_sampled_tallies_have_the_law_of_reports(levels: tuple[float, float]) -> None:
    check_tallies(binary(*levels), binary(*levels))


def test_tallies_of_a_wrong_coin_are_rejected() -> None:
    for wrong in (binary(3.0, 0.3), binary(0.3 * 1.05, 3.0 * 1.05)):
        with pytest.raises(AssertionError):
            check_tallies(binary(0.3, 3.0), wrong)


@pytest.mark.parametrize("wrong", [-0.1, math.nan, "1", True])
def test_levels_that_are_none(wrong: object) -> None:
    with pytest.raises(CaldpError, match="epsilon_10 must be a number"):
        BinaryPolicy(1.0, wrong)  # type: ignore[arg-type]


@given(ANY, ANY)
def test_the_vertex_is_what_the_channel_errs(epsilon_01: float, epsilon_10: float) -> None:
    mechanism = binary(epsilon_01, epsilon_10)
    vertex = error_vertex(mechanism.policy)
    if sum(mechanism.flips) < 1:
        expected = (vertex.missed, vertex.false_alarm)
        np.testing.assert_allclose(mechanism.flips, expected, rtol=0, atol=2.0**-47)


def random_channel(
    rng: np.random.Generator, policy: BinaryPolicy, outputs: int
) -> list[list[Fraction]]:
    """2 × `outputs`: any channel within the policy, from likelihood ratios between its bounds.

    Every Q(y|0)/Q(y|1) lies in [e^{−ε₁₀}, e^{ε₀₁}]; weights make them average to 1 under row 1.
    A hair inside, so that the realised coins, 2^-48 inside too, still lie above.
    """
    least, most = math.exp(-policy.epsilon_10) + 1e-6, math.exp(policy.epsilon_01) - 1e-6
    low = [F(v) for v in rng.uniform(least, 1, size=outputs // 2)]
    high = [F(v) for v in rng.uniform(1, most, size=outputs - outputs // 2)]
    if rng.random() < 0.3:  # also the corners, where only Q* itself can reach
        low, high = [F(least)] * len(low), [F(most)] * len(high)
    masses = [[F(v) for v in rng.random(len(part))] for part in (low, high)]
    means = [
        sum((m * v for m, v in zip(mass, part, strict=True)), F(0)) / sum(mass)
        for mass, part in zip(masses, (low, high), strict=True)
    ]
    share = (means[1] - 1) / (means[1] - means[0])
    one = [share * m / sum(masses[0]) for m in masses[0]]
    one += [(1 - share) * m / sum(masses[1]) for m in masses[1]]
    return [[v * m for v, m in zip(low + high, one, strict=True)], one]


def information(channel: list[list[Fraction]], p1: Fraction) -> Fraction:
    """Fisher information on p₁ of one report; 1/(n·it) is the least variance (Cramér–Rao)."""
    return sum(
        ((b - a) ** 2 / (a + p1 * (b - a)) for a, b in zip(*channel, strict=True)),
        F(0),
    )


def post_processing(
    best: list[list[Fraction]], other: list[list[Fraction]]
) -> list[list[Fraction]]:
    """W with other = best·W, of 2 × 2 and 2 × m: a channel if no entry is negative (Theorem 2)."""
    (a, b), (c, d) = best
    determinant = a * d - b * c
    zero, one = other
    return [
        [(d * y0 - b * y1) / determinant for y0, y1 in zip(zero, one, strict=True)],
        [(a * y1 - c * y0) / determinant for y0, y1 in zip(zero, one, strict=True)],
    ]


@pytest.mark.parametrize("levels", [(0.2, 0.2), (1.0, 1.0), (0.3, 2.0), (3.0, 0.1), (5.0, 4.0)])
@pytest.mark.parametrize("outputs", [2, 3, 6])
def test_every_other_channel_is_made_of_this_one(levels: tuple[float, float], outputs: int) -> None:
    mechanism = binary(*levels)
    best = mechanism.exact_channel()
    rng = np.random.default_rng(outputs)
    for _ in range(100):
        other = random_channel(rng, mechanism.policy, outputs)
        assert audit_channel(other, mechanism.policy).holds
        rule = post_processing(best, other)
        assert all(sum(row) == 1 and min(row) >= 0 for row in rule)
        again = [
            [row[0] * rule[0][y] + row[1] * rule[1][y] for y in range(outputs)] for row in best
        ]
        assert again == other
        for p1 in (F(0), F(1, 5), F(1, 2), F(1)):
            assert information(other, p1) <= information(best, p1)
            variance = mechanism.variance(np.array([1 - p1, p1], np.float64), 1)[1]
            assert variance == pytest.approx(1 / float(information(best, p1)))


@pytest.mark.parametrize("levels", [(1.05, 1.0), (1.0, 1.05)])
def test_a_bolder_channel_is_not_made_of_this_one(levels: tuple[float, float]) -> None:
    best = binary(1.0, 1.0)
    bolder = binary(*levels).exact_channel()
    assert not audit_channel(bolder, best.policy).holds
    rule = post_processing(best.exact_channel(), bolder)
    assert min(min(row) for row in rule) < 0


def line(k: int) -> Floats:
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)


def ring(k: int) -> Floats:
    return np.minimum(line(k), k - line(k))


def points(k: int, seed: int = 0) -> Floats:
    places = np.random.default_rng(seed).normal(size=(k, 2))
    return np.linalg.norm(places[:, None] - places, axis=-1)


def star(k: int) -> Floats:
    """One hub at distance 1 of everybody, all others 2 apart: normalisers differ most."""
    table = np.full((k, k), 2.0)
    table[0] = table[:, 0] = 1.0
    np.fill_diagonal(table, 0.0)
    return table


TABLES = {
    "line": line(6),
    "ring": ring(6),
    "points": points(7),
    "star": star(8),
    "one": line(1),
    "twins": points(4)[np.ix_([0, 1, 1, 3], [0, 1, 1, 3])],
}
TABLE = pytest.mark.parametrize("name", list(TABLES))
INVERTIBLE = pytest.mark.parametrize("name", ["line", "ring", "points", "star", "one"])


def exponential(name: str, epsilon: float = 1.0, **more: Any) -> ExponentialMechanism:
    return ExponentialMechanism(DistanceMetric.of(TABLES[name], epsilon), **more)


@settings(deadline=None)
@given(
    st.sampled_from(list(TABLES)),
    st.floats(1e-3, 50.0),
    st.sampled_from([half_scale, largest_scale]),
)
def test_the_channel_keeps_the_metric(name: str, epsilon: float, scale: Any) -> None:
    mechanism = exponential(name, epsilon, scale=scale)
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@TABLE
def test_the_leak_is_what_the_formula_says(name: str) -> None:
    mechanism = exponential(name, 1.3)
    channel = checks.channel_of(mechanism)
    ratios = np.log(channel[:, None, :] / channel[None, :, :]).max(axis=-1)
    formula = privacy_losses(mechanism.policy.distances, mechanism.scale)
    np.testing.assert_allclose(formula, ratios, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["line", "ring", "points", "star"])
def test_a_larger_scale_would_leak(name: str) -> None:
    policy = DistanceMetric.of(TABLES[name], 1.0)
    worst = exact_audit(ExponentialMechanism(policy)).worst
    assert worst is not None
    assert worst.privacy_loss == pytest.approx(worst.epsilon, rel=1e-6)
    bolder = ExponentialMechanism(policy, scale=lambda p: 1.05 * largest_scale(p))
    assert not audit_channel(bolder.exact_channel(), policy).holds


@INVERTIBLE
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_exponential_estimate_and_variance_are_the_channel_s(name: str, epsilon: float) -> None:
    mechanism = exponential(name, epsilon)
    checks.check_unbiased(mechanism)
    checks.check_variance(mechanism)


@TABLE
def test_exponential_reports_follow_the_channel(name: str) -> None:
    checks.check_privatize(exponential(name))


def check_sampled(mechanism: ExponentialMechanism, drawn_by: ExponentialMechanism) -> None:
    """About 5,000 people: a scale 10 % off moves 2 % of some 600 reports of a cell.

    That is a third of a spread; 1/45 of one is found.
    """
    people = 500 * (1 + np.arange(mechanism.k) % 3)
    checks.check_sampled(mechanism, drawn_by, people, cases=10)


@TABLE
def test_exponential_sampled_tallies_have_the_law_of_reports(name: str) -> None:
    check_sampled(exponential(name), exponential(name))


def test_tallies_of_a_wrong_scale_are_rejected() -> None:
    with pytest.raises(AssertionError):
        check_sampled(exponential("line"), exponential("line", 1.1))


def test_what_is_refused() -> None:
    twins = exponential("twins")
    with pytest.raises(CaldpError, match="can't be estimated"):
        twins.estimate(twins.tally([0, 1]))
    with pytest.raises(CaldpError, match="fewer symbols"):
        ExponentialMechanism(DistanceMetric.of(line(500), 1.0))
    with pytest.raises(CaldpError, match="choose another epsilon"):
        exponential("line", 1e6)
    one, other = exponential("line"), exponential("ring")
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(one.tally([0]))
    assert one.client_report(2).shape == (1,)
    assert math.isclose(one.channel.sum(), 6.0)


STEPS = np.arange(24.0)
HILL = np.exp(-0.5 * np.square((STEPS - 9) / 4.0))
HILL /= HILL.sum()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_width_has_the_largest_information(epsilon: float) -> None:
    """Section 5.3: log((2b + 1)/(2be^ε + 1)) + 2bεe^ε/(2be^ε + 1), b a share of the scale."""
    power = np.exp(epsilon)

    def loss(b: float) -> float:
        near = 2 * b * power
        return -float(np.log((2 * b + 1) / (near + 1)) + near * epsilon / (near + 1))

    best = minimize_scalar(loss, bounds=(0.0, 2.0), method="bounded", options={"xatol": 1e-9}).x
    assert half_width(10**6, epsilon) == pytest.approx(10**6 * best, abs=20)


@pytest.mark.parametrize("kind", CONTEXTS)
def test_the_contract_in_every_context(kind: str) -> None:
    for epsilon in (0.01, 1.0, 20.0):
        made = SquareWaveMechanism(context(kind, epsilon))
        for check in (checks.check_rows, checks.check_audit, checks.check_unbiased):
            check(made)
        checks.check_tight(made)  # type: ignore[arg-type]
        checks.check_variance(made)


def test_a_unit_more_would_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """As high as e^ε allows: all near reports a 2^-60 of themselves higher are too high."""
    made = SquareWaveMechanism(Context.plain(9, 1.0))
    assert exact_audit(made).holds
    right = Wave.of

    def bolder(size: int, epsilon: float) -> Wave:
        wave = right(size, epsilon)
        less = wave.low >> 60
        more, spare = divmod(WHOLE - (size - 1) * (wave.low - less), 2 * wave.half + 1)
        return replace(wave, low=wave.low - less, high=more, spare=spare)

    monkeypatch.setattr(Wave, "of", bolder)
    wrong = SquareWaveMechanism(Context.plain(9, 1.0))
    checks.check_rows(wrong)
    assert not exact_audit(wrong).holds


def test_a_window_that_is_off_by_one_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The channel is what the module says, and reports follow the channel."""
    made = SquareWaveMechanism(Context.plain(6, 1.0))
    checks.check_privatize(made)
    b = half_width(6, 1.0)
    for x, row in enumerate(made.exact_channel()):
        high = [y for y, chance in enumerate(row) if chance > 2 * min(row)]
        assert high == list(range(x, x + 2 * b + 1))
    right = SquareWaveMechanism._reports
    monkeypatch.setattr(
        SquareWaveMechanism,
        "_reports",
        lambda self, x, words: right(self, np.minimum(x + 1, 5), words),
    )
    with pytest.raises(AssertionError):
        checks.check_privatize(made)


def test_both_ways_to_a_tally_have_one_law() -> None:
    checks.check_one_law(SquareWaveMechanism(Context.plain(24, 1.0)), HILL)


def test_blocks_are_told_and_scales_are_their_own() -> None:
    made = SquareWaveMechanism(context("one ε per block", 1.0))
    people = np.arange(1, made.k + 1)
    tally = made.sample_tally(people, np.random.default_rng(1))
    blocks = np.bincount(made.blocks, people)
    assert made.block_counts(tally).tolist() == blocks.tolist()
    whole = SquareWaveMechanism(Context.plain(3, 0.5)).exact_channel()
    of_block = [
        row[: len(whole[0])]
        for row in SquareWaveMechanism(
            Context.block_structured([0, 0, 0, 1, 1], 0.5)
        ).exact_channel()[:3]
    ]
    assert of_block == whole
    assert all(isinstance(chance, Fraction) for chance in whole[0])


def test_too_many_steps_are_refused_in_a_sentence() -> None:
    with pytest.raises(CaldpError, match="take wider steps"):
        SquareWaveMechanism(Context.plain(2_000, 1.0))


def off(found: np.ndarray) -> float:
    """Share of people under the wrong number."""
    return 0.5 * float(np.abs(found - HILL).sum())


def test_smoothing_finds_what_is_smooth() -> None:
    made, rng = SquareWaveMechanism(Context.plain(24, 1.0)), np.random.default_rng(5)
    tallies = [made.sample_tally(rng.multinomial(5_000, HILL), rng) for _ in range(8)]
    found = [Evidence.of(made, tally) for tally in tallies]
    ems, em = (
        [off(way(each)) for each in found] for way in (smoothed_likelihood, maximum_likelihood)
    )
    assert np.mean(ems) < 0.15
    assert np.mean(em) > 2 * np.mean(ems)
    one = smoothed_likelihood(found[0])
    assert (one >= 0).all()
    assert one.sum() == pytest.approx(1.0)


def test_it_ends_where_a_round_of_em_and_smoothing_changes_nothing() -> None:
    """By the definition in a matrix of weights, written out: (1, 2, 1)/4, ends kept."""
    made = SquareWaveMechanism(Context.plain(24, 2.0))
    tally = made.sample_tally((10**6 * HILL).astype(np.int64), np.random.default_rng(2))
    found = smoothed_likelihood(Evidence.of(made, tally))
    weights = 0.5 * np.eye(24) + 0.25 * (np.eye(24, k=1) + np.eye(24, k=-1))
    weights[0, 0] = weights[-1, -1] = 0.75
    likelihood = ReportLikelihood(made.channel_products(), tally.counts / tally.n, tally.n)
    _, slopes = likelihood.slopes(found)
    np.testing.assert_allclose(weights @ (found * slopes), found, atol=2e-5)
    assert not np.allclose(found * slopes, found, atol=2e-5)  # EM alone would go on


def test_borders_of_blocks_and_values_in_the_clear_are_not_smoothed() -> None:
    blocks, flags = np.repeat([0, 1], 6), np.arange(12) != 8
    made = SquareWaveMechanism(Context.of(blocks, flags, 4.0))
    people = np.where(blocks == 0, 1000, 0)
    people[8] = 60_000
    evidence = Evidence.of(made, made.sample_tally(people, np.random.default_rng(3)))
    found = smoothed_likelihood(evidence)
    assert found[:6].sum() == pytest.approx(6 / 66, abs=1e-6)
    assert found[8] == pytest.approx(60 / 66, abs=0.005)


def test_what_has_no_order_or_no_histogram_is_refused() -> None:
    made = SquareWaveMechanism(Context.plain(3, 1.0))
    tally = made.sample_tally([5, 6, 7], np.random.default_rng(0))
    with pytest.raises(CaldpError, match="values in an order"):
        smoothed_likelihood(Evidence.of(made, tally, domain=GridDomain(0.0, 0.0, 1.0, 1, 3)))
    sets = Oue().make(Context.plain(3, 1.0))
    with pytest.raises(CaldpError, match="use the estimator 'simplex'"):
        smoothed_likelihood(
            Evidence.of(sets, sets.sample_tally([5, 6, 7], np.random.default_rng(0)))
        )
