"""Fake phones and sums of blocks, against all reports there are and simulated collections.

Fields, planes, hashes and the law of a report are made here; the law of the sum of n reports is
their convolution. Of the package only the check of a tally is taken.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from caldp_core.audit import poisoning
from caldp_core.audit.poisoning import (
    ATTACKS,
    FALSE_ALARMS,
    MAXIMAL_GAIN,
    RANDOM_ITEMS,
    RANDOM_REPORTS,
    BlockSum,
    block_sum,
    exceeded_deviations,
)
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.estimation.estimators import FakesGuess, even_fakes, recover_shares, subtract_fakes
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import PublishedUrapMechanism
from caldp_core.privacy.context import Context
from tests.contract.checks import CONTEXTS, channel_of, context, design_of, naming, single_estimates
from tests.stats import SIGNIFICANCE, assert_mean
from tests.strategies import thinned

FAMILY = pytest.mark.parametrize("family", FAMILIES)
EVERY = pytest.mark.parametrize(("family", "kind"), thinned(FAMILIES, CONTEXTS, one_in=3))
NEARLY = 1e-9
CASES = 200
"""Above the families × contexts × attacks that any statistical test here runs on."""


def mechanism_of(family: str, kind: str, epsilon: float = 1.0) -> ContextMechanism:
    return catalogue.in_context(context(kind, epsilon), family)


def target_sets(k: int) -> list[Ints]:
    rng = np.random.default_rng(11)
    sets = [np.array([x]) for x in range(k)]
    sets += [rng.choice(k, size=size, replace=False) for size in (2, 3, 5) if size <= k]
    return [*sets, np.arange(k)]


def crafted_law(mechanism: ContextMechanism, x: int) -> Floats:
    """(outputs,) by enumeration: the reports that add most to p̂_x, as often as x sends them."""
    adds = single_estimates(mechanism)[:, x]
    law = np.where(adds >= adds.max() - NEARLY, channel_of(mechanism)[x], 0.0)
    return np.asarray(law / law.sum())


def random_law(mechanism: ContextMechanism) -> Floats:
    """(outputs,) by enumeration: reports are of x's block if any hidden symbol of it sends them."""
    channel, cover = channel_of(mechanism) > 0, mechanism.symbol_partition
    law = np.zeros(mechanism.outputs)
    for x in range(mechanism.k):
        block = mechanism.policy.blocks[x]
        alike = cover.hidden[mechanism.policy.blocks[cover.hidden] == block]
        by_hidden = channel[alike].any(axis=0)
        can = by_hidden if x in cover.hidden else channel[x] & ~by_hidden
        law += can / can.sum() / mechanism.k
    return law


@EVERY
def test_no_report_adds_more_and_one_adds_as_much(family: str, kind: str) -> None:
    mechanism = mechanism_of(family, kind)
    for targets in target_sets(mechanism.k):
        each = single_estimates(mechanism)[:, targets].sum(axis=1)
        with naming(f"targets {targets}"):
            assert poisoning.maximal_gain_added(mechanism, targets) == pytest.approx(
                each.max(), rel=1e-9
            )


@EVERY
def test_means_of_crafted_and_random_reports(family: str, kind: str) -> None:
    mechanism = mechanism_of(family, kind)
    single = single_estimates(mechanism)
    tolerance = NEARLY * max(1.0, float(np.abs(single).max()))
    for x in range(mechanism.k):
        found = poisoning.crafted_mean(mechanism, x)
        with naming(f"symbol {x}"):
            np.testing.assert_allclose(found, crafted_law(mechanism, x) @ single, atol=tolerance)
            assert found[x] == pytest.approx(poisoning.maximal_gain_added(mechanism, np.array([x])))
    found = poisoning.random_report_mean(mechanism)
    np.testing.assert_allclose(found, random_law(mechanism) @ single, atol=tolerance)
    for targets in target_sets(mechanism.k):
        assert poisoning.random_reports_added(mechanism, targets) == pytest.approx(
            found[targets].sum()
        )


