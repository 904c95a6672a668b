"""A scenario: everything a run depends on, in numbers, texts and records of them.

One record is a cache key, a link, a file and a command's argument; the file format is described in
docs/scenario.md and in README.md. A new policy, dataset or kind of blocks is one line of `SLOTS`.
`schema` is the file as a JSON Schema, made from the records, for editors that complete and check; a
file that fits it may still be refused in words, as ranges are the records' own business.

The default mechanism is the one with the least error that is quick enough. The choice is made when
a scenario is prepared, from the policy alone. Never from the private data, or the choice itself
would leak.
"""

import json
import types
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import numpy as np

from caldp_core.basics.errors import CaldpError, check_choice, check_n, check_whole, require
from caldp_core.basics.files import BYTE_ORDER_MARK, read_text, unique_keys
from caldp_core.basics.limits import N_MAX, SCENARIO_MAX_BYTES, SEED_MAX, TRIALS_MAX
from caldp_core.basics.types import EqualByFields, Floats
from caldp_core.datasets import own, shipped, snap
from caldp_core.datasets.base import DatasetSpec
from caldp_core.datasets.public_map import NoPrior, PriorSpec, PublicMap
from caldp_core.estimation.estimators import ESTIMATORS, GIVEN_UP, estimator, explain_given_up
from caldp_core.estimation.evidence import check_false_share, default_estimator
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import people_max, report_bits
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.scenarios import blocks, policies
from caldp_core.scenarios.records import (
    INFINITY,
    Level,
    from_dict,
    from_flat,
    hints_of,
    to_dict,
    to_flat,
)

_VARIANCE_TOLERANCE: Final = 1.01
"""Nobody sees 1 % of variance, but a report of 1,000 bits where 17 do is dear."""
_PACKET: Final = 8 * 1280
"""Bits that any network carries in one piece (RFC 8200)."""
_LONGER_REPORT_GAIN: Final = 1.08
"""A longer report has to be more accurate by this factor of variance: 4 % of the error."""


@dataclass(frozen=True)
class Best:
    """The mechanism of the catalogue with the least total variance if values are equally frequent.

    Among those within 1 % of the least, the one with the shortest reports, and where reports do not
    fit into one packet of 1,280 bytes, one within 8 % whose reports do. Where only some values are
    hidden, families that can be are also made for that share of the people.
    """

    def make(self, policy: PrivacyMatrix) -> Mechanism:
        """See `MechanismSpec.make`."""
        return choose_mechanism(self, policy).mechanism


@dataclass(frozen=True, eq=False)
class ChosenMechanism(EqualByFields):
    """A `mechanism` made for a policy by its `spec`, and its `name` in the catalogue."""

    name: str
    spec: catalogue.MechanismSpec
    mechanism: Mechanism


def _spec_of(name: str) -> catalogue.MechanismSpec:
    """The spec of a mechanism with parameters that it chooses itself; `CaldpError` for no name."""
    if name in catalogue.installed_mechanisms():
        return catalogue.Installed(name)
    check_choice("mechanism", name, (catalogue.BEST, *catalogue.MECHANISMS))
    return Best() if name == catalogue.BEST else catalogue.MECHANISMS[name].spec()


def choose_mechanism(spec: catalogue.MechanismSpec | str, policy: PrivacyMatrix) -> ChosenMechanism:
    """The mechanism that this spec, or its name, stands for, made for a policy.

    Raises `CaldpError` for another name or object, where it does not keep such policies, and where
    sizes do not fit.
    """
    if isinstance(spec, str):
        spec = _spec_of(spec)
    if isinstance(spec, catalogue.Installed):
        return ChosenMechanism(spec.name, spec, spec.make(policy))
    suitable = catalogue.mechanisms_for(policy)
    require(
        bool(suitable),
        "No mechanism of the catalogue keeps such a policy; write it as a context, a distance, a "
        "yes-or-no question or a matrix.",
    )
    if isinstance(spec, Best):
        return _least_error(policy)
    entries = [each for each in catalogue.MECHANISMS.values() if each.spec is type(spec)]
    require(
        bool(entries),
        f"mechanism must be a name, or a class of the catalogue such as Hadamard(), got {spec!r}.",
    )
    (entry,) = entries
    require(
        entry in suitable,
        f"{entry.title} does not keep such a policy; choose one of "
        f"{', '.join(entry.name for entry in suitable)}, or best.",
    )
    return ChosenMechanism(entry.name, spec, spec.make(policy))


