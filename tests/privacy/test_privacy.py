"""Privacy matrices: entries, special cases, composition, closures and error regions."""

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit.adversary import error_rates, posterior
from caldp_core.audit.pairwise import Channel, finite_pairs, release_adaptively, release_both
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import DENSE_MAX_ENTRIES, EPSILON_MAX, EPSILON_MIN, K_MAX
from caldp_core.basics.powers import exp_below
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.privacy.context import Context, PrivacyMatrix, dense
from caldp_core.privacy.matrix import DenseMatrix, closure, released_together, sum_up
from tests.channels import (
    F,
    channels,
    contexts,
    holds,
    laws,
    least_promise,
    least_weighted_error,
    matrices,
    ratio,
    uldp,
    within_error_region,
)
from tests.contract.checks import CONTEXTS, context

EPSILON = st.floats(EPSILON_MIN, EPSILON_MAX)


@given(contexts())
def test_entries_are_those_of_the_definition(context: Context) -> None:
    matrix = dense(context)
    for x in range(context.k):
        for other in range(context.k):
            same_block = context.blocks[x] == context.blocks[other]
            if x == other:
                expected = 0.0
            elif context.sensitive[x] and same_block:
                expected = context.epsilon[context.blocks[x]]
            else:
                expected = np.inf
            assert matrix[x, other] == expected


@given(contexts())
def test_hidden_symbols_are_those_with_somebody_to_hide_among(context: Context) -> None:
    matrix = dense(context)
    finite = np.isfinite(matrix) & ~np.eye(context.k, dtype=np.bool_)
    np.testing.assert_array_equal(context.hidden(), finite.any(axis=1))


@given(st.integers(1, 12), EPSILON)
def test_plain_is_one_block_with_everything_sensitive(k: int, epsilon: float) -> None:
    matrix = dense(Context.plain(k, epsilon))
    np.testing.assert_array_equal(matrix, epsilon * (1 - np.eye(k)))


def test_high_low_and_blocks_are_special_cases() -> None:
    flags = np.array([True, False, True])
    e = np.inf
    np.testing.assert_array_equal(
        dense(Context.high_low(flags, 2.0)), [[0, 2, 2], [e, 0, e], [2, 2, 0]]
    )
    np.testing.assert_array_equal(
        dense(Context.block_structured([1, 0, 1], [0.5, 2.0])), [[0, e, 2], [e, 0, e], [2, e, 0]]
    )


def test_contexts_are_frozen_copies() -> None:
    labels, flags = np.array([0, 0, 1]), np.array([True, True, False])
    context = Context.of(labels, flags, 1.0)
    before = context.fingerprint()
    labels[0], flags[0] = 1, False
    assert context.fingerprint() == before
    for array in (context.blocks, context.sensitive, context.epsilon):
        assert not array.flags.writeable
    assert context.m == 2
    assert context.block_sizes().tolist() == [2, 1]


def test_fingerprints_tell_contexts_apart() -> None:
    flags = np.array([True, True, False])
    contexts = [
        Context.of([0, 0, 1], flags, 1.0),
        Context.of([0, 1, 1], flags, 1.0),
        Context.of([0, 0, 1], ~flags, 1.0),
        Context.of([0, 0, 1], flags, [1.0, 2.0]),
        Context.of([0, 0, 1], flags, np.nextafter(1.0, 2.0)),
        Context.plain(3, 1.0),
    ]
    assert len({context.fingerprint() for context in contexts}) == len(contexts)
    again = Context.of(np.array([0, 0, 1], np.int32), flags, [1.0, 1.0])
    assert again.fingerprint() == contexts[0].fingerprint()


@pytest.mark.parametrize(
    ("blocks", "sensitive", "epsilon", "words"),
    [
        ([0, 0], [True, True], 0.0, "epsilon must be in [0.001, 20], got 0.0"),
        ([0, 0], [True, True], -1.0, "got -1.0"),
        ([0, 0], [True, True], 20.000001, "epsilon must"),
        ([0, 0], [True, True], float("nan"), "got nan"),
        ([0, 0], [True, True], "much", "got 'much'"),
        ([0, 0], [True, True], None, "epsilon must"),
        ([0, 1], [True, True], [1.0, 0.0], "got 0.0"),
        ([0, 1], [True, True], [1.0, 1.0, 1.0], "one per block (2), got shape (3,)"),
        ([0, 0], [True], 1.0, "sensitive must be 2 booleans"),
        ([0, 0], [1, 0], 1.0, "booleans"),
        ([0, 2], [True, True], 1.0, "below k = 2, got 2"),
        ([0, 2, 2], [True, True, True], 1.0, "label 1 is unused"),
        ([-1, 0], [True, True], 1.0, "from 0 on, got -1"),
        ([0.0, 1.0], [True, True], 1.0, "one whole number per symbol"),
        ([[0, 0]], [[True, True]], 1.0, "got shape (1, 2)"),
        ([], [], 1.0, "one whole number per symbol"),
    ],
)
def test_contexts_that_are_none(
    blocks: object, sensitive: object, epsilon: object, words: str
) -> None:
    with pytest.raises(CaldpError, match=re.escape(words)):
        Context.of(blocks, sensitive, epsilon)  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [0, K_MAX + 1, 1.5])
