"""The answers to a question: k symbols, with their names, groups, and numbers or ranges of them.

Cells of a map are in `grid.py`, blocks of symbols in `partitions.py`, secrecy in `privacy/`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import CaldpError, as_array, check_k, check_list, require
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.domain.grid import GridDomain

_NAMES_LISTED: Final = 5
"""Most names of a domain that an error lists."""


@dataclass(frozen=True)
class Domain:
    """The symbols {0, …, k−1} of a question without a map.

    `names`: what readers call each symbol; `groups`: the group that each is in, such as the topic
    of a web page. Both hold k texts, or none where symbols are mere numbers.
    """

    k: int
    names: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_k(self.k)
        for field in ("names", "groups"):
            texts = getattr(self, field)
            odd = [text for text in texts if not isinstance(text, str)]
            require(not odd, f"{field} must be texts, got {odd[:1]}.")
            require(
                len(texts) in (0, self.k),
                f"{field} must be one text for each of the {self.k} values, got {len(texts)}.",
            )
        require(len(set(self.names)) == len(self.names), "names must differ from each other.")

    @classmethod
    def of(cls, names: Iterable[str], groups: Iterable[str] = ()) -> "Domain":
        """The domain of these texts in their order, such as `Domain.of(["yes", "no"])`.

        `groups`: the group of each, or none, as `Context.of` takes `blocks`. A pandas
        Series of texts will do. Raises `CaldpError` for texts that are there twice.
        """
        texts = tuple(check_list("names", names))
        return cls(len(texts), texts, tuple(check_list("groups", groups)))

    def name_of(self, symbol: int) -> str:
        """What readers call a symbol; counted from 1 where it has no name."""
        return self.names[symbol] if self.names else f"value {symbol + 1:,}"

    def symbols(self, answers: Iterable[object]) -> Ints:
        """(n,) names, such as a pandas Series of texts → (n,) symbols in [0, k).

        Raises `CaldpError` with the first answer that is no name, a missing one among them.
        """
        given = check_list("answers", answers)
        numbers = {name: i for i, name in enumerate(self.names)}
        symbols = [numbers.get(each, -1) if isinstance(each, str) else -1 for each in given]
        if -1 in symbols:
            place = symbols.index(-1)
            known = ", ".join(self.names[:_NAMES_LISTED]) + ", …" * (self.k > _NAMES_LISTED)
            raise CaldpError(
                f"answers must be names of this domain ({known}), got {given[place]!r} at place "
                f"{place:,}; leave such people out, or give the domain a name for them."
            )
        return np.array(symbols, np.int64)

    def mask(self, names: Iterable[str]) -> Bools:
        """(k,) True at these names, as `Context.of` takes `sensitive`; raises as `symbols` does."""
        flags = np.zeros(self.k, np.bool_)
        flags[self.symbols(names)] = True
        return flags

    def labelled(self, values: ArrayLike) -> dict[str, Any]:
        """(k,) values by name, in order: a pandas Series can be made of it, or a table's column.

        Raises `CaldpError` for another number of values.
        """
        array = as_array("values", values)
        require(array.shape == (self.k,), f"values must be {self.k:,}, got shape {array.shape}.")
        return {self.name_of(i): value for i, value in enumerate(array.tolist())}


_NUMBER: Final = r"(-?\d[\d,]*(?:\.\d+)?)"
_ANSWER: Final = re.compile(rf"{_NUMBER}(?:(?: to under | to |–|-){_NUMBER})?")
_NUMBERS_MIN: Final = 3
"""Fewer numbers are codes, such as 1 for yes and 2 for no."""


def bin_name(number: int, width: float, whole: bool, start: float = 0.0) -> str:
    """The name of the bin of numbers that begins at start + `number`·width.

    `whole`: all numbers are whole ones.
    """
    low, high = start + number * width, start + (number + 1) * width
    if not whole or width != int(width) or start != int(start):
        return f"{low:,.10g} to under {high:,.10g}"
    return f"{low:,.10g}" if width == 1 else f"{low:,.10g} to {high - 1:,.10g}"


def is_scale(domain: Domain | GridDomain) -> bool:
    """Whether the values of a domain are numbers that rise, see `scale_of`."""
    return isinstance(domain, Domain) and scale_of(domain.names) is not None


def scale_of(names: Sequence[str]) -> Floats | None:
    """(k,) the number that each answer stands for, of a range its middle; they rise.

    None where an answer is not a number, where they do not rise, or for fewer than three.
    """
    matches = [_ANSWER.fullmatch(name) for name in names]
    if len(names) < _NUMBERS_MIN or None in matches:
        return None
    ends = [
        [float(end.replace(",", "")) for end in each.groups() if end] for each in matches if each
    ]
    middles = np.array([sum(each) / len(each) for each in ends])
    return read_only(middles) if bool((np.diff(middles) > 0).all()) else None
