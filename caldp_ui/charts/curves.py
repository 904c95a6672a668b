"""Curves on a plane, each named on the picture, with a legend as a row of words for phones.

Colour is never alone: this protection is solid, plain LDP dashed. A legend of its own would have
Plotly draw all again to find room. All words of a chart are one trace of texts, which costs the
browser less than annotations. Where a chart is too narrow for names beside its lines, `chart.js`
leaves them out and shows a legend. A total variation of 0.01 is one person of 100 in the wrong
place or under the wrong answer; where an estimate is not made of shares the axis is total
variation.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

import numpy as np
from scipy.optimize import isotonic_regression

from caldp_core.experiments.forecast import Curve
from caldp_ui.app.theme import Palette
from caldp_ui.charts.show import Figure
from caldp_ui.words import formats

_STEPS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
_ROOM: Final = 100
"""Pixels of a power of ten, from which on 2 and 5 times it are named, too."""
FAINTEST: Final = 1e-6
"""Errors below have no numbers on a log scale."""


@dataclass(frozen=True)
class ErrorScale:
    """How an error is counted. `title`: of its axis.

    `number(error)`: its text at a mark of the axis; `describe(error)`: where it is pointed at.
    """

    title: str
    number: Callable[[float], str]
    describe: Callable[[float], str]


def error_scale(wrong: str | None) -> ErrorScale:
    """The scale of total variations. `wrong`: words for where people are; None for no shares."""
    if wrong is None:
        return ErrorScale(
            "error (total variation)",
            formats.digits,
            lambda tv: f"total variation {formats.share(tv)}",
        )
    return ErrorScale(
        f"people {wrong}, of 100",
        lambda tv: formats.digits(100 * tv),
        lambda tv: f"{formats.of_hundred(min(tv, 1.0))} (total variation {formats.share(tv)})",
    )


def linear_axis(top: float, wrong: str | None) -> dict[str, Any]:
    """An axis from 0 to a little above `top`, to 1 for 0, of total variations up to 1."""
    scale = error_scale(wrong)
    end = min(1.0, 1.08 * top or 1.0) if wrong is not None or top <= 1.0 else 1.08 * top
    step = next((each for each in _STEPS if end / each <= 6), 0.2)
    ticks = [round(step * number, 6) for number in range(math.floor(end / step + 1e-9) + 1)]
    return {
        "title": scale.title,
        "range": [0, end],
        "tickvals": ticks,
        "ticktext": [scale.number(tick) for tick in ticks],
    }


def log_axis(low: float, high: float, scale: ErrorScale, pixels: float) -> dict[str, Any]:
    """A log axis over the whole powers of ten around `low` and `high`, every number in full.

    `pixels`: how high it is, about.
    """
    first = math.floor(math.log10(max(low, FAINTEST)) + 1e-9)
    last = max(math.ceil(math.log10(max(high, FAINTEST)) - 1e-9), first + 1)
    parts = (1, 2, 5) if pixels >= _ROOM * (last - first) else (1,)
    ticks = [part * 10.0**power for power in range(first, last + 1) for part in parts]
    ticks = [tick for tick in ticks if tick <= 10.0**last * 1.001]
    ends = [first - 0.02 * (last - first), last + 0.02 * (last - first)]
    return logarithmic(f"{scale.title} (log scale)", ticks, scale.number, range=ends)


def logarithmic(
    title: str, ticks: Sequence[float], text: Callable[[Any], str] | None = None, **more: Any
) -> dict[str, Any]:
    """A logarithmic axis; `text`: of its ticks, which are the numbers themselves without it."""
    texts = {} if text is None else {"ticktext": list(map(text, ticks))}
    return {"title": title, "type": "log", "tickvals": list(ticks), **texts, **more}


def log_range(places: Sequence[float]) -> list[float]:
    """The range of a logarithmic axis that all places are on, with a little room; 0 is on none."""
    low, high = (math.log10(end(place for place in places if place > 0)) for end in (min, max))
    return [low - 0.02 * (high - low), high + 0.02 * (high - low)]


SIZE: Final = 13
"""Height of the letters in pixels."""
_ROW: Final = 17
"""Pixels from one name to the next."""
_LETTER: Final = 6.7
"""Pixels that a letter takes on average, and a little more."""
WIDEST: Final = 230
"""Pixels for names beside the lines; longer names stand in a legend."""
_APART: Final = "\N{NO-BREAK SPACE}" * 2
_TOP: Final = 0.9999
WIDE_ONLY: Final = "wide"
"""The `meta` of traces that `chart.js` leaves out on narrow charts."""


@dataclass(frozen=True)
class ChartLabel:
    """Words at a place of a chart, in the numbers of its axes.

    `side`: where they stand from there, as Plotly calls it. `lift`: pixels up from there.
    `wide_only`: left out on narrow charts.
    """

    x: float
    y: float
    words: str
    colour: str
    side: str = "middle right"
    lift: float = 0
    wide_only: bool = False


@dataclass(frozen=True)
class OrdinateScale:
    """The ordinate of a chart: its `range` as Plotly has it, and the pixels that it is high."""

    range: tuple[float, float]
    pixels: float
    is_log: bool

    def to_fraction(self, y: float) -> float:
        """A number as a part of the range: 0 at its lower end, 1 at its upper one.

        Below the range of a logarithm, where 0 is, it is 0.
        """
        low, high = self.range
        place = math.log10(max(y, 10.0**low)) if self.is_log else y
        return (place - low) / (high - low)

    def from_fraction(self, part: float) -> float:
        """The number at a part of the range; the inverse of `to_fraction`."""
        low, high = self.range
        place = low + part * (high - low)
        return float(10.0**place) if self.is_log else float(place)


def spread_names(names: Sequence[ChartLabel], scale: OrdinateScale) -> list[ChartLabel]:
    """Names beside the ends of lines, moved up and down so that none stands on another."""
    places = space_out([scale.to_fraction(name.y) for name in names], _ROW / scale.pixels)
    return [
        replace(
            name,
            y=scale.from_fraction(place),
            words=f"{_APART}{name.words}{_APART}",
            wide_only=True,
        )
        for name, place in zip(names, places, strict=True)
    ]


def space_out(wanted: Sequence[float], least: float) -> list[float]:
    """Places in [0, 1] in the same order, `least` apart, as near to those `wanted` as can be.

    By squares: isotonic regression of the places less what they must be apart.
    """
    if not wanted:
        return []
    order = np.argsort(wanted, kind="stable")
    steps = least * np.arange(len(wanted))
    places = np.empty(len(wanted))
    nearest = isotonic_regression(np.asarray(wanted)[order] - steps).x
    places[order] = np.clip(nearest, 0.0, max(0.0, 1.0 - steps[-1])) + steps
    return [float(place) for place in places]


def place_note(note: ChartLabel, scale: OrdinateScale) -> ChartLabel:
    """A note where it is drawn, within the range: Plotly leaves out what is not."""
    part = scale.to_fraction(note.y) + note.lift / scale.pixels
    return replace(note, y=scale.from_fraction(min(part, _TOP)))


def label_width(names: Sequence[str]) -> int | None:
    """Pixels at the right that these names take; None where that is too much."""
    pixels = 16 + round(_LETTER * max(map(len, names), default=0))
    return pixels if pixels <= WIDEST else None


def label_traces(labels: Sequence[ChartLabel], size: int = SIZE) -> list[dict[str, Any]]:
    """The words as Plotly draws them, `size` pixels high: of wide charts apart from others."""
    parts = ([each for each in labels if each.wide_only is wide] for wide in (False, True))
    return [_trace(part, size) for part in parts if part]


def _trace(labels: Sequence[ChartLabel], size: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "x": [each.x for each in labels],
        "y": [each.y for each in labels],
        "text": [each.words for each in labels],
        "textposition": [each.side for each in labels],
        "textfont": {"color": [each.colour for each in labels], "size": size},
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
        "meta": WIDE_ONLY if labels[0].wide_only else "words",
    }


Shape = dict[str, Any]
Margin = tuple[float, float, float, float]
FIXED: Final = {"automargin": False}
"""Of an axis: it has the room that the chart's margins give it.

