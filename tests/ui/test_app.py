"""The map page by its widgets and by drawing: it shows what the core computes.

Also the first page, which leads to it, its tour, its exports, and work that takes long."""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from caldp_core.basics.types import Progress, no_progress
from caldp_core.datasets import Cities, read_places
from caldp_core.domain.domains import US_GRID, Area
from caldp_core.experiments.regions import RegionReport, number_of_boxes, region_report
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms import FAMILIES, in_context
from caldp_core.mechanisms.capabilities import people_max
from caldp_core.mechanisms.catalogue import MECHANISMS, Hadamard, LocalHashing, Oue
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    DrawnBlocks,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveSpec,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import best_family
from caldp_ui.app import navigation
from caldp_ui.compute import runs
from caldp_ui.maps import scene
from caldp_ui.maps.scene import BEGIN, EXAMPLE
from caldp_ui.parts import comparison, layout
from caldp_ui.parts.pins import FilmRequest
from caldp_ui.places import controls, page_state, view
from caldp_ui.places.page import DRAWS_FILM, EPSILON_FILM, TOUR
from caldp_ui.places.page_state import PlacesState, load_data
from caldp_ui.shell import page
from caldp_ui.stage.records import Film
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import PLACES
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.driver import (
    act,
    assert_shows,
    box,
    checked,
    choose,
    container,
    few,
    finished,
    go,
    headline_of,
    metrics,
    open_app,
    open_page,
    open_tab,
    open_with,
    pictures,
    query_of,
    record_of,
    scenario_of,
    scene_of,
)
from tests.ui.pages import SMALL, VARIED
from tests.ui.readings import full_people

STATES = BEGIN.with_context(blocks=StateBlocks())
QUICKLY_FORECAST = replace(STATES, mechanism=Oue(), n=1_000_000)
"""Expected errors of this one are normal approximations, which take no trials."""


def test_methods_are_named_and_plain_ldp_is_the_best_there_is() -> None:
    at = open_with(replace(STATES, mechanism=Hadamard()))
    subtitles = {each["id"]: each["subtitle"] for each in scene_of(at)["pictures"]}
    assert MECHANISMS["hadamard"].title in subtitles["ours"]
    best = prepare(runs.best_plain_ldp(scenario_of(at))).mechanism_name
    assert best != "hadamard"
    assert MECHANISMS[best].title in subtitles["plain"]


Change = Callable[[Scenario], Scenario]
BLOCKS = [title for title in controls.BLOCK_KINDS if title[0] in "ABO"]
"""Kinds of blocks: one block, a grid, similar numbers of people, a file's areas."""


def blocks_of(blocks: BlocksSpec) -> Change:
    return lambda scenario: scenario.with_context(blocks=blocks)


def sensitive_of(sensitive: SensitiveSpec) -> Change:
    return lambda scenario: scenario.with_context(sensitive=sensitive)


CONTROLS: list[tuple[str, str, Any, Change]] = [
    ("select_slider", "epsilon", 20.0, lambda s: s.with_context(epsilon=20.0)),
    ("select_slider", "people", 10**12, lambda s: replace(s, n=10**12)),
    ("select_slider", "people", 0, lambda s: replace(s, n=None)),
    ("number_input", "rows", 5, blocks_of(GridBlocks(5, 35))),
    ("number_input", "columns", 7, blocks_of(GridBlocks(5, 7))),
    *(("selectbox", "blocks", each, blocks_of(controls.BLOCK_KINDS[each])) for each in BLOCKS),
    ("selectbox", "blocks", "US states", blocks_of(StateBlocks())),
    *(
        ("selectbox", "sensitive", title, sensitive_of(sensitive))
        for title, sensitive in controls.SENSITIVE_KINDS.items()
    ),
    ("number_input", "most", 2000, sensitive_of(SensitiveInhabited(1, 2000))),
    ("selectbox", "preset", scene.PRESETS[0].title, scene.PRESETS[0].apply),
    ("selectbox", "estimator", "simplex", lambda s: replace(s, estimator="simplex")),
    ("selectbox", "family", "oue", lambda s: replace(s, mechanism=Oue())),
    ("selectbox", "data", "Synthetic cities", lambda s: replace(s, dataset=Cities(), n=1_000_000)),
]
"""Widgets of the page in the order in which they are used, and what each changes."""
COMPARED = (0, 1, 4, 13, 17)
"""Of them those after which all that is shown is held against a run of the core."""


