"""What every mechanism owes, one function a promise; each raises `AssertionError` if it is broken.

They see a mechanism from outside: its channel, its policy and its methods. `test_contract.py` shows
that each of them fails for a mechanism that breaks the promise.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

import numpy as np
import pytest

from caldp_core.audit.pairwise import finite_pairs
from caldp_core.basics.errors import Cancelled
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats, Ints, Progress, Reports, Words, read_only
from caldp_core.mechanisms import ContextMechanism, Mechanism, Tally
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.mechanisms.written_out import SymbolReports
from caldp_core.privacy.context import Context
from tests.channels import exact_audit
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean, assert_same_law

CASES_AT_MOST: Final = 1000
"""Far above the families × contexts × ε that any statistical check here runs on."""
PER_CASE: Final = SIGNIFICANCE / CASES_AT_MOST
LAW_CASES_AT_MOST: Final = 20
LAW_DRAWS: Final = 100
"""The limits are 1.2 standard deviations for a shift and a factor of 3.4 for a variance."""
LAW_DRAWS_THOROUGH: Final = 400
"""0.6 standard deviations for a shift and a factor of 1.85 for a variance."""
EXACT: Final = 1e-9
"""Relative tolerance where only floating-point rounding is between two numbers."""

REPORTS_PER_SYMBOL: Final = 60_000
"""At ε = 1 a coin for 1.05·ε has Δp = 0.0096, so the joint χ² gains 60,000·Δp²/(p(1−p)) = 28 a
symbol: 200 on 49 degrees of freedom for k = 7 in one block of order 8, where PER_CASE = 1e-9
needs 130: power 0.999."""
REPORTS_AGAIN: Final = REPORTS_PER_SYMBOL // 4
"""In contexts that repeat others: a coin for 1.1·ε gains as much, as Δp is twice as large."""
PEOPLE_PER_OUTCOME: Final = 900
REPEATS: Final = 500
"""The mean of a cell is known to 1/22 of its spread, a variance to 6.3 %: against a limit of 7
standard errors, 1/3 of a spread or 44 % of a variance wrong is found. The coins
of `test_contract.py`, 5 or 10 % off, move a mean by 1.8 spreads or more; people drawn in
pairs double the variance."""
REPEATS_AGAIN: Final = REPEATS // 5
"""In contexts that repeat others: by 100 draws 1.8 spreads are 18 standard errors."""
REPEATS_THOROUGH: Final = 1500
"""1/39 of a spread and 3.7 % of a variance: 1/5 of a spread or 26 % of a variance is found."""


def check_progress(work: Callable[[Progress], object]) -> list[float]:
    """The shares done that work tells: they rise, and who cancels at one of them ends the work."""
    shares: list[float] = []
    work(shares.append)
    assert shares == sorted(shares)
    assert 0 <= shares[0] <= shares[-1] <= 1
    for at in {shares[0], shares[len(shares) // 2]}:

        def cancel(share: float, at: float = at) -> None:
            if share >= at:
                raise Cancelled

        with pytest.raises(Cancelled):
            work(cancel)
    return shares


@contextmanager
def naming(case: str) -> Iterator[None]:
    """Name the case of a loop in whatever error it raises."""
    try:
        yield
    except AssertionError as error:
        error.add_note(case)
        raise


Answer = TypeVar("Answer")


def remember(of: Callable[[Mechanism], Answer]) -> Callable[[Mechanism], Answer]:
    """`of`, which remembers its answers about the last mechanisms."""
    remembers: Any = lru_cache(maxsize=4)(of)
    return cast(Callable[[Mechanism], Answer], remembers)


@remember
def channel_of(mechanism: Mechanism) -> Floats:
    """(k, outputs) the exact channel as floats."""
    return read_only(np.array([[float(q) for q in row] for row in mechanism.exact_channel()]))


def single_tallies(mechanism: Mechanism) -> list[Tally]:
    """The tally of one report, for each possible report in the order of the channel's columns."""
    reports = mechanism.every_report()
    assert len(reports) == mechanism.outputs
    return [mechanism.tally(reports[y : y + 1]) for y in range(mechanism.outputs)]


