"""The stage and the relief: codes, messages, scales and columns say what they hold."""

import json
import sys
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import streamlit
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from streamlit.testing.v1 import AppTest

import caldp_ui
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Gowalla, Uniform
from caldp_core.domain.domains import US_GRID, Area, GridDomain
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.scenarios.blocks import GridBlocks, SensitiveAreas, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import WRONG
from caldp_ui.compute import runs
from caldp_ui.maps.scene import BEGIN
from caldp_ui.relief import columns, deck
from caldp_ui.relief.columns import borders, percent
from caldp_ui.stage import component, records
from caldp_ui.stage.component import Act, StepChoice, film_blobs, film_head, scene_head
from caldp_ui.stage.records import (
    SCALE,
    Action,
    Difference,
    Fact,
    Film,
    Focus,
    Ground,
    Label,
    Picture,
    Scene,
    Step,
    encode,
    nobody_below,
    scale_of,
)
from tests.contract.checks import naming
from tests.ui.driver import checked, open_app
from tests.ui.readings import shares_of

TEXT = (27, 39, 51)


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    first: Scenario = BEGIN
    plain = runs.best_plain_ldp(first)
    return {"This protection": run(prepare(first)), "Plain LDP": run(prepare(plain))}


def maps_of(results: dict[str, Result]) -> tuple[columns.Tiles, dict[str, columns.ReliefColumns]]:
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
    assert all(
        ("ε = none" in each) != some for each, some in zip(found.descriptions, hides, strict=True)
    )
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


def test_a_relief_is_small_and_has_no_map_to_fetch(results: dict[str, Result]) -> None:
    squares, maps = maps_of(results)
    noise = np.random.default_rng(1).random(squares.m)
    crowded = columns.ReliefColumns(noise / noise.sum(), np.full(squares.m, 0.01))
    worst = {**maps, "Plain LDP": crowded, "This protection": crowded}
    made = deck.deck(worst, squares, deck.shared_look(worst, TEXT), borders(US_GRID), 3)
    text = made.to_json()
    assert len(text.encode()) < 700_000
    assert "http" not in text
    spec = json.loads(text)
    assert [each["@@type"] for each in spec["views"]] == ["OrbitView"]
    assert spec.get("mapProvider") is None


def reliefs(at: AppTest) -> list[Any]:
    return list(at.get("deck_gl_json_chart"))


@pytest.mark.slow
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


BUDGET = 40_000
"""Bytes for one picture of the reconstruction."""
SHARES = st.floats(records.SMALLEST, 1.0) | st.floats(-1.0, -records.SMALLEST)


@given(st.lists(SHARES, min_size=1, max_size=50))
def test_shares_come_back_within_a_thousandth(shares: list[float]) -> None:
    values = np.array(shares)
    back = shares_of(records.codes(values))
    assert (np.abs(back - values) <= 4.3e-4 * np.abs(values)).all()


def test_nobody_and_what_is_beyond_the_scale() -> None:
    shares = np.array([0.0, 1e-13, -1e-13, 1.0, 7.0, -7.0, records.SMALLEST])
    assert records.codes(shares).tolist() == [0, 0, 0, 32767, 32767, 65535, 1]
    assert shares_of(records.codes(shares)).tolist() == [0, 0, 0, 1, 1, -1, records.SMALLEST]


def test_codes_keep_the_order_of_shares() -> None:
    shares = np.sort(np.random.default_rng(5).random(1000) ** 20)
    assert (np.diff(records.codes(shares).astype(int)) >= 0).all()


@pytest.mark.parametrize("scenario", [Scenario(), Scenario().plain()], ids=["blocks", "plain"])
def test_a_picture_of_the_reconstruction_is_within_its_budget(scenario: Scenario) -> None:
    from caldp_core.experiments.run import prepare, run

    result = run(prepare(scenario))
    assert len(records.encode_people(result.first.estimate, result.setup.n).packed) <= BUDGET
    assert result.first.levels is not None
    assert len(records.encode_levels(result.first.levels).packed) <= BUDGET / 5
    noise = np.random.default_rng(1).normal(0, 1e-4, US_GRID.k)
    assert len(records.encode(noise).packed) > BUDGET, "the measure does not see what is large"


