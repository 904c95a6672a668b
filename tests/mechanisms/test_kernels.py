"""Planar noise: exact channels against Euclid's distance, draws against the channel's law."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms import kernels
from caldp_core.mechanisms.direct.planar import (
    SLACK_NATS,
    PlanarGeometricMechanism,
    PlanarNoise,
    PlanarProducts,
    _mean_distance,
    quadrant,
    reduced_epsilons,
)
from caldp_core.mechanisms.kernels import (
    BestKernelMechanism,
    Cells,
    Flows,
    Kernel,
    Peaks,
    Program,
    StepLevels,
    best_kernel,
    design,
    log_envelope,
    mean_distance,
    quadrant_of,
)
from caldp_core.privacy.distance import EuclideanMetric
from tests import ROOT
from tests.channels import exact_audit
from tests.contract import checks
from tests.contract.checks import check_progress
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
@pytest.mark.slow
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


@pytest.mark.slow
def test_what_is_refused() -> None:
    assert planar((2, 3), (1.0, 1.0)).fingerprint == planar((2, 3), (1, 1)).fingerprint
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


@pytest.mark.slow
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


WIDE = (1.0, 0.7)
GOWALLA = (0.445, 0.31)
"""Steps of the paper's map at ε = 1 within 50 km, about."""


@lru_cache
def kernel(row: float | None, column: float | None) -> Kernel:
    return design(StepLevels(row, column))


def best(shape: tuple[int, int], steps: tuple[float, float]) -> BestKernelMechanism:
    policy = EuclideanMetric(*shape, *steps)
    return BestKernelMechanism(policy, kernel(*StepLevels.of(policy).both))


@pytest.mark.parametrize("steps", [(1.0, 0.7), (1.0, 1.0), (0.7, 1.4), (0.445, 0.31), (4.0, 0.3)])
@pytest.mark.parametrize("shape", [(1, 5), (4, 1), (3, 4), (5, 5)])
@pytest.mark.slow
def test_kernels_the_channel_keeps_the_distance(
    shape: tuple[int, int], steps: tuple[float, float]
) -> None:
    mechanism = best(shape, steps)
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@st.composite
def any_peaks(draw: st.DrawFn, steps: StepLevels) -> Peaks:
    """Cells of any height that may win somewhere."""
    places = st.integers(0, 3)
    cells = draw(st.lists(st.tuples(places, places), max_size=5))
    rows, columns = (np.array([0, *(c[i] for c in cells)]) for i in (0, 1))
    gains = np.array([0.0, *(draw(st.floats(0.0, 1.5)) for _ in cells)])
    far = np.hypot((steps.row or 0.0) * rows, (steps.column or 0.0) * columns)
    return Peaks(rows, columns, np.where(far > 0, gains - far, 0.0))


@settings(max_examples=40)
@given(st.data(), st.floats(0.2, 3.0), st.floats(0.2, 3.0))
def test_any_peaks_keep_the_distance_and_none_is_below_the_bound(
    data: st.DataObject, a: float, b: float
) -> None:
    steps = StepLevels(a, b)
    peaks = data.draw(any_peaks(steps))
    peaks.check(steps)
    policy = EuclideanMetric(3, 4, a, b)
    mechanism = PlanarNoise(policy, lambda metric: quadrant_of(peaks, metric), "any")
    assert exact_audit(mechanism).holds
    assert mean_distance(peaks, StepLevels(*WIDE)) >= kernel(*WIDE).bound


def every_cone(peaks: Peaks, cells: Cells, steps: tuple[float, float]) -> Floats:
    """log p by definition: all peaks and all their mirror images."""
    a, b = steps
    images = [
        log - np.hypot(cells.x - down * a * row, cells.y - right * b * column)
        for row, column, log in zip(peaks.rows, peaks.columns, peaks.logs, strict=True)
        for down in (-1, 1)
        for right in (-1, 1)
    ]
    return np.asarray(np.max(images, axis=0))


@given(st.data())
def test_wedges_leave_out_no_cone_that_wins(data: st.DataObject) -> None:
    steps = StepLevels(0.9, 0.4)
    peaks = data.draw(any_peaks(steps))
    cells = Cells.within(steps, 12.0)
    found = log_envelope(peaks, peaks.coordinates(0.9, 0.4), (cells.x, cells.y))
    np.testing.assert_allclose(found, every_cone(peaks, cells, (0.9, 0.4)), atol=1e-12)


