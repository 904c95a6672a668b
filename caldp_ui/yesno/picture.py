"""The likely shares of yes as a PNG, for the record: the dots of the page's own chart, on white.

Dot plot of how shares of yes scatter: 50 marks per protection, its 95 % range, the truth.

Colour is never alone: this protection has circles, plain LDP diamonds, a pinned one squares.
"""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from caldp_core.basics.types import Floats
from caldp_ui.app.theme import LIGHT, Palette
from caldp_ui.charts.drawing import Frame, Point, svg
from caldp_ui.words import formats, promise_levels
from caldp_ui.yesno import words
from caldp_ui.yesno.page_state import Coin, YesNoData, yes_no_policy

SIZE: Final = (372, 372)
_COLUMNS: Final = 26
"""Columns of marks over the range of the axis."""
_STACK_MIN: Final = 8
"""Least marks in a column that fill its row, so that few marks are not drawn as a tower."""
_ROW: Final = 1.42
"""Height of a row, of which the marks take 1 and their name the rest."""
_FONT: Final = "font-size:14px"
_LEGEND: Final = "between two marks: the truth in 1 of 50 surveys"


@dataclass(frozen=True, eq=False)
class DotRow:
    """A row of marks: its name, coin, colour and symbol."""

    name: str
    coin: Coin
    colour: str
    symbol: str


def dot_rows(data: YesNoData, pinned: YesNoData | None, colours: Palette) -> list[DotRow]:
    """Rows of this protection, plain LDP and `pinned`, from top to bottom."""
    rows = [
        DotRow("This protection", data.ours, colours.ours, "circle"),
        DotRow("Plain LDP (Warner's coin)", data.warner, colours.plain, "diamond"),
    ]
    if pinned is not None:
        rows.append(DotRow("pinned", pinned.ours, colours.pinned, "square"))
    return rows


def make_frame(rows: Sequence[DotRow], truth: float) -> Frame:
    """Frame of the plot: percent of people with yes across, one row per heap up.

    `truth`: the true share of yes, in [0, 1].
    """
    shares = np.concatenate([*(heap.coin.dots for heap in rows), [truth]])
    low, high = 100 * float(shares.min()), 100 * float(shares.max())
    margin = max(0.06 * (high - low), 0.01)
    box = (8, 26, SIZE[0] - 8, SIZE[1] - 46)
    return Frame(SIZE, box, (low - margin, high + margin), (-0.06, _ROW * len(rows)))


def dot_positions(rows: Sequence[DotRow], frame: Frame) -> list[list[Point]]:
    """Positions of the 50 marks of each heap, in columns of the frame."""
    bases = [_ROW * row for row in reversed(range(len(rows)))]
    return [
        _stack_dots(heap.coin.dots, frame.x, base) for heap, base in zip(rows, bases, strict=True)
    ]


def name_height(positions: Sequence[Point]) -> float:
    """Height of a heap's name in the frame: above its band."""
    return _ROW * math.floor(min(up for _, up in positions) / _ROW) + 1.14


def dot_plot_svg(data: YesNoData, pinned: YesNoData | None, colours: Palette) -> str:
    """SVG of the plot: heaps over their bands, and the truth as a named line."""
    heaps = dot_rows(data, pinned, colours)
    frame, text = make_frame(heaps, data.truth), f"fill:{colours.text};{_FONT}"
    truth = 100 * data.truth
    parts = [
        _axis_svg(frame, colours),
        *(_band_svg(frame, heap, row) for row, heap in enumerate(reversed(heaps))),
        frame.path([(truth, -0.06), (truth, frame.y[1])], _dotted_style(colours)),
        _truth_svg(frame, data.truth, f"{text};font-weight:600"),
    ]
    for heap, positions in zip(heaps, dot_positions(heaps, frame), strict=True):
        parts.append(_dots_svg(frame, heap, positions, colours))
    return svg(frame, parts, words.alt_dot_plot(data, pinned), None)


def _axis_svg(frame: Frame, colours: Palette) -> str:
    ink, rule = f"fill:{colours.text};{_FONT}", f"stroke:{colours.faint};opacity:0.35"
    parts = []
    for number in _round_numbers(*frame.x):
        parts.append(frame.path([(number, frame.y[0]), (number, frame.y[1] - 0.1)], rule))
        label = f"{number:g} %"
        parts.append(frame.text((number, frame.y[0]), label, ink, "middle", (0, 17)))
    middle = ((frame.x[0] + frame.x[1]) / 2, frame.y[0])
    parts.append(frame.text(middle, _LEGEND, ink, "middle", (0, 38)))
    return "".join(parts)


def _band_svg(frame: Frame, dot_row: DotRow, row: int) -> str:
    base, (low, high) = _ROW * row, (100 * dot_row.coin.low, 100 * dot_row.coin.high)
    corners = [(low, base), (low, base + 1.08), (high, base + 1.08), (high, base)]
    ends = [(frame.x[0], base), (frame.x[1], base)]
    line = f"stroke:{dot_row.colour};stroke-width:1"
    return frame.path(corners, f"fill:{dot_row.colour};fill-opacity:0.16") + frame.path(ends, line)


def _dotted_style(colours: Palette) -> str:
    return f"stroke:{colours.text};stroke-width:1.5;stroke-dasharray:2 3"


