"""The relief: its columns hold everybody, its spread bounds what regions say, it asks nobody."""

import json
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree
from streamlit.testing.v1 import AppTest

import caldp_ui
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Gowalla, Uniform
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.scenarios.blocks import GridBlocks, SensitiveAreas, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import WRONG
from caldp_ui.compute import runs
from caldp_ui.maps.presets import BEGIN
from caldp_ui.relief import columns, deck
from caldp_ui.relief.columns import borders, percent
from tests.contract.checks import naming
from tests.ui.driver import checked, open_app

TEXT = (27, 39, 51)


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    first: Scenario = BEGIN
    plain = runs.best_plain_ldp(first)
    return {"This protection": run(prepare(first)), "Plain LDP": run(prepare(plain))}


def maps_of(results: dict[str, Result]) -> tuple[columns.Tiles, dict[str, columns.Columns]]:
    squares = columns.squares_of(US_GRID)
    dataset = next(iter(results.values())).setup.dataset
    made = {"Truth": columns.truth(squares, dataset.distribution)}
    for title, result in results.items():
        found = columns.estimated(squares, result)
        assert found is not None
        made[title] = found
    return squares, made


def test_squares_are_the_smallest_that_there_is_room_for_and_hold_every_cell() -> None:
    for domain in (
        US_GRID,
        GridDomain(48.0, 11.0, 0.01, 7, 9),
        GridDomain(0.0, -180.0, 0.1, 1, 3_000),
    ):
        squares = columns.squares_of(domain)
        with naming(str(domain)):
            assert squares.m <= columns.TILES_MAX
            smaller = round(squares.degrees / domain.cell) - 1
            if smaller:
                assert -(-domain.rows // smaller) * -(-domain.columns // smaller) > squares.m
            assert squares.total(np.ones(domain.k)).sum() == domain.k
            row, column = domain.row_column(np.arange(domain.k))
            half = squares.degrees / 2
            north = domain.latitudes()[row] - squares.latitudes[squares.of_cell]
            east = domain.longitudes()[column] - squares.longitudes[squares.of_cell]
            assert max(np.abs(north).max(), np.abs(east).max()) < half


def test_hexagons_are_those_whose_middle_is_nearest_and_hold_every_cell() -> None:
    for domain in (US_GRID, GridDomain(60.0, -180.0, 0.5, 30, 90), GridDomain(0.0, 0.0, 0.1, 2, 2)):
        tiles = columns.hexagons_of(domain)
        narrow = columns.narrowing(domain)
        middles = np.stack([tiles.longitudes * narrow, tiles.latitudes], axis=1)
        cells = np.stack(
            [
                np.tile(domain.longitudes() * narrow, domain.rows),
                np.repeat(domain.latitudes(), domain.columns),
            ],
            axis=1,
        )
        nearest, _ = cKDTree(middles).query(cells)
        own = np.linalg.norm(cells - middles[tiles.of_cell], axis=1)
        with naming(str(domain)):
            np.testing.assert_allclose(own, nearest, atol=1e-9)
            assert tiles.m <= columns.TILES_MAX
            assert (tiles.total(np.ones(domain.k)) > 0).all()
            if tiles.m > 1:
                apart = np.asarray(cKDTree(middles).query(middles, 2)[0])
                np.testing.assert_allclose(apart[:, 1], tiles.degrees, rtol=1e-6)


def test_blocks_stand_over_their_own_cells_as_high_as_their_epsilon() -> None:
    domain = Gowalla(area="40,42,-75,-72").grid()
    near = SensitiveAreas(("+40,40.8,-75,-73.4",))
    levels = (0.5, 1.0, 2.0, 4.0)
    scenario = Scenario(dataset=Gowalla(area="40,42,-75,-72")).with_context(
        blocks=GridBlocks(2, 2), sensitive=near, epsilon=levels
    )
    setup = prepare(scenario)
    found = columns.blocks_of(setup, domain)
    assert found is not None
    over = np.zeros(domain.k, np.int64)
    for box, block in zip(found.boxes, found.of_box, strict=True):
        inside = domain.area_mask(Area(*box.tolist()))
        over += inside.astype(np.int64)
        assert (setup.partition.labels[inside] == block).all()
    assert (over == 1).all()
    look = deck.Look(4.0, 1.0, 1.0, TEXT, lambda e: f"ε = {e:g}")
    made = deck.blocks_deck(found, domain, look, borders(domain), 2)
    layers = layers_of(made)
    heights = {row["t"].partition("\n")[0]: row["h"] for row in layers["blocks"]}
    tall = layers["scale-0"][0]["b"][2]
    assert sorted(heights.values()) == pytest.approx([tall * e / 4 for e in levels], abs=1e-3)
    shares, flags = setup.dataset.distribution, setup.sensitive
    for block, safe in enumerate(found.protected):
        inside = setup.partition.labels == block
        assert safe == pytest.approx(shares[inside & flags].sum() / shares[inside].sum())
    assert (found.protected[1:] == 0).all()
    hides = [bool(flags[setup.partition.labels == block].any()) for block in range(4)]
    assert found.levels == tuple(
        f"{e:g}" if some else "none" for e, some in zip(levels, hides, strict=True)
    )
    assert all(("ε = none" in each) != some
               for each, some in zip(found.descriptions, hides, strict=True))  # fmt: skip
    assert 0 < found.protected[0] < 1
    states = prepare(BEGIN.with_context(blocks=StateBlocks()))
    many = columns.blocks_of(states, US_GRID)
    assert many is not None
    assert len(many.boxes) <= columns.BOXES_MAX


def test_columns_hold_everybody_and_are_no_surer_than_regions(results: dict[str, Result]) -> None:
    squares, maps = maps_of(results)
    for title, result in results.items():
        made = maps[title]
        assert made.shares.sum() == pytest.approx(result.first.unbiased.sum())
        truth = maps["Truth"].shares
        assert (np.abs(made.shares - truth) <= made.spread).mean() > 0.94
        for number in np.argsort(-made.shares)[:12].tolist():
            region = region_report(result.setup, result.first, squares.of_cell == number)
            with naming(f"{title}, {number}"):
                assert region.low <= made.shares[number] * result.setup.n <= region.high
                assert made.spread[number] >= region.half_width / result.setup.n * (1 - 1e-9)
    assert maps["This protection"].spread.max() < maps["Plain LDP"].spread.max()
    assert maps["Truth"].spread.max() == 0


def layers_of(made: deck.CompactDeck) -> dict[str, list[dict[str, Any]]]:
    spec = json.loads(made.to_json())
    return {layer["id"]: layer["data"] for layer in spec["layers"]}


def test_heights_and_colours_are_on_one_scale_that_is_drawn(results: dict[str, Result]) -> None:
    squares, maps = maps_of(results)
    look = deck.shared_look(maps, TEXT)
    layers = layers_of(deck.deck(maps, squares, look, borders(US_GRID), len(maps)))
    assert look.top >= max(each.shares.max() for each in maps.values())
    rulers = {layers[f"scale-{number}"][0]["b"][2] for number in range(len(maps))}
    (tall,) = rulers
    for number, made in enumerate(maps.values()):
        highest = max(layers[f"columns-{number}"], key=lambda row: row["h"])
        share = float(made.shares.max())
        assert highest["h"] == pytest.approx(share / look.top * tall, rel=1e-3)
        assert percent(share) in highest["t"]
        ticks = [row["t"] for row in layers[f"labels-{number}"][:-1]]
        assert (ticks[0], ticks[-1]) == ("0 %", percent(look.top))
    assert {tuple(row["c"]) for row in layers["columns-0"]} == {tuple(WRONG[0].tolist())}
    colours = {tuple(row["c"]) for row in layers["columns-2"]}
    assert tuple(WRONG[-1].tolist()) in colours


def test_on_a_phone_the_maps_stand_in_a_column(results: dict[str, Result]) -> None:
    squares, maps = maps_of(results)
    look = deck.shared_look(maps, TEXT)
    layers = layers_of(deck.deck(maps, squares, look, borders(US_GRID), 1))
    corners = [np.array(layers[f"sea-{number}"][0]["p"]) for number in range(len(maps))]
    tall = layers["scale-0"][0]["b"][2]
    for behind, before in pairwise(corners):
        assert (behind[:, 0] == before[:, 0]).all()
        # Seen at 45°, what stands before must not hide what is behind it.
        assert before[:, 1].max() + tall < behind[:, 1].min()


def test_a_relief_is_small_and_has_no_map_to_fetch(results: dict[str, Result]) -> None:
    squares, maps = maps_of(results)
    noise = np.random.default_rng(1).random(squares.m)
    crowded = columns.Columns(noise / noise.sum(), np.full(squares.m, 0.01))
    worst = {**maps, "Plain LDP": crowded, "This protection": crowded}
    made = deck.deck(worst, squares, deck.shared_look(worst, TEXT), borders(US_GRID), 3)
    text = made.to_json()
    assert len(text.encode()) < 700_000
    assert "http" not in text
    spec = json.loads(text)
    assert [each["@@type"] for each in spec["views"]] == ["OrbitView"]
    assert spec.get("mapProvider") is None


def test_borders_are_those_of_the_map() -> None:
    texas = GridDomain.from_area(Area(26.0, 36.0, -106.0, -94.0), 0.2)
    lines = borders(texas)
    inside = lines[~np.isnan(lines[:, 0])]
    assert len(inside) > 10
    assert (inside.min(axis=0) >= (-106, 26)).all()
    assert (inside.max(axis=0) <= (-94, 36)).all()
    assert np.isnan(borders(GridDomain(48.0, 11.0, 0.01, 7, 9))).all()


def reliefs(at: AppTest) -> list[Any]:
    return list(at.get("deck_gl_json_chart"))


def test_the_page_draws_it_only_once_it_is_opened_with_a_table_beside() -> None:
    at = open_app()
    assert reliefs(at) == []
    at.session_state["places-tabs"] = "Relief"
    checked(at.run())
    (relief,) = reliefs(at)
    assert "Truth: highest in" in relief.proto.alt
    assert "\n " not in relief.proto.json
    (table,) = (each.value for each in at.table if each.value.index.name == "square around")
    assert list(table.columns) == ["Truth", "Plain LDP", "This protection"]
    assert all("±" in cell for cell in table["This protection"])
    checked(at.segmented_control(key="places-relief-form").set_value("Hexagons").run())
    assert any(each.value.index.name == "hexagon around" for each in at.table)
    checked(at.segmented_control(key="places-relief-form").set_value("Blocks and their ε").run())
    assert any(each.value.index.name == "block" for each in at.table)


def test_a_notebook_has_the_relief_of_a_result(
    results: dict[str, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = results["Plain LDP"]
    made = json.loads(caldp_ui.deck(result).to_json())
    layers = [each["data"] for each in made["layers"] if each["id"].startswith("columns-")]
    _, maps = maps_of({"Plain LDP": result})
    counts = [(each.shares > 0).sum() for each in maps.values()]
    assert 0 < len(layers[0]) <= counts[0]
    assert 0 < len(layers[1]) <= counts[1]
    assert layers[0][0]["t"].startswith("Truth, ")
    of_values = run(prepare(Scenario(Uniform(4), n=100).plain()))
    with pytest.raises(CaldpError, match="these values are on no map"):
        caldp_ui.deck(of_values)
    monkeypatch.setitem(sys.modules, "pydeck", None)
    for name in [name for name in sys.modules if name.startswith("caldp_ui.relief.deck")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(CaldpError, match="deck needs the dashboard's packages; run pip install"):
        caldp_ui.deck(result)
