"""Reports on a part of the domain: whole blocks are exact, intervals hold the truth as they say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, chi2, norm

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.datasets import Dataset, Geometric, Zipf, from_counts
from caldp_core.domain.answers import Domain
from caldp_core.experiments.regions import RegionReport, region_report
from caldp_core.experiments.run import Setup, prepare, run_trial
from caldp_core.mechanisms import FAMILIES
from caldp_core.scenarios.blocks import EvenRuns, OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from tests.stats import SIGNIFICANCE

CASES = [(family, own) for family in FAMILIES for own in (True, False)]
QUICK = [(family, False) for family in list(FAMILIES)[::3]] + [("hadamard", True)]
"""Where people are fixed, the interval leaves out their sampling error, whatever the family."""
PER_SIDE = SIGNIFICANCE / len(CASES) / 4
RUNS = 400
"""At ε = 6 the coins of k-RR add less than sampling does, so that taking one for the other shows.
The mean square of 400 errors in standard deviations is 1 ± 0.07, within 0.4; with half or twice
the variance it is 2 ± 0.14 or 0.5 ± 0.04: both outside."""
RUNS_THOROUGH = 1000
"""The interval holds the truth in Binomial(1000, 0.95) runs: 950, within 5.4·6.9 = 37. With half
the variance it would hold in 83 % or 834 ± 12, with twice in 99.4 % or 994 ± 2.4: both outside."""
SCENARIO = Scenario(
    policy=ContextPolicy(blocks=EvenRuns(5), sensitive=SensitiveSymbols(("0-29",)), epsilon=6.0),
    dataset=Zipf(40),
    n=10_000,
)
REGION = (np.arange(40) >= 6) & (np.arange(40) < 16)
"""A quarter of the first block of 8 cells and all of the second, but none of the others."""


def load_counts(scenario: Scenario, progress: Progress) -> Dataset:
    """A dataset with people of its own: 30 of symbol 0, 40 of symbol 1, …"""
    return from_counts("Counted", "Made up.", Domain(40), 10 * np.arange(3, 43))


def setup_of(family: str, own: bool) -> Setup:
    scenario = replace(SCENARIO, n=None if own else 10_000, mechanism=FAMILIES[family].spec())
    return prepare(scenario, load=load_counts)


def reports(setup: Setup, runs: int) -> list[RegionReport]:
    seeds = np.random.SeedSequence(5).spawn(runs)
    return [region_report(setup, run_trial(setup, seed), REGION) for seed in seeds]


def count_hits(found: list[RegionReport], off: float = 1.0) -> int:
    """In how many reports the interval holds the truth; `off`: factor of a wrong variance."""
    return sum(abs(r.estimate - r.truth) <= np.sqrt(off) * r.half_width for r in found)


def mean_square(found: list[RegionReport], off: float = 1.0) -> float:
    """Of the errors in standard deviations that the reports claim; `off`: as in `count_hits`."""
    z = np.array([(r.estimate - r.truth) / (r.half_width / norm.isf(0.025)) for r in found])
    return float(np.mean(z**2)) / off


def check_errors(found: list[RegionReport]) -> None:
    """They are 0 on average, and their mean square is as claimed."""
    runs = len(found)
    low, high = chi2.ppf(PER_SIDE, runs) / runs, chi2.isf(PER_SIDE, runs) / runs
    assert low <= mean_square(found) <= high
    for off in (0.5, 2.0):
        assert not low <= mean_square(found, off) <= high
    # 5.5 standard errors: p = 4e-8 for each of 24 cases.
    error = np.mean([r.estimate - r.truth for r in found])
    assert abs(error) <= 5.5 * found[0].half_width / norm.isf(0.025) / np.sqrt(runs)


@pytest.mark.parametrize(("family", "own"), QUICK)
def test_estimates_are_right_on_average_and_err_as_they_say(family: str, own: bool) -> None:
    check_errors(reports(setup_of(family, own), RUNS))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("family", "own"), [case for number, case in enumerate(CASES) if number % 8 in (0, 3)]
)
def test_intervals_hold_the_truth_as_often_as_they_say(family: str, own: bool) -> None:
    found = reports(setup_of(family, own), RUNS_THOROUGH)
    check_errors(found)
    low, high = (law(PER_SIDE, RUNS_THOROUGH, 0.95) for law in (binom.ppf, binom.isf))
    assert low <= count_hits(found) <= high
    for off in (0.5, 2.0):
        assert not low <= count_hits(found, off) <= high


def test_what_a_report_says() -> None:
    setup = setup_of("hadamard", own=True)
    (report,) = reports(setup, 1)
    assert report.cells == 10
    assert report.exact_blocks == 1
    assert report.truth == pytest.approx((10 * np.arange(3, 43))[REGION].sum())
    assert 0 <= report.low <= report.estimate <= report.high
    assert report.is_lost_in_noise == (report.half_width > report.truth)


def test_whole_blocks_are_exact() -> None:
    setup = setup_of("hadamard", own=True)
    outcome = run_trial(setup, np.random.SeedSequence(1))
    report = region_report(setup, outcome, np.isin(setup.partition.labels, [2, 4]))
    assert report.exact_blocks == 2
    assert report.estimate == pytest.approx(report.truth)
    assert report.half_width == pytest.approx(0, abs=1e-6)
    assert not report.is_lost_in_noise
    everything = region_report(setup, outcome, np.ones(40, np.bool_))
    assert everything.estimate == pytest.approx(setup.n)


def test_an_interval_stays_among_the_people_there_are() -> None:
    setup = prepare(Scenario(Geometric(60, 0.5), policy=ContextPolicy(blocks=OneBlock()), n=1000))
    nobody = np.arange(60) >= 55
    seeds = np.random.SeedSequence(6).spawn(200)
    found = [region_report(setup, run_trial(setup, seed), nobody) for seed in seeds]
    assert all(min(each.estimate, 0) <= each.low <= each.high <= 1000 for each in found)
    assert all(each.low <= each.estimate <= each.high for each in found)
    assert all(each.low >= 0 for each in found if each.estimate >= 0)
    assert any(each.estimate + each.half_width < 0 for each in found)  # the case is there
    everybody = [region_report(setup, run_trial(setup, seed), np.arange(60) < 59) for seed in seeds]
    assert all(each.low <= each.processed_estimate <= each.high for each in everybody)
    assert all(each.high <= max(each.estimate, 1000 + 1e-9) for each in everybody)
    assert any(each.estimate - each.half_width > 1000 for each in everybody)


def test_an_empty_region_is_refused() -> None:
    setup = setup_of("hadamard", own=True)
    outcome = run_trial(setup, np.random.SeedSequence(1))
    with pytest.raises(CaldpError, match="holds no cell"):
        region_report(setup, outcome, np.zeros(40, np.bool_))
