"""Lists, figures and tables of docs/ on mechanisms and estimators are those of the code."""

import importlib
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks.suites.accuracy import Estimators
from caldp_core import Scenario, prepare
from caldp_core.basics.limits import SPACE_POINTS_MAX
from caldp_core.basics.types import Floats
from caldp_core.datasets import Gowalla
from caldp_core.datasets.shipped import zipf_shares
from caldp_core.estimation import cascade_estimator
from caldp_core.estimation.estimators import ESTIMATORS, simplex
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import intervals, may_be_noise
from caldp_core.experiments.metrics import total_variation
from caldp_core.mechanisms import ContextMechanism, Mechanism, catalogue
from caldp_core.mechanisms.catalogue import (
    MECHANISMS,
    Galois,
    Hadamard,
    MechanismSpec,
    PublishedUrap,
    RandomizedResponse,
    SubsetSelection,
)
from caldp_core.mechanisms.oracles.galois import digits_of
from caldp_core.mechanisms.oracles.hadamard import published_parts
from caldp_core.mechanisms.oracles.hyperplanes import coins_of
from caldp_core.privacy.context import Context
from caldp_core.theory.bounds import least_loss, minimax, worst_case
from caldp_core.theory.expected_error import variance_given_people
from tests import ROOT
from tests.contract.checks import naming
from tests.estimation.optimisers import calibrate

TEXT = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")


def rows(section: str, text: str = TEXT) -> list[list[str]]:
    """Cells of the section's table, its header left out."""
    body = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    table = [line for line in body.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


@cache
def found(name: str) -> Any:
    """The module, function, class or method of this dotted name."""
    parts = name.split(".")
    for stop in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:stop]))
        except ModuleNotFoundError:
            continue
        for part in parts[stop:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(name)


def test_what_any_page_names_is_there() -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")]
    names = {name for text in pages for name in re.findall(r"`(caldp_core(?:\.\w+)+)", text)}
    assert len(names) > 30
    for name in names:
        with naming(name):
            assert found(name).__doc__
    with pytest.raises(AttributeError):
        found("caldp_core.theory.bounds.no_such_bound")


def test_every_mechanism_is_told() -> None:
    table = [
        (name.strip("`"), title, keeps.strip("`"), source)
        for name, title, keeps, source in rows("Mechanisms")
    ]
    assert table == [
        (entry.name, entry.title, ", ".join(kept.__name__ for kept in entry.policies), entry.source)
        for entry in MECHANISMS.values()
    ]


def test_every_estimator_is_told() -> None:
    table = [(name.strip("`"), title, text) for name, title, text in rows("Estimators")]
    assert table == [(e.name, e.title, e.sentence) for e in ESTIMATORS.values()]


def test_every_policy_that_a_mechanism_keeps_is_told() -> None:
    text = " ".join(row[-1] for row in rows("One promise"))
    assert all(f".{policy.__name__}" in text for e in MECHANISMS.values() for policy in e.policies)


ESTIMATORS_TEXT = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "benchmarks" / "estimators.md").read_text(encoding="utf-8")
"""The tables of estimators, as measured."""


@pytest.mark.slow
@pytest.mark.parametrize("blocks", ["US, 25 × 35 blocks", "US"])
def test_what_it_gains(blocks: str) -> None:
    row = next(line for line in MEASURED.splitlines() if line.startswith(f"| {blocks} | 1 |"))
    cells = [cell.strip(" *") for cell in row.replace("**", "").strip("|").split("|")]
    for name, cell in {
        "simplex-per-block": cells[3],
        "cascade": cells[7],
        "mixture": cells[8],
    }.items():
        suite = Estimators()
        suite.setup(blocks, 1.0, name)
        assert f"{suite.track_wrong_cell():.1f} ({suite.track_wrong_box():.1f})" == cell


def test_the_page_of_estimators_repeats_what_was_measured() -> None:
    gains = rows("What it gains", ESTIMATORS_TEXT)
    assert len(gains) == 3
    # The measured table has a row for each map and ε; behind these two cells come the estimators.
    measured = {tuple(row[:2]): row for row in rows("All estimators", MEASURED)}
    for name, *cells in gains:
        row = measured[name, "1"]
        assert cells == [row[i] for i in (3, 4, 6, 7, 8)]
    page_q = rows("When to change q", ESTIMATORS_TEXT)
    assert len(page_q) == 4
    measured_q = {row[0]: row for row in rows("By q of the cascade", MEASURED)}
    for name, *cells in page_q:
        assert cells == [measured_q[name][i] for i in (1, 2, 4, 6)]
    page = " ".join(ESTIMATORS_TEXT.split())
    named, empty = figures_of("US, all at once")[1].split(", ")
    by_row, empty_by_row = figures_of("US, row by row")[1].split(", ")
    assert empty == "0"
    assert f"{named} cells are called inhabited and none of them is empty" in page
    assert f"it would be {by_row}, {empty_by_row} of them empty" in page
    ranges = [row for row in rows("Ranges", MEASURED) if len(row) == 9 and row[1] != "ε"]
    held = [float(cell) for row in ranges for cell in row[2:-1] if cell]
    assert f"On the six measured maps {min(held)} of 100 ranges or more hold" in page


