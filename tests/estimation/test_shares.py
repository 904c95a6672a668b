"""Shares within groups, their differences, and quantiles: their ranges hold."""

import io
import json
import math
import struct
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy
import shapely
from scipy.stats import beta, binom, chi2, multinomial, norm

from caldp_core import Context, run
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, Progress, sums_by
from caldp_core.datasets import Dataset, Geometric, OwnTable, Zipf, from_counts, read_places
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.estimators import GroupShare, compare_groups, quantiles
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import (
    ShareWithin,
    intervals,
    may_be_noise,
    ranges,
    share_within,
)
from caldp_core.experiments.regions import (
    RegionReport,
    ResultAreas,
    areas_as_geojson,
    region_report,
)
from caldp_core.experiments.run import Setup, prepare, run_trial
from caldp_core.experiments.table import (
    as_csv,
    as_geojson,
    as_geoparquet,
    columns_of,
    people_column,
)
from caldp_core.mechanisms import FAMILIES, Mechanism, Tally, catalogue, in_context
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import EvenRuns, OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments.release import local_release
from tests import ROOT
from tests.stats import SIGNIFICANCE
from tests.strategies import thinned

WITHIN = [
    (is_open, family, epsilon, n, shares)
    for number, (is_open, family) in enumerate(
        product((True, False), ("randomized-response", "oue", "hadamard"))
    )
    for epsilon, n, shares in (
        ((0.5, 100_000, (0.1, 0.3)), (1.0, 1000, (0.02, 0.5)), (4.0, 10, (0.9, 0.0)))
        if number % 2
        else ((4.0, 100, (0.0, 0.3)), (1.0, 10_000, (1.0, 0.8)), (2.0, 30, (0.5, 0.5)))
    )
]
"""Whether the group is open, family, ε, people, and an answer's share in 3 of 10 and in 7 of 10."""
WITHIN_RUNS = 100
Ends = tuple[float, float]


def within_ranges(is_open: bool, family: str, epsilon: float, people: Ints, runs: int) -> list[Any]:
    """For each run: the evidence, and the share of an answer of three in the first group of two."""
    groups = np.repeat([0, 1], 3)
    labels = groups if is_open else np.zeros(6, np.int64)
    mechanism = catalogue.in_context(Context.of(labels, np.ones(6, np.bool_), epsilon), family)
    rng, made = np.random.default_rng(31), []
    for _ in range(runs):
        drawn = rng.multinomial(people.sum(), people / people.sum())
        evidence = Evidence.of(mechanism, mechanism.sample_tally(drawn, rng))
        first = groups == 0
        parts = [
            share_within(evidence, whole & (np.arange(6) % 3 == 0), whole)
            for whole in (first, ~first)
        ]
        made.append((evidence, *parts))
    return made


def without_channel_noise(evidence: Evidence, here: ShareWithin) -> Ends:
    """Wrong: the range of people who all told the truth (Wald's)."""
    share, people = here.range[0], max(here.people, 1.0)
    half = norm.isf(0.025) * math.sqrt(share * (1.0 - share) / people) + 0.5 / people
    return share - half, share + half


def of_all_groups(evidence: Evidence, here: ShareWithin) -> Ends:
    """Wrong: the range of the answer among the people of all groups."""
    pooled = share_within(evidence, np.arange(6) % 3 == 0, np.ones(6, np.bool_))
    return pooled.range[1], pooled.range[2]


WRONG = (without_channel_noise, of_all_groups)


@pytest.mark.slow  # 100 surveys each: the simulation itself is what shows the coverage
@pytest.mark.parametrize("case", thinned(WITHIN, one_in=3))
def test_shares_within_groups_and_their_differences_hold(case: Any) -> None:
    limit = norm.isf(SIGNIFICANCE / (3 * len(WITHIN))) * math.sqrt(0.95 * 0.05 / WITHIN_RUNS)
    is_open, family, epsilon, n, (one, two) = case
    share = np.array([one, (1 - one) / 2, (1 - one) / 2, two, (1 - two) / 2, (1 - two) / 2])
    people = n * share * np.repeat([0.3, 0.7], 3)
    held, wrong = np.zeros(3), np.zeros(2)
    for evidence, here, there in within_ranges(is_open, family, epsilon, people, WITHIN_RUNS):
        ranges_of_run = here.range, there.range, here.minus(there, evidence)
        truths = one, two, one - two
        for at, (found, true) in enumerate(zip(ranges_of_run, truths, strict=True)):
            assert found[1] <= found[0] <= found[2]
            held[at] += found[1] - 1e-12 <= true <= found[2] + 1e-12
        for at, method in enumerate(WRONG if n >= 1000 else ()):
            low, high = method(evidence, here)
            wrong[at] += low <= one <= high
    assert (held / WITHIN_RUNS >= 0.95 - limit).all(), held / WITHIN_RUNS
    if n >= 1000:  # must fail
        assert (wrong / WITHIN_RUNS < 0.95 - limit).all(), wrong / WITHIN_RUNS


