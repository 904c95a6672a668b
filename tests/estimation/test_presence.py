"""No cell is called inhabited wrongly: brute force and reports drawn without the package."""

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, norm

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.estimation.cascade import discoveries
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import intervals, may_be_noise, simultaneous
from caldp_core.mechanisms import FAMILIES, ContextMechanism, Tally, catalogue
from caldp_core.privacy.context import Context
from tests.products import thinned
from tests.stats import SIGNIFICANCE

ALLOWED = 0.025
"""Chance that any empty symbol is called inhabited, at the level of 0.95."""
Rule = Callable[[Evidence], Bools]


def one_by_one(evidence: Evidence) -> Bools:
    """The wrong rule: each symbol's own 95 % range."""
    return intervals(evidence).low <= 0


def by_false_share(evidence: Evidence) -> Bools:
    """Benjamini and Hochberg's, of which 5 % of those named may be wrong."""
    return ~discoveries(evidence.unbiased / evidence.deviation, 0.05)


def inclusion(family: str, epsilon: float, k: int) -> tuple[float, float]:
    """Chance that a report includes the sender's own symbol, and another one, by the papers."""
    e = np.exp(epsilon)
    half = np.exp(epsilon / 2)
    return {
        "randomized-response": (e / (e + k - 1), 1 / (e + k - 1)),
        "oue": (0.5, 1 / (e + 1)),
        "rappor": (half / (half + 1), 1 / (half + 1)),
    }[family]


def tally_of(mechanism: ContextMechanism, included: Ints, n: int) -> Tally:
    """Counts of reports that include each symbol, as the mechanism's tally."""
    counts = included if mechanism.oracles.tally_size == included.size else [*included, n]
    return Tally(np.array(counts, np.int64), n, mechanism.fingerprint)


@cache
def least_count(family: str, k: int, epsilon: float, n: int, rule: Rule) -> int:
    """Fewest reports for which symbol 0 is called inhabited, by bisection; n + 1 for none."""
    mechanism = catalogue.in_context(Context.plain(k, epsilon), family)

    def is_called(count: int) -> bool:
        included = np.zeros(k, np.int64)
        rest = round(n * inclusion(family, epsilon, k)[0])
        included[:2] = count, n - count if family == "randomized-response" else rest
        return not rule(Evidence.of(mechanism, tally_of(mechanism, included, n)))[0]

    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_called(middle) else (middle, high)
    return high


PEOPLE = (1, 3, 10, 100, 30_000, 10**9)


@pytest.mark.parametrize(
    ("family", "which"), thinned(["randomized-response", "oue", "rappor"], range(3), one_in=3)
)
def test_by_brute_force_no_empty_symbol_is_called_inhabited_too_often(
    family: str, which: int
) -> None:
    """`which`: a third of all k, ε and n, on diagonals."""
    wrong = 0
    for at, (k, epsilon) in enumerate(product((2, 20, 3000), (0.1, 1.0, 4.0, 8.0))):
        for n in PEOPLE[(which + at) % 3 :: 3]:
            case = (family, k, epsilon, n)
            chance = inclusion(family, epsilon, k)[1]
            count = least_count(*case, may_be_noise)
            assert k * binom.sf(count - 1, n, chance) <= ALLOWED, case
            if n == 10**9 and epsilon >= 1:  # and a little less would be too often
                deviation = np.sqrt(n * chance * (1 - chance))
                assert k * binom.sf(count - 1 - 0.02 * deviation, n, chance) > ALLOWED
            wrong += k * binom.sf(least_count(*case, one_by_one) - 1, n, chance) > 2 * ALLOWED
    assert wrong > 6


K, RUNS = 1500, 150
SIZES: dict[str, tuple[int, Floats]] = {
    # (people, shares): a map like the world's, all in one cell, and half of the cells bright.
    "power law": (200_000, np.maximum(np.arange(1, K + 1) ** -1.5 - 500**-1.5, 0)),
    "one cell": (5_000, np.eye(1, K)[0]),
    "few people": (12, (np.arange(K) < 3).astype(np.float64)),
    "half bright": (200_000_000, (np.arange(K) < K / 2).astype(np.float64)),
}


def drawn(family: str, epsilon: float, people: Ints, rng: np.random.Generator) -> Ints:
    """(k,) reports that include each symbol, drawn without the package."""
    n, k = int(people.sum()), people.size
    own, other = inclusion(family, epsilon, k)
    if family == "oue":
        return np.asarray(rng.binomial(people, own) + rng.binomial(n - people, other))
    stay = rng.binomial(people, own - other)
    return np.asarray(stay + rng.multinomial(n - stay.sum(), np.full(k, 1 / k)))


