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
from typing import Any, Final

import numpy as np

import caldp_core
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import K_MAX
from caldp_core.collect.device import Device
from caldp_core.collect.files import as_lines, parse_object, read_object
from caldp_core.collect.formats import Format
from caldp_core.collect.pinned import pinned_family
from caldp_core.domain.grid import Domain, GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.base import RunsOnDevices
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.registry import FAMILIES
from caldp_core.mechanisms.specs import FamilySpec
from caldp_core.privacy.context import Context
from caldp_core.scenarios.kinds import KINDS
from caldp_core.scenarios.records import from_dict, to_dict

MARK: Final = "caldp_protocol"
FORMAT: Final = 1
QUESTION_MAX: Final = 500
"""Most characters of the question."""
_NAME: Final = "The protocol"
_ASKED: Final = "give the file that caldp wrote."
_DOMAINS: Final[dict[str, type[Domain] | type[GridDomain]]] = {"answers": Domain, "map": GridDomain}


@dataclass(frozen=True, eq=False)
class Protocol:
    """See the module. `spec`: the mechanism's family; `block_names`: m texts for readers.

    Make it with `of`, or read it with `from_file`.
    """

    question: str
    domain: Domain | GridDomain
    block_names: tuple[str, ...]
    spec: FamilySpec
    mechanism: ContextMechanism

    @classmethod
    def of(cls, setup: Setup, question: str = "") -> "Protocol":
        """The protocol of a prepared scenario; `CaldpError` where its mechanism has no device."""
        require(
            can_be_collected(setup),
            f"A collection runs one of {', '.join(FAMILIES)} in a policy of kind context, this "
            f"scenario runs {setup.mechanism_name}; choose one of those.",
        )
        assert isinstance(setup.mechanism, ContextMechanism)
        assert isinstance(setup.spec, FamilySpec)
        names = setup.partition.names
        domain = setup.dataset.domain
        return cls(_question(question), domain, names, setup.spec, setup.mechanism)

    @classmethod
    def from_file(cls, path: str | Path) -> "Protocol":
        """Read and check a protocol; raises `CaldpError` for whatever `to_json` did not write."""
        return cls.from_dict(read_object(path, _NAME))

    @classmethod
    def from_json(cls, text: str) -> "Protocol":
        """The protocol in a text; raises `CaldpError` as `from_file`."""
        return cls.from_dict(parse_object(text, _NAME))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Protocol":
        """The protocol of such a dictionary: made again from its parts, it must be the same."""
        version = data.get(MARK)
        require(
            type(version) is int and version == FORMAT,
            f'A protocol has "{MARK}": {FORMAT}, this file has {version!r}; {_ASKED}',
        )
        parts = {key: _part(data, key) for key in ("domain", "policy", "mechanism")}
        domain, policy, mechanism = parts["domain"], parts["policy"], parts["mechanism"]
        spec = _spec(mechanism)
        context = _context(policy)
        family = pinned_family(spec, _part(mechanism, "numbers"))
        made = cls(
            _question(data.get("question")),
            _domain(domain),
            _texts(policy, "block_names", context.m),
            spec,
            ContextMechanism(context, spec.name, family),
        )
        require(
            made.domain.k == context.k,
            f"{_NAME}'s domain has {made.domain.k:,} values and its policy {context.k:,}; {_ASKED}",
        )
        _check_same(data, made.to_dict())
        return made

    @cached_property
    def device(self) -> Device:
        """What a device draws its report by."""
        policy, numbers = self.mechanism.policy, self._numbers
        blocks = [
            dict(zip(numbers, row, strict=True)) for row in zip(*numbers.values(), strict=True)
        ]
        starts = np.cumsum(policy.hidden_sizes) - policy.hidden_sizes
        ranks = policy.ranks
        place = np.where(ranks >= 0, ranks - starts[policy.blocks], ranks)
        form = self.format
        return Device(self.spec.name, form.oracle, blocks, policy.blocks.tolist(), place.tolist())

    @cached_property
    def format(self) -> Format:
        """How its reports are written."""
        return Format.of(self.mechanism)

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        oracles = self.mechanism.oracles
        assert isinstance(oracles, RunsOnDevices)  # all families do
        numbers = {"cover": oracles.cover_threshold, **oracles.device_numbers}
        return {name: each.tolist() for name, each in numbers.items()}

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two protocols share only if their reports mean the same.

        Of all that `to_dict` has but the version of this package, as canonical JSON.
        """
        parts = json.dumps(self._parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(parts.encode()).hexdigest()

    @cached_property
    def _parts(self) -> dict[str, Any]:
        policy = self.mechanism.policy
        kind = next(kind for kind, cls in _DOMAINS.items() if isinstance(self.domain, cls))
        return {
            "question": self.question,
            "domain": {"kind": kind, **to_dict(self.domain, KINDS)},
            "policy": {
                "kind": "context",
                "block_names": list(self.block_names),
                "blocks": policy.blocks.tolist(),
                "sensitive": policy.sensitive.tolist(),
                "epsilon": policy.epsilon.tolist(),
            },
            "mechanism": {
                "kind": self.spec.name,
                **to_dict(self.spec, KINDS),
                "numbers": self._numbers,
            },
            "report": self.format.to_dict(),
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; docs/protocol.schema.json is its schema."""
        return {
            MARK: FORMAT,
            "caldp_version": caldp_core.__version__,
            **self._parts,
            "fingerprint": self.fingerprint,
        }

    def to_json(self) -> str:
        """The text of a protocol file."""
        return as_lines(self.to_dict())


