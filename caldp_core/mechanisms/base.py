"""The protocols of this room. Read this first.

A *mechanism* is a channel Q(y|x) on the whole domain, with its estimator. Every mechanism for a
context is a `ContextMechanism` (contextual.py). It runs one *frequency oracle* per block on that
block's hidden symbols, all of one family: its `FrequencyOracles`. A new family is one small file
with one such class, and then runs in plain LDP, with sensitive sets, with blocks and with both.

The *rank* of a hidden symbol is its number, 0 … s−1, counted block after block.

A server cannot tell one chosen report from an honest one, as every report that an oracle accepts
may come from any of its symbols; many show in their counts (`collect/collected_tally.py`). Who
wants to raise the share of symbols t *crafts* a report that includes many of them (a Hadamard
report y includes the rows with H(row, y) = +1, one of randomized response the symbol that it
names).
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caldp_core.basics import errors
from caldp_core.basics import types as arrays
from caldp_core.basics.limits import N_MAX
from caldp_core.privacy.context import PrivacyMatrix

FORMAT: Final = 1
"""Version of the format of a tally as text."""


@dataclass(frozen=True, eq=False, repr=False)
class Tally(arrays.EqualByFields):
    """The sum of n reports: all that the server needs. Tallies of one mechanism can be added.

    `counts`: (entries,) int64. `fingerprint`: digest of the mechanism that made the reports.
    """

    counts: arrays.Ints
    n: int
    fingerprint: str

    def __add__(self, other: "Tally") -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        if self.fingerprint != other.fingerprint:
            raise errors.CaldpError(
                "Tallies of different mechanisms cannot be added: their fingerprints are "
                f"{self.fingerprint[:12]} and {other.fingerprint[:12]}; estimate each alone."
            )
        errors.require(
            self.counts.shape == other.counts.shape,
            f"One of these tallies is damaged: they have {self.counts.size:,} and "
            f"{other.counts.size:,} counts; count the reports again.",
        )
        return Tally(self.counts + other.counts, self.n + other.n, self.fingerprint)

    def __radd__(self, other: object) -> "Tally":
        # So that `sum(tallies)`, which begins with 0, adds them up.
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        return (
            f"<Tally of {errors.count_text(self.n, 'report', 'reports')}, {self.fingerprint[:12]}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the largest counts."""
        largest = np.argsort(-self.counts, kind="stable")
        columns = {"number": largest.tolist(), "count": self.counts[largest].tolist()}
        return arrays.html_table(f"{self!r}, largest counts", columns)

    def to_json(self) -> str:
        """The tally as text, to be kept or sent; `from_json` reads it."""
        whole = {"fingerprint": self.fingerprint, "n": self.n, "counts": self.counts.tolist()}
        return json.dumps({"caldp_tally": FORMAT, **whole})

    @classmethod
    def from_json(cls, text: str, name: str = "This text") -> "Tally":
        """The tally of that text; raises `CaldpError`, calling it `name`, for any other text."""
        try:
            record = json.loads(text)
            errors.require(record["caldp_tally"] == FORMAT, "another format")
            errors.require(isinstance(record["fingerprint"], str), "no fingerprint")
            n = errors.check_whole("n", record["n"], 0, N_MAX)
            counts = errors.check_counts("counts", record["counts"], len(record["counts"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            missing = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise errors.CaldpError(
                f"{name} is not a tally of caldp: {missing.rstrip('.')}; give what caldp wrote."
            ) from None
        return cls(counts, n, record["fingerprint"])


def check_tally(tally: Tally, fingerprint: str, entries: int) -> None:
    """Raise `CaldpError` unless it is a tally of the mechanism of that fingerprint.

    `entries`: how many counts its tallies have; a report adds at most 1 to each.
    """
    errors.check_type("tally", tally, Tally, "make one with tally(reports) of the mechanism")
    errors.require(
        tally.fingerprint == fingerprint,
        "This tally was made by another mechanism; use the one that made the reports.",
    )
    errors.require(
        tally.counts.shape == (entries,) and bool((tally.counts <= tally.n).all()),
        f"This tally is damaged: it must have {entries:,} counts, each at most {tally.n:,}, its "
        "number of reports; count the reports again.",
    )
    errors.require(tally.n > 0, "A tally of no reports says nothing; collect at least one report.")


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


class EqualByMeaning:
    """Mechanisms of one class that are equal where reports mean the same, as their copies are."""

    @property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        raise NotImplementedError

    def compared_values(self) -> tuple[Any, ...]:
        """What equal mechanisms share: the fingerprint, the policy, and what estimates need."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EqualByMeaning) or type(self) is not type(other):
            return NotImplemented
        return arrays.have_same_value(self.compared_values(), other.compared_values())

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __getstate__(self) -> dict[str, Any]:
        """What a copy is made of, without what it works out anew: that may be functions."""
        derived = set()
        for cls in type(self).__mro__:
            for name, value in vars(cls).items():
                if isinstance(value, cached_property):
                    derived.add(name)
        return {name: value for name, value in vars(self).items() if name not in derived}


class Mechanism(Protocol):
    """A channel and its unbiased estimator."""

    @property
    def k(self) -> int:
        """Domain size."""

    @property
    def policy(self) -> PrivacyMatrix:
        """The privacy matrix that it claims to keep; an audit checks the channel against it."""

    @property
    def outputs(self) -> int:
        """Number of different reports: the columns of the channel."""

    @property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""

    def privatize(self, x: ArrayLike, rng: arrays.Seed) -> arrays.Reports:
        """(n,) symbols → (n,) reports, one per user, with simulated randomness."""

    def client_report(self, x: int) -> arrays.Reports:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""

    def every_report(self) -> arrays.Reports:
        """(outputs,) all different reports in the order of the channel's columns."""

    def tally(self, reports: arrays.Reports) -> Tally:
        """Sum (n,) reports; raises `CaldpError` on a report that the mechanism cannot send."""

    def sample_tally(self, counts: ArrayLike, rng: arrays.Seed) -> Tally:
        """Draw the tally of (k,) people per symbol, distributed as `tally(privatize(x))`.

        Its cost does not depend on n; where no such way is known, the class has a limit on n.
        """

    def estimate(self, tally: Tally) -> arrays.Floats:
        """(k,) unbiased estimate of the distribution; entries may be negative."""

    def variance(self, p: arrays.Floats, n: int) -> arrays.Floats:
        """(k,) exact variance of `estimate` over data drawn from p and the coins."""

    def sum_variance(self, p: arrays.Floats, weights: arrays.Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x, such as a region's share; `p`, `weights`: (k,)."""

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of output probabilities in rationals, for small domains."""


def check_mechanism(use: str, value: object) -> None:
    """Raise `CaldpError` unless `value` has all that `Mechanism` lists; it names what is missing.

    `use`: the beginning of the sentence, such as "An audit takes a mechanism".
    """
    kind = type(value)
    listed = [name for name in vars(Mechanism) if not name.startswith("_")]
    missing = [name for name in listed if not (hasattr(kind, name) or hasattr(value, name))]
    errors.require(
        not missing,
        f"{use}: the type {kind.__name__} has no {', '.join(missing)}, which "
        f"{Mechanism.__module__}.Mechanism describes; mechanism(policy, name) makes one.",
    )


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
    cover_threshold: arrays.Words
    n_max: int

    @property
    def outputs(self) -> int:
        """Number of different reports of all blocks; 10^18 stands for all larger numbers."""

    @property
    def settings(self) -> tuple[NDArray[Any], ...]:
        """Whole numbers that, with the context and `cover_threshold`, determine the channel."""

    def privatize(self, rank: arrays.Ints, words: arrays.WordSource) -> arrays.Reports:
        """(n,) ranks of hidden symbols → (n,) reports."""

    def privatize_base(self, block: arrays.Ints, words: arrays.WordSource) -> arrays.Reports:
        """(n,) blocks → (n,) reports from the base distribution."""

    def clear_reports(self, place: arrays.Ints) -> arrays.Reports:
        """(n,) places among the symbols that are not hidden → (n,) reports that name them."""

    def tally(self, reports: arrays.Reports, clear: int) -> arrays.Ints:
        """(n,) reports → (tally_size + clear,) sums; `CaldpError` on a report that can't be."""

    def every_report(self, clear: int) -> arrays.Reports:
        """All different reports, in the order of the channel's columns, for small domains."""

    def report_bits(self, clear: int) -> int:
        """Bits that the longest report needs."""

    def sample_tally(
        self, counts: arrays.Ints, base: arrays.Ints, rng: np.random.Generator
    ) -> arrays.Ints:
        """(s,) people per hidden symbol and (m,) base reports per block → (tally_size,) tally."""

    def block_counts(self, counts: arrays.Ints) -> arrays.Ints:
        """(m,) reports that came from each block's oracle."""

    def estimate(self, counts: arrays.Ints, block_counts: arrays.Ints, n: int) -> arrays.Floats:
        """(s,) unbiased shares of the hidden symbols; `block_counts`: all reports per block."""

    def variance(self, p: arrays.Floats, block_p: arrays.Floats, n: int) -> arrays.Floats:
        """(s,) exact variances; `p`: (s,) shares, `block_p`: (m,) shares of whole blocks."""

    def offset(self, weights: arrays.Floats) -> arrays.Floats:
        """(m,) what any report of a block adds to n·Σ w_x p̂_x; `weights`: (s,)."""

    def second_moment(
        self, weights: arrays.Floats, p: arrays.Floats, block_p: arrays.Floats
    ) -> float:
        """E[Z²] over the oracles' reports, Z what one of them adds to n·Σ w_x p̂_x.

        `weights`, `p`: (s,); `block_p`: (m,) shares of whole blocks.
        """

    def channel(self, block: int) -> tuple[int, arrays.Ints, int]:
        """First column, (s_j + 1, columns) numerators (last row: base), and their denominator."""


Family: TypeAlias = Callable[[arrays.Ints, arrays.Floats], FrequencyOracles]
"""(m,) hidden symbols per block and (m,) ε → the oracles."""
