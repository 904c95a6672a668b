"""What users do and see in a browser, by keys of widgets and containers; what must not happen."""

import json
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest
from playwright import sync_api

from caldp_core.domain.domains import Area
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.places.page_state import LINK, PlacesState
from caldp_ui.room.poll import OPEN
from caldp_ui.session.links import CHECK
from caldp_ui.stage.component import BROWSER_KEYS
from caldp_ui.words import accuracy
from caldp_ui.words.formats import PLACES
from tests.servers import PATIENCE_MS, missing_software, wait_until_settled

APP = "tests/browser/stage_app.py"
HOME = Area(25.0, 49.6, -125.2, -66.6)
PIXELS = "canvas => canvas.toDataURL()"
MAP_PAGE = "places"
READY = """[...document.querySelectorAll('.st-key-places-maps, .st-key-places-maps *')]
    .some(host => host.shadowRoot?.querySelector('.stage')?.dataset.painted)
    && document.querySelector('.st-key-headline')?.innerText"""
"""That the map page's stage has painted what came from the server, and its sentence is there."""


def wait_until_ready(page: Any) -> None:
    """Wait until the map page is there with all pictures."""
    page.wait_for_function(READY)
    wait_until_settled(page)


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
        wait_until_settled(self.page)

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

    def ask(self, name: str) -> None:
        """Press a button of the page, which the server answers with another scene."""
        stage = self.page.locator(".stage")
        turn = stage.get_attribute("data-turn")
        self.page.get_by_role("button", name=name, exact=True).click()
        expect(stage).not_to_have_attribute("data-turn", turn)
        wait_until_settled(self.page)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=5)
        mouse.up()

    def await_event(self, before: int) -> dict[str, Any]:
        """The one event that Python received since there were `before`."""
        events = self.page.locator("[data-testid=stCode] code")
        self.page.wait_for_function(
            "n => document.querySelector('[data-testid=stApp]')?.textContent.includes(`#${n}`)",
            arg=before + 1,
        )
        wait_until_settled(self.page)
        event: dict[str, Any] = json.loads(events.inner_text().splitlines()[-1])
        return event

    def count(self) -> int:
        return int(self.page.locator("[data-testid=stApp] .st-key-count").inner_text().strip("#"))

    def view(self) -> list[float]:
        query = parse_qs(urlsplit(self.page.url).query)
        return [float(part) for part in query.get("view", [""])[0].split(",") if part]

    def home(self) -> None:
        """Everything as it was at first."""
        for name in ("Side by side", "Look", "Show the whole map"):
            self.press(name)
        self.away()
        self.page.wait_for_function("!location.search.includes('view=')")
        self.still()

    def away(self) -> None:
        """The mouse off the maps; the cursor that keys have left there goes with it."""
        box = self.frames().first.bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.move(5, 5)

    def state(self) -> dict[str, Any]:
        """All that a test may leave otherwise than it was; an event for Python stays in its log."""
        page = self.page
        film = page.locator(".stage .film")
        return {
            "address": page.url,
            "map, tool, look": [
                page.locator(".stage").get_attribute(f"data-{name}")
                for name in ("map", "tool", "look")
            ],
            "film": [film.locator("select").input_value(), film.locator("input").input_value()],
            "level": page.locator(".st-key-level input").get_attribute("aria-valuetext"),
            "sentence": page.locator(".st-key-sentence p").all_inner_texts(),
            "pictures": self.pictures(),
        }


if os.environ.get("CALDP_BROWSER_REQUIRED") != "1":
    pytest.importorskip("playwright.sync_api", reason=missing_software())

expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
DRAWN_SLIPS = 0.7
"""Degrees by which a drag may be off: two pixels and a cell."""
QUICKLY_FORECAST = "places?v=2&mechanism=oue&blocks=states&n=1000000&estimator=simplex-per-block"
"""Expected errors of this one are normal approximations at every point of its curves."""
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
SLIDER = ".st-key-places-epsilon input[type=range]"
STAGE = ".st-key-places-maps .stage"
HEADLINE = ".st-key-headline .headline"
TABS = ".st-key-page-tabs nav"
MANY, SPAN_S, _ = OPEN
"""Polls that the server lets one address open within so many seconds."""
LAST_POLLS: deque[float] = deque(maxlen=MANY)
"""When the tests of this process, which share a server and an address, opened their last polls."""
HANDS_HOME = Area(24.55, 49.75, -125.2, -66.6)
"""What the stage shows at first."""


TAP_THE_COIN = """() => new MutationObserver((changes, observer) => {
    const coin = document.querySelector(".phone .coin");
    if (!coin) return;
    observer.disconnect();
    coin.click();
}).observe(document.body, {subtree: true, childList: true})"""
"""A tap on a phone's coin as it is thrown: it goes by itself, maybe before a slow hand comes."""


def eventually(page: Any, check: Callable[[], None]) -> None:
    """Wait until all that is asserted holds at once; fails as the check does, if it never does."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < end:
        with suppress(AssertionError):
            check()
            return
        page.wait_for_timeout(50)
    check()


def eventually_equal(page: Any, read: Callable[[], object], wanted: object) -> None:
    """Wait until what is read is what is wanted."""

    def check() -> None:
        assert read() == wanted

    eventually(page, check)


def expect_script(place: Any, script: str, wanted: object, arg: object = None) -> None:
    """Wait until a script gives what is wanted, in a page or of the element of a locator."""
    page = getattr(place, "page", place)
    eventually_equal(page, lambda: place.evaluate(script, arg), wanted)


def wait_to_open_a_poll() -> None:
    """Wait until the server takes one more poll from this address: one too many is refused."""
    if len(LAST_POLLS) == MANY:
        time.sleep(max(0.0, LAST_POLLS[0] + SPAN_S + 1 - time.monotonic()))
    LAST_POLLS.append(time.monotonic())


def open_poll(page: Any) -> str:
    """Open the poll that is written on the page; its code, without the space."""
    wait_to_open_a_poll()
    page.locator(".st-key-room-open button").click()
    return "".join(page.locator(".room-code").inner_text().split()[-2:])


def link_of(page: Any) -> PlacesState:
    """The record that the address bar holds."""
    query = dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))
    for kept in (*BROWSER_KEYS, CHECK):
        query.pop(kept, None)
    return LINK.read(query)


def open_internal(page: Any) -> None:
    """Open the part with the files that hold true counts."""
    title = "Internal: files with the true counts"
    part = page.locator("details").filter(has_text=title).first
    part.wait_for()
    if part.get_attribute("open") is None:
        part.locator("summary").first.click()


def headline_of(scenario: Scenario) -> str:
    """The sentence of the result, by a fresh run of the core."""
    ours, plain = run(prepare(scenario)), run(prepare(runs.best_plain_ldp(scenario)))
    headline = accuracy.headline(PLACES, ours.setup, ours.first.errors.tv, plain.first.errors.tv)
    return f"{headline.sentence} {headline.second}"


def to_page(page: Any, name: str) -> None:
    """To a page by the tabs, with the mouse: one click, or two where its group is closed."""
    there = page.locator(f"{TABS} .wide a[href$='/{name}']")
    expect(there).to_be_attached()
    if not there.is_visible():
        group = page.locator(f"{TABS} details.closed")
        group.filter(has=page.locator(f"a[href$='/{name}']")).locator("summary").click()
    there.click()


def expect_shows(page: Any, scenario: Scenario) -> None:
    """The sentence becomes that of a fresh run by the core, and the link holds the scenario."""
    # As a list: one sentence, with none of a film standing in for it.
    expect(page.locator(HEADLINE)).to_have_text([headline_of(scenario)])
    wait_until_settled(page)
    eventually_equal(page, lambda: link_of(page).scenario, scenario)


def pictures(page: Any) -> list[str]:
    """Every picture on screen, as drawn by now."""
    wait_until_ready(page)
    page.mouse.move(5, 5)
    return canvases(page)


def canvases(page: Any) -> list[str]:
    """The same, wherever the hand is and whatever it holds."""
    page.evaluate("() => new Promise(d => requestAnimationFrame(() => setTimeout(d, 50)))")
    elements = page.locator(f"{STAGE} .pane:visible canvas").all()
    return [canvas.evaluate("canvas => canvas.toDataURL()") for canvas in elements]


def press(page: Any, name: str) -> None:
    """Press a button of the stage."""
    page.locator(STAGE).get_by_role("button", name=name, exact=True).click()


def drag(page: Any, area: Area) -> None:
    """Drag a box from its north-west to its south-east on the first map."""
    frame = page.locator(f"{STAGE} .frame").first
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    narrow = 0.7934  # cos 37.3°, the middle of the shown part
    scale = min(
        box["width"] / ((HANDS_HOME.east - HANDS_HOME.west) * narrow),
        box["height"] / (HANDS_HOME.north - HANDS_HOME.south),
    )
    middle = ((HANDS_HOME.west + HANDS_HOME.east) / 2, (HANDS_HOME.south + HANDS_HOME.north) / 2)

    def at(latitude: float, longitude: float) -> tuple[float, float]:
        right = (longitude - middle[0]) * narrow * scale
        return (
            box["x"] + box["width"] / 2 + right,
            box["y"] + box["height"] / 2 - (latitude - middle[1]) * scale,
        )

    page.mouse.move(*at(area.north, area.west))
    page.mouse.down()
    page.mouse.move(*at(area.south, area.east), steps=6)
    page.mouse.up()


@contextmanager
def hold(page: Any, key: str, across: float) -> Iterator[None]:
    """The slider of that key drawn to a part of its width, and not let go of before the end."""
    box = page.locator(f".st-key-{key} [role=group] > [data-orientation]").bounding_box()
    mouse = page.mouse
    mouse.move(box["x"] + across * box["width"], box["y"] + box["height"] / 2)
    mouse.down()
    yield
    mouse.up()


def assert_close(drawn: Area, meant: Area) -> None:
    """The box is where it was dragged, but for pixels and whole cells."""
    for edge in ("south", "north", "west", "east"):
        assert abs(getattr(drawn, edge) - getattr(meant, edge)) <= DRAWN_SLIPS


def button(page: Any, key: str) -> Any:
    """The button with that key; Streamlit keeps a hidden twin of those that have a help text."""
    return page.locator(f".st-key-{key} button:visible").first


def tab(page: Any, name: str) -> None:
    """Open a tab under the maps."""
    found = page.get_by_role("tab", name=name)
    expect(found).to_have_count(1)  # a page that comes stands beside the one that goes for a moment
    found.click()
    wait_until_settled(page)


def tab_key_until(page: Any, selector: str, most: int = 60) -> None:
    """Press Tab until the focus is on something that matches."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("css => document.activeElement.matches(css)", selector):
            return
    raise AssertionError(f"{most} times Tab did not reach {selector}")


_HOME: Final = ("127.0.0.1", "localhost")
_INSIDE: Final = ("data", "blob", "about", "file")


def is_outside(url: str) -> bool:
    """True for whatever leaves this machine."""
    parts = urlsplit(url)
    return parts.scheme not in _INSIDE and parts.hostname not in _HOME


class Watch:
    """Collects every address that is asked for, and every error."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.errors: list[str] = []

    def follow(self, page: Any) -> None:
        page.on("request", lambda request: self.urls.append(request.url))
        page.on("websocket", lambda socket: self.urls.append(socket.url))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location['url']})")

    def outside(self) -> list[str]:
        return [url for url in self.urls if is_outside(url)]

    def check(self) -> None:
        assert not self.outside(), self.outside()
        assert not self.errors, self.errors