def can_be_collected(setup: Setup) -> bool:
    """Whether devices can run this scenario's mechanism: a family in a policy of kind context."""
    return isinstance(setup.mechanism, ContextMechanism) and isinstance(setup.spec, FamilySpec)


def _question(text: object) -> str:
    good = isinstance(text, str) and len(text) <= QUESTION_MAX and (not text or text.isprintable())
    require(
        good, f"The question must be one line of at most {QUESTION_MAX} characters; shorten it."
    )
    assert isinstance(text, str)
    return text


def _part(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    part = data.get(key)
    if not isinstance(part, dict):
        raise CaldpError(f"{_NAME} needs {key!r}, an object with named fields; {_ASKED}")
    return part


def _domain(part: dict[str, Any]) -> Domain | GridDomain:
    kind = part.get("kind")
    require(
        isinstance(kind, str) and kind in _DOMAINS,
        f"{_NAME}'s domain must be of kind {' or '.join(_DOMAINS)}, got {kind!r}; {_ASKED}",
    )
    rest = {key: value for key, value in part.items() if key != "kind"}
    return from_dict(_DOMAINS[str(kind)], rest, KINDS, f"{_NAME}'s domain")


def _spec(part: dict[str, Any]) -> FamilySpec:
    kind = part.get("kind")
    require(
        isinstance(kind, str) and kind in FAMILIES,
        f"{_NAME}'s mechanism must be one of {', '.join(FAMILIES)}, got {kind!r}; {_ASKED}",
    )
    rest = {key: value for key, value in part.items() if key not in ("kind", "numbers")}
    return from_dict(FAMILIES[str(kind)].spec, rest, KINDS, f"{_NAME}'s mechanism")


def _context(part: dict[str, Any]) -> Context:
    require(
        part.get("kind") == "context",
        f"{_NAME}'s policy must be of kind context, got {part.get('kind')!r}; {_ASKED}",
    )
    blocks = _list(part, "blocks", int)
    sensitive, epsilon = _list(part, "sensitive", bool), _list(part, "epsilon", float, int)
    require(
        all(abs(label) < K_MAX for label in blocks) and all(abs(e) < K_MAX for e in epsilon),
        f"{_NAME}'s policy holds a number that is too large; {_ASKED}",
    )
    return Context.of(
        np.array(blocks, np.int64), np.array(sensitive, np.bool_), np.array(epsilon, np.float64)
    )


def _list(part: dict[str, Any], key: str, *types: type) -> list[Any]:
    found = part.get(key)
    right = isinstance(found, list) and all(type(each) in types for each in found)
    require(
        right, f"{_NAME}'s policy needs {key}, a list of one {types[0].__name__} each; {_ASKED}"
    )
    assert isinstance(found, list)
    require(
        0 < len(found) <= K_MAX,
        f"{_NAME}'s {key} may hold 1 to {K_MAX:,} entries, got {len(found):,}; {_ASKED}",
    )
    return found


def _texts(part: dict[str, Any], key: str, size: int) -> tuple[str, ...]:
    found = _list(part, key, str)
    require(len(found) == size, f"{_NAME}'s {key} must be {size:,} texts, got {len(found):,}.")
    return tuple(found)


def _check_same(data: Mapping[str, Any], made: Mapping[str, Any], within: str = "") -> None:
    """Raise `CaldpError` naming what differs; by which version it was made does not matter."""
    for key in (*made, *data):
        if key == "caldp_version":
            continue
        path = f"{within}{key}"
        found, right = data.get(key), made.get(key)
        if isinstance(found, dict) and isinstance(right, dict):
            _check_same(found, right, f"{path}.")
        else:
            require(
                key in data and key in made and found == right,
                f"{_NAME}'s {path} is not what its domain, policy and mechanism make it; it was "
                f"changed, or made by a version that reckons otherwise: {_ASKED}",
            )
