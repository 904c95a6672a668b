"""The figures of docs/estimators.md are those of the code."""

import re

import numpy as np
import pytest

from benchmarks import estimators
from benchmarks.calibrate import calibrate
from benchmarks.sizes import FULL
from caldp_core.datasets.synthetic import zipf_shares
from caldp_core.estimation import cascade_estimator
from caldp_core.estimation.estimators import estimator, simplex
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import registry
from caldp_core.privacy.context import Context
from tests import ROOT

TEXT = (ROOT / "docs" / "estimators.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("blocks", ["US, 25 × 35 blocks", "US"])
def test_what_it_gains(blocks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| {blocks} | 1 |"))
    cells = [cell.strip(" *") for cell in row.replace("**", "").strip("|").split("|")]
    names = {"simplex-per-block": cells[3], "cascade": cells[7]}
    some = {name: estimator(name).apply for name in names}
    monkeypatch.setattr(estimators, "_estimators", lambda: some)
    place = next(
        place
        for place in estimators._places(FULL)
        if place.name.replace("US reconstruction", "US") == blocks
    )
    for figure in estimators._compare(place, 1.0, FULL.estimator_draws):
        if figure.unit == "%":
            boxes = re.search(r"16: ([\d.]+)", figure.note)
            assert figure.runs is not None
            assert boxes is not None
            name = figure.work.rsplit(", ", 1)[1]
            assert f"{figure.runs.median:.1f} ({float(boxes[1]):.1f})" == names[name]


def test_its_limits_are_told() -> None:
    for least in (
        cascade_estimator.SYMBOLS_LEAST,
        cascade_estimator.PEOPLE_LEAST,
        cascade_estimator.ALL_LEAST,
    ):
        assert re.search(rf"\b{least}\b", TEXT)


def test_the_peer_that_is_compared_with_is_a_fair_one() -> None:
    # A posterior mean under the right law for sparse shares beats the nearest distribution clearly.
    mechanism = registry.in_context(Context.plain(2000, 1.0), "galois")
    people = np.random.default_rng(0).multinomial(100_000, zipf_shares(2000, 1.2))
    tally = mechanism.sample_tally(people, np.random.default_rng(1))
    evidence, truth = Evidence.of(mechanism, tally), people / people.sum()
    peer, nearest = calibrate(evidence), simplex(evidence)
    assert peer.sum() == pytest.approx(1.0)
    assert np.abs(peer - truth).sum() < 0.9 * np.abs(nearest - truth).sum()