def _least_error(policy: PrivacyMatrix) -> ChosenMechanism:
    """By the exact Σ Var(p̂_x) at p_x = 1/k, over what is quick here; then by the reports' bits."""
    smaller, times = _two_of_a_kind(policy)
    even = np.full(smaller.k, 1.0 / policy.k)
    losses = []
    for name, spec in _fast_mechanisms(policy):
        try:
            mechanism = spec.make(smaller)
            # A tally that costs more the more people there are is not quick for everybody.
            if people_max(mechanism) == N_MAX:
                loss = float(mechanism.variance(even, 1) @ times)
                # The widest block is there, so a report is as long but for the block's number.
                worth = _LONGER_REPORT_GAIN if report_bits(mechanism) > _PACKET else 1.0
                losses.append((worth * loss, ChosenMechanism(name, spec, mechanism)))
        except CaldpError:  # too large for it or for its variance, or nothing to be learned
            continue
    require(
        bool(losses),
        "No mechanism of the catalogue can be compared for this policy; choose one by name.",
    )
    least = min(loss for loss, _ in losses)
    close = [choice for loss, choice in losses if loss <= _VARIANCE_TOLERANCE * least]
    if smaller is not policy:
        close = [replace(choice, mechanism=choice.spec.make(policy)) for choice in close]
    return min(close, key=lambda choice: report_bits(choice.mechanism))


def _two_of_a_kind(policy: PrivacyMatrix) -> tuple[PrivacyMatrix, Floats]:
    """A context with two blocks of each kind at most, and how often each symbol is to be counted.

    What is learned of a block depends on its symbols, how many of them are hidden, and its ε
    alone. One would do, but that some mechanisms are for a single block. Other policies stay.
    """
    if not isinstance(policy, Context):
        return policy, np.ones(policy.k)
    kinds = np.stack([policy.block_sizes(), policy.hidden_sizes, policy.epsilon])
    _, kind, number = np.unique(kinds, axis=1, return_inverse=True, return_counts=True)
    order = np.argsort(kind, kind="stable")
    turn = np.empty(policy.m, np.int64)  # of each block among those of its kind
    turn[order] = np.arange(policy.m) - np.searchsorted(kind[order], kind[order])
    kept = turn < 2
    symbols = kept[policy.blocks]
    label = np.cumsum(kept) - 1
    smaller = Context.of(
        label[policy.blocks[symbols]], policy.sensitive[symbols], policy.epsilon[kept]
    )
    times = number[kind] / np.minimum(number[kind], 2)
    return smaller, times[policy.blocks[symbols]]


def _fast_mechanisms(policy: PrivacyMatrix) -> Iterator[tuple[str, catalogue.MechanismSpec]]:
    # Most symbols that hide among each other.
    largest = int(policy.hidden_sizes.max(initial=0)) if isinstance(policy, Context) else policy.k
    for entry in catalogue.mechanisms_for(policy):
        if largest < min(entry.slow_from, entry.slow_to_make_from) and not entry.in_order:
            yield from ((entry.name, spec) for spec in _settings(entry.spec(), policy))


def _settings(
    spec: catalogue.MechanismSpec, policy: PrivacyMatrix
) -> Iterator[catalogue.MechanismSpec]:
    """The spec, and made for the share of hidden symbols where some, not all, are hidden."""
    yield spec
    if isinstance(policy, Context) and isinstance(
        spec, catalogue.SubsetSelection | catalogue.Galois
    ):
        hidden = policy.hidden()
        beside = np.isin(policy.blocks, policy.blocks[hidden])
        if hidden.any() and hidden.sum() < beside.sum():
            yield replace(spec, share=float(f"{hidden.sum() / beside.sum():.3g}"))


