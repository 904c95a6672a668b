"""Numbers on their way to the browser: log codes of shares, block labels, sets, lines, names.

What is written here is read by `web/codec.js`. A blob's name is the hash of its bytes, so whatever
the browser already has is not sent again.

The colour scale of maps: shares of all people in a cell, logarithmic; one for a whole stage.

It is the same wherever it can be, so that maps compare. Of a small map, whose every cell holds many
of its people, all would be of the brightest colour: its scale is fitted to its truth.
"""

import hashlib
import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.types import Bools, Floats, Ints, Levels


@dataclass(frozen=True)
class Scale:
    """Shares of the darkest and the brightest colour; less is drawn low, more is drawn high.

    `ticks`: shares and what they are called.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


SCALE: Final = Scale(
    1e-6, 1e-2, ((1e-6, "1 in a million"), (1e-4, "1 in 10,000"), (1e-2, "1 in 100"))
)


_CROWDED: Final = 3e-4
"""Median share of cells with people, from which on a map is too small for the common scale."""
_RANGE: Final = 1000.0
_ROUND: Final = (1, 2, 5, 10)


def scale_of(shares: Floats) -> Scale:
    """The common scale, or one that ends at or just above the largest of (k,) true shares."""
    positive = shares[shares > 0]
    if not positive.size or float(np.median(positive)) < _CROWDED:
        return SCALE
    largest = min(float(positive.max()), 1.0)
    power = 10.0 ** math.floor(math.log10(largest))
    high = next(power * step for step in _ROUND if power * step >= largest * (1 - 1e-9))
    ends = high / _RANGE, high
    low, top = ((end, f"1 in {round(1 / end):,}") for end in ends)
    return Scale(*ends, (low, top))


def nobody_below(people: int) -> float:
    """Share that is less than half a person, and too small for the scale to show."""
    return min(0.5 / people, SCALE.low)


SMALLEST: Final = 1e-12
"""Shares nearer to 0 are nobody; shares beyond 1 are shown as 1."""
_SIGN: Final = 0x8000
_TOP: Final = 0x7FFF
_DEGREE: Final = 1000
"""Lines are rounded to a thousandth of a degree."""
_GAP: Final = -(2**31)
_EFFORT: Final = 4
"""Of zlib: a third of the time of its usual 6, for at most 3 % more bytes."""
_COLOUR: Final = 40
"""Codes to a colour; the common scale has 43 to each."""
_BY_COLOUR: Final = 30
"""People up to whom a colour is told apart more finely than by a person."""
_BY_DIGITS: Final = 1000
"""People from whom on three digits are shown."""
_DIGITS: Final = 2
_ERRORS: Final = 32
"""Codes to a step of standard errors: 2.7 %."""


@dataclass(frozen=True)
class Blob:
    """Bytes for the browser; `name`: 16 hexadecimal digits of their hash, `packed`: deflated."""

    name: str
    packed: bytes


def _blob(raw: bytes) -> Blob:
    return Blob(hashlib.blake2b(raw, digest_size=8).hexdigest(), zlib.compress(raw, _EFFORT))


def codes(shares: Floats) -> NDArray[np.uint16]:
    """(k,) 16-bit codes of (k,) shares in [−1, 1]: a sign bit and 15 bits on a log scale.

    0 is nobody, 1 … 32767 are 1e-12 … 1. The relative error is below 4.3e-4.
    """
    size = np.abs(np.asarray(shares, dtype=np.float64))
    with np.errstate(divide="ignore"):
        place = 1 - np.log(size / SMALLEST) / np.log(SMALLEST) * (_TOP - 1)
    code = np.where(size >= SMALLEST, np.clip(np.rint(place), 1, _TOP), 0)
    return np.where((shares < 0) & (code > 0), code + _SIGN, code).astype(np.uint16)


def values(code: NDArray[np.uint16]) -> Floats:
    """(k,) shares that the browser reads from (k,) codes."""
    size = code & _TOP
    share = SMALLEST ** (1 - (size.astype(np.float64) - 1) / (_TOP - 1))
    signed = np.where(code & _SIGN, -share, share)
    return np.asarray(np.where(size > 0, signed, 0.0), np.float64)


def people_codes(shares: Floats, people: int) -> NDArray[np.uint16]:
    """(k,) codes of shares of so many people, no finer than a map shows them.

    What is finer is noise, of which most of a picture's bytes would be. A map shows colours, whole
    people below a thousand, and three digits above. What it takes for nobody is 0.
    """
    number = np.abs(shares) * people
    whole = (number >= _BY_COLOUR) & (number < _BY_DIGITS)
    exact = codes(np.where(whole, np.rint(shares * people) / people, shares))
    step = np.where(number < _BY_DIGITS, np.where(whole, 1, _COLOUR), _DIGITS)
    nobody = (np.abs(shares) < nobody_below(people)) | (exact == 0)
    return np.where(nobody, 0, _to_steps(exact & _TOP, step) | exact & _SIGN).astype(np.uint16)


def _to_steps(size: NDArray[np.integer[Any]], step: Ints | int) -> Ints:
    """The nearest codes of whole steps; 0 for 0 alone."""
    nearest = (size.astype(np.int64) + np.asarray(step) // 2) // step * step
    return np.where(size > 0, np.clip(nearest, 1, _TOP), 0)


def encode(shares: Floats) -> Blob:
    """Encode (k,) shares in [−1, 1], one per cell."""
    return _blob(codes(shares).astype("<u2").tobytes())


def encode_people(shares: Floats, people: int) -> Blob:
    """Encode (k,) shares of so many people, as finely as maps show them."""
    return _blob(people_codes(shares, people).astype("<u2").tobytes())


def encode_errors(errors: Floats) -> Blob:
    """Encode (k,) standard errors of shares, to 1.4 %."""
    return _blob(_to_steps(codes(errors), _ERRORS).astype("<u2").tobytes())


def encode_levels(levels: Levels) -> Blob:
    """Encode (k,) pooling levels of cells: j for squares of 2^j × 2^j cells."""
    return _blob(levels.tobytes())


def encode_labels(labels: Ints) -> Blob:
    """Encode (k,) numbers of the cells' blocks, below 2^32."""
    return _blob(np.asarray(labels).astype("<u4").tobytes())


