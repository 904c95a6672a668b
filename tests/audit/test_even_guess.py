"""The odds of an even guess: by formula, by the corner of Theorem 2, and over every pair of E."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit.adversary import (
    PairOdds,
    error_vertex,
    even_guess,
    max_guess_accuracy,
    pair_odds,
)
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix, closure
from tests.audit.channels import best_guess_of_channel

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


def test_between_a_sensitive_and_an_open_value_it_is_82_at_one() -> None:
    assert 100 * float(even_guess(1.0, math.inf)) == pytest.approx(81.606, abs=5e-4)


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
