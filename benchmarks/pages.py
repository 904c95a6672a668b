"""How soon each page answers a control, beside a bare page, in a real browser.

Room: benchmarks. A move is one step of the page's first slider by keyboard, to a value that has not
been asked for in this visit. It is done once the page's picture is new. Times are ratios to a bare
page's in the same run.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from benchmarks.browser import chromium, missing, settled
from benchmarks.figures import Bar, Figure, Runs
from benchmarks.page import bare_moves
from benchmarks.server import serving
from benchmarks.sizes import Sizes

if TYPE_CHECKING:
    from playwright.sync_api import Page

_MOVES: Final = 3
_BAR: Final = Bar("≤", 3)
_CHART: Final = "document.querySelector('.js-plotly-plot .main-svg')?.innerHTML"


def _in_shadow(key: str, text: str) -> str:
    """The first part of a component that gives such a text."""
    return (
        f"[...document.querySelectorAll('.st-key-{key} *')]"
        f".map(host => host.shadowRoot && ({text})(host.shadowRoot)).find(Boolean)"
    )


def _stage(key: str) -> str:
    return _in_shadow(key, "root => root.querySelector('.stage')?.dataset.painted")


def _component(key: str) -> str:
    return _in_shadow(key, "root => root.innerHTML")


@dataclass(frozen=True)
class Moved:
    """A page (with its query), the key of the slider that is moved, and what its picture is."""

    page: str
    slider: str
    picture: str

    @property
    def shown(self) -> str:
        """JavaScript: the picture as a text, empty before it is there."""
        return f"String({self.picture} ?? '')"


PAGES: Final = (
    Moved("places", "places-epsilon", _stage("places-maps")),
    Moved("values", "values-epsilon", _component("values-board")),
    Moved("yesno", "yesno-epsilon_10", _component("yesno-plane")),
    Moved("distances", "distances-rate", _stage("distances-maps")),
    Moved("personal", "personal-epsilon", _stage("personal-maps")),
    Moved("adversary", "adversary-epsilon", _stage("adversary-maps")),
    Moved("matrix", "matrix-epsilon", _component("matrix-board")),
    Moved("classroom", "classroom-epsilon", _CHART),
    Moved("curves", "curves-epsilon", _CHART),
    Moved("plan", "plan-epsilon", _CHART),
    Moved("paper?view=sensitive-sets", "paper-epsilon", _CHART),
)


def figures(sizes: Sizes) -> Iterator[Figure]:
    """A page each: its moves, times the bare page's."""
    del sizes
    lack = missing()
    if lack:
        yield Figure("pages in Chromium", "×", None, note=lack)
        return
    with chromium() as browser, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder, "benchmarks/bare_page.py") as plain, serving(folder) as address:
            for moved in PAGES:
                bare = median(bare_moves(browser, plain))  # now, as the load may change
                visit = browser.new_context(viewport={"width": 1280, "height": 720})
                times = _moves(visit.new_page(), address, moved)
                visit.close()
                values = [seconds / bare for seconds in times]
                found = Runs(min(values), median(values), len(values))
                yield Figure(f"{moved.page}: a move, times the bare page", "×", found, _BAR)


def _moves(page: "Page", address: str, moved: Moved) -> list[float]:
    page.goto(f"{address}/{moved.page}")
    slider = f".st-key-{moved.slider} input[type=range]"
    page.wait_for_selector(slider)
    page.wait_for_function(moved.shown)
    settled(page)
    page.wait_for_timeout(2_000)  # what fills in by itself is there
    page.focus(slider)
    return [_press(page, moved) for _ in range(_MOVES)]


def _press(page: "Page", moved: Moved) -> float:
    page.evaluate(
        f"""() => {{
            const before = {moved.shown};
            window.redrawn = new Promise(done => addEventListener('keydown', () => {{
                const pressed = performance.now();
                const look = () => {moved.shown} !== before
                    ? done(performance.now() - pressed) : requestAnimationFrame(look);
                look();
            }}, {{once: true, capture: true}}));
        }}"""
    )
    page.keyboard.press("ArrowRight")
    milliseconds: float = page.evaluate("window.redrawn")
    settled(page)
    page.wait_for_timeout(1_000)
    return milliseconds / 1000