@remember
def design_of(mechanism: Mechanism) -> Ints:
    """(outputs, cells) what each possible report adds to the tally."""
    return read_only(np.stack([tally.counts for tally in single_tallies(mechanism)]))


@remember
def single_estimates(mechanism: Mechanism) -> Floats:
    """(outputs, k) the estimate from one report, for each possible report."""
    return read_only(np.stack([mechanism.estimate(t) for t in single_tallies(mechanism)]))


def columns_of(mechanism: Mechanism, reports: Reports) -> Ints:
    """(n,) the channel's column of each report; a report that is in none is an error."""
    every = mechanism.every_report()
    keys = _keys(every)
    in_order = np.argsort(keys)
    place = np.searchsorted(keys[in_order], _keys(reports))
    column: Ints = in_order[np.minimum(place, keys.size - 1)]
    # Were two keys equal by chance, this would fail, too.
    assert (every[column] == reports).all(), "a report that is in no column"
    return column


def _keys(reports: Reports) -> Words:
    """(n,) a number for each report: its bytes, weighted with odd numbers modulo 2^64."""
    as_bytes = np.ascontiguousarray(reports).view(np.uint8).reshape(reports.size, -1)
    padded = np.pad(as_bytes, ((0, 0), (0, -as_bytes.shape[1] % 8)))
    words = padded.view(np.uint64)
    odd = np.random.default_rng(1).integers(0, 2**63, words.shape[1], np.uint64) * 2 + 1
    return np.asarray((words * odd.astype(np.uint64)).sum(axis=1, dtype=np.uint64))


def check_rows(mechanism: Mechanism) -> None:
    """Every row of the channel is a distribution, in rationals."""
    channel = mechanism.exact_channel()
    assert len(channel) == mechanism.k
    for row in channel:
        assert len(row) == mechanism.outputs
        assert sum(row) == 1
        assert min(row) >= 0


def check_audit(mechanism: Mechanism) -> None:
    """The channel keeps the policy."""
    audit = exact_audit(mechanism)
    assert audit.holds, f"{audit}"


def check_tight(mechanism: ContextMechanism) -> None:
    """No privacy is wasted: for every finite E[x, x′] some output reaches it.

    A coin in 2^-48ths moves p/(1−p), or k-RR's a/b, by at most 2^-48·(s + e^ε + 1)²/e^ε in
    relation to itself.
    """
    channel = channel_of(mechanism)
    largest = int(mechanism.policy.block_sizes().max())
    for x, other, epsilon in finite_pairs(mechanism.policy):
        power = float(np.exp(epsilon))
        slack = (largest + power + 1) ** 2 / power / COIN_ONE
        sent = channel[other] > 0
        ratio = float((channel[x][sent] / channel[other][sent]).max())
        assert ratio >= power * (1 - slack) - 1e-14 * power, (
            f"Privacy is wasted: no report is more than {ratio:.4g} times as likely from {x} as "
            f"from {other}, and e^ε is {power:.4g}; choose probabilities that reach it."
        )


def check_unbiased(mechanism: Mechanism) -> None:
    """Σ_y Q(y|x)·estimate(one report y) is the x-th unit vector, and estimates are linear."""
    channel, single = channel_of(mechanism), single_estimates(mechanism)
    scale = max(1.0, float(np.abs(single).max()))
    np.testing.assert_allclose(channel @ single, np.eye(mechanism.k), rtol=0, atol=EXACT * scale)
    times = np.random.default_rng(3).integers(0, 1000, mechanism.outputs)
    counts = times @ design_of(mechanism)
    tally = Tally(counts, int(times.sum()), mechanism.fingerprint)
    expected = times @ single / tally.n
    np.testing.assert_allclose(mechanism.estimate(tally), expected, rtol=0, atol=EXACT * scale)


