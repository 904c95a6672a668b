"""A scene's message holds what it says, by name; what the browser reports becomes records."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import Area, GridDomain
from caldp_ui.stage import bundle, component, records
from caldp_ui.stage.codec import SCALE, encode, nobody_below
from caldp_ui.stage.component import Act, StepChoice, film_blobs, film_head, scene_head
from caldp_ui.stage.records import (
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
)

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
    monkeypatch.setattr(st, "session_state", {"map": {"events": batch}})
    for _ in range(2):  # what was received once is not done again
        component._dispatch_events("map", calls.append, calls.append)
    return calls


@pytest.mark.parametrize(
    "batch", [None, 7, {}, {"events": 3}, {"events": [7]}, {"events": [{"serial": ""}]}]
)
def test_what_is_no_batch_of_events_is_ignored(monkeypatch: pytest.MonkeyPatch, batch: Any) -> None:
    monkeypatch.setattr(st, "session_state", {"map": {"events": batch}})
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
    script = bundle.script()
    assert "import " not in script.replace("important ", "")
    assert script.count("export ") == script.count("export default") == 1
    text = script + bundle.style()
    hosts = {line for line in text.splitlines() if "//" in line and "http" in line}
    assert hosts == {'const SVG = "http://www.w3.org/2000/svg";'}
    assert not any(word in text for word in ("innerHTML", "eval(", "fetch(", "XMLHttpRequest"))


def test_every_file_of_the_browser_s_side_is_in_the_module_and_short() -> None:
    files = {path.stem: path.read_text("utf-8") for path in bundle.WEB.glob("*.js")}
    assert set(files) == set(bundle._ORDER)
    for name, text in files.items():
        assert text.startswith("/* "), name
        assert bundle.join_modules(bundle.WEB, (name,)).count("\n") < 250, name
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
