"""The stage and its tools, films, boards and charts that follow a slider without the server.

One page is loaded for all tests that use a mouse or keys; each leaves it as it found it.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from caldp_core.domain.domains import US_GRID, Area
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import LIGHT
from caldp_ui.classroom.page import view
from caldp_ui.classroom.page_state import LINK, Lesson
from caldp_ui.parts import layout
from caldp_ui.stage import records
from caldp_ui.stage.component import Act
from caldp_ui.words import formats
from tests.browser.conftest import DESKTOP, OpenLink
from tests.browser.hands import (
    HEADLINE,
    Hand,
    Point,
    Watch,
    expect,
)
from tests.servers import PATIENCE_MS, wait_until_settled
from tests.ui.readings import shares_of

pytestmark = pytest.mark.browser
IDS = ("truth", "plain", "ours")
PEOPLE = 3_671_812


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    """By picture, from a run of the core."""
    scenario = Scenario(policy=ContextPolicy(GridBlocks(25, 35)), mechanism=Hadamard())
    return {"ours": run(prepare(scenario)), "plain": run(prepare(scenario.plain()))}


@pytest.fixture(scope="module")
def shares(results: dict[str, Result]) -> dict[str, Any]:
    """(k,) shares by picture."""
    truth = results["ours"].setup.dataset.distribution
    return {"truth": truth, **{name: each.first.estimate for name, each in results.items()}}


def test_wheel_and_drag_move_all_pictures_and_the_link(hand: Hand) -> None:
    before = hand.pictures()
    hand.page.mouse.move(*hand.at(Point(39.0, -95.0), pane=1))
    hand.page.mouse.wheel(0, -400)
    hand.page.wait_for_url("**view=*")
    zoomed = hand.pictures()
    assert all(one != other for one, other in zip(before, zoomed, strict=True))
    latitude, longitude, zoom = hand.view()
    assert zoom > 1.5
    x, y = hand.at(Point(39.0, -95.0))
    hand.drag((x, y), (x - 80, y + 40))
    hand.page.wait_for_function("old => !location.search.includes(old)", arg=f"{longitude:.2f}")
    assert hand.view()[0] > latitude
    assert hand.view()[1] > longitude
    hand.page.locator(".board").focus()
    hand.page.keyboard.press("0")
    hand.page.keyboard.press("+")
    hand.page.wait_for_url("**,1.50")
    hand.page.keyboard.press("0")
    hand.page.wait_for_function("!location.search.includes('view=')")
    hand.page.mouse.move(5, 5)
    assert hand.pictures() == before


def test_the_view_outlives_new_data_and_goes_to_a_box_when_told(hand: Hand) -> None:
    hand.page.mouse.move(*hand.at(Point(41.0, -80.0)))
    hand.page.mouse.wheel(0, -600)
    hand.page.wait_for_url("**view=*")
    hand.page.mouse.move(5, 5)
    view, before = hand.view(), hand.pictures()
    hand.ask("Another")
    after = hand.pictures()
    assert hand.view() == view
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False]
    hand.ask("Zoom to my box")
    hand.page.wait_for_url("**view=41.00,-73.50,*")
    hand.ask("First")


def people(number: float) -> str:
    """What the readout says: three digits, as the codes carry no more."""
    digits = float(f"{number:.3g}")
    if abs(digits) >= 1e6:
        return f"{digits / 1e6:g} million"
    return f"{round(number) if abs(number) < 999.5 else round(digits):,}"


def numbers(hand: Hand) -> list[str]:
    return [text.partition(" (")[0] for text in hand.page.locator(".readout dd").all_inner_texts()]


def test_the_readout_has_the_numbers_of_all_pictures(hand: Hand, shares: dict[str, Any]) -> None:
    for symbol in (int(np.argmax(shares["truth"])), int(np.argmax(shares["ours"])), 20_000):
        row, column = divmod(symbol, US_GRID.columns)
        place = Point(float(US_GRID.latitudes()[row]), float(US_GRID.longitudes()[column]))
        hand.page.mouse.move(*hand.at(place, pane=2))
        text = f"{place.latitude:.1f}° N, {abs(place.longitude):.1f}° W"
        expect(hand.page.locator(".place")).to_contain_text(text)
        # Estimates come as finely as maps show them, the truth with all digits.
        codes = {"truth": records.codes(shares["truth"])}
        for name in ("plain", "ours"):
            codes[name] = records.people_codes(shares[name], PEOPLE)
        found = [float(shares_of(codes[name])[symbol]) for name in IDS]
        assert numbers(hand) == [people(PEOPLE * share) for share in found]


def test_the_divider_moves_by_mouse_and_keys(hand: Hand) -> None:
    plain, ours = hand.pictures()[1:]
    assert plain != ours
    hand.press("Swipe")
    hand.page.wait_for_url("**look=swipe*")
    divider, middle = hand.page.get_by_role("slider", name="Divider"), hand.pictures()
    box = hand.frames().first.bounding_box()
    y = box["y"] + box["height"] / 2
    hand.drag((box["x"] + box["width"] / 2, y), (box["x"] + box["width"] / 4, y))
    assert abs(int(divider.get_attribute("aria-valuenow")) - 25) <= 1
    quarter = hand.pictures()
    divider.press("Home")
    for _ in range(2):
        divider.press("ArrowRight")
    assert divider.get_attribute("aria-valuenow") == "4"
    assert len({middle[0], quarter[0], hand.pictures()[0]}) == 3
    divider.press("End")
    divider.press("ArrowLeft")
    for _ in range(24):
        divider.press("ArrowLeft")
    assert divider.get_attribute("aria-valuenow") == "50"


def test_a_film_s_step_needs_no_server_until_the_hand_rests(hand: Hand) -> None:
    slider = hand.page.get_by_role("slider", name="Privacy level ε")
    box, mouse = slider.bounding_box(), hand.page.mouse
    y = box["y"] + box["height"] / 2
    hand.page.wait_for_timeout(300)
    before, sent, count = hand.pictures(), len(hand.sent), hand.count()
    start = int(slider.input_value()) / 2
    mouse.move(box["x"] + 8 + start * (box["width"] - 16), y)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 8, y, steps=8)
    expect(hand.page.locator(".step")).to_have_text("ε = 4")
    after = hand.pictures()
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False]
    hand.page.wait_for_timeout(200)
    assert len(hand.sent) == sent
    milliseconds = hand.page.locator(".stage").get_attribute("data-step-ms")
    sys.stdout.write(f"a step of the film: {milliseconds} ms\n")
    mouse.up()
    assert hand.await_event(count)["value"] == 4.0
    assert hand.pictures()[1:] == after[1:], "the film is not what Python shows"
    slider.press("Home")
    slider.press("ArrowRight")
    hand.await_event(count + 2)


def test_a_film_that_was_played_ends_where_it_began_and_tells_nobody(own_hand: Hand) -> None:
    hand = own_hand
    before, count = hand.pictures(), hand.count()
    hand.page.clock.install()  # ten seconds go by at once
    hand.press("Play")
    hand.ask("Zoom to my box")
    hand.press("Show the whole map")  # of the same pictures, which the film goes on with
    hand.page.clock.run_for(7_000)
    expect(hand.page.locator(".now")).to_have_text("ε = 4")
    hand.page.clock.resume()
    assert hand.pictures() != before
    expect(hand.page.locator(".now")).to_be_hidden()
    assert hand.pictures() == before
    assert hand.count() == count


def test_maps_are_light_by_choice_and_the_link_keeps_it(hand: Hand) -> None:
    before = hand.pictures()
    hand.press("Light maps")
    hand.page.wait_for_url("**map=light*")
    light = hand.pictures()
    assert all(one != other for one, other in zip(before, light, strict=True))
    hand.press("Dark maps")
    hand.page.wait_for_function("!location.search.includes('map=')")
    assert hand.pictures() == before


def test_presenting_leaves_maps_and_numbers_and_escape_ends_it(
    hand: Hand, results: dict[str, Result]
) -> None:
    hand.press("Present")
    wrong = formats.hundred(results["ours"].first.errors.tv)
    expect(hand.page.locator(".name:visible strong").last).to_have_text(wrong)
    expect(hand.page.locator(":root[data-presenting]")).to_have_count(1)
    expect(hand.page.get_by_role("button", name="Box", exact=True)).to_be_hidden()
    count = hand.count()
    hand.page.keyboard.press("PageDown")
    assert hand.await_event(count)["value"] == 4.0
    hand.page.keyboard.press("ArrowLeft")
    assert hand.await_event(count + 1)["value"] == 1.0
    hand.page.keyboard.press("Escape")
    expect(hand.page.locator(":root[data-presenting]")).to_have_count(0)
    expect(hand.page.get_by_role("button", name="Side by side")).to_be_focused()
    hand.page.get_by_label("What changes").select_option("epsilon")


def test_the_saved_picture_is_1600_pixels_wide(hand: Hand) -> None:
    with hand.page.expect_download() as found:
        hand.press("Picture")
    with Image.open(io.BytesIO(Path(found.value.path()).read_bytes())) as image:
        assert image.format == "PNG"
        assert image.width == 1600
        assert len(image.convert("RGB").getcolors(2**24) or []) > 100
    assert found.value.suggested_filename == "caldp-map.png"


def test_few_stops_of_the_tab_key(hand: Hand) -> None:
    stops = hand.page.locator(".stage").evaluate(
        """stage => [...stage.querySelectorAll("button, input, select, [tabindex]")]
            .filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).length"""
    )
    assert stops == 6, "views, maps, tools, play, films, slider"


NEW_YORK = Area(40.0, 42.0, -75.0, -72.0)


def close(event: dict[str, Any], meant: Area) -> None:
    edges = Area.parse(event["area"])
    for edge in ("south", "north", "west", "east"):
        assert abs(getattr(edges, edge) - getattr(meant, edge)) <= 0.4, edge


def test_a_box_by_mouse_and_a_click_alone_is_none(hand: Hand) -> None:
    hand.press("Box")
    hand.press("Protect")
    expect(hand.page.locator(".sentence")).to_have_text(
        "All places in the box you drag will be sensitive."
    )
    before, count = hand.pictures(), hand.count()
    start, end = hand.at(Point(42.0, -75.0), 1), hand.at(Point(40.0, -72.0), 1)
    hand.page.mouse.click(*start)
    hand.page.mouse.move(*start)
    hand.page.mouse.down()
    hand.page.mouse.move(*end, steps=4)
    drawn = hand.pictures()
    assert all(one != other for one, other in zip(before, drawn, strict=True)), "no preview"
    hand.page.mouse.up()
    event = hand.await_event(count)
    assert (event["tool"], event["action"]) == ("box", "protect")
    close(event, NEW_YORK)
    assert hand.count() == count + 1


def test_a_box_by_keyboard_is_told_to_a_screen_reader(hand: Hand) -> None:
    hand.press("Box")
    count, keyboard = hand.count(), hand.page.keyboard
    hand.page.locator(".board").focus()
    keyboard.press("ArrowRight")
    expect(hand.page.locator(".status")).to_contain_text("Truth:")
    keyboard.press("Space")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp"):
        keyboard.press(key)
    keyboard.press("Enter")
    area = Area.parse(hand.await_event(count)["area"])
    assert round((area.east - area.west) / 0.2) == 3
    assert round((area.north - area.south) / 0.2) == 2
    keyboard.press("Escape")
    expect(hand.page.get_by_role("button", name="Look", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )


def test_a_stroke_of_the_brush_is_the_cells_under_it(hand: Hand) -> None:
    hand.press("Brush")
    count = hand.count()
    west, east = Point(39.1, -100.1), Point(39.1, -96.1)
    hand.drag(hand.at(west), hand.at(east))
    mask = records.parse_runs(hand.await_event(count)["cells"], US_GRID.k)
    on_the_way = US_GRID.locate([39.1] * 3, [-100.1, -98.1, -96.1])
    assert mask[on_the_way].all()
    row, column = US_GRID.row_column(np.flatnonzero(mask))
    assert 20 <= np.ptp(column) <= 36
    assert np.ptp(row) <= 14


def test_a_click_of_the_brush_is_cells_around_the_hand(hand: Hand) -> None:
    hand.press("Brush")
    count, place = hand.count(), Point(39.3, -98.3)
    hand.page.mouse.click(*hand.at(place))
    event = hand.await_event(count)
    (cell,) = US_GRID.locate([39.3], [-98.3]).tolist()
    middle = Act(event["tool"], event["action"], cells=event["cells"]).middle(US_GRID)
    assert middle is not None
    offset = np.subtract(US_GRID.row_column([middle]), US_GRID.row_column([cell]))
    assert np.abs(offset).max() <= 1


def test_a_clicked_block_is_the_one_under_the_hand(hand: Hand) -> None:
    hand.press("Blocks")
    count, place = hand.count(), Point(39.3, -98.3)
    hand.page.mouse.click(*hand.at(place))
    labels = GridBlocks(25, 35).build(US_GRID).labels
    assert hand.await_event(count)["block"] == labels[US_GRID.locate([39.3], [-98.3])[0]]


def test_undo_counts_before_the_answer_to_what_it_takes_back(hand: Hand) -> None:
    hand.press("Blocks")
    count, board = hand.count(), hand.page.locator(".board")
    board.focus()
    board.evaluate(
        """board => {
            board.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
            board.getRootNode().querySelector("[aria-label=Undo]").click();
        }"""
    )
    assert hand.await_event(count + 1)["action"] == "undo"
    assert hand.count() == count + 2


def test_undo_is_offered_by_python_and_told_to_it(hand: Hand) -> None:
    """Once there is something to undo: tests are run in any order."""
    hand.press("Blocks")
    count = hand.count()
    hand.page.mouse.click(*hand.at(Point(39.3, -98.3)))
    assert hand.await_event(count)["tool"] == "blocks"
    hand.press("Undo")
    assert hand.await_event(count + 1)["action"] == "undo"
    expect(hand.page.get_by_role("button", name="Redo")).to_be_disabled()


def lose_the_first_box(socket: Any) -> None:
    """As Streamlit does where one run of a visit ends just as another begins."""
    server = socket.connect_to_server()
    lost: list[Any] = []

    def pass_on(message: Any) -> None:
        is_box = not isinstance(message, str) and b'"tool":"box"' in message
        if is_box and not lost:
            lost.append(message)
        else:
            server.send(message)

    socket.on_message(pass_on)


@pytest.fixture(scope="module")
def phone(browser: Any, stage_address: str) -> Iterator[Hand]:
    watch = Watch()
    settings = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
    with browser.new_context(viewport={"width": 390, "height": 844}, **settings) as context:
        page = context.new_page()
        watch.follow(page)
        page.route_web_socket("**/*", lose_the_first_box)
        hand = Hand(page)
        hand.open(f"{stage_address}/?view=41.1,-73.9,4&look=side")
        yield hand
        watch.check()


def test_fingers_read_zoom_and_draw(phone: Hand) -> None:
    page = phone.page
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        marks = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": marks})

    assert phone.view() == [41.1, -73.9, 4.0]
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    box = phone.frames().first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(x, y)
    expect(page.locator(".place")).to_contain_text("41.1° N, 73.9° W")
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    at = page.evaluate(scrolled)
    touch("touchStart", (x, y))
    for up in range(10, 60, 10):
        touch("touchMove", (x, y - up))
    touch("touchEnd")
    page.wait_for_function(f"{scrolled} > {at}")
    assert phone.view() == [41.1, -73.9, 4.0], "one finger scrolls, and moves no map"
    page.evaluate(f"{scrolled} = {at}")
    touch("touchStart", (x - 40, y), (x + 40, y))
    for apart in (60, 80, 100):
        touch("touchMove", (x - apart, y), (x + apart, y))
    touch("touchEnd")
    page.wait_for_function("!location.search.includes(',4.00')")
    assert phone.view()[2] > 8
    view, count = phone.view(), phone.count()
    box_tool = page.get_by_role("button", name="Box", exact=True)
    expect(box_tool).to_be_hidden()
    tools = page.get_by_role("button", name="Tools", exact=True)
    tools.tap()
    expect(tools).to_have_attribute("aria-expanded", "true")
    box_tool.tap()
    box = phone.frames().first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch("touchStart", (x, y))
    for step in (20, 40, 60):
        touch("touchMove", (x + step, y + step / 2))
    touch("touchEnd")
    area = Area.parse(phone.await_event(count)["area"])  # again, as the first time was lost
    assert area.west < view[1] < area.east
    assert phone.view() == view


FILMS_THERE = """dials => {
    const {films} = globalThis[Symbol.for("caldp.films")] ?? {films: new Map()};
    return dials.every(dial => films.has(dial));
}"""
FRAME = """() => {
    const hub = globalThis[Symbol.for("caldp.pictures")];
    const css = ["headline", "matrix-off", "room-rehearsed"].map(key => `.st-key-${key} p`);
    const sentences = () => [...document.querySelectorAll(css.join())];
    window.readPage = key => {
        const {root, step, drawnContent: drawn} = hub.get(key);
        const fields = [...root.querySelectorAll("input[type=text]")].map(each => each.value);
        const board = root.innerHTML.replace(/ ?class="new"| new(?=")/g, "");
        const visible = sentences().filter(each => each.checkVisibility());
        const words = visible.map(each => [each.innerText, getComputedStyle(each).font]);
        const places = [root, ...visible].map(each => Math.round(each.getBoundingClientRect().y));
        return {ahead: step !== null, board, fields, words, drawn, places};
    };
}"""
PRESSED = """([dial, key]) => {
    const look = () => requestAnimationFrame(() => { window.first ??= window.readPage(key); });
    const input = document.querySelector(`.st-key-${dial}`), attribute = "aria-valuetext";
    new MutationObserver(look).observe(input, {subtree: true, attributeFilter: [attribute]});
    window.first = null;
    input.querySelector("input[type=range]").focus();
}"""


def wait_for_films(page: Any, *dials: str) -> None:
    page.wait_for_function(FILMS_THERE, arg=list(dials))
    page.evaluate(FRAME)
    wait_until_settled(page)


def ahead(page: Any, key: str, dial: str, pressed: str) -> Any:
    """What is seen in the first frame after a press."""
    page.evaluate(PRESSED, [dial, key])
    page.keyboard.press(pressed)
    page.wait_for_function("window.first")
    return page.evaluate("window.first")


def expect_confirmed(page: Any, key: str, dial: str) -> Any:
    """What is seen ahead of the server, which then says the same."""
    before = page.evaluate("key => window.readPage(key)", key)
    frame = ahead(page, key, dial, "ArrowRight")
    assert frame.pop("ahead")
    assert frame["board"] != before["board"]
    assert frame["drawn"] != before["drawn"]
    assert frame["words"] != before["words"]
    page.wait_for_function("key => !window.readPage(key).ahead", arg=key)
    wait_until_settled(page)
    confirmed = page.evaluate("key => window.readPage(key)", key)
    assert not confirmed.pop("ahead")
    assert frame == confirmed
    return frame


def test_a_film_of_another_channel_is_not_shown(open_link: OpenLink) -> None:
    """The first frame has the new channel, be it by its own film or by the server."""
    page = open_link("matrix?template=ldp", ".board", viewport=DESKTOP)
    wait_for_films(page, "matrix-epsilon")
    assert page.locator(".board [data-mark=broken]").count() == 0
    page.locator(".st-key-matrix-plant button").click()
    page.locator(".st-key-matrix-repair").wait_for()
    wait_until_settled(page)
    before = page.evaluate("window.readPage('matrix-board')")
    frame = ahead(page, "matrix-board", "matrix-epsilon", "ArrowRight")
    assert frame["board"].count('data-mark="broken"') == 20
    page.wait_for_function(
        "drawn => window.readPage('matrix-board').drawn !== drawn", arg=before["drawn"]
    )
    expect(page.locator(".board [data-mark=broken]")).to_have_count(20)
    wait_for_films(page, "matrix-epsilon")
    expect_confirmed(page, "matrix-board", "matrix-epsilon")


DIAL = ".st-key-classroom-epsilon"
CHART = ".st-key-classroom-sum .chart"
STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
KNOWN = """reading => {
    const {films, page} = globalThis[Symbol.for("caldp.films")], dial = "classroom-epsilon";
    const film = films.get(dial);
    return film?.settings === page[dial]?.settings
        && film?.steps.some(step => step.reading === reading);
}"""
"""Whether the browser has that step of what the page shows now."""
TEXTS = """css => [...document.querySelectorAll(css)]
    .filter(each => each.getClientRects().length).map(each => each.innerHTML)"""
DRAWN = """([css, figure]) => {
    const {data, layout} = JSON.parse(figure), host = document.querySelector(css);
    return host.data?.length === data.length && data.every((trace, i) =>
        (host.data[i].y.bdata ?? String(host.data[i].y)) === (trace.y.bdata ?? String(trace.y)));
}"""


def hold_at(page: Any, wanted: float) -> None:
    """The slider drawn there and not let go of: the server is not asked."""
    box = page.locator(f"{DIAL} [role=group]").bounding_box()
    across = STEPS.index(wanted) / (len(STEPS) - 1)
    page.mouse.move(box["x"] + across * (box["width"] - 12) + 6, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(page.locator(f"{DIAL} input")).to_have_attribute("aria-valuetext", f"{wanted:g}")


def expect_lesson(page: Any, lesson: Lesson) -> None:
    """Sentence and chart are those of the lesson, and nothing else is in their place."""
    step = view(lesson, None, LIGHT).step()
    (sentence,) = page.evaluate(TEXTS, HEADLINE)
    sentence = sentence.replace("&nbsp;", "\N{NO-BREAK SPACE}")  # as innerHTML writes it
    assert step.replacements[layout.SENTENCE].endswith(f">{sentence}</div>")
    (chart,) = step.pictures.values()
    page.wait_for_function(DRAWN, arg=[CHART, chart])


def open_sum(open_link: OpenLink, lesson: Lesson) -> Any:
    query = "&".join(f"{key}={value}" for key, value in LINK.write(lesson).items())
    page = open_link(f"classroom?{query}", f"{DIAL}[data-followed]", CHART)
    for end in (STEPS[0], STEPS[-1]):  # the nearest steps come before the whole film
        page.wait_for_function(KNOWN, arg=f"{end:g}")
    return page


def test_chart_and_sentence_follow_a_hand_and_keys_and_are_what_the_server_answers(
    open_link: OpenLink,
) -> None:
    page = open_sum(open_link, Lesson("sum"))
    expect_lesson(page, Lesson("sum"))
    for epsilon in (3.0, 0.2):
        hold_at(page, epsilon)
        expect_lesson(page, Lesson("sum", epsilon))
        # The page's own, unseen, and what stands in for it.
        assert page.locator(HEADLINE).count() == 2
    hold_at(page, 1.0)  # a hand that comes back leaves the page as it was
    let_go(page, Lesson("sum"))
    page.focus(f"{DIAL} input")
    for _ in range(3):  # the server's answer to one must not take back the next, unheard of
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**epsilon=5*")
    wait_until_settled(page)
    expect_lesson(page, Lesson("sum", 5.0))
    hold_at(page, 0.2)
    let_go(page, Lesson("sum", 0.2))
    assert "epsilon=0.2" in page.url


def let_go(page: Any, lesson: Lesson) -> None:
    """The hand rests, and the server has answered with this lesson."""
    page.mouse.up()
    expect(page.locator(HEADLINE)).to_have_count(1)
    wait_until_settled(page)
    expect_lesson(page, lesson)


@pytest.mark.thorough  # a hand and keys: above
def test_a_slider_in_hand_stays_there_and_shows_no_step_of_another_setting(
    open_link: OpenLink,
) -> None:
    """The page runs when the film of another slider arrives, and once set this one back then."""
    page = open_sum(open_link, Lesson("sum", n=1000))
    hold_at(page, 5.0)
    page.wait_for_function(
        "globalThis[Symbol.for('caldp.films')].films.has('classroom-n')", timeout=PATIENCE_MS
    )
    wait_until_settled(page)
    expect_lesson(page, Lesson("sum", 5.0, n=1000))
    expect(page.locator(f"{DIAL} input")).to_have_attribute("aria-valuetext", "5")
    page.mouse.up()
    page.wait_for_url("**epsilon=5*")
    wait_until_settled(page)
    expect_lesson(page, Lesson("sum", 5.0, n=1000))
    # After another outcome was asked for, the steps that are there are those of the old one.
    page.get_by_role("button", name="Draw new noise").click()
    page.wait_for_url("**seed=2**")
    wait_until_settled(page)
    again = Lesson("sum", 5.0, n=1000, seed=2)
    page.wait_for_function(DRAWN, arg=[CHART, *view(again, None, LIGHT).pictures.values()])
    before = page.evaluate(TEXTS, HEADLINE)
    hold_at(page, 3.0)
    if not page.evaluate(KNOWN, "3"):
        assert page.evaluate(TEXTS, HEADLINE) == before
    else:  # those of the new one have come by now
        expect_lesson(page, Lesson("sum", 3.0, n=1000, seed=2))
    page.mouse.up()
    page.wait_for_url("**epsilon=3**")
    wait_until_settled(page)
    expect(page.locator(HEADLINE)).to_have_count(1)
    expect_lesson(page, Lesson("sum", 3.0, n=1000, seed=2))
