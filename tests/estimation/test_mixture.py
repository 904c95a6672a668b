"""The mixture of smoothers, and what the evidence chooses.

What it is compared with is drawn here: a made-up city, and maps on which neighbours say nothing.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from benchmarks.suites.accuracy import maps
from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.domain.domains import US_GRID, GridDomain
from caldp_core.domain.partitions import grid_blocks
from caldp_core.estimation import cascade_estimator, mixture
from caldp_core.estimation.cascade_estimator import (
    Fit,
    NoisySymbols,
    best_fit,
    cascade_estimate,
    log_evidence,
)
from caldp_core.estimation.estimators import (
    ESTIMATORS,
    estimated_error,
    simplex_per_block,
    unprocessed,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import noise_skewness, ranges
from caldp_core.estimation.mixture import (
    chosen_estimate,
    mixture_estimate,
    mixture_fit,
    smoothers,
)
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from tests.estimation.maps import hard_maps
from tests.estimation.optimisers import Case, partly_sensitive_case, random_case
from tests.stats import SIGNIFICANCE
from tests.strategies import thinned

SIDE = 64
GRID = GridDomain(0, 0, 0.01, SIDE, SIDE)
CITY = GridDomain(0, 0, 0.01, 96, 96)
ROW, COLUMN = np.divmod(np.arange(GRID.k), SIDE)
ROUNDING = 1e-9


def city(seed: int) -> Floats:
    """(9,216,) shares: quarters of all sizes (a spectrum of f⁻²), six streets, and water."""
    rng, (rows, columns) = np.random.default_rng(seed), (CITY.rows, CITY.columns)
    frequency = np.hypot(np.fft.fftfreq(rows)[:, None], np.fft.rfftfreq(columns))
    frequency[0, 0] = 1.0
    spectrum = np.fft.rfft2(rng.normal(size=(rows, columns))) / frequency**2
    quarters = np.fft.irfft2(spectrum, s=(rows, columns))
    quarters = (quarters - quarters.mean()) / quarters.std()
    weights = np.exp(3.0 * quarters)
    row, column = np.mgrid[:rows, :columns]
    for angle, at in zip(rng.uniform(0, np.pi, 6), rng.uniform(20, 76, 6), strict=True):
        apart = np.abs(np.cos(angle) * (row - rows / 2) + np.sin(angle) * (column - at))
        weights *= 1 + 6 * (apart < 0.8)
    weights[quarters < -1] = 0.0
    return np.asarray((weights / weights.sum()).ravel())


def on_map(
    weights: Floats, blocks: int, epsilon: float, grid: GridDomain = GRID, n: int = 10**6
) -> Case:
    labels = grid_blocks(grid, blocks, blocks).labels
    return Case(weights / weights.sum(), n, grid, labels, epsilon, "galois")


def map_cases(number: int) -> list[Case]:
    """Random maps, every other one with values in the clear."""
    cases = (
        case
        for seed in range(4_000, 5_000)
        for case in [(partly_sensitive_case if seed % 2 else random_case)(seed)]
        if isinstance(case.domain, GridDomain) and 64 <= case.p.size <= 2_000
    )
    return [next(cases) for _ in range(number)]


def test_totals_are_kept_and_what_is_in_the_clear_does_not_move() -> None:
    moved = clear = 0
    for case in map_cases(12):
        _, evidence = case.evidence(0)
        for estimate in (mixture_estimate, chosen_estimate):
            shares = estimate(evidence)
            assert (shares >= 0).all(), str(case)
            sums = np.bincount(evidence.blocks, shares)
            np.testing.assert_allclose(sums, evidence.block_shares, rtol=0, atol=ROUNDING)
            hidden = evidence.clear.hidden
            np.testing.assert_array_equal(shares[~hidden], evidence.clear.shares[~hidden])
            shown = ranges(evidence, shares)
            assert ((shown.low <= shares) & (shares <= shown.high)).all(), str(case)
        moved += int((shares != cascade_estimate(evidence)).any())
        clear += int((~hidden).any())
    assert min(moved, clear) >= 3  # it was not the cascade all the time


def test_the_order_of_blocks_does_not_matter() -> None:
    _, evidence = on_map(city(0), 4, 1.0, CITY).evidence(0)
    order = np.random.default_rng(0).permutation(16)
    totals = np.empty(16)
    totals[order] = evidence.block_shares
    renamed = replace(evidence, blocks=order[evidence.blocks], block_shares=totals)
    found = mixture_estimate(renamed)
    np.testing.assert_allclose(found, mixture_estimate(evidence), rtol=0, atol=1e-7)
    shifted = replace(evidence, block_shares=totals)  # others' totals
    assert np.abs(mixture_estimate(shifted) - found).max() > 1e-4


def test_smoothers_leave_the_cell_out_and_end_at_the_edges_of_the_map() -> None:
    rng = np.random.default_rng(2)
    values = rng.random(20 * 30)
    plain = list(smoothers(20, 30).means(values))
    assert np.abs(np.stack(list(smoothers(20, 30).means(np.ones(600)))) - 1).max() < 1e-5
    values[317] += 100.0
    changed = list(smoothers(20, 30).means(values))
    for before, after in zip(plain, changed, strict=True):
        assert abs(after[317] - before[317]) < 1e-4
        assert np.abs(after - before).max() > 0.1
    # By hand: the narrowest round kernel, in a corner.
    down, right = np.mgrid[:20, :30]
    weights = np.exp(-0.5 * (down**2 + right**2) / 0.7**2) * (np.maximum(down, right) <= 3)
    weights[0, 0] = 0.0
    by_hand = (weights.ravel() @ values) / weights.sum()
    assert changed[0][0] == pytest.approx(by_hand, rel=1e-4)


DRAWS = 12
LESS = 0.03
"""Relative to the cascade, by how much fewer people are in the wrong cell at least."""


def gains(drawn: list[tuple[Floats, Evidence]], cascade: Floats) -> Floats:
    """(DRAWS,) the part of the `cascade`'s errors, (DRAWS,), that the mixture saves."""
    return 1 - errors(mixture_estimate, drawn) / cascade


