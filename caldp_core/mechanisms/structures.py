"""Statements of mechanisms and oracles on their channels, and products of vectors with them.

An audit believes none of them (`audit/blockwise.py`). Other capabilities are in `capabilities.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Ints, Words
from caldp_core.privacy.context import Context

if TYPE_CHECKING:
    from caldp_core.mechanisms.base import FrequencyOracles, Mechanism


@dataclass(frozen=True, eq=False)
class ChannelRows:
    """Some rows of a block's channel whose entries take few values.

    `first`: the channel's column of the first entry. `codes`: (rows, columns) unsigned, an entry
    is values[code]/denominator. `values`: whole numerators of any size in ascending order, so
    that the larger code is the larger probability.
    """

    first: int
    codes: NDArray[np.unsignedinteger[Any]]
    values: tuple[int, ...]
    denominator: int


@dataclass(frozen=True, eq=False)
class BlockStructure:
    """A channel whose blocks are kept apart, each with one oracle for its hidden symbols.

    A report of a hidden symbol is its block's oracle's. Another symbol of block j sends, with
    probability λ_j, one from the oracle's base distribution, and else one that no hidden symbol
    sends. `hidden`: (s,) symbols, block after block; `sizes`: (m,) how many of each.
    """

    policy: Context
    oracles: "FrequencyOracles"
    hidden: Ints
    sizes: Ints


@runtime_checkable
class HasBlockStructure(Protocol):
    """Mechanisms for contexts that state their blocks, to be audited at any size."""

    def block_structure(self) -> BlockStructure:
        """The blocks with their oracles and hidden symbols."""


@runtime_checkable
class HasAxisChannels(Protocol):
    """Mechanisms on maps that report rows and columns independently."""

    def axis_channels(self) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
        """Channels of rows and of columns, in rationals; symbol = row·columns + column."""


@runtime_checkable
class HasSmallTwin(Protocol):
    """Mechanisms that are made on a large map as they are on a small one."""

    def small_twin(self) -> "Mechanism":
        """The same mechanism on so small a map that its channel can be written out."""


@runtime_checkable
class HasPreProcessing(Protocol):
    """Mechanisms whose devices put in other symbols, then run another mechanism."""

    def after_pre_processing(self) -> "Mechanism":
        """The mechanism that makes the reports, on its own domain, with its own policy."""


@runtime_checkable
class HasChannelRows(Protocol):
    """Oracles that give the channel of a large block a few rows at a time."""

    def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
        """Rows start … stop−1 of `channel`; row s_j is the base distribution."""


@runtime_checkable
class HasDeviceNumbers(Protocol):
    """Oracles that give the whole numbers that a device draws its report with."""

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """Name → (m,) whole numbers of the blocks, besides `cover_threshold`; docs/reports.md."""


@dataclass(frozen=True)
class SupportForm:
    """The form of a channel whose reports are sets of hidden symbols (`oracles/supports.py`).

    Q(y|x) = base(y)·`included` where the report y includes x, else base(y)·`excluded`. `share`:
    probability that a report from the base distribution includes x, the same for every x.
    """

    included: Fraction
    excluded: Fraction
    share: Fraction


@runtime_checkable
class HasSupportForm(Protocol):
    """Oracles that give the form of a channel that has too many entries to read."""

    def support_form(self, block: int) -> SupportForm:
        """The form of a block's channel, exact for the coins as rounded; it has hidden symbols."""


@runtime_checkable
class HasExchangeableSupports(HasSupportForm, Protocol):
    """Oracles of such a form whose base reports treat all sets of symbols of a size equally."""

    def none_included(self, block: int) -> Floats:
        """(s_j + 1,) chance that a base report includes none of 0, 1, … s_j given symbols."""


_CONDITION_MAX: Final = 1e10
"""A channel of larger condition leaves an inverse fewer than six right digits."""


class ChannelProducts(Protocol):
    """Products of vectors with a channel Q of k rows and `outputs` columns."""

    def apply(self, p: Floats, /) -> Floats:
        """p·Q: (k,) shares → (outputs,) distribution of the reports."""

    def apply_transpose(self, weights: Floats, /) -> Floats:
        """Q·w: (outputs,) weights of reports → (k,) their mean over each symbol's reports."""


class InvertibleProducts(ChannelProducts, Protocol):
    """Products of vectors with a (k, k) channel and with its inverse.

    The last three raise `CaldpError` where Q has no inverse, or floats cannot find it.
    """

    def inverse(self, reports: Floats, /) -> Floats:
        """reports·Q⁻¹: (k,) shares of reports → (k,) unbiased shares of symbols."""

    def score(self, weights: Floats, /) -> Floats:
        """Q⁻¹·w: (k,) weights → (k,) what a report of each symbol adds to n·Σ w_x p̂_x."""

    def inverse_squared(self, reports: Floats, /) -> Floats:
        """(k,) distribution of the reports → (k,) Σ_y reports_y·(Q⁻¹[y, x])²."""


def checked_inverse(channel: Floats) -> Floats:
    """(k, k) Q⁻¹; raises `CaldpError` where there is none, or floats can't find it."""
    try:
        inverse = np.linalg.inv(channel)
        norms = [float(np.linalg.norm(each, 1)) for each in (channel, inverse)]
    except np.linalg.LinAlgError:
        norms = [np.inf]
    require(
        prod(norms) < _CONDITION_MAX,
        "This channel gives (nearly) the same reports for different shares, so shares "
        "can't be estimated; choose a larger epsilon or merge symbols.",
    )
    return np.asarray(inverse)


class DenseProducts:
    """Products with a channel that is written out: (k, outputs), row = true symbol.

    `invert`: the channel → (outputs, k), by which reports are estimated; Q⁻¹ needs outputs = k.
    """

    def __init__(
        self, channel: Floats, invert: Callable[[Floats], Floats] = checked_inverse
    ) -> None:
        self.channel, self._invert = channel, invert

    @cached_property
    def _inverse(self) -> Floats:
        return self._invert(self.channel)

    def apply(self, p: Floats, /) -> Floats:
        """See `ChannelProducts`."""
        return np.asarray(p @ self.channel)

    def apply_transpose(self, weights: Floats, /) -> Floats:
        """See `ChannelProducts`."""
        return np.asarray(self.channel @ weights)

    def inverse(self, reports: Floats, /) -> Floats:
        """See `InvertibleProducts`."""
        return np.asarray(reports @ self._inverse)

    def score(self, weights: Floats, /) -> Floats:
        """See `InvertibleProducts`."""
        return np.asarray(self._inverse @ weights)

    def inverse_squared(self, reports: Floats, /) -> Floats:
        """See `InvertibleProducts`."""
        return np.asarray(reports @ self._inverse**2)
