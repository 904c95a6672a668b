"""Estimators after the unbiased one, by definition and by a general optimiser; a public prior."""

import re
from dataclasses import replace
from inspect import signature

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage
from scipy.stats import beta

from caldp_core import Scenario, prepare, run
from caldp_core import estimate as shares_estimate
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import estimate_table
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import Zipf
from caldp_core.datasets.base_map import population_shares
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation import public_prior
from caldp_core.estimation.cascade_estimator import cascade_estimate
from caldp_core.estimation.estimators import (
    ESTIMATORS,
    GIVEN_UP,
    estimator,
    explain_given_up,
    significant,
    simplex,
    simplex_per_block,
    unprocessed,
)
from caldp_core.estimation.evidence import KNOWING_MAP, Evidence, default_estimator
from caldp_core.estimation.intervals import intervals
from caldp_core.estimation.projection import (
    identity_remap,
    remap,
    simplex_projection,
)
from caldp_core.estimation.public_prior import (
    cascade_with_inhabitants,
    cascade_with_prior,
    prior_effect,
)
from caldp_core.experiments.metrics import total_variation
from caldp_core.mechanisms import FAMILIES, Tally, catalogue
from caldp_core.mechanisms.direct.planar import PlanarGeometricMechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import EuclideanMetric
from caldp_core.scenarios.blocks import OneBlock, SensitiveSymbols
from tests.estimation.optimisers import least_on_simplex

ROUNDING = 1e-10
OF_THE_ESTIMATE = ("simplex", "simplex-per-block", "none")
"""Those that see nothing but the estimate and the blocks; the others have tests of their own."""
ENTRY = st.floats(-3, 3).map(lambda value: round(value, 6))
VECTORS = st.lists(ENTRY, min_size=1, max_size=30).map(np.array)


@st.composite
def in_blocks(draw: st.DrawFn) -> tuple[Floats, Ints, Floats]:
    """(estimate, labels, shares of blocks), some of the shares 0."""
    estimate = draw(VECTORS)
    raw = draw(st.lists(st.integers(0, 4), min_size=estimate.size, max_size=estimate.size))
    labels = np.unique(np.array(raw), return_inverse=True)[1]
    m = int(labels.max()) + 1
    people = np.array(draw(st.lists(st.integers(0, 5), min_size=m, max_size=m)))
    people[0] += not people.any()
    return estimate, labels, people / people.sum()


def evidence(estimate: Floats, labels: Ints, shares: Floats) -> Evidence:
    """An estimate of 1000 people that no tally needs to have given."""
    mechanism = catalogue.in_context(Context.block_structured(labels, 1.0), "hadamard")
    tally = mechanism.sample_tally(np.full(mechanism.k, 1), np.random.default_rng(0))
    return Evidence(estimate, labels, shares, 1000, mechanism, tally)


def in_one_block(estimate: Floats) -> Evidence:
    return evidence(estimate, np.zeros(estimate.size, np.int64), np.ones(1))


def check_projection(result: Floats, estimate: Floats, total: float) -> None:
    """The conditions of Karush, Kuhn and Tucker, which only the projection meets.

    result ≥ 0, Σ result = total, and a τ with result = estimate − τ where result > 0 and
    estimate ≤ τ where result = 0.
    """
    assert (result >= 0).all()
    assert result.sum() == pytest.approx(total, abs=ROUNDING)
    positive = result > ROUNDING
    if positive.any():
        tau = (estimate - result)[positive]
        assert np.ptp(tau) <= ROUNDING
        assert (estimate[~positive] <= tau.max() + 2 * ROUNDING).all()


@given(VECTORS)
def test_simplex_meets_the_conditions_of_optimality(estimate: Floats) -> None:
    before = estimate.copy()
    check_projection(simplex_projection(estimate), estimate, 1.0)
    np.testing.assert_array_equal(estimate, before)


@given(VECTORS, st.floats(0.01, 0.5))
def test_the_conditions_find_what_is_not_the_projection(estimate: Floats, off: float) -> None:
    # The must-fail side: some mass moved from the largest entry to another one.
    result = simplex_projection(estimate)
    if result.size > 1:
        largest = int(np.argmax(result))
        moved = result.copy()
        moved[largest] -= off * result[largest]
        moved[largest - 1] += off * result[largest]
        with pytest.raises(AssertionError):
            check_projection(moved, estimate, 1.0)


