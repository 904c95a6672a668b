"""CALDP's Propositions 1–3 and Theorem 1 on random and on real channels, and sums and closures."""

import math
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit import audit_channel
from caldp_core.composition import (
    Channel,
    UldpVerdict,
    belief,
    error_rates,
    least_weighted_error,
    post_process,
    release_adaptively,
    release_both,
    uldp,
    within_error_region,
)
from caldp_core.dense_privacy import DenseMatrix, closure, released_together, sum_up
from caldp_core.errors import CaldpError
from caldp_core.limits import DENSE_MAX_ENTRIES
from caldp_core.mechanisms import FAMILIES, mechanism
from caldp_core.privacy import Context, PrivacyMatrix, dense
from tests.contract.contexts import CONTEXTS, context
from tests.test_privacy import contexts

F = Fraction
SMALL = {
    "plain": lambda e: Context.plain(3, e),
    "sensitive set": lambda e: Context.high_low(np.array([True, True, False]), e),
    "single sensitive symbol": lambda e: Context.high_low(np.arange(3) == 2, e),
}
"""So small that all pairs of reports can be gone through in every family."""
LEVELS = st.one_of(st.just(math.inf), st.floats(0, 20))


@st.composite
def laws(draw: st.DrawFn, outputs: int) -> list[Fraction]:
    """A distribution with small whole weights, often with zeros."""
    weights = draw(st.lists(st.integers(0, 5), min_size=outputs, max_size=outputs))
    weights[draw(st.integers(0, outputs - 1))] += 1
    return [F(w, sum(weights)) for w in weights]


@st.composite
def channels(draw: st.DrawFn, k: int = 3) -> list[list[Fraction]]:
    outputs = draw(st.integers(1, 5))
    return [draw(laws(outputs)) for _ in range(k)]


@st.composite
def matrices(draw: st.DrawFn, k: int, levels: Any = LEVELS) -> DenseMatrix:
    rows = [[0.0 if x == z else draw(levels) for z in range(k)] for x in range(k)]
    return DenseMatrix.of(rows)


def ratio(row: list[Fraction], other: list[Fraction]) -> Fraction | None:
    if any(a > 0 and b == 0 for a, b in zip(row, other, strict=True)):
        return None
    return max(a / b for a, b in zip(row, other, strict=True) if b > 0)


def least_promise(channel: list[list[Fraction]], slack: float = 1e-12) -> DenseMatrix:
    """The least E that the channel keeps, but for `slack`; below it if that is negative."""
    k = len(channel)
    levels = np.zeros((k, k))
    for x, z in permutations(range(k), 2):
        worst = ratio(channel[x], channel[z])
        levels[x, z] = math.inf if worst is None else max(0.0, math.log(worst) + slack)
    return DenseMatrix.of(levels)


def holds(channel: Channel, policy: PrivacyMatrix) -> bool:
    return audit_channel(channel, policy).holds


@given(channels())
def test_a_channel_keeps_its_least_promise_and_no_less(channel: list[list[Fraction]]) -> None:
    # The tests below lean on both.
    assert holds(channel, least_promise(channel))
    worst = [ratio(channel[x], channel[z]) for x, z in permutations(range(3), 2)]
    if any(each is not None and each > 1 for each in worst):
        assert not holds(channel, least_promise(channel, slack=-1e-6))


# Proposition 1


@given(channels(), st.data())
def test_post_processing_keeps_the_promise(channel: list[list[Fraction]], data: Any) -> None:
    columns = data.draw(st.integers(1, 5))
    rule = [data.draw(laws(columns)) for _ in channel[0]]
    after = post_process(channel, rule)
    assert holds(after, least_promise(channel))
    dense_product = np.array(channel) @ np.array(rule)
    assert after == dense_product.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_post_processing_of_a_mechanism(family: str) -> None:
    made = mechanism(context("blocks and sensitive set", 1.0), family)
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 9, size=(made.outputs, 4)).tolist()
    rule = [[F(w, sum(row)) for w in row] for row in weights]
    assert holds(post_process(made.exact_channel(), rule), made.policy)


