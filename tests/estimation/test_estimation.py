"""Estimators after the unbiased one, by their definitions and by a general optimiser."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints
from caldp_core.estimation.estimators import (
    ESTIMATORS,
    clip_renormalise,
    estimator,
    norm_sub,
    significant,
    simplex,
    simplex_per_block,
    unprocessed,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.projection import block_thresholds, simplex_projection
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from tests.slsqp import least_on_simplex

ROUNDING = 1e-10
OF_THE_ESTIMATE = ("simplex", "simplex-per-block", "norm-sub", "clip", "none")
"""Those that see nothing but the estimate and the blocks; the others have tests of their own."""
ENTRY = st.floats(-3, 3).map(lambda value: round(value, 6))
VECTORS = st.lists(ENTRY, min_size=1, max_size=30).map(np.array)


@st.composite
def in_blocks(draw: st.DrawFn) -> tuple[Floats, Ints, Floats]:
    """(estimate, labels, shares of blocks), some of the shares 0."""
    estimate = draw(VECTORS)
    raw = draw(st.lists(st.integers(0, 4), min_size=estimate.size, max_size=estimate.size))
    labels = np.unique(np.array(raw), return_inverse=True)[1]
    m = int(labels.max()) + 1
    people = np.array(draw(st.lists(st.integers(0, 5), min_size=m, max_size=m)))
    people[0] += not people.any()
    return estimate, labels, people / people.sum()


def evidence(estimate: Floats, labels: Ints, shares: Floats) -> Evidence:
    """An estimate of 1000 people that no tally needs to have given."""
    mechanism = catalogue.in_context(Context.block_structured(labels, 1.0), "hadamard")
    tally = mechanism.sample_tally(np.full(mechanism.k, 1), np.random.default_rng(0))
    return Evidence(estimate, labels, shares, 1000, mechanism, tally)


def in_one_block(estimate: Floats) -> Evidence:
    return evidence(estimate, np.zeros(estimate.size, np.int64), np.ones(1))


def check_projection(result: Floats, estimate: Floats, total: float) -> None:
    """The conditions of Karush, Kuhn and Tucker, which only the projection meets.

    result ≥ 0, Σ result = total, and a τ with result = estimate − τ where result > 0 and
    estimate ≤ τ where result = 0.
    """
    assert (result >= 0).all()
    assert result.sum() == pytest.approx(total, abs=ROUNDING)
    positive = result > ROUNDING
    if positive.any():
        tau = (estimate - result)[positive]
        assert np.ptp(tau) <= ROUNDING
        assert (estimate[~positive] <= tau.max() + 2 * ROUNDING).all()


@given(VECTORS)
def test_simplex_meets_the_conditions_of_optimality(estimate: Floats) -> None:
    before = estimate.copy()
    check_projection(simplex_projection(estimate), estimate, 1.0)
    np.testing.assert_array_equal(estimate, before)


@given(VECTORS, st.floats(0.01, 0.5))
def test_the_conditions_find_what_is_not_the_projection(estimate: Floats, off: float) -> None:
    # The must-fail side: some mass moved from the largest entry to another one.
    result = simplex_projection(estimate)
    if result.size > 1:
        largest = int(np.argmax(result))
        moved = result.copy()
        moved[largest] -= off * result[largest]
        moved[largest - 1] += off * result[largest]
        with pytest.raises(AssertionError):
            check_projection(moved, estimate, 1.0)


@pytest.mark.parametrize("seed", range(8))
def test_simplex_is_what_an_optimiser_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    estimate = rng.normal(scale=0.5, size=int(rng.integers(2, 8)))
    k = estimate.size
    found = least_on_simplex(
        lambda q: float(np.square(q - estimate).sum()), k, lambda q: 2 * (q - estimate)
    )
    assert found.success
    np.testing.assert_allclose(simplex_projection(estimate), found.x, rtol=0, atol=1e-6)


@given(VECTORS)
def test_a_distribution_stays_as_it_is(estimate: Floats) -> None:
    weights = np.abs(estimate) + 0.01
    p = weights / weights.sum()
    for name in OF_THE_ESTIMATE:
        result = ESTIMATORS[name].apply(in_one_block(p))
        np.testing.assert_allclose(result, p, rtol=0, atol=ROUNDING)


@given(VECTORS)
def test_norm_sub_is_the_projection_where_something_is_to_be_taken_away(estimate: Floats) -> None:
    enough = estimate + (np.maximum(estimate, 0).sum() < 1) * 4.0
    expected = simplex_projection(enough)
    np.testing.assert_allclose(norm_sub(in_one_block(enough)), expected, rtol=0, atol=1e-9)


@given(VECTORS)
def test_norm_sub_lifts_only_what_is_positive(estimate: Floats) -> None:
    positive = np.maximum(estimate, 0)
    if 0 < positive.sum() < 1:
        result = norm_sub(in_one_block(estimate))
        assert (result[positive == 0] == 0).all()
        lifted = (result - positive)[positive > 0]
        assert np.ptp(lifted) <= ROUNDING
        assert result.sum() == pytest.approx(1.0, abs=ROUNDING)


def test_norm_sub_has_rounds_enough() -> None:
    # The slowest vectors lose one entry a round; their gaps then grow like factorials, so that
    # the precision of floats ends long before the rounds do. This one takes 17.
    gaps = [1e-6]
    while gaps[-1] < 1e6:
        gaps.append(1.01 * (len(gaps) + 2) * gaps[-1] - sum(gaps))
    estimate = gaps[-1] + 1 + np.array([1.0, *(-gap for gap in gaps)])
    assert estimate.size == 17
    result = norm_sub(in_one_block(estimate))
    np.testing.assert_allclose(result, simplex_projection(estimate), rtol=0, atol=1e-9)


@given(VECTORS)
def test_clipping_keeps_the_ratios_of_what_is_positive(estimate: Floats) -> None:
    result = clip_renormalise(in_one_block(estimate))
    assert (result >= 0).all()
    assert result.sum() == pytest.approx(1.0, abs=ROUNDING)
    positive = np.maximum(estimate, 0)
    if positive.any():
        np.testing.assert_allclose(result * positive.sum(), positive, rtol=0, atol=ROUNDING)
    else:
        assert np.ptp(result) == 0


@given(in_blocks())
def test_blocks_are_projected_one_by_one(case: tuple[Floats, Ints, Floats]) -> None:
    estimate, labels, shares = case
    result = simplex_per_block(evidence(estimate, labels, shares))
    for block, share in enumerate(shares):
        own = labels == block
        check_projection(result[own], estimate[own], share)
        if share == 0:
            assert (result[own] <= ROUNDING).all()
        else:
            expected = share * simplex_projection(estimate[own] / share)
            np.testing.assert_allclose(result[own], expected, rtol=0, atol=1e-9)


@given(in_blocks())
def test_thresholds_solve_their_equation(case: tuple[Floats, Ints, Floats]) -> None:
    estimate, labels, shares = case
    tau = block_thresholds(estimate, labels, shares)
    kept = np.maximum(estimate - tau[labels], 0)
    sums = np.bincount(labels, weights=kept, minlength=shares.size)
    np.testing.assert_allclose(sums, shares, rtol=0, atol=ROUNDING)


@given(in_blocks())
def test_every_estimator_follows_relabelled_symbols(case: tuple[Floats, Ints, Floats]) -> None:
    estimate, labels, shares = case
    order = np.random.default_rng(0).permutation(estimate.size)
    for name in OF_THE_ESTIMATE:
        apply = ESTIMATORS[name].apply
        result = apply(evidence(estimate, labels, shares))
        moved = apply(evidence(estimate[order], labels[order], shares))
        np.testing.assert_allclose(moved, result[order], rtol=0, atol=1e-9)


def test_blocks_with_all_and_nothing() -> None:
    estimate = np.array([0.4, -0.2, 0.3, 0.6])
    result = simplex_per_block(evidence(estimate, np.array([0, 0, 1, 1]), np.array([0.0, 1.0])))
    np.testing.assert_allclose(result, [0, 0, 0.35, 0.65], atol=1e-12)
    alone = simplex_per_block(in_one_block(estimate[:1]))
    assert alone.tolist() == [1.0]


@pytest.mark.parametrize("k", [1000, 43_750])
def test_large_noisy_estimates_are_still_projected(k: int) -> None:
    rng = np.random.default_rng(k)
    p = rng.dirichlet(np.full(k, 0.05))
    estimate = p + rng.normal(scale=0.01, size=k)
    labels = np.sort(rng.integers(0, 50, k))
    shares = np.bincount(labels, weights=p).astype(np.float64)
    check_projection(simplex(evidence(estimate, labels, shares)), estimate, 1.0)
    result = simplex_per_block(evidence(estimate, labels, shares))
    for block in range(50):
        own = labels == block
        check_projection(result[own], estimate[own], shares[block])


def test_none_is_the_estimate_itself() -> None:
    estimate = np.array([-1.0, 2.5])
    result = unprocessed(in_one_block(estimate))
    np.testing.assert_array_equal(result, estimate)


def test_estimators_are_found_by_name() -> None:
    for name, entry in ESTIMATORS.items():
        assert estimator(name) is entry
        assert entry.title
        assert entry.sentence
    names = re.escape(", ".join(ESTIMATORS))
    with pytest.raises(CaldpError, match=f"estimator must be one of {names}, got 'median'"):
        estimator("median")


def test_the_threshold_keeps_what_stands_out_and_evens_the_rest() -> None:
    mechanism = catalogue.in_context(Context.plain(1000, 1.0), "hadamard")
    rng = np.random.default_rng(5)
    p = np.full(1000, 0.4 / 999)
    p[7] = 0.6
    evidence = Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(10**6, p), rng))
    estimate = significant(evidence)
    assert estimate[7] == evidence.unbiased[7]
    assert np.unique(np.delete(estimate, 7)).size == 1
    assert estimate.sum() == pytest.approx(1)


def test_the_threshold_keeps_nothing_of_nothing() -> None:
    # Nobody has the last 1000 of 2000 symbols; in 200 runs, one of them is kept with probability
    # below alpha/2 each: by independence up to 5 in expectation, and 25 have probability 1e-10.
    mechanism = catalogue.in_context(Context.plain(2000, 1.0), "hadamard")
    rng = np.random.default_rng(6)
    people = np.repeat([1000, 0], 1000)
    false_alarms = tenfold = 0
    for _ in range(200):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
        estimate = significant(evidence)[1000:]
        false_alarms += np.unique(estimate).size > 1
        # Must fail: a threshold without Bonferroni's correction keeps 5 % of them.
        tenfold += bool((evidence.unbiased[1000:] > 1.645 * evidence.deviation[1000:]).any())
    assert 0 < false_alarms < 25
    assert tenfold == 200


def test_the_threshold_divides_what_is_too_much() -> None:
    mechanism = catalogue.in_context(Context.plain(2, 4.0), "hadamard")
    tally = mechanism.sample_tally(np.array([5000, 5000]), np.random.default_rng(0))
    over = Evidence(
        np.array([0.52, 0.51]), mechanism.policy.blocks, np.ones(1), 10_000, mechanism, tally
    )
    np.testing.assert_allclose(significant(over), np.array([0.52, 0.51]) / 1.03)


def test_the_threshold_leaves_nobody_where_the_clear_reports_are_all() -> None:
    mechanism = catalogue.in_context(
        Context.high_low(np.array([True, False, False]), 1.0), "randomized-response"
    )
    people = np.array([0, 3, 4])  # with this seed none of their reports is the hidden one's
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, np.random.default_rng(0)))
    assert evidence.clear.left.tolist() == [0.0]
    np.testing.assert_allclose(significant(evidence), [0.0, 0.4, 0.6])


def test_the_plug_in_deviation_is_the_exact_one_at_large_n() -> None:
    mechanism = catalogue.in_context(Context.block_structured(np.arange(60) % 4, 1.0), "hadamard")
    p = np.random.default_rng(1).dirichlet(np.ones(60))
    rng = np.random.default_rng(2)
    evidence = Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(10**8, p), rng))
    np.testing.assert_allclose(evidence.deviation**2, mechanism.variance(p, 10**8), rtol=5e-3)
