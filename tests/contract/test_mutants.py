"""Must-fail: each check of the contract rejects the mechanisms that break it.

Every row asks first that the check passes the right mechanism.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from caldp_core.mechanisms import FAMILIES, ContextMechanism
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import OueOracles, RapporOracles
from tests import mutants
from tests.contract import checks
from tests.contract.contexts import context, many_symbols
from tests.mutants import coin_for, only

Check = Callable[[ContextMechanism], None]
HR, RR, SS = HadamardOracles, RandomizedResponseOracles, SubsetSelectionOracles
OLH, GR = LocalHashingOracles, GaloisOracles
UNARY = (RapporOracles, OueOracles)
BOTH, PER_BLOCK = "blocks and sensitive set", "one ε per block"

WRONG_AS_A_WHOLE: list[tuple[str, Any, Any, str, Check]] = [
    *((f"coin 5 % too bold, {b.__name__}", b, coin_for(1.05, b), "plain", check)
      for b in (HR, RR, SS, OLH, GR, *UNARY) for check in (checks.check_audit,)),
    *((f"coin 5 % too shy, {b.__name__}", b, coin_for(0.95, b), BOTH, checks.check_tight)
      for b in (HR, RR, SS, OLH, GR, *UNARY)),
    *((f"swapped ε, {b.__name__}", b, mutants.swapped_epsilons(b), PER_BLOCK, checks.check_audit)
      for b in (HR, RR, SS, OLH, GR, *UNARY)),
    *((f"no λ, {b.__name__}", b, mutants.without_company(b), "sensitive set", checks.check_audit)
      for b in (HR, RR, SS, OLH, GR, *UNARY)),
    ("row 0 used: no distribution", HR, mutants.RowTooLow, "plain", checks.check_rows),
    ("row 0 used: audit", HR, mutants.RowTooLow, "plain", checks.check_audit),
    ("k-RR without its −1", RR, mutants.ForgottenOne, "plain", checks.check_audit),
    ("k-RR without its −1, both", RR, mutants.ForgottenOne, BOTH, checks.check_audit),
    ("complement with the truth", RR, mutants.TruthInComplement, "plain", checks.check_audit),
    ("complement with the truth, both", RR, mutants.TruthInComplement, BOTH, checks.check_audit),
]  # fmt: skip


def check_few_tallies(mechanism: ContextMechanism) -> None:
    checks.check_sample_tally(mechanism, checks.REPEATS_AGAIN)


def one_method_wrong(name: str, check: Check) -> list[tuple[str, Any, Any, str, Check]]:
    """Mutants of one method of each oracles, all caught by one check."""
    wrong = [
        ("coin 5 % too bold", HR, coin_for(1.05, HR), "plain"),
        ("coin 5 % too shy", HR, coin_for(0.95, HR), "plain"),
        ("coin 10 % too bold", SS, coin_for(1.1, SS), "plain"),
        ("coin 10 % too shy", SS, coin_for(0.9, SS), "plain"),
        ("swapped ε", SS, mutants.swapped_epsilons(SS), PER_BLOCK),
        ("coin 10 % too bold", RR, coin_for(1.1, RR), "plain"),
        ("coin 10 % too shy", RR, coin_for(0.9, RR), "plain"),
        ("swapped ε", HR, mutants.swapped_epsilons(HR), PER_BLOCK),
        ("swapped ε", RR, mutants.swapped_epsilons(RR), PER_BLOCK),
        ("next row", HR, mutants.NextRow, BOTH),
        ("row 0 used", HR, mutants.RowTooLow, "plain"),
        ("swapped blocks", HR, mutants.SwappedBlocks, BOTH),
        ("no −1", RR, mutants.ForgottenOne, "plain"),
        ("complement with the truth", RR, mutants.TruthInComplement, "plain"),
        *(
            (label, oracles, wrong, kind)
            for oracles in (*UNARY, OLH, GR)
            for label, wrong, kind in (
                ("coin 10 % too bold", coin_for(1.1, oracles), "plain"),
                ("coin 10 % too shy", coin_for(0.9, oracles), "plain"),
                ("swapped ε", mutants.swapped_epsilons(oracles), PER_BLOCK),
            )
        ),
    ]
    return [
        (f"{name}: {label}, {oracles.__name__}", oracles, only(name, mutant, oracles), kind, check)
        for label, oracles, mutant, kind in wrong
    ]


VARIANCE = [
    row
    for row in one_method_wrong("variance", checks.check_variance)
    # The variance does not depend on rows and places.
    if not any(label in row[0] for label in ("row", "swapped blocks"))
]
SINGLE = [
    *one_method_wrong("privatize", checks.check_privatize),
    *one_method_wrong("sample_tally", check_few_tallies),
    *one_method_wrong("estimate", checks.check_unbiased),
    *VARIANCE,
    *(
        (
            f"variance: no company, {oracles.__name__}",
            oracles,
            mutants.forgets_company_in_variance(oracles),
            BOTH,
            checks.check_variance,
        )
        for oracles in (HR, RR, SS, OLH, GR, *UNARY)
    ),
    ("tally drawn in pairs", HR, mutants.OneCoinForTwo, BOTH, checks.check_sample_tally),
    ("lies spread evenly", RR, mutants.EvenLies, BOTH, checks.check_sample_tally),
    ("lies never true", RR, mutants.HonestLies, "plain", checks.check_privatize),
    ("blind to the clear", RR, mutants.BlindToClear, BOTH, checks.check_unbiased),
]


@cache
def passes(oracles: Any, kind: str, check: Check) -> None:
    """The right mechanism passes; asked once for all mutants of it."""
    check(ContextMechanism(context(kind, 1.0), "right", oracles))


@pytest.mark.parametrize(
    ("name", "oracles", "mutant", "kind", "check"),
    [
        pytest.param(*row, id=row[0], marks=pytest.mark.thorough if number % 3 else ())
        for number, row in enumerate(WRONG_AS_A_WHOLE + SINGLE)
    ],
)
def test_the_check_catches_it(
    name: str, oracles: Any, mutant: Any, kind: str, check: Check
) -> None:
    passes(oracles, kind, check)
    policy = context(kind, 1.0)
    with pytest.raises(AssertionError):
        check(ContextMechanism(policy, "wrong", mutant))


FEW, MANY = checks.LAW_DRAWS, checks.LAW_DRAWS_THOROUGH


@pytest.mark.parametrize(
    ("epsilon", "wrong", "draws"),
    [
        (1.0, only("privatize", coin_for(1.05, HR), HR), FEW),
        (1.0, only("privatize", mutants.NextRow, HR), FEW),
        (1.0, only("sample_tally", mutants.SwappedBlocks, HR), FEW),
        # Twice the variance needs all draws; by few the moments above find it.
        pytest.param(1.0, mutants.OneCoinForTwo, MANY, marks=pytest.mark.thorough),
        (7.0, only("privatize", coin_for(0.95, RR), RR), FEW),
        (7.0, only("sample_tally", coin_for(1.05, RR), RR), FEW),
        (7.0, mutants.EvenLies, FEW),
    ],
)
def test_the_two_sample_check_catches_it(epsilon: float, wrong: Any, draws: int) -> None:
    policy, shares = many_symbols(epsilon)
    with pytest.raises(AssertionError):
        checks.check_one_law(ContextMechanism(policy, "wrong", wrong), shares, draws)


def test_every_registered_family_is_mutated() -> None:
    mutated = {row[1] for row in WRONG_AS_A_WHOLE + SINGLE}
    assert {entry.family for entry in FAMILIES.values()} <= mutated