@pytest.mark.slow
def test_each_control_changes_what_it_names() -> None:
    at, wanted = open_app(), BEGIN
    for number, (kind, name, value, change) in enumerate(CONTROLS):
        with naming(f"{name}: {value}"):
            widget = getattr(at, kind)(key=f"places-{name}")
            finished(widget.set_value(value).run())
            wanted = change(wanted)
            assert scenario_of(at) == wanted
            if number in COMPARED:
                assert_shows(at, wanted)
    checked(at.button(key="places-another").click().run())
    assert scenario_of(at) == replace(wanted, seed=wanted.seed + 1)
    last = open_with(replace(BEGIN, seed=2**32 - 1))
    assert scenario_of(last.button(key="places-another").click().run()).seed == 0


def test_the_odds_are_shown_in_their_word_and_colour() -> None:
    """That the page has this HTML: `test_the_sentence_of_a_film_is_that_of_the_page`."""
    for epsilon, word in ((0.5, "strong"), (1.0, "fair"), (2.0, "weak"), (4.0, "none")):
        setup = runs.setup(BEGIN.with_context(epsilon=epsilon))
        html = layout.odds_html(PLACES, setup)
        assert f'class="odds {word}"' in html
        assert full_people(html) == [round(100 * promise.chance(setup))]


def test_a_button_makes_one_epsilon_of_several() -> None:
    at = open_with(VARIED["epsilons"])
    assert at.info
    checked(at.button(key="places-one-epsilon").click().run())
    several = VARIED["epsilons"].context.epsilon
    assert isinstance(several, tuple)
    assert_shows(at, VARIED["epsilons"].with_context(epsilon=min(several)))


@pytest.mark.thorough
def test_the_page_says_what_plain_ldp_needs() -> None:
    scenario = controls.with_dataset(
        BEGIN, read_places("\n".join(EXAMPLE.splitlines()[:20])).places
    )
    at = open_tab(open_page(navigation.PLACES, scenario.to_query()), "Numbers")
    assert scenario_of(at) == scenario
    assert not wait([at.session_state["places-foreseen/job"].future], 120).not_done
    checked(at.run())
    needed = runs.people_plain_needs(replace(scenario, seed=7))  # `test_curves.py` holds it
    assert needed is not None
    (sentence,) = (item.value for item in container(at, "plain-needs").markdown)
    assert f"**{formats.people(needed)}**" in sentence


def test_all_methods_stand_beside_each_other() -> None:
    scenario = replace(STATES, mechanism=Oue())
    at = open_tab(open_with(scenario), "Numbers")
    table = at.table[1].value
    setup = assert_shows(at, scenario).setup
    policy = runs.context_of(setup)
    best = best_family(policy, setup.dataset.distribution, setup.n)
    assert [title.removesuffix(" (chosen)") for title in table.index] == [
        entry.title for entry in FAMILIES.values()
    ]
    assert [title for title in table.index if "(chosen)" in title] == [
        f"{FAMILIES['oue'].title} (chosen)"
    ]
    assert list(table.iloc[:, 1]) == [f"{in_context(policy, n).report_bits:,}" for n in FAMILIES]
    fewest = [name for name, text in zip(FAMILIES, table.iloc[:, 0], strict=True) if "few" in text]
    assert best.family in fewest
    assert any(best.reason in caption.value for caption in at.caption)


