"""Planar noise: draws have the law of the channel, and shares are estimated from them."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from caldp_core.basics.types import Ints
from caldp_core.mechanisms.direct.planar import PlanarGeometricMechanism, PlanarProducts
from tests import sampled
from tests.contract import checks
from tests.planar import SHAPES, STEPS, US, planar
from tests.stats import SIGNIFICANCE, assert_fits

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
    sampled.check_sampled(mechanism, mechanism, people(12), CASES)


@pytest.mark.parametrize("people", [mixed, few, many])
def test_tallies_of_wrong_noise_are_rejected(people: Callable[[int], Ints]) -> None:
    # Axes turned round. Of the few, 11 a cell, 1/30 of a spread of 3 is found.
    right, wrong = planar((3, 4), (1.0, 0.3)), planar((3, 4), (0.3, 1.0))
    with pytest.raises(AssertionError):
        sampled.check_sampled(right, wrong, people(12), CASES)


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
