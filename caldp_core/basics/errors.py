"""Sentences for people: errors with argument, rule, value and what to do; counts with their noun.

Every other module raises through here.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caldp_core.basics import limits
from caldp_core.basics.types import Floats, Ints


def count_text(number: int | str, one: str, many: str) -> str:
    """A number of things: "1 block", "875 blocks". `number`: written already, or written here."""
    text = number if isinstance(number, str) else f"{number:,}"
    return f"{text} {one if text == '1' else many}"


SENTENCE_MAX: Final = 1_000
"""Most characters of an error's sentence, odd signs as one each."""
DIRECTION_MARKS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Unicode's marks of direction (UAX 9), within a pattern: with them a name reads as another."""
_LINES: Final = re.compile(r"\s*\n\s*")
_WORD: Final = re.compile(r"\S{201,}")
_WORD_KEPT: Final = 40
_SPOILS: Final = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff{DIRECTION_MARKS}]")
_EPSILON_RULE: Final = f"must be in [{limits.EPSILON_MIN}, {limits.EPSILON_MAX:g}]"


class CaldpError(ValueError):
    """Input that can't be used; its text is one sentence that says what to change.

    However long and odd the input is that it quotes, the sentence can be read: see `make_readable`.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(make_readable(sentence))


class Cancelled(Exception):
    """Raised by a progress callback to stop long work."""


def make_readable(sentence: str) -> str:
    """The sentence without what would spoil its display, and of bounded length.

    It is one line, whatever it quotes. Marks that turn the direction of writing, controls and
    halves of characters are written out as in code; of a word of more than 200 characters the
    beginning stays, of more than 1,000 characters in all the beginning and the end.
    """
    short = _WORD.sub(_cut, _LINES.sub(" ", sentence))
    if len(short) > SENTENCE_MAX:
        short = f"{short[: SENTENCE_MAX - 301]}…{short[-300:]}"
    return _SPOILS.sub(lambda sign: ascii(sign[0])[1:-1], short)


def _cut(word: re.Match[str]) -> str:
    """The beginning of a word, and the signs at its end that belong to the sentence."""
    end = len(word[0].rstrip(".;,:)]}'\"”"))
    return f"{word[0][:_WORD_KEPT]}…{word[0][end:][-3:]}"


def require(holds: bool, sentence: str) -> None:
    """Raise `CaldpError(sentence)` unless `holds`."""
    if not holds:
        raise CaldpError(sentence)


def quoted(text: object) -> str:
    """A name in quotation marks as a reader knows it; what acts on a terminal becomes "�"."""
    return (
        "'"
        + "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in str(text))
        + "'"
    )


def excerpt(text: object) -> str:
    """The first 40 characters of a text, quoted for an error message."""
    full = str(text)
    return quoted(full if len(full) <= 40 else f"{full[:40]}…")


def require_exact(entries: int, advice: str) -> None:
    """Raise `CaldpError` if a channel in rationals may not have this number of entries."""
    require(
        entries <= limits.EXACT_MAX_ENTRIES,
        f"A channel in rationals may have at most {limits.EXACT_MAX_ENTRIES:,} entries, this one "
        f"would have {entries:,}; {advice}.",
    )


def check_choice(name: str, value: object, allowed: Iterable[object]) -> None:
    """Raise `CaldpError`, with all that is `allowed`, for a value that is none of them."""
    known = list(allowed)
    if value not in known:
        one_of = ", ".join(map(str, known))
        raise CaldpError(f"{name} must be one of {one_of}, got {value!r}.")


def check_whole(name: str, value: object, low: int, high: int) -> int:
    """Return `value` as an int in [low, high], or raise `CaldpError`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not low <= int(value) <= high:  # type: ignore[call-overload]
        raise CaldpError(f"{name} must be a whole number in [{low:,}, {high:,}], got {value!r}.")
    return int(value)  # type: ignore[call-overload, no-any-return]


def check_n(value: object) -> int:
    """Return a number of people in [1, 10^12], or raise `CaldpError`."""
    return check_whole("n", value, limits.N_MIN, limits.N_MAX)


