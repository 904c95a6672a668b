"""Reading the small JSON files of a collection; they are untrusted input."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final, NoReturn

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import BYTE_ORDER_MARK, read_text

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
            object_pairs_hook=_reject_duplicate_keys,
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


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise CaldpError(f"has the key {twice!r} twice; give the file that caldp wrote.")
    return data


def _reject_constant(constant: str) -> NoReturn:
    raise CaldpError(f"holds {constant}, which is no number of JSON.")
