"""The exact audit on channels made by hand: what holds, what leaks, and how fine it decides."""

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel, finite_pairs
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import LEVEL_MAX
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from tests.audit.channels import exact_audit

F = Fraction


class Dense:
    """A privacy matrix written out."""

    def __init__(self, rows: Any) -> None:
        self._rows = np.array(rows, dtype=np.float64)
        self.k = len(rows)

    def between(self, x: Any, x_other: Any) -> Floats:
        return np.asarray(self._rows[x, x_other])


def both_ways(epsilon: float, back: float | None = None) -> Dense:
    return Dense([[0, epsilon], [epsilon if back is None else back, 0]])


WARNER = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]


def test_warner_s_coin_needs_log_3() -> None:
    audit = audit_channel(WARNER, both_ways(1.1))
    assert audit.holds
    assert audit.faulty_row is None
    assert audit.worst is not None
    assert audit.worst.privacy_loss == pytest.approx(math.log(3), abs=1e-15)
    assert audit.worst.epsilon == 1.1
    assert not audit_channel(WARNER, both_ways(1.09)).holds


def test_the_worst_is_the_farthest_beyond_its_own_entry() -> None:
    channel = [[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]
    # Output 0 tells 0 from 1 by log 2 of 0.7; output 1 tells 1 from 0 by log 1.5 of 0.3.
    audit = audit_channel(channel, both_ways(0.7, back=0.3))
    assert not audit.holds
    assert audit.worst is not None
    assert (audit.worst.x, audit.worst.x_other, audit.worst.output) == (1, 0, 1)
    assert audit.worst.privacy_loss == pytest.approx(math.log(1.5), abs=1e-15)
    assert audit_channel(channel, both_ways(0.7, back=0.41)).holds


def test_an_output_of_one_side_only_is_an_infinite_ratio() -> None:
    # Mangat: symbol 1 always says 1. Only its own privacy is lost, and only where E is finite.
    mangat = [[F(1, 2), F(1, 2)], [F(0), F(1)]]
    audit = audit_channel(mangat, both_ways(20.0))
    assert not audit.holds
    assert audit.worst is not None
    assert audit.worst.privacy_loss == math.inf
    assert (audit.worst.x, audit.worst.x_other, audit.worst.output) == (0, 1, 0)
    assert audit_channel(mangat, both_ways(math.inf, back=0.7)).holds
    assert not audit_channel(mangat, both_ways(math.inf, back=0.69)).holds


def test_zero_against_zero_asks_nothing() -> None:
    channel = [[F(1, 2), F(1, 2), F(0)], [F(1, 2), F(1, 2), F(0)]]
    audit = audit_channel(channel, both_ways(0.0))
    assert audit.holds
    assert audit.worst is not None
    assert audit.worst.privacy_loss == 0.0


def test_zero_epsilon_means_equal_rows() -> None:
    tiny = F(1, 10**50)
    channel = [[F(1, 2), F(1, 2)], [F(1, 2) + tiny, F(1, 2) - tiny]]
    assert not audit_channel(channel, both_ways(0.0)).holds
    assert audit_channel(channel, both_ways(1e-40)).holds


@pytest.mark.parametrize("epsilon", [0.001, 0.5, 1.0, 7.3, 20.0])
def test_it_decides_to_fifty_digits(epsilon: float) -> None:
    def channel(ratio: Fraction) -> list[list[Fraction]]:
        b = 1 / (ratio + 1)
        return [[1 - b, b], [b, 1 - b]]

    just_below = exp_below(epsilon)
    assert audit_channel(channel(just_below), both_ways(epsilon)).holds
    beyond = just_below * (1 + F(1, 10**50))
    assert not audit_channel(channel(beyond), both_ways(epsilon)).holds


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.5, 1.0, 7.3, 20.0])
def test_its_power_is_below_and_near(epsilon: float) -> None:
    terms = [F(1)]
    for j in range(1, 150):
        terms.append(terms[-1] * F(epsilon) / j)
    series = sum(terms)  # below e^ε by less than 1e-60 of it
    assert exp_below(epsilon) <= series
    assert series - exp_below(epsilon) <= series / 10**57


@pytest.mark.parametrize("epsilon", [5e-324, 2.3e-308, 1e-100, 1e-61, 9.9e-31, 1.1e-30, 1e-16])
def test_its_power_is_between_one_and_e_to_the_least_levels(epsilon: float) -> None:
    """Levels that 60 digits hardly tell from 0; all terms of the series are positive."""
    power, exact = exp_below(epsilon), F(epsilon)
    series = sum(exact**j / math.factorial(j) for j in range(6))
    assert 1 <= power <= series
    assert series - power <= max(exact**2, F(2, 10**59))