def errors(estimate: Callable[[Evidence], Floats], drawn: list[tuple[Floats, Evidence]]) -> Floats:
    """(DRAWS,) absolute errors."""
    return np.array([np.abs(estimate(evidence) - truth).sum() for truth, evidence in drawn])


def surely_above(least: float, found: Floats) -> bool:
    """Whether the mean is above `least` at significance 10⁻⁶ (Student's t)."""
    error = found.std(ddof=1) / np.sqrt(found.size)
    return bool(found.mean() - t.isf(SIGNIFICANCE, found.size - 1) * error > least)


def test_a_textured_city_gains_and_with_the_opposite_evidence_it_loses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = on_map(city(2), 1, 1.0, CITY)
    drawn = [case.evidence(draw) for draw in range(DRAWS)]
    cascade = errors(cascade_estimate, drawn)
    assert surely_above(LESS, gains(drawn, cascade))
    monkeypatch.setattr(mixture, "log_evidence", lambda: -log_evidence())
    assert gains(drawn[:4], cascade[:4]).mean() < 0


WITHOUT_PLACE: dict[str, tuple[Ints | Floats, int, float]] = {
    "checkerboard in blocks": ((ROW + COLUMN) % 2, 8, 2.0),
    "stripes in blocks": (ROW % 2, 8, 2.0),
    "a lattice in blocks": (((ROW % 4 == 0) & (COLUMN % 4 == 0)) * 1, 8, 1.0),
    "lone cells": ((np.random.default_rng(3).random(GRID.k) < 0.02) * 1, 1, 1.0),
}


