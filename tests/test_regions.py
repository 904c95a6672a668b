"""Reports on a part of the domain: whole blocks are exact, intervals hold the truth as they say."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.datasets import Dataset, Geometric, Zipf, from_counts
from caldp_core.domain.grid import Domain
from caldp_core.experiments.regions import RegionReport, region_report
from caldp_core.experiments.run import Setup, prepare, run_trial
from caldp_core.mechanisms import FAMILIES
from caldp_core.scenarios.protection import EvenRuns, OneBlock, SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from tests.stats import SIGNIFICANCE

RUNS = 1000
CASES = [(family, own) for family in FAMILIES for own in (True, False)]
PER_SIDE = SIGNIFICANCE / len(CASES) / 2
"""The interval holds the truth in Binomial(1000, 0.95) runs: 950, within 5.2·6.9 = 36. With half
the variance it would hold in 83 % or 834 ± 12, with twice in 99.4 % or 994 ± 2.4: both outside.
At ε = 6 the coins of k-RR add less than sampling does, so that taking one for the other shows."""
SCENARIO = Scenario(
    dataset=Zipf(200),
    blocks=EvenRuns(5),
    sensitive=SensitiveSymbols(("0-149",)),
    epsilon=6.0,
    n=20_000,
)
REGION = (np.arange(200) >= 30) & (np.arange(200) < 80)
"""Half of the first block, not all of it hidden, and all of the second but none of the third."""


def counted(scenario: Scenario, progress: Progress) -> Dataset:
    """A dataset with people of its own: 3 of symbol 0, 4 of symbol 1, …"""
    return from_counts("Counted", "Made up.", Domain(200), np.arange(3, 203))


def setup_of(family: str, own: bool) -> Setup:
    scenario = replace(SCENARIO, family=family, n=None if own else 20_000)
    return prepare(scenario, load=counted)


def reports(setup: Setup, runs: int) -> list[RegionReport]:
    seeds = np.random.SeedSequence(5).spawn(runs)
    return [region_report(setup, run_trial(setup, seed), REGION) for seed in seeds]


def held(found: list[RegionReport], off: float = 1.0) -> int:
    """In how many reports the interval holds the truth; `off`: factor of a wrong variance."""
    return sum(abs(r.estimate - r.truth) <= np.sqrt(off) * r.half_width for r in found)


@pytest.mark.parametrize(("family", "own"), CASES)
def test_intervals_hold_the_truth_as_often_as_they_say(family: str, own: bool) -> None:
    found = reports(setup_of(family, own), RUNS)
    low, high = binom.ppf(PER_SIDE, RUNS, 0.95), binom.isf(PER_SIDE, RUNS, 0.95)
    assert low <= held(found) <= high
    for off in (0.5, 2.0):
        assert not low <= held(found, off) <= high


@pytest.mark.parametrize(("family", "own"), CASES)
def test_estimates_are_right_on_average(family: str, own: bool) -> None:
    found = reports(setup_of(family, own), 400)
    error = np.array([r.estimate - r.truth for r in found])
    # 5.2 standard errors: p = 2e-7 for each of four cases.
    assert abs(error.mean()) <= 5.2 * found[0].half_width / 1.96 / np.sqrt(400)


def test_what_a_report_says() -> None:
    setup = setup_of("hadamard", own=True)
    (report,) = reports(setup, 1)
    assert report.cells == 50
    assert report.exact_blocks == 1
    assert report.truth == pytest.approx(np.arange(3, 203)[REGION].sum())
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
    everything = region_report(setup, outcome, np.ones(200, np.bool_))
    assert everything.estimate == pytest.approx(setup.n)


def test_an_interval_stays_among_the_people_there_are() -> None:
    setup = prepare(Scenario(Geometric(60, 0.5), OneBlock(), n=1000))
    nobody = np.arange(60) >= 55
    seeds = np.random.SeedSequence(6).spawn(200)
    found = [region_report(setup, run_trial(setup, seed), nobody) for seed in seeds]
    assert all(0 <= each.low <= each.high <= 1000 for each in found)
    assert any(each.estimate + each.half_width < 0 for each in found)  # the case is there
    everybody = [region_report(setup, run_trial(setup, seed), np.arange(60) < 59) for seed in seeds]
    assert all(0 <= each.low <= each.high <= 1000 for each in everybody)
    assert any(each.estimate - each.half_width > 1000 for each in everybody)


def test_an_empty_region_is_refused() -> None:
    setup = setup_of("hadamard", own=True)
    outcome = run_trial(setup, np.random.SeedSequence(1))
    with pytest.raises(CaldpError, match="holds no cell"):
        region_report(setup, outcome, np.zeros(200, np.bool_))