def test_equal_rows_hold_at_every_level() -> None:
    same = [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 2)]]
    for epsilon in (0.0, 5e-324, 1e-200, 1e-60, 1e-20, 1.0, 1e4, 1e200, sys.float_info.max):
        assert audit_channel(same, both_ways(epsilon)).holds


def test_the_least_level_still_decides() -> None:
    least = 5e-324

    def channel(excess: Fraction) -> list[list[Fraction]]:
        b = 1 / (2 + excess)
        return [[1 - b, b], [b, 1 - b]]

    assert audit_channel(channel(F(least)), both_ways(least)).holds
    assert not audit_channel(channel(F(least) * 2), both_ways(least)).holds


@pytest.mark.parametrize("epsilon", [LEVEL_MAX, 1.1 * LEVEL_MAX, 1e6, 1e308, sys.float_info.max])
def test_levels_beyond_all_channels_bind_as_the_largest(epsilon: float) -> None:
    """A ratio of e^10000 is refused or allowed; never is one above e^E let through."""
    most = exp_below(epsilon)
    assert most == exp_below(LEVEL_MAX)
    assert math.log(most.numerator) - math.log(most.denominator) == pytest.approx(LEVEL_MAX)

    def channel(ratio: Fraction) -> list[list[Fraction]]:
        b = 1 / (ratio + 1)
        return [[1 - b, b], [b, 1 - b]]

    assert audit_channel(channel(most), both_ways(epsilon)).holds
    assert not audit_channel(channel(most * 2), both_ways(epsilon)).holds
    certain = [[F(1), F(0)], [F(1, 2), F(1, 2)]]
    assert not audit_channel(certain, both_ways(epsilon)).holds


def test_the_power_never_falls() -> None:
    levels = [0.0, 5e-324, 1e-31, 9.9e-31, 1e-30, 1e-29, 1e-3, 1.0, 20.0, 700.0, 9999.0, 1e4, 1e9]
    powers = [exp_below(level) for level in levels]
    assert powers == sorted(powers)


@pytest.mark.parametrize(
    ("rows", "faulty"),
    [
        ([[F(1, 2), F(1, 2)], [F(1, 2), F(1, 3)]], 1),
        ([[F(0), F(0)], [F(1, 2), F(1, 2)]], 0),
        ([[F(1, 2), F(2, 3)], [F(1, 2), F(1, 2)]], 0),
        ([[F(3, 2), F(-1, 2)], [F(3, 2), F(-1, 2)]], 0),
        ([[F(1, 2), F(1, 2) + F(1, 2**60)], [F(1, 2), F(1, 2)]], 0),
    ],
)
def test_rows_have_to_be_distributions(rows: list[list[Fraction]], faulty: int) -> None:
    audit = audit_channel(rows, both_ways(20.0))
    assert audit.faulty_row == faulty
    assert not audit.holds


def test_without_a_finite_entry_nothing_can_leak() -> None:
    certain = [[F(1), F(0)], [F(0), F(1)]]
    audit = audit_channel(certain, both_ways(math.inf))
    assert audit.holds
    assert audit.worst is None
    alone = exact_audit(catalogue.in_context(Context.plain(1, 1.0), "hadamard"))
    assert alone.holds
    assert alone.worst is None


def test_it_believes_the_channel_and_not_the_class() -> None:
    mechanism = catalogue.in_context(Context.plain(4, 1.0), "hadamard")
    mechanism.policy = Context.plain(4, 0.99)
    audit = exact_audit(mechanism)
    assert not audit.holds
    assert audit.worst is not None
    assert audit.worst.privacy_loss == pytest.approx(1.0, abs=1e-12)
    assert audit.worst.epsilon == 0.99


def test_pairs_are_those_with_a_finite_entry() -> None:
    context = Context.of([0, 0, 1, 1], np.array([True, False, True, True]), [1.0, 2.0])
    assert list(finite_pairs(context)) == [(0, 1, 1.0), (2, 3, 2.0), (3, 2, 2.0)]


@pytest.mark.parametrize("rows", [[[F(1)]], [[F(1)], [F(1, 2), F(1, 2)]], []])
def test_shapes_that_do_not_fit_are_refused(rows: list[list[Fraction]]) -> None:
    with pytest.raises(CaldpError, match="2 rows of one length"):
        audit_channel(rows, both_ways(1.0))


@pytest.mark.parametrize("entry", [0.5, np.float64(0.5), "1/2", None])
def test_only_rationals_are_audited(entry: object) -> None:
    rows = [[F(1, 2), F(1, 2)], [F(1, 2), entry]]
    with pytest.raises(CaldpError, match="audited in rationals"):
        audit_channel(rows, both_ways(1.0))  # type: ignore[arg-type]
    assert audit_channel([[1, 0], [1, 0]], both_ways(1.0)).holds  # type: ignore[list-item]
