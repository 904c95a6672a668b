"""How soon each page answers a control, beside a bare page, in a real browser.

A move is one step of the page's first slider by keyboard, to a value that has not been asked for in
this visit. It is done once the page's picture is new. A page that has just come has to ask the
server; once it has rested for some seconds, its next pictures have been made and sent ahead, and
the browser shows them. Times are ratios to a bare page's in the same run.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from benchmarks.browser import chromium, press_until_new, wait_until_settled
from benchmarks.figures import Bar, Figure
from benchmarks.page import BARE, bare_moves
from benchmarks.server import server_address

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_MOVES: Final = 3
_BAR: Final = Bar("≤", 3)
_PATIENCE_MS: Final = 20_000
_STILL_MS: Final = 1_500


def _inside(key: str, selector: str) -> str:
    """JavaScript: the HTML of the first such element in the element or container of this key."""
    return f"document.querySelector('.st-key-{key} {selector}')?.innerHTML"


def _chart(key: str) -> str:
    return _inside(key, ".js-plotly-plot")


def _in_shadow(key: str, text: str) -> str:
    """JavaScript: the first text that `text` returns for a shadow root in this container."""
    return (
        f"[...document.querySelectorAll('.st-key-{key} *')]"
        f".map(host => host.shadowRoot && ({text})(host.shadowRoot)).find(Boolean)"
    )


def _stage(key: str) -> str:
    """JavaScript: how often the stage has painted what came, and the step of a film it shows."""
    script = "({painted = '', step = ''}) => `${painted} ${step}`.trim()"
    return _in_shadow(key, f"root => ({script})(root.querySelector('.stage')?.dataset ?? {{}})")


def _component(key: str) -> str:
    return _in_shadow(key, "root => root.innerHTML")


@dataclass(frozen=True)
class MoveTarget:
    """A `page` with its query, the key of its `slider`, and JavaScript for its `picture`."""

    page: str
    slider: str
    picture: str

    @property
    def picture_script(self) -> str:
        """JavaScript: the picture as a text, empty before it is there."""
        return f"String({self.picture} ?? '')"


def _station(query: str, picture: str, control: str = "epsilon") -> MoveTarget:
    return MoveTarget(f"classroom?{query}", f"classroom-{control}", picture)


PAGES: Final = (
    MoveTarget("places", "places-epsilon", _stage("places-maps")),
    MoveTarget("values", "values-epsilon", _component("values-board")),
    MoveTarget("yesno", "yesno-epsilon_10", _component("yesno-likely")),
    MoveTarget("distances", "distances-rate", _stage("distances-maps")),
    MoveTarget("personal", "personal-epsilon", _stage("personal-maps")),
    MoveTarget("adversary", "adversary-epsilon", _stage("adversary-maps")),
    MoveTarget("adversary?show=fakes", "adversary-epsilon", _stage("adversary-maps")),
    MoveTarget("coarser", "coarser-epsilon", _stage("coarser-maps")),
    MoveTarget("matrix", "matrix-epsilon", _component("matrix-board")),
    _station("station=trust", _inside("classroom-picture", ".trust")),
    _station("station=sum", _chart("classroom-sum")),
    _station("station=selection", _chart("classroom-selection")),
    _station("station=rappor", _chart("classroom-leak")),
    _station("station=rappor&view=crowd", _chart("classroom-pages")),
    _station("station=bits", _chart("classroom-counting")),
    _station("station=means&width=20", _chart("classroom-means"), "width"),
    _station("station=shuffling", _chart("classroom-mixed")),
    MoveTarget("room", "room-epsilon", _component("room-rehearsal")),
    MoveTarget("curves", "curves-epsilon", _chart("curves-chart")),
    MoveTarget("plan", "plan-epsilon", _chart("plan-chart")),
    MoveTarget("paper?view=sensitive-sets", "paper-epsilon", _chart("paper-sensitive-sets")),
)


def figures(_: int) -> Iterator[Figure]:
    """The moves of each page, as ratios to the bare page's."""
    with chromium() as browser, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            server_address(folder, BARE) as plain,
            server_address(folder) as address,
        ):
            for target in PAGES:
                bare = median(bare_moves(browser, plain))  # now, as the load may change
                asked, ahead = _visit(browser, address, target)
                work = f"{target.page}: a move, times the bare page"
                yield move_figure(work, target, ahead, bare)
                work = f"{target.page}: the same, soon after it came"
                yield move_figure(work, target, asked, bare)


def move_figure(work: str, target: MoveTarget, times: list[float], bare: float) -> Figure:
    """A figure of these seconds over the bare page's, or skipped if the page did not answer."""
    silent = f"No new picture within {_PATIENCE_MS / 1000:g} s of a key on {target.slider}."
    return Figure(work, "×", [each / bare for each in times], _BAR, "" if times else silent)


def _visit(browser: "Browser", address: str, target: MoveTarget) -> tuple[list[float], list[float]]:
    """Seconds of each move, soon and later; none where the page or its picture does not come."""
    from playwright.sync_api import Error

    visit = browser.new_context(viewport={"width": 1280, "height": 720})
    visit.set_default_timeout(_PATIENCE_MS)
    try:
        return _moves(visit.new_page(), address, target)
    except Error:
        return [], []
    finally:
        visit.close()


def _moves(page: "Page", address: str, target: MoveTarget) -> tuple[list[float], list[float]]:
    page.goto(f"{address}/{target.page}")
    slider = f".st-key-{target.slider} input[type=range]"
    page.wait_for_selector(slider)
    page.wait_for_function(target.picture_script)
    _rest(page, target)
    page.focus(slider)
    asked = [_press(page, target, "ArrowRight") for _ in range(_MOVES)]
    ahead = []
    for _ in range(_MOVES):
        page.wait_for_selector(f".st-key-{target.slider}[data-followed]", state="attached")
        ahead.append(_press(page, target, "ArrowLeft"))
    return asked, ahead


def _rest(page: "Page", target: MoveTarget) -> None:
    """Wait until the picture has stood still for a while: some fill in by themselves."""
    wait_until_settled(page)
    before = None
    for _ in range(_PATIENCE_MS // _STILL_MS):
        if before == (before := page.evaluate(target.picture_script)):
            return
        page.wait_for_timeout(_STILL_MS)


def _press(page: "Page", target: MoveTarget, key: str) -> float:
    seconds = press_until_new(page, key, f"[{target.picture_script}]", _PATIENCE_MS)
    _rest(page, target)
    return seconds
