"""The infant deaths of North Carolina, and what its hiding rule leaves an attacker."""

import numpy as np

from caldp_core.attacks.differencing import (
    bounds,
    disclosed_cells,
    published_sums,
    published_sums_with_marks,
    published_sums_with_rule,
    solve_by_subtraction,
)
from caldp_core.datasets import InfantDeaths, county_outlines
from caldp_core.domain.answers import Domain
from caldp_core.scenarios.blocks import GroupBlocks
from caldp_core.treatments.release import CentralTable, Rounding, Suppression


def test_the_table_is_the_printed_one() -> None:
    data = InfantDeaths().load()
    assert data.counts is not None
    table = data.counts.reshape(100, 2)
    assert table.sum(axis=0).tolist() == [667, 836]
    assert (table == 0).sum(axis=0).tolist() == [13, 9]
    assert table.max(axis=0).tolist() == [44, 57]
    assert isinstance(data.domain, Domain)
    assert data.domain.names[8:10] == ("Ashe, 1974–78", "Ashe, 1979–84")
    assert table[4].tolist() == [1, 0]


def test_thirty_of_72_hidden_cells_come_back_and_with_all_of_the_rule_30_again() -> None:
    data = InfantDeaths().load()
    counts, labels = data.counts, GroupBlocks().build(data.domain).labels
    assert counts is not None
    simple = published_sums(Suppression(5).suppress_small(counts, labels))
    assert (simple.cells.size, int(solve_by_subtraction(simple).sum())) == (72, 30)
    published = Suppression(5).publish(counts, labels)
    for knowing, found, near in (
        (published_sums, 0, 19),
        (published_sums_with_marks, 22, 51),
        (published_sums_with_rule, 30, 53),
    ):
        sums = knowing(published)
        low, high = bounds(sums)
        small = published.primary[sums.cells]
        assert (sums.cells.size, int(small.sum())) == (102, 72)
        assert int((disclosed_cells(low, high) & small).sum()) == found
        assert (low <= counts[sums.cells] + 1e-6).all()
        assert (counts[sums.cells] <= high + 1e-6).all()
        assert np.count_nonzero((high - low)[small] <= 2) == near


def test_mean_errors_by_county_are_those_of_the_formulas() -> None:
    counts = InfantDeaths().load().counts
    assert counts is not None
    first = counts.reshape(100, 2)[:, 0]
    errors = [2 * Rounding(b).variance(first).mean() / b for b in (3, 5)]
    assert np.round(errors, 2).tolist() == [0.92, 1.37]
    # Noise of ε = 1 for one death more or less is that of ε = 2 for one that is elsewhere.
    a = float(CentralTable(2.0).noise.alpha)
    assert round(2 * a / (1 - a**2), 2) == 0.85


def test_every_county_has_its_land_in_the_state() -> None:
    outlines = county_outlines()
    assert len(outlines) == 100
    for rings in outlines:
        points = np.concatenate(rings)
        assert len(points) >= 4
        assert (points.min(axis=0) > (-84.4, 33.7)).all()
        assert (points.max(axis=0) < (-75.4, 36.7)).all()