def test_films_are_of_the_scenario_on_screen_and_of_new_noise_once_it_was_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names: list[str] = []

    def take(sent: Sequence[FilmRequest]) -> list[Film]:
        names.extend(each.name for each in sent)
        return []

    monkeypatch.setattr(page, "ready_films", take)
    current = replace(BEGIN.with_context(epsilon=2.0), seed=3)
    at = open_with(current)
    films = [each.name(PlacesState(current)) for each in (EPSILON_FILM, DRAWS_FILM)]
    assert names == films
    assert scene_of(at)["values"] == {"epsilon": 2.0, "draws": 3.0}
    names.clear()
    open_with(replace(current, seed=BEGIN.seed))
    assert len(names) == 1, "nobody has drawn new noise"


def test_the_draw_at_which_a_film_stops_is_that_of_the_page_and_of_its_link() -> None:
    current = replace(STATES, seed=3)
    at = open_with(current)
    film = few(DRAWS_FILM, BEGIN.seed + 1, 5).film(PlacesState(current), no_progress)
    assert film.follows
    assert BEGIN.seed not in DRAWS_FILM.slider.steps, "there the page has no such film"
    choose(at, film.id, film.steps[1].value)
    assert scenario_of(at) == replace(current, seed=5)
    assert film.steps[1].label == "draw 5"
    for name, code in film.steps[1].codes.items():
        assert pictures(at)[name] == code.name


def test_the_sentence_of_a_film_is_that_of_the_page() -> None:
    at = open_app()
    sentence = headline_of(at)
    step = view.render(PlacesState(BEGIN))
    assert step.headline == view.headline(load_data(PlacesState(BEGIN)))
    as_html = step.replacements[layout.SENTENCE]
    assert " ".join(re.sub("<.*?>", " ", as_html).split()) == sentence
    (odds,) = (item.proto.body for item in container(at, "odds").get("html"))
    assert layout.odds_html(PLACES, runs.setup(BEGIN)) == odds


BOX = Area(40.2, 41.2, -74.6, -73.4)
OTHER = Area(33.0, 34.0, -119.0, -117.0)
ONE = BEGIN.with_context(blocks=OneBlock())


def draw(at: AppTest, action: str, area: Area = BOX) -> AppTest:
    return act(at, "box", action, box=box(area))


def drawn(*edits: str, base: Scenario = BEGIN) -> Scenario:
    return base.with_context(sensitive=SensitiveAreas(edits))


def report_of(scenario: Scenario, area: Area) -> RegionReport:
    """The core's numbers of the box."""
    setup = prepare(scenario)
    return region_report(setup, run(setup).first, US_GRID.area_mask(area))


def assert_region(at: AppTest, scenario: Scenario, area: Area) -> None:
    report = report_of(scenario, area)
    counts = [formats.people(number) for number in (report.truth, report.estimate)]
    low, high = map(formats.people, report.ends(number_of_boxes(US_GRID)))
    if report.half_width > 0:
        assert report.ends(number_of_boxes(US_GRID))[1] > report.high
    assert metrics(at, "places-region") == [*counts, f"{low} – {high}"]
    assert bool(container(at, "places-region").warning) == report.is_lost_in_noise
    assert Area.parse(query_of(at)["region"]) == area
    assert scene_of(at)["ground"]["box"] == box(area)


def test_a_box_shows_its_numbers_and_a_likely_range_of_fifty_dots() -> None:
    at = open_app()
    assert container(at, "places-region") is None
    draw(at, page_state.NUMBERS)
    assert_region(at, BEGIN, BOX)
    assert_shows(at, BEGIN)
    (dots,) = (item.proto.body for item in container(at, "places-region").get("html"))
    assert dots.count("<i ") == 50


def test_a_box_stays_while_the_protection_changes_and_goes_when_unmarked() -> None:
    at = draw(open_app(), page_state.NUMBERS)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert_region(at, BEGIN.with_context(epsilon=4.0), BOX)
    checked(at.button(key="places-unmark").click().run())
    assert container(at, "places-region") is None
    assert "region" not in query_of(at)


