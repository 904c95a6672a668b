"""Optional capabilities of a mechanism, and statements of mechanisms on their channels.

A mechanism offers by having the methods, whatever its class; runs, estimators, forecasts and pages
ask the functions below.

An audit believes none of the statements (`audit/blockwise.py`).
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
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats, Ints, Words
from caldp_core.mechanisms.base import Mechanism, Tally
from caldp_core.mechanisms.oracles.supports import SupportProbabilities
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
class HasJointSupports(Protocol):
    """Oracles of the form of `SupportForm` that state how the symbols of a base report overlap."""

    @property
    def probabilities(self) -> SupportProbabilities:
        """What a report of each block includes."""

    def none_included(self, block: int, ranks: Ints) -> Floats:
        """(r + 1,) chance that a base report includes none of the first 0, 1, … r of (r,) ranks."""


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


def people_max(mechanism: Mechanism) -> int:
    """Most people whose tally can be sampled: 10^12 unless the mechanism has a limit."""
    return int(getattr(mechanism, "n_max", N_MAX))


def report_bits(mechanism: Mechanism) -> int:
    """Bits that the longest report needs: those of its number unless the mechanism says so."""
    by_number = max(1, (mechanism.outputs - 1).bit_length())
    return int(getattr(mechanism, "report_bits", by_number))


@runtime_checkable
class HasVisibleBlocks(Protocol):
    """Blocks that no report hides: how many people each holds is known exactly."""

    @property
    def blocks(self) -> Ints:
        """(k,) labels in [0, m)."""

    def block_counts(self, tally: Tally) -> Ints:
        """(m,) people per block."""


def block_totals(mechanism: Mechanism, tally: Tally) -> tuple[Ints, Ints]:
    """(k,) labels and (m,) people per block: one block of everybody if it shows none."""
    if isinstance(mechanism, HasVisibleBlocks):
        return mechanism.blocks, mechanism.block_counts(tally)
    return np.zeros(mechanism.k, np.int64), np.array([tally.n])


@dataclass(frozen=True, eq=False)
class SymbolPartition:
    """Which symbols are hidden, and how often the others are reported in the clear.

    `hidden`, `clear`: symbols, (s,) and (k − s,), the hidden ones block after block. `sizes`: (m,)
    hidden symbols per block. `clear_share`: (m,) chance that a report of another symbol names it.
    """

    hidden: Ints
    clear: Ints
    sizes: Ints
    clear_share: Floats


@runtime_checkable
class HasSymbolPartition(HasVisibleBlocks, Protocol):
    """Only some symbols are hidden; the others name themselves or lend cover, block by block."""

    @property
    def symbol_partition(self) -> SymbolPartition:
        """Hidden symbols, block after block, and the others."""


@runtime_checkable
class HasClearCounts(HasSymbolPartition, Protocol):
    """The tally counts the reports that name each symbol that is not hidden."""

    def clear_counts(self, tally: Tally) -> Ints:
        """(k − s,) reports that name each symbol that is not hidden."""


def symbol_partition_of(mechanism: Mechanism) -> SymbolPartition:
    """The mechanism's partition; by default every symbol is hidden, in one block."""
    if isinstance(mechanism, HasSymbolPartition):
        return mechanism.symbol_partition
    every, none = np.arange(mechanism.k), np.zeros(0, np.int64)
    return SymbolPartition(every, none, np.array([mechanism.k]), np.ones(1))


@runtime_checkable
class ReportsSymbols(Protocol):
    """Reports are symbols of the domain themselves, so that a report lies somewhere."""

    def law_of(self, x: int) -> Floats:
        """(k,) probabilities of the reports of a person at x."""


@runtime_checkable
class HasChannelProducts(Protocol):
    """The tally is the histogram of reports, and its channel can be multiplied with vectors."""

    def channel_products(self) -> ChannelProducts | None:
        """Products with the channel; None if the tally is not a histogram."""


def channel_products(mechanism: Mechanism) -> ChannelProducts | None:
    """Products with the channel; None where the mechanism offers none."""
    return mechanism.channel_products() if isinstance(mechanism, HasChannelProducts) else None


@dataclass(frozen=True, eq=False)
class SupportTally:
    """A tally of reports that include symbols (`oracles/supports.py`).

    `probabilities`: of what a report includes. `included`: (s,) reports with each hidden symbol;
    `sent`: (m,) reports of each block's oracle; `named`: (k − s,) reports in the clear.
    """

    probabilities: SupportProbabilities
    included: Ints
    sent: Ints
    named: Ints


@runtime_checkable
class HasSupportTally(HasClearCounts, Protocol):
    """The tally counts the reports that include each symbol."""

    def support_tally(self, tally: Tally) -> SupportTally | None:
        """The tally as counts of supports; None where it holds no such counts."""


def support_tally(mechanism: Mechanism, tally: Tally) -> SupportTally | None:
    """The tally as counts of supports; None where it is none."""
    return mechanism.support_tally(tally) if isinstance(mechanism, HasSupportTally) else None


def one_report(mechanism: Mechanism, report: Tally) -> SupportTally | None:
    """The tally of one report as counts of supports; None if reports are not sets of symbols."""
    if hasattr(mechanism, "one_report"):  # where the whole tally can't be read so
        supports: SupportTally = mechanism.one_report(report)
        return supports
    return support_tally(mechanism, report)


@runtime_checkable
class AddsTags(HasPreProcessing, Protocol):
    """Devices report tags in the place of people's own symbols: k … k+κ−1 of another mechanism."""

    def shares_with_tags(self, p: Floats) -> Floats:
        """(k,) shares of symbols → (k + κ,) after the devices put in tags."""

    def without_tags(self, chances: Floats, p: Floats) -> Floats:
        """(k + κ,) chances of symbols and tags → (k,) of symbols, for people from p: (k,)."""

    def mean_over_tags(self, values: Floats) -> Floats:
        """(k + κ,) values → (k,) their mean over what devices put in the place of each symbol."""
