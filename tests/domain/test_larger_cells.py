"""Cells put together: every person stays where they were, and what is lost is told apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import OwnPlaces
from caldp_core.datasets.own import places_from_counts
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.partitions import LargerCells
from caldp_core.experiments.regions import cell_errors
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import GridBlocks, SensitiveAreas
from caldp_core.scenarios.scenario import Scenario

GRIDS = st.builds(
    GridDomain,
    south=st.sampled_from([-90.0, 10.0, 89.0]),
    west=st.sampled_from([-180.0, 0.0, 178.5]),
    cell=st.just(0.1),
    rows=st.integers(1, 9),
    columns=st.integers(1, 14),
)


@settings(max_examples=60)
@given(GRIDS, st.integers(1, 12))
def test_a_cell_s_middle_is_in_the_larger_cell_that_it_is_said_to_be_in(
    fine: GridDomain, together: int
) -> None:
    cells = LargerCells(fine, together)
    middles = np.repeat(fine.latitudes(), fine.columns), np.tile(fine.longitudes(), fine.rows)
    np.testing.assert_array_equal(cells.larger_cell_of, cells.grid.locate(*middles))
    assert cells.grid.cell == pytest.approx(together * fine.cell)
    assert cells.grid.k <= (fine.rows // together + 1) * (fine.columns // together + 1)
    values = np.random.default_rng(1).random(fine.k)
    assert cells.sums(values).sum() == pytest.approx(values.sum())
    np.testing.assert_allclose(
        cells.sums(cells.spread_evenly(cells.sums(values))), cells.sums(values)
    )


def test_the_whole_earth_takes_only_what_divides_it() -> None:
    earth = GridDomain(-90.0, -180.0, 5.0, 36, 72)
    assert LargerCells(earth, 4).grid.k == 9 * 18
    with pytest.raises(CaldpError, match="can't be put together 5 by 5; take a number"):
        LargerCells(earth, 5)


def places(together: int, part: str = "") -> OwnPlaces:
    rng = np.random.default_rng(3)
    grid = GridDomain(40.0, 0.0, 0.1, 12, 18)
    spec = places_from_counts(rng.integers(0, 2_000, grid.k), grid, "Made up")
    return OwnPlaces(spec.people, spec.area, spec.cell, part=part, together=together)


def test_squared_error_is_that_of_blur_and_that_of_noise_and_the_parts_bound_the_whole() -> None:
    scenario = Scenario(dataset=places(3)).with_context(blocks=GridBlocks(2, 2), epsilon=0.5)
    setup = prepare(scenario)
    finest, estimate = setup.dataset.fine_map, run(setup).first.estimate
    assert finest is not None
    found, cells, truth = cell_errors(setup, estimate), finest.cells, finest.distribution
    whole = np.sum((cells.spread_evenly(estimate) - truth) ** 2)
    blur = np.sum((finest.even_distribution - truth) ** 2)
    noise = np.sum((estimate - setup.dataset.distribution) ** 2) / 9
    assert whole == pytest.approx(blur + noise, rel=1e-9)
    assert min(blur, noise) > 0.01 * whole
    assert found.noise <= found.both + 1e-12
    assert found.both <= found.blur + found.noise
    alone = prepare(Scenario(dataset=places(1)).with_context(blocks=GridBlocks(2, 2)))
    errors = cell_errors(alone, run(alone).first.estimate)
    assert (errors.blur, errors.noise) == (0.0, errors.both)


def test_larger_cells_are_as_private_as_the_small_ones_in_them() -> None:
    one = "+40.0,40.1,0.0,0.1"
    context = {"blocks": GridBlocks(2, 3), "sensitive": SensitiveAreas((one,))}
    setup = prepare(Scenario(dataset=places(2)).with_context(**context))
    assert np.flatnonzero(setup.sensitive).tolist() == [0]
    small = prepare(Scenario(dataset=places(1)).with_context(**context))
    assert setup.partition.names == small.partition.names
    middle = small.dataset.domain.locate(  # type: ignore[union-attr]
        np.repeat(40.15 + 0.2 * np.arange(6), 9), np.tile(0.15 + 0.2 * np.arange(9), 6)
    )
    np.testing.assert_array_equal(setup.partition.labels, small.partition.labels[middle])
    part = prepare(Scenario(dataset=places(1, "40.2,40.5,0.3,0.9")).with_context(**context))
    assert part.dataset.counts is not None
    assert small.dataset.counts is not None
    kept = small.dataset.counts.reshape(12, 18)[2:5, 3:9]
    np.testing.assert_array_equal(part.dataset.counts, kept.ravel())
