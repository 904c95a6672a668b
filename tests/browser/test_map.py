"""Pages of maps in a browser: drawing, areas, lists of places, the relief and pins.

Privacy by distance, and Home and work, in a browser: maps first, a click moves the ring.

One page of each kind of picture: maps, rows of answers, a chart, a chart that alone shows numbers.
All pages, and the numbers of both, are held against the core in `ui/test_pins.py`.
"""

import gzip
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Floats
from caldp_core.datasets import inspect_data
from caldp_core.datasets.base_map import cities_in, named_areas
from caldp_core.datasets.files.places import count_places
from caldp_core.domain.domains import Area
from caldp_core.scenarios.blocks import OneBlock, SensitiveAreas, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.maps.scene import BEGIN, hexagon_size, hexagons_of
from caldp_ui.places import page_state
from caldp_ui.places.controls import with_dataset
from caldp_ui.places.page_state import with_merge_factor
from tests.browser.conftest import SCREENS, OpenLink, Profiles, Visit
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
    open_internal,
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


@pytest.mark.thorough  # a file of places and its pack: test_packs.py
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


class LateAnswers:
    """From a page's next load on, answers wait while they are `held`; what is asked is noted."""

    def __init__(self, page: Any) -> None:
        self._waiting, self._is_held = list[ClientState | bytes](), False
        page.route_web_socket(re.compile("/_stcore/stream"), self._connect)

    def _connect(self, socket: Any) -> None:
        server = socket.connect_to_server()
        self._pass_on = socket.send
        socket.on_message(lambda message: self._ask(server, message))
        server.on_message(self._answer)

    def _ask(self, server: Any, message: bytes) -> None:
        asked = BackMsg.FromString(message).rerun_script
        if self._is_held and asked.widget_states.widgets and not asked.is_auto_rerun:
            self._waiting.append(asked)
        server.send(message)

    def _answer(self, message: bytes) -> None:
        if self._is_held:
            self._waiting.append(message)
        else:
            self._pass_on(message)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Answers wait until the end; then all of them come, in their order."""
        self._is_held = True
        yield
        self._is_held = False
        while self._waiting:
            if isinstance(message := self._waiting.pop(0), bytes):
                self._pass_on(message)

    def assert_answered(self, wanted: int) -> None:
        """At least that many requests, none of a timer, and the runs of all have ended."""
        answered = [
            self._is_answered(each.fragment_id, self._waiting[at + 1 :])
            for at, each in enumerate(self._waiting)
            if isinstance(each, ClientState)
        ]
        assert len(answered) >= wanted
        assert all(answered)

    def _is_answered(self, part: str, later: list[ClientState | bytes]) -> bool:
        answers = [ForwardMsg.FromString(each) for each in later if isinstance(each, bytes)]

        def begins(answer: ForwardMsg) -> bool:
            parts = answer.metadata.run.fragment_ids
            return answer.HasField("new_session") and (not parts or part in parts)

        return any(map(_ends, dropwhile(lambda each: not begins(each), answers)))


@pytest.mark.thorough  # a key that a timer overtakes: above
def test_a_drag_stays_where_a_key_comes_before_the_browser_has_drawn_it(visit: Visit) -> None:
    """The key's message has the old example still, which seemed to have been chosen again."""
    page = visit(ONE)
    answers = LateAnswers(page)
    page.reload()
    expect_shows(page, BEGIN.with_context(blocks=OneBlock()))
    press(page, "Box")
    press(page, "Protect only this")
    expect(page.locator(f"{STAGE} .sentence")).to_contain_text("100 of 100")
    with answers.held():
        drag(page, NEW_YORK)
        eventually(page, lambda: answers.assert_answered(1))
        page.locator(SLIDER).press("ArrowRight")
        eventually(page, lambda: answers.assert_answered(2))

    def has_both() -> None:
        shown = link_of(page).scenario.context
        assert (type(shown.sensitive), shown.epsilon) == (SensitiveAreas, 1.5)

    eventually(page, has_both)
    expect_shows(page, link_of(page).scenario)


REGIONS = ("Midwest", "Northeast", "South", "West")
STATES = [
    area.name
    for area in named_areas().values()
    if area.country == "United States" and area.name != "District of Columbia"
]


@pytest.mark.thorough  # areas and groups: ui/test_own_files.py
def test_fifty_states_become_maps_and_blocks(
    profiles: Profiles, address: str, watch: Watch
) -> None:
    page = profiles().new_page()
    watch.follow(page)
    page.goto(f"{address}/values")
    page.get_by_role("button", name="Your data").first.click()
    rows = "\n".join(f"{name};{100 + 7 * at}" for at, name in enumerate(STATES))
    page.locator(".st-key-values-own-text textarea").fill(f"State;People\n{rows}\n")
    page.get_by_role("button", name="Read the text").click()
    page.get_by_role("button", name="Show areas of United States").click()
    people = sum(100 + 7 * at for at in range(50))
    expect(page.get_by_text(f"{people:,} people in 50 rows are counted.")).to_be_visible()
    page.get_by_text("the answer; the group is open").click()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".st-key-values-maps-stage .pane canvas:visible")).to_have_count(3)
    expect(page.locator(".chart .row")).to_have_count(50 + len(REGIONS))
    expect(page.get_by_text("Drag the map to see Alaska, Hawaii.")).to_be_visible()
    page.wait_for_url("**/values?*blocks=groups*")
    assert parse_qs(urlsplit(page.url).query)["own.answers"] == ["50"]
    page.close()
    watch.check()


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


