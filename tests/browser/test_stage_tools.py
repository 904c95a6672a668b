"""The tools of the stage on a bare page, by mouse, keys and fingers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from caldp_core.domain.grid import US_GRID, Area
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.stage import Act, codec
from tests.browser.hands import expect
from tests.browser.stage_hand import Hand, Point
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
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
    mask = codec.parse_runs(hand.await_event(count)["cells"], US_GRID.k)
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
