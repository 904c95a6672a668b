"""Transfer and layout shift of a first visit of each page; memory that many changes leave behind.

Bytes are as they go over the wire, headers of HTTP included. Layout shift is the browser's own sum
(web.dev/cls): 0.1 and less count as good.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.browser import (
    MAP_PAGE,
    chromium,
    press_until_redrawn,
    wait_until_ready,
    wait_until_settled,
)
from benchmarks.figures import Bar, Figure
from benchmarks.page import SLIDER, new_page
from benchmarks.server import Server, running_server
from caldp_ui.app.navigation import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_FIRST_VISIT: Final = Bar("≤", 4)
_STILL: Final = Bar("≤", 0.1)
_SHIFT: Final = """window.shift = 0; new PerformanceObserver(told => {
    for (const each of told.getEntries()) if (!each.hadRecentInput) window.shift += each.value;
}).observe({type: 'layout-shift', buffered: true});"""
_KEYS: Final = ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft")
_ROUNDS: Final = 13
_CHANGES: Final = _ROUNDS * len(_KEYS)
_FLAT: Final = Bar("≤", 1.1)
_FILMS_MS: Final = 20_000
"""Wait until the films of the page are made: they come once, and are no leak."""


def figures(_: int) -> Iterator[Figure]:
    """Transfer of a first visit, then memory before and after changes of ε."""
    with (
        chromium() as browser,
        tempfile.TemporaryDirectory() as name,
        running_server(Path(name)) as server,
    ):
        for entry in PAGES:
            yield from _first_visit(browser, server, Path(entry.path).stem)
        yield from _changes(browser, server)


def _first_visit(browser: "Browser", server: Server, name: str) -> Iterator[Figure]:
    page = new_page(browser)
    with page.context as context:
        page.add_init_script(_SHIFT)
        wire = context.new_cdp_session(page)
        received: list[float] = []
        wire.send("Network.enable")
        wire.on(
            "Network.loadingFinished", lambda event: received.append(event["encodedDataLength"])
        )
        wire.on("Network.webSocketFrameReceived", lambda event: received.append(_frame(event)))
        page.goto(f"{server.address}/{name}")
        page.wait_for_selector("h1")
        wait_until_settled(page)
        page.wait_for_timeout(1000)
        yield Figure(f"{name}: a first visit", "MB", [sum(received) / 1e6], _FIRST_VISIT)
        yield Figure("the same, layout shift", "", [page.evaluate("window.shift")], _STILL)


def _frame(event: dict[str, Any]) -> float:
    # Binary frames are given in base64.
    return len(event["response"]["payloadData"]) * 3 / 4


def _changes(browser: "Browser", server: Server) -> Iterator[Figure]:
    page = new_page(browser)
    page.goto(f"{server.address}/{MAP_PAGE}")
    wait_until_ready(page)
    page.wait_for_timeout(_FILMS_MS)
    page.focus(SLIDER)
    _move(page)
    before = _heap(page), server.megabytes()
    for _ in range(_ROUNDS):
        _move(page)
    after = _heap(page), server.megabytes()
    for where, one, other in zip(("the browser's heap", "the server"), before, after, strict=True):
        yield Figure(f"{where} before {_CHANGES} changes of ε", "MB", [one])
        yield Figure("the same afterwards, times that", "×", [other / one], _FLAT)
    page.context.close()


def _move(page: "Page") -> None:
    for key in _KEYS:
        press_until_redrawn(page, key)


def _heap(page: "Page") -> float:
    wire = page.context.new_cdp_session(page)
    wire.send("HeapProfiler.collectGarbage")
    used: float = wire.send("Runtime.getHeapUsage")["usedSize"]
    wire.detach()
    return used / 1e6
