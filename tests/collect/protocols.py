"""Small protocols of every family in every kind of context."""

import math
from typing import Any, Final

import numpy as np

from caldp_core.collect.protocol import FamilyPlan, Protocol, TablePlan
from caldp_core.domain.answers import Domain
from caldp_core.mechanisms.catalogue import COLLECTABLE, FamilySpec, Hadamard, mechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from tests.contract.contexts import context

SPECS: Final[dict[str, FamilySpec]] = {
    **{name: entry.spec() for name, entry in COLLECTABLE.items()},
    "hadamard in parts": Hadamard(parts=2),
}


def planned(policy: Context, spec: FamilySpec) -> FamilyPlan:
    """The family in this context."""
    made: Any = spec.make(policy)
    return FamilyPlan(spec, made)


def protocol_in(policy: Context, spec: FamilySpec) -> Protocol:
    """A protocol of numbers, block names counted up."""
    names = tuple(f"block {j}" for j in range(policy.m))
    return Protocol("", Domain(policy.k), names, planned(policy, spec))


def small(family: str, kind: str = "blocks and sensitive set", epsilon: float = 1.0) -> Protocol:
    """The family in the kind of context, see `tests.contract.contexts`."""
    return protocol_in(context(kind, epsilon), SPECS[family])


def labelled(family: str, labels: tuple[str, ...], epsilon: float = 1.0) -> Protocol:
    """Plain LDP on answers with labels."""
    spec = SPECS[family]
    policy = Context.plain(len(labels), epsilon)
    return Protocol("Which?", Domain(len(labels), labels), ("all",), planned(policy, spec))


def many(family: str, k: int, epsilon: float = 1.0) -> Protocol:
    """Plain LDP on so many numbers."""
    return protocol_in(
        Context.of(np.zeros(k, np.int64), np.ones(k, np.bool_), epsilon), SPECS[family]
    )


def tables() -> dict[str, Protocol]:
    """Channels that are written out, each in a policy of another kind."""
    line = GridMetric(1, 4, 0.7, 0.7)
    levels = [[0.0, 1, 2], [0.5, 0, math.inf], [3.0, 1, 0]]
    made = {
        "binary": mechanism(BinaryPolicy(0.5, 2.0), "binary"),
        "grid-geometric": mechanism(line, "grid-geometric"),
        "designed": mechanism(DenseMatrix.of(levels), "designed"),
        "exponential": mechanism(line, "exponential"),
        "square-wave": mechanism(Context.high_low(np.arange(5) != 1, 1.0), "square-wave"),
    }
    return {
        name: Protocol("", Domain(each.k), ("everything",), TablePlan.of(name, each))
        for name, each in made.items()
    }
