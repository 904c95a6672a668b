"""The map page in a real browser: how soon it is there, how soon and how dearly it changes.

A move is one step of the ε slider by keyboard. It is done once all pictures and the sentence of the
result are new. While the film of ε is not there, the server has to answer: a move goes to a level
that nobody has seen, or back to a known one. With the film there, for which the page has rested, it
goes along the film. The state of the machine is measured by a bare page with one slider and one
picture, in the same run. Bytes are those of the websocket, unpacked.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

from benchmarks.browser import (
    FILM,
    MAP_PAGE,
    chromium,
    film_step,
    press_until_bare_is_redrawn,
    press_until_redrawn,
    wait_until_ready,
    wait_until_settled,
)
from benchmarks.figures import Bar, Figure
from benchmarks.server import server_address

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, WebSocket

SLIDER: Final = ".st-key-places-epsilon input[type=range]"
BARE: Final = "benchmarks/bare_page.py"
_BARE_SLIDER: Final = ".st-key-level input[type=range]"
_STEPS: Final = 5
_VISITS: Final = 3
_START: Final = Bar("≤", 4)
_MOVE: Final = Bar("≤", 3)
_ALONG: Final = Bar("≤", 0.3)
_STEP: Final = Bar("≤", 50)
_PICTURE: Final = Bar("≤", 60)
_PICTURES: Final = 2
"""Pictures that a move of ε changes: the truth stays."""
OpenPage = Callable[["Browser", str], "Page"]


def figures(_: int) -> Iterator[Figure]:
    """Cold start and a move, beside a bare page's; bytes of a move and of a picture."""
    with chromium() as browser, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare_starts = [_cold_start(browser, folder, open_bare, BARE) for _ in range(_VISITS)]
        starts = [_cold_start(browser, folder, _open_map) for _ in range(_VISITS)]
        yield Figure("server start to the bare page", "s", bare_starts)
        yield Figure("server start to all pictures", "s", starts)
        yield _ratio("the same, times the bare page", starts, bare_starts, _START)
        with server_address(folder, BARE) as address:
            bare = bare_moves(browser, address)
        with server_address(folder) as address:
            yield from _moves(browser, address, bare)


def _cold_start(
    browser: "Browser", folder: Path, open_page: OpenPage, script: str = "app.py"
) -> float:
    started = perf_counter()
    with server_address(folder, script) as address:
        page = open_page(browser, address)
        seconds = perf_counter() - started
        page.context.close()
        return seconds


def new_page(browser: "Browser") -> "Page":
    """A page in a visit of its own, on a laptop's screen."""
    return browser.new_context(viewport={"width": 1280, "height": 720}).new_page()


def open_bare(browser: "Browser", address: str) -> "Page":
    """The bare page, once its picture is there."""
    page = new_page(browser)
    page.goto(address)
    page.wait_for_selector("[data-testid=stImage] img")
    wait_until_settled(page)
    return page


def _open_map(browser: "Browser", address: str) -> "Page":
    page = new_page(browser)
    page.goto(f"{address}/{MAP_PAGE}")
    wait_until_ready(page)
    return page


def bare_moves(browser: "Browser", address: str) -> list[float]:
    """Seconds from a key on the bare page's slider to its new picture."""
    page = open_bare(browser, address)
    page.focus(_BARE_SLIDER)
    times = [press_until_bare_is_redrawn(page, "ArrowRight") for _ in range(2 * _STEPS)]
    page.context.close()
    return times


@dataclass
class _Moves:
    """Seconds, kilobytes and messages of moves that the server answers, and steps of films."""

    new: list[float] = field(default_factory=list)
    known: list[float] = field(default_factory=list)
    along: list[float] = field(default_factory=list)
    steps_ms: list[float] = field(default_factory=list)
    kilobytes: list[float] = field(default_factory=list)
    messages: list[float] = field(default_factory=list)

    def visit(self, page: "Page", received: list[int]) -> None:
        """Move to new levels and back before the film has come, then along the film."""
        page.focus(SLIDER)
        right = left = 0
        while right < _STEPS and not page.is_visible(FILM):
            received.clear()
            self.new.append(press_until_redrawn(page, "ArrowRight"))
            self.kilobytes.append(sum(received) / 1000)
            self.messages.append(float(len(received)))
            right += 1
        while left < right and not page.is_visible(FILM):
            self.known.append(press_until_redrawn(page, "ArrowLeft"))
            left += 1
        page.wait_for_selector(FILM)
        # Where the film came early the slider is still at the right: at its end a key does nothing.
        keys = ("ArrowRight", "ArrowLeft") if left == right else ("ArrowLeft", "ArrowRight")
        for key in (keys[0],) * _STEPS + (keys[1],) * _STEPS:
            self.along.append(press_until_redrawn(page, key))
            self.steps_ms.append(1000 * film_step(page))


def _moves(browser: "Browser", address: str, bare: list[float]) -> Iterator[Figure]:
    """Five steps a visit; each visit has another number of people, so that no step is cached."""
    moves = _Moves()
    for visit in range(_VISITS):
        received: list[int] = []
        page = new_page(browser)
        page.on("websocket", partial(_listen, received))
        page.goto(f"{address}/{MAP_PAGE}?v=2&n={1_000_000 + visit}")
        wait_until_ready(page)
        moves.visit(page, received)
        page.context.close()
    yield Figure("a move of the bare page's slider", "s", bare)
    yield _figure("ε moved to new pictures on screen", "s", moves.new)
    yield _ratio("the same, times the bare page", moves.new, bare, _MOVE)
    yield _ratio("ε moved to a known level, times the bare page", moves.known, bare, _MOVE)
    yield _ratio("ε moved along its film, times the bare page", moves.along, bare, _ALONG)
    yield _figure("a step of the film in the stage", "ms", moves.steps_ms, _STEP)
    yield _figure("messages of a move of ε", "", moves.messages)
    yield _figure("received for a move of ε", "kB", moves.kilobytes)
    each = [size / _PICTURES for size in moves.kilobytes]
    yield _figure("the same, a picture", "kB", each, _PICTURE)


def _listen(received: list[int], socket: "WebSocket") -> None:
    socket.on("framereceived", lambda payload: received.append(len(payload)))


def _ratio(work: str, values: list[float], bare: list[float], bar: Bar) -> Figure:
    return _figure(work, "×", [value / median(bare) for value in values], bar)


def _figure(work: str, unit: str, values: list[float], bar: Bar | None = None) -> Figure:
    return Figure(work, unit, values, bar, "" if values else "too slow: the film came before")