@given(st.lists(SHARES, min_size=1, max_size=50), st.integers(10, 10**12))
def test_people_come_back_as_a_map_shows_them(shares: list[float], people: int) -> None:
    exact = np.array(shares)
    found = shares_of(records.people_codes(exact, people))
    number, sent = np.abs(exact) * people, np.abs(found) * people
    visible = np.abs(exact) >= nobody_below(people)
    np.testing.assert_array_equal(found != 0, visible)
    assert (found[visible] * exact[visible] > 0).all()
    few, many = visible & (number < 30), number >= 999.5
    whole = visible & ~few & ~many
    np.testing.assert_array_equal(np.rint(sent[whole]), np.rint(number[whole]))
    levels_off = np.abs(np.log10(found[few] / exact[few])) / 4 * 254
    assert (levels_off <= 0.5).all()  # of 255 colours for a range of 10⁴
    assert (np.abs(sent[many] / number[many] - 1) < 1.3e-3).all()


def test_standard_errors_come_back_to_a_hundredth() -> None:
    errors = np.array([0.0, 1e-9, 3e-5, 0.02, 1.0])
    raw = zlib.decompress(records.encode_errors(errors).packed)
    number = int.from_bytes(raw[:4], "little")
    listed = np.frombuffer(raw, "<u2", number, 4)
    places = np.frombuffer(raw, np.uint8, -1, 4 + 2 * number)
    np.testing.assert_allclose(shares_of(listed[places]), errors, rtol=0.014)


def test_labels_masks_and_lines_are_what_the_browser_reads() -> None:
    labels = np.array([0, 70_000, 3])
    raw = zlib.decompress(records.encode_labels(labels).packed)
    assert np.frombuffer(raw, "<u4").tolist() == labels.tolist()
    mask = np.arange(11) % 3 == 0
    bits = np.frombuffer(zlib.decompress(records.encode_mask(mask).packed), np.uint8)
    assert np.unpackbits(bits, count=11, bitorder="little").astype(bool).tolist() == mask.tolist()
    lines = records.encode_lines(np.array([1.25, np.nan]), np.array([-2.5, np.nan]))
    points = np.frombuffer(zlib.decompress(lines.packed), "<i4").tolist()
    assert points == [1250, -2500, -(2**31), -(2**31)]


def test_a_parcel_holds_a_head_and_each_blob_once() -> None:
    blob, other = records.encode(np.array([0.5])), records.encode(np.array([0.25, 0.75]))
    parcel = records.pack_message({"stage": "map"}, [blob, other, blob])
    body = 4 + int.from_bytes(parcel[:4], "little")
    head = json.loads(parcel[4:body])
    assert head["stage"] == "map"
    assert head["blobs"] == [[each.name, len(each.packed)] for each in (blob, other)]
    assert parcel[body:] == blob.packed + other.packed


@pytest.mark.parametrize(
    ("text", "cells"),
    [("", []), ("0+2,4+1", [0, 1, 4]), ("4+9", [4]), ("x+1,-3+2,2,+,1+y", []), ("9+1", [])],
)
def test_runs_become_cells_and_nonsense_becomes_nothing(text: str, cells: list[int]) -> None:
    assert np.flatnonzero(records.parse_runs(text, 5)).tolist() == cells


