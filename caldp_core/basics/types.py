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
        names = [each.name for each in fields(self)]  # type: ignore[arg-type]
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        values = (getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]
        return hash(tuple(len(v) if isinstance(v, np.ndarray | dict) else v for v in values))


def html_table(caption: str, columns: Mapping[str, Sequence[object]]) -> str:
    """A table for notebooks: the first `TABLE_ROWS` rows; texts are escaped."""
    rows = islice(zip(*columns.values(), strict=True), TABLE_ROWS)
    cells = ("".join(f"<td>{escape(str(each))}</td>" for each in row) for row in rows)
    heads = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{body}</table>"


_LIMITS: Final = reprlib.Repr()
_LIMITS.maxother = 80


def short_repr(record: Any) -> str:
    """The fields of a dataclass, of long ones the beginning; for its `__repr__`."""
    shown = [each.name for each in fields(record) if each.repr]
    parts = (f"{name}={_LIMITS.repr(getattr(record, name))}" for name in shown)
    return f"{type(record).__qualname__}({', '.join(parts)})"