_DATASETS: Final[dict[str, type]] = {
    "gowalla": shipped.Gowalla,
    "snap": snap.Snap,
    "cities": shipped.Cities,
    "uniform": shipped.Uniform,
    "geometric": shipped.Geometric,
    "permuted-geometric": shipped.PermutedGeometric,
    "zipf": shipped.Zipf,
    "survey": shipped.Survey,
    "web-visits": shipped.WebVisits,
    "infant-deaths": shipped.InfantDeaths,
    "yes-or-no": shipped.YesOrNo,
    "table": own.OwnTable,
    "questions": own.OwnSurvey,
    "places": own.OwnPlaces,
}
_POLICIES: Final[dict[str, type]] = {
    "context": policies.ContextPolicy,
    "streets": policies.Streets,
    "crow-flies": policies.CrowFlies,
    "line": policies.Line,
    "distances": policies.Distances,
    "binary": policies.BinaryQuestion,
    "matrix": policies.MatrixPolicy,
    "personal-tags": policies.PersonalTags,
}
_BLOCKS: Final[dict[str, type]] = {
    "one": blocks.OneBlock,
    "grid": blocks.GridBlocks,
    "states": blocks.StateBlocks,
    "countries": blocks.CountryBlocks,
    "regions": blocks.RegionBlocks,
    "hexagons": blocks.HexagonBlocks,
    "adaptive": blocks.AdaptiveBlocks,
    "drawn": blocks.DrawnBlocks,
    "runs": blocks.EvenRuns,
    "groups": blocks.GroupBlocks,
    "symbols": blocks.SymbolBlocks,
    "polygons": blocks.PolygonBlocks,
}
_SENSITIVE: Final[dict[str, type]] = {
    "everything": blocks.EverythingSensitive,
    "areas": blocks.SensitiveAreas,
    "near": blocks.SensitiveNear,
    "inhabited": blocks.SensitiveInhabited,
    "symbols": blocks.SensitiveSymbols,
}
_MECHANISMS: Final[dict[str, type]] = {
    catalogue.BEST: Best,
    **{name: entry.spec for name, entry in catalogue.MECHANISMS.items()},
    catalogue.INSTALLED: catalogue.Installed,
}
SLOTS: Final[dict[str, tuple[Any, dict[str, type]]]] = {
    "dataset": (DatasetSpec, _DATASETS),
    "policy": (policies.PolicySpec, _POLICIES),
    "blocks": (blocks.BlocksSpec, _BLOCKS),
    "sensitive": (blocks.SensitiveSpec, _SENSITIVE),
    "mechanism": (catalogue.MechanismSpec, _MECHANISMS),
    "prior": (PriorSpec, {"none": NoPrior, "map": PublicMap}),
}
"""Slot → how its fields are annotated, and kind → record."""
KINDS: Final = dict(SLOTS.values())
"""Annotation of a slot → kind → record, as `records.py` reads it."""


FORMAT: Final = 2
"""Version of the format that is written; the key `caldp_scenario` holds it, in links `v`."""
MARK: Final = "caldp_scenario"
"""The key that a file starts with."""
NOTES: Final = ("$schema", "internal")
"""Keys that say nothing of the scenario: the schema's address, and that its data are internal."""
_LINK_MARK: Final = "v"
_ESTIMATOR: Final = "estimator"
_POLICY: Final = "policy"
_REPR_MAX: Final = 400
"""Characters of a scenario in a line of code; one with a user's data says what it is."""
_ADVICE: Final = "give a scenario, saved as UTF-8"
_DEPTH_MAX: Final = 8
"""Most nested objects and lists that are read; a scenario has four."""
_DIGITS_MAX: Final = 400
"""More than any number of the format has, and as many as floats have."""