def check_variance(mechanism: Mechanism) -> None:
    """`variance` and `sum_variance` are what the exact channel gives, for several p and n."""
    channel, single = channel_of(mechanism), single_estimates(mechanism)
    rng = np.random.default_rng(4)
    certain = np.eye(mechanism.k)[0]
    for p in (certain, *rng.dirichlet(np.full(mechanism.k, 0.5), size=3)):
        n = int(rng.integers(1, 10**6))
        square = p @ channel @ single**2
        exact = (square - p**2) / n
        rounding = EXACT * (square.max() + 1) / n
        np.testing.assert_allclose(mechanism.variance(p, n), exact, rtol=EXACT, atol=rounding)
        weights = rng.normal(size=mechanism.k)
        z2 = (single @ weights) ** 2
        exact_sum = float(p @ channel @ z2 - (p @ weights) ** 2) / n
        rounding = EXACT * float(z2.max() + 1) / n
        assert abs(mechanism.sum_variance(p, weights, n) - exact_sum) <= rounding


def check_privatize(mechanism: Mechanism, each: int = REPORTS_PER_SYMBOL) -> None:
    """Reports of shuffled people, `each` of a symbol, follow the exact channel: one chi-square."""
    rng = np.random.default_rng(5)
    x = rng.permutation(np.repeat(np.arange(mechanism.k), each))
    reports = mechanism.privatize(x, rng)
    column = columns_of(mechanism, reports)
    both = np.bincount(x * mechanism.outputs + column, minlength=mechanism.k * mechanism.outputs)
    observed = both.reshape(mechanism.k, mechanism.outputs)
    assert_fits(observed, each * channel_of(mechanism), PER_CASE)


def people_for(mechanism: ContextMechanism) -> Ints:
    """(k,) people, uneven, and so many that every possible report is expected often."""
    power = float(np.exp(mechanism.policy.epsilon.max()))
    most = min(N_MAX, mechanism.oracles.n_max) / (3 * mechanism.k)
    return (1 + np.arange(mechanism.k) % 3) * round(
        min(PEOPLE_PER_OUTCOME * (mechanism.k + power), most)
    )


def check_sample_tally(mechanism: ContextMechanism, repeats: int = REPEATS) -> None:
    """Mean and full covariance of sampled tallies are those of independent reports.

    Given people c, a tally has mean Σ c_x μ_x and covariance Σ c_x Cov_x: of what a report of x
    adds to it, which the exact channel and the design tell.
    """
    channel, people = channel_of(mechanism), people_for(mechanism)
    design = design_of(mechanism)
    mean = people @ channel @ design
    covariance = np.zeros((mean.size, mean.size))
    for law, count in zip(channel, people, strict=True):
        centred = design - law @ design
        covariance += count * (centred.T * law) @ centred
    # A cell that varies by less than a millionth of a person is certain; the rest is rounding.
    spread = np.sqrt(np.where(covariance.diagonal() > 1e-12, covariance.diagonal(), 0.0))
    mean = np.where(spread > 0, mean, np.rint(mean))
    rng = np.random.default_rng(6)
    draws = np.stack([mechanism.sample_tally(people, rng).counts for _ in range(repeats)])
    assert_mean(draws.astype(np.float64), mean, spread, PER_CASE)
    upper = np.triu_indices(design.shape[1])
    deviation = draws - mean
    products = deviation[:, upper[0]] * deviation[:, upper[1]]
    assert_mean(products, covariance[upper], products.std(axis=0), PER_CASE)


def check_one_law(mechanism: Mechanism, shares: Floats, draws: int = LAW_DRAWS) -> None:
    """`sample_tally` and `tally(privatize)` of 20,000 fixed people agree in law.

    Compared are the estimates of the twelve most frequent symbols and twelve random ±1 sums of
    the tally, by `draws` draws each. For the Hadamard family at ε = 1, a coin for 1.05·ε moves the
    first symbol (10,000 people) by 190/130 = 1.5 standard deviations; for k-RR with s = 680 at
    ε = 7 from 6,100 to 6,900 truths, by more than 10.
    """
    rng = np.random.default_rng(7)
    people = rng.multinomial(20_000, shares)
    x = np.repeat(np.arange(mechanism.k), people)
    cells = mechanism.sample_tally(people, rng).counts.size
    signs = rng.choice([-1.0, 1.0], size=(cells, 12))

    def numbers(tally: Tally) -> Floats:
        assert tally.n == 20_000
        return np.concatenate([mechanism.estimate(tally)[:12], tally.counts @ signs])

    sampled = [numbers(mechanism.sample_tally(people, rng)) for _ in range(draws)]
    reported = [numbers(mechanism.tally(mechanism.privatize(x, rng))) for _ in range(draws)]
    assert_same_law(np.stack(sampled), np.stack(reported), SIGNIFICANCE / LAW_CASES_AT_MOST)


