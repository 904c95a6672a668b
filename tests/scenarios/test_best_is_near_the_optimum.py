"""What `best` picks over a grid: within 8 % of the optimum, never above Hadamard response.

Errors are n·Σ Var(p̂_x) with people fixed and even. The optimum is that of Ye and Barg 2018 where
everything is sensitive and of Yoon et al. 2025 for a sensitive set, block by block as no report
hides the block; it is reckoned without any mechanism.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import report_bits
from caldp_core.mechanisms.catalogue import (
    Galois,
    Hadamard,
    MechanismSpec,
    RandomizedResponse,
    SubsetSelection,
    mechanisms_for,
)
from caldp_core.privacy.context import Context
from caldp_core.scenarios.scenario import Best, choose_mechanism
from caldp_core.theory.bounds import least_loss
from tests.contract.checks import naming
from tests.products import thinned

SIZES = (16, 64, 256, 1024, 43_750)
EPSILONS = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
POLICIES: dict[str, Callable[[int, float], Context]] = {
    "plain": Context.plain,
    "blocks": lambda k, e: Context.block_structured(np.arange(k) % (k // 16 + 1), e),
    "large blocks": lambda k, e: Context.block_structured(np.arange(k) % 4, e),
    "few sensitive": lambda k, e: Context.high_low(np.arange(k) < max(k // 50, 1), e),
    "some sensitive": lambda k, e: Context.high_low(np.arange(k) < k // 10, e),
    "most sensitive": lambda k, e: Context.high_low(np.arange(k) < k - k // 10, e),
    "both": lambda k, e: Context.of(np.arange(k) % 4, np.arange(k) // 4 % 2 > 0, e),
}
NEAR, NEXT_TO_BEST = 1.08, 1.02
"""How far off the best may be where its rivals need more than a packet, and where they do not."""


def loss(mechanism: Mechanism) -> float:
    """n·Σ Var(p̂_x) of people who are fixed and even."""
    even = np.full(mechanism.k, 1 / mechanism.k)
    return float(mechanism.variance(even, 1).sum()) - (1 - 1 / mechanism.k)


def optimum(policy: Context) -> float:
    """The same of the best mechanism there can be: of a block with a share w of people, w times."""
    k, hidden, total = policy.k, policy.hidden(), 0.0
    sizes, whole = np.bincount(policy.blocks[hidden], minlength=policy.m), policy.block_sizes()
    for s, n, epsilon in zip(sizes.tolist(), whole.tolist(), policy.epsilon, strict=True):
        alone = least_loss(n, s, float(epsilon), s / n).loss if s else 1 - 1 / n
        total += n / k * (alone + 1 / n)
    return total - 1


def candidate_specs(policy: Context) -> Iterator[MechanismSpec]:
    """Everything that keeps the policy, made for the share of sensitive values as well."""
    yield from (entry.spec() for entry in mechanisms_for(policy))
    yield Hadamard(None)
    share = float(f"{policy.hidden().mean():.3g}")
    if share < 1:
        yield from (SubsetSelection(share=share), Galois(share=share))


def least(policy: Context) -> float:
    found = []
    for spec in candidate_specs(policy):
        try:
            found.append(loss(spec.make(policy)))
        except CaldpError:  # too large
            continue
    return min(found)


def check(policy: Context, mechanism: Mechanism) -> None:
    ours = loss(mechanism)
    assert ours <= NEAR * optimum(policy) + 1e-9
    assert ours <= loss(Hadamard().make(policy)) * (1 + 1e-9)
    assert ours <= loss(Hadamard(None).make(policy)) * (1 + 1e-9)
    sampled = 1 - 1 / policy.k
    limit = NEXT_TO_BEST if policy.k < 10_240 else NEAR
    assert ours + sampled <= limit * (least(policy) + sampled)


@pytest.mark.parametrize(("kind", "k"), thinned(POLICIES, SIZES, one_in=3))
def test_what_is_picked_is_near_the_optimum_and_below_hadamard(kind: str, k: int) -> None:
    for epsilon in EPSILONS if k < 5000 else (0.1, 1.0, 3.0, 5.0):
        policy = POLICIES[kind](k, epsilon)
        with naming(f"ε = {epsilon}"):
            check(policy, choose_mechanism(Best(), policy).mechanism)


def test_galois_response_is_picked_on_the_map_and_next_to_the_optimum_there() -> None:
    """Below ε = ln 2 its q is 2, and Hadamard response has the same error and one bit less."""
    for epsilon in EPSILONS:
        policy = Context.plain(43_750, epsilon)
        ours, best = loss(Galois().make(policy)), choose_mechanism(Best(), policy)
        with naming(f"ε = {epsilon}"):
            assert ours <= NEAR * optimum(policy)
            assert ours <= 1.001 * loss(Hadamard().make(policy))
            assert best.name == ("galois" if epsilon > np.log(2) else "hadamard")
            assert report_bits(best.mechanism) <= 22


def test_reports_that_do_not_fit_into_a_packet_have_to_be_worth_it() -> None:
    """At ε = 8 no field is large enough: one bit for each value is better by a third."""
    policy = Context.plain(43_750, 8.0)
    best = choose_mechanism(Best(), policy)
    assert report_bits(best.mechanism) == 43_750
    assert loss(Galois().make(policy)) > NEAR * loss(best.mechanism)
    small = choose_mechanism(Best(), Context.plain(6_000, 0.5))
    assert report_bits(small.mechanism) == 6_000


def test_other_choices_fail() -> None:
    """Hadamard response by its error, as its lies never end; answers in the clear at small ε."""
    plain = [(Hadamard(), 2.0), (Hadamard(None), 4.0), (RandomizedResponse(), 0.5)]
    cases = [(spec, Context.plain(k, epsilon)) for k in SIZES[1:] for spec, epsilon in plain]
    few = Context.high_low(np.arange(1024) < 20, 3.0)
    for spec, policy in (*cases, (Galois(), few), (Hadamard(None), few)):
        with pytest.raises(AssertionError):
            check(policy, spec.make(policy))