@dataclass(frozen=True, repr=False)
class Scenario:
    """Who the people are, what is promised to them, how it is kept, and what is made of it.

    `mechanism`: one that keeps the policy, by default the best for it. `estimator`: by default the
    one of the least error. `n`: people drawn at random
    from the dataset's distribution, up to 10^12; None takes the very people of the dataset.
    `trials`: independent repetitions. `seed`: all randomness follows from it. `prior`: a public
    map, for the estimator "cascade-map". `false_share`: q of the cascade, of what it keeps the
    share that may be noise; None takes 0.2 on maps, else 0.05.
    """

    dataset: DatasetSpec = shipped.Gowalla()
    policy: policies.PolicySpec = policies.ContextPolicy()
    mechanism: catalogue.MechanismSpec = Best()
    estimator: str = default_estimator()
    n: int | None = None
    trials: int = 1
    seed: int = 1
    prior: PriorSpec = NoPrior()
    false_share: float | None = None

    def __post_init__(self) -> None:
        for slot in ("dataset", "policy", "mechanism", "prior"):
            _check_kind(self, slot)
        for slot in ("blocks", "sensitive"):
            if hasattr(self.policy, slot):
                _check_kind(self.policy, slot)
        estimator(_text("estimator", self.estimator))
        # NumPy's numbers are taken too, but kept as what a file gives back.
        numbers = {
            "n": None if self.n is None else check_n(self.n),
            "trials": check_whole("trials", self.trials, 1, TRIALS_MAX),
            "seed": check_whole("seed", self.seed, 0, SEED_MAX),
            "false_share": check_false_share(self.false_share),
        }
        for name, number in numbers.items():
            object.__setattr__(self, name, number)

    @property
    def context(self) -> policies.ContextPolicy:
        """The policy, if it is a context; raises `CaldpError` for another."""
        if not isinstance(self.policy, policies.ContextPolicy):
            raise CaldpError(
                f"This scenario's policy has no blocks but is of kind {self.kind(_POLICY)}; "
                "choose a policy of kind context."
            )
        return self.policy

    def with_context(self, **changes: Any) -> "Scenario":
        """The scenario with other `blocks`, `sensitive` or `epsilon`; `CaldpError` as `context`."""
        return replace(self, policy=replace(self.context, **changes))

    def with_epsilon(self, epsilon: float) -> "Scenario":
        """The scenario at another ε; raises `CaldpError` for a policy that has no ε of its own."""
        policy: Any = self.policy
        require(
            "epsilon" in {field.name for field in fields(policy)},
            f"A policy of kind {self.kind(_POLICY)} has no one ε; change its levels instead.",
        )
        return replace(self, policy=replace(policy, epsilon=epsilon))

    def kind(self, slot: str) -> str:
        """Name in files of the record in the slot "dataset", "policy", "mechanism" or "prior"."""
        value = getattr(self, slot)
        return next(kind for kind, cls in SLOTS[slot][1].items() if cls is type(value))

    def plain(self) -> "Scenario":
        """The same people under plain LDP: everything as secret as what is most secret here.

        By the same mechanism if that can keep plain LDP, else by the best for it.
        """
        entry = next(
            (e for e in catalogue.MECHANISMS.values() if e.spec is type(self.mechanism)), None
        )
        keeps = entry is not None and Context in entry.policies
        return replace(
            self,
            policy=policies.ContextPolicy(
                blocks.OneBlock(), blocks.EverythingSensitive(), self.policy.plain_epsilon
            ),
            mechanism=self.mechanism if keeps else Best(),
        )

    def __repr__(self) -> str:
        kinds = (self.kind("dataset"), self.kind(_POLICY), self.kind("mechanism"))
        short = f"Scenario.from_query({self.to_query()})"
        return short if len(short) <= _REPR_MAX else f"<Scenario: {', '.join(kinds)}>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready dictionary, with the format's version."""
        return {MARK: FORMAT, **to_dict(self, KINDS)}

    def to_json(self) -> str:
        """The text of a scenario file."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Any) -> "Scenario":
        """Read what `to_dict` makes; raises `CaldpError` on unknown keys, kinds and versions.

        An estimator that is given up is read as another, with a warning (`GIVEN_UP`).
        """
        version = data.get(MARK) if isinstance(data, Mapping) else None
        # JSON's 2.0 is not a version, though Python has it equal to 2.
        if type(version) is not int or version != FORMAT:
            raise CaldpError(
                f'A scenario file starts with "{MARK}": {FORMAT}, this one has {version!r}.'
            )
        rest = {key: value for key, value in data.items() if key not in (MARK, *NOTES)}
        named = rest.get(_ESTIMATOR)
        note = explain_given_up(named)
        if isinstance(named, str) and note:
            warnings.warn(note, stacklevel=2)
            rest[_ESTIMATOR] = GIVEN_UP[named]
        return from_dict(cls, rest, KINDS)

    @classmethod
    def from_file(cls, path: str | Path) -> "Scenario":
        """Read a scenario file; raises `CaldpError` if it can't be read or is not a scenario."""
        text = read_text(path, "The scenario file", SCENARIO_MAX_BYTES, _ADVICE)
        return cls.from_json(text, f"The scenario file {path}")

    @classmethod
    def from_json(cls, text: str, name: str = "The scenario file") -> "Scenario":
        """Read the text of a scenario file; raises `CaldpError`, calling it `name`."""
        plain = _text(name, text).removeprefix(BYTE_ORDER_MARK)
        require(bool(plain.strip()), f'{name} is empty; it starts with {{"{MARK}": {FORMAT}.')
        once = partial(unique_keys, "A scenario file has each key once, this one has {} twice.")
        try:
            data = json.loads(plain, object_pairs_hook=once, parse_int=_whole)
        except CaldpError:
            raise
        except ValueError as error:
            raise CaldpError(f"{name} is not JSON: {error}.") from error
        except RecursionError:
            raise _too_deep(name) from None
        if _depth(data) > _DEPTH_MAX:
            raise _too_deep(name)
        return cls.from_dict(data)

    def to_query(self) -> dict[str, str]:
        """Flat texts for a link's query: the version, then only what differs from the defaults.

        The policy's keys have no prefix: `epsilon`, `blocks`, `blocks.rows`.
        """
        flat = to_flat(self, KINDS)
        short = {key.removeprefix(f"{_POLICY}."): text for key, text in flat.items()}
        return {_LINK_MARK: str(FORMAT), **short} if short else {}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "Scenario":
        """Read what `to_query` makes, with its version or none; raises `CaldpError` otherwise.

        An estimator that is given up is read as another: `explain_given_up` has a sentence.
        """
        rest = {key: text for key, text in query.items() if key != _LINK_MARK}
        if query.get(_LINK_MARK, str(FORMAT)) != str(FORMAT):
            raise CaldpError(f"A link has v={FORMAT}, this one has v={query[_LINK_MARK]}.")
        own = {field.name for field in fields(cls)}
        for key in rest:
            if key.startswith(f"{_POLICY}."):
                raise CaldpError(
                    f"The link has the unknown key {key!r}; leave out {_POLICY!r} and its point."
                )
        long = {
            key if key.partition(".")[0] in own else f"{_POLICY}.{key}": text
            for key, text in rest.items()
        }
        if _ESTIMATOR in long:
            long[_ESTIMATOR] = GIVEN_UP.get(long[_ESTIMATOR], long[_ESTIMATOR])
        return from_flat(cls, long, KINDS)


