"""Optional capabilities of a mechanism beyond `Mechanism`, and defaults where it has none.

A mechanism offers by having the methods, whatever its class; runs, estimators, forecasts and pages
ask the functions below.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.base import CraftableOracles, Mechanism, Tally
from caldp_core.mechanisms.oracles.supports import SupportProbabilities
from caldp_core.mechanisms.structures import ChannelProducts, HasPreProcessing


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
        """Products with the channel; None where the tally is no histogram."""


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
    """The tally of one report as counts of supports; None where reports are no sets of symbols."""
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


@runtime_checkable
class HasCraftableOracles(HasClearCounts, Protocol):
    """The effect of a report that is chosen instead of drawn is known."""

    def craftable(self) -> CraftableOracles | None:
        """The oracles that can craft reports; None where they cannot."""


@dataclass(frozen=True, eq=False)
class Craftable:
    """A mechanism whose reports somebody may choose.

    `oracles`: for the hidden symbols of `symbol_partition`; `blocks`: (k,) labels.
    """

    oracles: CraftableOracles
    symbol_partition: SymbolPartition
    blocks: Ints


def craftable(mechanism: Mechanism) -> Craftable | None:
    """The oracles that craft reports for this mechanism; None where it has none."""
    if not isinstance(mechanism, HasCraftableOracles):
        return None
    oracles = mechanism.craftable()
    return (
        None
        if oracles is None
        else Craftable(oracles, mechanism.symbol_partition, mechanism.blocks)
    )