Room that Plotly finds automatically, it finds by drawing everything twice."""
_ABOVE: Final = 28
"""Pixels over the plane, for what stands on an upright line."""
_BELOW: Final = 50
_LEGEND_ROW: Final = 20
_PLOT: Final = 220
"""Pixels that lines need; narrower charts have names above them."""


@dataclass(frozen=True)
class Words:
    """What is written on a plane. `names`: of lines, beside their ends; `notes`: all else.

    `at_starts`: names at the left ends of lines, where these are further apart than at the right.
    """

    names: Sequence[ChartLabel] = ()
    at_starts: Sequence[ChartLabel] = ()
    notes: Sequence[ChartLabel] = ()


def plane(
    traces: Sequence[Any],
    x: dict[str, Any],
    y: dict[str, Any],
    shapes: Sequence[Shape],
    colours: Palette,
    *,
    words: Words = Words(),
    height: int = 430,
    left: int = 72,
) -> Figure:
    """A figure `height` pixels high; `x` and `y` are its axes, with their ranges.

    Names stand at the ends of lines, or in a legend where they are too long for that or the chart
    is too narrow. `left`: pixels for the numbers of `y` and its title, which are at the right where
    names are at the left.
    """
    names = [*words.names, *(replace(n, side="middle left") for n in words.at_starts)]
    room = label_width([each.words for each in names]) if names else 10
    scale = OrdinateScale(tuple(y["range"]), height - _ABOVE - _BELOW, y.get("type") == "log")
    notes = [place_note(note, scale) for note in words.notes]
    named = spread_names(names, scale) if room is not None else []
    sides = (left, room or 10), (left - 12, 10)
    turn = -1 if words.at_starts else 1
    wide, narrow = (
        dict(zip("lrtb", (*pair[::turn], _ABOVE, _BELOW), strict=True)) for pair in sides
    )
    legend = _legend(len(names), height)
    layout = {
        "xaxis": axis({**x, **FIXED}, colours),
        "yaxis": axis({**y, "side": "right" if words.at_starts else "left", **FIXED}, colours),
        "height": height,
        "margin": wide if room is not None else {**wide, **legend["margin"]},
        "showlegend": room is None,
        "legend": legend["legend"],
        "dragmode": False,  # a finger that scrolls the page would zoom
        "hovermode": "x unified",
        "shapes": list(shapes),
        "meta": {
            "below": _PLOT + left + (room or 0),
            "narrow": {**legend, "margin": {**narrow, **legend["margin"]}},
        },
    }
    return Figure([*traces, *label_traces([*notes, *named])], layout)


def axis(
    values: Mapping[str, Any], colours: Palette, size: int | None = None, **title: Any
) -> dict[str, Any]:
    """An axis as Plotly has it, in the page's colours; the "title" of `values` is a text.

    `size`: pixels of a letter's height, or as Plotly has it; `title`: further fields of its title.
    """
    font = {"color": colours.text} if size is None else {"color": colours.text, "size": size}
    # A text that is empty has Plotly keep room for it.
    text = {"text": values["title"]} if "title" in values else {}
    return {"tickfont": font, **values, "title": {**text, "font": font, **title}}


def _legend(rows: int, height: int) -> dict[str, Any]:
    """A legend above the plane and what stands on it, and the margin that both take."""
    above = _ABOVE + _LEGEND_ROW * rows
    y = 1 + _ABOVE / (height - above - _BELOW)
    return {
        "legend": {"orientation": "h", "y": y, "yanchor": "bottom", "x": 0},
        "margin": {"t": above},
        "showlegend": rows > 0,
    }


def annotation(
    text: str, x: float, y: float, colour: str, size: int = 14, **more: Any
) -> dict[str, Any]:
    """Words at a place of a chart that is not on a `plane`, to the right of it."""
    font = {"color": colour, "size": size}
    place = {"x": x, "y": y, "xanchor": "left"}
    return {"text": text, **place, "showarrow": False, "font": font, **more}


def vertical_line(x: float, colours: Palette) -> Shape:
    """A dotted line from bottom to top."""
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain"} | _dot(colours)


def horizontal_line(y: float, colours: Palette) -> Shape:
    """A dotted line from side to side."""
    return {"type": "line", "y0": y, "y1": y, "x0": 0, "x1": 1, "xref": "x domain"} | _dot(colours)


def bare_layout(
    colours: Palette, x: dict[str, Any], y: dict[str, Any], height: int, margin: Margin, **more: Any
) -> dict[str, Any]:
    """The layout of a chart that is not on a `plane`; `margin`: left, right, top, bottom."""
    return {
        "xaxis": axis(x, colours),
        "yaxis": axis(y, colours),
        "height": height,
        "margin": dict(zip("lrtb", margin, strict=True)),
        "showlegend": False,
        "dragmode": False,
        **more,
    }


def line_trace(
    name: str, x: Any, y: Any, look: tuple[str, str], *, width: float = 2.5, **more: Any
) -> dict[str, Any]:
    """A line through points; `look`: its colour and dash; `more`: other fields of the trace."""
    line = {"color": look[0], "dash": look[1], "width": width}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line, **more}


def share_trace(
    name: str, x: Any, shares: Sequence[float], look: tuple[str, str, str], hovertemplate: str
) -> dict[str, Any]:
    """Shares in [0, 1] as a line in percent with marks; `look`: its colour, dash and symbol."""
    percent = [100 * share for share in shares]
    marks = {"symbol": look[2], "size": 8}
    more: dict[str, Any] = {"cliponaxis": False, "hovertemplate": hovertemplate}
    return line_trace(name, x, percent, look[:2], mode="lines+markers", marker=marks, **more)


def dots_trace(name: str, x: Any, y: Any, marker: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Points, each drawn as a `marker`; `more`: other fields of the trace."""
    trace = {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y}
    return {**trace, "marker": marker, **more}


