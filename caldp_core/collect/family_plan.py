"""A collection by one of the families, in a policy of kind context."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Ints
from caldp_core.collect.device import Device
from caldp_core.collect.formats import Format
from caldp_core.collect.pinned import pinned_family
from caldp_core.collect.protocol_fields import ADVICE, NAME, kind_field, list_field, object_field
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.registry import FAMILIES
from caldp_core.mechanisms.specs import FamilySpec
from caldp_core.mechanisms.structures import HasDeviceNumbers
from caldp_core.privacy.context import Context
from caldp_core.privacy.coverage import coverage
from caldp_core.scenarios.records import from_dict, to_dict
from caldp_core.scenarios.scenario import KINDS


@dataclass(frozen=True, eq=False)
class FamilyPlan:
    """A collection by a family: `spec` is it with its parameters, `mechanism` is made of it."""

    spec: FamilySpec
    mechanism: ContextMechanism

    @classmethod
    def from_parts(cls, policy: Mapping[str, Any], mechanism: Mapping[str, Any]) -> Self:
        """The plan that a protocol's parts describe; raises `CaldpError`."""
        kind = kind_field(mechanism, "mechanism", FAMILIES)
        rest = {key: value for key, value in mechanism.items() if key not in ("kind", "numbers")}
        spec = from_dict(FAMILIES[kind].spec, rest, KINDS, f"{NAME}'s mechanism")
        family = pinned_family(spec, object_field(mechanism, "numbers"))
        return cls(spec, ContextMechanism(_context(policy), spec.name, family))

    @property
    def name(self) -> str:
        """The name of the family."""
        return self.spec.name

    @cached_property
    def device(self) -> Device:
        """The device that draws reports."""
        policy, numbers = self.mechanism.policy, self.numbers
        rows = zip(*numbers.values(), strict=True)
        blocks = [dict(zip(numbers, row, strict=True)) for row in rows]
        starts = np.cumsum(policy.hidden_sizes) - policy.hidden_sizes
        ranks = policy.ranks
        place = np.where(ranks >= 0, ranks - starts[policy.blocks], ranks)
        clear = self.format.oracle_count
        return Device(self.name, clear, blocks, policy.blocks.tolist(), place.tolist())

    @cached_property
    def format(self) -> Format:
        """How its reports are written."""
        return Format.of(self.mechanism)

    @property
    def blocks(self) -> Ints:
        """(k,) block of each value, in [0, m)."""
        return self.mechanism.policy.blocks

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Name → m whole numbers, one per block, by which coins are thrown."""
        oracles = self.mechanism.oracles
        assert isinstance(oracles, HasDeviceNumbers)  # all families do
        numbers = {"cover": oracles.cover_threshold, **oracles.device_numbers}
        return {name: each.tolist() for name, each in numbers.items()}

    def policy_part(self) -> dict[str, Any]:
        """The policy, JSON-ready."""
        policy = self.mechanism.policy
        return {
            "kind": "context",
            "blocks": policy.blocks.tolist(),
            "sensitive": policy.sensitive.tolist(),
            "epsilon": policy.epsilon.tolist(),
        }

    def mechanism_part(self) -> dict[str, Any]:
        """The mechanism, JSON-ready."""
        return {"kind": self.name, **to_dict(self.spec, KINDS), "numbers": self.numbers}

    def summary(self) -> dict[str, Any]:
        """The mechanism in short, for a record."""
        parameters = asdict(self.spec)  # type: ignore[call-overload]
        return {"kind": self.name, **{n: v for n, v in parameters.items() if v is not None}}

    def promise(self) -> dict[str, Any]:
        """What is promised, for a record; ε of the blocks in which something is hidden."""
        policy, hidden = self.mechanism.policy, int(self.mechanism.hidden_symbols.size)
        epsilon = policy.hidden_epsilon
        always = int(coverage(policy).in_clear.sum())
        return {
            "epsilon_least": float(epsilon.min()) if epsilon.size else None,
            "epsilon_most": float(epsilon.max()) if epsilon.size else None,
            "values": self.mechanism.k,
            "hidden_values": hidden,
            **({"values_sent_openly_always": always} if always else {}),
            "values_sent_openly_at_times": self.mechanism.k - hidden - always,
            "blocks_seen_by_the_collector": policy.m,
        }


def _context(part: Mapping[str, Any]) -> Context:
    kind_field(part, "policy", {"context": None})
    blocks = list_field(part, "blocks", int)
    sensitive, epsilon = (
        list_field(part, "sensitive", bool),
        list_field(part, "epsilon", float, int),
    )
    require(
        all(abs(label) < K_MAX for label in blocks) and all(abs(e) < K_MAX for e in epsilon),
        f"{NAME}'s policy holds a number that is too large; {ADVICE}",
    )
    return Context.of(
        np.array(blocks, np.int64), np.array(sensitive, np.bool_), np.array(epsilon, np.float64)
    )