@pytest.mark.parametrize(("epsilon", "people"), [(0.5, 10), (1.0, 5), (4.0, 1), (4.0, 40)])
def test_in_an_open_group_of_few_people_the_range_is_exact(epsilon: float, people: int) -> None:
    # Of everybody in the group a report says yes with a probability that the share decides: the
    # coverage is a sum over a binomial law, for every share.
    mechanism = catalogue.in_context(
        Context.of([0, 0, 1, 1], np.ones(4, np.bool_), epsilon), "randomized-response"
    )
    yes, flags = np.arange(people + 1), np.arange(4) < 2
    tallies = [
        Tally(np.array([c, people - c, 3, 4]), people + 7, mechanism.fingerprint) for c in yes
    ]
    ends = [
        share_within(Evidence.of(mechanism, tally), np.arange(4) < 1, flags).range
        for tally in tallies
    ]
    shares = np.linspace(0, 1, 101)
    truthful = 1 / (1 + math.exp(-epsilon))
    law = binom.pmf(yes[:, None], people, shares * truthful + (1 - shares) * (1 - truthful))
    low, high = np.array(ends)[:, 1:].T[..., None]
    assert ((law * ((low <= shares + 1e-9) & (shares - 1e-9 <= high))).sum(axis=0) >= 0.95).all()
    # Must fail: the same test by the normal law, as of many people.
    unbiased = (yes / people - (1 - truthful)) / (2 * truthful - 1)
    half = norm.isf(0.025) * math.sqrt(truthful * (1 - truthful) / people) / (2 * truthful - 1)
    wald = np.abs(np.clip(unbiased, 0, 1)[:, None] - shares) <= half
    assert epsilon < 4.0 or ((law * wald).sum(axis=0) < 0.95).any()


@pytest.mark.parametrize(("epsilon", "people"), [(2.0, 4), (4.0, 8)])
def test_in_a_hidden_group_of_few_people_the_range_holds_by_the_law_of_all_tallies(
    epsilon: float, people: int
) -> None:
    mechanism = catalogue.in_context(Context.plain(3, epsilon), "randomized-response")
    tallies = [t for t in product(range(people + 1), repeat=3) if sum(t) == people]
    evidence = [
        Evidence.of(mechanism, Tally(np.array(t), people, mechanism.fingerprint)) for t in tallies
    ]
    ends = np.array([share_within(e, np.arange(3) < 1, np.arange(3) < 2).range for e in evidence])
    inwards = 0.5 / people
    held, wrong = [], []
    for in_group, share in product((0.3, 0.7, 1.0), np.linspace(0, 1, 21)):
        p = np.array([in_group * share, in_group * (1 - share), 1 - in_group])
        law = multinomial.pmf(
            tallies, people, (p * math.expm1(epsilon) + 1) / (math.exp(epsilon) + 2)
        )
        low, high = ends[:, 1] - 1e-9, ends[:, 2] + 1e-9
        held.append(law[(low <= share) & (share <= high)].sum())
        wrong.append(law[(low + inwards <= share) & (share <= high - inwards)].sum())
    assert min(held) >= 0.95
    assert min(wrong) < 0.95  # must fail: without half a report for the steps of whole people


def test_a_group_without_people_says_nothing() -> None:
    mechanism = catalogue.in_context(Context.of([0, 0, 1], np.ones(3, np.bool_), 1.0), "oue")
    tally = mechanism.sample_tally(np.array([0, 0, 9]), np.random.default_rng(1))
    evidence, first = Evidence.of(mechanism, tally), np.arange(3) < 2
    here = share_within(evidence, np.arange(3) < 1, first)
    assert here.range == (0.0, 0.0, 1.0)
    assert here.people == 0
    there = share_within(evidence, ~first, ~first)
    assert there.range[0] == there.range[2] == 1.0
    assert here.minus(there, evidence) == (-1.0, -1.0, 1.0)


