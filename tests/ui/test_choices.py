"""Presets, data, methods' parameters, fields of text, small parts of pages, and numbers as they are
read: read back, they are the number again."""

import ast
import io
import math
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from hypothesis import example, given, strategies
from PIL import Image
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.datasets import Cities, Gowalla, OwnPlaces, Snap, us_cities
from caldp_core.datasets.snap import GOWALLA_FILE
from caldp_core.domain.domains import US_GRID, Area, GridDomain
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import MECHANISMS, Galois, Hadamard, SubsetSelection
from caldp_core.scenarios.blocks import (
    EverythingSensitive,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import gate, theme
from caldp_ui.app.theme import CIVIDIS, NIGHT_LAND
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, protections
from caldp_ui.maps import scene
from caldp_ui.maps.scene import home
from caldp_ui.parts import layout, pack
from caldp_ui.places.page_state import crop
from caldp_ui.values.page_state import AFFAIR, LINK, ValuesState
from caldp_ui.words import formats
from caldp_ui.words.accuracy import DEFINITIONS
from caldp_ui.words.formats import MEANING, STRENGTHS, strength
from caldp_ui.words.policies import PARAMETERS, describe_parameters
from tests.strategies import thinned
from tests.ui.driver import by_the_core, checked, open_page, picture_of, pictures, query_of
from tests.ui.readings import full_people, read, to_three_digits, to_two_digits

ROOT = Path(__file__).parents[2]
BY_TITLE = {preset.title: preset for preset in scene.PRESETS}


@pytest.mark.parametrize("title", thinned(BY_TITLE, one_in=2))
def test_every_preset_runs_and_is_recognised(title: str) -> None:
    preset = BY_TITLE[title]
    before = Scenario(
        policy=ContextPolicy(epsilon=3.0), n=10_000, seed=8, estimator="significance-threshold"
    )
    after = preset.apply(before)
    assert (after.context.epsilon, after.n, after.seed, after.estimator) == (
        3.0,
        10_000,
        8,
        "significance-threshold",
    )
    assert scene.matching_preset(after) is preset
    assert len(run(prepare(after)).errors) == 1


def test_no_preset_that_hides_something_leaves_a_place_alone_in_its_block() -> None:
    for preset in scene.PRESETS:
        setup = prepare(preset.apply(Scenario()))
        alone = (setup.partition.sizes() == 1)[setup.partition.labels]
        assert not (setup.sensitive & alone).any(), preset.title


@pytest.mark.parametrize(
    ("grid", "titles"),
    [
        (
            GridDomain(41.0, -5.0, 0.5, 20, 30),
            ["States and provinces", "Blocks of 5 × 5 cells", "Paris is sensitive"],
        ),
        (
            GridDomain(48.7, 2.1, 0.01, 36, 60),  # within one region
            ["Quarters of the map", "Blocks of 5 × 5 cells", "Paris is sensitive"],
        ),
        (
            GridDomain(-20.0, 176.0, 0.05, 200, 150),  # across 180°
            ["States and provinces", "Blocks of 5 × 5 cells", "Nasinu is sensitive"],
        ),
        (
            GridDomain(-40.0, -30.0, 1.0, 2, 3),
            ["Quarters of the map", "Blocks of 5 × 5 cells", "The middle is sensitive"],
        ),
    ],
)
def test_protections_that_are_compared_are_those_of_the_map(
    grid: GridDomain, titles: list[str]
) -> None:
    found = protections(grid)
    assert tuple(found) == NAMES
    assert [choice.title for choice in found.values()][1:4] == titles
    some = range(0, grid.k, grid.k // 5)
    cells = " ".join(f"{cell}:100" for cell in some)
    data = OwnPlaces(cells, str(grid.area), grid.cell)
    for choice in found.values():
        setup = prepare(Scenario(data, choice.policy))
        assert setup.sensitive.any()
        assert run(setup).first.estimate.sum() == pytest.approx(1)
        assert setup.sensitive.all() == (choice.policy.sensitive == EverythingSensitive())


def test_snap_is_offered_only_once_it_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "cache_folder", lambda: tmp_path)
    assert runs.fetched_snap() is None
    assert all(isinstance(spec, Gowalla | Cities) for spec in runs.places().values())
    (tmp_path / GOWALLA_FILE).write_bytes(b"")
    snap = Snap(str(tmp_path / GOWALLA_FILE))
    assert runs.fetched_snap() == snap
    assert snap in runs.places().values()
    title = runs.title_of(snap, runs.places())
    assert runs.places()[title] == snap


def _name(node: ast.expr) -> str:
    """A name, with or without its module before it."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def _terms_used() -> set[str]:
    used: set[str] = set()
    for path in [*ROOT.glob("caldp_ui/**/*.py"), *ROOT.glob("pages/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) == "terms":
                used |= {str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)}
            if isinstance(node, ast.Subscript) and _name(node.value) == "DEFINITIONS":
                used |= {str(node.slice.value)} if isinstance(node.slice, ast.Constant) else set()
    return used


def test_every_term_that_is_used_is_defined_and_the_other_way_round() -> None:
    assert _terms_used() == set(DEFINITIONS)


OPEN = {"values-more": True, "values-parameters": True}
OMEGA, SHARE = "values-parameter-omega", "values-parameter-share"


def test_every_number_of_a_method_has_words_and_no_other_has() -> None:
    named = {field.name for entry in MECHANISMS.values() for field in fields(entry.spec)}  # type: ignore[arg-type]
    assert named == set(PARAMETERS)
    assert describe_parameters(SubsetSelection()) == describe_parameters(Hadamard()) == ""
    assert describe_parameters(SubsetSelection(omega=5)) == ", ω = 5"
    assert describe_parameters(Galois(share=0.25)) == ", share = 0.25"


def test_a_number_is_set_refused_and_left_to_the_method_again() -> None:
    sent = LINK.write(ValuesState(replace(AFFAIR, mechanism=SubsetSelection())))
    at = open_page("pages/values.py", sent, OPEN)
    assert "best: " in at.text_input(key=OMEGA).placeholder
    checked(at.text_input(key=OMEGA).set_value("2").run())
    link = query_of(at)
    assert link["mechanism.omega"] == "2"
    for bad in ("0", "two", "1.5"):
        at.text_input(key=OMEGA).set_value(bad).run()
        (refused,) = [item.value for item in (*at.warning, *at.error)]
        assert "omega must be a whole number" in refused
        assert (query_of(at), at.text_input(key=OMEGA).value) == (link, bad)
    again = open_page("pages/values.py", link, OPEN)
    assert again.text_input(key=OMEGA).value == "2"
    checked(again.text_input(key=SHARE).set_value("0,5").run())
    assert query_of(again)["mechanism.share"] == "0.5"
    assert "mechanism.omega" not in query_of(again)
    checked(again.text_input(key=SHARE).set_value("").run())
    assert query_of(again)["mechanism"] == "subset-selection"
    assert "mechanism.share" not in query_of(again)


@pytest.mark.slow
def test_q_of_the_cascade_is_set_refused_and_left_again() -> None:
    begin = {"v": "2", "dataset": "cities", "dataset.together": "3", "n": "200000"} | {
        "blocks": "one"
    }
    opens = {"places-more": True, "places-cascade": True}
    at = open_page("pages/places.py", begin, opens)
    field = "places-false-share"
    assert at.text_input(key=field).placeholder == "the best: 0.2"
    checked(at.text_input(key=field).set_value("0,05").run())
    link = query_of(at)
    assert link["false_share"] == "0.05"
    for bad in ("0", "0.6", "a fifth"):
        at.text_input(key=field).set_value(bad).run()
        (refused,) = [item.value for item in (*at.warning, *at.error)]
        assert "q" in refused
        assert (query_of(at), at.text_input(key=field).value) == (link, bad)
    scenario = at.session_state["places/state"].record.scenario
    assert picture_of(by_the_core(scenario)) in pictures(at).values()
    checked(at.text_input(key=field).set_value("").run())
    assert "false_share" not in query_of(at)


def page() -> None:
    """A field, a number beside it, and buttons that change the record."""
    from dataclasses import dataclass, replace

    import streamlit as st

    from caldp_ui.app.fragments import fragment
    from caldp_ui.session.jobs import run_page
    from caldp_ui.session.links import RecordLink
    from caldp_ui.session.page_state import PageState

    @dataclass(frozen=True)
    class Note:
        text: str = "begin"
        number: int = 0

    # One class for all runs: records of two are never equal.
    fresh = st.session_state.setdefault("fresh", Note())
    state = PageState("note", RecordLink(fresh, lambda _: None))
    record = state.current()
    st.text_input(
        "Text", **state.bind_held("text", record.text, lambda r, v: replace(r, text=v.strip()))
    )
    st.slider(
        "Number",
        0,
        9,
        **state.bind_held("number", record.number, lambda r, v: replace(r, number=v)),
    )
    st.button("Seven", key="seven", on_click=lambda: state.put(replace(record, number=7)))
    st.button("Undo", key="undo", on_click=state.undo)
    st.button("Put", key="put", on_click=lambda: state.put(replace(record, text="put")))
    if st.button("Put, and run again", key="again", on_click=lambda: state.put(fresh)):
        st.rerun()

    def part() -> None:
        if st.button("Run the page", key="film"):
            run_page()

    fragment(part)()


@pytest.fixture
def at() -> AppTest:
    """The page after its second run: its field was set in the first."""
    opened = AppTest.from_function(page, default_timeout=120).run()
    assert field(opened) == ("begin", True)
    return opened.run()


def field(at: AppTest) -> tuple[str, bool]:
    """The text of the field, and whether the run has sent it to the browser."""
    assert not at.exception
    found = at.text_input(key="note-text")
    assert found.value == at.session_state["note/state"].record.text
    return str(found.value), bool(found.proto.set_value)


def test_what_is_being_written_stays_in_runs_of_other_controls(at: AppTest) -> None:
    assert field(at) == ("begin", False)
    assert field(at.slider(key="note-number").set_value(3).run()) == ("begin", False)
    assert at.session_state["note/state"].record.number == 3
    assert field(at.text_input(key="note-text").set_value("sent").run()) == ("sent", False)


def test_a_text_that_the_page_takes_otherwise_is_set(at: AppTest) -> None:
    assert field(at.text_input(key="note-text").set_value(" wide ").run()) == ("wide", True)
    assert field(at.run()) == ("wide", False)


def test_undo_and_the_pages_own_changes_set_the_field(at: AppTest) -> None:
    at.text_input(key="note-text").set_value("sent").run()
    assert field(at.button(key="put").click().run()) == ("put", True)
    assert field(at.button(key="undo").click().run()) == ("sent", True)
    assert field(at.run()) == ("sent", False)


def test_what_a_run_sets_reaches_a_browser_that_did_not_get_it() -> None:
    """A run that begins before the one before was sent takes its place: a slider stood at 0.1."""
    at = AppTest.from_function(page, default_timeout=120).run()
    assert number(at) == (0, True)
    at.button(key="seven").click().run()
    assert number(at) == (7, True)
    for _ in range(2):
        at.run()
        assert number(at) == (7, False)
        assert at.slider(key="note-number").proto.default == [7]
        assert at.text_input(key="note-text").proto.default == "begin"


def test_a_run_in_place_of_one_that_has_set_the_field_sets_it_again(at: AppTest) -> None:
    """What a run has drawn that asks for another may never reach the browser."""
    at.text_input(key="note-text").set_value("sent").run()
    assert field(at.button(key="again").click().run()) == ("begin", True)
    assert field(at.run()) == ("begin", False)


def number(at: AppTest) -> tuple[int, bool]:
    """The slider's number, and whether the run has sent it to the browser."""
    assert not at.exception
    found = at.slider(key="note-number")
    assert found.value == at.session_state["note/state"].record.number
    assert isinstance(found.value, int)
    return found.value, bool(found.proto.set_value)


def test_a_slider_in_hand_stays_in_runs_that_the_hand_has_not_asked_for(at: AppTest) -> None:
    at.slider(key="note-number").set_value(3).run()
    assert number(at) == (3, False)
    assert number(at.text_input(key="note-text").set_value("sent").run()) == (3, False)
    at.button(key="film").click().run()  # a run that a part asks for, as when a film is made
    assert number(at) == (3, False)
    assert number(at.run()) == (3, False)


def test_a_slider_is_set_again_after_a_change_that_may_have_crossed_the_hand(at: AppTest) -> None:
    """The browser sent a number before it received that of the run before: both must agree."""
    at.slider(key="note-number").set_value(3).run()
    assert number(at.button(key="seven").click().run()) == (7, True)
    assert number(at.slider(key="note-number").set_value(5).run()) == (5, True)
    assert number(at.run()) == (5, False)


def test_a_slider_of_other_steps_is_set_though_its_value_stays() -> None:
    """The browser knows a value by its text: "3.67 million (the data)" is none of the new ones."""
    at = checked(open_page("pages/places.py").run())
    people = at.select_slider(key="places-people")
    assert (people.value, people.proto.set_value) == (0, False)
    history = at.session_state["places/state"]
    scenario = crop(history.record.scenario, Area.parse("30, 45, -110, -80"))
    other = replace(history.record, scenario=scenario)
    at.session_state["places/state"] = replace(history, record=other)
    after = checked(at.run()).select_slider(key="places-people")
    assert list(after.options) != list(people.options)
    assert (after.value, after.proto.set_value) == (0, True)
    assert not checked(at.run()).select_slider(key="places-people").proto.set_value


@pytest.mark.parametrize("marked", [0, 37, 100])
def test_a_hundred_people_of_whom_some_are_full(marked: int) -> None:
    html = layout.people_array(marked, 'a "title"')
    assert full_people(html) == [marked]
    assert 'aria-label="a &quot;title&quot;"' in html


def places_of(dots: str) -> list[tuple[float, float]]:
    found = re.findall(r"left:([\d.]+)%;bottom:([\d.]+)rem", dots)
    return [(float(left), float(bottom)) for left, bottom in found]


def test_fifty_dots_are_spread_like_the_normal_they_stand_for() -> None:
    dots = places_of(layout.dotplot(1000.0, 196.0, ""))
    assert len(dots) == len(set(dots)) == layout.DOTS
    left = np.array([place for place, _ in dots])
    middle = (left.min() + left.max()) / 2
    # Of a normal cut at its 1st and 99th percent, 68 of 100 lie within 1 of its 2.33 deviations.
    within = (np.abs(left - middle) <= (left.max() - middle) / 2.33 + 2).mean()
    assert within == pytest.approx(0.7, abs=0.06)


def test_a_range_that_begins_at_nobody_stacks_its_dots_there() -> None:
    dots = places_of(layout.dotplot(10.0, 100.0, ""))
    assert sum(left == 0 for left, _ in dots) >= 20
    assert len(places_of(layout.dotplot(10.0, 0.0, ""))) == 1


def test_words_for_the_odds_are_those_of_the_numbers_beside_them() -> None:
    limits = [int(number) for number in re.findall(r"up to (\d+)", MEANING)]
    words = [each.word for each in STRENGTHS]
    for epsilon in np.geomspace(0.01, 20, 400):
        chance = max_guess_accuracy(float(epsilon))
        number = float(formats.hundred(chance).removeprefix("more than "))
        assert strength(chance).word == words[sum(number > most for most in limits)]
    assert strength(1.0).word == "none"


def test_each_strength_has_its_colours_in_the_style_sheet() -> None:
    css = theme.SHEET.read_text("utf-8")
    for each in STRENGTHS:
        colours = f"{{ --on-light: {each.light}; --on-dark: {each.dark}; }}"
        assert f":is(.odds, .grade).{each.word} {colours}" in css


@pytest.mark.parametrize(
    ("host", "server", "others"),
    [
        ("https://class.example.org/places", "127.0.0.1", "https://class.example.org/places"),
        ("http://127.0.0.1:8501/places", "127.0.0.1", None),
        ("http://localhost:8501/places", "::1", None),
        ("http://192.0.2.7:8501/", "0.0.0.0", "http://192.0.2.7:8501/"),
    ],
)
def test_an_address_for_others(
    monkeypatch: pytest.MonkeyPatch, host: str, server: str, others: str | None
) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: server)
    assert gate.shared_address(host) == others