@given(in_blocks())
def test_blocks_are_projected_one_by_one(case: tuple[Floats, Ints, Floats]) -> None:
    estimate, labels, shares = case
    result = simplex_per_block(evidence(estimate, labels, shares))
    for block, share in enumerate(shares):
        own = labels == block
        check_projection(result[own], estimate[own], share)
        if share == 0:
            assert (result[own] <= ROUNDING).all()
        else:
            expected = share * simplex_projection(estimate[own] / share)
            np.testing.assert_allclose(result[own], expected, rtol=0, atol=1e-9)


@given(in_blocks())
def test_every_estimator_follows_relabelled_symbols(case: tuple[Floats, Ints, Floats]) -> None:
    estimate, labels, shares = case
    order = np.random.default_rng(0).permutation(estimate.size)
    for name in OF_THE_ESTIMATE:
        apply = ESTIMATORS[name].apply
        result = apply(evidence(estimate, labels, shares))
        moved = apply(evidence(estimate[order], labels[order], shares))
        np.testing.assert_allclose(moved, result[order], rtol=0, atol=1e-9)


def test_blocks_with_all_and_nothing() -> None:
    estimate = np.array([0.4, -0.2, 0.3, 0.6])
    result = simplex_per_block(evidence(estimate, np.array([0, 0, 1, 1]), np.array([0.0, 1.0])))
    np.testing.assert_allclose(result, [0, 0, 0.35, 0.65], atol=1e-12)
    alone = simplex_per_block(in_one_block(estimate[:1]))
    assert alone.tolist() == [1.0]


@pytest.mark.parametrize("k", [1000, 43_750])
def test_large_noisy_estimates_are_still_projected(k: int) -> None:
    rng = np.random.default_rng(k)
    p = rng.dirichlet(np.full(k, 0.05))
    estimate = p + rng.normal(scale=0.01, size=k)
    labels = np.sort(rng.integers(0, 50, k))
    shares = np.bincount(labels, weights=p).astype(np.float64)
    check_projection(simplex(evidence(estimate, labels, shares)), estimate, 1.0)
    result = simplex_per_block(evidence(estimate, labels, shares))
    for block in range(50):
        own = labels == block
        check_projection(result[own], estimate[own], shares[block])


def test_none_is_the_estimate_itself() -> None:
    estimate = np.array([-1.0, 2.5])
    result = unprocessed(in_one_block(estimate))
    np.testing.assert_array_equal(result, estimate)


def test_estimators_are_found_by_name() -> None:
    for name, entry in ESTIMATORS.items():
        assert estimator(name) is entry
        assert entry.title
        assert entry.sentence
    names = re.escape(", ".join(ESTIMATORS))
    with pytest.raises(CaldpError, match=f"estimator must be one of {names}, got 'median'"):
        estimator("median")
    # Names of earlier versions are names of scenarios alone: each is read as one that is there.
    assert not set(GIVEN_UP) & set(ESTIMATORS)
    assert set(GIVEN_UP.values()) <= set(ESTIMATORS)
    assert explain_given_up("median") == explain_given_up(None) == ""


def test_the_threshold_keeps_what_stands_out_and_evens_the_rest() -> None:
    mechanism = catalogue.in_context(Context.plain(1000, 1.0), "hadamard")
    rng = np.random.default_rng(5)
    p = np.full(1000, 0.4 / 999)
    p[7] = 0.6
    evidence = Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(10**6, p), rng))
    estimate = significant(evidence)
    assert estimate[7] == evidence.unbiased[7]
    assert np.unique(np.delete(estimate, 7)).size == 1
    assert estimate.sum() == pytest.approx(1)


@pytest.mark.slow
def test_the_threshold_keeps_nothing_of_nothing() -> None:
    # Nobody has the last 1000 of 2000 symbols; in 200 runs, one of them is kept with probability
    # below alpha/2 each: by independence up to 5 in expectation, and 25 have probability 1e-10.
    mechanism = catalogue.in_context(Context.plain(2000, 1.0), "hadamard")
    rng = np.random.default_rng(6)
    people = np.repeat([1000, 0], 1000)
    false_alarms = tenfold = 0
    for _ in range(200):
        evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
        estimate = significant(evidence)[1000:]
        false_alarms += np.unique(estimate).size > 1
        # Must fail: a threshold without Bonferroni's correction keeps 5 % of them.
        tenfold += bool((evidence.unbiased[1000:] > 1.645 * evidence.deviation[1000:]).any())
    assert 0 < false_alarms < 25
    assert tenfold == 200


