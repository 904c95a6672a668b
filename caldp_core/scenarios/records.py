"""Frozen records to and from plain dictionaries and flat texts: files, links and caches share it.

A record's fields are numbers, texts, None or tuples of them; every slot that can hold one of
several records names it by `kind`.
"""

import math
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, Final, TypeAlias, TypeVar, Union, get_args, get_origin
from typing import get_type_hints as _hints

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import parse_float, parse_int
from caldp_core.basics.limits import DENSE_MAX_ENTRIES

T = TypeVar("T")
Kinds = Mapping[Any, Mapping[str, type]]
"""Type of a slot, as it is annotated → kind → record class."""
INFINITY: Final = "infinity"
"""How files and links write ∞, which JSON has no number for."""
Level: TypeAlias = Annotated[float, INFINITY]
"""A number that may be ∞."""
Rows: TypeAlias = tuple[tuple[Level, ...], ...]
"""A small table of levels, row by row."""

_LIST = ";"
_ROWS = "|"
_KIND = "kind"
_LARGEST = sys.float_info.max


def hints_of(cls: type) -> dict[str, Any]:
    """Field → its type as annotated."""
    hints = _hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in fields(cls)}


def to_dict(record: Any, kinds: Kinds) -> dict[str, Any]:
    """A record as JSON-ready dictionaries and lists; slots carry their `kind`."""
    result: dict[str, Any] = {}
    hints = hints_of(type(record))
    for field in fields(record):
        value, choices = getattr(record, field.name), kinds.get(hints[field.name])
        if choices is None:
            result[field.name] = _plain(value)
        else:
            result[field.name] = {_KIND: _kind_of(value, choices), **to_dict(value, kinds)}
    return result


def _kind_of(record: Any, choices: Mapping[str, type]) -> str:
    return next(kind for kind, cls in choices.items() if cls is type(record))


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's and tuples as lists, which JSON can hold; ∞ as a word."""
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    number = value.item() if isinstance(value, np.generic) else value
    return INFINITY if number == math.inf else number


def from_dict(cls: type[T], data: Any, kinds: Kinds, where: str = "The scenario") -> T:
    """A record from what `to_dict` makes; a missing key takes its default.

    Raises `CaldpError` for unknown keys and kinds; the records check their own values.
    """
    if not isinstance(data, Mapping):
        raise CaldpError(f"{where} must be an object with named fields, got {data!r}.")
    known = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    unknown = [key for key in data if key not in known]
    if unknown:
        raise CaldpError(
            f"{where} has the unknown key {unknown[0]!r}; it can have {', '.join(known) or 'none'}."
        )
    needed = [f.name for f in fields(cls) if f.default is MISSING]  # type: ignore[arg-type]
    missing = [name for name in needed if name not in data]
    if missing:
        raise CaldpError(f"{where} needs the key {missing[0]!r}.")
    hints = hints_of(cls)
    values = {
        key: _slot(key, value, hints[key], kinds)
        if hints[key] in kinds
        else _value(f"{key} in {where[0].lower()}{where[1:]}", value, hints[key])
        for key, value in data.items()
    }
    return cls(**values)


def _slot(slot: str, data: Any, hint: Any, kinds: Kinds) -> Any:
    if is_dataclass(data):
        return data
    kind = data.get(_KIND) if isinstance(data, Mapping) else data
    if not isinstance(data, Mapping) or kind not in list(kinds[hint]):
        raise CaldpError(f"kind of {slot} must be one of {', '.join(kinds[hint])}, got {kind!r}.")
    rest = {key: value for key, value in data.items() if key != _KIND}
    return from_dict(kinds[hint][kind], rest, kinds, f"The {slot} of kind {kind}")


def _value(name: str, value: Any, hint: Any) -> Any:
    if hint == Rows and isinstance(value, list):
        # Before they are looked at one by one.
        entries = sum(len(row) for row in value if isinstance(row, list))
        require(
            entries <= DENSE_MAX_ENTRIES,
            f"{name} may have at most {DENSE_MAX_ENTRIES:,} numbers, got {entries:,}; "
            "take fewer values.",
        )
    fitted = _fitting(value, hint)
    if fitted is MISSING:
        raise CaldpError(f"{name} must be {_type_text(hint)}, got {value!r}.")
    return fitted


def _fitting(value: Any, hint: Any) -> Any:
    """The value as one of the types that the hint allows; `MISSING` if it is none."""
    if isinstance(value, list):
        value = tuple(value)
    for choice in _choices(hint):
        if choice == Level and value == INFINITY:
            return math.inf
        plain = float if choice == Level else choice
        if get_origin(plain) is tuple and isinstance(value, tuple):
            parts = tuple(_fitting(part, get_args(plain)[0]) for part in value)
            if MISSING not in parts:
                return parts
        elif plain is float and type(value) is int and abs(value) <= _LARGEST:
            return float(value)
        elif isinstance(plain, type) and isinstance(value, plain) and not isinstance(value, bool):
            return value
    return MISSING