@pytest.mark.slow
def test_a_place_that_noise_drowns_is_told_apart() -> None:
    small = Area(44.4, 44.6, -106.0, -105.8)
    scenario = BEGIN.with_context(blocks=StateBlocks(), epsilon=0.1)
    at = open_with(scenario, region=str(small))
    assert report_of(scenario, small).is_lost_in_noise
    assert_region(at, scenario, small)


def test_a_region_beyond_the_map_is_told_and_breaks_nothing() -> None:
    assert_shows(open_app(region="10,11,10,11"), BEGIN)


def test_to_protect_what_is_protected_changes_nothing_and_says_so_before() -> None:
    at = open_with(ONE)
    (protect,) = (a for a in scene_of(at)["actions"] if a["id"] == page_state.PROTECT)
    effects = list(protect["effects"].values())
    assert effects
    assert all("nothing changes" in effect for effect in effects)
    draw(at, page_state.PROTECT)
    assert_shows(at, ONE)
    assert not at.toast
    assert not scene_of(at)["undo"]


def test_areas_are_protected_alone_with_others_and_taken_out_again() -> None:
    at = open_with(ONE)
    (only,) = (a for a in scene_of(at)["actions"] if a["id"] == page_state.ONLY)
    assert "100 of 100" in only["effects"]["box"]
    draw(at, page_state.ONLY)
    setup = prepare(scenario_of(at))
    assert (setup.sensitive == US_GRID.area_mask(BOX)).all()
    (hint,) = (item.value for item in at.toast)
    assert formats.out_of(promise.protected_share(setup)) in hint
    assert "100 of 100" in hint
    draw(at, page_state.PROTECT, OTHER)
    assert scenario_of(at) == drawn(f"+{BOX}", f"+{OTHER}", base=ONE)
    draw(at, page_state.UNPROTECT, BOX)
    assert_shows(at, drawn(f"+{BOX}", f"+{OTHER}", f"-{BOX}", base=ONE))


def test_a_block_is_taken_whole() -> None:
    at = open_with(BEGIN.with_context(blocks=StateBlocks()))
    before = prepare(scenario_of(at))
    act(at, "blocks", page_state.UNPROTECT, block=7)
    result = assert_shows(at, scenario_of(at))
    inside = before.partition.labels == 7
    assert (result.setup.sensitive == ~inside).all()


def test_painted_cells_are_exactly_those() -> None:
    cells = "20000+3,20350+2,30000+1"
    at = act(open_app(), "brush", page_state.ONLY, cells=cells)
    result = assert_shows(at, scenario_of(at))
    wanted = [20000, 20001, 20002, 20350, 20351, 30000]
    assert np.flatnonzero(result.setup.sensitive).tolist() == wanted


def test_another_kind_of_sensitive_places_is_drawn_on() -> None:
    few = BEGIN.with_context(sensitive=SensitiveInhabited(1_000_000, 3_000_000))
    setup = prepare(scenario_of(draw(open_with(few), page_state.PROTECT)))
    assert (setup.sensitive == (prepare(few).sensitive | US_GRID.area_mask(BOX))).all()


@given(st.lists(st.booleans(), min_size=SMALL.k, max_size=SMALL.k))
def test_rectangles_cover_a_set_and_nothing_else(flags: list[bool]) -> None:
    mask = np.array(flags)
    covered = np.zeros(SMALL.k, int)
    for area in page_state.rectangles(mask, SMALL):
        covered += SMALL.area_mask(area)
    assert (covered == mask).all()


def test_rectangles_of_a_box_are_one() -> None:
    assert page_state.rectangles(US_GRID.area_mask(BOX), US_GRID) == [BOX]


