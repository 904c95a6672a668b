"""Records that hold long lists, in a line that can be read."""

import reprlib
from dataclasses import fields
from typing import Any, Final

_LIMITS: Final = reprlib.Repr()
_LIMITS.maxother = 80


def short_repr(record: Any) -> str:
    """The fields of a dataclass, of long ones the beginning; for its `__repr__`."""
    shown = [each.name for each in fields(record) if each.repr]
    parts = (f"{name}={_LIMITS.repr(getattr(record, name))}" for name in shown)
    return f"{type(record).__qualname__}({', '.join(parts)})"
