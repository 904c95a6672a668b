"""No estimate stands beside a range that excludes it, and ranges still hold what they say."""

from dataclasses import replace

import numpy as np
import pytest

from caldp_core import Scenario, intervals, prepare, run
from caldp_core.datasets import Zipf
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import intervals as score_intervals
from caldp_core.estimation.intervals import ranges
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.table import columns_of
from caldp_core.mechanisms import FAMILIES, Tally, catalogue
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy, Line, PersonalTags, PolicySpec
from tests.products import thinned

MAP = GridDomain(40.0, 0.0, 0.5, 12, 12)
LABELS = np.arange(144) // 72
CONTEXTS = {
    "plain": Context.plain(144, 1.0),
    "blocks": Context.block_structured(LABELS, 1.0),
    "both": Context.of(LABELS, np.arange(144) % 3 > 0, 4.0),
}
NAMES = sorted({*ESTIMATORS} - {"smoothed", "cascade-map"})
CASES = [(family, kind) for family in FAMILIES for kind in CONTEXTS]


@pytest.mark.parametrize("case", thinned(CASES, one_in=2))
def test_every_estimate_lies_in_its_range(case: tuple[str, str]) -> None:
    family, kind = case
    mechanism = catalogue.in_context(CONTEXTS[kind], family)
    rng = np.random.default_rng(1)
    people = rng.multinomial(30_000, rng.dirichlet(np.full(144, 0.2)))
    evidence = Evidence.of(mechanism, mechanism.sample_tally(people, rng), domain=MAP)
    own, outside = score_intervals(evidence), 0
    for name in NAMES:
        shares = ESTIMATORS[name].apply(evidence)
        shown = ranges(evidence, shares)
        assert ((shown.low <= shares) & (shares <= shown.high)).all(), name
        # Never narrower, so that the true share is in it at least as often.
        assert ((shown.low <= own.low) & (own.high <= shown.high)).all(), name
        outside += int(((shares < own.low) | (shares > own.high)).sum())
    assert outside > 0  # without the widening some are outside


POLICIES: dict[str, PolicySpec] = {
    "line": Line(0.5),
    "tags": PersonalTags(),
    "context": ContextPolicy(blocks=OneBlock()),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["cascade", "simplex", "none"])
def test_tables_and_regions_agree(policy: str, name: str) -> None:
    result = run(prepare(Scenario(Zipf(80), POLICIES[policy], n=4_000, estimator=name, seed=2)))
    columns = {key: np.array(column) for key, column in columns_of(result).items()}
    shares = columns["estimated share"].astype(float)
    assert (columns["low"].astype(float) <= shares).all()
    assert (columns["high"].astype(float) >= shares).all()
    setup, first = result.setup, result.first
    for last in range(1, 80):
        report = region_report(setup, first, np.arange(80) < last)
        assert report.low <= report.processed_estimate <= report.high
    if policy == "context":
        shown = intervals(setup.mechanism, first.evidence.tally, shares=shares)
        assert shown.low.tolist() == columns["low"].tolist()


def test_by_simulation_ranges_hold_for_cells_of_every_size() -> None:
    """OUE reports of a lognormal map, drawn without the package; cells by their size in σ.

    At significance 10⁻⁶ by the spread from run to run; a range of half the width must fail.
    """
    rng = np.random.default_rng(3)
    k, n, epsilon, runs = 900, 400_000, 2.0, 60
    weights = np.exp(rng.normal(0, 2.5, k)) * (rng.random(k) < 0.7)
    people = rng.multinomial(n, weights / weights.sum())
    p, other = people / n, 1 / (np.exp(epsilon) + 1)
    mechanism = catalogue.in_context(Context.plain(k, epsilon), "oue")
    sizes = p / np.sqrt(other * (1 - other) / n) * (0.5 - other)
    groups = [sizes == 0, (sizes > 0) & (sizes < 1), (sizes >= 1) & (sizes < 2)]
    groups += [(sizes >= 2) & (sizes < 4), sizes >= 4]
    assert min(group.sum() for group in groups) > 20
    held, halved = np.empty((runs, 5)), np.empty((runs, 5))
    for i in range(runs):
        included = rng.binomial(people, 0.5) + rng.binomial(n - people, other)
        tally = Tally(np.array([*included, n]), n, mechanism.fingerprint)
        evidence = Evidence.of(mechanism, tally, domain=GridDomain(40.0, 0.0, 0.5, 30, 30))
        shares = ESTIMATORS["cascade"].apply(evidence)
        shown = ranges(evidence, shares)
        middle, half = (shown.low + shown.high) / 2, (shown.high - shown.low) / 4
        for each, low, high in (
            (held, shown.low, shown.high),
            (halved, middle - half, middle + half),
        ):
            inside = (low <= p) & (p <= high)
            each[i] = [inside[group].mean() for group in groups]
    error = np.maximum(held.std(axis=0), 0.02) / np.sqrt(runs)
    assert (held.mean(axis=0) > 0.94 - 4.8 * error).all()
    assert (halved.mean(axis=0) < 0.9).any()


def test_ranges_are_those_of_the_estimator_that_stands_there() -> None:
    setup = prepare(Scenario(Zipf(200), n=2_000).with_context(blocks=OneBlock(), epsilon=0.5))
    lows = {}
    for name in ("cascade", "none"):
        result = run(replace(setup, scenario=replace(setup.scenario, estimator=name)))
        lows[name] = np.array(columns_of(result)["low"])
    assert (lows["none"] < 0).any()  # a negative share takes its range along
    assert (lows["cascade"] >= 0).all()