GRID = GridDomain(south=0.0, west=0.0, cell=1.0, rows=2, columns=3)
TRUTH, OURS = (encode(np.arange(6) / scale) for scale in (15, 20))
FACT = Fact("12", "of 100 people")
SCENE = Scene(
    Ground(GRID, GRID.area),
    (
        Picture("truth", "Truth", "", "A map.", TRUTH),
        Picture("ours", "Ours", "12 of 100", "A map.", OURS, 1e-6, (), FACT),
    ),
    1000,
    ("truth", "ours"),
    (Difference("off", "Off by", "", "A map.", "ours", "truth"),),
    (Action("protect", "Protect", {"box": "Will be sensitive."}),),
)


def test_a_scene_s_message_names_its_blobs_and_is_json() -> None:
    head = json.loads(json.dumps(scene_head(SCENE, "map")))
    assert [each["code"] for each in head["pictures"]] == [TRUTH.name, OURS.name]
    assert head["pictures"][1]["fact"] == ["12", "of 100 people"]
    assert head["ground"]["home"] == [0.0, 2.0, 0.0, 3.0]
    assert head["ground"]["labels"] is head["focus"] is None
    assert head["differences"][0]["first"] == "ours"
    focused = replace(SCENE, focus=Focus(Area(0, 1, 0, 2), 3))
    assert scene_head(focused, "map")["focus"] == {"box": [0, 1, 0, 2], "serial": 3}


@pytest.mark.parametrize(
    "change",
    [
        {"pictures": ()},
        {"pictures": SCENE.pictures[:1] * 2},
        {"swipe": ("truth", "theirs")},
        {"differences": (replace(SCENE.differences[0], second="theirs"),)},
        {"differences": (replace(SCENE.differences[0], id="truth"),)},
    ],
)
def test_a_scene_names_each_picture_once_and_no_others(change: dict[str, Any]) -> None:
    with pytest.raises(CaldpError):
        replace(SCENE, **change)


def test_a_film_s_message_does_not_depend_on_where_the_page_is() -> None:
    label = Label("12 of 100", "", "safe")
    only = Step("ε = 1", 1.0, {"ours": OURS}, {"ours": "so"}, {"ours": FACT})
    only = replace(only, notes={"ours": ("", "ε = 1")}, labels={"ours": (label,)})
    film = Film("epsilon", "ε", (only,))
    step = json.loads(json.dumps(film_head(film)))["steps"][0]
    assert step["codes"] == {"ours": OURS.name}
    assert step["facts"] == {"ours": ["12", "of 100 people"]}
    assert step["notes"] == {"ours": ["", "ε = 1"]}
    assert step["labels"]["ours"][0]["title"] == "12 of 100"
    assert list(film_blobs(film)) == [OURS]
    moved = replace(SCENE, film_values={"epsilon": 2.0})
    assert scene_head(moved, "map")["values"] == {"epsilon": 2.0}


def dispatch_twice(monkeypatch: pytest.MonkeyPatch, kind: str, record: Any) -> list[Any]:
    calls: list[Any] = []
    batch = {"client": "one", "events": [{"serial": 1, "kind": kind, "record": record}]}
    monkeypatch.setattr(streamlit, "session_state", {"map": {"events": batch}})
    for _ in range(2):  # what was received once is not done again
        component._dispatch_events("map", calls.append, calls.append)
    return calls


@pytest.mark.parametrize(
    "batch", [None, 7, {}, {"events": 3}, {"events": [7]}, {"events": [{"serial": ""}]}]
)
def test_what_is_no_batch_of_events_is_ignored(monkeypatch: pytest.MonkeyPatch, batch: Any) -> None:
    monkeypatch.setattr(streamlit, "session_state", {"map": {"events": batch}})
    calls: list[Any] = []
    component._dispatch_events("map", calls.append, calls.append)
    assert calls == []


