"""The figures of docs/estimators.md are those of the code."""

import re

import numpy as np
import pytest

from benchmarks.suites.accuracy import Estimators
from caldp_core import Scenario, prepare
from caldp_core.datasets import Gowalla
from caldp_core.datasets.synthetic import zipf_shares
from caldp_core.estimation import cascade_estimator
from caldp_core.estimation.estimators import simplex
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import intervals, may_be_noise
from caldp_core.experiments.metrics import total_variation
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.catalogue import Galois
from caldp_core.privacy.context import Context
from tests import ROOT
from tests.estimation.calibrate import calibrate

TEXT = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("blocks", ["US, 25 × 35 blocks", "US"])
def test_what_it_gains(blocks: str) -> None:
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| {blocks} | 1 |"))
    cells = [cell.strip(" *") for cell in row.replace("**", "").strip("|").split("|")]
    for name, cell in {"simplex-per-block": cells[3], "cascade": cells[7]}.items():
        suite = Estimators()
        suite.setup(blocks, 1.0, name)
        assert f"{suite.track_wrong_cell():.1f} ({suite.track_wrong_box():.1f})" == cell


def figures_of(title: str, *more: str) -> list[str]:
    """The cells of the row of a table with these first cells."""
    start = "".join(f"| {cell} " for cell in (title, *more))
    row = next(line for line in TEXT.splitlines() if line.startswith(start))
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
    after = TEXT.split("| US | cascade |")[1].splitlines()[1]
    assert after.split("|")[4].strip() == f"{drawn:.1f}"


def test_its_limits_are_told() -> None:
    for least in (
        cascade_estimator.SYMBOLS_LEAST,
        cascade_estimator.PEOPLE_LEAST,
        cascade_estimator.ALL_LEAST,
    ):
        assert re.search(rf"\b{least}\b", TEXT)


def test_the_peer_that_is_compared_with_is_a_fair_one() -> None:
    # A posterior mean under the right law for sparse shares beats the nearest distribution clearly.
    mechanism = catalogue.in_context(Context.plain(2000, 1.0), "galois")
    people = np.random.default_rng(0).multinomial(100_000, zipf_shares(2000, 1.2))
    tally = mechanism.sample_tally(people, np.random.default_rng(1))
    evidence, truth = Evidence.of(mechanism, tally), people / people.sum()
    peer, nearest = calibrate(evidence), simplex(evidence)
    assert peer.sum() == pytest.approx(1.0)
    assert np.abs(peer - truth).sum() < 0.9 * np.abs(nearest - truth).sum()
