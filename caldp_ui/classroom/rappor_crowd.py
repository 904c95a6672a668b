"""Station 4, all phones: home pages counted from one report each."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import plotly.graph_objects as go
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.lecture.rappor import Collector
from caldp_ui.app.theme import Palette
from caldp_ui.classroom import charts
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.classroom.picture import Chart, Picture
from caldp_ui.classroom.rappor_terms import COHORTS, PAGES, build_rappor, formula
from caldp_ui.classroom.station import Board
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

SPREAD: Final = float(scipy.special.ndtri(0.975))
_SHORT: Final = [page.partition(".")[0] for page in PAGES]


@dataclass(frozen=True, eq=False)
class Crowd:
    """Home pages of n people: (pages,) `truth`, `decoded` and its standard errors `deviation`.

    The 95 % range of an estimate is `SPREAD` standard errors to either side.
    """

    truth: Ints
    decoded: Floats
    deviation: Floats


def compute_data(lesson: Lesson) -> Crowd:
    """Draw one report from each of n phones, and decode them."""
    rng = np.random.default_rng(lesson.seed)
    popular = 1 / np.arange(1, len(PAGES) + 1)
    people = rng.multinomial(lesson.n, popular / popular.sum())
    server = Collector(build_rappor(lesson), PAGES, COHORTS)
    counts = server.estimate(server.sample_tally(people, rng))
    return Crowd(people, counts, np.sqrt(server.variance(people)))


def open_board(lesson: Lesson) -> Board:
    """Open the view of all phones: headline, picture, formula and numbers."""
    data = compute_data(lesson)
    first, true = 100 * data.decoded[0] / lesson.n, 100 * data.truth[0] / lesson.n
    off = 100 * SPREAD * data.deviation[0] / lesson.n
    sure = int((data.decoded > SPREAD * data.deviation).sum())
    have = "has" if sure == 1 else "have"
    return Board(
        Headline(
            f"From {formats.counted(lesson.n, 'phone', 'phones')} we estimate that {PAGES[0]} is "
            f"home for {formats.digits(first, 3)} %, ± {formats.digits(off)} percentage points, "
            f"truly {formats.digits(true, 3)} %.",
            f"± is a 95 % range. {sure} of {len(PAGES)} pages {have} a range above 0, from one "
            "report per phone.",
            figures={"estimate": first, "true": true, "range": off, "above 0": float(sure)},
        ),
        lambda colours: Picture((Chart(pages(data, lesson, colours), "pages", _alt_pages(data)),)),
        lambda: formula(lesson),
        _numbers(data),
    )


def pages(data: Crowd, lesson: Lesson, colours: Palette) -> go.Figure:
    """Truth as bars, decoded counts as points with their 95 % ranges."""
    ours, other, _, _ = charts.line_styles(colours)
    n = lesson.n
    truth = {"type": "bar", "name": "truth", "x": _SHORT, "y": 100 * data.truth / n}
    decoded = {
        "type": "scatter",
        "mode": "markers",
        "name": "estimate and its 95 % range",
        "x": _SHORT,
        "y": 100 * data.decoded / n,
        "error_y": {"array": 100 * SPREAD * data.deviation / n, "thickness": 2.5, "width": 6},
        "marker": {"color": ours.colour, "size": 12},
    }
    truth["marker"] = {"color": other.colour, "opacity": 0.55}
    y = {"title_text": "people with this home page, %"}
    return charts.figure([truth, decoded], {"type": "category"}, y, colours, hovermode="x")


def _alt_pages(data: Crowd) -> str:
    n = int(data.truth.sum())
    shares = ", ".join(
        f"{page}: {100 * decoded / n:.1f} for {100 * true / n:.1f}"
        for page, decoded, true in zip(PAGES, data.decoded, data.truth, strict=True)
    )
    return f"Decoded and true shares of home pages in percent. {shares}."


def _numbers(data: Crowd) -> dict[str, dict[str, str]]:
    columns = {"truth": data.truth, "decoded": data.decoded, "standard error": data.deviation}
    return {
        title: {page: f"{value:,.0f}" for page, value in zip(PAGES, values, strict=True)}
        for title, values in columns.items()
    }
