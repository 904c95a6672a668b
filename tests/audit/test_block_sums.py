"""Sums of blocks: false alarms, what is seen, and what cannot be, all by simulated collections."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from caldp_core.audit import poisoning
from caldp_core.audit.poisoning import FALSE_ALARMS, BlockSum, block_sum, exceeded_deviations
from caldp_core.basics.errors import CaldpError
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.privacy.context import Context
from tests.audit.test_poisoning import crafted_law
from tests.contract.checks import single_estimates
from tests.stats import SIGNIFICANCE, assert_mean

AGREE = ("randomized-response", "subset-selection")
OFTEN = ("oue", "randomized-response")
"""Families that are drawn in every run of the tests."""
BLOCKS = Context.of([0] * 30 + [1] * 12, [True] * 25 + [False] * 5 + [True] * 12, [1.0, 2.0])
PEOPLE = np.random.default_rng(1).integers(20, 400, BLOCKS.k)
TARGET = 3
DRAWS = 100


def checks_of(mechanism: ContextMechanism, fakes: int) -> list[BlockSum]:
    """The check of the target's block in so many collections, each with so many crafted reports."""
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