@pytest.mark.parametrize("steps", [(1.0, 0.7), (1.0, 1.0), GOWALLA])
def test_it_lies_less_far_than_planar_noise_and_is_proved_best(
    steps: tuple[float, float],
) -> None:
    made = kernel(*steps)
    assert made.planar == pytest.approx(planar_displacement(*steps), rel=1e-12)
    assert made.bound <= made.displacement < 0.9995 * made.planar
    assert made.gap <= 2e-5
    assert made.planar_gap == pytest.approx(made.planar / made.bound - 1)
    # Nor does it ask for any privacy in return: the same cones, its own steps.
    assert len(made.peaks.logs) > 3


def test_along_streets_noise_on_both_axes_is_the_best() -> None:
    # The step distance comes from single steps, so a program of neighbours is all of it. Cells
    # beyond 21 nats are left out, which lets the optimum only be lower.
    a, b, size = 1.2, 0.9, (18, 24)
    row, column = (grid.ravel() for grid in np.indices(size))
    norm = a * row + b * column
    mass = np.exp(-norm) * np.where(row > 0, 2.0, 1.0) * np.where(column > 0, 2.0, 1.0)
    number = np.arange(norm.size).reshape(size)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:])]
    near, far = (np.concatenate([pair[i].ravel() for pair in pairs]) for i in (0, 1))
    kept = np.zeros((near.size, norm.size))
    kept[np.arange(near.size), near], kept[np.arange(near.size), far] = 1.0, -1.0
    best_one = linprog(mass * norm, kept, np.zeros(near.size), mass[None, :], np.ones(1))
    product = a / math.sinh(a) + b / math.sinh(b)
    assert best_one.fun == pytest.approx(product, rel=1e-7)


def test_on_a_torus_no_mechanism_is_better_than_one_that_moves_all_alike() -> None:
    # 3 × 4 cells: a program of all 144 probabilities, and one of the 12 of a displacement.
    row, column = (grid.ravel() for grid in np.indices((3, 4)))
    down, right = (np.abs(np.subtract.outer(each, each)) for each in (row, column))
    apart = np.hypot(0.8 * np.minimum(down, 3 - down), 0.5 * np.minimum(right, 4 - right))
    k, factor = len(apart), np.exp(-apart)
    pairs = [(x, z) for x in range(k) for z in range(k) if x != z]
    kept = np.zeros((len(pairs) * k, k * k))
    for i, (x, z) in enumerate(pairs):
        rows, reports = np.arange(i * k, (i + 1) * k), np.arange(k)
        kept[rows, x * k + reports] = factor[x, z]
        kept[rows, z * k + reports] = -1.0
    sums = np.kron(np.eye(k), np.ones(k))
    any_one = linprog(apart.ravel() / k, kept, np.zeros(len(kept)), sums, np.ones(k))
    alike = np.zeros((len(pairs), k))
    alike[np.arange(len(pairs)), [x for x, _ in pairs]] = [factor[pair] for pair in pairs]
    alike[np.arange(len(pairs)), [z for _, z in pairs]] -= 1.0
    moved = linprog(apart[0], alike, np.zeros(len(pairs)), np.ones((1, k)), np.ones(1))
    assert any_one.fun == pytest.approx(moved.fun, rel=1e-9)


@pytest.mark.parametrize(
    ("row", "width"),
    [("square cells", 1.0), ("cells 0.7 as wide", 0.7), ("cells 0.4 as wide", 0.4)],
)
def test_the_documented_gaps_of_planar_noise_are_the_proved_ones(row: str, width: float) -> None:
    text = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    lines = {
        line.split("|")[1].strip(): line.split("|")[2:-1]
        for line in text.splitlines()
        if line.startswith("|")
    }
    gaps = lines[f"planar noise, {row}"]
    for step, value in list(zip(lines["nats a step, south–north"], gaps, strict=True))[5:]:
        high = 100 * kernel(float(step), width * float(step)).planar_gap
        assert high - 1e-3 < float(value) < high + 1.01e-3