@pytest.mark.parametrize("kind", WITHOUT_PLACE)
def test_it_is_not_taken_where_neighbours_say_nothing(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights, blocks, epsilon = WITHOUT_PLACE[kind]
    case = on_map(np.asarray(weights, np.float64), blocks, epsilon)
    drawn = [case.evidence(draw) for draw in range(3)]
    cascade = errors(cascade_estimate, drawn)
    assert (errors(chosen_estimate, drawn) <= 1.01 * cascade).all()
    # Smoothers would be far worse; then the evidence takes an even part of the block.
    monkeypatch.setattr(mixture, "best_fit", with_smoothers_at_all_costs)
    mixed, chosen = errors(mixture_estimate, drawn), errors(chosen_estimate, drawn)
    assert (mixed > 1.2 * cascade).all()
    assert (chosen - cascade < 0.3 * (mixed - cascade)).all()


def test_it_is_the_cascade_where_surroundings_do_not_help() -> None:
    spikes = np.ones(GRID.k)
    spikes[np.random.default_rng(5).random(GRID.k) < 0.005] = 201.0
    for epsilon in (0.5, 1.0, 2.0, 4.0):
        _, evidence = on_map(spikes, 1, epsilon).evidence(0)
        np.testing.assert_array_equal(mixture_estimate(evidence), cascade_estimate(evidence))


def with_smoothers_at_all_costs(evidence: Evidence) -> tuple[NoisySymbols, Fit]:
    noisy, fit = best_fit(evidence)
    return noisy, replace(fit, uses_place=True)


def test_the_choice_follows_from_the_reports_and_is_the_cascade_without_a_map() -> None:
    truth, evidence = on_map(city(2), 1, 1.0, CITY).evidence(0)
    found = ESTIMATORS["chosen"].apply(evidence)
    np.testing.assert_array_equal(found, chosen_estimate(replace(evidence)))
    cascade = errors(cascade_estimate, [(truth, evidence)])
    assert (errors(chosen_estimate, [(truth, evidence)]) < 0.97 * cascade).all()
    unknown = Evidence.of(evidence.mechanism, evidence.tally)
    for estimate in (mixture_estimate, chosen_estimate):
        np.testing.assert_array_equal(estimate(unknown), cascade_estimate(unknown))


OF_ANY_FORM: dict[str, tuple[str, int, float, float]] = {
    "two heights beside each other": ("a road", 1, 1.0, 0.7),
    "lone cells among others": ("spikes", 8, 2.0, 0.7),
    "noise beside what is smooth": ("half smooth, half random", 8, 1.0, 0.85),
}
"""A map, rows of blocks, ε, and the part of the mixture's error that is left at most."""


@pytest.mark.parametrize("kind", thinned(OF_ANY_FORM, one_in=2))
@pytest.mark.slow
def test_laws_of_any_form_help_where_no_shape_fits(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, blocks, epsilon, part = OF_ANY_FORM[kind]
    case = on_map(hard_maps(5)[name], blocks, epsilon)
    drawn = [case.evidence(draw) for draw in range(DRAWS)]
    mixed = errors(mixture_estimate, drawn)
    assert surely_above(1 - part, 1 - errors(chosen_estimate, drawn) / mixed)
    density = mixture._log_density
    monkeypatch.setattr(mixture, "_log_density", lambda laws: -density(laws))
    assert (errors(chosen_estimate, drawn[:3]) > part * mixed[:3]).all()


def test_an_even_map_stays_even_as_gains_must_exceed_what_surroundings_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = on_map(np.ones(GRID.k), 1, 2.0)
    drawn = [case.evidence(draw) for draw in range(4)]
    mixed = errors(mixture_estimate, drawn)
    assert (errors(chosen_estimate, drawn) <= 1.01 * mixed).all()
    monkeypatch.setattr(mixture, "excess_nats", lambda *_: -1e6)
    assert errors(chosen_estimate, drawn).mean() > 1.05 * mixed.mean()


def test_where_noise_is_skewed_no_law_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    case = random_case(299)  # about one report names a cell by chance
    monkeypatch.setattr(mixture, "_PEOPLE_EACH", 0)
    drawn = [case.evidence(draw) for draw in range(4)]
    for _, evidence in drawn:
        np.testing.assert_array_equal(chosen_estimate(evidence), mixture_estimate(evidence))
    before = errors(chosen_estimate, drawn).mean()
    monkeypatch.setattr(mixture, "_SKEW_MAX", np.inf)
    assert errors(chosen_estimate, drawn).mean() > 1.03 * before


def test_with_few_people_in_each_cell_no_law_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [random_case(10_662).evidence(draw) for draw in range(4)]  # 6 people in each cell
    mixed = errors(mixture_estimate, drawn)
    np.testing.assert_array_equal(errors(chosen_estimate, drawn), mixed)
    monkeypatch.setattr(mixture, "_PEOPLE_EACH", 0)
    assert errors(chosen_estimate, drawn).mean() > 1.5 * mixed.mean()


@pytest.mark.parametrize(
    ("family", "q"),
    [
        ("randomized-response", 1 / (np.e + 99)),
        ("oue", 1 / (np.e + 1)),
        ("hadamard", 1 / 2),
    ],
)
def test_skewness_is_that_of_the_binomial_counts(family: str, q: float) -> None:
    n, k = 5_000, 100
    mechanism = catalogue.in_context(Context.plain(k, 1.0), family)
    people = np.eye(k, dtype=np.int64)[0] * n
    tally = mechanism.sample_tally(people, np.random.default_rng(0))
    by_hand = (1 - 2 * q) / np.sqrt(n * q * (1 - q))
    found = noise_skewness(Evidence.of(mechanism, tally))
    np.testing.assert_allclose(found[1:], by_hand, rtol=1e-6, atol=1e-9)


def us_people() -> Ints:
    counts = Gowalla().load().counts
    assert counts is not None
    return counts


def collections(
    blocks: tuple[int, int], epsilon: float, people: Ints, draws: int
) -> list[Evidence]:
    labels = grid_blocks(US_GRID, *blocks).labels
    mechanism = catalogue.in_context(Context.block_structured(labels, epsilon), "galois")
    rng = np.random.default_rng(1)
    tallies = [mechanism.sample_tally(people, rng) for _ in range(draws)]
    return [Evidence.of(mechanism, each, domain=US_GRID) for each in tallies]


def known(shares: Floats) -> Callable[[Evidence], Floats]:
    """An estimator that has these shares already."""
    return lambda _: shares


def ratios(evidences: list[Evidence], truth: Floats, name: str = "cascade") -> Floats:
    """Estimated over true error by an estimator; every range must hold the true one."""
    entry, found = ESTIMATORS[name], []
    for evidence in evidences:
        shares = entry.apply(evidence)
        error = estimated_error(evidence, known(shares), entry.law or best_fit)
        assert error is not None
        true = 0.5 * float(np.abs(shares - truth).sum())
        assert error.low <= true <= error.high
        found.append(error.share / true)
    return np.array(found)


@pytest.mark.slow
def test_the_error_of_the_shipped_map_is_known_without_its_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of two draws the ratio's mean spreads by about 0.03.
    people = us_people()
    evidences = collections((1, 1), 4.0, people, 2)
    assert 0.9 <= ratios(evidences, people / people.sum()).mean() <= 1.1
    # What a fit says of itself is too good.
    monkeypatch.setattr(cascade_estimator, "freest_law", lambda _counts, begin: begin)
    assert ratios(evidences, people / people.sum()).mean() < 0.9


@pytest.mark.slow
def test_the_error_around_towns_counts_what_the_totals_of_blocks_say() -> None:
    # A town that has its block to itself has little error left, as the total of the block is known.
    # The mean of twelve spreads by 0.03; without the totals it is 1.13.
    towns = [(grid, people) for name, grid, people in maps() if name.startswith("around")]
    found = [chosen_ratio(grid, people, seed) for seed, (grid, people) in enumerate(towns)]
    assert len(found) == 12
    assert 0.9 <= np.mean(found) <= 1.1


def test_the_error_of_an_even_map_is_not_halved_where_noise_grows_with_the_share() -> None:
    # By deviations that rise and fall with each cell's own noise it was below half.
    people = np.random.default_rng(1).multinomial(10**6, np.full(GRID.k, 1 / GRID.k))
    assert 0.7 <= chosen_ratio(GRID, people, seed=2) <= 1.1


def chosen_ratio(grid: GridDomain, people: Ints, seed: int) -> float:
    """Estimated over true error of "chosen" at ε = 4 in 64 blocks, one draw."""
    labels, rng = grid_blocks(grid, 8, 8).labels, np.random.default_rng(seed)
    mechanism = catalogue.in_context(Context.block_structured(labels, 4.0), "galois")
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng), domain=grid)
    (ratio,) = ratios([evidence], people / people.sum(), "chosen")
    return float(ratio)