def test_an_address_that_only_this_machine_knows_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: "0.0.0.0")
    monkeypatch.setattr(gate, "_own_address", lambda: "192.0.2.9")
    address = gate.shared_address("http://localhost:8501/places?epsilon=2")
    assert address == "http://192.0.2.9:8501/places?epsilon=2"


@pytest.mark.parametrize(
    ("url", "name", "address"),
    [
        ("http://192.0.2.7:8501/classroom", "room", "http://192.0.2.7:8501/room"),
        ("http://192.0.2.7:8501/classroom?station=sum", "room", "http://192.0.2.7:8501/room"),
        ("http://192.0.2.7:8501/room", "classroom", "http://192.0.2.7:8501/classroom"),
        ("http://192.0.2.7:8501/classroom", "classroom", "http://192.0.2.7:8501/classroom"),
        ("http://192.0.2.7:8501", "room", "http://192.0.2.7:8501/room"),
        ("http://192.0.2.7:8501/classroom/", "", "http://192.0.2.7:8501/"),
        ("https://example.org/class/classroom", "room", "https://example.org/class/room"),
        ("https://example.org/class/", "room", "https://example.org/class/room"),
    ],
)
def test_an_address_names_the_page_that_is_shown(url: str, name: str, address: str) -> None:
    assert gate.page_address(url, name, {"", "room", "classroom"}) == address