def encode_mask(mask: Bools) -> Blob:
    """Encode (k,) True for the cells of a set."""
    return _blob(np.packbits(mask, bitorder="little").tobytes())


def encode_lines(longitudes: Floats, latitudes: Floats) -> Blob:
    """Encode lines as (points,) degrees, NaN between one and the next; rounded to 0.001°."""
    points = np.stack([longitudes, latitudes], axis=1) * _DEGREE
    return _blob(np.where(np.isnan(points), _GAP, np.rint(points)).astype("<i4").tobytes())


def encode_rows(rows: Iterable[Sequence[object]]) -> Blob:
    """Encode rows of texts and numbers, such as the names of blocks or cities."""
    return _blob(_text([list(row) for row in rows]))


def pack_message(meta: Mapping[str, Any], blobs: Iterable[Blob]) -> bytes:
    """Pack one message: the length of a JSON head, the head, then the blobs, each once."""
    unique = {blob.name: blob.packed for blob in blobs}
    sizes = [[name, len(packed)] for name, packed in unique.items()]
    head = _text({**meta, "blobs": sizes})
    return len(head).to_bytes(4, "little") + head + b"".join(unique.values())


def _text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def parse_runs(text: str, k: int) -> Bools:
    """(k,) True for the cells of "first+count,first+count"; what does not fit is left out."""
    mask = np.zeros(k, np.bool_)
    for run in filter(None, text.split(",")):
        first, _, count = run.partition("+")
        if first.isdecimal() and count.isdecimal():
            mask[int(first) : int(first) + int(count)] = True
    return mask
