"""Mechanisms whose reports are numbers of their channel's columns, and channels in whole numbers.

The estimate is linear in the histogram of reports: a report y adds M⁻¹v_y with v_y = Q_y/(π·Q_y)
and M = Σ_y Q_yᵀv_y. It is unbiased for every distribution, and of all linear unbiased ones the best
where people are like π (Gauss, Markov).

Where reports are symbols of the domain, the channel Q is square. A mechanism then only says how it
draws reports and how vectors are multiplied with Q and with its inverse (`InvertibleProducts`);
estimates, variances and what EM needs follow from the products.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics import errors
from caldp_core.basics.limits import DENSE_MAX_ENTRIES
from caldp_core.basics.types import Floats, Ints, Seed, WordSource
from caldp_core.mechanisms.base import EqualByMeaning, Tally, check_tally, digest
from caldp_core.mechanisms.capabilities import ChannelProducts, DenseProducts, InvertibleProducts
from caldp_core.mechanisms.randomness import ExactInversion, generator, seeded_words, system_words
from caldp_core.privacy.context import PrivacyMatrix, check_policy


class NumberReports(EqualByMeaning, ABC):
    """A mechanism whose reports are 0, …, outputs − 1, so that its tally is a histogram.

    See `Mechanism` for what the methods promise.
    """

    policy: PrivacyMatrix

    @property
    @abstractmethod
    def outputs(self) -> int:
        """Number of different reports."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""

    def compared_values(self) -> tuple[Any, ...]:
        """What equal mechanisms share."""
        return self.fingerprint, self.policy

    @property
    @abstractmethod
    def products(self) -> InvertibleProducts:
        """Products with the channel, and with what estimates shares: its inverse, or a like."""

    @abstractmethod
    def _reports(self, x: Ints, words: WordSource) -> Ints:
        """(n,) symbols → (n,) reports."""

    @abstractmethod
    def _spread(self, people: Ints, rng: np.random.Generator) -> Ints:
        """(k,) people per symbol → (outputs,) reports, from their joint distribution."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.k:,} values>"

    @property
    def k(self) -> int:
        """Number of symbols."""
        return self.policy.k

    def privatize(self, x: ArrayLike, rng: Seed) -> Ints:
        """(n,) symbols → (n,) reports, simulated with `rng`."""
        return self._reports(errors.check_symbols("x", x, self.k), seeded_words(rng))

    def client_report(self, x: int) -> Ints:
        """(1,) one real user's report, with the operating system's randomness; takes no seed."""
        return self._reports(errors.check_symbols("x", [x], self.k), system_words)

    def every_report(self) -> Ints:
        """(outputs,) all different reports in the order of the channel's columns."""
        return np.arange(self.outputs)

    def tally(self, reports: ArrayLike) -> Tally:
        """(n,) reports → (outputs,) histogram; `CaldpError` on a number that is not a report."""
        numbers = errors.check_symbols("reports", reports, self.outputs)
        return Tally(np.bincount(numbers, minlength=self.outputs), numbers.size, self.fingerprint)

    def sample_tally(self, counts: ArrayLike, rng: Seed) -> Tally:
        """Tally of (k,) people per symbol; same distribution as `tally(privatize(x))`."""
        people, rng = errors.check_counts("counts", counts, self.k), generator(rng)
        return Tally(self._spread(people, rng), int(people.sum()), self.fingerprint)

    def channel_products(self) -> ChannelProducts:
        """Products with the channel (see `HasChannelProducts`)."""
        return self.products

    def estimate(self, tally: Tally) -> Floats:
        """(k,) unbiased shares, tally·Q⁻¹/n; entries may be negative.

        Raises `CaldpError` where Q has no inverse or floats cannot find it, on a tally of
        another mechanism, and on no reports.
        """
        check_tally(tally, self.fingerprint, self.outputs)
        return self.products.inverse(tally.counts / tally.n)

    def variance(self, p: Floats, n: int) -> Floats:
        """(k,) exact variance of `estimate` when n people come from p: (k,) shares.

        (1/n)(Σ_y q_y·(Q⁻¹[y, x])² − p_x²) with q = p·Q.
        """
        p = errors.check_floats("p", p, self.k)
        square = self.products.inverse_squared(self.products.apply(p))
        return np.asarray((square - p**2) / errors.check_n(n))

    def sum_variance(self, p: Floats, weights: Floats, n: int) -> float:
        """Exact variance of Σ w_x p̂_x, such as a region's share; `p`, `weights`: (k,)."""
        p, weights = (
            errors.check_floats("p", p, self.k),
            errors.check_floats("weights", weights, self.k),
        )
        square = float(self.products.apply(p) @ self.products.score(weights) ** 2)
        return max((square - float(weights @ p) ** 2) / errors.check_n(n), 0.0)


