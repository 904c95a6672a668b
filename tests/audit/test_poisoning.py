"""Fake phones: gains by formula against every report there is, and against simulated attacks."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from caldp_core.audit import poisoning
from caldp_core.audit.poisoning import ATTACKS, MAXIMAL_GAIN, RANDOM_ITEMS, RANDOM_REPORTS
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.estimation.estimators import FakesGuess, even_fakes, recover_shares, subtract_fakes
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.direct.published_urap import PublishedUrapMechanism
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.privacy.context import Context
from tests.contract.checks import channel_of, design_of, naming, single_estimates
from tests.contract.contexts import CONTEXTS, context
from tests.products import thinned
from tests.stats import SIGNIFICANCE, assert_mean

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
def test_crafted_tallies_have_the_law_of_crafted_reports(family: str) -> None:
    mechanism = mechanism_of(family, "blocks and sensitive set")
    for x in (0, int(mechanism.clear_symbols[0])):
        with naming(f"symbol {x}"):
            check_crafted(mechanism, x)


def gains(
    mechanism: ContextMechanism, attack: str, targets: Ints, people: Ints, repeats: int
) -> Floats:
    """(repeats,) simulated: what 5 % fakes do to the estimate of the targets' share."""
    rng = np.random.default_rng(13)
    n = int(people.sum())
    m = n // 19
    laws = {
        RANDOM_REPORTS: random_law(mechanism),
        RANDOM_ITEMS: channel_of(mechanism)[targets].mean(axis=0),
        MAXIMAL_GAIN: best_report(mechanism, targets),
    }
    every, found = mechanism.every_report(), []
    for _ in range(repeats):
        sent = rng.choice(mechanism.outputs, size=m, p=laws[attack])
        poisoned = mechanism.sample_tally(people, rng) + mechanism.tally(every[sent])
        found.append(mechanism.estimate(poisoned)[targets].sum() - people[targets].sum() / n)
    return np.array(found)


def best_report(mechanism: ContextMechanism, targets: Ints) -> Floats:
    adds = single_estimates(mechanism)[:, targets].sum(axis=1)
    best = adds >= adds.max() - NEARLY
    return np.asarray(best / best.sum())


@pytest.mark.parametrize(("family", "name"), thinned(FAMILIES, ATTACKS, one_in=2))
def test_simulated_attacks_gain_what_the_formula_says(family: str, name: str) -> None:
    """120 × 20,000 people: the mean gain is known to about 0.0013, and 7 times that is allowed.

    Other attacks' formulas are off by 0.02 and more, one that forgets who is replaced (p_T) by
    0.021.
    """
    mechanism, targets = mechanism_of(family, "blocks and sensitive set"), np.array([0, 3])
    people = np.array([9, 1, 2, 2, 3, 1, 1, 4, 1, 1, 1]) * 730
    p = people / people.sum()
    found = gains(mechanism, name, targets, people, repeats=120)
    wanted = poisoning.expected_gain(ATTACKS[name], mechanism, p, targets, 0.05)
    spread = np.array([found.std()])
    limit = SIGNIFICANCE / CASES
    assert_mean(found[:, None], np.array([wanted]), spread, limit)
    for wrong in set(ATTACKS) - {name}:
        other = poisoning.expected_gain(ATTACKS[wrong], mechanism, p, targets, 0.05)
        with pytest.raises(AssertionError, match="z ="):
            assert_mean(found[:, None], np.array([other]), spread, limit)
    forgetful = 0.05 * ATTACKS[name].mean_added(mechanism, targets)
    with pytest.raises(AssertionError, match="z ="):
        assert_mean(found[:, None], np.array([forgetful]), spread, limit)


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
