"""The answers to a question: k symbols, with their names and groups.

Cells of a map are in `grid.py`, blocks of symbols in `partitions.py`, secrecy in `privacy/`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import (
    CaldpError,
    as_array,
    check_k,
    check_list,
    require,
)
from caldp_core.basics.types import Bools, Ints

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
