"""The extremes of one block's channel that decide its audit, found without writing it out.

For each output y the largest ratio between two rows is the greatest Q(y|x) over the least Q(y|x′).
So rows are read a few at a time and only extremes are kept, never a k × k or k × outputs array.
Entries are compared by their index among the few different values of a block, and ratios are taken
between whole numbers of any size: nothing is rounded.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import require
from caldp_core.basics.types import Progress
from caldp_core.mechanisms.base import FrequencyOracles
from caldp_core.mechanisms.structures import ChannelRows, HasChannelRows

_CHUNK: Final = 1 << 21
_LOOP_MAX: Final = 8
_Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
_Rows: TypeAlias = Callable[[int, int], ChannelRows]


@dataclass(frozen=True)
class MaxRatio:
    """The largest ratio of one report's probabilities, and two symbols at which it is reached.

    `ratio`: None stands for ∞. `output`: column of the channel, None where the reports are too
    many to be numbered. `x`, `x_other`: ranks within the block; against the base distribution
    `x_other` has no meaning.
    """

    ratio: Fraction | None
    output: int | None
    x: int
    x_other: int


@dataclass(frozen=True)
class BlockExtremes:
    """What an audit needs of a block's hidden rows and its base distribution.

    `hidden_ratio`: the largest Q(y|x)/Q(y|x′), both hidden; `base_ratio`: the largest
    Q(y|x)/base(y).
    `faulty_row`: rank within the block of the first row that is no distribution, else None.
    `base_is_distribution`: whether the base is one.
    """

    hidden_ratio: MaxRatio
    base_ratio: MaxRatio
    faulty_row: int | None
    base_is_distribution: bool


@dataclass(frozen=True, eq=False)
class _Extremes:
    """`top`, `bottom`: (columns,) codes of the greatest and the least entry of each output.

    `faulty`: the `faulty_row` of `BlockExtremes`.
    """

    top: _Codes
    bottom: _Codes
    faulty: int | None


def quotient(above: int | Fraction, below: int | Fraction) -> Fraction | None:
    """above/below, None for ∞; 0/0 is 0, as it bounds nothing, and so is a negative `above`."""
    if above <= 0:
        return Fraction(0)
    return Fraction(above) / below if below > 0 else None


def ratio_sort_key(ratio: Fraction | None) -> tuple[bool, Fraction]:
    """Key that sorts ratios, with None (∞) last."""
    return ratio is None, ratio or Fraction(0)


def extremes_from_rows(
    oracles: HasChannelRows, outputs: int, block: int, size: int, progress: Progress
) -> BlockExtremes:
    """The extremes of a block of `size` hidden symbols, from rows that the oracles stream.

    `outputs`: number of the oracles' columns; those of reports in the clear follow them.
    `progress` is called after every few rows, so that a large block can be cancelled soon.
    """
    return _extremes_of(partial(oracles.channel_rows, block), outputs, size, progress)


def extremes_from_channel(
    oracles: FrequencyOracles, outputs: int, block: int, size: int, progress: Progress
) -> BlockExtremes:
    """The extremes of a block, from a channel that the oracles write out whole.

    Arguments as in `extremes_from_rows`.
    """
    first, numerators, denominator = oracles.channel(block)
    entries = numerators.ravel().tolist()  # Python ints: of any size
    values = tuple(sorted(set(entries)))
    place = {value: code for code, value in enumerate(values)}
    codes = np.fromiter(map(place.__getitem__, entries), np.uint32, len(entries))
    table = codes.reshape(numerators.shape)
    return _extremes_of(
        lambda start, stop: ChannelRows(first, table[start:stop], values, denominator),
        outputs,
        size,
        progress,
    )


def _extremes_of(read: _Rows, outputs: int, size: int, progress: Progress) -> BlockExtremes:
    base = _in_whole_numbers(read(size, size + 1))
    columns = base.codes.shape[1]
    require(columns > 0, "The family has no report for hidden values; no channel can be audited.")
    require(
        base.first + columns <= outputs and list(base.values) == sorted(base.values),
        "The family's channel rows overlap reports in the clear, or their values fall.",
    )
    pieces = partial(_pieces, read, size, max(1, _CHUNK // columns))
    extremes = _extremes(pieces(progress), base)
    hidden_at, hidden_ratio = _largest(extremes.top, extremes.bottom, base.values)
    base_at, base_ratio = _largest(extremes.top, base.codes[0], base.values)
    reached = [(hidden_at, extremes.top), (hidden_at, extremes.bottom), (base_at, extremes.top)]
    # The second reading adds no progress, but may still be cancelled.
    again = pieces(lambda _: progress(1.0))
    x, other, x_over = _rows_with([(at, int(codes[at])) for at, codes in reached], again)
    if other == x:  # then all rows have one entry there, and any other row will do
        other = min(1, size - 1)
    return BlockExtremes(
        MaxRatio(hidden_ratio, base.first + hidden_at, x, other),
        MaxRatio(base_ratio, base.first + base_at, x_over, x_over),
        extremes.faulty,
        _is_distribution(base.codes[0], base),
    )


def _in_whole_numbers(rows: ChannelRows) -> ChannelRows:
    """The rows with Python's whole numbers, of any size: NumPy's would wrap at 64 bits."""
    values = tuple(map(int, rows.values))
    return ChannelRows(rows.first, rows.codes, values, int(rows.denominator))


def _pieces(
    read: _Rows, size: int, step: int, progress: Progress
) -> Iterator[tuple[int, ChannelRows]]:
    """The hidden rows and the first one's rank, some at a time."""
    for start in range(0, size, step):
        yield start, _in_whole_numbers(read(start, min(start + step, size)))
        progress(min(start + step, size) / size)