def test_the_threshold_divides_what_is_too_much() -> None:
    mechanism = catalogue.in_context(Context.plain(2, 4.0), "hadamard")
    tally = mechanism.sample_tally(np.array([5000, 5000]), np.random.default_rng(0))
    over = Evidence(
        np.array([0.52, 0.51]), mechanism.policy.blocks, np.ones(1), 10_000, mechanism, tally
    )
    np.testing.assert_allclose(significant(over), np.array([0.52, 0.51]) / 1.03)


def test_the_threshold_leaves_nobody_where_the_clear_reports_are_all() -> None:
    mechanism = catalogue.in_context(
        Context.high_low(np.array([True, False, False]), 1.0), "randomized-response"
    )
    people = np.array([0, 3, 4])  # with this seed none of their reports is the hidden one's
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, np.random.default_rng(0)))
    assert evidence.clear.left.tolist() == [0.0]
    np.testing.assert_allclose(significant(evidence), [0.0, 0.4, 0.6])


def test_the_plug_in_deviation_is_the_exact_one_at_large_n() -> None:
    mechanism = catalogue.in_context(Context.block_structured(np.arange(60) % 4, 1.0), "hadamard")
    p = np.random.default_rng(1).dirichlet(np.ones(60))
    rng = np.random.default_rng(2)
    evidence = Evidence.of(mechanism, mechanism.sample_tally(rng.multinomial(10**8, p), rng))
    np.testing.assert_allclose(evidence.deviation**2, mechanism.variance(p, 10**8), rtol=5e-3)


NAMES = sorted({*ESTIMATORS} - {"none", "smoothed", KNOWING_MAP})
"""Those that any mechanism of sets of symbols can take; "none" moves nothing anyway."""


def rare_sensitive(k: int, hidden: int, n: int) -> tuple[Ints, np.ndarray]:
    """(k,) people by Zipf's law in any order, and (k,) flags of sensitive symbols anywhere."""
    rng = np.random.default_rng(1)
    flags = np.zeros(k, np.bool_)
    flags[rng.permutation(k)[:hidden]] = True
    weights = rng.permutation(1 / np.arange(1, k + 1))
    return rng.multinomial(n, weights / weights.sum()), flags


def drawn_by_oue(people: Ints, flags: np.ndarray, epsilon: float, seed: int) -> Ints:
    """A tally of OUE reports in one block, drawn without the package.

    (s,) reports that include each sensitive symbol, reports without a name, then (k − s,) names.
    A symbol in the clear is sent as cover with the least chance that hides who is sensitive.
    """
    rng, other = np.random.default_rng(seed), 1 / (np.exp(epsilon) + 1)
    cover = oue_cover(epsilon)
    named = rng.binomial(people[~flags], 1 - cover)
    own = people[flags]
    unnamed = int(own.sum() + people[~flags].sum() - named.sum())
    included = rng.binomial(own, 0.5) + rng.binomial(unnamed - own, other)
    return np.concatenate([included, [unnamed], named])


def oue_cover(epsilon: float) -> float:
    """λ: all bits of the base are others' bits, so no report is e^ε times likelier from x."""
    return (np.exp(epsilon) + 1) / (2 * np.exp(epsilon))


@pytest.mark.parametrize("name", NAMES)
def test_openly_reported_values_stay_in_their_own_ranges(name: str) -> None:
    """5,000 addresses, 400 of them sensitive, a million people: as drawn without the package."""
    people, flags = rare_sensitive(5000, 400, 10**6)
    n, p = int(people.sum()), people / people.sum()
    mechanism = catalogue.in_context(Context.high_low(flags, 1.0), "oue")
    keep = float(mechanism.clear_share[0])
    counts = drawn_by_oue(people, flags, 1.0, 2)
    evidence = Evidence.of(mechanism, Tally(counts, n, mechanism.fingerprint))
    shares = ESTIMATORS[name].apply(evidence)
    named = counts[-(~flags).sum() :]
    low = np.nan_to_num(beta.ppf(0.025, named, n - named + 1)) / keep
    high = beta.isf(0.025, named + 1, n - named) / keep
    outside = (shares[~flags] < low) | (shares[~flags] > high)
    assert not outside.any(), f"{outside.sum()} of {outside.size}"
    # What is left is the sensitive ones' share, known to its binomial error: 27 % is not 7 %.
    error = np.sqrt(p[~flags].sum() * (1 / keep - 1) / n)
    assert abs(shares[flags].sum() - p[flags].sum()) < 6 * error
    # Must fail: one shift for all.
    shifted = simplex_projection(evidence.unbiased)
    assert ((shifted[~flags] < low) | (shifted[~flags] > high)).mean() > 0.5
    assert shifted[flags].sum() > 2 * p[flags].sum()
    assert np.abs(shares - p).sum() < 0.5 * np.abs(shifted - p).sum()