def figures_of(title: str, *more: str) -> list[str]:
    """The cells of the row of a table with these first cells."""
    start = "".join(f"| {cell} " for cell in (title, *more))
    row = next(line for line in MEASURED.splitlines() if line.startswith(start))
    return [cell.strip(" *") for cell in row.strip("|").split("|")][1 + len(more) :]


def test_why_ranges_are_widened_and_noise_is_judged_for_all_cells_at_once() -> None:
    setup = prepare(Scenario(Gowalla(), mechanism=Galois()).plain())
    truth, people = setup.dataset.distribution, setup.dataset.counts
    assert people is not None
    mechanism, errors = catalogue.in_context(Context.plain(truth.size, 1.0), "galois"), []
    for seed in range(3):
        tally = mechanism.sample_tally(people, np.random.default_rng(seed))
        evidence = Evidence.of(mechanism, tally, domain=setup.dataset.domain)
        shares, ends = cascade_estimator.cascade_estimate(evidence), intervals(evidence)
        # The nearest shares within all intervals, by bisection for the one shift.
        low, high = -1.0, 1.0
        for _ in range(60):
            shift = (low + high) / 2
            large = np.clip(shares - shift, ends.low, ends.high).sum() > 1
            low, high = (shift, high) if large else (low, shift)
        drawn = np.clip(shares - high, ends.low, ends.high)
        errors.append([100 * total_variation(truth, each) for each in (shares, drawn)])
        if not seed:
            for row, named in (
                ("US, row by row", ends.low > 0),
                ("US, all at once", ~may_be_noise(evidence)),
            ):
                found = f"{named.sum():,}, {(named & (people == 0)).sum():,}"
                assert figures_of(row)[1] == found
    cascade, drawn = np.mean(errors, axis=0)
    assert figures_of("US", "cascade")[1] == f"{cascade:.1f}"
    after = MEASURED.split("| US | cascade |")[1].splitlines()[1]
    assert after.split("|")[4].strip() == f"{drawn:.1f}"


def test_its_limits_are_told() -> None:
    for least in (
        cascade_estimator.SYMBOLS_LEAST,
        cascade_estimator.PEOPLE_LEAST,
        cascade_estimator.ALL_LEAST,
    ):
        assert re.search(rf"\b{least}\b", ESTIMATORS_TEXT)


def test_the_peer_that_is_compared_with_is_a_fair_one() -> None:
    # A posterior mean under the right law for sparse shares beats the nearest distribution clearly.
    mechanism = catalogue.in_context(Context.plain(2000, 1.0), "galois")
    people = np.random.default_rng(0).multinomial(100_000, zipf_shares(2000, 1.2))
    tally = mechanism.sample_tally(people, np.random.default_rng(1))
    evidence, truth = Evidence.of(mechanism, tally), people / people.sum()
    peer, nearest = calibrate(evidence), simplex(evidence)
    assert peer.sum() == pytest.approx(1.0)
    assert np.abs(peer - truth).sum() < 0.9 * np.abs(nearest - truth).sum()


GALOIS_TEXT = (ROOT / "docs" / "galois.md").read_text(encoding="utf-8")


def best(epsilon: float) -> float:
    return float(4 * np.exp(epsilon) / np.expm1(epsilon) ** 2)


def error(family: str, k: int, epsilon: float) -> float:
    mechanism = catalogue.in_context(Context.plain(k, epsilon), family)
    return float(variance_given_people(mechanism, np.full(k, 1 / k), 1).mean())


def same(text: str, number: float) -> bool:
    """Whether the text is of this number, to its last digit."""
    return float(f"{number:.{len(text.split('.')[1])}f}") == float(text)


@pytest.mark.parametrize(
    "row", rows("What it is for", GALOIS_TEXT), ids=lambda row: f"k = {row[0]}, ε = {row[1]}"
)
def test_what_it_is_for(row: list[str]) -> None:
    k, epsilon = int(row[0]), float(row[1])
    mechanism = catalogue.in_context(Context.plain(k, epsilon), "galois")
    q = int(mechanism.oracles._values[0])  # type: ignore[attr-defined]
    d = int(digits_of(np.array([k]), q.bit_length() - 1)[0])
    assert row[2:6] == [str(q), str(d), str(mechanism.outputs), str(mechanism.report_bits)]
    ours, hadamard = error("galois", k, epsilon), error("hadamard", k, epsilon)
    assert all(map(same, row[6:], (ours, hadamard, best(epsilon))))