def survey(answers: list[str], groups: list[str], is_open: bool, epsilon: float = 3.0) -> Evidence:
    """1,000 people for each answer of each group but 3,000 with the last of the first group."""
    names = [f"{answer}; {group}" for group in groups for answer in answers]
    domain = Domain.of(names, [group for group in groups for _ in answers])
    labels = np.repeat(np.arange(len(groups)), len(answers)) * is_open
    context = Context.of(labels, np.ones(domain.k, np.bool_), epsilon)
    mechanism = catalogue.in_context(context, "randomized-response")
    people = np.full(domain.k, 1000)
    people[len(answers) - 1] = 3000
    return Evidence.of(
        mechanism, mechanism.sample_tally(people, np.random.default_rng(2)), domain=domain
    )


@pytest.mark.parametrize("is_open", [True, False])
def test_groups_are_compared_by_answer_each_with_all_others(is_open: bool) -> None:
    evidence = survey(["yes", "no"], ["Bavaria", "Hesse", "Saxony"], is_open)
    found = compare_groups(evidence)
    assert [(each.answer, each.group) for each in found][:3] == [
        ("yes", "Bavaria"),
        ("no", "Bavaria"),
        ("yes", "Hesse"),
    ]
    for each, (share, elsewhere) in zip(found, [(0.25, 0.5), (0.75, 0.5)], strict=False):
        for (middle, low, high), true in (
            (each.share, share),
            (each.elsewhere, elsewhere),
            (each.difference, share - elsewhere),
        ):
            assert low <= true <= high
            assert low <= middle <= high < low + 0.1
    assert found[0].people == (4000 if is_open else pytest.approx(4000, abs=300))
    assert found[0].share[0] + found[1].share[0] == pytest.approx(1.0)


def test_only_groups_with_answers_in_common_are_compared() -> None:
    names = Domain.of(["bus", "car", "on foot"], ["motor", "motor", "none"])
    mechanism = catalogue.in_context(Context.plain(3, 1.0), "oue")
    tally = mechanism.sample_tally(np.array([5, 5, 5]), np.random.default_rng(1))
    assert compare_groups(Evidence.of(mechanism, tally, domain=names)) == []
    assert compare_groups(Evidence.of(mechanism, tally)) == []


def test_names_without_their_groups_are_the_answers() -> None:
    crossed = Domain.of(["yes; A", "no; A", "yes; B"], ["A", "A", "B"])
    assert crossed.short_names() == ["yes", "no", "yes"]
    ahead = Domain.of(["A: x", "A: y", "B: x", "B: z"], ["A", "A", "B", "B"])
    assert ahead.short_names() == ["x", "y", "x", "z"]
    assert Domain.of(["x; y", "z"], ["A", "B"]).short_names() == ["x; y", "z"]
    assert Domain(2).short_names() == ["value 1", "value 2"]


def test_a_comparison_is_one_sentence() -> None:
    more = GroupShare(
        "yes", "Bavaria", 900.0, (0.12, 0.09, 0.15), (0.07, 0.05, 0.09), (0.05, 0.01, 0.09)
    )
    assert more.sentence == (
        "“yes”: in “Bavaria” 12 of 100 (9 to 15), elsewhere 7 of 100 (5 to 9): "
        "5 more of 100 (1 to 9)."
    )
    fewer = replace(more, difference=(-0.05, -0.09, -0.004))
    assert fewer.sentence.endswith(": 5 fewer of 100 (0 to 9).")
    same = replace(more, difference=(0.05, -0.03, 0.13))
    assert same.sentence.endswith(": no difference can be shown (-3 to +13 of 100).")
    few = replace(more, people=4.0, share=(0.3, 0.0, 1.0))
    assert few.sentence == "“yes”: “Bavaria” has too few people (4) to say anything."
    narrow = replace(more, share=(0.124, 0.12, 0.129))
    assert "in “Bavaria” 12.4 of 100 (12.0 to 12.9)" in narrow.sentence


def numbers(epsilon: float, people: Ints, runs: int) -> list[Evidence]:
    """Runs of people drawn in steps of ten, all hidden, by turns of two families."""
    names = Domain.of([f"{10 * x} to {10 * x + 9}" for x in range(people.size)])
    context, rng = Context.plain(people.size, epsilon), np.random.default_rng(5)
    made = [catalogue.in_context(context, each) for each in ("oue", "randomized-response")]
    drawn = [rng.multinomial(people.sum(), people / people.sum()) for _ in range(runs)]
    return [
        Evidence.of(made[run % 2], made[run % 2].sample_tally(each, rng), domain=names)
        for run, each in enumerate(drawn)
    ]


