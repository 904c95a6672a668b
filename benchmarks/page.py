"""The map page in a real browser: how soon it is there, how soon and how dearly it changes.

Room: benchmarks. A move is one step of the ε slider by keyboard, to a value that has not been
computed before. Pictures count as new once both the estimate's and the error's are on screen.
Bytes are those of the websocket, unpacked.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

from benchmarks.browser import MAPS, chromium, missing, press_until_redrawn, ready, serving
from benchmarks.figures import Bar, Figure, Runs
from benchmarks.sizes import Sizes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocket

SLIDER: Final = ".st-key-places-epsilon input[type=range]"
_STEPS: Final = 5
_START: Final = Bar("≤", 5)
_MOVE: Final = Bar("≤", 1)
_PICTURE: Final = Bar("≤", 150)


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Cold start, time of a move, bytes of a move and of a picture."""
    lack = missing()
    if lack:
        yield Figure("map page in Chromium", "s", None, note=lack)
        return
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        starts = [_cold_start(browser, Path(folder)) for _ in range(sizes.long_repeats)]
        yield _figure("server start to three pictures", "s", starts, _START)
        with serving(Path(folder)) as address:
            yield from _moves(browser, address, sizes.long_repeats)


def _cold_start(browser: "Browser", folder: Path) -> float:
    started = perf_counter()
    with serving(folder) as address:
        page, _ = _open(browser, address)
        seconds = perf_counter() - started
        page.context.close()
        return seconds


def _open(browser: "Browser", address: str) -> tuple["Page", list[int]]:
    """The map page in a visit of its own, and the sizes of what its websocket brings."""
    received: list[int] = []

    def listen(socket: "WebSocket") -> None:
        socket.on("framereceived", lambda payload: received.append(len(payload)))

    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.on("websocket", listen)
    page.goto(address)
    ready(page)
    return page, received


def _moves(browser: "Browser", address: str, visits: int) -> Iterator[Figure]:
    """Five steps a visit; each visit has another number of people, so that no step is cached."""
    times, sizes = [], []
    for visit in range(visits):
        page, received = _open(browser, f"{address}/?n={1_000_000 + visit}")
        page.focus(SLIDER)
        for _ in range(_STEPS):
            received.clear()
            times.append(press_until_redrawn(page, "ArrowRight"))
            sizes.append(sum(received) / 1000)
        page.context.close()
    yield _figure("ε moved to new pictures on screen", "s", times, _MOVE)
    yield _figure("received for a move of ε", "kB", sizes)
    each = [size / len(MAPS) for size in sizes]
    yield _figure("the same, a picture of three", "kB", each, _PICTURE)


def _figure(work: str, unit: str, values: list[float], bar: Bar | None = None) -> Figure:
    return Figure(work, unit, Runs(min(values), median(values), len(values)), bar)