def above_optimum(k: int, epsilon: float) -> float:
    """The error as a multiple of subset selection's, the least in plain LDP."""
    return error("galois", k, epsilon) / error("subset-selection", k, epsilon)


STEP = 0.25
VALUES = [64, 256, 1000, 1024, 4096, 43750]


@pytest.mark.parametrize("k", VALUES)
def test_next_to_the_optimum_up_to_a_32nd_and_at_it_from_k_on(k: int) -> None:
    """What the page says first."""
    low = np.append(np.arange(0.05, np.log(k / 32), STEP), np.log(k / 32))
    assert max(above_optimum(k, float(epsilon)) for epsilon in low) < 1.08
    high = np.log(k) + np.array([0.0, 0.5, 2.0])
    assert max(above_optimum(k, float(epsilon)) for epsilon in high) < 1 + 1e-9


@pytest.mark.parametrize("row", rows("Where it is farther off", GALOIS_TEXT), ids="-".join)
def test_where_it_is_farther_off(row: list[str]) -> None:
    k, epsilon = int(row[0]), float(row[1])
    between = np.arange(STEP * np.ceil(np.log(k / 32) / STEP), np.log(k), STEP)
    found = [above_optimum(k, float(each)) for each in between]
    assert between[int(np.argmax(found))] == epsilon
    assert same(row[2], max(found))
    opening = " ".join(GALOIS_TEXT.split("## What it is for")[0].split())
    if k == 1024:
        assert f"{max(found) - 1:.0%}".replace("%", " %") + " above it for 1,024" in opening
    if k == 43750:
        assert f"{max(found):.1f} times it for 43,750" in opening


def test_the_cost_of_a_tally() -> None:
    for q, d, coins in rows("The tally of any number of people", GALOIS_TEXT):
        assert coins_of(int(q).bit_length() - 1, int(d)) == int(coins)


@pytest.mark.parametrize(
    "row",
    rows("Beside general Hadamard response", GALOIS_TEXT),
    ids=lambda row: f"k = {row[0]}, ε = {row[1]}",
)
def test_beside_general_hadamard_response(row: list[str]) -> None:
    k, epsilon = int(row[0]), float(row[1])
    mechanism = ContextMechanism(Context.plain(k, epsilon), "hadamard", Hadamard(None).family())
    (wanted,) = published_parts(np.array([k]), np.array([epsilon])).tolist()
    used = mechanism.oracles._parts  # type: ignore[attr-defined]
    numbers = (wanted, *used.counts.tolist(), *used.orders.tolist(), mechanism.report_bits)
    assert row[2:6] == [str(number) for number in numbers]
    general = float(variance_given_people(mechanism, np.full(k, 1 / k), 1).mean())
    exact = (general, error("galois", k, epsilon), error("hadamard", k, epsilon))
    assert all(map(same, row[6:], exact))
    power, (parts,) = np.exp(epsilon), used.counts
    formula = ((power + 2 * parts - 1) / (power - 1)) ** 2 / parts
    assert general == pytest.approx(formula - 1 / k, rel=0.005)
    assert formula >= 8 / (power - 1)


def test_what_is_said_of_large_epsilon() -> None:
    assert SPACE_POINTS_MAX == 2**22
    assert error("galois", 43_750, 8.0) / best(8.0) == pytest.approx(1.32, abs=0.005)
    bits = catalogue.in_context(Context.plain(43_750, 5.0), "galois").report_bits
    assert f"A report at ε = 5 and k = 43,750 has {bits} bits" in GALOIS_TEXT


def test_what_is_said_of_sensitive_sets() -> None:
    """Fifty or 500 of a thousand values sensitive, held by one person in fifty."""
    ratios = {"hadamard": 1.0, "rappor": 1.0}
    for size in (50, 500):
        for epsilon in (1.0, 2.0, 4.0):
            flags = np.arange(1000) < size
            p = np.where(flags, 0.02 / size, 0.98 / (1000 - size))
            errors = {
                family: catalogue.in_context(Context.high_low(flags, epsilon), family)
                .variance(p, 1)
                .sum()
                for family in ("galois", *ratios)
            }
            for family, least in ratios.items():
                ratios[family] = min(least, errors[family] / errors["galois"])
    assert 0.97 < ratios["hadamard"] < 1.0  # better by some percent
    assert 0.62 < ratios["rappor"] < 0.70  # by a third


def optimum_rows(title: str) -> list[list[str]]:
    """Cells of the table under this heading, its header left out."""
    body = TEXT.split(f"\n### {title}\n\n", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()[2:]]


def people(k: int, s: int, share: float) -> Floats:
    return np.where(np.arange(k) < s, share / s, (1 - share) / (k - s))


