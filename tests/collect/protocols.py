"""Small protocols of every family in every kind of context."""

from typing import Final

import numpy as np

from caldp_core.collect.protocol import Protocol
from caldp_core.domain.grid import Domain
from caldp_core.mechanisms.registry import FAMILIES
from caldp_core.mechanisms.specs import FamilySpec, Hadamard
from caldp_core.privacy.context import Context
from tests.contract.contexts import context

SPECS: Final[dict[str, FamilySpec]] = {
    **{name: entry.spec() for name, entry in FAMILIES.items()},
    "hadamard in parts": Hadamard(parts=2),
}


def protocol_in(policy: Context, spec: FamilySpec) -> Protocol:
    """A protocol of numbers, block names counted up."""
    names = tuple(f"block {j}" for j in range(policy.m))
    made = spec.make(policy)
    return Protocol("", Domain(policy.k), names, spec, made)  # type: ignore[arg-type]


def small(family: str, kind: str = "blocks and sensitive set", epsilon: float = 1.0) -> Protocol:
    """The family in the kind of context, see `tests.contract.contexts`."""
    return protocol_in(context(kind, epsilon), SPECS[family])


def labelled(family: str, labels: tuple[str, ...], epsilon: float = 1.0) -> Protocol:
    """Plain LDP on answers with labels."""
    spec = SPECS[family]
    policy = Context.plain(len(labels), epsilon)
    made = spec.make(policy)
    return Protocol("Which?", Domain(len(labels), labels), ("all",), spec, made)  # type: ignore[arg-type]


def many(family: str, k: int, epsilon: float = 1.0) -> Protocol:
    """Plain LDP on so many numbers."""
    return protocol_in(
        Context.of(np.zeros(k, np.int64), np.ones(k, np.bool_), epsilon), SPECS[family]
    )