def _extremes(pieces: Iterable[tuple[int, ChannelRows]], base: ChannelRows) -> _Extremes:
    top = np.zeros_like(base.codes[0])
    bottom = np.full_like(base.codes[0], len(base.values) - 1)
    faulty: int | None = None
    for start, part in pieces:
        require(part.values == base.values, "The family's values change from row to row.")
        np.maximum(top, part.codes.max(axis=0), out=top)
        np.minimum(bottom, part.codes.min(axis=0), out=bottom)
        wrong = (i for i, row in enumerate(part.codes, start) if not _is_distribution(row, base))
        faulty = next(wrong, None) if faulty is None else faulty
    return _Extremes(top, bottom, faulty)


def _rows_with(
    wanted: Sequence[tuple[int, int]], pieces: Iterable[tuple[int, ChannelRows]]
) -> list[int]:
    """The first row that has each (column, code); most are among the first rows read."""
    rows: dict[tuple[int, int], int] = {}
    for start, part in pieces:
        for column, code in set(wanted) - rows.keys():
            hits = np.flatnonzero(part.codes[:, column] == code)
            if hits.size:
                rows[column, code] = start + int(hits[0])
        if rows.keys() == set(wanted):
            break
    return [rows[each] for each in wanted]


def _is_distribution(row: _Codes, rows: ChannelRows) -> bool:
    """Whether a row's entries sum to the denominator and none is negative."""
    values = rows.values
    if len(values) <= _LOOP_MAX:
        counts = [int(np.count_nonzero(row == code)) for code in range(len(values))]
    else:
        counts = np.bincount(row, minlength=len(values)).tolist()
    total = sum(value * count for value, count in zip(values, counts, strict=True))
    return total == rows.denominator and values[int(row.min())] >= 0


def _largest(top: _Codes, bottom: _Codes, values: tuple[int, ...]) -> tuple[int, Fraction | None]:
    """First column with the largest top/bottom, and that ratio; None stands for ∞.

    Reports in the clear are no columns here: no sensitive symbol sends one, so they bound nothing.
    """
    both = top.astype(np.int64) * len(values) + bottom
    pairs, columns = np.unique(both, return_index=True)
    ratios = [quotient(values[pair // len(values)], values[pair % len(values)]) for pair in pairs]
    best = max(range(len(ratios)), key=lambda i: ratio_sort_key(ratios[i]))
    return int(columns[best]), ratios[best]
