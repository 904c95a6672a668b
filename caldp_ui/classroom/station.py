"""What a station is: its picture, charts and dials, its mechanisms by the exact audit.

Colour is never alone: each line has a dash and each cloud of points a symbol.

Audits are, as on all pages, in rationals: every report, every pair.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import ArrayLike

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.cache import cached
from caldp_core.basics.limits import SEED_MAX
from caldp_core.lecture import counts
from caldp_core.lecture.counts import BitwiseResponse, CountMeanSketch
from caldp_core.lecture.daily import DailyMean, LastingRappor, OneBitMean
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_ui.app.texts import read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.charts import show as charts
from caldp_ui.charts.curves import ChartLabel, axis, dots_trace, label_traces, legend, line_trace
from caldp_ui.classroom.page_state import ITEMS_MOST, STATE, Lesson
from caldp_ui.compute import runs
from caldp_ui.controls import common
from caldp_ui.controls.common import Slider, field_slider
from caldp_ui.parts import comparison, sharing
from caldp_ui.parts.layout import tabs
from caldp_ui.shell.page import View
from caldp_ui.words import formats
from caldp_ui.words.accuracy import DEFINITIONS, OF_STATIONS
from caldp_ui.words.formats import Headline

_DAYS: Final = 3
_BLOOMS: Final = np.array([[True, False], [False, True]])
_TABLE: Final = counts.Hashes(np.array([[0, 1, 3], [2, 2, 0]]), 4)


@dataclass(frozen=True)
class AuditVerdict:
    """`mechanism` was audited against a claimed ε; `loss`: the largest log-ratio found, in nats."""

    mechanism: str
    claimed: float
    holds: bool
    loss: float


def _judge(
    mechanism: str, epsilon: float, channel: Sequence[Sequence[Fraction]], policy: PrivacyMatrix
) -> AuditVerdict:
    audit = audit_channel(channel, policy)
    assert audit.worst is not None  # each of these policies bounds some pair
    return AuditVerdict(mechanism, epsilon, audit.holds, audit.worst.privacy_loss)


def _plain(mechanism: str, epsilon: float, channel: Sequence[Sequence[Fraction]]) -> AuditVerdict:
    return _judge(mechanism, epsilon, channel, Context.plain(len(channel), epsilon))


def _trust(e: float) -> tuple[AuditVerdict, ...]:
    coin, count = BinaryMechanism(BinaryPolicy(e, e)).exact_channel(), counts.CentralCount(6, e)
    name = "trusted server's count of 6 people"
    return _plain("random bit", e, coin), _judge(name, e, count.exact_channel(), count.policy)


def _selection(e: float) -> tuple[AuditVerdict, ...]:
    best = counts.NoisyMax(3, e)
    return (
        _judge("noisy maximum, 3 items, 3 people", e, best.exact_channel(3), best.policy(3)),
        _plain("bit by bit, 4 items, ε/2 a bit", e, BitwiseResponse(4, e).exact_channel()),
        _plain("naive: bit by bit, all of ε a bit", e, BitwiseResponse(4, 2 * e).exact_channel()),
        _plain("one bit an item, 4 items, ε/2 a bit", e, _one_hot(e)),
        _plain("naive: one bit an item, all of ε a bit", e, _one_hot(2 * e)),
    )


def _one_hot(epsilon: float) -> list[list[Fraction]]:
    return counts.OneHotResponse(4, epsilon).mechanism.exact_channel()


def _rappor(e: float) -> tuple[AuditVerdict, ...]:
    rappor = LastingRappor(2, 1, e)
    # A day keeps less than ε∞: as many days as naive phones need to exceed it.
    days = max(_DAYS, math.floor(e / rappor.epsilon_one_day) + 1)
    stored, redrawn = rappor.exact_channel(_BLOOMS, days), rappor.redrawn_channel(_BLOOMS, days)
    return (
        _plain(f"kept, {days} days, 2 bits", e, stored),
        _plain(f"naive: drawn anew, {days} days, 2 bits", e, redrawn),
    )


def _bits(e: float) -> tuple[AuditVerdict, ...]:
    return (
        _plain("sketch, 4 cells, 2 functions", e, CountMeanSketch(_TABLE, e).exact_channel()),
        _plain("naive: all of ε a cell", e, CountMeanSketch(_TABLE, 2 * e).exact_channel()),
        _plain("its Hadamard form", e, counts.HadamardSketch(_TABLE, e).exact_channel()),
    )


def _means(e: float) -> tuple[AuditVerdict, ...]:
    daily = DailyMean(OneBitMean(4, e), 2)
    constant = [[x] * _DAYS for x in range(5)]
    stored, fresh = daily.exact_channel(constant), daily.forgetful_channel(constant)
    return (
        _plain(f"remembered, {_DAYS} days, a number that stays", e, stored),
        _plain(f"naive: a new coin on each of {_DAYS} days", e, fresh),
    )


_BY_STATION: Final[dict[str, Callable[[float], tuple[AuditVerdict, ...]]]] = {
    "trust": _trust,
    "sum": _trust,
    "selection": _selection,
    "rappor": _rappor,
    "bits": _bits,
    "means": _means,
    "shuffling": lambda e: _trust(e)[:1],
}


@cached
def audit_station(station: str, epsilon: float) -> tuple[AuditVerdict, ...]:
    """The verdicts of a station at this ε, those of naive versions among them."""
    return _BY_STATION[station](epsilon)


def table_columns(verdicts: Sequence[AuditVerdict]) -> dict[str, dict[str, str]]:
    """Columns of the table of verdicts: cells by mechanism."""
    return {
        "keeps it": {v.mechanism: "✓ yes" if v.holds else "✗ NO" for v in verdicts},
        "claimed ε": {v.mechanism: f"{v.claimed:g}" for v in verdicts},
        "largest found": {v.mechanism: formats.digits(v.loss, 4) for v in verdicts},
    }


_EPSILONS: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)
_PEOPLE: Final = (10, 100, 1_000, 10_000, 100_000, 10**6, 10**7, 10**8, 10**9)


@dataclass(frozen=True)
class LessonSlider:
    """A slider over some values of one field of the lesson, with its title and help."""

    slider: Slider[Lesson]
    title: str
    help_text: str


def dial(
    field: str,
    title: str,
    steps: tuple[float, ...],
    help_text: str,
    format_value: Callable[[float], str] = formats.people,
) -> LessonSlider:
    """The dial of a field; `steps`: where it stops."""
    return LessonSlider(field_slider(field, steps, format_value), title, help_text)


Dials = tuple[LessonSlider, ...]
EPSILON: Final = dial(
    "epsilon", "Privacy level ε", _EPSILONS, DEFINITIONS["ε"], lambda level: f"{level:g}"
)


def people(least: int = 10) -> LessonSlider:
    """The dial of the number of people, from `least` on."""
    steps = tuple(n for n in (1, *_PEOPLE) if n >= least)
    help_text = "More people cost no time: sums are drawn from their exact distribution."
    return dial("n", "People", steps, help_text)


def item_dials(help_text: str) -> Callable[[Lesson], Dials]:
    """The dials of a station about items. `help_text`: says what these are."""
    powers = tuple(1 << b for b in range(2, ITEMS_MOST.bit_length()))
    return lambda _: (EPSILON, dial("items", "Items", powers, help_text), people(100))


def show_dials(dials: Dials) -> None:
    """Draw the dials; the first two stay under the thumb on a phone."""
    with st.container(key=STATE.key("dials")):
        for dial in dials[:2]:
            common.show(STATE, dial.slider, dial.title, dial.help_text)
    for dial in dials[2:]:
        common.show(STATE, dial.slider, dial.title, dial.help_text)


def break_it(lesson: Lesson, naive: tuple[str, str]) -> None:
    """Draw the switch that shows the naive version failing. `naive`: its label and its help."""
    st.markdown("**Try to break it**")
    st.toggle(
        naive[0],
        help=naive[1],
        **STATE.bind("broken", lesson.broken, lambda r, v: replace(r, broken=v)),
    )


def show_views(lesson: Lesson, titles: Mapping[str, str]) -> None:
    """Draw the choice of a view by its title."""
    view = lesson.view if lesson.view in titles else next(iter(titles))
    st.segmented_control(
        "Look at",
        list(titles),
        format_func=titles.__getitem__,
        label_visibility="collapsed",
        required=True,
        **STATE.bind("view", view, lambda r, v: replace(r, view=v)),
    )


UNITS: Final = {"people": "People", "percent": "% of all"}
"""Units of a picture, by the names of views."""


def steps(has_draws: bool) -> None:
    """Draw the buttons for new noise, where the station `has_draws`, and for undo."""
    with st.container(horizontal=True, gap="xsmall"):
        if has_draws:
            STATE.button(
                "another",
                "Draw new noise",
                STATE.change,
                lambda lesson: replace(lesson, seed=(lesson.seed + 1) % (SEED_MAX + 1)),
                icon="casino",
                help="The same settings, another draw.",
            )
        common.button(STATE)


_HERE: Final = f".st-key-{STATE.key('picture')}"


def two_digits(number: float) -> str:
    """A number of people or votes to two digits, with decimals below 10."""
    return formats.digits(number) if number < 10 else formats.people(float(f"{number:.2g}"))


Table: TypeAlias = Mapping[str, Mapping[str, str]]
"""Cells by column and row."""


def table(
    curves: pd.DataFrame, cell: Callable[[Any], str], row: Callable[[Any], str] = formats.people
) -> Table:
    """Curves as a table; `cell`, `row`: how their numbers, and what they are over, are written."""
    texts = {title: map(cell, curves[title].tolist()) for title in curves}
    rows = list(map(row, curves.index.tolist()))
    return {str(title): dict(zip(rows, cells, strict=True)) for title, cells in texts.items()}


def alt_text(sentence: str, numbers: Table) -> str:
    """A picture's alt text: a sentence on what is drawn, and its numbers."""
    columns = [
        f"{title}: {', '.join(f'{row} {cell}' for row, cell in cells.items())}"
        for title, cells in numbers.items()
    ]
    return f"{sentence} {'; '.join(columns)}."


