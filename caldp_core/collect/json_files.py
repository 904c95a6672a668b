"""Reading the small JSON files of a collection; they are untrusted input."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import BYTE_ORDER_MARK, read_text, unique_keys
from caldp_core.basics.limits import K_MAX

FILE_MAX_BYTES: Final = 256 * 2**20
"""Largest JSON file of a collection that is read: a protocol of 2^20 values has some 20 MB."""

_ADVICE: Final = "give the file that caldp wrote"


def read_json_object(path: str | Path, name: str) -> dict[str, Any]:
    """The JSON object that a file holds; `name`: what it should be, for the error message.

    Raises `CaldpError` where it cannot be read, is too large, or holds anything else.
    """
    text = read_text(path, name, FILE_MAX_BYTES, _ADVICE)
    return parse_json_object(text, f"{name} {quoted(path)}")


def parse_json_object(text: str, name: str) -> dict[str, Any]:
    """The JSON object in a text; raises `CaldpError` as `read_json_object`, calling it `name`."""
    try:
        data = json.loads(
            text.removeprefix(BYTE_ORDER_MARK),
            object_pairs_hook=partial(unique_keys, f"has the key {{}} twice; {_ADVICE}."),
            parse_constant=_reject_constant,
        )
    except CaldpError as error:
        raise CaldpError(f"{name} {error}") from None
    except RecursionError:
        raise CaldpError(f"{name} has too many brackets in each other.") from None
    except ValueError as error:
        raise CaldpError(f"{name} is not JSON: {error}.") from None
    require(isinstance(data, dict), f"{name} must be an object with named fields.")
    return data  # type: ignore[no-any-return]


def format_json(data: dict[str, Any]) -> str:
    """JSON with a line a key, two levels deep, so that long lists take one line each."""
    lines = []
    for key, value in data.items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"    {_compact(k)}: {_compact(v)}" for k, v in value.items())
            lines.append(f"  {_compact(key)}: {{\n{inner}\n  }}")
        else:
            lines.append(f"  {_compact(key)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _reject_constant(constant: str) -> NoReturn:
    raise CaldpError(f"holds {constant}, which is not a number in JSON.")


NAME: Final = "The protocol"
ADVICE: Final = "give the file that caldp wrote."
"""What errors in a protocol begin and end with."""


def object_field(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under this key; raises `CaldpError` if it is missing."""
    part = data.get(key)
    if not isinstance(part, dict):
        raise CaldpError(f"{NAME} needs {key!r}, an object with named fields; {ADVICE}")
    return part


def kind_field(part: Mapping[str, Any], slot: str, kinds: Mapping[str, Any]) -> str:
    """The kind of the part of this slot; raises `CaldpError` unless it is one of `kinds`."""
    kind = part.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        allowed = f"must be one of {', '.join(kinds)}"
        raise CaldpError(f"{NAME}'s {slot} {allowed}, got {kind!r}; {ADVICE}")
    return kind


def list_field(part: Mapping[str, Any], key: str, *types: type) -> list[Any]:
    """The list under this key, 1 to 2^20 entries of these types; raises `CaldpError`."""
    entries = part.get(key)
    if not isinstance(entries, list) or not all(type(each) in types for each in entries):
        raise CaldpError(f"{NAME} needs {key}, a list of one {types[0].__name__} each; {ADVICE}")
    require(
        0 < len(entries) <= K_MAX,
        f"{NAME}'s {key} may hold 1 to {K_MAX:,} entries, got {len(entries):,}; {ADVICE}",
    )
    return entries


def check_same(data: Mapping[str, Any], expected: Mapping[str, Any], within: str = "") -> None:
    """Raise `CaldpError` naming what differs; by which version it was made does not matter."""
    for key in (*expected, *data):
        if key == "caldp_version":
            continue
        path = f"{within}{key}"
        found, right = data.get(key), expected.get(key)
        if isinstance(found, dict) and isinstance(right, dict):
            check_same(found, right, f"{path}.")
        else:
            require(
                key in data and key in expected and found == right,
                f"{NAME}'s {path} is not what its domain, policy and mechanism make it; it was "
                f"changed, or made by a version that computes otherwise: {ADVICE}",
            )