_CONDITION_MAX: Final = 1e12


class TableReports(NumberReports):
    """A mechanism that draws from its channel, Q(y|x) = `numerators[x][y]`/`totals[x]`."""

    numerators: Sequence[Sequence[int]]
    totals: Sequence[int]

    @property
    def outputs(self) -> int:
        """Number of different reports."""
        return len(self.numerators[0])

    @cached_property
    def channel(self) -> Floats:
        """(k, outputs) probabilities as floats; row = true symbol."""
        return np.array([[entry / total for entry in row] for row, total in self._rows()])

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of `outputs` probabilities in rationals."""
        return [[Fraction(entry, total) for entry in row] for row, total in self._rows()]

    def _rows(self) -> Iterator[tuple[Sequence[int], int]]:
        return zip(self.numerators, self.totals, strict=True)

    @cached_property
    def _laws(self) -> list[tuple[ExactInversion, Ints]]:
        """How each symbol's reports are drawn, without those it never sends, and their numbers."""
        # A law has no step of 1 before its last.
        sent = [(np.flatnonzero(row), row, total) for row, total in self._rows()]
        return [
            (
                ExactInversion.of(
                    [Fraction(step, total) for step in accumulate(row[y] for y in numbers[:-1])]
                ),
                numbers,
            )
            for numbers, row, total in sent
        ]

    def _reports(self, x: Ints, words: WordSource) -> Ints:
        reports = np.empty_like(x)
        for symbol in np.unique(x):
            users = np.flatnonzero(x == symbol)
            law, numbers = self._laws[symbol]
            reports[users] = numbers[law.draw(users.size, words)]
        return reports

    def _spread(self, people: Ints, rng: np.random.Generator) -> Ints:
        """A multinomial each, for any n."""
        return np.asarray(rng.multinomial(people, self.channel).sum(axis=0))