def check_k(value: object) -> int:
    """Return a domain size in [1, 2^20], or raise `CaldpError`."""
    return check_whole("k", value, limits.K_MIN, limits.K_MAX)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def check_number(name: str, value: object, low: float, high: float) -> float:
    """Return `value` as a float in [low, high], or raise `CaldpError`."""
    if not _is_number(value) or not low <= value <= high:  # type: ignore[operator]
        ends = ", ".join(map(_write_exactly, (low, high)))
        raise CaldpError(f"{name} must be a number in [{ends}], got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _write_exactly(number: float) -> str:
    """The number as short as can be: rounded, an end such as 1 − 10⁻¹² is one that is refused."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def check_epsilon(value: ArrayLike) -> Floats:
    """Return one ε or several as floats in [0.001, 20] of the same shape, or raise.

    Texts and booleans are not numbers, though NumPy converts them.
    """
    try:
        epsilon = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CaldpError(f"epsilon {_EPSILON_RULE}, got {value!r}.") from None
    array = value if isinstance(value, np.ndarray) else np.array(value, dtype=object)
    if array.dtype.kind not in "iufO" or (
        array.dtype.kind == "O" and not all(map(_is_number, array.flat))
    ):
        raise CaldpError(f"epsilon {_EPSILON_RULE}, got {value!r}.")
    wrong = ~((epsilon >= limits.EPSILON_MIN) & (epsilon <= limits.EPSILON_MAX))
    if wrong.any():
        raise CaldpError(f"epsilon {_EPSILON_RULE}, got {float(epsilon[wrong].flat[0])!r}.")
    return epsilon


def as_array(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return `value` as an array; raise `CaldpError` for unequal lists and for masked entries."""
    require(
        not np.ma.is_masked(value),
        f"{name} must have no masked entries, which would count as what is below the mask; leave "
        "them out.",
    )
    try:
        return np.asarray(value)
    except ValueError:
        raise CaldpError(
            f"{name} must be one list of values, got lists of different lengths in each other."
        ) from None


def check_type(name: str, value: object, expected: type, advice: str) -> None:
    """Raise `CaldpError` unless `value` is of that class; `advice` says how to come by one."""
    if not isinstance(value, expected):
        raise CaldpError(
            f"{name} must be a {expected.__name__}, got one of type {type(value).__name__}; "
            f"{advice}."
        )


def check_floats(name: str, value: ArrayLike, size: int) -> Floats:
    """Return (size,) finite numbers as floats, or raise `CaldpError`."""
    numbers = as_array(name, value)
    require(
        numbers.shape == (size,) and numbers.dtype.kind in "iuf",
        f"{name} must be {count_text(size, 'number', 'numbers')}, got shape "
        f"{numbers.shape} of {numbers.dtype}.",
    )
    wrong = ~np.isfinite(numbers)
    require(not wrong.any(), f"{name} must hold finite numbers, got {numbers[wrong][:1].tolist()}.")
    return numbers.astype(np.float64, copy=False)


def check_distribution(name: str, value: ArrayLike, size: int, within: float = 1e-6) -> Floats:
    """Return (size,) shares ≥ 0, whose sum is 1 to `within`, as floats, or raise `CaldpError`."""
    shares = check_floats(name, value, size)
    require(
        bool((shares >= 0).all()) and abs(float(shares.sum()) - 1.0) <= within,
        f"{name} must be shares of people, none negative, that sum to 1, got a sum of "
        f"{float(shares.sum()):g} and a least one of {float(shares.min()):g}.",
    )
    return shares


def check_list(name: str, value: Iterable[Any]) -> list[Any]:
    """Return what is in a list, series or the like, or raise for one text and for no list."""
    if not isinstance(value, str | bytes):
        try:
            return list(value)
        except TypeError:  # also of an array without dimensions, which has the method
            pass
    got = "one text" if isinstance(value, str) else f"one of type {type(value).__name__}"
    raise CaldpError(f"{name} must be a list, got {got}.")


def _whole(array: NDArray[Any]) -> NDArray[Any]:
    """Floats that are all whole, as pandas and files often have them, as int64; others as given."""
    if array.dtype.kind != "f" or not array.size:
        return array
    with np.errstate(invalid="ignore"):
        is_whole = (array == np.rint(array)) & (np.abs(array) < 2.0**53)
    return array.astype(np.int64) if is_whole.all() else array


def check_symbols(name: str, value: ArrayLike, k: int) -> Ints:
    """Return (n,) symbols in [0, k) as int64, or raise `CaldpError` naming the first bad one."""
    symbols = _whole(as_array(name, value))
    require(
        symbols.ndim == 1 and (symbols.size == 0 or symbols.dtype.kind in "iu"),
        f"{name} must be a one-dimensional array of whole numbers, "
        f"got shape {symbols.shape} of {symbols.dtype}.",
    )
    if symbols.size and not (int(symbols.min()) >= 0 and int(symbols.max()) < k):
        bad = int(symbols[(symbols < 0) | (symbols >= k)][0])
        raise CaldpError(f"{name} must hold symbols in [0, {k - 1}], got {bad}.")
    return symbols.astype(np.int64, copy=False)


def check_counts(name: str, value: ArrayLike, size: int) -> Ints:
    """Return (size,) whole counts ≥ 0 of at most 10^12 people in all as int64, or raise."""
    counts = _whole(as_array(name, value))
    require(
        counts.shape == (size,) and counts.dtype.kind in "iu",
        f"{name} must be an array of {count_text(size, 'whole number', 'whole numbers')}, "
        f"got shape {counts.shape} of {counts.dtype}.",
    )
    require(counts.size == 0 or int(counts.min()) >= 0, f"{name} must not be negative.")
    # Each alone first: the sum of larger ones might not fit, nor they into int64.
    largest = int(counts.max(initial=0))
    if largest <= limits.N_MAX:
        counts = counts.astype(np.int64, copy=False)
        largest = int(counts.sum())
    require(
        largest <= limits.N_MAX,
        f"{name} must add up to at most {limits.N_MAX:,} people, got {largest:,} or more.",
    )
    return counts