@pytest.mark.parametrize("family", FAMILIES)
def test_every_estimator_keeps_what_is_in_the_clear(family: str) -> None:
    labels, flags = np.arange(96) % 3, np.arange(96) % 4 > 0
    flags[labels == 2] = False  # a block where nobody hides is known exactly
    rng = np.random.default_rng(3)
    people = rng.multinomial(20_000, rng.dirichlet(np.full(96, 0.5)))
    mechanism = catalogue.in_context(Context.of(labels, flags, 0.5), family)
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
    clear, ends = mechanism.clear_symbols, intervals(evidence)
    for name in NAMES:
        shares = ESTIMATORS[name].apply(evidence)
        inside = (shares >= ends.low - 1e-9) & (shares <= ends.high + 1e-9)
        assert inside[clear].all(), name
        assert shares[labels == 2] == pytest.approx(people[labels == 2] / 20_000, abs=1e-9), name
        assert shares.sum() == pytest.approx(1), name
        assert (shares >= 0).all(), name


@pytest.mark.parametrize("seed", range(4))
def test_hidden_ones_are_what_an_optimiser_finds(seed: int) -> None:
    """The nearest shares of a block of which some are known, by sequential least squares."""
    rng = np.random.default_rng(seed)
    flags = np.arange(9) < 5
    people = rng.multinomial(3_000, rng.dirichlet(np.ones(9)))
    mechanism = catalogue.in_context(Context.high_low(flags, 0.5), "hadamard")
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng))
    noisy, left = evidence.unbiased[flags], 1 - evidence.unbiased[~flags].sum()
    found = least_on_simplex(
        lambda q: float(np.square(left * q - noisy).sum()),
        5,
        lambda q: 2 * left * (left * q - noisy),
    )
    assert found.success
    for name in ("simplex", "simplex-per-block"):
        shares = ESTIMATORS[name].apply(evidence)
        np.testing.assert_allclose(shares[flags], left * found.x, rtol=0, atol=1e-5)
        np.testing.assert_array_equal(shares[~flags], evidence.unbiased[~flags])


def test_one_default_everywhere() -> None:
    name = default_estimator()
    assert Scenario().estimator == name
    assert signature(shares_estimate).parameters["estimator"].default == name
    assert default_estimator(np.ones(3)) == KNOWING_MAP
    help_text = CliRunner().invoke(main, ["estimate", "--help"]).output
    assert f"[default: {name}, with --prior {KNOWING_MAP}]" in " ".join(help_text.split())
    # A collection without a named estimator gives the shares of a run: from one tally.
    scenario = Scenario(Zipf(200), n=50_000).with_context(
        blocks=OneBlock(), sensitive=SensitiveSymbols(("100-179",)), epsilon=1.0
    )
    setup = prepare(scenario)
    result = run(setup)
    protocol = Protocol.of(setup)
    tally = result.first.evidence.tally
    table = estimate_table(protocol, CollectedTally(protocol.fingerprint, tally))
    np.testing.assert_array_equal(table["estimated share"], result.first.estimate)
    program = shares_estimate(setup.mechanism, tally, domain=setup.dataset.domain)
    np.testing.assert_array_equal(program, result.first.estimate)
    other = run(prepare(replace(scenario, estimator="simplex-per-block")))
    assert (other.first.estimate != result.first.estimate).any()


MAP = GridDomain(40.0, -75.0, 0.2, 9, 12)
NOISE = PlanarGeometricMechanism(EuclideanMetric(9, 12, 0.5, 0.4))
PEOPLE = np.random.default_rng(1).dirichlet(np.full(MAP.k, 0.1))


