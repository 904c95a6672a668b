"""Pages of maps in a browser: drawing, areas, lists of places, the relief and pins.

Privacy by distance, and Home and work, in a browser: maps first, a click moves the ring.

One page of each kind of picture: maps, rows of answers, a chart, a chart that alone shows numbers.
All pages, and the numbers of both, are held against the core in `ui/test_pins.py`.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.domain.domains import Area
from caldp_core.scenarios.blocks import OneBlock, SensitiveAreas, StateBlocks
from caldp_ui.maps.scene import BEGIN
from caldp_ui.places import page_state
from tests.browser.conftest import SCREENS, OpenLink, Visit
from tests.browser.hands import (
    HEADLINE,
    SLIDER,
    STAGE,
    Watch,
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
from tests.servers import wait_until_settled
from tests.strategies import thinned

pytestmark = pytest.mark.browser
BAR_PX = 60
"""Height of the bar of pages, and of what is free below it."""
NEW_YORK = Area(40.0, 42.0, -75.0, -72.0)
ONE = "places?v=2&blocks=one"


def assert_same(drawn: list[str], wanted: list[str]) -> None:
    assert drawn == wanted


def assert_changed(before: list[str], after: list[str], wanted: list[bool]) -> None:
    assert [a != b for a, b in zip(before, after, strict=True)] == wanted


def test_the_first_screen_is_pictures(visit: Visit, watch: Watch) -> None:
    page = visit(**SCREENS["projector"])
    assert len(set(pictures(page))) == 3
    expect_shows(page, BEGIN)
    boxes = [frame.bounding_box() for frame in page.locator(f"{STAGE} .frame:visible").all()]
    assert len(boxes) == 3
    assert all(box["y"] + box["height"] <= 720 for box in boxes)
    assert sum(box["width"] * box["height"] for box in boxes) > 0.4 * 1280 * 720
    assert any(url.startswith("ws://127.0.0.1") for url in watch.urls)
    page.mouse.move(boxes[0]["x"] + 300, boxes[0]["y"] + 100)
    expect(page.locator(f"{STAGE} .readout")).to_contain_text("averaged over")


def test_a_box_shows_its_numbers_and_its_link_opens_them_for_another(visit: Visit) -> None:
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
    elsewhere.locator(SLIDER).press("ArrowRight")
    expect_shows(elsewhere, BEGIN.with_context(epsilon=3.0))
    button(page, "places-another").click()  # visitors do not see each other's scenarios
    expect_shows(page, replace(BEGIN.with_context(epsilon=2.0), seed=2))


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
    note = page.locator("[data-testid=stToast]").first
    expect(note).to_contain_text("100 of 100")

    def lies_on_the_bar() -> None:  # once it has glided there: no control of the page is there
        box = note.bounding_box()
        assert 0 <= box["y"] <= box["y"] + box["height"] <= BAR_PX

    eventually(page, lies_on_the_bar)
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


def let_timers_overtake(page: Any) -> Callable[[], None]:
    """Call what it returns: then a user's message for a page waits until a timer's has gone by.

    Not before the page is there: a browser that connects anew has no timer yet. From the next load.
    """
    state = {"waits": False}

    def connect(socket: Any) -> None:
        server, held = socket.connect_to_server(), list[bytes]()

        def pass_on(message: bytes) -> None:
            asked = BackMsg.FromString(message).rerun_script
            if state["waits"] and asked.widget_states.widgets and not asked.fragment_id:
                held.append(message)
                return
            server.send(message)
            if asked.is_auto_rerun:
                while held:
                    server.send(held.pop(0))

        socket.on_message(pass_on)

    page.route_web_socket(re.compile("/_stcore/stream"), connect)
    return lambda: state.update(waits=True)


def test_a_key_that_a_timer_of_repeated_runs_overtakes_is_not_lost(visit: Visit) -> None:
    """The timer's message has the new value already, which its own then did not seem to change."""
    scenario = replace(BEGIN.with_context(blocks=StateBlocks()), n=10**9)
    page = visit("places?v=2&blocks=states&n=1000000000")
    begin = let_timers_overtake(page)
    page.reload()
    expect_shows(page, scenario)
    tab(page, "Error curves")
    button(page, "places-repetition-start").click()
    bar = page.locator("[data-testid=stProgress]:has-text('Run ') [role=progressbar]")
    expect(bar).to_be_visible()
    begin()
    for key, epsilon in (("ArrowRight", 1.5), ("ArrowLeft", 1.0)):
        page.locator(SLIDER).press(key)
        expect_shows(page, scenario.with_context(epsilon=epsilon))
    button(page, "places-repetition-start").click()
    button(page, "places-repetition-cancel").click()
    expect(bar).to_have_count(0)
    expect(button(page, "places-repetition-start")).to_be_visible()


PAINTED = ".stage[data-painted]"
DRAWN = "canvas => canvas.drawn = canvas.toDataURL()"
PAGES = {"distances": 3, "personal": 4}
"""Pages of this file, and how many maps each shows."""


def truths(page: Any) -> list[Any]:
    """The first map of the page's stage and of the pinned one."""
    stages = page.locator(".stage").all()
    return [stage.locator(".pane canvas").first for stage in stages]


