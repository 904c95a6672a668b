"""CALDP's Theorem 1 and ULDP's definition on random and on real channels."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit.adversary import error_rates
from caldp_core.audit.pairwise import Channel
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import DenseMatrix
from tests.audit.channels import UldpVerdict, least_weighted_error, uldp, within_error_region
from tests.channels import F, channels, holds, least_promise, matrices
from tests.contract.contexts import context

SMALL: dict[str, Callable[[float], Context]] = {
    "plain": lambda e: Context.plain(3, e),
    "sensitive set": lambda e: Context.high_low(np.array([True, True, False]), e),
    "single sensitive symbol": lambda e: Context.high_low(np.arange(3) == 2, e),
}
"""So small that all pairs of reports can be gone through in every family."""


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
    assert uldp(channel, flags, protected, 1.0) == UldpVerdict(True, True)
    assert not uldp(channel, flags, protected, 0.99).protects
    if not flags.all():
        everything = np.ones(mechanism.outputs, np.bool_)
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