@pytest.mark.slow
def test_blocks_are_drawn_undone_redone_and_cleared() -> None:
    at = open_app()
    (block,) = (a for a in scene_of(at)["actions"] if a["id"] == page_state.BLOCK)
    assert "875 blocks" in block["effects"]["box"]
    draw(draw(at, page_state.BLOCK), page_state.BLOCK, OTHER)
    both = (str(BOX), str(OTHER))
    two = BEGIN.with_context(blocks=DrawnBlocks(both))
    one = BEGIN.with_context(blocks=DrawnBlocks(both[:1]))
    assert assert_shows(at, two).setup.partition.m == 3
    assert_shows(act(at, "undo"), one)
    assert scene_of(at)["redo"]
    assert_shows(act(at, "redo"), two)
    assert not scene_of(at)["redo"]
    checked(at.button(key="places-clear").click().run())
    assert_shows(at, BEGIN)
    assert_shows(act(at, "undo"), two)


def test_undo_takes_back_what_is_chosen_from_a_list() -> None:
    at = open_app()
    assert not scene_of(at)["undo"]
    checked(at.number_input(key="places-rows").set_value(5).run())
    checked(at.selectbox(key="places-preset").set_value("Nothing").run())
    assert_shows(act(act(at, "undo"), "undo"), BEGIN)
    assert not scene_of(at)["undo"]


@pytest.mark.slow
def test_clear_leads_back_to_what_was_protected_before_the_first_drawing() -> None:
    """And what undo takes back is the protection alone."""
    at = draw(open_with(STATES, region=str(BOX)), page_state.UNPROTECT)
    draw(at, page_state.UNPROTECT, OTHER)
    checked(at.button(key="places-clear").click().run())
    assert_shows(at, STATES)
    assert record_of(at).region is None
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert scenario_of(act(at, "undo")) == STATES.with_context(epsilon=4.0).with_context(
        sensitive=SensitiveAreas(("+-90,90,-180,180", f"-{BOX}", f"-{OTHER}"))
    )


def test_what_our_own_code_never_sends_does_nothing() -> None:
    at = open_app()
    for payload in ({"box": [1, 2]}, {"block": "x"}, {"cells": "9999999+5"}, {"block": 99_999}):
        act(at, "box", page_state.ONLY, **payload)
        assert_shows(at, BEGIN)


def test_at_most_as_many_areas_as_the_core_allows() -> None:
    areas = tuple(f"30,31,{-120 + i / 5:g},{-119 + i / 5:g}" for i in range(200))
    full = replace(BEGIN.with_context(blocks=DrawnBlocks(areas)), n=1000)
    at = draw(open_with(full), page_state.BLOCK)
    assert scenario_of(at) == full
    assert at.warning


def test_by_area_opens_with_the_states_that_ship_and_keeps_what_is_chosen() -> None:
    at = open_tab(open_app(), "By area")
    menu = at.selectbox(key="places-areas")
    assert menu.value == "US states"
    (table,) = (each.value for each in at.dataframe if "area" in each.value.columns)
    assert {"Colorado", "New York"} <= set(table["area"])
    checked(menu.set_value("Areas from my file").run())
    assert at.selectbox(key="places-areas").value == "Areas from my file"


def has_button(at: AppTest, key: str) -> bool:
    return any(button.key == key for button in at.button)


def test_the_plan_opens_once_from_the_start_page() -> None:
    at = checked(open_page("", {}).button(key="start-go-teach-0").click().run())
    assert has_button(at, "classroom-begin")
    go(at, navigation.MATRIX)
    go(at, navigation.CLASSROOM)
    assert not has_button(at, "classroom-begin")


@pytest.mark.slow
def test_the_tour_does_its_steps_and_ends() -> None:
    at = checked(open_app().button(key="places-tour").click().run())
    scenarios = []
    for step in TOUR:
        text = " ".join(item.value for item in container(at, "places-strip").markdown)
        assert step.title in text
        assert at.button(key="places-next-step").disabled, "it waits for what the step asks for"
        checked(at.button(key="places-show-me").click().run())
        assert not at.button(key="places-next-step").disabled
        scenarios.append(scenario_of(at))
        checked(at.button(key="places-next-step").click().run())
    assert container(at, "places-strip") is None
    assert scenarios[0].seed != BEGIN.seed
    assert scenarios[1].context.epsilon == 0.2
    assert scenarios[2].context.blocks == OneBlock()
    assert scenarios[3].context.blocks == GridBlocks(25, 35)
    assert_shows(at, replace(BEGIN, seed=BEGIN.seed + 1))