def band_trace(
    x: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str, opacity: float
) -> dict[str, Any]:
    """The area between two curves, `low` and `high`, over the same places `x`."""
    return {
        "type": "scatter",
        "x": [*x, *x[::-1]],
        "y": [*high, *low[::-1]],
        "fill": "toself",
        "fillcolor": colour,
        "opacity": opacity,
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "showlegend": False,
    }


def gap_arrow(
    ends: tuple[tuple[float, float], tuple[float, float]], colours: Palette
) -> dict[str, Any]:
    """A double arrow between two `ends`, (x, y) each, drawn as one trace."""
    (x0, y0), (x1, y1) = ends
    heads = ["triangle-left", "triangle-right"] if y0 == y1 else ["triangle-down", "triangle-up"]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [x0, x1],
        "y": [y0, y1],
        "line": {"color": colours.text, "width": 2},
        "marker": {"symbol": heads, "size": 11, "color": colours.text},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _dot(colours: Palette) -> Shape:
    return {"line": {"color": colours.faint, "dash": "dot", "width": 1.5}}


HEIGHT: Final = 360
EPSILON_AXIS: Final = logarithmic(
    "privacy level ε (left: more private; log scale)", [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
)
"""The abscissa of curves over ε."""
PEOPLE_AXIS: Final = logarithmic(
    "number of people (log scale)",
    [10**power for power in range(3, 13)],
    formats.people,
    tickangle=0,
)
"""The abscissa of curves over the number of people."""
BLOCKS_AXIS: Final = logarithmic(
    "number of blocks (right: less hidden; log scale)", [1, 10, 100, 1000, 10_000], formats.integer
)
"""The abscissa of curves over the number of blocks."""
SENSITIVE_AXIS: Final = logarithmic(
    "sensitive places (right: more hidden; log scale)",
    [10, 100, 1000, 10_000, 43_750],
    formats.integer,
)
"""The abscissa of curves over the size of the sensitive set."""


def error_curves(
    ours: tuple[Curve, float],
    plain: tuple[Curve, float],
    current_x: float,
    abscissa: dict[str, Any],
    colours: Palette,
    *,
    wrong: str | None = None,
) -> Figure:
    """Expected TV of both with 90 % bands, and TV of this outcome at `current_x`.

    `ours`, `plain`: curve, and TV of this outcome. `wrong`: words for where an estimate puts people
    by mistake; None where it is not made of shares.
    """
    lines = (
        ("plain LDP", *plain, colours.plain, "dash", "diamond"),
        ("this protection", *ours, colours.ours, "solid", "circle"),
    )
    top = max(max(float(curve.high.max()), now) for _, curve, now, *_ in lines)
    low = min(min(float(curve.low.min()), now) for _, curve, now, *_ in lines)
    is_log = top > 1.5
    scale = error_scale(None)
    y = log_axis(low, top, scale, HEIGHT) if is_log else linear_axis(top, wrong)
    least, scale = FAINTEST if is_log else 0.0, error_scale(wrong)
    bands, means, marks, ends = [], [], [], []
    for name, curve, now, ink, dash, symbol in lines:
        x, below = curve.x.tolist(), np.maximum(curve.low, least).tolist()
        bands.append(band_trace(x, below, curve.high.tolist(), ink, 0.22))
        text = [scale.describe(float(tv)) for tv in curve.tv]
        style = (ink, dash)
        means.append(line_trace(name, curve.x, curve.tv, style, text=text, hovertemplate="%{text}"))
        look = {"color": ink, "symbol": symbol, "size": 11}
        look["line"] = {"color": colours.edge, "width": 1.5}
        hidden = {"showlegend": False, "cliponaxis": False, "hovertemplate": "%{y:.3f}"}
        title = f"{name}, this draw of noise"
        marks.append(dots_trace(title, [current_x], [now], look, **hidden))
        ends.append(ChartLabel(float(curve.x[-1]), float(curve.tv[-1]), name, ink))
    high = 10.0 ** y["range"][1] if is_log else y["range"][1]
    here = [ChartLabel(current_x, high, "you are here", colours.text, "top center")]
    places = [current_x, *(float(x) for _, curve, *_ in lines for x in curve.x)]
    x = {**abscissa, "range": log_range(places)}
    is_there = current_x > 0  # none is sensitive, say: no log axis has that place
    shapes = [vertical_line(current_x, colours)] if is_there else []
    words = Words(ends, notes=here if is_there else ())
    return plane([*bands, *means, *marks], x, y, shapes, colours, words=words, height=HEIGHT)


_SYMBOLS: Final = {"circle": "●", "diamond": "◆", "square": "■", "x": "✕"}


def legend(figure: Figure) -> str:
    """HTML: each named trace's sample, in its colour and dash or symbol, and its name.

    For narrow screens only where the figure has another look on a narrow one.
    """
    named = [t for t in figure.traces if t.get("name") and t.get("showlegend") is not False]
    rows = "".join(f"<span>{_sample(trace)}{escape(trace['name'])}</span>" for trace in named)
    return f'<p class="legend{" narrow" if "meta" in figure.layout else ""}">{rows}</p>'


def _sample(trace: Mapping[str, Any]) -> str:
    line, marker = trace.get("line", {}), trace.get("marker", {})
    if trace["type"] == "bar":
        return _coloured(marker["color"], _SYMBOLS["square"])
    stroke = f'<b class="{line.get("dash", "solid")}"></b>' if "lines" in trace["mode"] else ""
    mark = _SYMBOLS[marker.get("symbol", "circle")] if "markers" in trace["mode"] else ""
    return _coloured((line if stroke else marker)["color"], stroke + mark)


def _coloured(colour: str, sample: str) -> str:
    return f'<i style="color: {colour}">{sample}</i>'