def test_a_picture_has_its_cities_where_they_are() -> None:
    shares = np.zeros(US_GRID.k)
    brightest = us_cities()[0]
    shares[US_GRID.locate(brightest.latitude, brightest.longitude)] = 1.0
    part = home(US_GRID)
    picture = Image.open(io.BytesIO(pack.png(shares, US_GRID, part))).convert("RGB")
    assert picture.size == (pack.WIDTH, pack.height(US_GRID, part))
    x = (brightest.longitude - part.west) / (part.east - part.west) * picture.width
    y = (part.north - brightest.latitude) / (part.north - part.south) * picture.height
    pixels = np.asarray(picture)
    rows, columns = np.nonzero((pixels == CIVIDIS[-1]).all(axis=2))
    assert abs(columns.mean() - x) < 4
    assert abs(rows.mean() - y) < 6
    assert tuple(pixels[0, 0]) == NIGHT_LAND


def test_all_csv_goes_through_the_guard() -> None:
    root = Path(runs.__file__).parents[1]
    by = [path for path in root.rglob("*.py") if "to_csv" in path.read_text("utf-8")]
    assert by == [Path(runs.__file__)]


SIZES = {"": 1.0, "million": 1e6, "billion": 1e9, "trillion": 1e12, "quadrillion": 1e15}