def test_no_cell_is_nearer_on_average_than_where_a_report_is_read_to_be() -> None:
    """Against all cells, by the channel written out; the mean of the posterior may be nearer."""
    joint = PEOPLE[:, None] * np.stack([NOISE.law_of(x) for x in range(MAP.k)])
    posterior = joint / joint.sum(axis=0)
    distances = np.stack([MAP.km_from(x) for x in range(MAP.k)])
    best = (distances @ posterior).min(axis=0)
    found = remap(NOISE, PEOPLE, MAP)
    every = np.repeat(np.arange(MAP.k), MAP.k)
    report = np.tile(np.arange(MAP.k), MAP.k)
    km = found.kilometres(every, report).reshape(MAP.k, MAP.k)
    reached = (posterior * km).sum(axis=0)
    assert (reached <= best * (1 + 1e-3)).all()
    assert reached @ joint.sum(axis=0) < 0.9 * (joint * distances).sum()
    wrong = remap(NOISE, PEOPLE[::-1], MAP).kilometres(every, report).reshape(MAP.k, MAP.k)
    assert ((posterior * wrong).sum(axis=0) > best * (1 + 1e-3)).mean() > 0.5


def test_reports_that_are_not_remapped_lie_where_they_say() -> None:
    cells = np.array([0, 5, 107])
    assert identity_remap(MAP).kilometres(cells, cells) == pytest.approx(0.0, abs=1e-9)
    km = identity_remap(MAP).kilometres(np.zeros(3, np.int64), cells)
    assert km == pytest.approx(MAP.km_from(0)[cells])


def test_what_is_no_place_is_refused() -> None:
    lists = catalogue.in_context(Context.plain(MAP.k, 1.0), "galois")
    with pytest.raises(CaldpError, match="reports that are places"):
        remap(lists, PEOPLE, MAP)
    with pytest.raises(CaldpError, match="prior must be 108 shares"):
        remap(NOISE, -PEOPLE, MAP)


FRANCE = GridDomain(south=42.0, west=-4.0, cell=0.2, rows=45, columns=60)


def evidence_of(truth: Floats, blocks: int = 1, n: int = 100_000, seed: int = 0) -> Evidence:
    """The evidence in the reports of n people who are where `truth` has them, at ε = 1."""
    labels = np.arange(FRANCE.k) * blocks // FRANCE.k
    mechanism = catalogue.in_context(Context.block_structured(labels, 1.0), "galois")
    rng = np.random.default_rng(seed)
    tally = mechanism.sample_tally(rng.multinomial(n, truth), rng)
    return Evidence.of(mechanism, tally, domain=FRANCE)


def near_towns() -> Floats:
    """People where towns are, but not as many as live there: 0 to several times as many."""
    weights = population_shares(FRANCE) * np.random.default_rng(3).gamma(1.0, size=FRANCE.k)
    return np.asarray(weights / weights.sum())


def elsewhere() -> Floats:
    """The same people in cells that have nothing to do with towns."""
    return np.asarray(np.random.default_rng(4).permutation(near_towns()))


def test_inhabitants_are_shares_and_the_largest_cell_is_paris() -> None:
    shares = population_shares(FRANCE)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares > 0).all()
    assert int(np.argmax(shares)) == FRANCE.locate([48.85], [2.35])[0]
    nowhere = population_shares(GridDomain(-60.0, -120.0, 1.0, 4, 5))
    assert nowhere.tolist() == pytest.approx([0.05] * 20)


@pytest.mark.parametrize("blocks", [1, 9])
def test_a_prior_that_is_right_helps_and_one_that_is_wrong_is_left_alone(blocks: int) -> None:
    """At least a fifth less error where people are near towns, none more where they are not."""
    gains = {}
    for name, truth in (("right", near_towns()), ("wrong", elsewhere())):
        evidence = evidence_of(truth, blocks)
        knowing, alone = cascade_with_inhabitants(evidence), cascade_estimate(evidence)
        gains[name] = total_variation(truth, knowing) / total_variation(truth, alone)
        assert (knowing >= 0).all()
        for estimate in (knowing, alone):
            kept = np.bincount(evidence.blocks, estimate)
            assert kept == pytest.approx(evidence.block_shares)
    assert gains["right"] < 0.8
    assert gains["wrong"] == 1.0


SQUARE = GridDomain(south=0.0, west=0.0, cell=0.01, rows=64, columns=64)