@pytest.mark.parametrize(
    ("value", "record"),
    [
        (
            {"tool": "box", "action": "protect", "box": [1, 2, 0, 3]},
            Act("box", "protect", Area(1, 2, 0, 3)),
        ),
        (
            {"tool": "brush", "action": "protect", "cells": "0+2"},
            Act("brush", "protect", cells="0+2"),
        ),
        ({"tool": "blocks", "action": "protect", "block": 4}, Act("blocks", "protect", block=4)),
        ({"tool": "undo", "action": "undo"}, Act("undo", "undo")),
    ],
)
def test_what_a_hand_did_becomes_a_record(
    monkeypatch: pytest.MonkeyPatch, value: Any, record: Act
) -> None:
    assert dispatch_twice(monkeypatch, "act", value) == [record]


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        {},
        {"tool": "box"},
        {"tool": "box", "action": "protect", "box": [1, 2]},
        {"tool": "box", "action": "protect", "box": [2, 1, 0, 3]},
        {"tool": "blocks", "action": "protect", "block": "none"},
    ],
)
def test_what_our_browser_s_side_would_not_send_is_nothing(
    monkeypatch: pytest.MonkeyPatch, value: Any
) -> None:
    assert dispatch_twice(monkeypatch, "act", value) == []


def test_a_chosen_step_becomes_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"film": "epsilon", "index": 2, "value": 1.5}
    assert dispatch_twice(monkeypatch, "step", value) == [StepChoice("epsilon", 2, 1.5)]


def test_brushed_cells_are_a_mask() -> None:
    assert Act("brush", "protect", cells="1+2").mask(4).tolist() == [False, True, True, False]


def test_the_browser_s_side_is_one_module_that_asks_nobody() -> None:
    script = records.script()
    assert "import " not in script.replace("important ", "")
    assert script.count("export ") == script.count("export default") == 1
    text = script + records.style()
    hosts = {line for line in text.splitlines() if "//" in line and "http" in line}
    assert hosts == {'const SVG = "http://www.w3.org/2000/svg";'}
    assert not any(word in text for word in ("innerHTML", "eval(", "fetch(", "XMLHttpRequest"))


def test_every_file_of_the_browser_s_side_is_in_the_module_and_short() -> None:
    files = {path.stem: path.read_text("utf-8") for path in records.WEB.glob("*.js")}
    assert set(files) == set(records.module_order(records.WEB, "main"))
    for name, text in files.items():
        assert text.startswith("/* "), name
        assert records.join_modules(records.WEB, (name,)).count("\n") < 250, name
        assert max(map(len, text.splitlines())) <= 100, name


def test_fewer_than_half_a_person_is_nobody_but_no_more_than_the_scale_tells() -> None:
    assert nobody_below(10**9) == 0.5e-9
    assert nobody_below(10) == SCALE.low


def test_words_beside_the_stage_are_elements_and_texts_only() -> None:
    html = '<div class="odds fair" style="--tens:8" onclick="y"><i></i>5 &lt; 6 <b>now</b></div>'
    assert records.tree(html) == [
        "div",
        {"className": "odds fair", "style": "--tens:8"},
        ["i", {}],
        "5 < 6 ",
        ["b", {}, "now"],
    ]
    for wrong in ("", "text", "<p>one</p><p>two</p>", "<p>open", "<p><b>crossed</p></b>"):
        with pytest.raises(CaldpError):
            records.tree(wrong)


def test_the_whole_country_has_the_common_scale() -> None:
    assert scale_of(Gowalla().load().distribution) is SCALE


@pytest.mark.parametrize("largest", [0.9, 0.2, 0.031, 1.0])
def test_a_small_map_has_a_scale_that_ends_just_above_its_largest_cell(largest: float) -> None:
    cells = 100
    shares = np.full(cells, (1 - largest) / (cells - 1))
    shares[7] = largest
    scale = scale_of(shares) if largest < 1 else scale_of(np.array([0.0, 1.0]))
    assert scale is not SCALE
    assert largest * (1 - 1e-9) <= scale.high <= 2.5 * largest
    assert [share for share, _ in scale.ticks] == [scale.low, scale.high]
    for share, label in scale.ticks:
        assert abs(int(label.removeprefix("1 in ").replace(",", "")) * share - 1) < 0.01