def read_back(text: str) -> float:
    number, _, word = text.partition(" ")
    assert re.fullmatch(r"-?[\d,]+(\.\d+)?", number), text
    return float(number.replace(",", "")) * SIZES[word]


@given(strategies.integers(0, 999_999))
def test_few_people_are_exact(number: int) -> None:
    assert read_back(formats.people(number)) == number


@given(strategies.integers(0, 994))
@pytest.mark.parametrize("power", [6, 9, 12])
def test_many_people_have_three_digits(power: int, number: int) -> None:
    value = (1 + number) * 10.0**power
    assert read_back(formats.people(value)) == pytest.approx(value, rel=0.005)
    assert read_back(formats.people(-value)) == pytest.approx(-value, rel=0.005)


@given(strategies.floats(1.0, 1e15))
def test_how_many_times_is_read_back(factor: float) -> None:
    text = formats.times(factor).removesuffix(" times")
    number = text.partition(" ")[0]
    assert read_back(text) == pytest.approx(factor, rel=0.0501 if factor > 9.99 else 0.00501)
    assert len(number.replace(",", "").replace(".", "").rstrip("0")) <= 3
    assert "." not in number or factor < 10 or factor > 999_000


@given(strategies.floats(0.0001, 20_000.0))
@example(0.995)
@example(9.95)
def test_a_length_is_read_back(km: float) -> None:
    number, _, unit = formats.length(km).partition(" ")
    length = float(number.replace(",", "")) * {"km": 1.0, "m": 0.001}[unit]
    assert length == pytest.approx(km, rel=0.0501)
    assert (unit == "m") == (length < 1)