def test_plain_needs_a_domain_size(k: object) -> None:
    with pytest.raises(CaldpError, match="k must be"):
        Context.plain(k, 1.0)  # type: ignore[arg-type]


def test_too_large_a_dense_matrix_is_refused_with_its_limit() -> None:
    with pytest.raises(CaldpError, match="at most 4,000,000 entries"):
        dense(Context.plain(2001, 1.0))


@pytest.mark.parametrize("symbol", [-1, 3])
def test_pairs_off_the_domain_are_refused(symbol: int) -> None:
    context = Context.plain(3, 1.0)
    with pytest.raises(CaldpError, match=r"x must hold symbols in \[0, 2\]"):
        context.between([symbol], [0])
    with pytest.raises(CaldpError, match="x_other must"):
        context.between([0], [symbol])


SMALL: dict[str, Callable[[float], Context]] = {
    "plain": lambda e: Context.plain(3, e),
    "sensitive set": lambda e: Context.high_low(np.array([True, True, False]), e),
    "single sensitive symbol": lambda e: Context.high_low(np.arange(3) == 2, e),
}
"""So small that all pairs of reports can be gone through in every family."""


def keeps(policy: PrivacyMatrix, prior: Sequence[F], after: Sequence[F]) -> bool:
    """Proposition 3, decided exactly: all odds are at most e^{E[x, x′]} times the prior odds."""
    return all(
        after[x] * prior[other] <= exp_below(level) * prior[x] * after[other]
        for x, other, level in finite_pairs(policy)
    )


@given(channels())
def test_a_channel_keeps_its_least_promise_and_no_less(channel: list[list[Fraction]]) -> None:
    # The tests below lean on both.
    assert holds(channel, least_promise(channel))
    worst = [ratio(channel[x], channel[z]) for x, z in permutations(range(3), 2)]
    if any(each is not None and each > 1 for each in worst):
        assert not holds(channel, least_promise(channel, slack=-1e-6))


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
        expected = [
            first[x][y] * second[x][z] for y, second in enumerate(seconds) for z in range(outputs)
        ]
        assert row == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", SMALL)
def test_releases_of_mechanisms_need_the_sum_and_no_less(family: str, kind: str) -> None:
    mechanism = catalogue.in_context(SMALL[kind](1.0), family)
    channel = mechanism.exact_channel()
    both = release_both(channel, channel)
    assert holds(both, released_together(mechanism.policy, mechanism.policy))
    assert not holds(both, mechanism.policy)
    less = SMALL[kind](0.99)
    assert not holds(both, released_together(mechanism.policy, less))


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
    chance = sum(p * row[y] for p, row in zip(prior, channel, strict=True))
    policy = least_promise(channel)
    if chance == 0:
        with pytest.raises(CaldpError, match="probability 0"):
            posterior(channel, policy, prior, y)
        return
    made = posterior(channel, policy, prior, y)
    assert sum(made) == 1
    assert made == tuple(p * row[y] / chance for p, row in zip(prior, channel, strict=True))
    assert keeps(policy, prior, made)


