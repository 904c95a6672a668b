"""The JSON Schema of protocol files, for editors and for clients in other languages."""

from typing import Any, Final

from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.collect.protocol import FORMAT, PROTOCOL_KEY, QUESTION_MAX, TABLE
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms.catalogue import COLLECTABLE
from caldp_core.scenarios.records import INFINITY
from caldp_core.scenarios.scenario import kind_schema

_ONE: Final = 1 << 48
_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_WHOLE: Final = {"type": "integer", "minimum": 0}
_NUMBERS: Final = {
    "cover": "thresholds of 2^48: a symbol that is not hidden sends a base report",
    "truth": "thresholds of 2^48: the truth, or one's own bit",
    "stray": "thresholds of 2^48: any other bit",
    "size": "hidden symbols",
    "first": "the first number of its reports",
    "parts": "parts of Hadamard response",
    "order": "cells of a part",
    "degree": "the field has 2^degree elements, or there is none",
    "digits": "digits of a point",
    "modulus": "the field's polynomial, bit i the coefficient of x^i",
    "omega": "symbols of a subset",
    "prime": "the prime of the hashes",
    "g": "values of a hash",
}


def protocol_schema() -> dict[str, Any]:
    """The JSON Schema of protocol files, JSON-ready."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A protocol of caldp: what devices and the collector of a collection share",
        **_object(
            {
                PROTOCOL_KEY: {"const": FORMAT},
                "caldp_version": {"type": "string"},
                "question": {"type": "string", "maxLength": QUESTION_MAX},
                "domain": {
                    "oneOf": [kind_schema("answers", Domain), kind_schema("map", GridDomain)]
                },
                "block_names": {"description": "of each block", **_TEXTS},
                "policy": {"oneOf": [_context(), _matrix()]},
                "mechanism": {
                    "oneOf": [
                        *(_mechanism(name, entry.spec) for name, entry in COLLECTABLE.items()),
                        _table(),
                    ]
                },
                "report": _report(),
                "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            }
        ),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def _context() -> dict[str, Any]:
    level = {"type": "number", "minimum": EPSILON_MIN, "maximum": EPSILON_MAX}
    return _object(
        {
            "kind": {"const": "context"},
            "blocks": {"description": "the block of each value", "type": "array", "items": _WHOLE},
            "sensitive": {"type": "array", "items": {"type": "boolean"}},
            "epsilon": {"description": "ε of each block", "type": "array", "items": level},
        }
    )


def _matrix() -> dict[str, Any]:
    level = {"anyOf": [{"type": "number", "minimum": 0}, {"const": INFINITY}]}
    rows = {"type": "array", "items": {"type": "array", "items": level}}
    description = "the limit from each value (row) to each other one"
    return _object({"kind": {"const": "matrix"}, "rows": {"description": description, **rows}})


def _table() -> dict[str, Any]:
    whole = {"type": "string", "pattern": "^[0-9]+$"}
    rows = {"type": "array", "items": {"type": "array", "items": whole}}
    description = (
        "for each value the sums of its reports' chances, times whole, one after the other"
    )
    return _object(
        {
            "kind": {"const": TABLE},
            "made_by": {"description": "the mechanism's name", "type": "string"},
            "whole": {"description": "what each row rises to", **whole},
            "steps": {"description": description, **rows},
        }
    )


def _mechanism(name: str, spec: type) -> dict[str, Any]:
    described = kind_schema(name, spec)
    whole = {"type": "integer", "minimum": 0, "maximum": _ONE}
    numbers = {
        key: {"description": f"of each block: {text}", "type": "array", "items": whole}
        for key, text in _NUMBERS.items()
    }
    described["properties"]["numbers"] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["cover"],
        "properties": numbers,
    }
    described["required"] = list(described["properties"])
    return described


def _report() -> dict[str, Any]:
    described = _object(
        {
            "kind": {"enum": ["number", "bits", "hash"]},
            "values": {"description": "how many numbers or sources there are", **_WHOLE},
            "from_oracles": {"description": "how many of them are the oracles'", **_WHOLE},
            "widths": {"description": "bytes of each field", "type": "array", "items": _WHOLE},
        }
    )
    described["required"].remove("widths")
    return described