def left_of_everybody(flows: Flows, steps: StepLevels, level: float, reach: float) -> Floats:
    """What every cell has left, by definition and cell by cell: none may be below 0.

    Of Σ p(z)·times·(|z| − λ) plus multipliers F of e^{−|z − z′|}·p(z) ≤ p(z′).
    """
    cells = Cells.within(steps, reach)
    left = cells.times * (cells.norm - level)
    for near, payer, amount in zip(flows.near, flows.payer, flows.amount, strict=True):
        multiplier = amount * math.exp(cells.norm[payer])
        apart = math.hypot(cells.x[near] - cells.x[payer], cells.y[near] - cells.y[payer])
        left[near] += multiplier * math.exp(-apart)
        left[payer] -= multiplier
    return np.asarray(left * np.exp(-cells.norm))


def test_the_flows_prove_the_bound() -> None:
    made = kernel(*WIDE)
    assert made.bound > 1.9
    # These steps need no cell that stands for others, so the window is all there is.
    assert Program.of(made.steps).cells.norm[-1] > 23
    left = left_of_everybody(made.flows, made.steps, made.bound, 24.0)
    assert left.min() >= 0
    higher = left_of_everybody(made.flows, made.steps, made.bound * (1 + 1e-6), 24.0)
    assert higher.min() < 0, "the bound is as high as these flows allow"


def test_flows_that_prove_less_are_seen_through() -> None:
    made = kernel(*GOWALLA)
    program = Program.of(made.steps)
    flows = made.flows
    assert program.bound(flows) == made.bound
    for share in (0.0, 0.99, 1.01, 2.0):
        assert program.bound(Flows(flows.near, flows.payer, share * flows.amount)) < made.bound
    swapped = Flows(flows.near, np.roll(flows.payer, 1), flows.amount)
    assert program.bound(swapped) < made.bound
    assert program.bound(Flows(flows.near, flows.payer, -flows.amount)) == 0.0


def test_cells_that_stand_for_far_ones_count_no_more_than_these() -> None:
    # The program's least displacement of a kernel is never above its true one.
    steps = StepLevels(0.2, 0.14)
    program = Program.of(steps)
    assert program.cells.norm[-1] < 12, "far cells stand with near ones here"
    for peaks in (Peaks.planar(), kernel(*GOWALLA).peaks):
        logs = log_envelope(peaks, peaks.coordinates(0.2, 0.14), (program.cells.x, program.cells.y))
        q = np.exp(logs + program.cells.norm)
        low = float(program.cost @ q / (program.mass @ q))
        assert 0.999 * mean_distance(peaks, steps) < low <= mean_distance(peaks, steps)


def test_kernels_a_large_map_keeps_the_distance() -> None:
    mechanism = best(US, GOWALLA)
    assert 0 < least_reserve(mechanism) < 2e-11
    assert audit_mechanism(mechanism).holds
    wrong = best(US, GOWALLA)
    wrong._quadrant = cut(wrong)
    assert least_reserve(wrong) < 0


def cut(mechanism: BestKernelMechanism) -> Floats:
    """Weights without the tails beyond the map."""
    policy = mechanism.policy
    a, b = reduced_epsilons(policy)
    peaks = mechanism.kernel.peaks
    x, y = np.meshgrid(a * np.arange(policy.rows), b * np.arange(policy.columns), indexing="ij")
    return np.exp(log_envelope(peaks, peaks.coordinates(a, b), (x.ravel(), y.ravel()))).reshape(
        x.shape
    )


def kernels_bold(mechanism: BestKernelMechanism) -> Floats:
    """The same peaks with 5 % longer steps."""
    p = mechanism.policy
    longer = replace(p, epsilon_row=1.05 * p.epsilon_row, epsilon_column=1.05 * p.epsilon_column)
    return quadrant_of(mechanism.kernel.peaks, longer)


def higher(mechanism: BestKernelMechanism) -> Floats:
    """Cell 0 alone 1 % likelier than its cone says, as a solver's rounding could leave it."""
    weights = quadrant_of(mechanism.kernel.peaks, mechanism.policy)
    weights[0, 0] *= 1.01
    return weights


@pytest.mark.parametrize("wrong", [cut, kernels_bold, higher])
def test_kernels_wrong_noise_is_found_by_the_audit(
    wrong: Callable[[BestKernelMechanism], Floats],
) -> None:
    mechanism = best((3, 4), WIDE)
    assert exact_audit(mechanism).holds
    mechanism._quadrant = wrong(mechanism)
    assert not exact_audit(mechanism).holds