def chicago(epsilon: float, blocks: int, scale: float = 1.0) -> tuple[list[Evidence], Floats]:
    """Three collections around Chicago, and the people's shares."""
    regions = {name: (grid, people) for name, grid, people in maps()}
    grid, people = regions["around Chicago"]
    n = round(people.sum() * scale)
    people = np.random.default_rng(6).multinomial(n, people / people.sum())
    labels = grid_blocks(grid, blocks, blocks).labels
    mechanism = catalogue.in_context(Context.block_structured(labels, epsilon), "galois")
    rng = np.random.default_rng(7)
    tallies = [mechanism.sample_tally(people, rng) for _ in range(3)]
    return [Evidence.of(mechanism, each, domain=grid) for each in tallies], people / n


def test_the_error_of_a_mixture_is_that_of_its_own_law() -> None:
    evidences, truth = chicago(1.0, blocks=1)
    right = ratios(evidences, truth, "mixture").mean()
    assert 0.9 <= right <= 1.1
    estimate = ESTIMATORS["mixture"].apply
    each = [
        (estimated_error(e, estimate), estimated_error(e, estimate, mixture_fit)) for e in evidences
    ]
    quotients = [wrong.share / own.share for wrong, own in each if wrong and own]
    assert len(quotients) == 3
    assert np.mean(quotients) > 1.05  # the cascade expects less of the same cells