_FORMULAS: Final = read_toml(__file__, "formulas.toml")
PICTURES: Final[dict[str, str]] = read_toml(__file__, "pictures.toml")
"""HTML of pictures by station, with places for figures."""


def formula(name: str, **figures: object) -> None:
    """Draw a station's formula, and what there is to say of it with these figures."""
    texts = _FORMULAS[name]
    st.latex(texts["latex"])
    st.markdown(texts["text"].format(**figures))


@dataclass(frozen=True, eq=False)
class StationView:
    """An open station. `headline`: what it shows, with the live numbers.

    `formula`: draws the expander's content. `numbers`: columns of a table of what the picture
    shows, cells by row. `chart`: the chart in a theme's colours; `name`, `alt`: its key on the page
    and its alt text. `html`: of an element at its left, by the element's class; `widths`: of both.
    """

    headline: Headline
    formula: Callable[[], None]
    numbers: Table
    chart: Callable[[Palette], charts.Figure] | None = None
    name: str = ""
    alt: str = ""
    html: Mapping[str, str] = field(default_factory=dict)
    widths: tuple[float, float] = (1, 1)

    def shown(self, colours: Palette) -> View:
        """The headline, the chart, and HTML: beside the chart, and its legend."""
        texts = {f"{_HERE} .{name}": html for name, html in self.html.items()}
        if self.chart is None:
            return View(self.headline, texts=texts)
        figure = self.chart(colours)
        texts[f"{_HERE} .legend"] = legend(figure)
        return View(
            self.headline, {STATE.key(self.name): charts.figure_json(figure, self.alt)}, texts
        )

    def draw(self, colours: Palette) -> None:
        """Draw the picture on the page."""
        both = bool(self.html) and self.chart is not None
        left, right = st.columns(self.widths, gap="medium") if both else [nullcontext()] * 2
        for html in self.html.values():
            with left:
                st.html(html)
        if self.chart is not None:
            figure = self.chart(colours)
            with right:
                st.html(legend(figure))
                charts.show(figure, STATE.key(self.name), self.alt)


