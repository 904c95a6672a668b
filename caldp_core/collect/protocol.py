"""The protocol of a collection: all that devices and a collector share, and nothing of any person.

It is made from a scenario, and holds its question, domain, policy and mechanism with the whole
numbers that its coins are thrown by; neither the data of the scenario nor how many people it has.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

import caldp_core
from caldp_core.basics.errors import check_type, require
from caldp_core.collect.device import Device
from caldp_core.collect.formats import Format
from caldp_core.collect.json_files import format_json, parse_json_object, read_json_object
from caldp_core.collect.table_plan import (
    ADVICE,
    NAME,
    TABLE,
    FamilyPlan,
    TableDevice,
    TablePlan,
    can_be_written_out,
    check_same,
    kind_field,
    list_field,
    object_field,
)
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.registry import COLLECTABLE
from caldp_core.mechanisms.specs import FamilySpec
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.coverage import (
    Coverage,
    coverage,
    exposed_clause,
    names_text,
    value_names,
)
from caldp_core.scenarios.records import from_dict, to_dict
from caldp_core.scenarios.scenario import KINDS

PROTOCOL_KEY: Final = "caldp_protocol"
FORMAT: Final = 1
EVERYTHING: Final = ("everything",)
"""The one block of a channel that is written out."""
EXPOSED: Final = "protected_by_nothing"
QUESTION_MAX: Final = 500
"""Most characters of the question."""
_DOMAINS: Final[dict[str, type[Domain] | type[GridDomain]]] = {"answers": Domain, "map": GridDomain}
_PLANS: Final[dict[str, type[FamilyPlan] | type[TablePlan]]] = {
    **dict.fromkeys(COLLECTABLE, FamilyPlan),
    TABLE: TablePlan,
}
Plan: TypeAlias = FamilyPlan | TablePlan


@dataclass(frozen=True, eq=False, repr=False)
class Protocol:
    """All that the devices and the collector of a collection share; nothing of any person.

    `question`: one text. `domain`: what can be answered. `block_names`: m texts for readers.
    `plan`: policy and mechanism with the whole numbers that its coins are thrown by. Make it with
    `of`, or read it with `from_file`.
    """

    question: str
    domain: Domain | GridDomain
    block_names: tuple[str, ...]
    plan: Plan

    def __repr__(self) -> str:
        return f"<Protocol {self.fingerprint[:16]}: {self.domain.k:,} values, {self.question!r}>"

    @classmethod
    def of(cls, setup: Setup, question: str = "", *, allow_unprotected: bool = False) -> "Protocol":
        """The protocol of a prepared scenario; `CaldpError` where its mechanism has no device.

        Also where a sensitive value has nothing to hide among, or nothing is protected at all,
        unless that is asked for: `allow_unprotected`.
        """
        check_type("setup", setup, Setup, "prepare(scenario) makes it")
        require(
            can_be_collected(setup),
            f"A collection runs one of {', '.join(COLLECTABLE)} in a policy of kind context, or a "
            f"mechanism on so few values that its channel can be written out; this scenario runs "
            f"{setup.mechanism_name} on {setup.mechanism.k:,} values. Choose one of those.",
        )
        domain, mechanism = setup.dataset.domain, setup.mechanism
        refusal = unprotected_text(setup)
        require(
            allow_unprotected or not refusal,
            f"{refusal}, with nothing to hide among; change the blocks or what is sensitive, or "
            "allow it with allow_unprotected=True (caldp protocol --allow-unprotected).",
        )
        plan = family_plan(setup)
        if plan is not None:
            return cls(_question(question), domain, setup.partition.names, plan)
        # Its matrix says of every pair whether one hides the other; no report tells a block.
        return cls(
            _question(question), domain, EVERYTHING, TablePlan.of(setup.mechanism_name, mechanism)
        )

    @classmethod
    def from_file(cls, path: str | Path) -> "Protocol":
        """Read and check a protocol; raises `CaldpError` for whatever `to_json` did not write."""
        return cls.from_dict(read_json_object(path, NAME))

    @classmethod
    def from_json(cls, text: str) -> "Protocol":
        """The protocol in a text; raises `CaldpError` as `from_file`."""
        return cls.from_dict(parse_json_object(text, NAME))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Protocol":
        """The protocol in a dictionary, rebuilt from its parts; `CaldpError` where they differ."""
        version = data.get(PROTOCOL_KEY)
        require(
            type(version) is int and version == FORMAT,
            f'A protocol has "{PROTOCOL_KEY}": {FORMAT}, this file has {version!r}; {ADVICE}',
        )
        domain, policy, mechanism = (
            object_field(data, key) for key in ("domain", "policy", "mechanism")
        )
        kind = kind_field(mechanism, "mechanism", _PLANS)
        plan = _PLANS[kind].from_parts(policy, mechanism)
        names = tuple(list_field(data, "block_names", str))
        protocol = cls(_question(data.get("question")), _domain(domain), names, plan)
        require(
            protocol.domain.k == plan.mechanism.k,
            f"{NAME}'s domain has {protocol.domain.k:,} values and its policy "
            f"{plan.mechanism.k:,}; {ADVICE}",
        )
        blocks = int(plan.blocks.max()) + 1
        require(
            len(names) == blocks,
            f"{NAME}'s block_names must be {blocks:,} texts, got {len(names):,}; {ADVICE}",
        )
        check_same(data, protocol.to_dict())
        return protocol

    @property
    def labels(self) -> tuple[str, ...]:
        """What people answer by; none where they answer by numbers, or by places on a map."""
        return () if isinstance(self.domain, GridDomain) else self.domain.names

    @property
    def mechanism(self) -> ContextMechanism | WrittenOut:
        """What makes the reports, and estimates from their tally."""
        return self.plan.mechanism

    @property
    def device(self) -> Device | TableDevice:
        """The device that draws reports."""
        return self.plan.device

    @property
    def format(self) -> Format:
        """How its reports are written."""
        return self.plan.format

    @cached_property
    def coverage(self) -> Coverage:
        """Which values are protected, and which sensitive ones nothing protects."""
        return coverage(self.plan.mechanism.policy)

    @property
    def exposed_part(self) -> dict[str, Any]:
        """Names of the values that it fails to protect, JSON-ready; empty without any."""
        names = value_names(self.domain, self.coverage.exposed)
        return {EXPOSED: names} if names else {}

    def promise(self) -> dict[str, Any]:
        """What is promised, JSON-ready; values that it fails to protect come first."""
        return self.exposed_part | self.plan.promise()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest that two protocols share only if their reports mean the same.

        Of all that `to_dict` has but the version of this package, as canonical JSON.
        """
        parts = json.dumps(self._parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(parts.encode()).hexdigest()

    @cached_property
    def _parts(self) -> dict[str, Any]:
        kind = next(kind for kind, cls in _DOMAINS.items() if isinstance(self.domain, cls))
        return {
            "question": self.question,
            "domain": {"kind": kind, **to_dict(self.domain, KINDS)},
            "block_names": list(self.block_names),
            "policy": self.plan.policy_part(),
            "mechanism": self.plan.mechanism_part(),
            "report": self.format.to_dict(),
        }

    def to_dict(self) -> dict[str, Any]:
        """The protocol, JSON-ready; docs/protocol.schema.json is its schema."""
        return {
            PROTOCOL_KEY: FORMAT,
            "caldp_version": caldp_core.__version__,
            **self._parts,
            "fingerprint": self.fingerprint,
        }

    def to_json(self) -> str:
        """The text of a protocol file."""
        return format_json(self.to_dict())


def can_be_collected(setup: Setup) -> bool:
    """Whether devices can run this scenario's mechanism."""
    return family_plan(setup) is not None or can_be_written_out(setup.mechanism)


def family_plan(setup: Setup) -> FamilyPlan | None:
    """The plan of a family in a context whose reports devices draw; None for others."""
    spec, mechanism = setup.spec, setup.mechanism
    if isinstance(mechanism, ContextMechanism) and isinstance(spec, FamilySpec):
        return FamilyPlan(spec, mechanism) if setup.mechanism_name in COLLECTABLE else None
    return None


def unprotected_text(setup: Setup) -> str:
    """Why a scenario's protocol is refused unless it is asked for, in one clause; "" if it isn't.

    Sensitive values that nothing protects, by name, or that no value is protected.
    """
    found, domain = coverage(setup.policy), setup.dataset.domain
    if not found.exposed.any() and not found.protected.any():
        names = names_text(value_names(domain, found.in_clear))
        return f"Nobody is protected: no value is sensitive, {names} are sent in clear"
    return exposed_clause(value_names(domain, found.exposed))


def _question(text: object) -> str:
    rule = f"The question must be one line of at most {QUESTION_MAX} characters; shorten it."
    good = isinstance(text, str) and len(text) <= QUESTION_MAX and (not text or text.isprintable())
    require(good, rule)
    return str(text)


def _domain(part: dict[str, Any]) -> Domain | GridDomain:
    kind = kind_field(part, "domain", _DOMAINS)
    rest = {key: value for key, value in part.items() if key != "kind"}
    return from_dict(_DOMAINS[kind], rest, KINDS, f"{NAME}'s domain")
