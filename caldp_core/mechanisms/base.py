"""The protocols of this room. Read this first.

A *mechanism* is a channel Q(y|x) on the whole domain, with its estimator. Every mechanism for a
context is a `ContextMechanism` (contextual.py). It runs one *frequency oracle* per block on that
block's hidden symbols, all of one family: its `FrequencyOracles`. A new family is one small file
with one such class, and then runs in plain LDP, with sensitive sets, with blocks and with both.

The *rank* of a hidden symbol is its number, 0 … s−1, counted block after block.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caldp_core.basics.errors import (
    CaldpError,
    check_counts,
    check_kind,
    check_whole,
    require,
)
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats, Ints, Reports, Seed, Words, WordSource
from caldp_core.privacy.context import Context, PrivacyMatrix

FORMAT: Final = 1
"""Of a tally as text."""


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """The sum of n reports: all that the server needs. Tallies of one mechanism can be added.

    `counts`: (entries,) int64. `fingerprint`: digest of the mechanism that made the reports.
    """

    counts: Ints
    n: int
    fingerprint: str

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        if self.fingerprint != other.fingerprint:
            raise CaldpError(
                "Tallies of different mechanisms cannot be added: their fingerprints are "
                f"{self.fingerprint[:12]} and {other.fingerprint[:12]}; estimate each by itself."
            )
        return Tally(self.counts + other.counts, self.n + other.n, self.fingerprint)

    def __radd__(self, other: object) -> "Tally":
        # So that `sum(tallies)`, which begins with 0, adds them up.
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return f"<Tally of {self.n:,} reports, {self.fingerprint[:12]}>"

    def to_json(self) -> str:
        """The tally as text, to be kept or sent; `from_json` reads it."""
        whole = {"fingerprint": self.fingerprint, "n": self.n, "counts": self.counts.tolist()}
        return json.dumps({"caldp_tally": FORMAT, **whole})

    @classmethod
    def from_json(cls, text: str) -> "Tally":
        """The tally of that text; raises `CaldpError` for one that `to_json` did not write."""
        try:
            told = json.loads(text)
            require(told["caldp_tally"] == FORMAT, "another format")
            require(isinstance(told["fingerprint"], str), "no fingerprint")
            n = check_whole("n", told["n"], 0, N_MAX)
            counts = check_counts("counts", told["counts"], len(told["counts"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise CaldpError(
                f"This is no tally of caldp ({error}); give the text that Tally.to_json wrote."
            ) from None
        return cls(counts, n, told["fingerprint"])


def check_tally(tally: Tally, fingerprint: str) -> None:
    """Raise `CaldpError` unless reports of the mechanism of that fingerprint are counted."""
    check_kind("tally", tally, Tally, "make one with tally(reports) of the mechanism")
    require(
        tally.fingerprint == fingerprint,
        "This tally was made by another mechanism; use the one that made the reports.",
    )
    require(tally.n > 0, "A tally of no reports says nothing; collect at least one report.")


class Mechanism(Protocol):
    """A channel and its unbiased estimator."""

    @property
    def k(self) -> int:
        """Domain size."""
        ...

    @property
    def policy(self) -> PrivacyMatrix:
        """The privacy matrix that it claims to keep; an audit checks the channel against it."""
        ...

    @property
    def outputs(self) -> int:
        """Number of different reports: the columns of the channel."""
        ...

    @property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        ...

    def privatize(self, x: ArrayLike, rng: Seed) -> Reports:
        """(n,) symbols → (n,) reports, one per user, with simulated randomness."""
        ...

    def client_report(self, x: int) -> Reports:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        ...

    def every_report(self) -> Reports:
        """(outputs,) all different reports in the order of the channel's columns."""
        ...

    def tally(self, reports: Reports) -> Tally:
        """Sum of reports."""
        ...

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        """Draw the tally of (k,) people per symbol, distributed as `tally(privatize(x))`.

        Its cost does not depend on n; where no such way is known, the class has a limit on n.
        """
        ...

    def estimate(self, tally: Tally) -> Floats:
        """(k,) unbiased estimate of the distribution; entries may be negative."""
        ...

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` over data drawn from p and the coins."""
        ...

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x, such as a region's share; `p`, `weights`: (k,)."""
        ...

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of output probabilities in rationals, for small domains."""
        ...


class FrequencyOracles(Protocol):
    """One family's frequency oracles of all blocks.

    `tally_size`: length of the oracles' part of a tally. `outputs`: how many different reports the
    oracles can send, the columns of the channel; 10^18 stands for all larger numbers. `dtype`: of
    one report. `cover_threshold`: (m,) whole thresholds N. A symbol of block j that is not hidden
    sends a report from the base distribution with probability λ_j = N_j/2^48, the least that
    covers the hidden ones: λ·base(y) ≥ e^{−ε}·max_x Q(y|x). `n_max`: most people whose tally can be
    sampled; less than 10^12 where the only known way is to draw the reports. A report in the clear
    names the place of a symbol among those that are not hidden, in a form that no oracle sends.
    """

    tally_size: int
    dtype: np.dtype[Any]
    cover_threshold: Words
    n_max: int

    @property
    def outputs(self) -> int:
        """See above."""
        ...

    @property
    def settings(self) -> tuple[NDArray[Any], ...]:
        """Whole numbers that, with the context and `cover_threshold`, determine the channel."""
        ...

    def privatize(self, rank: Ints, words: WordSource) -> Reports:
        """(n,) ranks of hidden symbols → (n,) reports."""
        ...

    def privatize_base(self, block: Ints, words: WordSource) -> Reports:
        """(n,) blocks → (n,) reports from the base distribution."""
        ...

    def clear_reports(self, place: Ints) -> Reports:
        """(n,) places among the symbols that are not hidden → (n,) reports that name them."""
        ...

    def tally(self, reports: Reports, clear: int) -> Ints:
        """(n,) reports → (tally_size + clear,) sums; `CaldpError` on a report that can't be."""
        ...

    def every_report(self, clear: int) -> Reports:
        """All different reports, in the order of the channel's columns, for small domains."""
        ...

    def report_bits(self, clear: int) -> int:
        """Bits that the longest report needs."""
        ...

    def sample_tally(self, counts: Ints, base: Ints, rng: np.random.Generator) -> Ints:
        """(s,) people per hidden symbol and (m,) base reports per block → (tally_size,) tally."""
        ...

    def block_counts(self, counts: Ints) -> Ints:
        """(m,) reports that came from each block's oracle."""
        ...

    def estimate(self, counts: Ints, block_counts: Ints, n: int) -> Floats:
        """(s,) unbiased shares of the hidden symbols; `block_counts`: all reports per block."""
        ...

    def variance(self, p: Floats, block_p: Floats, n: int) -> Floats:
        """(s,) exact variances; `p`: (s,) shares, `block_p`: (m,) shares of whole blocks."""
        ...

    def offset(self, weights: Floats) -> Floats:
        """(m,) what any report of a block adds to n·Σ w_x p̂_x; `weights`: (s,)."""
        ...

    def second_moment(self, weights: Floats, p: Floats, block_p: Floats) -> float:
        """E[Z²] over the oracles' reports, Z what one of them adds to n·Σ w_x p̂_x; see above."""
        ...

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """First column, (s_j + 1, columns) numerators (last row: base), and their denominator."""
        ...


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
    """What mechanisms for contexts state, so that they can be audited at any size."""

    def block_structure(self) -> BlockStructure:
        """See `BlockStructure`."""
        ...


@runtime_checkable
class MovesAlongAxes(Protocol):
    """What mechanisms on maps may state: rows and columns are reported independently."""

    def axis_channels(self) -> tuple[list[list[Fraction]], list[list[Fraction]]]:
        """Channels of rows and of columns, in rationals; symbol = row·columns + column."""
        ...


@runtime_checkable
class HasSmallTwin(Protocol):
    """What mechanisms may state: they are made on a large map as they are on a small one."""

    def small_twin(self) -> "Mechanism":
        """The same mechanism on so small a map that its channel can be written out."""
        ...


@runtime_checkable
class PreProcesses(Protocol):
    """What mechanisms may state: devices put in other symbols, then run another mechanism."""

    def after_pre_processing(self) -> "Mechanism":
        """The mechanism that makes the reports, on its own domain, with its own policy."""
        ...


@runtime_checkable
class StreamsRows(Protocol):
    """What oracles may also offer: the channel of a large block, a few rows at a time."""

    def channel_rows(self, block: int, start: int, stop: int) -> ChannelRows:
        """Rows start … stop−1 of what `channel` has; row s_j is the base distribution."""
        ...


@runtime_checkable
class RunsOnDevices(Protocol):
    """What oracles may also offer: the whole numbers that a device draws its report with."""

    @property
    def device_numbers(self) -> dict[str, Ints | Words]:
        """Name → (m,) whole numbers of the blocks, besides `cover_threshold`; docs/reports.md."""
        ...


Family: TypeAlias = Callable[[Ints, Floats], FrequencyOracles]
"""(m,) hidden symbols per block and (m,) ε → the oracles."""


def digest(*parts: str | NDArray[Any]) -> str:
    """Fingerprint of a mechanism: a digest of the texts and arrays that define it."""
    whole = hashlib.sha256()
    for part in parts:
        # Each part by its own digest, so that no two lists of parts run into one.
        if isinstance(part, str):
            whole.update(hashlib.sha256(b"text" + part.encode()).digest())
        else:
            form = f"array {part.dtype.str} {part.shape} "
            whole.update(hashlib.sha256(form.encode() + part.tobytes()).digest())
    return whole.hexdigest()
