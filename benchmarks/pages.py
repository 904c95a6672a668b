"""How soon pages are there and answer a control, beside a bare page, in a real browser.

A move is one step of the page's first slider by keyboard, to a value that has not been asked for in
this visit. It is done once the page's picture is new. A page that has just come has to ask the
server; once it has rested for some seconds, its next pictures have been made and sent ahead, and
the browser shows them. Times are ratios to a bare page's in the same run. Bytes are as they go over
the wire; layout shift is the browser's own sum (web.dev/cls).
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

from benchmarks.figures import Bar, Figure
from tests.servers import Server, chromium, running_server, server_address, wait_until_settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_BARE: Final = "benchmarks/bare_page.py"
_STARTS: Final = 3
_MOVES: Final = 3
_ROUNDS: Final = 26
_PATIENCE_MS: Final = 20_000
_STILL_MS: Final = 1_500
_BAR, _START, _STILL = Bar("≤", 3), Bar("≤", 4), Bar("≤", 0.1)
_FIRST_VISIT, _MOVE_BYTES, _FLAT = Bar("≤", 4), Bar("≤", 120), Bar("≤", 1.1)
_SCRIPT: Final = Path(__file__).with_suffix(".js")


@dataclass(frozen=True)
class MoveTarget:
    """A `page` with its query, the key of its `slider`, and its `picture` as `pages.js` reads it.

    `picture`: JavaScript that gives a text, empty before the picture is there.
    """

    page: str
    slider: str
    picture: str


PAGES: Final = tuple(
    MoveTarget(page, slider, f"pictureText('{kind}', '{key}')")
    for page, (slider, kind, key) in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text("utf-8")
    ).items()
)
_PLAIN: Final = MoveTarget("", "level", "pictureText('plain', '')")


def figures(_: int) -> Iterator[Figure]:
    """The moves of each page, as ratios to the bare page's, and what a first visit receives."""
    with chromium() as browser, server_address(None, _BARE) as plain, running_server() as server:
        for target in PAGES:
            yield from _page(browser, server, plain, target)


def map_figures(_: int) -> Iterator[Figure]:
    """The map page alone: the server's start to it, its moves, and what many of them leave."""
    with chromium() as browser:
        bare = [_start(browser, _BARE, _PLAIN) for _ in range(_STARTS)]
        starts = [_start(browser, "app.py", PAGES[0]) for _ in range(_STARTS)]
        yield Figure("server start to all pictures", "s", starts)
        ratios = [each / median(bare) for each in starts]
        yield Figure("the same, times the bare page", "×", ratios, _START)
        with server_address(None, _BARE) as plain, running_server() as server:
            yield from _page(browser, server, plain, PAGES[0], _ROUNDS)


def _start(browser: "Browser", script: str, target: MoveTarget) -> float:
    started = perf_counter()
    with server_address(None, script) as address, browser.new_context() as visit:
        _open(visit.new_page(), address, target)
        return perf_counter() - started


def _page(
    browser: "Browser", server: Server, plain: str, target: MoveTarget, rounds: int = 0
) -> Iterator[Figure]:
    """A page's figures in one visit, and the memory that rounds of two moves leave behind."""
    from playwright.sync_api import Error

    with browser.new_context(viewport={"width": 1280, "height": 720}) as visit:
        visit.set_default_timeout(_PATIENCE_MS)
        beside, page, received = visit.new_page(), visit.new_page(), list[float]()
        try:
            _open(beside, plain, _PLAIN)
            bare = median(_press(beside, _PLAIN, "ArrowRight") for _ in range(_MOVES))
            page.bring_to_front()
            _listen(page, received)
            _open(page, server.address, target)
            megabytes, shift = sum(received) / 1e6, page.evaluate("window.shift")
            asked, kilobytes, ahead = [], [], []
            for _ in range(_MOVES):  # a film comes within one of them
                received.clear()
                asked.append(_press(page, target, "ArrowRight"))
                kilobytes.append(sum(received) / 1000)
            for _ in range(_MOVES):
                page.wait_for_selector(f".st-key-{target.slider}[data-followed]", state="attached")
                ahead.append(_press(page, target, "ArrowLeft"))
        except Error:
            yield move_figure(target, "a move", [], 1.0)
            return
        yield move_figure(target, "a move, times the bare page", ahead, bare)
        yield move_figure(target, "the same, soon after it came", asked, bare)
        yield Figure("received for each of these", "kB", kilobytes, _MOVE_BYTES)
        yield Figure("received by a first visit", "MB", [megabytes], _FIRST_VISIT)
        yield Figure("its layout shift", "", [shift], _STILL)
        if not rounds:
            return
        before = {"the browser's heap": _heap(page), "the server": server.megabytes()}
        for key in ("ArrowRight", "ArrowLeft") * rounds:
            _press(page, target, key)
        after = _heap(page), server.megabytes()
        for (where, one), other in zip(before.items(), after, strict=True):
            yield Figure(f"{where} before {2 * rounds} moves", "MB", [one])
            yield Figure("the same afterwards, times that", "×", [other / one], _FLAT)


def move_figure(target: MoveTarget, work: str, times: list[float], bare: float) -> Figure:
    """A figure of these seconds over the bare page's, or skipped if the page did not answer."""
    silent = f"No new picture within {_PATIENCE_MS / 1000:g} s of a key on {target.slider}."
    ratios = [each / bare for each in times]
    return Figure(f"{target.page}: {work}", "×", ratios, _BAR, "" if times else silent)


def _open(page: "Page", address: str, target: MoveTarget) -> None:
    """Go to the page, wait until its picture stands still, and take its slider."""
    page.add_init_script(path=_SCRIPT)
    page.goto(f"{address}/{target.page}")
    slider = f".st-key-{target.slider} input[type=range]"
    page.wait_for_selector(slider)
    page.wait_for_function(target.picture)
    _rest(page, target)
    page.focus(slider)


def _rest(page: "Page", target: MoveTarget) -> None:
    """Wait until the picture has stood still for a while: some fill in by themselves."""
    wait_until_settled(page)
    before = None
    for _ in range(_PATIENCE_MS // _STILL_MS):
        if before == (before := page.evaluate(target.picture)):
            return
        page.wait_for_timeout(_STILL_MS)


def _press(page: "Page", target: MoveTarget, key: str) -> float:
    """Press a key; seconds until the picture is new."""
    page.evaluate(f"timeNextKey(() => {target.picture})")
    page.keyboard.press(key)
    page.wait_for_function("window.redrawn !== null", timeout=_PATIENCE_MS)
    milliseconds: float = page.evaluate("window.redrawn")
    _rest(page, target)
    return milliseconds / 1000


def _listen(page: "Page", received: list[float]) -> None:
    """Note the bytes of every answer, and of every message of the socket."""
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    wire.on(  # binary frames are given in base64
        "Network.webSocketFrameReceived",
        lambda event: received.append(len(event["response"]["payloadData"]) * 3 / 4),
    )


def _heap(page: "Page") -> float:
    wire = page.context.new_cdp_session(page)
    wire.send("HeapProfiler.collectGarbage")
    used: float = wire.send("Runtime.getHeapUsage")["usedSize"]
    wire.detach()
    return used / 1e6