@dataclass(frozen=True)
class Station:
    """One station. `title`: in the strip. `open`: computes its board; `dials`: its sliders.

    `show_choice`: draws a choice above the sliders. `naive`: label and help of the switch "Try to
    break it". `can_break`: whether the lesson shows something that the switch could break;
    `has_draws`: whether it shows something that is drawn at random.
    """

    title: str
    open: Callable[[Lesson], StationView]
    dials: Callable[[Lesson], Dials]
    naive: tuple[str, str]
    can_break: Callable[[Lesson], bool] = lambda lesson: True  # noqa: ARG005 — most always can
    has_draws: Callable[[Lesson], bool] = lambda lesson: True  # noqa: ARG005 — most have some
    show_choice: Callable[[Lesson], None] = lambda lesson: None  # noqa: ARG005 — most have none


def below(board: StationView, offer_file: Callable[[], None]) -> None:
    """Draw what is under the picture: the formula in an expander, and the tabs.

    `offer_file`: offers the station as one file.
    """
    expander = st.expander("The formula", key=STATE.key("formula"), on_change="rerun")
    if expander.open:
        with expander:
            board.formula()
            comparison.list_statements(OF_STATIONS.get(STATE.current().station, ()))
    tabs(STATE.key("tabs"), {**_TABS, "Share and export": lambda _: _sharing(offer_file)}, board)