def test_nobody_has_no_sign() -> None:
    assert formats.people(-0.3) == "0"


@given(strategies.floats(1e-12, 9.9))
def test_shares_keep_two_digits(value: float) -> None:
    assert float(formats.share(value)) == pytest.approx(value, rel=0.05)


@given(strategies.floats(0, 50), strategies.floats(0, 50))
def test_a_value_and_its_spread_have_the_same_decimals(value: float, spread: float) -> None:
    parts = formats.plus_minus(value, spread).split(" ± ")
    assert len({len(part.partition(".")[2]) for part in parts}) == 1
    close = 0.0005 if max(value, spread) < 10 else 0.05
    assert float(parts[0]) == pytest.approx(value, abs=close + 1e-9)
    assert float(parts[1]) == pytest.approx(spread, abs=close + 1e-9)


@given(strategies.floats(0, 1) | strategies.floats(0, 1e-3) | strategies.floats(0.995, 1))
def test_a_share_as_people_is_read_back(share: float) -> None:
    text = formats.out_of(share)
    number, _, of = text.removeprefix("all but ").partition(" of ")
    value = float(number) / read_back(of)
    if text.startswith("all but"):
        value = 1 - value
    assert value == pytest.approx(share, abs=0.5 / read_back(of) * (1 + 1e-9) + 2e-12)
    few = min(share, 1 - share)
    assert value not in (0, 1) or few < 2e-12  # neither all nor nobody by rounding
    assert value in (0, 1) or few >= 0.9e-12