def unrelated(seed: int) -> tuple[Evidence, Floats]:
    """The evidence on a map where few cells have most people, and a prior drawn by itself."""
    rng, grid = np.random.default_rng(seed), SQUARE
    if rng.random() < 0.5:
        weights = rng.pareto(1.0, grid.k)
    else:
        weights = (rng.permutation(grid.k) < rng.integers(5, 200)).astype(np.float64)
    noise = rng.normal(size=(grid.rows, grid.columns))
    width = float(rng.choice([0.0, 1.0, 2.0, 4.0]))
    field = ndimage.gaussian_filter(noise, width) if width else noise
    prior = np.exp(rng.uniform(0.5, 3.0) * field / field.std()).ravel()
    people = rng.multinomial(int(10 ** rng.uniform(3.5, 6.5)), weights / weights.sum())
    policy = Context.plain(grid.k, float(rng.choice([0.5, 1.0, 2.0, 4.0])))
    mechanism = catalogue.in_context(policy, "galois")
    tally = mechanism.sample_tally(people, rng)
    return Evidence.of(mechanism, tally, domain=grid), prior


def is_taken(evidence: Evidence, prior: Floats) -> bool:
    return bool((cascade_with_prior(evidence, prior) != cascade_estimate(evidence)).any())


@pytest.mark.parametrize("seed", [12, 21, 33, 101, 181, 222])
def test_an_unrelated_prior_is_left_alone_that_would_fit_as_well_elsewhere(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On its own it explains by chance, in several ways, how much shares differ."""
    evidence, prior = unrelated(seed)
    assert not is_taken(evidence, prior)
    monkeypatch.setattr(public_prior, "_SHIFTS", np.zeros((0, 2)))
    assert is_taken(evidence, prior)


@pytest.mark.thorough
def test_of_unrelated_priors_one_in_a_hundred_is_taken_at_most() -> None:
    """At 1 in 100 more than 10 of 400 have probability 0.003; 17 were, by their fit alone."""
    assert sum(is_taken(*unrelated(seed)) for seed in range(400)) <= 10


def test_stations_of_which_most_are_known_get_a_law_of_any_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Stations have people or none, as no beta prime law has it."""
    rng, grid = np.random.default_rng(1), SQUARE
    stations = rng.choice(grid.k, 200, replace=False)
    truth, prior = np.zeros(grid.k), np.full(grid.k, 1e-6)
    truth[stations] = 1 / 200
    prior[[*stations[:150], *rng.choice(grid.k, 50)]] = 1.0
    mechanism = catalogue.in_context(Context.plain(grid.k, 1.0), "galois")
    tally = mechanism.sample_tally(np.rint(1_000_000 * truth).astype(np.int64), rng)
    evidence = Evidence.of(mechanism, tally, domain=grid)
    off = total_variation(truth, cascade_with_prior(evidence, prior))
    monkeypatch.setattr(public_prior, "with_best_laws", lambda _noisy, fit, _excess: fit)
    assert off < 0.95 * total_variation(truth, cascade_with_prior(evidence, prior))


def test_how_much_is_prior_is_the_difference_and_falls_with_more_people() -> None:
    moved = []
    for n in (100_000, 10_000_000):
        evidence = evidence_of(near_towns(), n=n)
        knowing = cascade_with_inhabitants(evidence)
        off = prior_effect(evidence, knowing)
        assert off.sum() == pytest.approx(0.0, abs=1e-9)
        assert knowing - off == pytest.approx(cascade_estimate(evidence))
        moved.append(0.5 * np.abs(off).sum())
    assert moved[0] > 1.5 * moved[1] > 0


def test_an_earlier_map_may_be_the_prior_and_bad_ones_are_refused() -> None:
    truth = near_towns()
    evidence = evidence_of(truth)
    earlier = np.random.default_rng(5).multinomial(50_000, truth)  # a published sample
    off = total_variation(truth, cascade_with_prior(evidence, earlier))
    assert off < 0.8 * total_variation(truth, cascade_estimate(evidence))
    for wrong in (np.ones(3), -np.ones(FRANCE.k), np.zeros(FRANCE.k), np.full(FRANCE.k, np.nan)):
        with pytest.raises(CaldpError, match="prior must be"):
            cascade_with_prior(evidence, wrong)
    lone = Evidence.of(evidence.mechanism, evidence.tally)
    with pytest.raises(CaldpError, match="is for maps"):
        cascade_with_prior(lone, truth)
    assert cascade_with_inhabitants(lone) == pytest.approx(cascade_estimate(lone))