def _audit() -> None:
    lesson = STATE.current()
    columns = table_columns(audit_station(lesson.station, lesson.epsilon))
    st.table(pd.DataFrame(columns).rename_axis("mechanism"))
    st.caption(
        "The largest log Q(y|x)/Q(y|x′) of every report and pair, in fractions, at a size small "
        "enough to write the whole channel out."
    )


def _table(board: StationView) -> None:
    frame = pd.DataFrame(board.numbers).rename_axis("number")
    st.table(frame)
    sharing.file_button(STATE.key("csv"), "numbers.csv", runs.csv(frame.reset_index()))


def _sharing(offer_file: Callable[[], None]) -> None:
    with sharing.link_columns(STATE):
        offer_file()


_TABS: Final[dict[str, Callable[[StationView], None]]] = {
    "The exact audit": lambda _: _audit(),
    "Numbers": _table,
}


HEIGHT: Final = 425
TYPE: Final = 18
"""Pixels of a letter's height, for the last row of a classroom."""
_LETTER: Final = 10
"""Pixels of a letter of a tick's label, at most."""
_APART: Final = "\N{NO-BREAK SPACE}" * 2
_NAME_LETTER: Final = 9
"""The same of a name, on average."""
_NARROW: Final = 420
"""Pixels of a chart below which names are in a legend above it."""
_LETTERS: Final = 5
"""Of a label that Plotly writes itself."""
PEOPLE: Final[dict[str, Any]] = {
    "title": "people",
    "type": "log",
    "tickvals": [10**power for power in range(10)],
    "ticktext": ["1", "", "", "1,000", "", "", "1 million", "", "", "1 billion"],
    "tickangle": 0,
}
"""An abscissa of people, in full words."""
MIDDLE: Final = 30_000  # people, on that axis
PERCENT: Final[dict[str, Any]] = {
    **PEOPLE,
    "tickvals": [10.0**power for power in range(-8, 3)],
    "ticktext": ["", "", "0.000001", "", "0.0001", "", "0.01", "", "1", "", "100"],
}
"""An abscissa of percent of all people."""


