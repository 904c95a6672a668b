"""The map page in a real browser: how soon it is there, how soon and how dearly it changes.

A move is one step of the ε slider by keyboard. It is done once all pictures and the sentence of the
result are new. While the film of ε is not there, the server has to answer: a move goes to a level
that nobody has seen, or back to a known one. With the film there, for which the page has rested, it
goes along the film. The state of the machine is measured by a bare page with one slider and one
picture, in the same run. Bytes are those of the websocket, unpacked.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

from benchmarks.browser import (
    FILM,
    MAP_PAGE,
    chromium,
    film_step,
    missing_software,
    press_until_bare_is_redrawn,
    press_until_redrawn,
    wait_until_ready,
    wait_until_settled,
)
from benchmarks.figures import Bar, Figure
from benchmarks.server import server_address
from benchmarks.sizes import Sizes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocket

SLIDER: Final = ".st-key-places-epsilon input[type=range]"
_BARE: Final = "benchmarks/bare_page.py"
_BARE_SLIDER: Final = ".st-key-level input[type=range]"
_STEPS: Final = 5
_START: Final = Bar("≤", 4)
_MOVE: Final = Bar("≤", 3)
_ALONG: Final = Bar("≤", 0.3)
_STEP: Final = Bar("≤", 50)
_PICTURE: Final = Bar("≤", 60)
_PICTURES: Final = 2
"""Pictures that a move of ε changes: the truth stays."""


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Cold start and a move, beside a bare page's; bytes of a move and of a picture."""
    lack = missing_software()
    if lack:
        yield Figure("map page in Chromium", "s", None, note=lack)
        return
    with chromium() as browser, tempfile.TemporaryDirectory() as name:
        folder, repeats = Path(name), sizes.long_repeats
        bare_starts = [_bare_start(browser, folder) for _ in range(repeats)]
        starts = [_cold_start(browser, folder) for _ in range(repeats)]
        yield _figure("server start to the bare page", "s", bare_starts)
        yield _figure("server start to all pictures", "s", starts)
        yield _ratio("the same, times the bare page", starts, bare_starts, _START)
        with server_address(folder, _BARE) as address:
            bare = bare_moves(browser, address)
        with server_address(folder) as address:
            yield from _moves(browser, address, repeats, bare)


def _bare_start(browser: "Browser", folder: Path) -> float:
    started = perf_counter()
    with server_address(folder, _BARE) as address:
        page = browser.new_context().new_page()
        page.goto(address)
        page.wait_for_selector("[data-testid=stImage] img")
        wait_until_settled(page)
        seconds = perf_counter() - started
        page.context.close()
        return seconds


def _cold_start(browser: "Browser", folder: Path) -> float:
    started = perf_counter()
    with server_address(folder) as address:
        page, _ = _open(browser, f"{address}/{MAP_PAGE}")
        seconds = perf_counter() - started
        page.context.close()
        return seconds


def _open(browser: "Browser", address: str) -> tuple["Page", list[int]]:
    """The map page in a visit of its own, and the bytes of each message of its websocket."""
    received: list[int] = []

    def listen(socket: "WebSocket") -> None:
        socket.on("framereceived", lambda payload: received.append(len(payload)))

    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.on("websocket", listen)
    page.goto(address)
    wait_until_ready(page)
    return page, received


def bare_moves(browser: "Browser", address: str) -> list[float]:
    """Seconds from a key on the bare page's slider to its new picture."""
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.goto(address)
    page.wait_for_selector("[data-testid=stImage] img")
    page.focus(_BARE_SLIDER)
    times = [press_until_bare_is_redrawn(page, "ArrowRight") for _ in range(2 * _STEPS)]
    page.context.close()
    return times


def _moves(browser: "Browser", address: str, visits: int, bare: list[float]) -> Iterator[Figure]:
    """Five steps a visit; each visit has another number of people, so that no step is cached."""
    times, sizes = [], []
    again: list[float] = []
    messages, along, steps = [], [], []
    for visit in range(visits):
        page, received = _open(browser, f"{address}/{MAP_PAGE}?v=2&n={1_000_000 + visit}")
        page.focus(SLIDER)
        moved = 0
        for _ in range(_STEPS):
            if page.is_visible(FILM):
                break
            received.clear()
            times.append(press_until_redrawn(page, "ArrowRight"))
            moved += 1
            sizes.append(sum(received) / 1000)
            messages.append(float(len(received)))
        returns: list[float] = []
        for _ in range(moved):
            if page.is_visible(FILM):
                break
            returns.append(press_until_redrawn(page, "ArrowLeft"))
        again.extend(returns)
        page.wait_for_selector(FILM)
        # Where the film came early the slider is still at the right: at its end a key does nothing.
        first_key = "ArrowRight" if moved == len(returns) else "ArrowLeft"
        second_key = "ArrowLeft" if first_key == "ArrowRight" else "ArrowRight"
        for key in (first_key,) * _STEPS + (second_key,) * _STEPS:
            along.append(press_until_redrawn(page, key))
            steps.append(1000 * film_step(page))
        page.context.close()
    yield _figure("a move of the bare page's slider", "s", bare)
    yield _figure("ε moved to new pictures on screen", "s", times)
    yield _ratio("the same, times the bare page", times, bare, _MOVE)
    yield _ratio("ε moved to a known level, times the bare page", again, bare, _MOVE)
    yield _ratio("ε moved along its film, times the bare page", along, bare, _ALONG)
    yield _figure("a step of the film in the stage", "ms", steps, _STEP)
    yield _figure("messages of a move of ε", "", messages)
    yield _figure("received for a move of ε", "kB", sizes)
    each = [size / _PICTURES for size in sizes]
    yield _figure("the same, a picture", "kB", each, _PICTURE)


def _ratio(work: str, values: list[float], bare: list[float], bar: Bar) -> Figure:
    return _figure(work, "×", [value / median(bare) for value in values], bar)


def _figure(work: str, unit: str, values: list[float], bar: Bar | None = None) -> Figure:
    if not values:
        return Figure(work, unit, None, bar, note="too slow: the film came before")
    return Figure.of(work, unit, values, bar)