@pytest.mark.parametrize(("link", "screen"), thinned(PAGES, SCREENS, one_in=2, of=2))
def test_the_sentence_and_the_maps_come_first(open_link: OpenLink, link: str, screen: str) -> None:
    page = open_link(link, PAINTED, **SCREENS[screen])
    frames = page.locator(".stage .pane:not([hidden]) .frame")
    expect(frames).to_have_count(PAGES[link])
    sentence = page.locator(HEADLINE).first.bounding_box()
    height = SCREENS[screen]["viewport"]["height"]
    boxes = [frames.nth(i).bounding_box() for i in range(2)]
    assert all(sentence["y"] < box["y"] for box in boxes)
    assert all(box["y"] + box["height"] < height for box in boxes)
    wide = page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide <= 0


def test_a_click_moves_the_ring_a_pin_shares_the_view_and_a_film_moves_alone(
    open_link: OpenLink,
) -> None:
    page = open_link("distances", PAINTED, **SCREENS["projector"])
    place = page.locator(".st-key-distances-place input")
    at = place.input_value()
    page.get_by_role("button", name="Brush").click()
    box = page.locator(".stage .frame").first.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
    page.wait_for_url("**place=*")
    expect(place).not_to_have_value(at)
    page.mouse.move(5, 5)
    page.get_by_role("button", name="Look", exact=True).click()
    wait_until_settled(page)
    page.locator(".st-key-distances-pin button").first.click()
    expect(page.locator(f".st-key-distances-pinned-maps {PAINTED}")).to_be_visible()
    wait_until_settled(page)
    before = [canvas.evaluate(DRAWN) for canvas in truths(page)]
    page.get_by_role("button", name="Zoom in").first.click()
    page.wait_for_url("**view=*")
    page.wait_for_function("c => c.drawn !== c.toDataURL()", arg=truths(page)[1].element_handle())
    after = [canvas.evaluate(DRAWN) for canvas in truths(page)]
    assert after[0] == after[1] != before[1] == before[0]
    play = page.locator(".st-key-distances-rate .stage-play")
    play.wait_for()
    sentence = page.locator(f"{HEADLINE}:visible").first.inner_text()
    with hold(page, "distances-rate", 0.97):
        expect(page.locator(f"{HEADLINE}:visible").first).not_to_have_text(sentence)
    page.wait_for_url("**km=*")  # resting makes it the page's own
    assert "pinned" in page.url


READY: Final = ".st-key-places-maps .stage[data-painted]"
CANVAS: Final = "[data-testid=stDeckGlJsonChart] canvas"


def test_a_relief_is_fetched_from_here_alone_and_only_once_it_is_opened(
    open_link: OpenLink,
) -> None:
    page = open_link("places", READY)
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    expect(page.locator(CANVAS)).to_have_count(0)
    tab(page, "Relief")
    expect(page.locator(CANVAS)).to_be_visible()
    expect(page.get_by_role("table").filter(has_text="square around")).to_be_visible()
    assert any("DeckGl" in url for url in urls)
    page.wait_for_load_state("networkidle")
    assert {url.split("/")[2] for url in urls} == {page.url.split("/")[2]}


PINS: Final = {
    "places": ".st-key-places-pinned-maps .stage[data-painted]",
    "values": ".st-key-values-board .point.pinned:visible",
    "curves": ".st-key-curves-chart text:has-text('pinned')",
    "plan": ".st-key-plan-chart text:has-text('pinned')",
}
"""Where a page with pins draws what is pinned."""
LINKS: Final = {"curves": "curves?methods=oue"}
"""Pages that begin with trials, at what needs none."""
WITHOUT_TABLE: Final = ("curves",)
"""Its numbers are the curves."""
CELLS: Final = "row => [...row.cells].map(cell => cell.innerText)"


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n == "values" else pytest.mark.thorough) for n in PINS]
)
def test_what_is_pinned_stands_beside_what_is_tried(open_link: OpenLink, name: str) -> None:
    slider = f".st-key-{name}-epsilon input[type=range]"
    page = open_link(LINKS.get(name, name), slider, f".st-key-{name}-pin button")
    expect(page.locator(PINS[name])).to_have_count(0)
    button(page, f"{name}-pin").click()
    page.wait_for_url("**pinned=*")
    button(page, f"{name}-pins").wait_for()
    wait_until_settled(page)
    page.locator(slider).press("ArrowRight")
    page.locator(PINS[name]).first.wait_for()
    if name not in WITHOUT_TABLE:
        eventually(page, lambda: assert_rows_differ(page, name))  # its numbers come one by one
    button(page, f"{name}-pins").click()
    button(page, f"{name}-unpin-1").click()
    expect(button(page, f"{name}-pins")).to_have_count(0)
    expect(page.locator(PINS[name])).to_have_count(0)
    expect(page.locator(f".st-key-{name}-pinned table")).to_have_count(0)
    page.wait_for_url(lambda url: "pinned" not in url)


def assert_rows_differ(page: Any, name: str) -> None:
    """A table of what is shown now and what is pinned, without rows that are equal in both."""
    rows = page.locator(f".st-key-{name}-pinned tr")
    head, *body = rows.evaluate_all(f"rows => rows.map({CELLS})") or [[]]
    assert " ".join(head).startswith("number now pin 1: ")
    assert any("ε" in "".join(row) for row in body)
    assert all(row[1] != row[2] for row in body)
