"""The scenario file as a JSON Schema, made from the records, for editors that complete and check.

`python -m caldp_core schema` prints it, and docs/scenario.schema.json holds it. Ranges are the
records' own business: a file that fits the schema may still be refused in words.
"""

import types
from dataclasses import MISSING, Field, fields
from typing import Any, Final, get_args, get_origin

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.scenarios.kinds import KINDS, SLOTS
from caldp_core.scenarios.records import INFINITY, Level, hints_of, to_dict
from caldp_core.scenarios.scenario import FORMAT, MARK, NOTES, Scenario

_SIMPLE: Final[dict[Any, dict[str, Any]]] = {
    float: {"type": "number"},
    int: {"type": "integer"},
    str: {"type": "string"},
    types.NoneType: {"type": "null"},
    Level: {"anyOf": [{"type": "number"}, {"const": INFINITY}]},
}


def schema() -> dict[str, Any]:
    """The schema, JSON-ready; other versions than the one that is written are left out."""
    own = _object(Scenario)
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


def _object(cls: type) -> dict[str, Any]:
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
    result = _object(cls)
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