QUANTILE_RUNS = 100


@pytest.mark.slow  # 200 surveys of 8 cumulative shares each
def test_the_range_of_a_quantile_holds_it() -> None:
    limit = norm.isf(SIGNIFICANCE / 10) * math.sqrt(0.95 * 0.05 / QUANTILE_RUNS)
    people = np.array([5, 9, 14, 20, 22, 14, 9, 7])
    for epsilon, factor in ((0.5, 100), (4.0, 1)):
        held, wrong = np.zeros(3), 0
        for evidence in numbers(epsilon, people * factor, QUANTILE_RUNS):
            names = list(evidence.domain.names) if isinstance(evidence.domain, Domain) else []
            for at, found in enumerate(quantiles(evidence)):
                low, estimate, high = map(names.index, (found.low, found.estimate, found.high))
                assert low <= estimate <= high
                true = int(np.argmax(people.cumsum() >= found.share * people.sum()))
                held[at] += low <= true <= high
            # Wrong: as if all had told the truth. 48 of 100 are below 40, 70 below 50.
            cumulative, n = evidence.unbiased.cumsum(), evidence.n
            ends = np.asarray(beta.ppf([0.025, 0.975], n / 2, n / 2 + 1))
            low, high = (int(np.argmax(cumulative >= end)) for end in ends)
            wrong += low <= 4 <= high
        assert (held / QUANTILE_RUNS >= 0.95 - limit).all(), f"{epsilon}: {held}"
        if epsilon == 0.5:  # must fail
            assert wrong / QUANTILE_RUNS < 0.95 - limit, wrong


def test_quantiles_are_of_numbers_in_order() -> None:
    (evidence,) = numbers(20.0, np.array([100, 20, 480, 100, 100]), 1)
    lower, median, upper = quantiles(evidence)
    assert median.sentence == "Median “20 to 29” (“20 to 29” to “20 to 29”)."
    assert (lower.share, lower.low, lower.estimate, lower.high) == (
        0.25,
        "20 to 29",
        "20 to 29",
        "20 to 29",
    )
    assert upper.share == 0.75
    (tenth,) = quantiles(evidence, [0.1])
    assert (tenth.low, tenth.estimate, tenth.high) == ("0 to 9", "0 to 9", "0 to 9")
    assert tenth.sentence.startswith("10 of 100 people have at most “0 to 9” (")
    for names in ("a b c d e", "01 02 03 04 05", "D1 D2 D3 D4 D5", "Mon Tue Wed Thu Fri"):
        assert quantiles(replace(evidence, domain=Domain.of(names.split()))) == []


def test_quantiles_are_of_words_and_bands_in_order_wherever_they_stand() -> None:
    (evidence,) = numbers(20.0, np.array([480, 100, 20, 100, 900]), 1)
    for names, median in {
        "often; always; never; rarely; don't know": "often",
        "50+; under 10; 10-20; 20-50; 60+": "60+",
    }.items():
        own = replace(evidence, domain=Domain.of(names.split("; ")))
        (found,) = quantiles(own, [0.5])
        assert (found.low, found.estimate, found.high) == (median,) * 3


@pytest.mark.slow
def test_the_range_of_the_median_of_a_group_holds_it() -> None:
    limit = norm.isf(SIGNIFICANCE / 10) * math.sqrt(0.95 * 0.05 / QUANTILE_RUNS)
    scale, groups = ["never", "rarely", "often", "always"], ["North", "South"]
    domain = Domain.of([f"{a}; {g}" for g in groups for a in scale], np.repeat(groups, 4).tolist())
    people = np.array([300, 260, 240, 200, 100, 200, 400, 300])
    true, held = {"North": "rarely", "South": "often"}, Counter[str]()
    for evidence in numbers(2.0, people, QUANTILE_RUNS):
        for found in quantiles(replace(evidence, domain=domain))[3:]:
            low, estimate, high = map(scale.index, (found.low, found.estimate, found.high))
            assert low <= estimate <= high
            held[found.group] += low <= scale.index(true[found.group]) <= high
    assert set(held) == set(groups)
    assert min(held.values()) / QUANTILE_RUNS >= 0.95 - limit, held