@given(channels(), st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_some_report_breaks_the_odds_of_what_leaks(
    channel: list[list[Fraction]], weights: list[int]
) -> None:
    """With a prior that rules nobody out, Proposition 3 for all reports says E-LDP again."""
    prior = [F(w, sum(weights)) for w in weights]
    for slack in (1e-6, -1e-6):
        policy = least_promise(channel, slack)
        outputs = [y for y, column in enumerate(zip(*channel, strict=True)) if any(column)]
        within = all(keeps(policy, prior, posterior(channel, policy, prior, y)) for y in outputs)
        assert within == holds(channel, policy)


def test_odds_by_hand() -> None:
    # Warner with truth 3/4 multiplies the odds by 3.
    warner = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
    policy, prior = Context.plain(2, math.log(3) + 1e-12), [F(1, 11), F(10, 11)]
    made = posterior(warner, policy, prior, 0)
    assert made == (F(3, 13), F(10, 13))
    assert keeps(policy, prior, made)
    assert posterior(warner, Context.plain(2, 1.0), [F(1), F(0)], 0) == (F(1), F(0))


@pytest.mark.parametrize("prior", [[F(1, 2)], [F(1, 2), F(1, 3)], [F(3, 2), F(-1, 2)]])
def test_priors_have_to_be_distributions(prior: list[Fraction]) -> None:
    with pytest.raises(CaldpError, match="2 probabilities that sum to 1"):
        posterior([[F(1)], [F(1)]], Context.plain(2, 1.0), prior, 0)


def test_outputs_that_are_none() -> None:
    with pytest.raises(CaldpError, match=r"output must be a whole number in \[0, 0\]"):
        posterior([[F(1)], [F(1)]], Context.plain(2, 1.0), [F(1), F(0)], 1)


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
def test_a_channel_that_keeps_a_matrix_keeps_its_closure(
    channel: list[list[Fraction]], extra: DenseMatrix
) -> None:
    policy = released_together(least_promise(channel), extra)
    assert holds(channel, policy)
    assert holds(channel, closure(policy))


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
def test_closures_pairs_off_the_domain_are_refused(symbol: int) -> None:
    matrix = DenseMatrix.of([[0, 1], [2, 0]])
    assert matrix.between([0, 1], [1, 0]).tolist() == [1, 2]
    with pytest.raises(CaldpError, match="x must"):
        matrix.between([symbol], [0])


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
    if all(catalogue.in_context(make(1.0), family).outputs <= 10 for make in SMALL.values())
]
"""Families that send so few different reports that all 2^outputs rules can be tried."""


def test_enough_families_are_terse() -> None:
    assert {"hadamard", "randomized-response"} <= set(TERSE)


@pytest.mark.parametrize("family", TERSE)
@pytest.mark.parametrize("kind", SMALL)
def test_no_rule_of_a_mechanism_errs_too_rarely(family: str, kind: str) -> None:
    """(7) and (8) as they are printed, for each rule; some rule meets one of them."""
    mechanism = catalogue.in_context(SMALL[kind](1.0), family)
    channel, levels = mechanism.exact_channel(), np.exp(dense(mechanism.policy))
    assert within_error_region(channel, mechanism.policy)
    closest = math.inf
    for x, other in permutations(range(mechanism.k), 2):
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
    assert error_rates(mangat, 0, 1, lambda y: y == 0) == (F(0), F(1, 3))
    # Symbol 1 is protected by log 3: (7) for x = 0, x′ = 1 weighs the missed ones with e^{E[1,0]}.
    keeps = DenseMatrix.of([[0, math.inf], [math.log(3) + 1e-12, 0]])
    assert within_error_region(mangat, keeps)
    assert not within_error_region(mangat, DenseMatrix.of(keeps.entries.T))


# ULDP


@pytest.mark.parametrize("family", ["hadamard", "randomized-response"])
@pytest.mark.parametrize("kind", ["sensitive set", "single sensitive symbol", "plain"])
def test_sensitive_sets_give_uldp(family: str, kind: str) -> None:
    mechanism = catalogue.in_context(context(kind, 1.0), family)
    channel, flags = mechanism.exact_channel(), mechanism.policy.sensitive
    protected = np.arange(mechanism.outputs) < mechanism.oracles.outputs
    assert uldp(channel, flags, protected, 1.0) == (True, True)
    assert uldp(channel, flags, protected, 0.99) == (True, False)
    if not flags.all():
        everything = np.ones(mechanism.outputs, np.bool_)
        assert uldp(channel, flags, everything, 1.0) == (True, False)
    assert not uldp(channel, flags, ~protected, 1.0)[0]


def test_uldp_binds_more_than_high_low_ldp_and_revealing() -> None:
    # High-low at 0.7 and nothing in the clear; yet output 0 gives the harmless symbol away.
    channel = [[F(1, 100), F(99, 100)], [F(1, 2), F(1, 2)]]
    sensitive, protected = np.array([True, False]), np.array([True, True])
    assert holds(channel, Context.high_low(sensitive, 0.7))
    assert uldp(channel, sensitive, protected, 0.7) == (True, False)
    assert uldp(channel, sensitive, protected, 4.0) == (True, True)
