"""Planar noise: exact channels against Euclid's distance, draws against the channel's law."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.direct.planar import (
    SLACK_NATS,
    GeometricAxis,
    PlanarGeometricMechanism,
    PlanarNoise,
    PlanarProducts,
    _mean_distance,
    quadrant,
    sum_rule,
)
from caldp_core.privacy.distance import EuclideanMetric
from tests.channels import exact_audit
from tests.contract import checks
from tests.stats import SIGNIFICANCE, assert_fits

SHAPES = [(1, 1), (1, 4), (3, 1), (2, 2), (3, 4)]
STEPS = [(0.05, 0.05), (1.0, 0.3), (0.5, 4.0)]
US = (125, 350)


def planar(shape: tuple[int, int], steps: tuple[float, float]) -> PlanarGeometricMechanism:
    return PlanarGeometricMechanism(EuclideanMetric(*shape, *steps))


def least_reserve(mechanism: PlanarNoise) -> float:
    """Least of E[x, x′] − log Q(y|x)/Q(y|x′) over all y and neighbours or cells far apart.

    Sums of positive floats: right to 1e-13, a hundred times nearer than what is kept back.
    """
    rows, columns = US
    places = [(0, 0), (0, 1), (1, 1), (rows - 1, 7), (rows - 2, 7), (60, 0), (60, 9), (61, 10)]
    cells = [row * columns + column for row, column in places]
    laws = np.log([mechanism.law_of(x) for x in cells])
    ratios = (laws[:, None] - laws).max(axis=-1)
    claimed = mechanism.policy.between(np.repeat(cells, 8), np.tile(cells, 8)).reshape(8, 8)
    return float((claimed - ratios)[~np.eye(8, dtype=bool)].min())


STEP = st.floats(EPSILON_MIN, EPSILON_MAX)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 6), st.integers(1, 6), STEP, STEP)
def test_the_channel_keeps_the_distance(rows: int, columns: int, a: float, b: float) -> None:
    mechanism = planar((rows, columns), (a, b))
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@pytest.mark.parametrize("shape", [(1, 3), (3, 3), (6, 5)])
@pytest.mark.parametrize("steps", [*STEPS, (0.001, 0.001), (0.001, 20.0), (20.0, 20.0)])
def test_no_privacy_is_wasted(shape: tuple[int, int], steps: tuple[float, float]) -> None:
    # An inner cell against any other, at its own report: e^{d} but for what is kept back.
    worst = exact_audit(planar(shape, steps)).worst
    assert worst is not None
    assert 0 < worst.epsilon - worst.privacy_loss < 2 * SLACK_NATS


def without_tails(policy: EuclideanMetric) -> Floats:
    row, column = np.arange(policy.rows), np.arange(policy.columns)
    return np.exp(-np.hypot(policy.epsilon_row * row[:, None], policy.epsilon_column * column))


def bold(policy: EuclideanMetric) -> Floats:
    steps = (1.05 * policy.epsilon_row, 1.05 * policy.epsilon_column)
    return quadrant(EuclideanMetric(policy.rows, policy.columns, *steps))


def product(policy: EuclideanMetric) -> Floats:
    """Geometric noise on both axes at ε instead of ε/√2."""

    def axis(size: int, epsilon: float) -> Floats:
        weights = np.exp(-epsilon * np.arange(size))
        weights[-1] /= 1 - math.exp(-epsilon)
        return weights

    return np.outer(
        axis(policy.rows, policy.epsilon_row), axis(policy.columns, policy.epsilon_column)
    )


def weight_too_small(policy: EuclideanMetric) -> Floats:
    """Right but for one weight that is 3e-11 too small, as a sum cut short would make it."""
    weights = quadrant(policy)
    weights[1, 1] *= 1 - 3e-11
    return weights


@pytest.mark.parametrize("wrong", [without_tails, bold, product, weight_too_small])
@pytest.mark.parametrize("steps", [(0.3, 0.3), (0.5, 0.9)])
def test_wrong_noise_is_found_by_the_audit(
    wrong: Callable[[EuclideanMetric], Floats], steps: tuple[float, float]
) -> None:
    mechanism = planar((3, 4), steps)
    assert exact_audit(mechanism).holds
    mechanism._quadrant = wrong(mechanism.policy)
    assert not exact_audit(mechanism).holds


def test_drawing_again_instead_of_moving_to_the_border_is_found_by_the_audit() -> None:
    class Redrawn(PlanarGeometricMechanism):
        def exact_channel(self) -> list[list[Fraction]]:
            near = EuclideanMetric(5, 5, 0.4, 0.4)
            law = [
                [Fraction(math.exp(-d)) for d in near.between([x] * 25, range(25))]
                for x in range(25)
            ]
            return [[q / sum(row) for q in row] for row in law]

    assert not exact_audit(Redrawn(EuclideanMetric(5, 5, 0.4, 0.4))).holds


@pytest.mark.parametrize("steps", [(0.01, 0.02), (0.4, 0.3), (1.0, 0.8)])
def test_a_large_map_keeps_the_distance(steps: tuple[float, float]) -> None:
    mechanism = planar(US, steps)
    assert 0 < least_reserve(mechanism) < 2 * SLACK_NATS
    wrong = planar(US, steps)
    wrong._quadrant = without_tails(wrong.policy)
    assert least_reserve(wrong) < 0


def lattice_channel(policy: EuclideanMetric, reach: int) -> Floats:
    """(k, k) by definition: noise of up to `reach` steps either way, moved onto the map."""
    z = np.arange(-reach, reach + 1)
    noise = np.exp(-np.hypot(policy.epsilon_row * z[:, None], policy.epsilon_column * z))
    noise /= noise.sum()
    channel = np.zeros((policy.k, policy.k))
    for x in range(policy.k):
        row, column = divmod(x, policy.columns)
        y_row = np.clip(row + z, 0, policy.rows - 1)
        y_column = np.clip(column + z, 0, policy.columns - 1)
        np.add.at(channel[x], y_row[:, None] * policy.columns + y_column, noise)
    return channel


@pytest.mark.parametrize("shape", [(2, 2), (3, 4), (2, 6)])
@pytest.mark.parametrize("steps", [(0.2, 0.2), (1.0, 0.3), (0.5, 4.0)])
def test_the_channel_is_the_infinite_lattice_s(
    shape: tuple[int, int], steps: tuple[float, float]
) -> None:
    # 40 nats away; the ε that is kept back moves a weight by 1e-11/0.2 for each of its nats.
    policy = EuclideanMetric(*shape, *steps)
    exact = lattice_channel(policy, reach=round(40 / min(steps)))
    channel = checks.channel_of(PlanarGeometricMechanism(policy))
    np.testing.assert_allclose(channel, exact, rtol=2e-9, atol=0)


@pytest.mark.parametrize("shape", [(1, 5), (7, 1)])
def test_on_one_axis_it_is_the_geometric_mechanism(shape: tuple[int, int]) -> None:
    axis = GeometricAxis(max(shape), 0.4)
    mine = checks.channel_of(planar(shape, (0.4, 0.4)))
    other = np.array([[float(q) for q in row] for row in axis.exact_channel()])
    np.testing.assert_allclose(mine, other, rtol=1e-9)


@pytest.mark.parametrize(
    ("shape", "steps"),
    [((2, 2), (0.02, 0.02)), ((30, 40), (0.1, 0.05)), ((2, 250), (0.3, 1.0)), ((3, 3), (4.0, 0.1))],
)
def test_the_tails_are_the_sums_of_all_their_terms(
    shape: tuple[int, int], steps: tuple[float, float]
) -> None:
    # Added up one by one to 40 nats beyond the corner. Exponents near 690 are rounded by 6e-14 in
    # either sum; the slack is 1e-11.
    rows, columns = shape
    weights = quadrant(EuclideanMetric(*shape, *steps))
    a, b = (epsilon * (1 - SLACK_NATS / min(steps)) for epsilon in steps)
    span = math.hypot(a * (rows - 1), b * (columns - 1))
    i = np.arange(math.ceil(math.sqrt((span + 40) ** 2 - (b * (columns - 1)) ** 2) / a))
    j = np.arange(math.ceil(math.sqrt((span + 40) ** 2 - (a * (rows - 1)) ** 2) / b))
    terms = np.exp(690 - np.hypot(a * i[:, None], b * j))
    terms = np.add.reduceat(terms, np.arange(rows), axis=0)
    terms = np.add.reduceat(terms, np.arange(columns), axis=1)
    np.testing.assert_allclose(weights, terms, rtol=1.5e-13, atol=0)


@pytest.mark.parametrize("epsilon", [0.001, 0.03, 1.0, 20.0])
@pytest.mark.parametrize("start", [1, 40, 1000])
def test_a_geometric_series_is_summed_up(epsilon: float, start: int) -> None:
    rule = sum_rule(start, epsilon, start + 40 / epsilon)
    total = float(rule.weights @ np.exp(-epsilon * (rule.nodes - start)))
    assert total == pytest.approx(-1 / math.expm1(-epsilon), rel=5e-15)


def test_what_is_drawn_is_what_is_audited() -> None:
    # Sizes of noise have the weights of the quadrant times the signs they can have, exactly.
    mechanism = planar((3, 4), (0.7, 0.2))
    signs = np.outer([1, 2, 2], [1, 2, 2, 2]).ravel()
    law = [
        Fraction(float(w)) * int(s) for w, s in zip(mechanism._quadrant.flat, signs, strict=True)
    ]
    steps = [sum(law[: i + 1], Fraction(0)) / sum(law) for i in range(len(law) - 1)]
    assert list(mechanism._sizes.steps()) == steps
    np.testing.assert_array_equal(mechanism._sizes.floors, [int(s * 2**64) for s in steps])
    inner = mechanism.exact_channel()[1 * 4 + 1]
    assert inner[1 * 4 + 2] * sum(law) == Fraction(float(mechanism._quadrant[0, 1]))


def test_what_is_refused() -> None:
    one, other = planar((2, 3), (1.0, 1.0)), planar((3, 2), (1.0, 1.0))
    assert one.client_report(4).shape == (1,)
    tally = one.tally([0, 5])
    assert one.fingerprint == planar((2, 3), (1, 1)).fingerprint
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(tally)
    with pytest.raises(CaldpError, match=r"epsilon must be in \[0.001, 20\]"):
        planar((2, 2), (1.0, 0.0))
    with pytest.raises(CaldpError, match="1,380 nats between"):
        planar(US, (20.0, 20.0))
    large = planar((2, 1200), (0.001, 0.001))
    with pytest.raises(CaldpError, match="estimate by maximum likelihood"):
        large.estimate(large.tally([0, 5]))
    with pytest.raises(CaldpError, match="or sum_variance"):
        large.variance(np.full(2400, 1 / 2400), 10)
    with pytest.raises(CaldpError, match="in rationals"):
        large.exact_channel()
    with pytest.raises(CaldpError, match="at most 2,000,000,000 draws"):
        planar((300, 300), (1.0, 1.0)).sample_tally(np.full(90_000, 10**6), np.random.default_rng())


GRIDS = pytest.mark.parametrize("shape", SHAPES)
LEVELS = pytest.mark.parametrize("steps", STEPS)
CASES = 20


@GRIDS
@LEVELS
def test_reports_follow_the_channel(shape: tuple[int, int], steps: tuple[float, float]) -> None:
    checks.check_privatize(planar(shape, steps))


def check_displacements(
    drawn_by: PlanarGeometricMechanism, mechanism: PlanarGeometricMechanism
) -> None:
    """A million people from the middle of the map; an ε 3 % off moves half a per cent of them."""
    middle = mechanism.k // 2 + US[1] // 2
    reports = drawn_by.privatize(np.full(10**6, middle), np.random.default_rng(8))
    observed = np.bincount(reports, minlength=mechanism.k)
    assert_fits(observed, 10**6 * mechanism.law_of(middle), SIGNIFICANCE)


def test_reports_follow_the_law_on_a_large_map() -> None:
    mechanism = planar(US, (0.1, 0.08))
    check_displacements(mechanism, mechanism)
    for wrong in ((0.103, 0.0824), (0.08, 0.1)):
        with pytest.raises(AssertionError):
            check_displacements(planar(US, wrong), mechanism)


def mixed(k: int) -> Ints:
    """Cells of many people, drawn by a multinomial, and of few, drawn one by one."""
    return np.where(np.arange(k) % 3 == 0, 900, k - 1)


def few(k: int) -> Ints:
    return np.full(k, k - 1)


def many(k: int) -> Ints:
    return 300 * (1 + np.arange(k) % 5)


@pytest.mark.parametrize("people", [mixed, few, many])
def test_sampled_tallies_have_the_law_of_reports(people: Callable[[int], Ints]) -> None:
    mechanism = planar((3, 4), (1.0, 0.3))
    checks.check_sampled(mechanism, mechanism, people(12), CASES)


@pytest.mark.parametrize("people", [mixed, few, many])
def test_tallies_of_wrong_noise_are_rejected(people: Callable[[int], Ints]) -> None:
    # Axes turned round. Of the few, 11 a cell, 1/30 of a spread of 3 is found.
    right, wrong = planar((3, 4), (1.0, 0.3)), planar((3, 4), (0.3, 1.0))
    with pytest.raises(AssertionError):
        checks.check_sampled(right, wrong, people(12), CASES)


@GRIDS
@LEVELS
def test_estimate_and_variance_are_the_channel_s(
    shape: tuple[int, int], steps: tuple[float, float]
) -> None:
    mechanism = planar(shape, steps)
    checks.check_unbiased(mechanism)
    checks.check_variance(mechanism)


@pytest.mark.parametrize("shape", [(1, 30), (20, 1), (2, 2), (12, 17)])
@pytest.mark.parametrize("steps", [(0.1, 0.1), (1.0, 0.3), (0.5, 4.0)])
def test_fast_products_are_the_dense_ones(
    shape: tuple[int, int], steps: tuple[float, float]
) -> None:
    mechanism = planar(shape, steps)
    fast, dense = PlanarProducts(mechanism._window, *steps), mechanism.products
    rng = np.random.default_rng(1)
    p, weights = rng.dirichlet(np.ones(mechanism.k)), rng.normal(size=mechanism.k)
    np.testing.assert_allclose(fast.apply(p), dense.apply(p), atol=1e-15)
    np.testing.assert_allclose(
        fast.apply_transpose(weights), dense.apply_transpose(weights), atol=1e-14
    )
    for mine, exact in (
        (fast.inverse(p), dense.inverse(p)),
        (fast.score(weights), dense.score(weights)),
    ):
        np.testing.assert_allclose(mine, exact, atol=1e-8 * np.abs(exact).max())


def test_pull_is_the_adjoint_of_expected_on_a_large_map() -> None:
    mechanism = planar((175, 250), (0.2, 0.15))
    rng = np.random.default_rng(2)
    p, weights = rng.dirichlet(np.full(mechanism.k, 0.01)), rng.normal(size=mechanism.k)
    law, pulled = mechanism.products.apply(p), mechanism.products.apply_transpose(weights)
    assert law.min() >= 0
    assert law.sum() == pytest.approx(1.0, rel=1e-12)
    assert law @ weights == pytest.approx(p @ pulled, abs=1e-13)
    for x in (0, 249, 20_000, 43_749):
        row, person = mechanism.law_of(x), np.eye(1, mechanism.k, x)[0]
        assert pulled[x] == pytest.approx(row @ weights, abs=1e-13)
        alone = mechanism.products.apply(person)
        np.testing.assert_allclose(alone, row, atol=1e-15)
        # Far away are 20 nats and more, where the transforms' noise has either sign.
        assert alone.min() >= 0
        assert mechanism.products.apply_transpose(person).min() >= 0
    np.testing.assert_array_equal(mechanism.products.apply_transpose(np.ones(mechanism.k)), 1.0)


@pytest.mark.slow
def test_shares_of_a_large_map_are_estimated() -> None:
    mechanism = planar(US, (0.4, 0.3))
    rng = np.random.default_rng(6)
    p = 0.7 * rng.dirichlet(np.full(mechanism.k, 0.05))
    p[60 * US[1] + 99] += 0.3
    undone = mechanism.products.inverse(mechanism.products.apply(p))
    np.testing.assert_allclose(undone, p, atol=1e-8)
    tally = mechanism.sample_tally(rng.multinomial(10**6, p), rng)
    row, column = np.divmod(np.arange(mechanism.k), US[1])
    around = np.exp(-((row - 60) ** 2 + (column - 99) ** 2) / 50)
    spread = math.sqrt(mechanism.sum_variance(p, around, 10**6))
    # Beyond 5 once in 2 million; the reports by themselves are 200 spreads off.
    assert abs(around @ (mechanism.estimate(tally) - p)) < 5 * spread
    assert abs(around @ (tally.counts / tally.n - p)) > 50 * spread


def planar_displacement(epsilon_row: float, epsilon_column: float) -> float:
    """Mean distance of report and truth for planar noise; ε in nats per step, [0.001, 20]."""
    return _mean_distance(epsilon_row, epsilon_column, np.hypot)
