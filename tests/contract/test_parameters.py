"""Families with parameters of one's own keep the promise all the same, and owe what all owe."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import ContextMechanism, Mechanism
from caldp_core.mechanisms.catalogue import (
    FamilySpec,
    Galois,
    Hadamard,
    LocalHashing,
    PublishedUrap,
    Rappor,
    SubsetSelection,
)
from caldp_core.privacy.context import Context
from tests import mutants
from tests.agreement import agree_every_way
from tests.contract import checks
from tests.contract.contexts import CONTEXTS, EPSILONS, context
from tests.products import thinned

CONTEXT = Context.of([0, 0, 0, 1, 1, 1, 1], np.arange(7) < 6, [0.7, 2.0])
WIDE = Context.high_low(np.arange(40) < 30, 2.5)
"""Large enough that a share of people changes the best size of sets."""
SPECS = [
    Hadamard(2),
    Hadamard(None),
    Rappor(0.2),
    Rappor(0.9),
    SubsetSelection(2),
    SubsetSelection(share=0.0),
    LocalHashing(2),
    LocalHashing(3),
    Galois(share=0.1),
]

WITH_SETS = [
    Galois(2),
    Galois(4),
    Galois(share=0.05),
    SubsetSelection(share=0.05),
    Hadamard(2),
    Hadamard(None),
]


@pytest.mark.parametrize("spec", [*SPECS, PublishedUrap(0.7)])
@pytest.mark.parametrize(
    "check", [checks.check_rows, checks.check_audit, checks.check_unbiased, checks.check_variance]
)
def test_what_every_mechanism_owes(spec: Any, check: Callable[[Mechanism], None]) -> None:
    check(spec.make(CONTEXT))


@pytest.mark.parametrize(("spec", "kind"), thinned(WITH_SETS, CONTEXTS, one_in=4))
def test_sets_and_parts_keep_every_promise_in_every_context(spec: FamilySpec, kind: str) -> None:
    """At every ε, where what is registered often names symbols in contexts so small."""
    for epsilon in EPSILONS:
        mechanism = ContextMechanism(context(kind, epsilon), spec.name, spec.family())
        with checks.naming(f"ε = {epsilon}"):
            assert agree_every_way(mechanism).holds
            checks.check_tight(mechanism)
            checks.check_unbiased(mechanism)
            checks.check_variance(mechanism)


@pytest.mark.parametrize("spec", SPECS)
def test_parameters_change_what_a_report_means(spec: FamilySpec) -> None:
    mechanism, standard = spec.make(CONTEXT), type(spec)().make(CONTEXT)
    same = np.array_equal(checks.channel_of(mechanism), checks.channel_of(standard))
    assert (mechanism.fingerprint == standard.fingerprint) == same
    assert audit_mechanism(mechanism, CONTEXT).holds


def test_the_choice_of_a_mechanism_itself_is_the_best_of_its_parameters() -> None:
    plain, even = Context.plain(12, 1.0), np.full(12, 1 / 12)

    def loss(spec: FamilySpec) -> float:
        return float(spec.make(plain).variance(even, 1).sum())

    assert loss(SubsetSelection()) == min(loss(SubsetSelection(omega)) for omega in range(1, 12))
    assert loss(LocalHashing()) == min(loss(LocalHashing(g)) for g in range(2, 13))


@pytest.mark.parametrize("kind", [SubsetSelection, Galois])
def test_a_share_chooses_the_best_for_people_of_whom_as_many_are_sensitive(kind: Any) -> None:
    """By the exact variances of all sizes of sets, and so that everybody is the standard choice."""

    def loss(spec: FamilySpec, share: float) -> float:
        p = np.where(np.arange(40) < 30, share / 30, (1 - share) / 10)
        return float(spec.make(WIDE).variance(p, 1).sum())

    given = [kind(g) for g in (range(1, 30) if kind is SubsetSelection else (2, 4, 8, 16, 32))]
    for share in (0.0, 0.05, 0.3, 1.0):
        assert loss(kind(share=share), share) == min(loss(spec, share) for spec in given)
    assert kind(share=1.0).make(WIDE).fingerprint == kind().make(WIDE).fingerprint
    # Must fail: the choice for everybody is not the best for few.
    assert loss(kind(), 0.05) > 1.005 * loss(kind(share=0.05), 0.05)


@pytest.mark.parametrize(
    "oracles", [SubsetSelection(share=0.05).family(), Galois(share=0.05).family()]
)
def test_slips_of_a_choice_by_share_are_found(oracles: Any) -> None:
    """An ε that is 5 % off, either way, and no cover."""
    policy = Context.high_low(np.arange(11) < 9, 2.5)
    right = ContextMechanism(policy, "right", oracles)
    checks.check_audit(right)
    checks.check_tight(right)
    for wrong, check in (
        (mutants.coin_for(1.05, oracles), checks.check_audit),
        (mutants.coin_for(0.95, oracles), checks.check_tight),
        (mutants.without_company(oracles), checks.check_audit),
    ):
        with pytest.raises(AssertionError):
            check(ContextMechanism(policy, "wrong", wrong))


def test_a_share_and_what_it_chooses_cannot_both_be_given() -> None:
    for kind, name in ((SubsetSelection, "omega"), (Galois, "q")):
        with pytest.raises(CaldpError, match=f"share chooses {name}, so only one of them"):
            kind(2, 0.5)
        with pytest.raises(CaldpError, match="share must be a number in"):
            kind(share=1.5)


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