def check_crafted(mechanism: ContextMechanism, x: int, repeats: int = 250) -> None:
    """Mean and covariance of crafted tallies are those of independent reports of that law."""
    law, design, fakes = crafted_law(mechanism, x), design_of(mechanism), 3000
    mean = law @ design
    covariance = fakes * ((design - mean).T * law) @ (design - mean)
    rng = np.random.default_rng(12)
    tallies = [poisoning.sample_crafted(mechanism, x, fakes, rng) for _ in range(repeats)]
    counts = np.stack([tally.counts for tally in tallies]).astype(np.float64)
    assert all(tally.n == fakes for tally in tallies)
    spread = np.sqrt(np.where(covariance.diagonal() > 1e-9, covariance.diagonal(), 0.0))
    certain = np.where(spread > 0, fakes * mean, np.rint(fakes * mean))
    assert_mean(counts, certain, spread, SIGNIFICANCE / CASES)
    upper = np.triu_indices(mean.size)
    products = (counts - fakes * mean)[:, upper[0]] * (counts - fakes * mean)[:, upper[1]]
    assert_mean(products, covariance[upper], products.std(axis=0), SIGNIFICANCE / CASES)


@FAMILY
@pytest.mark.slow
def test_crafted_tallies_have_the_law_of_crafted_reports(family: str) -> None:
    mechanism = mechanism_of(family, "blocks and sensitive set")
    for x in (0, int(mechanism.clear_symbols[0])):
        with naming(f"symbol {x}"):
            check_crafted(mechanism, x)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_gains_in_plain_ldp_are_those_of_the_paper(epsilon: float) -> None:
    """Cao, Jia, Gong 2021, Table 1, for a share f_T of the targets; λ in 2^-48ths."""
    d, r, power = 40, 3, np.exp(epsilon)
    p, targets = np.random.default_rng(1).dirichlet(np.ones(d)), np.arange(r)
    rest = float(p[targets].sum())
    printed = {
        ("randomized-response", RANDOM_REPORTS): r / d - rest,
        ("randomized-response", RANDOM_ITEMS): 1 - rest,
        ("randomized-response", MAXIMAL_GAIN): 1 - rest + (d - r) / (power - 1),
        ("oue", RANDOM_REPORTS): r - rest,
        ("oue", RANDOM_ITEMS): 1 - rest,
        ("oue", MAXIMAL_GAIN): 2 * r - rest + 2 * r / (power - 1),
    }
    for (family, attack), gain in printed.items():
        mechanism = catalogue.in_context(Context.plain(d, epsilon), family)
        found = poisoning.expected_gain(ATTACKS[attack], mechanism, p, targets, 0.05)
        assert found == pytest.approx(0.05 * gain, rel=1e-9), f"{family} {attack}"


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_one_phones_power_by_the_size_of_its_block(epsilon: float) -> None:
    """The closed forms of `power`, and what they say of smaller blocks."""
    power, n = np.exp(epsilon), 10**6
    root = np.exp(epsilon / 2)
    forms: dict[str, Callable[[int], float]] = {
        "hadamard": lambda _: (power + 1) / (power - 1),
        "oue": lambda _: 2 * power / (power - 1),
        "rappor": lambda _: root / (root - 1),
        "randomized-response": lambda s: 1 + (s - 1) / (power - 1),
    }
    k = 64
    p = np.full(k, 1 / k)
    for family, form in forms.items():
        needed, powers = [], []
        for s in (4, 16, 64):
            mechanism = catalogue.in_context(
                Context.block_structured(np.arange(k) // s, epsilon), family
            )
            found = poisoning.attack_power(mechanism, 5, p, n)
            assert found.added == pytest.approx(form(s), rel=1e-9)
            drawn_anew = mechanism.variance(p, n)[5]  # with the people drawn as well
            assert found.noise == pytest.approx(n * np.sqrt(drawn_anew - p[5] * (1 - p[5]) / n))
            needed.append(found.to_stand_out())
            powers.append((found.added, found.noise))
        if family == "randomized-response":
            falls = np.diff(powers, axis=0) > 0
            assert falls.all(), "power and noise fall together"
            assert max(needed) < 2 * min(needed)
            own, other = power / (power + 63), 1 / (power + 63)
            variance = n / k * own * (1 - own) + n * (k - 1) / k * other * (1 - other)
            assert powers[-1][1] == pytest.approx(np.sqrt(variance) / (own - other))
        else:
            assert 2 * needed[0] < needed[2], f"{family}: fewer stand out of smaller blocks"
    # Hadamard: noise c·√(people of the block), those at the place less: they lean to one side.
    mechanism = catalogue.in_context(
        Context.block_structured(np.arange(k) // 16, epsilon), "hadamard"
    )
    own = power / (power + 1)
    spread = np.sqrt(n / 4 - n / k * (1 - 4 * own * (1 - own)))
    needed_here = poisoning.attack_power(mechanism, 5, p, n).to_stand_out()
    assert needed_here == pytest.approx(3 * spread, abs=1)


def test_repair_that_knows_all_is_unbiased_and_one_that_does_not_misses_by_its_formula() -> None:
    mechanism, x, beta = mechanism_of("hadamard", "blocks"), 2, 0.05
    p = np.random.default_rng(3).dirichlet(np.ones(mechanism.k))
    added = poisoning.crafted_mean(mechanism, x)
    mixed = (1 - beta) * p + beta * added
    np.testing.assert_allclose(subtract_fakes(mixed, beta, added), p, atol=1e-12)
    labels, one_report = mechanism.blocks, mechanism.tally(mechanism.every_report()[:1])
    sums = sums_by(labels, (1 - beta) * p + beta * np.eye(mechanism.k)[x], mechanism.policy.m)
    evidence = replace(Evidence.of(mechanism, one_report), unbiased=mixed, block_shares=sums)
    guess = FakesGuess(added, np.eye(sums.size)[labels[x]])
    np.testing.assert_allclose(recover_shares(evidence, beta, guess), p, atol=1e-12)
    blind = even_fakes(evidence, float(added.sum()))
    kept = recover_shares(evidence, beta, blind)
    np.testing.assert_allclose(sums_by(labels, kept, sums.size), sums, atol=1e-12)
    assert kept[x] > p[x] + 0.5 * beta
    d = int((mixed > 0).sum())
    missed = subtract_fakes(mixed, beta, blind.added)[x] - p[x]
    assert missed == pytest.approx(beta * (added[x] - added.sum() / d) / (1 - beta))
    assert missed > 0.5 * beta * added[x]
    # Phones that follow the coins add e_x: a repair made for crafted reports takes too much.
    honest = (1 - beta) * p + beta * np.eye(mechanism.k)[x]
    assert subtract_fakes(honest, beta, added)[x] - p[x] == pytest.approx(
        beta * (1 - added[x]) / (1 - beta)
    )


def test_what_cannot_be_answered_is_refused() -> None:
    mechanism = mechanism_of("hadamard", "plain")
    p = np.full(7, 1 / 7)
    with pytest.raises(CaldpError, match=r"fakes must be a number in \[0, 0.5\], got 0.6"):
        poisoning.expected_gain(ATTACKS[RANDOM_ITEMS], mechanism, p, np.array([1]), 0.6)
    for wrong in (np.array([1, 1]), np.zeros(0, np.int64)):
        with pytest.raises(CaldpError, match="one or more different symbols"):
            poisoning.maximal_gain_added(mechanism, wrong)
    published = PublishedUrapMechanism(context("sensitive set", 1.0))
    with pytest.raises(CaldpError, match="does not say what a chosen report does"):
        poisoning.maximal_gain_added(published, np.array([0]))
    with pytest.raises(CaldpError, match="one entry for each of the 7 shares, got 3"):
        subtract_fakes(p, 0.1, np.zeros(3))


class HonestSubsets(SubsetSelectionOracles):
    """A slip: its "crafted" reports are those of honest people at the target."""

    def sample_crafted(self, counts: Ints, rng: np.random.Generator) -> Ints:
        return self.sample_tally(counts, np.zeros_like(self._sizes), rng)


class OneHash(LocalHashingOracles):
    """A slip: a report includes no more than one target."""

    def most_included(self, ranks: Ints) -> Ints:
        return np.minimum(super().most_included(ranks), 1)


def test_slips_are_found() -> None:
    policy = context("blocks and sensitive set", 1.0)
    with pytest.raises(AssertionError):
        check_crafted(ContextMechanism(policy, "slip", HonestSubsets), 0)
    mechanism = ContextMechanism(policy, "slip", OneHash)
    every = np.arange(mechanism.k)
    most = single_estimates(mechanism).sum(axis=1).max()
    assert poisoning.maximal_gain_added(mechanism, every) < most - 0.1


AGREE = ("randomized-response", "subset-selection")
OFTEN = ("oue", "randomized-response")
"""Families that are drawn in every run of the tests."""
BLOCKS = Context.of([0] * 30 + [1] * 12, [True] * 25 + [False] * 5 + [True] * 12, [1.0, 2.0])
PEOPLE = np.random.default_rng(1).integers(20, 400, BLOCKS.k)
TARGET = 3
DRAWS = 100


def checks_of(mechanism: ContextMechanism, fakes: int) -> list[BlockSum]:
    """The checks of the target's block in some collections, each with `fakes` crafted reports."""
    rng = np.random.default_rng(7)
    made = []
    for _ in range(DRAWS):
        tally = mechanism.sample_tally(PEOPLE, rng)
        if fakes:
            tally += poisoning.sample_crafted(mechanism, TARGET, fakes, rng)
        made.append(block_sum(Evidence.of(mechanism, tally), TARGET))
    return made


@pytest.mark.parametrize(
    "family",
    [pytest.param(each, marks=[] if each in OFTEN else pytest.mark.thorough) for each in FAMILIES],
)
def test_honest_sums_have_the_noise_that_is_said_and_crafted_ones_are_seen(family: str) -> None:
    mechanism = catalogue.in_context(BLOCKS, family)
    honest = checks_of(mechanism, 0)
    off = np.array([each.estimated - each.reported for each in honest])
    assert honest[0].always_agree == (family in AGREE)
    assert {each.reported for each in honest} == {float(PEOPLE[:30].sum())}
    if family in AGREE:
        assert np.abs(off).max() < 1e-6
        assert not any(each.is_suspect for each in checks_of(mechanism, 2_000))
        assert honest[0].detectable_fakes(mechanism, TARGET) is None
        return
    noise = np.array([each.noise for each in honest])
    assert_mean(off, np.array(0.0), noise.mean(), SIGNIFICANCE / len(FAMILIES))
    # Five standard errors of a deviation; 1.6 times as much or as little is found nine times of 10.
    assert off.std() == pytest.approx(noise.mean(), rel=5 / np.sqrt(2 * DRAWS))
    assert sum(each.is_suspect for each in honest) <= 4  # of 0.05 expected
    fakes = honest[0].detectable_fakes(mechanism, TARGET)
    assert fakes is not None
    suspects = [sum(e.is_suspect for e in checks_of(mechanism, m)) for m in (fakes // 4, fakes)]
    assert suspects[0] < 10
    assert 25 < suspects[1] < 75  # every second time: five standard errors


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_crafted_report_adds_is_found_by_hand(family: str) -> None:
    few = Context.of([0] * 6 + [1] * 3, [True] * 5 + [False] + [True] * 3, [1.0, 2.0])
    mechanism = catalogue.in_context(few, family)
    check = BlockSum(1e4, 1e4, 100.0, 2, 3.2905267)
    by_hand = float(crafted_law(mechanism, TARGET) @ single_estimates(mechanism).sum(axis=1)) - 1
    found = check.detectable_fakes(mechanism, TARGET)
    if by_hand < 1e-9:
        assert found is None
    else:
        limit = 3.2905267 * 100  # 1 in 2,000 of the normal law
        assert found == np.ceil(max(np.roots([by_hand**2, -(limit**2) / 1e4, -(limit**2)])))


@pytest.mark.parametrize("n", [8, 60, 600, 60_000])
def test_the_limit_of_two_kinds_of_reports_is_that_of_the_binomial_law(n: int) -> None:
    """Hadamard response of 15 values: one report in 11 includes all, others half of the rest."""
    share = math.e / (8 * (math.e + 1))
    limit = exceeded_deviations(np.array([0.0, 1.0]), np.array([1 - share, share]), n, 1e-3)
    spread = math.sqrt(n * share * (1 - share))
    reached = n * share + limit * spread
    assert binom.sf(math.floor(reached), n, share) <= 1.02e-3
    assert binom.sf(math.floor(reached - 1.01), n, share) > 1e-3
    by_normal = n * share + norm.isf(1e-3) * spread
    assert binom.sf(math.floor(by_normal), n, share) > 1.03e-3


def test_what_all_reports_together_can_show_sets_no_alarm() -> None:
    halves = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    assert math.isinf(exceeded_deviations(*halves, 5, 1e-3))
    check = BlockSum(5.0, 5.0, 1.0, 1, math.inf)
    assert not check.is_suspect
    assert check.detectable_fakes(catalogue.in_context(BLOCKS, "hadamard"), TARGET) is None


def parity_sums(k: int, n: int, epsilon: float, answers: int, rng: np.random.Generator) -> object:
    """Sums of the estimates of Hadamard response by its definition, less the people."""
    rows = np.array([[1.0]])
    while len(rows) < k + 1:
        rows = np.block([[rows, rows], [rows, -rows]])
    used, scale = rows[1 : k + 1], (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
    law = (1 + used[:answers].mean(axis=0) / scale) / len(rows)
    reports = rng.multinomial(n, law, size=400_000)
    return scale * reports @ used.sum(axis=0) - n


def bit_sums(k: int, n: int, epsilon: float, answers: int, rng: np.random.Generator) -> object:
    """The same of optimized unary encoding, whatever the answers are."""
    noise, size = 1 / (math.exp(epsilon) + 1), 400_000
    bits = rng.binomial(n, 0.5, size) + rng.binomial(n * (k - 1), noise, size)
    return (bits - n * k * noise) / (0.5 - noise) - n


@pytest.mark.parametrize(("family", "sums"), [("hadamard", parity_sums), ("oue", bit_sums)])
@pytest.mark.parametrize("setting", [(15, 20, 1.0, 15), (9, 60, 4.0, 1)])
def test_false_alarms_of_few_reports_are_as_rare_as_is_said(
    family: str, sums: object, setting: tuple[int, int, float, int]
) -> None:
    """Simulated without the package; a normal limit was exceeded two to fourteen times as often."""
    assert callable(sums)
    k, n, epsilon, answers = setting
    made = catalogue.in_context(Context.plain(k, epsilon), family)
    people = np.bincount(np.arange(n) % answers, minlength=k)
    rng = np.random.default_rng(11)
    check = block_sum(Evidence.of(made, made.sample_tally(people, rng)), 0)
    off = sums(k, n, epsilon, answers, rng)
    alarms = float((off > check.limit).mean())
    error = math.sqrt(FALSE_ALARMS / len(off))
    assert alarms <= 1.1 * FALSE_ALARMS + 4.9 * error
    assert (off > 0.6 * check.limit).mean() > 5 * FALSE_ALARMS
    if family == "hadamard" and k == 15:
        by_normal = (off > norm.isf(FALSE_ALARMS) * off.std()).mean()
        assert by_normal > 1.5 * FALSE_ALARMS + 4.9 * error


def test_another_symbol_is_refused() -> None:
    mechanism = catalogue.in_context(BLOCKS, "hadamard")
    tally = mechanism.sample_tally(PEOPLE, np.random.default_rng(0))
    with pytest.raises(CaldpError, match="x must"):
        block_sum(Evidence.of(mechanism, tally), BLOCKS.k)


MODULI = {2: 0b10, 4: 0b111, 8: 0b1011, 16: 0b10011}
"""Polynomials over GF(2) by which products in the field of q elements are taken."""
WRITTEN_OUT_BLOCKS = 2


def times(a: int, b: int, q: int) -> int:
    found = 0
    for bit in range(q.bit_length()):
        found ^= (b >> bit & 1) * a << bit
    for bit in range(2 * q.bit_length(), q.bit_length() - 2, -1):
        if found >> bit & 1:
            found ^= MODULI[q] << bit - q.bit_length() + 1
    return found


def planes(size: int, q: int) -> tuple[Floats, int]:
    """(planes, size) which values an affine hyperplane holds, and the number of directions."""
    digits = next(d for d in range(1, 12) if q**d >= size)
    table = np.array([[times(a, b, q) for b in range(q)] for a in range(q)])
    points = np.arange(size)[:, None] // q ** np.arange(digits) % q
    normals = [
        each for each in product(range(q), repeat=digits) if next((c for c in each if c), 0) == 1
    ]
    products = [np.bitwise_xor.reduce(table[normal, points], axis=1) for normal in normals]
    return np.array([each == y for each in products for y in range(q)], float), len(normals)


@dataclass(frozen=True)
class Law:
    """Of one block: (size, values) chances that a report of a person holds 0, 1, … values.

    `q`: how many numbers a value may have in a report.
    """

    q: int
    own: float
    other: float
    chances: Floats

    @property
    def gain(self) -> float:
        return self.own - self.other


def law_of(size: int, epsilon: float, q: int) -> Law:
    power, (held, directions) = math.exp(epsilon), planes(size, q)
    lie = q / (q + power - 1)
    # A person's report is any plane with chance λ, else one of those through their value.
    reports = lie / len(held) + (1 - lie) * held.T / directions
    number = held.sum(axis=1).astype(int)
    chances = np.array([np.bincount(number, row, minlength=size + 1) for row in reports])
    includes = reports @ held
    other = float(includes[0, 1:].mean())
    np.testing.assert_allclose(includes[~np.eye(size, dtype=bool)], other)
    return Law(q, float(includes[0, 0]), other, chances)


def best_law(size: int, epsilon: float) -> Law | None:
    """Of q = 2, 4, 8, 16 and randomized response the one of the least error; None for the last."""

    def error(own: float, other: float) -> float:
        return (own * (1 - own) + (size - 1) * other * (1 - other)) / (own - other) ** 2

    power = math.exp(epsilon)
    laws = [law_of(size, epsilon, q) for q in MODULI if q < size]
    best = min(laws, key=lambda law: error(law.own, law.other))
    response = error(power / (power + size - 1), 1 / (power + size - 1))
    return best if error(best.own, best.other) < response else None


def hashed_law(size: int, epsilon: float) -> Law:
    """By every polynomial of degree 2 over the least field, and each of g numbers next to e^ε + 1.

    Of these the one of the least error.
    """
    prime = next(p for p in range(size, 2 * size) if all(p % d for d in range(2, p)))
    points = np.indices((prime,) * 3).reshape(3, -1, 1)
    values = (points[0] + points[1] * np.arange(size) + points[2] * np.arange(size) ** 2) % prime
    power, laws = math.exp(epsilon), list[tuple[float, Law]]()
    least = min(int(power) + 1, prime)
    for g in {least, min(least + 1, prime)}:
        numbers, wrong = values * g // prime, 1 / (power + g - 1)
        chances = np.zeros((size, size + 1))
        for number in range(g):
            hit = numbers == number
            for held in np.unique(hit.sum(axis=1)):
                of_person = hit[hit.sum(axis=1) == held]
                here = of_person.sum(axis=0)
                chances[:, held] += (power * here + len(of_person) - here) * wrong / prime**3
        agree = float((numbers[:, 0] == numbers[:, 1]).mean())
        own, other = power * wrong, agree * power * wrong + (1 - agree) * wrong
        error = (own * (1 - own) + (size - 1) * other * (1 - other)) / (own - other) ** 2
        laws.append((error, Law(g, own, other, chances)))
    return min(laws, key=lambda pair: pair[0])[1]


def law_of_sum(chances: Floats, n: int) -> Floats:
    """Chances of the sum of n numbers, each of which is 0, 1, … with these chances."""
    size = n * (chances.size - 1) + 1
    return np.maximum(np.fft.irfft(np.fft.rfft(chances, 1 << size.bit_length()) ** n)[:size], 0)


def checked(family: str, size: int, epsilon: float, n: int, seed: int) -> tuple[BlockSum, Floats]:
    """The check of the first of two blocks with n reports each, and its plausible shares."""
    labels = np.repeat(np.arange(WRITTEN_OUT_BLOCKS), size)
    context = Context.of(labels, np.ones(labels.size, np.bool_), epsilon)
    mechanism = catalogue.in_context(context, family)
    people = np.bincount(np.arange(n) % min(size, 5), minlength=size)
    tally = mechanism.sample_tally(np.tile(people, WRITTEN_OUT_BLOCKS), np.random.default_rng(seed))
    evidence = Evidence.of(mechanism, tally)
    own = evidence.plausible[:size]
    return block_sum(evidence, 0), own / own.sum()


def tail_at(check: BlockSum, law: Law, shares: Floats, n: int) -> tuple[float, float, float]:
    """Chance that an honest sum is above the limit, or two steps below it; deviation of the sum.

    In people: a report that holds c values adds (c − r·s)/(a − r) to the sum.
    """
    mixed, size = shares @ law.chances, shares.size
    number = np.arange(size + 1)
    mean = float(mixed @ number)
    deviation = math.sqrt(n * float(mixed @ (number - mean) ** 2)) / law.gain
    sums = law_of_sum(mixed, n)
    people = (np.arange(sums.size) - n * mean) / law.gain
    used = np.flatnonzero(mixed > 1e-12)
    step = float(np.gcd.reduce(np.diff(used))) / law.gain
    return (
        float(sums[people > check.limit + 1e-6].sum()),
        float(sums[people > check.limit - 2 * step].sum()),
        deviation,
    )


SETTINGS = [(6, 0.1, 2), (9, 0.1, 2), (9, 1.0, 4), (15, 1.0, 4), (40, 0.1, 2), (40, 2.0, 8)]


@pytest.mark.parametrize(("size", "epsilon", "q"), SETTINGS)
def test_the_limit_is_that_of_all_sums_of_reports(size: int, epsilon: float, q: int) -> None:
    law = best_law(size, epsilon)
    assert law is not None
    assert law.q == q
    for n in (40, 600, 20_000):
        check, shares = checked("galois", size, epsilon, n, n)
        above, below, deviation = tail_at(check, law, shares, n)
        with naming(f"{n}: {check}, {above}, {below}"):
            assert check.noise == pytest.approx(deviation, rel=1e-6)
            assert above <= 1.05 * FALSE_ALARMS / WRITTEN_OUT_BLOCKS
            assert below > 0.9 * FALSE_ALARMS / WRITTEN_OUT_BLOCKS


@pytest.mark.parametrize("size", [6, 7, 20, 23])
def test_the_limit_of_local_hashing_is_that_of_all_hashes(size: int) -> None:
    """Of 20 reports of 20 values thirteen times as many were above that of independent bits."""
    for epsilon, n in product((0.1, 3.0), (20, 600)):
        law = hashed_law(size, epsilon)
        check, shares = checked("local-hashing", size, epsilon, n, n)
        above, below, deviation = tail_at(check, law, shares, n)
        with naming(f"{epsilon}, {n}: {check}, {above}, {below}"):
            assert check.noise == pytest.approx(deviation, rel=1e-6)
            assert above <= 1.05 * FALSE_ALARMS / WRITTEN_OUT_BLOCKS
            assert below > 0.9 * FALSE_ALARMS / WRITTEN_OUT_BLOCKS


@pytest.mark.slow
@pytest.mark.parametrize(("size", "epsilon"), [(36, 3.6), (40, 1.0), (40, 10.0)])
def test_in_larger_fields_no_more_sums_are_above_the_limit(size: int, epsilon: float) -> None:
    """There only hashes that are constant are counted apart."""
    law = hashed_law(size, epsilon)
    for n in (20, 600):
        check, shares = checked("local-hashing", size, epsilon, n, n)
        above, _, deviation = tail_at(check, law, shares, n)
        with naming(f"{n}: {check}, {above}"):
            assert check.noise == pytest.approx(deviation, rel=1e-6)
            assert above <= 1.15 * FALSE_ALARMS / WRITTEN_OUT_BLOCKS
            assert check.limit < 12 * check.noise


def test_randomized_response_is_taken_where_the_field_is_not_smaller() -> None:
    for size, epsilon in ((6, 20.0), (40, 10.0), (40, 20.0)):
        assert best_law(size, epsilon) is None
        assert checked("galois", size, epsilon, 600, 1)[0].always_agree


@pytest.mark.parametrize("family", ["galois", "local-hashing", "oue", "rappor"])
def test_cover_answers_count_with_the_reports_of_hidden_values(family: str) -> None:
    """By the channel written out; a report holds what sends it more often than cover answers do."""
    context = Context.of([0] * 9 + [1] * 3, [True] * 6 + [False] * 3 + [True] * 3, [0.1, 1.0])
    mechanism = catalogue.in_context(context, family)
    oracles: Any = mechanism.oracles
    p = np.arange(1.0, 13) / 78
    _, numerators, whole = oracles.channel(0)
    rows = np.array([[float(each / whole) for each in row] for row in numerators])
    lie = 1 - float(mechanism.clear_share[0])
    sent = p[:6] @ rows[:6] + lie * p[6:9].sum() * rows[6]
    number = (rows[:6] > rows[6]).sum(axis=0)
    if family in ("oue", "rappor"):
        number = np.array([at.bit_count() for at in range(rows.shape[1])])
    expected = np.bincount(number, sent / sent.sum(), 7)
    block_p = np.array([p[:9].sum(), p[9:].sum()])
    found = oracles.number_law(0, p[mechanism.hidden_symbols], block_p)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    without = oracles.number_law(0, p[mechanism.hidden_symbols], block_p * (1 - p[6:9].sum()))
    assert abs(without - expected).max() > 1e-4
