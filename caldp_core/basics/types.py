"""Names for the array types that the whole package uses, and helpers; imports nothing of ours."""

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from html import escape
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Bools: TypeAlias = NDArray[np.bool_]
Levels: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
Reports: TypeAlias = NDArray[Any]
"""One entry a user; the dtype is the family's own."""

Seed: TypeAlias = np.random.Generator | int
"""Where the randomness of a simulation comes from: a generator, or a whole number ≥ 0 for one."""

WordSource: TypeAlias = Callable[[int], Words]
"""Gives that many uniform 64-bit words; a seeded generator or the operating system."""

Progress: TypeAlias = Callable[[float], None]
"""Called with the finished share of a long piece of work, in [0, 1]. To cancel, it raises."""


def no_progress(share: float) -> None:
    """Ignore the finished share: the progress callback of callers who do not watch."""


def part_of(progress: Progress, low: float, high: float) -> Progress:
    """The progress of a part of the work, from the finished share `low` to `high` of the whole."""
    return lambda share: progress(low + share * (high - low))


def turn_of(progress: Progress, number: int, turns: int) -> Progress:
    """The progress of one of several equal parts of the work; `number`: in [0, turns)."""
    return part_of(progress, number / turns, (number + 1) / turns)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Mark `array` unwritable and return it, so that it can be shared safely."""
    array.flags.writeable = False
    return array


def sums_by(block: Ints, values: Floats, m: int) -> Floats:
    """(m,) sums of (k,) values over the symbols of each block; `block`: (k,) labels in [0, m)."""
    if m == 1:  # bincount is slow with one bin: each addition waits for the last
        return np.array([values.sum()], dtype=np.float64)
    return np.asarray(np.bincount(block, weights=values, minlength=m), dtype=np.float64)


def counts_by(block: Ints, counts: Ints, m: int) -> Ints:
    """(m,) int64 sums of (k,) whole `counts` over each block; exact while they stay below 2^53."""
    return sums_by(block, counts.astype(np.float64), m).astype(np.int64)


TABLE_ROWS: Final = 24


class EqualByFields:
    """Records with arrays that are equal where all their fields are, as copies by pickle are."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        compared = [each.name for each in fields(self) if each.compare]  # type: ignore[arg-type]
        return all(have_same_value(getattr(self, name), getattr(other, name)) for name in compared)

    def __hash__(self) -> int:
        compared = [each.name for each in fields(self) if each.compare]  # type: ignore[arg-type]
        return hash(tuple(_hashable(getattr(self, name)) for name in compared))


def have_same_value(first: Any, second: Any) -> bool:
    """Whether two values are equal, arrays by their entries; no entry (NaN) equals no entry."""
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        floats = all(np.asarray(each).dtype.kind == "f" for each in (first, second))
        return bool(np.array_equal(first, second, equal_nan=floats))
    if isinstance(first, tuple | list) and type(first) is type(second):
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(have_same_value(*pair) for pair in pairs)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if first.keys() != second.keys():
            return False
        return all(have_same_value(value, second[key]) for key, value in first.items())
    return bool(first == second)


def _hashable(value: Any) -> Any:
    """What the hash of a record takes of a field: of arrays and collections their length."""
    return len(value) if isinstance(value, np.ndarray | list | tuple | Mapping) else value


def html_table(caption: str, columns: Mapping[str, Sequence[object]]) -> str:
    """A table for notebooks: the first `TABLE_ROWS` rows; texts are escaped."""
    rows = islice(zip(*columns.values(), strict=True), TABLE_ROWS)
    heads = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = ""
    for row in rows:
        cells = "".join(f"<td>{escape(str(value))}</td>" for value in row)
        body += f"<tr>{cells}</tr>"
    return f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{body}</table>"


_LIMITS: Final = reprlib.Repr()
_LIMITS.maxother = 80


def short_repr(record: Any) -> str:
    """The fields of a dataclass, of long ones the beginning; for its `__repr__`."""
    shown = [each.name for each in fields(record) if each.repr]
    parts = (f"{name}={_LIMITS.repr(getattr(record, name))}" for name in shown)
    return f"{type(record).__qualname__}({', '.join(parts)})"
