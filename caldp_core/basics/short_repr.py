"""Records that hold long lists, in a line that can be read."""

import reprlib
from dataclasses import fields
from typing import Any, Final

_LIMITS: Final = reprlib.Repr()
_LIMITS.maxother = 80


def short_repr(record: Any) -> str:
    """The fields of a dataclass, of long ones the beginning; for its `__repr__`."""
    parts = (f"{each.name}={_LIMITS.repr(getattr(record, each.name))}" for each in fields(record))
    return f"{type(record).__qualname__}({', '.join(parts)})"
