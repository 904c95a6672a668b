"""The protocols of this room. Read this first.

A *mechanism* is a channel Q(y|x) on the whole domain, with its estimator. Every mechanism for a
context is a `ContextMechanism` (contextual.py). It runs one *frequency oracle* per block on that
block's hidden symbols, all of one family: its `FrequencyOracles`. A new family is one small file
with one such class, and then runs in plain LDP, with sensitive sets, with blocks and with both.

The *rank* of a hidden symbol is its number, 0 … s−1, counted block after block.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caldp_core.basics.types import Floats, Ints, Reports, Seed, Words, WordSource
from caldp_core.mechanisms.tally import Tally
from caldp_core.privacy.context import PrivacyMatrix


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
        """Sum (n,) reports; raises `CaldpError` on a report that the mechanism cannot send."""
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
        """Number of different reports of all blocks; 10^18 stands for all larger numbers."""
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
        """E[Z²] over the oracles' reports, Z what one of them adds to n·Σ w_x p̂_x.

        `weights`, `p`: (s,); `block_p`: (m,) shares of whole blocks.
        """
        ...

    def channel(self, block: int) -> tuple[int, Ints, int]:
        """First column, (s_j + 1, columns) numerators (last row: base), and their denominator."""
        ...


Family: TypeAlias = Callable[[Ints, Floats], FrequencyOracles]
"""(m,) hidden symbols per block and (m,) ε → the oracles."""