def _truth_svg(frame: Frame, truth: float, style: str) -> str:
    """Label of the truth above its line, inside the drawing."""
    along = (100 * truth - frame.x[0]) / (frame.x[1] - frame.x[0])
    anchor = "start" if along < 0.12 else "end" if along > 0.88 else "middle"
    return frame.text(
        (100 * truth, frame.y[1]), f"truth: {100 * truth:.3g} %", style, anchor, (0, -8)
    )


def _dots_svg(frame: Frame, dot_row: DotRow, positions: list[Point], colours: Palette) -> str:
    """Marks as large as there is room for, under their name and range."""
    label = f"{dot_row.name}: {words.percent_range(dot_row.coin.low, dot_row.coin.high)}"
    edge = f"stroke:{colours.edge};stroke-width:5;stroke-linejoin:round;paint-order:stroke"
    style = f"fill:{dot_row.colour};{_FONT};font-weight:600;{edge}"
    name = frame.text((frame.x[0], name_height(positions)), label, style)
    fill = f"fill:{dot_row.colour}"
    return name + frame.marks(
        positions,
        dot_row.symbol,
        _mark_size(frame, positions),
        fill,
        f"{dot_row.name}: 50 marks",
    )


def _mark_size(frame: Frame, positions: list[Point]) -> float:
    """Size of a mark in pixels, so that neighbours in a column do not overlap."""
    ups = sorted({round(up, 6) for _, up in positions})
    step = min((above - below for below, above in pairwise(ups)), default=1.0)
    _, top, _, bottom = frame.box
    room = step * (bottom - top) / (frame.y[1] - frame.y[0])
    return round(min(12.0, max(4.0, 0.92 * room)), 1)


def _round_numbers(low: float, high: float) -> list[float]:
    """Three to six round numbers for the ticks of an axis, all inside it."""
    power = 10.0 ** math.floor(math.log10((high - low) / 3))
    step = next(part * power for part in (1, 2, 5, 10) if (high - low) / (part * power) <= 6)
    first, margin = math.ceil((low + 0.04 * (high - low)) / step), 0.04 * (high - low)
    return [round(n * step, 9) for n in range(first, math.floor((high - margin) / step) + 1)]


def _stack_dots(shares: Floats, span: Point, base: float) -> list[Point]:
    width = (span[1] - span[0]) / _COLUMNS
    column = np.floor((100 * shares - span[0]) / width).astype(int)
    level = np.arange(column.size) - np.searchsorted(column, column)  # they ascend
    tallest = max(int(level.max()) + 1, _STACK_MIN)
    x, y = span[0] + (column + 0.5) * width, base + (level + 0.5) / tallest
    return list(zip(x.tolist(), y.tolist(), strict=True))


_WIDTH: Final = 1400
_HEIGHT: Final = 500
_EDGE: Final = 30
_FOOT: Final = 100
_DOT: Final = 9


def png(data: YesNoData) -> bytes:
    """PNG of two heaps of 50 marks, the truth as a line, and the scale's ends."""
    heaps = dot_rows(data, None, LIGHT)
    frame = make_frame(heaps, data.truth)
    (left, right), (low, high) = frame.x, frame.y
    image = Image.new("RGB", (_WIDTH, _HEIGHT), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(26)

    def at(x: float, y: float) -> tuple[float, float]:
        across, up = (x - left) / (right - left), (y - low) / (high - low)
        wide, tall = _WIDTH - 2 * _EDGE, _HEIGHT - _FOOT - _EDGE
        return _EDGE + across * wide, _EDGE + (1 - up) * tall

    truth = 100 * data.truth
    draw.line((*at(truth, low), *at(truth, high)), LIGHT.text, 3)
    for heap, positions in zip(heaps, dot_positions(heaps, frame), strict=True):
        for mark in positions:
            across, down = at(*mark)
            _draw_mark(draw, heap.symbol, across, down, heap.colour)
        top = name_height(positions)
        range_text = words.percent_range(heap.coin.low, heap.coin.high)
        draw.text(at(left, top), f"{heap.name}: {range_text}", heap.colour, font, "lb")
    foot = f"people with yes, from {left:.2f} % (left edge) to {right:.2f} %; line: truth, "
    draw.text((_EDGE, _HEIGHT - _FOOT + 15), f"{foot}{truth:.3g} %", LIGHT.text, font)
    draw.text((_EDGE, _HEIGHT - _FOOT + 50), _setting_text(data), LIGHT.text, font)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _draw_mark(draw: ImageDraw.ImageDraw, symbol: str, x: float, y: float, colour: str) -> None:
    """A circle, or a diamond of about the same size."""
    if symbol == "circle":
        draw.ellipse((x - _DOT, y - _DOT, x + _DOT, y + _DOT), colour)
    else:
        r = 1.2 * _DOT
        draw.polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], colour)


def _setting_text(data: YesNoData) -> str:
    """The setting of the picture, in letters that its font has."""
    setup = data.ours.result.setup
    policy = yes_no_policy(setup.scenario)
    levels = (policy.epsilon_10, policy.epsilon_01)
    yes, no = (promise_levels.level(each).replace("∞", "infinite") for each in levels)
    reports = formats.counted(setup.n, "report", "reports")
    return f"epsilon of yes: {yes}; of no: {no}; {reports}; example data"