@dataclass(frozen=True)
class LineStyle:
    """Colour, dash and symbol of a line or a cloud of points."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


def line_styles(colours: Palette) -> tuple[LineStyle, LineStyle, LineStyle, LineStyle]:
    """Styles of our line, the other, a third, and a faint one."""
    third = colours.choose("#98256B", "#FF9CCB")
    return (
        LineStyle(colours.ours),
        LineStyle(colours.plain, "dash", "diamond"),
        LineStyle(third, "dashdot", "square"),
        LineStyle(colours.faint, "dot", "x"),
    )


def line(
    name: str, x: ArrayLike, y: ArrayLike, style: LineStyle, hover_template: str = "%{y:,.3~g}"
) -> Any:
    """Trace of a curve through (n,) `x` and `y`."""
    ends, look = (np.asarray(x), np.asarray(y)), (style.colour, style.dash)
    return line_trace(name, *ends, look, width=4, hovertemplate=hover_template)


def lines(curves: pd.DataFrame, looks: Mapping[str, LineStyle], *hover: str) -> list[Any]:
    """Traces of the columns that have a look, over the index; `hover`: a template, see `line`."""
    return [line(name, curves.index, curves[name], look, *hover) for name, look in looks.items()]


def points(name: str, x: ArrayLike, y: ArrayLike, style: LineStyle, size: int = 7) -> Any:
    """Trace of outcomes at (n,) `x` and `y`; in the legend only its curve is named."""
    look = {"color": style.colour, "symbol": style.symbol, "size": size, "opacity": 0.55}
    hidden: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip"}
    return dots_trace(name, np.asarray(x), np.asarray(y), look, **hidden)


def dotted(x: float, colour: str) -> dict[str, Any]:
    """Shape of a vertical line at x, from the bottom to the top."""
    ends = {"x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain"}
    return {"type": "line", **ends, "line": {"color": colour, "dash": "dot", "width": 2}}


def upright(x: float, colours: Palette, middle: float) -> dict[str, Any]:
    """The dotted line at the reader's own x; its number is on the side of the plane's `middle`."""
    side = "left" if x <= middle else "right"
    place = {"textposition": "end", "textangle": 0, "xanchor": side, "yanchor": "top"}
    words = {"text": f"you: {x:,.0f}", "font": {"size": TYPE, "color": colours.text}, **place}
    return {**dotted(x, colours.faint), "label": words}


def figure(
    traces: Sequence[Any],
    x: dict[str, Any],
    y: dict[str, Any],
    colours: Palette,
    *,
    ends: Sequence[Any] = (),
    labels: Sequence[ChartLabel] = (),
    **more: Any,
) -> charts.Figure:
    """A figure of the page's size and type. `x`, `y`: axes; `more`: further keys of the layout.

    `ends`: the traces that are named right of their ends; `labels`: other words on the picture.
    Margins are fixed: Plotly would draw everything twice to find them.
    """
    letters = max(map(len, y.get("ticktext", ["0" * _LETTERS])))
    below = 68 if "title" in x else 82  # names may stand upright
    margin = {"l": 48 + _LETTER * letters, "r": 24, "t": 14, "b": below, "autoexpand": False}
    room = _NAME_LETTER * max((len(each["name"]) for each in ends), default=0)
    if room or any(each.wide_only for each in labels):
        more = {"meta": {"below": _NARROW, "narrow": {"margin": margin}}, **more}
    layout = {
        "xaxis": axis(x, colours, TYPE, standoff=8),
        "yaxis": axis(y, colours, TYPE, standoff=8),
        "height": HEIGHT,
        "margin": {**margin, "r": 24 + room},
        "showlegend": False,
        "dragmode": False,
        "modebar": {"remove": ["zoom", "pan", "zoomin", "zoomout", "resetscale"]},
        "hovermode": "x unified",
        **more,
    }
    names = []
    for trace in ends:
        colour, words = colours.for_words(trace["line"]["color"]), _APART + trace["name"]
        names.append(ChartLabel(trace["x"][-1], trace["y"][-1], words, colour, wide_only=True))
    return charts.Figure([*traces, *label_traces([*names, *labels], TYPE)], layout)