def test_a_rule_that_creates_probability_is_none() -> None:
    channel = [[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]
    for rule in ([[F(1)], [F(2)]], [[F(1)]], [[F(2), F(-1)], [F(1), F(0)]], []):
        with pytest.raises(CaldpError):
            post_process(channel, rule)


# Proposition 2


@given(channels(), channels())
def test_two_releases_keep_the_sum(one: list[list[Fraction]], two: list[list[Fraction]]) -> None:
    both = release_both(one, two)
    assert all(sum(row) == 1 for row in both)
    assert holds(both, released_together(least_promise(one), least_promise(two)))


@given(channels(), st.data())
def test_a_release_that_looks_at_the_first_keeps_the_sum(
    first: list[list[Fraction]], data: Any
) -> None:
    outputs = data.draw(st.integers(1, 3))
    seconds = [[data.draw(laws(outputs)) for _ in range(3)] for _ in first[0]]
    both = release_adaptively(first, seconds)
    promises = np.stack([least_promise(second).entries for second in seconds])
    worst = DenseMatrix.of(promises.max(axis=0))
    assert holds(both, released_together(least_promise(first), worst))
    for x, row in enumerate(both):
        expected = [first[x][y] * second[x][z] for y, second in enumerate(seconds)
                    for z in range(outputs)]  # fmt: skip
        assert row == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", SMALL)
def test_releases_of_mechanisms_need_the_sum_and_no_less(family: str, kind: str) -> None:
    made = mechanism(SMALL[kind](1.0), family)
    channel = made.exact_channel()
    both = release_both(channel, channel)
    assert holds(both, released_together(made.policy, made.policy))
    assert not holds(both, made.policy)
    less = SMALL[kind](0.99)
    assert not holds(both, released_together(made.policy, less))


def test_releases_of_unlike_channels_are_refused() -> None:
    two, three = [[F(1)]] * 2, [[F(1)]] * 3
    for second in ([three], [two, two], [], [[[F(1)], [F(1, 2), F(1, 2)]]]):
        with pytest.raises(CaldpError):
            release_adaptively(two, second)
    wide = [[F(1, 500)] * 500] * 2
    with pytest.raises(CaldpError, match="at most 200,000 entries"):
        release_both(wide, wide)


# Proposition 3


@given(channels(), laws(3), st.data())
def test_posterior_odds_stay_within_the_bound(
    channel: list[list[Fraction]], prior: list[Fraction], data: Any
) -> None:
    y = data.draw(st.integers(0, len(channel[0]) - 1))
    seen = sum(p * row[y] for p, row in zip(prior, channel, strict=True))
    policy = least_promise(channel)
    if seen == 0:
        with pytest.raises(CaldpError, match="probability 0"):
            belief(channel, policy, prior, y)
        return
    made = belief(channel, policy, prior, y)
    assert sum(made.posterior) == 1
    assert made.posterior == tuple(p * row[y] / seen for p, row in zip(prior, channel, strict=True))
    assert made.within()
    for x, other in permutations(range(3), 2):
        odds = made.odds(x, other)
        assert odds is None or float(odds) <= made.odds_bound(x, other) * (1 + 1e-9)


@given(channels(), st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_some_report_breaks_the_odds_of_what_leaks(
    channel: list[list[Fraction]], weights: list[int]
) -> None:
    """With a prior that rules nobody out, Proposition 3 for all reports says E-LDP again."""
    prior = [F(w, sum(weights)) for w in weights]
    for slack in (1e-6, -1e-6):
        policy = least_promise(channel, slack)
        seen = [y for y, column in enumerate(zip(*channel, strict=True)) if any(column)]
        within = all(belief(channel, policy, prior, y).within() for y in seen)
        assert within == holds(channel, policy)


def test_odds_by_hand() -> None:
    # Warner with truth 3/4 multiplies the odds by 3.
    warner = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
    made = belief(warner, Context.plain(2, math.log(3) + 1e-12), [F(1, 11), F(10, 11)], 0)
    assert made.posterior == (F(3, 13), F(10, 13))
    assert made.odds(0, 1) == F(3, 10)
    assert made.odds_bound(0, 1) == pytest.approx(0.3, abs=1e-9)
    assert made.odds_bound(1, 0) == pytest.approx(30, rel=1e-9)
    assert made.within()
    certain = belief(warner, Context.plain(2, 1.0), [F(1), F(0)], 0)
    assert certain.odds(0, 1) is None
    assert certain.odds_bound(0, 1) == math.inf
    free = belief(warner, DenseMatrix.of([[0, math.inf], [1.2, 0]]), [F(1, 2), F(1, 2)], 0)
    assert free.odds_bound(0, 1) == math.inf


@pytest.mark.parametrize("prior", [[F(1, 2)], [F(1, 2), F(1, 3)], [F(3, 2), F(-1, 2)]])
def test_priors_have_to_be_distributions(prior: list[Fraction]) -> None:
    with pytest.raises(CaldpError, match="2 probabilities that sum to 1"):
        belief([[F(1)], [F(1)]], Context.plain(2, 1.0), prior, 0)


def test_outputs_and_policies_that_are_none() -> None:
    with pytest.raises(CaldpError, match=r"output must be a whole number in \[0, 0\]"):
        belief([[F(1)], [F(1)]], Context.plain(2, 1.0), [F(1), F(0)], 1)
    with pytest.raises(CaldpError, match="3 rows, got 2"):
        within_error_region([[F(1)], [F(1)]], Context.plain(3, 1.0))
    with pytest.raises(CaldpError, match="at least one row"):
        post_process([], [])


# Theorem 1


def every_rule(channel: Channel, x: int, other: int) -> list[tuple[Fraction, Fraction]]:
    """(P_FA, P_MD) of all 2^outputs deterministic decision rules."""
    outputs = len(channel[0])
    return [
        error_rates(channel, x, other, rule.__getitem__)
        for rule in product([False, True], repeat=outputs)
    ]


@given(channels(), st.fractions(0, 50))
def test_the_least_error_is_that_of_the_best_rule(
    channel: list[list[Fraction]], weight: Fraction
) -> None:
    for x, other in permutations(range(3), 2):
        brute = min(alarm + weight * miss for alarm, miss in every_rule(channel, x, other))
        assert least_weighted_error(channel, x, other, weight) == brute


@given(channels(), matrices(3))
def test_error_regions_say_what_the_audit_says(
    channel: list[list[Fraction]], policy: DenseMatrix
) -> None:
    assert within_error_region(channel, policy) == holds(channel, policy)


@given(channels())
def test_error_regions_at_the_edge(channel: list[list[Fraction]]) -> None:
    for slack in (1e-9, -1e-9):
        policy = least_promise(channel, slack)
        assert within_error_region(channel, policy) == holds(channel, policy)


TERSE = [
    family
    for family in FAMILIES
    if all(mechanism(make(1.0), family).outputs <= 10 for make in SMALL.values())
]
"""Families that send so few different reports that all 2^outputs rules can be tried."""


def test_enough_families_are_terse() -> None:
    assert {"hadamard", "randomized-response"} <= set(TERSE)


@pytest.mark.parametrize("family", TERSE)
@pytest.mark.parametrize("kind", SMALL)
def test_no_rule_of_a_mechanism_errs_too_rarely(family: str, kind: str) -> None:
    """(7) and (8) as they are printed, for each rule; some rule meets one of them."""
    made = mechanism(SMALL[kind](1.0), family)
    channel, levels = made.exact_channel(), np.exp(dense(made.policy))
    assert within_error_region(channel, made.policy)
    closest = math.inf
    for x, other in permutations(range(made.k), 2):
        for alarm, miss in every_rule(channel, x, other):
            for level, rare, often in (
                (levels[other, x], alarm, miss),
                (levels[x, other], miss, alarm),
            ):
                if np.isfinite(level):
                    total = float(rare) + level * float(often)
                    assert total >= 1 - 1e-12
                    nontrivial = {rare, often} != {0, 1}
                    closest = min(closest, total - 1 if nontrivial else math.inf)
    assert closest <= 1e-9
    assert not within_error_region(channel, SMALL[kind](0.99))


def test_which_error_is_which() -> None:
    # Mangat: symbol 1 always says 1, symbol 0 says 1 in one of three cases.
    mangat = [[F(2, 3), F(1, 3)], [F(0), F(1)]]
    assert error_rates(mangat, 0, 1, lambda y: y == 0) == (0, F(1, 3))
    # Symbol 1 is protected by log 3: (7) for x = 0, x′ = 1 weighs the missed ones with e^{E[1,0]}.
    keeps = DenseMatrix.of([[0, math.inf], [math.log(3) + 1e-12, 0]])
    assert within_error_region(mangat, keeps)
    assert not within_error_region(mangat, DenseMatrix.of(keeps.entries.T))


# ULDP


@pytest.mark.parametrize("family", ["hadamard", "randomized-response"])
@pytest.mark.parametrize("kind", ["sensitive set", "single sensitive symbol", "plain"])
def test_sensitive_sets_give_uldp(family: str, kind: str) -> None:
    made = mechanism(context(kind, 1.0), family)
    channel, flags = made.exact_channel(), made.policy.sensitive
    protected = np.arange(made.outputs) < made.bank.outputs
    assert uldp(channel, flags, protected, 1.0) == UldpVerdict(True, True)
    assert not uldp(channel, flags, protected, 0.99).protects
    if not flags.all():
        everything = np.ones(made.outputs, np.bool_)
        assert not uldp(channel, flags, everything, 1.0).protects
    assert not uldp(channel, flags, ~protected, 1.0).reveals


def test_uldp_binds_more_than_high_low_ldp_and_revealing() -> None:
    # High-low at 0.7 and nothing in the clear; yet output 0 gives the harmless symbol away.
    channel = [[F(1, 100), F(99, 100)], [F(1, 2), F(1, 2)]]
    sensitive, protected = np.array([True, False]), np.array([True, True])
    assert holds(channel, Context.high_low(sensitive, 0.7))
    verdict = uldp(channel, sensitive, protected, 0.7)
    assert verdict == UldpVerdict(reveals=True, protects=False)
    assert not verdict.holds
    assert uldp(channel, sensitive, protected, 4.0).holds


def test_outputs_that_reveal_a_sensitive_input_or_nobody_are_none() -> None:
    sensitive = np.array([True, False])
    certain = [[F(1), F(0)], [F(0), F(1)]]
    assert not uldp(certain, sensitive, np.array([False, False]), 1.0).reveals
    never = [[F(1), F(0)], [F(1), F(0)]]
    assert not uldp(never, sensitive, np.array([True, False]), 1.0).reveals
    assert uldp(never, sensitive, np.array([True, True]), 1.0).holds
    with pytest.raises(CaldpError, match="2 sensitive flags and 2 protected"):
        uldp(certain, sensitive, np.array([True]), 1.0)


# Sums and closures


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_sums_are_the_least_floats_that_are_not_below(a: float, b: float) -> None:
    total = float(sum_up(np.array(a), np.array(b)))
    exact = F(a) + F(b)
    assert F(total) >= exact
    assert total == 0 or F(float(np.nextafter(total, 0.0))) < exact


def test_infinite_sums() -> None:
    one, two = np.array([np.inf, 1.0, np.inf, 1e308]), np.array([1.0, np.inf, np.inf, 1e308])
    with np.errstate(over="ignore"):
        assert np.isposinf(sum_up(one, two)).all()


@pytest.mark.parametrize("kind", CONTEXTS)
def test_contexts_add_up_entry_by_entry(kind: str) -> None:
    one, two = context(kind, 1.0), context(kind, 0.3)
    total = dense(released_together(one, two, two))
    np.testing.assert_allclose(total, dense(one) + 2 * dense(two), rtol=1e-15)
    assert (total >= dense(one) + dense(two)).all()


def test_releases_of_large_contexts_add_up_without_being_written_out() -> None:
    k = 43_750
    blocks = Context.block_structured(np.arange(k) % 875, 1.0)
    both = released_together(Context.plain(k, 0.5), blocks)
    assert both.k == k
    assert both.between([0, 0, 0], [875, 1, 0]).tolist() == [1.5, math.inf, 0.0]
    with pytest.raises(CaldpError, match="at most 4,000,000 entries"):
        dense(both)


def test_unlike_domains_do_not_add_up() -> None:
    with pytest.raises(CaldpError, match=r"sizes \[2, 3\]"):
        released_together(Context.plain(2, 1.0), Context.plain(3, 1.0))
    with pytest.raises(CaldpError, match="over one domain"):
        released_together()


@given(contexts())
def test_contexts_are_closed_already(policy: Context) -> None:
    np.testing.assert_array_equal(closure(policy).entries, dense(policy))


@pytest.mark.parametrize("kind", CONTEXTS)
def test_sums_of_contexts_are_closed_already(kind: str) -> None:
    total = released_together(context(kind, 1.0), context(kind, 0.25))
    np.testing.assert_array_equal(closure(total).entries, dense(total))


@given(matrices(4))
def test_the_closure_is_the_shortest_way_by_brute_force(policy: DenseMatrix) -> None:
    found = closure(policy).entries
    for x, z in permutations(range(4), 2):
        rest = [y for y in range(4) if y not in (x, z)]
        ways = [[x, *between, z] for r in range(3) for between in permutations(rest, r)]
        lengths = [[policy.entries[a, b] for a, b in pairwise(way)] for way in ways]
        finite = [sum(map(F, steps)) for steps in lengths if np.isfinite(steps).all()]
        if not finite:
            assert np.isposinf(found[x, z])
            continue
        exact = min(finite)
        assert exact <= F(found[x, z]) <= exact * (1 + F(1, 10**15)) + F(1, 10**300)


@given(channels(4), matrices(4, st.sampled_from([0.0, 0.5, 2.0, math.inf])))
def test_whoever_keeps_a_matrix_keeps_its_closure(
    channel: list[list[Fraction]], extra: DenseMatrix
) -> None:
    policy = released_together(least_promise(channel), extra)
    assert holds(channel, policy)
    assert holds(channel, closure(policy))


def test_a_detour_that_is_shorter() -> None:
    line = DenseMatrix.of([[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    np.testing.assert_array_equal(closure(line).entries, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert not closure(line).entries.flags.writeable


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([[0, 1]], "square matrix, got shape"),
        ([0], "square matrix, got shape"),
        (np.zeros((0, 0)), "square matrix, got shape"),
        ([[0, -1], [1, 0]], r"in \[0, inf\], got -1.0"),
        ([[0, math.nan], [1, 0]], "got nan"),
        ([[1, 1], [1, 0]], "0 on the diagonal, got 1.0"),
        ([["a"]], "square matrix of numbers"),
        ([[0, 1], [0]], "square matrix of numbers"),
        (np.zeros((2001, 2001)), f"at most {DENSE_MAX_ENTRIES:,}"),
    ],
)
def test_matrices_that_are_none(entries: object, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        DenseMatrix.of(entries)  # type: ignore[arg-type]


@pytest.mark.parametrize("symbol", [-1, 2])
def test_pairs_off_the_domain_are_refused(symbol: int) -> None:
    matrix = DenseMatrix.of([[0, 1], [2, 0]])
    assert matrix.between([0, 1], [1, 0]).tolist() == [1, 2]
    with pytest.raises(CaldpError, match="x must"):
        matrix.between([symbol], [0])
