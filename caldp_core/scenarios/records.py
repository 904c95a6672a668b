"""Frozen records to and from plain dictionaries and flat texts: files, links and caches share it.

Room: scenarios. A record's fields are numbers, texts, None or tuples of them; every slot that can
hold one of several records names it by `kind`.
"""

import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.numerals import read_number, read_whole

T = TypeVar("T")
Kinds = Mapping[str, Mapping[str, type]]
"""Slot → kind → record class."""

_LIST = ";"
_KIND = "kind"
_LARGEST = sys.float_info.max


def to_dict(record: Any, kinds: Kinds) -> dict[str, Any]:
    """A record as JSON-ready dictionaries and lists; slots carry their `kind`."""
    result: dict[str, Any] = {}
    for field in fields(record):
        value = _plain(getattr(record, field.name))
        if field.name in kinds:
            names = {cls: kind for kind, cls in kinds[field.name].items()}
            value = {_KIND: names[type(value)], **to_dict(value, {})}
        result[field.name] = list(value) if isinstance(value, tuple) else value
    return result


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's, which JSON can hold."""
    return value.item() if isinstance(value, np.generic) else value


def from_dict(cls: type[T], data: Any, kinds: Kinds, where: str = "The scenario") -> T:
    """A record from such dictionaries; a missing key takes its default, an unknown one is an error.

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
    hints = get_type_hints(cls)
    values = {
        key: _slot(key, value, kinds[key])
        if key in kinds
        else _value(f"{key} in {where[0].lower()}{where[1:]}", value, hints[key])
        for key, value in data.items()
    }
    return cls(**values)


def _slot(slot: str, data: Any, kinds: Mapping[str, type]) -> Any:
    if is_dataclass(data):
        return data
    kind = data.get(_KIND) if isinstance(data, Mapping) else data
    if not isinstance(data, Mapping) or kind not in list(kinds):
        raise CaldpError(f"kind of {slot} must be one of {', '.join(kinds)}, got {kind!r}.")
    rest = {key: value for key, value in data.items() if key != _KIND}
    return from_dict(kinds[data[_KIND]], rest, {}, f"The {slot} of kind {data[_KIND]}")


def _value(name: str, value: Any, hint: Any) -> Any:
    if isinstance(value, list):
        value = tuple(value)
    for choice in _choices(hint):
        if get_origin(choice) is tuple and isinstance(value, tuple):
            return tuple(_value(name, part, get_args(choice)[0]) for part in value)
        if choice is float and type(value) is int and abs(value) <= _LARGEST:
            return float(value)
        if isinstance(choice, type) and isinstance(value, choice) and not isinstance(value, bool):
            return value
    raise CaldpError(f"{name} must be {_words(hint)}, got {value!r}.")


def _choices(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _words(hint: Any) -> str:
    words = {float: "a number", int: "a whole number", str: "a text", types.NoneType: "null"}
    return " or ".join(
        f"a list of {words[get_args(c)[0]][2:]}s" if get_origin(c) is tuple else words[c]
        for c in _choices(hint)
    )


def to_flat(record: Any, kinds: Kinds) -> dict[str, str]:
    """A record as flat texts for a link: only what differs from the defaults."""
    flat: dict[str, str] = {}
    for field in fields(record):
        value = _plain(getattr(record, field.name))
        if field.name in kinds:
            names = {cls: kind for kind, cls in kinds[field.name].items()}
            if type(value) is not type(field.default):
                flat[field.name] = names[type(value)]
            inner = to_flat(value, {})
            flat.update({f"{field.name}.{key}": text for key, text in inner.items()})
        elif value != field.default:
            flat[field.name] = _text(value)
    return flat


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        # A single number in a list ends with a semicolon, to be told from a number.
        single = len(value) == 1 and not isinstance(value[0], str)
        return _LIST.join(_text(part) for part in value) + _LIST * single
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    return "" if value is None else str(value)


def from_flat(cls: type[T], flat: Mapping[str, str], kinds: Kinds) -> T:
    """A record from the texts of a link; raises `CaldpError` as `from_dict` does."""
    data: dict[str, Any] = {}
    for key, text in flat.items():
        slot, dot, inner = key.partition(".")
        # A kind stands under its slot's own name; "slot.kind" would be a second way to say it.
        if dot and slot in kinds and inner != _KIND:
            data.setdefault(slot, {})[inner] = text
        elif key in kinds:
            data.setdefault(key, {})[_KIND] = text
        else:
            data[key] = text
    defaults = {field.name: field.default for field in fields(cls)}  # type: ignore[arg-type]
    for slot in kinds:
        if slot in data:
            data[slot] = _flat_slot(slot, data[slot], kinds[slot], defaults[slot])
    hints = get_type_hints(cls)
    typed = {
        key: value if key in kinds or key not in hints else _parse(key, value, hints[key])
        for key, value in data.items()
    }
    return from_dict(cls, typed, kinds, "The link")


def strangers(cls: type, flat: Mapping[str, str]) -> list[str]:
    """Keys of a link that do not speak of such a record: mail and course systems add some."""
    own = {field.name for field in fields(cls)}
    return [key for key in flat if key.partition(".")[0] not in own]


def _flat_slot(slot: str, data: dict[str, Any], kinds: Mapping[str, type], default: Any) -> Any:
    names = {cls: kind for kind, cls in kinds.items()}
    kind = data.setdefault(_KIND, names[type(default)])
    if kind not in kinds:
        return data
    hints = get_type_hints(kinds[kind])
    return {
        key: text if key not in hints else _parse(f"{slot}.{key}", text, hints[key])
        for key, text in data.items()
    }


_READERS: Final[dict[Any, Callable[[str], Any]]] = {
    int: read_whole,
    float: read_number,
    str: str,
}


def _parse(name: str, text: str, hint: Any) -> Any:
    for choice in _choices(hint):
        if choice is types.NoneType and not text:
            return None
        if get_origin(choice) is tuple:
            read = _READERS[get_args(choice)[0]]
            parts = text.removesuffix(_LIST).split(_LIST) if text else []
            values = tuple(read(part) for part in parts)
            if None not in values:
                return values
        elif choice in _READERS and (value := _READERS[choice](text)) is not None:
            return value
    raise CaldpError(f"{name} in the link must be {_words(hint)}, got {text!r}.")