PARIS = Area(48.6, 49.1, 2.0, 2.8)


def people_of(area: Area, number: int) -> bytes:
    """A list of this many people around the middles of districts, by their inhabitants."""
    districts = cities_in(area)
    rng = np.random.default_rng(22)
    shares = np.array([each.population for each in districts], dtype=np.float64)
    near = rng.choice(len(districts), number, p=shares / shares.sum())
    middles = np.array([(each.latitude, each.longitude) for each in districts])
    return csv(middles[near] + 0.012 * rng.standard_normal((number, 2)))


def csv(places: Floats) -> bytes:
    out = io.BytesIO()
    rows = pa.table({"latitude": places[:, 0].round(5), "longitude": places[:, 1].round(5)})
    pyarrow.csv.write_csv(rows, out)
    return out.getvalue()


def scenario_of(data: bytes) -> Scenario:
    """What the page shows of a list, by the core."""
    file = inspect_data(data)
    return with_dataset(BEGIN, count_places(file, file.places, "list").places)


def bring(page: Any, data: bytes, people: str, folder: Path) -> None:
    """Choose the file, and show it as it was understood."""
    path = folder / "list.csv"  # from the disk: a megabyte by the test's own line takes seconds
    path.write_bytes(data)
    page.get_by_role("button", name="Your data").click()
    page.get_by_role("tab", name="Choose a file").click()
    page.locator(".st-key-places-own-file input[type=file]").set_input_files(path)
    expect(page.get_by_text("list.csv")).to_be_visible()
    page.get_by_role("button", name="Read the file").click()
    expect(page.locator(".st-key-places-own-preview")).to_contain_text(f"{people} people")
    page.get_by_role("button", name="Show it").click()


def expect_result(page: Any, scenario: Scenario) -> None:
    """The sentence becomes that of a fresh run by the core; such a list is too long for a link."""
    expect(page.locator(HEADLINE)).to_have_text([headline_of(scenario)])
    wait_until_settled(page)


def export_scenario(page: Any) -> Scenario:
    """The scenario that the page hands out."""
    tab(page, "Share and export")
    open_internal(page)
    with page.expect_download() as saved:
        page.locator(".st-key-places-json button").click()
    return Scenario.from_json(Path(saved.value.path()).read_text("utf-8"))


def open_record(page: Any, folder: Path) -> None:
    """The record that the page hands out, opened as a file."""
    page.locator(".st-key-places-audit-start button").click()
    button = page.locator(".st-key-places-record button")
    expect(button).to_be_visible()
    with page.expect_download() as saved:
        button.click()
    saved.value.save_as(folder / "record.html")
    page.goto((folder / "record.html").as_uri())
    # Of the estimate: the truth is in the internal record.
    expect(page.get_by_role("img", name="list: estimate")).to_have_count(1)
    expect(page.locator("body")).to_contain_text("It holds.")


@pytest.mark.thorough  # a file, its map and its record: test_packs.py
def test_200_000_people_of_paris_in_hexagons_of_larger_cells_and_a_record_that_asks_nobody(
    visit: Visit, watch: Watch, tmp_path: Path
) -> None:
    data = people_of(PARIS, 200_000)
    page = visit()
    bring(page, data, "200,000", tmp_path)
    before = scenario_of(data)
    blocks = hexagons_of(runs.map_of(runs.dataset(before)))
    expect_result(page, before)
    page.locator(".st-key-places-preset input").click()
    page.get_by_role("option", name=f"Hexagons of {hexagon_size(blocks.resolution)}").click()
    scenario = before.with_context(blocks=blocks)
    expect_result(page, scenario)
    page.locator(".st-key-places-more button").first.click()
    page.locator(".st-key-places-cells input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    larger = with_merge_factor(scenario, 2)
    expect_result(page, larger)
    page.keyboard.press("Escape")
    tab(page, "Cell size")
    now = page.locator(".ladder .now th")
    expect(now).to_have_text("0.02° (2.2 km) (now)")
    assert export_scenario(page) == larger
    open_record(page, tmp_path)
    assert watch.outside() == []


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


def _ends(message: ForwardMsg) -> bool:
    """Whether it ends a run that was not cut short by another."""
    early = ForwardMsg.FINISHED_EARLY_FOR_RERUN
    return message.HasField("script_finished") and message.script_finished != early