class WrittenOut(TableReports):
    """A channel as a table, Q(y|x) = `numerators[x][y]`/whole, with its best linear estimate.

    `policy`: what it claims to keep, for k symbols; `audit_mechanism` checks the claim.
    `numerators`: k rows, a whole number ≥ 0 for each report, that sum to `whole`; so that the
    probabilities of reports are exact. `prior`: (k,) shares of people for which the estimate has
    the least variance, by default equal ones; it is unbiased for all. Raises `CaldpError` for
    other rows; estimates and variances do where two symbols send the same reports.
    """

    def __init__(
        self,
        policy: PrivacyMatrix,
        numerators: Sequence[Sequence[int]],
        whole: int,
        prior: Floats | None = None,
    ) -> None:
        check_policy("A channel is written out for", policy)
        is_valid = _is_law([whole], 1, whole) and whole > 0 and whole is not True
        errors.require(is_valid, f"whole must be a whole number from 1 on, got {whole!r}.")
        given = errors.check_list("numerators", numerators)
        # Looked at before anything is copied: a table of millions of reports takes minutes.
        sizes = [len(row) for row in given if hasattr(row, "__len__")]
        errors.require(
            sum(sizes) <= DENSE_MAX_ENTRIES,
            f"numerators must have at most {DENSE_MAX_ENTRIES:,} entries, got {sum(sizes):,}; use "
            "fewer symbols or reports.",
        )
        # Copies, as a caller may change its own; arrays as lists, as the digest takes their text.
        rows = [_copy(row) for row in given]
        k, outputs = policy.k, len(rows[0]) if rows else 0
        wrong = [x for x, row in enumerate(rows) if not _is_law(row, outputs, whole)]
        errors.require(
            len(rows) == k and not wrong,
            f"numerators must be {errors.count_text(k, 'row', 'rows')} of whole numbers ≥ 0, "
            f"{outputs:,} in each, that sum to {whole}, got {len(rows):,}; rows that do not "
            f"(from 0): {wrong[:3]}.",
        )
        self.policy = policy
        self.numerators, self.whole, self.totals = rows, whole, [whole] * k
        self._prior = (
            np.full(k, 1.0 / k) if prior is None else errors.check_floats("prior", prior, k)
        )

    @cached_property
    def fingerprint(self) -> str:
        """Digest that two mechanisms share only if their reports mean the same."""
        return digest("written out", str(self.whole), *(f"{row}" for row in self.numerators))

    def compared_values(self) -> tuple[Any, ...]:
        """What equal mechanisms share: estimates are the most accurate at a prior of their own."""
        return *super().compared_values(), self._prior

    @cached_property
    def estimator(self) -> Floats:
        """(outputs, k) M⁻¹v_y, which one report y adds to n·p̂."""
        law = self._prior @ self.channel
        columns = np.divide(self.channel, law, out=np.zeros_like(self.channel), where=law > 0)
        information = columns @ self.channel.T
        errors.require(
            float(np.linalg.cond(information)) < _CONDITION_MAX,
            "This policy makes two symbols send (nearly) the same reports, so shares can't be "
            "estimated; merge symbols between which E is 0, or raise E.",
        )
        return np.asarray(np.linalg.solve(information, columns).T)

    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of probabilities in rationals; `CaldpError` above the stated size."""
        errors.require_exact(self.k * self.outputs, "use fewer symbols")
        return super().exact_channel()

    def with_even_noise(self, noise: int, of: int) -> "WrittenOut":
        """The channel whose reports are replaced by a uniform one with chance noise/of."""
        even, kept = noise * self.whole, (of - noise) * self.outputs
        rows = [[kept * entry + even for entry in row] for row in self.numerators]
        return WrittenOut(self.policy, rows, of * self.outputs * self.whole)

    def tally_of_histogram(self, histogram: ArrayLike) -> Tally:
        """Sum reports that others have counted: (outputs,) how often each number was sent."""
        checked = errors.check_counts("counts", histogram, self.outputs)
        return Tally(checked, int(checked.sum()), self.fingerprint)

    @cached_property
    def products(self) -> InvertibleProducts:
        """Products with the channel as it is written out, and with `estimator`."""
        return DenseProducts(self.channel, lambda _: self.estimator)


def _copy(row: Any) -> Sequence[int]:
    if isinstance(row, tuple):
        return row
    return errors.check_list("A row of numerators", getattr(row, "tolist", lambda: row)())


def _is_law(row: Sequence[Any], outputs: int, whole: int) -> bool:
    counts = [each for each in row if isinstance(each, int | np.integer) and each >= 0]
    return len(counts) == len(row) == outputs and sum(counts) == whole


class SymbolReports(NumberReports):
    """A mechanism whose reports are symbols. See `Mechanism` for what the methods promise."""

    @abstractmethod
    def exact_channel(self) -> list[list[Fraction]]:
        """k rows of k probabilities in rationals; `CaldpError` above the stated size."""

    @property
    def outputs(self) -> int:
        """Number of different reports: the symbols again."""
        return self.k

    def law_of(self, x: int) -> Floats:
        """(k,) probabilities of the reports of a person at x (see `ReportsSymbols`)."""
        one = np.zeros(self.k)
        one[errors.check_symbols("x", [x], self.k)] = 1.0
        return np.maximum(self.products.apply(one), 0.0)