def unknown_query_keys(query: Mapping[str, str]) -> list[str]:
    """Keys of a link that a scenario does not have: mail and course systems add some."""
    records = (Scenario, *SLOTS[_POLICY][1].values())
    known = {field.name for cls in records for field in fields(cls)} | {_LINK_MARK}
    return [key for key in query if key.partition(".")[0] not in known]


def _too_deep(name: str) -> CaldpError:
    return CaldpError(f"{name} has too many brackets in each other; a scenario needs four.")


def _depth(data: Any) -> int:
    """How deeply objects and lists are nested, counted to `_DEPTH_MAX` + 1."""
    depth, level = 0, [data] if isinstance(data, dict | list) else []
    while level and depth <= _DEPTH_MAX:
        contents = [each.values() if isinstance(each, dict) else each for each in level]
        level = [part for parts in contents for part in parts if isinstance(part, dict | list)]
        depth += 1
    return depth


def _whole(digits: str) -> int:
    """A whole number of a file; raises `CaldpError` for one that no key has room for."""
    if len(digits) > _DIGITS_MAX:
        raise CaldpError(
            f"A whole number of a scenario has up to {_DIGITS_MAX} digits, got one of "
            f"{len(digits):,}: {digits[:20]}…; take a smaller one."
        )
    return int(digits)