@pytest.mark.parametrize("row", optimum_rows("Worst case"), ids="-".join)
def test_the_worst_case(row: list[str]) -> None:
    k, s, epsilon = int(row[0]), int(row[1]), float(row[2])
    found = minimax(k, s, epsilon)
    figures = [f"{found.share:.3f}", " and ".join(map(str, found.sizes)), f"{found.loss:.5g}"]
    assert row[3:6] == figures
    context = Context.high_low(np.arange(k) < s, epsilon)
    specs: list[MechanismSpec] = [
        RandomizedResponse(),
        PublishedUrap(),
        Hadamard(),
        SubsetSelection(),
        Galois(),
    ]
    losses = [worst_case(spec.make(context)).loss for spec in specs]
    assert row[6:] == [f"{loss / found.loss:.3f}" for loss in losses]


def few(k: int, s: int, epsilon: float, share: float) -> list[Mechanism]:
    """The mechanisms of the second table, in its order."""
    context = Context.high_low(np.arange(k) < s, epsilon)
    specs: list[MechanismSpec] = [
        RandomizedResponse(),
        PublishedUrap(),
        Hadamard(),
        SubsetSelection(),
        SubsetSelection(share=share),
        Galois(share=share),
    ]
    return [spec.make(context) for spec in specs]


@pytest.mark.parametrize("row", optimum_rows("Few people with a sensitive value"), ids="-".join)
def test_few_people_with_a_sensitive_value(row: list[str]) -> None:
    k, s, epsilon, share = int(row[0]), int(row[1]), float(row[2]), float(row[3])
    least, p = least_loss(k, s, epsilon, share).loss, people(k, s, share)
    assert row[4] == f"{least:.5g}"
    losses = [float(mechanism.variance(p, 1).sum()) for mechanism in few(k, s, epsilon, share)]
    assert row[5:] == [f"{loss / least:.3f}" for loss in losses]


def by_share(k: int, s: int, epsilon: float, share: float) -> float:
    """Subset selection's loss, made for the share, as a multiple of the optimum."""
    least, p = least_loss(k, s, epsilon, share).loss, people(k, s, share)
    made = SubsetSelection(share=share).make(Context.high_low(np.arange(k) < s, epsilon))
    return float(made.variance(p, 1).sum()) / least


@pytest.mark.parametrize("s", [2, 3, 4, 5, 8, 12, 20, 40, 60])
def test_sets_for_a_share_are_within_4_percent_where_most_values_are_open(s: int) -> None:
    for k in (5 * s, 8 * s):
        for epsilon in (0.25, 0.75, 1.25, 2.0, 4.0, 6.0):
            for share in (1e-4, 0.02, 0.3, 0.7):
                assert by_share(k, s, epsilon, share) < 1.04, (k, epsilon, share)


def test_sets_for_a_share_are_up_to_12_percent_off_where_few_values_are_open() -> None:
    assert 1.115 < by_share(4, 3, 5.0, 1e-4) < 1.125
    small = [(k, s) for s in range(2, 7) for k in range(s + 1, 3 * s)]
    assert all(by_share(k, s, float(e), 1e-4) < 1.125 for k, s in small for e in range(1, 9))


@pytest.mark.slow
def test_the_first_row_of_few_by_real_reports() -> None:
    """300 runs of 60 people, each within five standard errors (significance 6·10⁻⁷)."""
    k, s, epsilon, share, n = 100, 10, 1.0, 0.02, 60
    p, rng = people(k, s, share), np.random.default_rng(11)
    least = least_loss(k, s, epsilon, share).loss
    ratios = map(float, optimum_rows("Few people with a sensitive value")[0][5:])
    for mechanism, ratio in zip(few(k, s, epsilon, share), ratios, strict=True):
        errors = [
            n
            * np.square(mechanism.estimate(mechanism.tally(mechanism.privatize(x, rng))) - p).sum()
            for x in rng.choice(k, (300, n), p=p)
        ]
        mean, unsure = np.mean(errors), np.std(errors) / 300**0.5
        assert abs(mean - ratio * least) < 5 * unsure
        # Must fail: a figure that is a fifth too high.
        assert abs(mean - 1.2 * ratio * least) > 5 * unsure


def test_what_is_said_of_galois_response() -> None:
    def above(s: int, epsilon: float) -> float:
        context = Context.high_low(np.arange(s + 200) < s, epsilon)
        return worst_case(Galois().make(context)).loss / minimax(s + 200, s, epsilon).loss - 1

    assert above(5, 0.5) == pytest.approx(0.27, abs=0.005)
    assert above(140, 4.0) == pytest.approx(0.2, abs=0.015)  # about a fifth
    assert max(above(s, e) for s in (1000, 3000, 20_000) for e in (0.5, 1.0, 2.0, 5.0)) < 0.08