# Blocks of 5, 3, 1 and 2 symbols, not in order: layouts that only suit sorted labels break.
_LABELS: Final = np.array([1, 0, 0, 2, 0, 3, 1, 0, 3, 0, 1])
_FLAGS: Final = np.array([1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0], dtype=np.bool_)


def _one_epsilon_per_block(epsilon: float) -> Context:
    levels = epsilon * np.array([1.0, 0.5, 0.8, 0.3])
    return Context.of(_LABELS, _FLAGS, levels)


CONTEXTS: Final[dict[str, Callable[[float], Context]]] = {
    "plain": lambda e: Context.plain(7, e),
    "plain, power of two": lambda e: Context.plain(4, e),
    "sensitive set": lambda e: Context.high_low(_FLAGS, e),
    "single sensitive symbol": lambda e: Context.high_low(np.arange(4) == 2, e),
    "blocks": lambda e: Context.block_structured(_LABELS, e),
    "blocks and sensitive set": lambda e: Context.of(_LABELS, _FLAGS, e),
    "block without sensitive symbols": lambda e: Context.of(_LABELS, _FLAGS & (_LABELS != 0), e),
    "nothing sensitive": lambda e: Context.of(_LABELS, np.zeros(_LABELS.size, np.bool_), e),
    "one ε per block": _one_epsilon_per_block,
    "k = 1": lambda e: Context.plain(1, e),
}
EPSILONS: Final = (0.01, 0.5, 1.0, 4.0, 20.0)
CASES: Final = [(name, epsilon) for name in CONTEXTS for epsilon in EPSILONS]


def context(name: str, epsilon: float) -> Context:
    """The named kind of context."""
    return CONTEXTS[name](epsilon)


def many_symbols(epsilon: float = 1.0, k: int = 2000) -> tuple[Context, Floats]:
    """Three blocks whose orders are 1024, 1024 and 512, a quarter not sensitive; (k,) shares.

    Half of the people hold one symbol, so that its estimate tells a wrong coin from a right one.
    """
    rng = np.random.default_rng(20)
    labels = rng.choice(3, size=k, p=[0.45, 0.35, 0.2])
    flags = rng.random(k) < 0.75
    flags[:12] = np.arange(12) % 4 < 3
    shares = 0.5 ** np.arange(1, k + 1) + 1e-4
    return Context.of(labels, flags, epsilon), shares / shares.sum()


def check_sampled(
    mechanism: SymbolReports, drawn_by: SymbolReports, people: Ints, cases: int, draws: int = 1000
) -> None:
    """Mean and full covariance of tallies that `drawn_by` samples are those of `mechanism`.

    People c send mean Σ c_x Q_x and covariance Σ c_x (diag Q_x − Q_x Q_xᵀ). By 1,000 draws the
    mean of a cell is known to 1/32 of its spread. `cases`: tests that share the significance.
    """
    channel = channel_of(mechanism)
    mean = people @ channel
    covariance = np.diag(mean) - (channel.T * people) @ channel
    rng = np.random.default_rng(3)
    counts = np.stack([drawn_by.sample_tally(people, rng).counts for _ in range(draws)])
    assert (counts.sum(axis=1) == people.sum()).all()
    spread = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    assert_mean(counts.astype(np.float64), mean, spread, SIGNIFICANCE / cases)
    upper = np.triu_indices(mechanism.k)
    deviation = counts - mean
    products = deviation[:, upper[0]] * deviation[:, upper[1]]
    assert_mean(products, covariance[upper], products.std(axis=0), SIGNIFICANCE / cases)
