"""The stage on a bare page: one view for all pictures, tools for every hand, films without server.

One page is loaded for all tests that use a mouse or keys; each leaves it as it found it.
"""

import base64
import io
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image

from benchmarks.browser import settled
from benchmarks.server import serving
from caldp_core.domain.grid import US_GRID, Area
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.specs import Hadamard
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import GridBlocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.stage import codec, encode
from tests.browser.hands import expect
from tests.browser.watch import Watch

pytestmark = pytest.mark.browser
APP = "tests/browser/stage_app.py"
HOME = Area(25.0, 49.6, -125.2, -66.6)
NEW_YORK = Area(40.0, 42.0, -75.0, -72.0)
WEB = Path(__file__).parents[2] / "caldp_ui" / "stage" / "web"
IDS = ("truth", "plain", "ours")
PIXELS = "canvas => canvas.toDataURL()"


class Point(NamedTuple):
    latitude: float
    longitude: float


class Hand:
    """A page with a stage, and what one does there."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.sent: list[int] = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda _: self.sent.append(1)))

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector(".stage[data-painted] .film:not([hidden])")
        settled(self.page)

    def frames(self) -> Any:
        return self.page.locator(".pane:visible .frame")

    def pictures(self) -> list[str]:
        """Every picture on screen, as drawn by now."""
        self.still()
        canvases = self.page.locator(".pane:visible canvas").all()
        return [canvas.evaluate(PIXELS) for canvas in canvases]

    def still(self) -> None:
        self.page.evaluate("() => new Promise(d => requestAnimationFrame(() => setTimeout(d, 0)))")

    def at(self, place: Point, pane: int = 0) -> tuple[float, float]:
        """Where a place is on screen while the whole map is shown."""
        box = self.frames().nth(pane).bounding_box()
        narrow = math.cos(math.radians(37.5))
        high, wide = HOME.north - HOME.south, (HOME.east - HOME.west) * narrow
        scale = min(box["width"] / wide, box["height"] / high)
        right = (place.longitude - (HOME.west + HOME.east) / 2) * narrow * scale
        up = (place.latitude - (HOME.south + HOME.north) / 2) * scale
        return box["x"] + box["width"] / 2 + right, box["y"] + box["height"] / 2 - up

    def press(self, name: str) -> None:
        self.page.locator(".stage").get_by_role("button", name=name, exact=True).click()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=5)
        mouse.up()

    def told(self, before: int) -> dict[str, Any]:
        """The one event that Python was told since there were `before`."""
        events = self.page.locator("[data-testid=stCode] code")
        self.page.wait_for_function(
            "n => document.querySelector('[data-testid=stApp]').textContent.includes(`#${n}`)",
            arg=before + 1,
        )
        settled(self.page)
        told: dict[str, Any] = json.loads(events.inner_text().splitlines()[-1])
        return told

    def count(self) -> int:
        return int(self.page.locator("[data-testid=stApp] .st-key-count").inner_text().strip("#"))

    def view(self) -> list[float]:
        query = parse_qs(urlsplit(self.page.url).query)
        return [float(part) for part in query.get("view", [""])[0].split(",") if part]

    def home(self) -> None:
        """Everything as it was at first."""
        for name in ("Side by side", "Look", "Show the whole map"):
            self.press(name)
        self.page.mouse.move(5, 5)
        self.page.wait_for_function("!location.search.includes('view=')")
        self.still()


@pytest.fixture(scope="module")
def stage_address(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("stage"), APP) as found:
        yield found


@pytest.fixture(scope="module")
def opened(browser: Any, stage_address: str) -> Iterator[tuple[Hand, Watch]]:
    """One visit for all; whatever the tests do, nothing goes outside and nothing is an error."""
    watch = Watch()
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        page = context.new_page()
        watch.follow(page)
        hand = Hand(page)
        hand.open(stage_address)
        yield hand, watch
        watch.check()


@pytest.fixture
def hand(opened: tuple[Hand, Watch]) -> Iterator[Hand]:
    yield opened[0]
    opened[0].home()


@pytest.fixture(scope="module")
def shares() -> dict[str, Any]:
    """(k,) shares by picture, from a run of the core."""
    scenario = Scenario(policy=ContextPolicy(GridBlocks(25, 35)), mechanism=Hadamard())
    ours, plain = run(prepare(scenario)), run(prepare(scenario.plain()))
    truth = ours.setup.dataset.distribution
    return {"truth": truth, "plain": plain.first.estimate, "ours": ours.first.estimate}


def test_codes_come_back_in_the_browser(hand: Hand) -> None:
    shares = np.random.default_rng(3).normal(0, 1, 5000) ** 15 / 1e9
    blob = encode(shares)
    back = hand.page.evaluate(
        """async ([script, parcel]) => {
            const address = URL.createObjectURL(new Blob([script], {type: "text/javascript"}));
            const {Store, VALUES, readCodes, readParcel} = await import(address);
            const bytes = Uint8Array.from(atob(parcel), letter => letter.charCodeAt(0));
            const store = new Store();
            for (const [name, packed] of readParcel(bytes).blobs) store.hold(name, packed);
            const codes = readCodes(await store.get([...store.entries.keys()][0]));
            return [...codes].map(code => VALUES[code]);
        }""",
        [
            (WEB / "codec.js").read_text("utf-8"),
            base64.b64encode(codec.parcel({}, [blob])).decode(),
        ],
    )
    seen = np.abs(shares) >= codec.SMALLEST
    clipped = np.clip(shares, -1, 1)
    assert np.allclose(back, np.where(seen, clipped, 0), rtol=1e-3, atol=0)


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
    hand.page.get_by_role("button", name="Another", exact=True).click()
    expect(hand.page.locator(".stage")).not_to_have_attribute("data-turn", "1")
    settled(hand.page)
    after = hand.pictures()
    assert hand.view() == view
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, False]
    hand.page.get_by_role("button", name="Zoom to my box").click()
    hand.page.wait_for_url("**view=41.00,-73.50,*")
    hand.page.get_by_role("button", name="First", exact=True).click()
    settled(hand.page)


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
        seen = {name: codec.values(codec.codes(shares[name][symbol])) for name in IDS}
        assert numbers(hand) == [people(3_671_812 * float(seen[name])) for name in IDS]


def close(told: dict[str, Any], meant: Area) -> None:
    edges = Area.parse(told["area"])
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
    told = hand.told(count)
    assert (told["tool"], told["action"]) == ("box", "protect")
    close(told, NEW_YORK)
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
    area = Area.parse(hand.told(count)["area"])
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
    mask = codec.runs_of(hand.told(count)["cells"], US_GRID.k)
    on_the_way = US_GRID.locate([39.1] * 3, [-100.1, -98.1, -96.1])
    assert mask[on_the_way].all()
    row, column = US_GRID.place(np.flatnonzero(mask))
    assert 20 <= np.ptp(column) <= 36
    assert np.ptp(row) <= 14


def test_a_clicked_block_is_the_one_under_the_hand(hand: Hand) -> None:
    hand.press("Blocks")
    count, place = hand.count(), Point(39.3, -98.3)
    hand.page.mouse.click(*hand.at(place))
    labels = GridBlocks(25, 35).build(US_GRID).labels
    assert hand.told(count)["block"] == labels[US_GRID.locate([39.3], [-98.3])[0]]


def test_undo_is_offered_by_python_and_told_to_it(hand: Hand) -> None:
    count = hand.count()
    hand.press("Undo")
    assert hand.told(count)["action"] == "undo"
    expect(hand.page.get_by_role("button", name="Redo")).to_be_disabled()


def test_the_divider_moves_by_mouse_and_keys(hand: Hand) -> None:
    plain, ours = hand.pictures()[1:]
    assert plain != ours
    hand.press("Before and after")
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
    assert hand.told(count)["value"] == 4.0
    assert hand.pictures()[1:] == after[1:], "the film is not what Python shows"
    slider.press("Home")
    slider.press("ArrowRight")
    hand.told(count + 2)


def test_present_is_over_everything_and_escape_leaves(hand: Hand) -> None:
    hand.press("Present")
    expect(hand.page.locator(".fact:visible strong").last).to_have_text("12")
    box = hand.page.locator(".stage").bounding_box()
    assert (box["width"], box["height"]) == (1280, 720)
    expect(hand.page.get_by_role("button", name="Box", exact=True)).to_be_hidden()
    hand.page.keyboard.press("Escape")
    expect(hand.page.get_by_role("button", name="Side by side")).to_be_focused()


def test_the_saved_picture_is_1600_pixels_wide(hand: Hand) -> None:
    with hand.page.expect_download() as found:
        hand.press("Picture")
    with Image.open(io.BytesIO(Path(found.value.path()).read_bytes())) as image:
        assert image.format == "PNG"
        assert image.width == 1600
        assert len(image.convert("RGB").getcolors(2**24)) > 100
    assert found.value.suggested_filename == "caldp-map.png"


def test_few_stops_of_the_tab_key(hand: Hand) -> None:
    stops = hand.page.locator(".stage").evaluate(
        """stage => [...stage.querySelectorAll("button, input, select, [tabindex]")]
            .filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).length"""
    )
    assert stops == 5, "toolbar, play, films, slider, maps"


@pytest.fixture(scope="module")
def phone(browser: Any, stage_address: str) -> Iterator[Hand]:
    watch = Watch()
    settings = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
    with browser.new_context(viewport={"width": 390, "height": 844}, **settings) as context:
        page = context.new_page()
        watch.follow(page)
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
    page.get_by_role("button", name="Box", exact=True).tap()
    box = phone.frames().first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch("touchStart", (x, y))
    for step in (20, 40, 60):
        touch("touchMove", (x + step, y + step / 2))
    touch("touchEnd")
    area = Area.parse(phone.told(count)["area"])
    assert area.west < view[1] < area.east
    assert phone.view() == view