@pytest.mark.parametrize(
    ("kind", "family"), thinned(SIZES, ["oue", "randomized-response"], one_in=4)
)
def test_by_simulation_all_that_are_called_inhabited_are(family: str, kind: str) -> None:
    """At significance 10⁻⁶; in each run nobody may have one of the empty symbols that is named.

    That is the error of any group of symbols, too, such as the faint ones: a rule for the false
    share of all may be wrong of most of those, where bright symbols are many.
    """
    n, weights = SIZES[kind]
    people = np.random.default_rng(4).multinomial(n, weights / weights.sum())
    epsilon = 6.0 if kind == "few people" else 1.0 if family == "oue" else 3.0
    mechanism = catalogue.in_context(Context.plain(K, epsilon), family)
    rng = np.random.default_rng(5)
    misses = dict.fromkeys((may_be_noise, one_by_one, by_false_share), 0)
    found: list[float] = []
    for _ in range(RUNS):
        included = drawn(family, epsilon, people, rng)
        evidence = Evidence.of(mechanism, tally_of(mechanism, included, n))
        for rule in misses:
            misses[rule] += bool((~rule(evidence) & (people == 0)).any())
        bright = people > 7 * n * evidence.deviation
        found += (~may_be_noise(evidence)[bright]).tolist()
    most = binom.isf(SIGNIFICANCE, RUNS, ALLOWED)
    assert misses[may_be_noise] <= most
    if kind != "few people":
        assert misses[one_by_one] > most
    if kind == "half bright":
        assert misses[by_false_share] > most
        assert np.mean(found) > 0.9


FEW_RUNS = 300


@pytest.mark.parametrize(("family", "epsilon"), thinned(FAMILIES, (1.0, 5.0), one_in=4))
def test_cover_of_open_values_never_makes_a_hidden_one_inhabited(
    family: str, epsilon: float
) -> None:
    """Everybody has an open value; few people and a large ε, where the noise is far from normal.

    A rule that is wrong 15 times in 100 is found with power .9999.
    """
    labels, hidden = np.arange(60) % 2, np.arange(60) % 3 > 0
    people = np.where(hidden, 0, 1)
    people[0] = 20
    mechanism = catalogue.in_context(Context.of(labels, hidden, epsilon), family)
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(FEW_RUNS):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
        wrong += not may_be_noise(evidence)[hidden].all()
    assert wrong <= binom.isf(SIGNIFICANCE, FEW_RUNS, ALLOWED)


@pytest.mark.parametrize("family", FAMILIES)
def test_it_is_the_rule_of_the_simultaneous_intervals(family: str) -> None:
    """One rule: the map of lower bounds is dark where a table says that it may be noise."""
    rng = np.random.default_rng(7)
    labels, named = np.arange(80) % 4, 0
    for flags in (np.ones(80, np.bool_), np.arange(80) % 3 > 0, np.arange(80) == 5):
        for n in (3, 400, 50_000):
            mechanism = catalogue.in_context(Context.of(labels, flags, 2.0), family)
            people = rng.multinomial(n, rng.dirichlet(np.full(80, 0.1)))
            evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
            for level in (0.5, 0.95):
                noise = may_be_noise(evidence, level)
                np.testing.assert_array_equal(noise, simultaneous(evidence, level).low <= 0)
                named += int((~noise[flags]).sum())
            # A report in the clear names its sender's value: nobody else sends it.
            clear = mechanism.clear_symbols
            assert (people[clear[~noise[clear]]] > 0).all()
    assert named > 20


@pytest.mark.parametrize("family", FAMILIES)
def test_what_stands_out_beside_open_values_is_called_inhabited(family: str) -> None:
    """The exact test must not count cover twice: six deviations are no noise of 40 values."""
    rng = np.random.default_rng(8)
    flags = np.arange(40) < 10
    mechanism = catalogue.in_context(Context.high_low(flags, 1.0), family)
    people = np.where(flags, 0, 3_000)
    people[3] = 6 * people.sum() * np.sqrt(mechanism.variance(people / people.sum(), 90_000)[3])
    missed, draws = 0, 60  # a rule that misses 3 in 10 is found with power .9999
    for _ in range(draws):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
        assert intervals(evidence).low[3] > 0
        missed += may_be_noise(evidence)[3]
    # Bonferroni's limit lies at 3.2 deviations, so 1 in 400 is missed.
    assert missed <= binom.isf(SIGNIFICANCE, draws, norm.cdf(3.3 - 6))
