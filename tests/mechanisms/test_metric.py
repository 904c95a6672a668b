"""Metric privacy on grids and on one axis: exact channels, draws, inverse, variance and law.

Planar noise in kilometres: how far it moves people, and what a kilometre is worth.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from caldp_core.audit.pairwise import audit_channel, finite_pairs
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Floats, Ints, Words
from caldp_core.domain.domains import KM_PER_DEGREE, US_GRID, GridDomain
from caldp_core.mechanisms.direct.planar import (
    GeometricAxis,
    GridGeometricMechanism,
    product_displacement,
)
from caldp_core.mechanisms.randomness import COIN_ONE, WORD, ExactInversion
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from tests.channels import exact_audit
from tests.contract import checks
from tests.mechanisms.test_kernels import planar_displacement
from tests.strategies import thinned

CASES = 20
SHAPES = [(1, 1), (1, 4), (3, 1), (2, 2), (3, 4)]
STEPS = [(0.05, 0.05), (1.0, 0.3), (0.5, 4.0)]
STEP = st.floats(EPSILON_MIN, EPSILON_MAX)
GRIDS = pytest.mark.parametrize("shape", SHAPES)
LEVELS = pytest.mark.parametrize("steps", STEPS)


def grid(shape: tuple[int, int], steps: tuple[float, float]) -> GridGeometricMechanism:
    return GridGeometricMechanism(GridMetric(*shape, *steps))


@settings(deadline=None)
@given(st.sampled_from(SHAPES), STEP, STEP)
def test_the_channel_keeps_the_step_metric(shape: tuple[int, int], a: float, b: float) -> None:
    mechanism = grid(shape, (a, b))
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@settings(deadline=None)
@given(STEP, STEP, st.sampled_from(["_row", "_column"]))
def test_an_alpha_two_steps_lower_leaks(a: float, b: float, which: str) -> None:
    # A − 2 < 2^48·e^{−ε}·(1 + ε·2^-48) − 1 < 2^48·e^{−ε}, as ε·e^{−ε} < 1.
    mechanism = grid((2, 3), (a, b))
    axis = getattr(mechanism, which)
    assert exact_audit(mechanism).holds
    axis.whole -= 2
    assert not exact_audit(mechanism).holds


@GRIDS
@LEVELS
def test_no_privacy_is_wasted(shape: tuple[int, int], steps: tuple[float, float]) -> None:
    # α is rounded up by at most 2^-48 and its exponent by 2^-48 of itself, d ≤ 5 times.
    mechanism = grid(shape, steps)
    channel = checks.channel_of(mechanism)
    for x, other, epsilon in finite_pairs(mechanism.policy):
        ratio = float((channel[x] / channel[other]).max())
        assert ratio >= math.exp(epsilon) * (1 - 1e-10), f"{x}, {other}"


def test_the_euclidean_metric_is_kept_by_smaller_steps_and_only_by_those() -> None:
    policy = EuclideanMetric(3, 3, 0.8, 0.8)
    mechanism = GridGeometricMechanism(policy.stricter_grid_metric())
    audit = audit_channel(mechanism.exact_channel(), policy)
    assert audit.holds
    # Along a diagonal nothing is given away: that is the worst pair, and it is tight.
    assert audit.worst is not None
    assert audit.worst.privacy_loss == pytest.approx(audit.worst.epsilon, rel=1e-12)
    assert audit.worst.x // 3 != audit.worst.x_other // 3
    assert audit.worst.x % 3 != audit.worst.x_other % 3
    full = GridGeometricMechanism(GridMetric(3, 3, 0.8, 0.8))
    assert not audit_channel(full.exact_channel(), policy).holds
    # 5 % more than allowed leaks.
    share = 1.05 * 0.8 / math.sqrt(2)
    bold = GridGeometricMechanism(GridMetric(3, 3, share, share))
    assert not audit_channel(bold.exact_channel(), policy).holds


@settings(deadline=None)
@given(STEP, STEP)
def test_smaller_steps_keep_any_euclidean_metric(a: float, b: float) -> None:
    if min(a, b) * math.sqrt(0.5) < EPSILON_MIN:
        return
    policy = EuclideanMetric(3, 3, a, b)
    channel = GridGeometricMechanism(policy.stricter_grid_metric()).exact_channel()
    assert audit_channel(channel, policy).holds


def test_kilometres_hold_on_every_row() -> None:
    policy = GridMetric.per_km(US_GRID, 0.02)
    height = 0.2 * KM_PER_DEGREE
    assert policy.epsilon_row == pytest.approx(0.02 * height)
    widths = height * np.cos(np.radians(US_GRID.latitudes()))
    assert policy.epsilon_column <= 0.02 * widths.min() <= 1.01 * policy.epsilon_column
    south = GridMetric.per_km(GridDomain(-50.0, 0.0, 0.2, 5, 5), 0.02)
    assert south.epsilon_column == pytest.approx(0.02 * height * math.cos(math.radians(50)))


@pytest.mark.parametrize("kind", [GridMetric, EuclideanMetric])
@pytest.mark.parametrize("columns", [20, 100, 170])
def test_kilometres_hold_around_the_other_side(
    kind: type[GridMetric] | type[EuclideanMetric], columns: int
) -> None:
    # Ends of a map wider than 180° are near each other across its edge.
    domain, rate = GridDomain(-60.0, -180.0, 2.0, 60, columns), 1 / 50
    policy = kind.per_km(domain, rate)
    row = 30 * columns + np.arange(columns)
    levels = policy.between(np.full(columns, row[0]), row)
    turn = np.radians(2.0) * np.arange(columns)
    angle = np.minimum(turn, 2 * np.pi - turn) * math.cos(math.radians(domain.latitudes()[30]))
    assert (levels <= rate * KM_PER_DEGREE * np.degrees(angle) * (1 + 1e-9)).all()
    assert levels.max() > 0.1


@GRIDS
@LEVELS
def test_estimate_and_variance_are_the_channel_s(
    shape: tuple[int, int], steps: tuple[float, float]
) -> None:
    mechanism = grid(shape, steps)
    checks.check_unbiased(mechanism)
    checks.check_variance(mechanism)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 4)])
@LEVELS
def test_reports_follow_the_channel(shape: tuple[int, int], steps: tuple[float, float]) -> None:
    checks.check_privatize(grid(shape, steps))


def check_sampled(mechanism: GridGeometricMechanism, drawn_by: GridGeometricMechanism) -> None:
    """300 to 1,500 people a cell: a spread of about 30 reports.

    An ε 5 % off moves 2 % of 2,000 reports, more than a spread; 1/4 of one is found.
    """
    people = 300 * (1 + np.arange(mechanism.k) % 5)
    checks.check_sampled(mechanism, drawn_by, people, CASES)


@pytest.mark.parametrize("shape", thinned([(3, 4), (1, 4), (3, 1)], one_in=3))
@LEVELS
def test_sampled_tallies_have_the_law_of_reports(
    shape: tuple[int, int], steps: tuple[float, float]
) -> None:
    check_sampled(grid(shape, steps), grid(shape, steps))


class AllTogether(GeometricAxis):
    """Wrong: all people of a cell move by one and the same noise."""

    def spread(self, counts: Ints, rng: np.random.Generator) -> Ints:
        channel = np.array([[float(q) for q in row] for row in self.exact_channel()])
        return np.rint(counts @ channel).astype(np.int64)


class NoStart(GeometricAxis):
    """Wrong: who goes left may also stay."""

    def spread(self, counts: Ints, rng: np.random.Generator) -> Ints:
        left = rng.binomial(counts, self._alpha / (1 + self._alpha))
        return self._sweep(counts - left, rng) + self._sweep(left[:, ::-1], rng)[:, ::-1]


@pytest.mark.parametrize("axis", [AllTogether, NoStart])
def test_tallies_of_a_wrong_sweep_are_rejected(axis: Any) -> None:
    right, wrong = grid((3, 4), (1.0, 0.3)), grid((3, 4), (1.0, 0.3))
    wrong._column = axis(4, 0.3)
    with pytest.raises(AssertionError):
        check_sampled(right, wrong)


def test_tallies_of_a_wrong_epsilon_or_turned_axes_are_rejected() -> None:
    right = grid((3, 4), (1.0, 0.3))
    for wrong in (grid((3, 4), (1.05, 0.3)), grid((3, 4), (0.3, 1.0))):
        with pytest.raises(AssertionError):
            check_sampled(right, wrong)


def test_what_is_refused() -> None:
    with pytest.raises(CaldpError, match=r"epsilon must be in \[0.001, 20\]"):
        GridMetric(2, 2, 1.0, 0.0)
    with pytest.raises(CaldpError, match="in rationals"):
        grid((30, 30), (1.0, 1.0)).exact_channel()


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[0.0, 1.0]], "square"),
        ([[0.0, -1.0], [-1.0, 0.0]], "not negative"),
        ([[0.0, 1.0], [2.0, 0.0]], "both ways"),
        ([[0, 1, 3], [1, 0, 1], [3, 1, 0]], "triangle"),
        ([[0, 0, 1], [0, 0, 1 + 1e-15], [1, 1 + 1e-15, 0]], "at distance 0"),
    ],
)
def test_distances_that_are_none(table: Any, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        DistanceMetric.of(table, 1.0)


F = Fraction


def axis_by_definition(size: int, alpha: Fraction) -> list[list[Fraction]]:
    """Two-sided geometric noise, summed up at the ends by the geometric series."""

    def tail(t: int) -> Fraction:  # P(Z ≥ t) for t ≥ 0, and P(Z ≤ −t)
        return alpha**t / (1 + alpha)

    def point(z: int) -> Fraction:
        return (1 - alpha) / (1 + alpha) * alpha ** abs(z)

    return [
        [tail(x), *(point(y - x) for y in range(1, size - 1)), tail(size - 1 - x)]
        for x in range(size)
    ]


@pytest.mark.parametrize("size", [2, 3, 6])
def test_the_axis_is_truncated_geometric_noise(size: int) -> None:
    axis = GeometricAxis(size, 0.7)
    alpha = F(axis.whole, COIN_ONE)
    assert math.exp(-0.7) < alpha < math.exp(-0.7) + 2.0**-46
    assert axis.exact_channel() == axis_by_definition(size, alpha)


@pytest.mark.parametrize("size", [1, 2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 15.0])
def test_fast_products_are_the_dense_ones(size: int, epsilon: float) -> None:
    axis = GeometricAxis(size, epsilon)
    channel = np.array([[float(q) for q in row] for row in axis.exact_channel()])
    inverse = np.linalg.inv(channel)
    values = np.random.default_rng(1).random((3, size))
    rtol = 1e-6 if epsilon == 0.01 else 1e-10  # the dense inverse loses digits where Q is flat
    np.testing.assert_allclose(axis.apply(values), values @ channel, rtol=1e-10)
    large = float(np.abs(inverse).max())
    for fast, exact, scale in (
        (axis.inverse(values), values @ inverse, large),
        (axis.score(values), values @ inverse.T, large),
        (axis.inverse_squared(values), values @ inverse**2, large**2),
    ):
        np.testing.assert_allclose(fast, exact, rtol=rtol, atol=rtol * scale)


def words_of(*values: int) -> Any:
    """A source that gives these words one after the other, and fails when they are used up."""
    rest = list(values)

    def words(n: int) -> Words:
        return np.array([rest.pop(0) for _ in range(n)], dtype=np.uint64)

    return words


@pytest.mark.parametrize("epsilon", [0.001, 0.9, 20.0])
def test_the_steps_of_the_noise_are_those_of_the_law(epsilon: float) -> None:
    axis = GeometricAxis(25, epsilon)
    alpha = F(axis.whole, COIN_ONE)
    # P(Z ≤ z) for z = −24 … 23, summed from the definition of Z.
    mass = [(1 - alpha) / (1 + alpha) * alpha ** abs(z) for z in range(-23, 24)]
    law = [alpha**24 / (1 + alpha)]
    for point in mass:
        law.append(law[-1] + point)
    np.testing.assert_array_equal(axis.noise.floors, [int(step * WORD) for step in law])
    assert axis.noise.steps() == law


def test_a_tie_is_settled_by_more_bits() -> None:
    third = WORD // 3
    inversion = ExactInversion.of([F(1, 3), F(2, 3)])
    drawn = inversion.draw(4, words_of(third - 1, third + 1, 2 * third + 1, WORD - 1))
    np.testing.assert_array_equal(drawn, [0, 1, 2, 2])
    # ⌊2^64/3⌋ ties with 1/3, whose next 64 bits are ⌊2^64/3⌋ again: below, tied again, above.
    for more, place in (([third - 1], 0), ([third, third - 1], 0), ([third, third + 1], 1)):
        np.testing.assert_array_equal(inversion.draw(1, words_of(third, *more)), [place])
    # A step of whole words is passed by its own word; steps below 2^-64 are told apart.
    half = ExactInversion.of([F(1, 2)])
    np.testing.assert_array_equal(half.draw(2, words_of(WORD // 2 - 1, WORD // 2, 0)), [0, 1])
    tiny = ExactInversion.of([F(1, 2**70), F(1, 2**66)])
    for last, place in ((0, 0), (2**58, 1), (2**62 - 1, 1), (2**62, 2)):
        np.testing.assert_array_equal(tiny.draw(1, words_of(0, last)), [place])


@pytest.mark.parametrize(
    "steps", [(0.001, 0.001), (0.01, 0.02), (0.1, 0.3), (1.0, 1.0), (3.0, 2.0)]
)
def test_displacements_are_sums_over_the_lattice(steps: tuple[float, float]) -> None:
    mine, product = planar_displacement(*steps), product_displacement(*steps)
    assert mine < 0.88 * product
    if max(steps) < 0.1:
        # In the plane: 2, and √2·∫∫ ‖(x, y)‖·e^{−x−y} = √2 + arsinh 1; steps cost their square.
        assert mine == pytest.approx(2.0, abs=max(steps) ** 2)
        assert product == pytest.approx(math.sqrt(2) + math.asinh(1), abs=max(steps) ** 2)
        return
    x, y = (
        epsilon * np.abs(np.arange(-round(70 / epsilon), round(70 / epsilon) + 1))
        for epsilon in steps
    )
    distance = np.hypot(x[:, None], y)
    for found, exponent in ((mine, distance), (product, (x[:, None] + y) / math.sqrt(2))):
        weights = np.exp(-exponent)
        assert found == pytest.approx((weights * distance).sum() / weights.sum(), rel=1e-13)


@pytest.mark.parametrize("grid", [US_GRID, GridDomain(-60.0, -100.0, 5.0, 20, 50)])
def test_kilometres_hold_as_the_crow_flies(grid: GridDomain) -> None:
    policy = EuclideanMetric.per_km(grid, 0.02)
    rng = np.random.default_rng(9)
    x, other = rng.integers(0, grid.k, (2, 100_000))
    corners = np.array([0, grid.columns - 1, grid.k - grid.columns, grid.k - 1])
    x, other = np.append(x, np.tile(corners, 4)), np.append(other, np.repeat(corners, 4))
    great = great_circle(grid, x, other)
    assert (policy.between(x, other) <= 0.02 * great * (1 + 1e-12)).all()
    # And nearly reached by neighbours to the north.
    assert policy.epsilon_row == pytest.approx(0.02 * great_circle(grid, [0], [grid.columns])[0])


def great_circle(grid: GridDomain, x: ArrayLike, other: ArrayLike) -> Floats:
    """(n,) kilometres between the centres of cells, by the haversine formula."""
    (row, column), (row_other, column_other) = grid.row_column(x), grid.row_column(other)
    latitude, longitude = np.radians(grid.latitudes()), np.radians(grid.longitudes())
    north = latitude[row] - latitude[row_other]
    east = longitude[column] - longitude[column_other]
    cosines = np.cos(latitude[row]) * np.cos(latitude[row_other])
    square = np.sin(north / 2) ** 2 + cosines * np.sin(east / 2) ** 2
    return np.degrees(2 * np.arcsin(np.sqrt(square))) * KM_PER_DEGREE
