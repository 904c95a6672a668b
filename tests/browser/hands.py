"""What hands and eyes do on the map page, by keys of widgets and containers, not by wording."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.browser import PATIENCE_MS, missing_software, wait_until_ready, wait_until_settled
from caldp_core.domain.grid import Area
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.places.page_state import LINK, PlacesState
from caldp_ui.room.poll import OPEN
from caldp_ui.session.links import CHECK
from caldp_ui.stage import BROWSER_KEYS
from caldp_ui.words import accuracy
from caldp_ui.words.formats import PLACES

if os.environ.get("CALDP_BROWSER_REQUIRED") != "1":
    pytest.importorskip("playwright.sync_api", reason=missing_software())
from playwright import sync_api

expect = sync_api.expect
expect.set_options(timeout=PATIENCE_MS)
DRAWN_SLIPS = 0.7
"""Degrees by which a drag may be off: two pixels and a cell."""
QUICKLY_FORECAST = "places?v=2&mechanism=oue&blocks=states&n=1000000&estimator=simplex-per-block"
"""Expected errors of this one are normal approximations at every point of its curves."""
SLIDER = ".st-key-places-epsilon input[type=range]"
STAGE = ".st-key-places-maps .stage"
HEADLINE = ".st-key-headline .headline"
TABS = ".st-key-page-tabs nav"
MANY, SPAN_S, _ = OPEN
"""Polls that the server lets one address open within so many seconds."""
LAST_POLLS: deque[float] = deque(maxlen=MANY)
"""When the tests of this process, which share a server and an address, opened their last polls."""
HOME = Area(24.55, 49.75, -125.2, -66.6)
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
    assert link_of(page).scenario == scenario


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
        box["width"] / ((HOME.east - HOME.west) * narrow),
        box["height"] / (HOME.north - HOME.south),
    )
    middle = ((HOME.west + HOME.east) / 2, (HOME.south + HOME.north) / 2)

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
