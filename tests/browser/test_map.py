"""The map page in a real browser: it loads, it can be drawn on, its link opens it elsewhere."""

import gzip
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.browser import wait_until_settled
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.datasets import inspect_data
from caldp_core.datasets.files.places import count_places
from caldp_core.domain.grid import Area
from caldp_core.scenarios.blocks import OneBlock, SensitiveAreas, StateBlocks
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places import page_state
from caldp_ui.places.controls import with_dataset
from tests.browser.conftest import Visit
from tests.browser.hands import (
    HEADLINE,
    SLIDER,
    STAGE,
    assert_close,
    button,
    canvases,
    drag,
    eventually,
    expect,
    expect_shows,
    headline_of,
    hold,
    link_of,
    pictures,
    press,
    tab,
)
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
NEW_YORK = Area(40.0, 42.0, -75.0, -72.0)
ONE = "places?v=2&blocks=one"


def assert_same(drawn: list[str], wanted: list[str]) -> None:
    assert drawn == wanted


def assert_changed(before: list[str], after: list[str], wanted: list[bool]) -> None:
    assert [a != b for a, b in zip(before, after, strict=True)] == wanted


def test_the_first_screen_is_pictures(visit: Visit, watch: Watch) -> None:
    page = visit(fresh=True, viewport={"width": 1280, "height": 720})
    assert len(set(pictures(page))) == 3
    expect_shows(page, BEGIN)
    boxes = [frame.bounding_box() for frame in page.locator(f"{STAGE} .frame:visible").all()]
    assert len(boxes) == 3
    assert all(box["y"] + box["height"] <= 720 for box in boxes)
    assert sum(box["width"] * box["height"] for box in boxes) > 0.4 * 1280 * 720
    assert any(url.startswith("ws://127.0.0.1") for url in watch.urls)
    page.mouse.move(boxes[0]["x"] + 300, boxes[0]["y"] + 100)
    expect(page.locator(f"{STAGE} .readout")).to_contain_text("averaged over")


def test_a_box_shows_its_numbers_and_its_link_opens_them(visit: Visit) -> None:
    page = visit("places?v=2&epsilon=2")
    press(page, "Box")
    press(page, "Show its numbers")
    drag(page, NEW_YORK)
    expect(page.locator(".st-key-places-region [data-testid=stMetricValue]")).to_have_count(3)
    page.wait_for_url("**region=*")
    wait_until_settled(page)
    state = link_of(page)
    assert state.scenario == BEGIN.with_context(epsilon=2.0)
    assert state.region is not None
    assert_close(state.region, NEW_YORK)
    elsewhere = visit(f"places{page.url.partition('/places')[2]}")
    expect_shows(elsewhere, state.scenario)
    assert link_of(elsewhere) == state
    press(page, "Look")
    eventually(page, lambda: assert_same(pictures(elsewhere), pictures(page)))


def test_places_of_one_s_own_are_drawn_as_if_no_other_map_had_been_there(visit: Visit) -> None:
    page = visit("places?v=2&epsilon=2")
    page.get_by_role("button", name="Your data").click()
    places = (
        "Straße;Breite;Länge;Anzahl\na;48,14;11,58;300\nb;48,16;11,61;200\nc;48,2;11,4;90\nd;;;1\n"
    )
    page.get_by_role("tab", name="Choose a file").click()
    name = "ü_b*c[d].csv"  # signs of Markdown, none of which is read with a backslash
    file: dict[str, Any] = {"name": f"{name}.gz", "mimeType": "application/gzip"}
    data = gzip.compress(places.encode("cp1252"))
    page.locator(".st-key-places-own-file input[type=file]").set_input_files(
        {**file, "buffer": data}
    )
    expect(page.get_by_text(f"{name}.gz")).to_be_visible()
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_text("1 of 4 rows is not counted")).to_be_visible()
    expect(page.locator(".st-key-places-own-panel strong", has_text=f"{name}.gz")).to_be_visible()
    assert "\\" not in page.locator("body").inner_text()
    expect(page.locator(".st-key-places-own-columns li").first).to_have_text("a")
    page.get_by_role("button", name="Show it").click()
    page.wait_for_url("**own=*")
    wait_until_settled(page)
    found = inspect_data(data)
    counted = count_places(found, found.places, name).places
    scenario = with_dataset(BEGIN, counted).with_context(epsilon=2.0)
    expect(page.locator(HEADLINE)).to_have_text([headline_of(scenario)])
    before = pictures(page)
    page.reload()
    expect(page.locator(HEADLINE)).to_have_text([headline_of(scenario)])
    eventually(page, lambda: assert_same(pictures(page), before))