@given(strategies.floats(0, 1) | strategies.floats(0, 0.03))
def test_a_share_of_100_people_is_read_back(share: float) -> None:
    number, _, of = formats.of_hundred(share).removeprefix("more than ").partition(" of ")
    assert of == "100"
    if number == "less than 0.01":
        assert 0 < share < 1e-4
    else:
        # Whole people from 1.5 on; fewer to half of their last digit, and none only if nobody.
        value = float(number) / 100
        assert value == pytest.approx(share, abs=5.1e-3 if share >= 0.015 else 0.34 * share + 1e-9)
        assert value > 0 or share < 1e-9


def test_people_of_100_to_be_compared() -> None:
    texts = {0.54: "54", 0.0149: "1.5", 0.009: "0.9", 0.0003: "0.03", 2e-5: "less than 0.01"}
    assert {share: formats.per_hundred(share) for share in texts} == texts
    assert formats.per_hundred(0.0) == "0"


@pytest.mark.parametrize("probability", [0.9951, 0.9975, 0.9991, 0.99949999])
def test_nearly_all_is_not_all(probability: float) -> None:
    percent = float(formats.hundred(probability))
    assert percent < 100
    assert percent == pytest.approx(100 * probability, abs=0.0501)


@pytest.mark.parametrize("probability", [0.9995, 1 - 1e-9, 1.0])
def test_what_rounds_to_all_is_told_as_more(probability: float) -> None:
    assert formats.hundred(probability) == "more than 99.9"


