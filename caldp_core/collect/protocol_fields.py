"""Parts of a protocol's dictionary: read, with an error for anything unexpected."""

from collections.abc import Mapping
from typing import Any, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import K_MAX

NAME: Final = "The protocol"
ADVICE: Final = "give the file that caldp wrote."


def object_field(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under this key; raises `CaldpError` if there is none."""
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
                f"changed, or made by a version that reckons otherwise: {ADVICE}",
            )