SLOW = replace(BEGIN.with_context(blocks=OneBlock()), estimator="maximum-likelihood")


def repeat(at: AppTest) -> AppTest:
    open_tab(at, "curves")
    checked(at.button(key="places-repetition-start").click().run())
    assert not wait([at.session_state["places-repetition/job"].future], timeout=120).not_done
    return checked(at.run())


@pytest.mark.slow
def test_repeated_runs_stay_for_another_outcome_and_end_with_another_scenario(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison, "RUNS", 2)
    at = repeat(open_with(QUICKLY_FORECAST))
    job = at.session_state["places-repetition/job"]
    repeated = job.result()
    many = run(prepare(replace(QUICKLY_FORECAST, trials=2)))
    tv = [errors.tv for errors in many.errors]
    assert repeated[0][0] == pytest.approx(tv)
    low, middle, high = (formats.share(each) for each in (min(tv), sum(tv) / 2, max(tv)))
    said = f"this protection **{middle}** ({low} to {high})"
    assert any(said in text.value for text in at.markdown)
    assert not has_button(at, "places-repetition-start")
    checked(at.button(key="places-another").click().run())
    assert at.session_state["places-repetition/job"] is job
    assert any("In 2 runs each" in text.value for text in at.markdown)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert job.stop.is_set()
    assert has_button(at, "places-repetition-start")


@pytest.mark.slow
def test_a_slow_method_waits_for_its_button_and_shows_what_it_found() -> None:
    """What is promised needs no run."""
    at = open_with(SLOW)
    assert list(pictures(at)) == ["truth"]
    odds = promise.odds_text(PLACES, prepare(SLOW))
    assert any(odds in item.value for item in at.markdown)
    assert_shows(finished(at), SLOW)
    checked(at.select_slider(key="places-epsilon").set_value(4.0).run())
    assert list(pictures(at)) == ["truth"]
    assert has_button(at, "places-ours-start")


@pytest.mark.slow
def test_this_protection_is_there_at_once_where_only_plain_ldp_is_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick, may, result = replace(BEGIN, estimator="maximum-likelihood"), Event(), runs.result

    def held_back(scenario: Scenario, *progress: Progress) -> Result:
        assert scenario == quick or may.wait(120)
        return result(scenario, *progress)

    monkeypatch.setattr(runs, "result", held_back)
    at = open_with(quick)
    assert list(pictures(at)) == ["truth", "ours"]
    may.set()


@pytest.mark.parametrize("blocks", thinned([StateBlocks(), OneBlock()], one_in=2))
def test_runs_that_cannot_work_are_not_offered_but_fewer_people_are(
    blocks: OneBlock | StateBlocks,
) -> None:
    scenario = replace(BEGIN.with_context(blocks=blocks), mechanism=LocalHashing())
    at = open_with(scenario)
    assert not has_button(at, "places-ours-start")
    (sentence,) = (item.value for item in at.error)
    assert FAMILIES["local-hashing"].title in sentence
    checked(at.button(key="places-fewer-people").click().run())
    found = scenario_of(at)
    assert not at.error
    assert has_button(at, "places-ours-start")
    assert found == replace(scenario, n=found.n)
    assert people_max(prepare(found).mechanism) >= prepare(found).n


def test_a_cancel_is_heard_while_a_draw_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Event()
    monkeypatch.setattr(runs, "result", lambda *_: drawn.wait(120))
    at = open_with(SLOW)
    checked(at.button(key="places-ours-start").click().run())
    assert not has_button(at, "places-ours-start")
    try:
        checked(at.button(key="places-ours-cancel").click().run())
        assert has_button(at, "places-ours-start")
        assert not at.session_state["places-ours/job"].future.done()
    finally:
        drawn.set()