CASES = [(family, own) for family in FAMILIES for own in (True, False)]
QUICK = [(family, False) for family in list(FAMILIES)[::3]] + [("randomized-response", True)]
"""Where people are fixed, the interval leaves out their sampling error, whatever the family."""
PER_SIDE = SIGNIFICANCE / len(CASES) / 4
RUNS = 400
"""At ε = 6 the coins of k-RR add less than sampling does, so that taking one for the other shows.
The mean square of 400 errors in standard deviations is 1 ± 0.07, within 0.4; with half or twice
the variance it is 2 ± 0.14 or 0.5 ± 0.04: both outside."""
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


@pytest.mark.slow
@pytest.mark.parametrize(("family", "own"), QUICK)
def test_estimates_are_right_on_average_and_err_as_they_say(family: str, own: bool) -> None:
    check_errors(reports(setup_of(family, own), RUNS))


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
    seeds = np.random.SeedSequence(6).spawn(100)
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


K, N, AREAS_RUNS = 60, 3_000, 60
LABELS = np.arange(K) % 7
MISSES = 1e-6


def mechanism(family: str) -> Mechanism:
    """Four blocks, in which every fourth symbol is not hidden."""
    return in_context(Context.of(np.arange(K) // 15, np.arange(K) % 4 > 0, 2.0), family)


def people(rng: np.random.Generator) -> Ints:
    return rng.multinomial(N, rng.dirichlet(np.full(K, 0.3)))


def misses(family: str, scale: float) -> tuple[int, int]:
    """Of `AREAS_RUNS` runs: those whose highest area is missed, and areas missed in all.

    `scale`: of the half widths; 1 as they are.
    """
    rng, made = np.random.default_rng(5), mechanism(family)
    counts = people(rng)
    truth, highest, every = sums_by(LABELS, counts / N, 7), 0, 0
    for _ in range(AREAS_RUNS):
        evidence = Evidence.of(made, made.sample_tally(counts, rng))
        sums = sums_by(LABELS, evidence.plausible, 7)
        ends = local_release(evidence, evidence.plausible).ends_of_areas(LABELS)
        low, high = (sums + scale * (end / evidence.n - sums) for end in (ends.low, ends.high))
        missed = (truth < low - 1e-12) | (truth > high + 1e-12)
        highest += bool(missed[np.argmax(sums)])
        every += int(missed.sum())
    return highest, every


@pytest.mark.parametrize("family", ["oue", "randomized-response"])
def test_ranges_hold_for_95_of_100_areas_and_for_the_highest(family: str) -> None:
    highest, every = misses(family, 1.0)
    assert highest <= scipy.stats.binom.isf(MISSES, AREAS_RUNS, 0.05)
    assert every <= 7 * scipy.stats.binom.isf(
        MISSES, AREAS_RUNS, 0.05
    )  # areas of a run are dependent
    _, of_narrow = misses(family, 0.4)
    assert of_narrow > 7 * scipy.stats.binom.isf(MISSES, AREAS_RUNS, 0.05)


def test_an_area_of_whole_blocks_is_known_and_a_part_of_one_is_not() -> None:
    made, rng = mechanism("oue"), np.random.default_rng(6)
    counts = people(rng)
    labels = np.where(np.arange(K) < 30, 0, 1 + (np.arange(K) >= 50))
    evidence = Evidence.of(made, made.sample_tally(counts, rng))
    ends = local_release(evidence, evidence.plausible).ends_of_areas(labels)
    assert [ends.low[0], ends.high[0]] == pytest.approx([counts[:30].sum()] * 2)
    assert (ends.high - ends.low)[1:].min() > 0.01 * N
    assert ends.always.tolist() == [True, False, False]


def test_people_of_a_file_are_whole_where_they_are_but_for_rounding() -> None:
    """It was 48910.99999999997 people."""
    some = np.array([48910.99999999997, 0.0, -1e-12, 2.5, 1 / 3])
    assert as_csv({"people": people_column(some)}).split() == [
        "people",
        "48911",
        "0",
        "0",
        "2.5",
        "0.333333",
    ]
    assert people_column(np.array([1e-7, 0.25])) == [1e-7, 0.25]
    assert people_column(np.array([987654321.00000012, 3.0])) == [987654321, 3]
    assert people_column(np.zeros(0)) == []


def test_geojson_draws_an_area_as_the_union_of_its_cells() -> None:
    grid = GridDomain.from_area(GridDomain(48.0, 11.0, 0.5, 2, 3).area, 0.5)
    cells = np.array([0, 0, 2, 0, 1, 2])
    areas = ResultAreas(("a", "b", "none"), cells, grid, np.where(cells == 2, 3, cells))
    shares: Floats = np.array([0.5, 0.25, 0.25])
    columns = {"area": list(areas.names), "estimated share": shares.tolist()}
    first, second, third = json.loads(areas_as_geojson(areas, columns))["features"]
    assert shapely.geometry.shape(first["geometry"]).area == pytest.approx(3 * 0.25)
    assert shapely.geometry.shape(second["geometry"]).bounds == (11.5, 48.5, 12.0, 49.0)
    assert third == {
        "type": "Feature",
        "geometry": None,
        "properties": {"area": "none", "estimated share": 0.25},
    }


def of_example(name: str) -> Scenario:
    return Scenario.from_file(str(ROOT / "examples" / f"{name}.json"))


def test_every_row_says_how_far_it_can_be_trusted() -> None:
    result = run(prepare(replace(of_example("hadamard"), estimator="simplex")))
    columns = {name: np.array(column) for name, column in columns_of(result).items()}
    evidence, shares = result.first.evidence, result.first.estimate
    ends = ranges(evidence, shares)
    np.testing.assert_array_equal(columns["low"], ends.low)
    np.testing.assert_array_equal(columns["high"], ends.high)
    assert set(columns["level"]) == {0.95}
    np.testing.assert_array_equal(columns["may be noise"] == "yes", may_be_noise(evidence))
    known = shares > 0
    assert 0 < known.sum() < shares.size
    assert set(columns["relative error"][~known]) == {""}
    half = columns["relative error"][known].astype(float) * shares[known]
    np.testing.assert_allclose(2 * half, (ends.high - ends.low)[known])


def test_values_that_nobody_has_are_called_noise_and_those_of_many_are_not() -> None:
    """Of 500 values without people none is taken for one with people, but for 1 time in 40."""
    counts = (0,) * 500 + (60_000,) * 500
    table = OwnTable(tuple(f"value {i}" for i in range(1000)), counts)
    scenario = Scenario(table, mechanism=Hadamard(), seed=3)
    result = run(prepare(scenario.with_context(blocks=OneBlock(), epsilon=4.0)))
    noise = np.array(columns_of(result)["may be noise"])
    assert (noise[:500] == "yes").all()
    assert (noise[500:] == "no").sum() > 400
    # Must fail: each value's own range names 1 in 40 of them.
    assert (intervals(result.first.evidence).low[:500] > 0).sum() > 3


def test_a_map_is_saved_as_squares_with_the_same_columns() -> None:
    places = read_places("lat,lon,n\n48.1,11.5,90000\n48.2,11.6,50000\n-33.9,151.2,70000").places
    scenario = Scenario(places).with_context(epsilon=4.0)
    result = run(prepare(scenario))
    grid, columns = places.grid(), columns_of(result)
    made = json.loads(as_geojson(result))
    packed = as_geoparquet(result)
    table = pq.read_table(io.BytesIO(packed))
    assert json.loads(table.schema.metadata[b"geo"])["primary_column"] == "geometry"
    for cell, row in zip(made["features"], table.to_pylist(), strict=True):
        polygon = row.pop("geometry")
        assert (row, polygon[:13]) == (cell["properties"], struct.pack("<BIII", 1, 3, 1, 5))
        ring = np.frombuffer(polygon, "<f8", offset=13).reshape(-1, 2)
        np.testing.assert_array_equal(ring, cell["geometry"]["coordinates"][0])
    numbers = [each["properties"]["number"] for each in made["features"]]
    assert numbers == np.flatnonzero(result.first.estimate > 0).tolist()
    for each in made["features"][:50]:
        (ring,) = each["geometry"]["coordinates"]
        (west, south), (east, _), (_, north), _, last = ring
        assert last == ring[0]
        number = each["properties"].pop("number")
        assert grid.locate([(south + north) / 2], [(west + east) / 2]).tolist() == [number]
        for name, cell in each["properties"].items():
            assert cell == columns[name][number]
    with pytest.raises(CaldpError, match="needs a map"):
        as_geojson(run(prepare(of_example("hadamard"))))
    with pytest.raises(CaldpError, match="needs a map"):
        as_geoparquet(run(prepare(of_example("hadamard"))))


@pytest.mark.slow
def test_where_variances_are_too_many_the_shares_stand_alone() -> None:
    result = run(prepare(of_example("planar-geometric")))
    head = as_csv(columns_of(result)).splitlines()[0]
    assert head == "number,latitude,longitude,block,estimated share,estimated people"