def test_the_lower_end_holds_where_blocks_have_few_people() -> None:
    # Their noise is not normal, and the nearest shares are often right: it was 1.5 times too high.
    evidences, truth = chicago(1.0, blocks=8, scale=0.001)
    ratios(evidences, truth, "cascade")


@pytest.mark.parametrize("n", thinned([3_000, 100_000], one_in=2))
def test_its_range_holds_where_hardly_anything_is_known(n: int) -> None:
    shares = us_people() / us_people().sum()
    people = np.random.default_rng(4).multinomial(n, shares)
    for epsilon in (0.5, 4.0):
        ratios(collections((1, 1), epsilon, people, 2), people / n)


def test_everybody_with_the_tally_finds_the_same_error() -> None:
    grid = GridDomain(0, 0, 0.1, 20, 20)
    people = np.random.default_rng(3).multinomial(10**5, np.full(400, 1 / 400))
    mechanism = catalogue.in_context(Context.plain(400, 2.0), "oue")
    evidence = Evidence.of(
        mechanism, mechanism.sample_tally(people, np.random.default_rng(5)), domain=grid
    )
    first = estimated_error(evidence, simplex_per_block)
    assert first is not None
    assert first == estimated_error(replace(evidence), simplex_per_block)
    assert estimated_error(evidence, unprocessed) is None