@pytest.mark.parametrize(
    ("latitude", "longitude", "text"),
    [(40.71, -74.0, "40.7° N, 74.0° W"), (-33.9, 151.2, "33.9° S, 151.2° E")],
)
def test_places(latitude: float, longitude: float, text: str) -> None:
    assert formats.degrees(latitude, longitude) == text


@given(strategies.floats(1e-12, 1e12), strategies.integers(1, 4))
def test_digits_are_so_many_and_no_power_of_ten(value: float, significant: int) -> None:
    text = formats.digits(value, significant)
    assert re.fullmatch(r"[\d,]+(\.\d+)?", text)
    assert float(text.replace(",", "")) == pytest.approx(value, rel=0.5 * 10 ** (1 - significant))
    assert len(text.replace(",", "").replace(".", "").strip("0")) <= significant
    assert formats.digits(-value, significant) == f"-{text}"


def test_digits_of_round_numbers() -> None:
    texts = {0.0: "0", 99.9: "100", 1234.0: "1,200", 3.0: "3", 0.000012: "0.000012"}
    assert {value: formats.digits(value) for value in texts} == texts


def test_shares_out_of_one_number() -> None:
    assert formats.out_of_one(0.027, 0.0032) == (["27", "3"], "1,000")
    assert formats.out_of_one(0.5, 0.0) == (["50", "0"], "100")
    assert formats.out_of_one(0.0, 0.0) == (["0", "0"], "100")
    assert formats.out_of_one(1.0, 1e-9)[1] == "100"


@given(strategies.lists(strategies.floats(1e-6, 1), min_size=1, max_size=4))
def test_shares_out_of_one_number_tell_even_the_least(values: list[float]) -> None:
    _, number = formats.out_of_one(*values)
    of = float(number.replace(",", "").replace(" million", "e6"))
    assert min(values) * of >= 1.5
    assert of == 100 or min(values) * of / 10 < 1.5


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        ("42 of 100", 0.4249, 0.4251),
        ("8 of 1,000", 0.0076, 0.0074),
        ("all but 8 of 1,000", 0.9924, 0.991),
        ("more than 99.9 of 100", 0.99999, 0.998),
        ("fewer than 1 of 100", 0.004, 0.02),
        ("0.0042", 0.00424, 0.00426),
        ("1e-05", 1.4e-5, 1.6e-5),
        ("3.67 million", 3_671_812, 3_676_000),
        ("3,671,812", 3_671_812, 3_671_813),
        ("12.2 km", 12.24, 12.26),
        ("29 m", 0.0294, 0.0296),
        ("850 m", 0.8546, 0.8556),
        ("**14.4**", 14.44, 14.46),
        ("20 %", 0.2049, 0.2051),
        ("∞", math.inf, 1e300),
    ],
)
def test_a_number_stands_for_what_is_rounded_to_it(text: str, yes: float, no: float) -> None:
    assert read(text).holds(yes)
    assert not read(text).holds(no)


def test_only_three_digits_are_meant() -> None:
    assert to_three_digits("533,000").holds(533_400)
    assert not to_three_digits("533,000").holds(534_000)


def test_a_small_number_has_two_digits() -> None:
    assert to_two_digits("0.002").holds(0.00204)
    assert not to_two_digits("0.002").holds(0.00206)
    assert to_two_digits("0.012").holds(0.0124)


def test_other_texts_are_no_numbers() -> None:
    for text in ("", "many", "4 or 5", "1.2.3"):
        with pytest.raises(AssertionError):
            read(text)