def _check_kind(record: Any, slot: str) -> None:
    kinds, value = SLOTS[slot][1], getattr(record, slot)
    if type(value) not in kinds.values():
        known = ", ".join(cls.__name__ for cls in kinds.values())
        raise CaldpError(f"{slot} must be one of {known}, got {value!r}; see docs/api.md.")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise CaldpError(f"{name} must be a text, got {value!r}.")
    return value


_SIMPLE: Final[dict[Any, dict[str, Any]]] = {
    float: {"type": "number"},
    int: {"type": "integer"},
    str: {"type": "string"},
    types.NoneType: {"type": "null"},
    Level: {"anyOf": [{"type": "number"}, {"const": INFINITY}]},
}


def schema() -> dict[str, Any]:
    """The schema, JSON-ready; other versions than the one that is written are left out."""
    own = _object_schema(Scenario)
    own["properties"]["estimator"]["enum"] = list(ESTIMATORS)
    notes = {name: {"type": "string"} for name in NOTES}
    own["properties"] = notes | {MARK: {"const": FORMAT}} | own["properties"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of caldp",
        **own,
        "required": [MARK],
        "$defs": {
            slot: {"oneOf": [kind_schema(kind, cls) for kind, cls in kinds.items()]}
            for slot, (_, kinds) in SLOTS.items()
        },
    }


def _object_schema(cls: type) -> dict[str, Any]:
    hints = hints_of(cls)
    own = {field.name: _property(field, hints[field.name]) for field in fields(cls)}
    needed = [field.name for field in fields(cls) if field.default is MISSING]
    return {
        "description": " ".join((cls.__doc__ or "").split()),
        "type": "object",
        "additionalProperties": False,
        "required": needed,
        "properties": own,
    }


def kind_schema(kind: str, cls: type) -> dict[str, Any]:
    """The schema of a record in a slot, with its `kind`."""
    result = _object_schema(cls)
    result["properties"] = {"kind": {"const": kind}} | result["properties"]
    result["required"] = ["kind", *result["required"]]
    return result


def _property(field: Field[Any], hint: Any) -> dict[str, Any]:
    result = _of_type(hint)
    if field.default is MISSING:
        return result
    if hint in KINDS:
        kind = next(kind for kind, cls in KINDS[hint].items() if cls is type(field.default))
        return result | {"default": {"kind": kind, **to_dict(field.default, KINDS)}}
    default = list(field.default) if isinstance(field.default, tuple) else field.default
    return result | {"default": default}


def _of_type(hint: Any) -> dict[str, Any]:
    if hint in KINDS:
        slot = next(slot for slot, (protocol, _) in SLOTS.items() if protocol is hint)
        return {"$ref": f"#/$defs/{slot}"}
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _of_type(get_args(hint)[0])}
    return {"anyOf": [_of_type(choice) for choice in get_args(hint)]}
