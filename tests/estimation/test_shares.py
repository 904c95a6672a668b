"""Shares within groups, their differences, and quantiles: their ranges hold."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from caldp_core.basics.types import Ints
from caldp_core.domain.domains import Domain
from caldp_core.estimation.estimators import GroupShare, compare_groups, quantiles
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import ShareWithin, share_within
from caldp_core.mechanisms import Tally, catalogue
from caldp_core.privacy.context import Context
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
        parts = [share_within(evidence, whole & (np.arange(6) % 3 == 0), whole)
                 for whole in (first, ~first)]  # fmt: skip
        made.append((evidence, *parts))
    return made


def without_channel_noise(evidence: Evidence, here: ShareWithin) -> Ends:
    """Wrong: the range of people who all told the truth (Wald's)."""
    del evidence
    share, people = here.range[0], max(here.people, 1.0)
    half = norm.isf(0.025) * math.sqrt(share * (1.0 - share) / people) + 0.5 / people
    return share - half, share + half


def of_all_groups(evidence: Evidence, here: ShareWithin) -> Ends:
    """Wrong: the range of the answer among the people of all groups."""
    del here
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
    tallies = [Tally(np.array([c, people - c, 3, 4]), people + 7, mechanism.fingerprint)
               for c in yes]  # fmt: skip
    ends = [share_within(Evidence.of(mechanism, tally), np.arange(4) < 1, flags).range
            for tally in tallies]  # fmt: skip
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
        ("yes", "Bavaria"), ("no", "Bavaria"), ("yes", "Hesse")
    ]  # fmt: skip
    for each, (share, elsewhere) in zip(found, [(0.25, 0.5), (0.75, 0.5)], strict=False):
        for (middle, low, high), true in (
            (each.share, share), (each.elsewhere, elsewhere), (each.difference, share - elsewhere)
        ):  # fmt: skip
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
        0.25, "20 to 29", "20 to 29", "20 to 29"
    )  # fmt: skip
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