def test_kernels_what_is_refused() -> None:
    with pytest.raises(CaldpError, match="planar geometric noise is as good"):
        design(StepLevels(0.01, 0.01))
    with pytest.raises(CaldpError, match="designed for steps"):
        BestKernelMechanism(EuclideanMetric(3, 3, 1.0, 1.0), kernel(*WIDE))
    with pytest.raises(CaldpError, match="terms with its tails"):
        quadrant_of(Peaks.planar(), EuclideanMetric(1000, 1000, 0.05, 0.05))
    with pytest.raises(CaldpError, match="about 31,416"):
        best_kernel(EuclideanMetric(2, 2, 0.01, 0.01))
    with pytest.raises(CaldpError, match="begin with cell 0"):
        Peaks(np.array([0, 1]), np.array([0, 0]), np.array([0.0, 9.0])).check(StepLevels(1.0, 1.0))


def test_it_can_be_watched_and_cancelled() -> None:
    assert check_progress(lambda progress: design(StepLevels(*WIDE), progress))[-1] == 1.0


@pytest.fixture(scope="module")
def written_kernel() -> Kernel:
    return design(StepLevels(*WIDE))


def test_what_is_on_file_is_what_was_designed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    steps = StepLevels(*WIDE)
    assert kernels.read_kernel(steps) is None
    made = kernels.kernel_for(steps)
    kept = kernels.read_kernel(steps)
    assert kept is not None
    assert (kept.displacement, kept.bound) == (made.displacement, made.bound)
    policy = EuclideanMetric(4, 5, *WIDE)
    assert (
        BestKernelMechanism(policy, kept).fingerprint
        == BestKernelMechanism(policy, made).fingerprint
    )
    assert kernels.read_kernel(StepLevels(1.0, 0.71)) is None
    (file,) = (tmp_path / "kernels").iterdir()
    file.write_text("{}", encoding="utf-8")
    assert kernels.read_kernel(steps) is None
    assert kernels.kernel_for(steps).bound == made.bound, "it is designed again"
    assert kernels.read_kernel(steps) is not None


def test_a_folder_that_cannot_be_written_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels").write_text("no folder", encoding="utf-8")
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    assert kernels.kernel_for(StepLevels(2.0, 2.5)).gap <= 2e-5


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "another", "format must be 'caldp kernel 1', got 'another'; give the text"),
        ("steps", [1.0, 0.8], r"steps must be .*, got \[1.0, 0.8\]; give the text"),
        ("peak_logs", [0.0], "one entry for each peak, at least one peak, got "),
        ("amount", [], "one entry for each flow, .* 0]; give the text"),
        ("peak_rows", [0, 1.5, 0, 1], "peak_rows must be a list of whole numbers .* got 1.5; give"),
        ("payer", [10**9], "payer must be a list of whole numbers from 0 .* got 1000000000; give"),
        ("amount", ["1"], "amount must be a list of numbers from -1,000,000,000 .* got '1'; give"),
        ("near", 7, "near must be a list of whole numbers from 0 to .*, got 7; give"),
        ("near", None, "near must be a list of whole numbers from 0 to .*, got None; give"),
        ("peak_logs", [0.0, 99.0, 0.0, 0.0], "one entry for each peak|rise above its cone"),
    ],
)
def test_other_texts_are_refused(
    key: str, value: object, message: str, written_kernel: Kernel
) -> None:
    data = json.loads(kernels.to_text(written_kernel)) | {key: value}
    with pytest.raises(CaldpError, match=message):
        kernels.from_text(json.dumps(data), StepLevels(*WIDE))


def test_a_kernel_without_peaks_is_refused(written_kernel: Kernel) -> None:
    data = json.loads(kernels.to_text(written_kernel))
    data |= {key: [] for key in data if key.startswith("peak")}
    with pytest.raises(CaldpError, match=r"at least one peak, got \[0, 0, 0\]; give the text"):
        kernels.from_text(json.dumps(data), StepLevels(*WIDE))


def test_a_file_cannot_claim_a_bound_that_its_flows_do_not_prove(written_kernel: Kernel) -> None:
    data = json.loads(kernels.to_text(written_kernel))
    data["amount"] = [2 * amount for amount in data["amount"]]
    assert kernels.from_text(json.dumps(data), StepLevels(*WIDE)).bound < 0.9 * written_kernel.bound
    for text in ("kernel", "[]", "[" * 10**6):
        with pytest.raises(CaldpError, match=r"must be a JSON object, got .*; give the text"):
            kernels.from_text(text, StepLevels(*WIDE))