def test_protecting_only_a_box_and_taking_it_back(visit: Visit) -> None:
    page = visit(ONE)
    one = BEGIN.with_context(blocks=OneBlock())
    expect_shows(page, one)
    press(page, "Box")
    press(page, "Protect only this")
    expect(page.locator(f"{STAGE} .sentence")).to_contain_text("100 of 100")
    drag(page, NEW_YORK)
    page.wait_for_url("**sensitive.edits=*")
    wait_until_settled(page)
    drawn = link_of(page).scenario
    assert isinstance(drawn.context.sensitive, SensitiveAreas)
    (edit,) = drawn.context.sensitive.edits
    assert edit[0] == "+"
    assert_close(Area.parse(edit[1:]), NEW_YORK)
    expect_shows(page, drawn)
    expect(page.locator("[data-testid=stToast]").first).to_contain_text("100 of 100")
    press(page, "Undo")
    expect_shows(page, one)
    press(page, "Redo")
    expect_shows(page, drawn)
    assert page_state.edits_text(drawn.context.sensitive.edits) == "1 added"


def test_epsilon_moves_at_once_with_its_film_and_the_server_confirms_it(visit: Visit) -> None:
    page = visit()
    before = pictures(page)
    page.focus(SLIDER)
    page.keyboard.press("ArrowRight")
    expect_shows(page, BEGIN.with_context(epsilon=1.5))
    eventually(page, lambda: assert_changed(before, pictures(page), [True, True, False]))
    play = page.locator(".st-key-places-epsilon .stage-play")
    expect(play).to_be_visible()  # made while nobody waits
    last = BEGIN.with_context(epsilon=EPSILON_MAX)
    with hold(page, "places-epsilon", 0.97):
        expect(page.locator(f"{HEADLINE}:visible")).to_have_text([headline_of(last)])
        graded = page.locator(".st-key-odds .odds:visible")
        expect(graded).to_contain_text("more than 99.9 times in 100")
        at = link_of(page).scenario.context.epsilon
        assert at == 1.5, "the server knows before the hand rests"
        film_s = canvases(page)
    expect_shows(page, last)
    assert pictures(page) == film_s


def test_visitors_do_not_see_each_other_s_scenarios(visit: Visit) -> None:
    one = visit("places?v=2&blocks=states&seed=3")
    other = visit("places?v=2&epsilon=4", fresh=True)
    other.locator(SLIDER).press("ArrowRight")
    expect_shows(other, BEGIN.with_context(epsilon=5.0))
    button(one, "places-another").click()
    expect_shows(one, replace(BEGIN.with_context(blocks=StateBlocks()), seed=4))


def test_repeated_runs_show_progress_and_can_be_cancelled(visit: Visit) -> None:
    scenario = replace(BEGIN.with_context(blocks=StateBlocks()), n=10**9)
    page = visit("places?v=2&blocks=states&n=1000000000")
    tab(page, "Error curves")
    button(page, "places-repetition-start").click()
    bar = page.locator("[data-testid=stProgress]:has-text('Run ') [role=progressbar]")
    expect(bar).to_be_visible()
    button(page, "places-repetition-cancel").click()
    expect(bar).to_have_count(0)
    expect(button(page, "places-repetition-start")).to_be_visible()
    page.locator(SLIDER).press("ArrowRight")
    expect_shows(page, scenario.with_context(epsilon=1.5))
