"""Reading and writing the small JSON files of a collection; whoever wrote them may be hostile."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, Final, NoReturn

from caldp_core.basics.errors import CaldpError, require

FILE_MAX_BYTES: Final = 256 * 2**20
"""Largest JSON file of a collection that is read: a protocol of 2^20 values has some 20 MB."""


def read_json_object(path: str | Path, name: str) -> dict[str, Any]:
    """The JSON object that a file holds; `name`: what it should be, for the error message.

    Raises `CaldpError` where it cannot be read, is too large, or holds anything else.
    """
    try:
        size = Path(path).stat().st_size
        require(
            size <= FILE_MAX_BYTES,
            f"{name} may have at most {FILE_MAX_BYTES:,} bytes, {str(path)!r} has {size:,}; "
            "give the file that caldp wrote.",
        )
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise CaldpError(
            f"{name} must be text in UTF-8, {str(path)!r} is none; give the file that caldp wrote."
        ) from None
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise CaldpError(f"{name} {str(path)!r} can't be read: {reason}.") from None
    return parse_json_object(text, f"{name} {str(path)!r}")


def parse_json_object(text: str, name: str) -> dict[str, Any]:
    """The JSON object in a text; raises `CaldpError` as `read_json_object`, calling it `name`."""
    try:
        data = json.loads(
            text, object_pairs_hook=_reject_duplicate_keys, parse_constant=_reject_constant
        )
    except CaldpError as error:
        raise CaldpError(f"{name} {error}") from None
    except RecursionError:
        raise CaldpError(f"{name} has too many brackets in each other.") from None
    except ValueError as error:
        raise CaldpError(f"{name} is not JSON: {error}.") from None
    require(isinstance(data, dict), f"{name} must be an object with named fields.")
    return data  # type: ignore[no-any-return]


def write_atomic(path: Path, text: str) -> None:
    """Write a file that is there as a whole or not at all, even if interrupted.

    Raises `CaldpError` where that can't be done.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise CaldpError(f"The file {str(path)!r} can't be written: {error.strerror}.") from None


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
