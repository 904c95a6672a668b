"""Families with parameters of one's own keep the promise all the same, and owe what all owe."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.specs import (
    FamilySpec,
    LocalHashing,
    PublishedUrap,
    Rappor,
    SubsetSelection,
)
from caldp_core.privacy.context import Context
from tests.contract import checks

CONTEXT = Context.of([0, 0, 0, 1, 1, 1, 1], np.arange(7) < 6, [0.7, 2.0])
SPECS = [Rappor(0.2), Rappor(0.9), SubsetSelection(2), LocalHashing(2), LocalHashing(3)]


@pytest.mark.parametrize("spec", [*SPECS, PublishedUrap(0.7)])
@pytest.mark.parametrize(
    "check", [checks.check_rows, checks.check_audit, checks.check_unbiased, checks.check_variance]
)
def test_what_every_mechanism_owes(spec: Any, check: Callable[[Mechanism], None]) -> None:
    check(spec.make(CONTEXT))


@pytest.mark.parametrize("spec", SPECS)
def test_parameters_change_what_a_report_means(spec: FamilySpec) -> None:
    made, standard = spec.make(CONTEXT), type(spec)().make(CONTEXT)
    same = np.array_equal(checks.channel_of(made), checks.channel_of(standard))
    assert (made.fingerprint == standard.fingerprint) == same
    assert audit_mechanism(made, CONTEXT).holds


def test_the_choice_of_a_mechanism_itself_is_the_best_of_its_parameters() -> None:
    plain, even = Context.plain(12, 1.0), np.full(12, 1 / 12)

    def loss(spec: FamilySpec) -> float:
        return float(spec.make(plain).variance(even, 1).sum())

    assert loss(SubsetSelection()) == min(loss(SubsetSelection(omega)) for omega in range(1, 12))
    assert loss(LocalHashing()) == min(loss(LocalHashing(g)) for g in range(2, 13))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SubsetSelection(3), "omega must be below the number of sensitive values of every block"),
        (LocalHashing(4), "g must be at most the least prime"),
    ],
)
def test_parameters_too_large_for_a_block_are_refused(spec: FamilySpec, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        spec.make(CONTEXT)