def _choices(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


_WORDS: Final[dict[Any, str]] = {
    float: "a number",
    Level: f'a number or "{INFINITY}"',
    int: "a whole number",
    str: "a text",
    types.NoneType: "null",
    tuple[float, ...]: "a list of numbers",
    tuple[int, ...]: "a list of whole numbers",
    tuple[str, ...]: "a list of texts",
    Rows: f'a list of lists of numbers or "{INFINITY}"',
}


def _type_text(hint: Any) -> str:
    return " or ".join(_WORDS[choice] for choice in _choices(hint))


def to_flat(record: Any, kinds: Kinds) -> dict[str, str]:
    """A record as flat texts for a link: only what differs from the defaults."""
    flat: dict[str, str] = {}
    hints = hints_of(type(record))
    for field in fields(record):
        value, choices = getattr(record, field.name), kinds.get(hints[field.name])
        if choices is not None:
            if type(value) is not type(field.default):
                flat[field.name] = _kind_of(value, choices)
            inner = to_flat(value, kinds)
            flat.update({f"{field.name}.{key}": text for key, text in inner.items()})
        elif value != field.default:
            flat[field.name] = _text(value)
    return flat


def _text(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, list) and value and isinstance(value[0], list):
        return _ROWS.join(_text(row) for row in value) + _ROWS * (len(value) == 1)
    if isinstance(value, list):
        # A single number in a list ends with a semicolon, to differ from a number.
        single = len(value) == 1 and not isinstance(value[0], str)
        # The sign between parts is written in a part as in an address.
        parts = (_text(part).replace("%", "%25").replace(_LIST, "%3B") for part in value)
        return _LIST.join(parts) + _LIST * single
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    return "" if value is None else str(value)


def from_flat(cls: type[T], flat: Mapping[str, str], kinds: Kinds) -> T:
    """A record from the texts of a link; raises `CaldpError` as `from_dict` does."""
    return from_dict(cls, _typed(cls, flat, kinds, ""), kinds, "The link")


def _typed(cls: type, flat: Mapping[str, str], kinds: Kinds, within: str) -> dict[str, Any]:
    """The texts as what `from_dict` takes; keys that are unknown stay as they are."""
    hints = hints_of(cls)
    data: dict[str, Any] = {}
    inner: dict[str, dict[str, str]] = {}
    for key, text in flat.items():
        slot, dot, rest = key.partition(".")
        choices = kinds.get(hints.get(slot))
        # A kind stands under its slot's own name; "slot.kind" would be a second way to say it.
        if choices is None or (dot and rest == _KIND):
            data[key] = text if key not in hints else _parse(f"{within}{key}", text, hints[key])
        elif dot:
            inner.setdefault(slot, {})[rest] = text
        else:
            inner.setdefault(slot, {})[_KIND] = text
    defaults = {field.name: field.default for field in fields(cls)}
    for slot, texts in inner.items():
        choices = kinds[hints[slot]]
        kind = texts.pop(_KIND, None) or _kind_of(defaults[slot], choices)
        inside = texts
        if kind in choices:
            inside = _typed(choices[kind], texts, kinds, f"{within}{slot}.")
        data[slot] = {_KIND: kind, **inside}
    return data


_READERS: Final[dict[Any, Callable[[str], Any]]] = {int: parse_int, float: parse_float, str: str}


def _parse(name: str, text: str, hint: Any) -> Any:
    for choice in _choices(hint):
        value = _read(text, choice)
        if value is not MISSING:
            return value
    raise CaldpError(f"{name} in the link must be {_type_text(hint)}, got {text!r}.")


def _read(text: str, hint: Any) -> Any:
    """The text as a value of this type, `MISSING` if it is none."""
    if hint is types.NoneType:
        return MISSING if text else None
    if hint == Level and text == INFINITY:
        return math.inf
    if get_origin(hint) is tuple:
        (part, _) = get_args(hint)
        mark = _ROWS if get_origin(part) is tuple else _LIST
        parts = text.removesuffix(mark).split(mark) if text else []
        if part is str:
            parts = [each.replace("%3B", _LIST).replace("%25", "%") for each in parts]
        values = tuple(_read(each, part) for each in parts)
        return MISSING if MISSING in values else values
    value = _READERS[float if hint == Level else hint](text)
    return MISSING if value is None else value
