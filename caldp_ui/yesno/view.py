"""What the page shows of a question: sentences, three panels, the plane of errors, the dots.

Colour is never alone: this protection is a solid line and a circle, plain LDP dashes and a diamond,
what is pinned a square.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from caldp_core.basics.types import Floats
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import LIGHT, Palette
from caldp_ui.charts.show import Frame, Point, svg
from caldp_ui.parts import layout, pack
from caldp_ui.shell.page import View
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.yesno.page_state import STATE, Coin, YesNoData, warner_people_factor, yes_no_policy

TEXTS: Final = read_texts(__file__)
ANSWERS = ("no", "yes")


def of_hundred(probability: float) -> str:
    """A probability as "73 of 100"; "all 100" and "none of 100" only for 1 and 0."""
    if probability in (0.0, 1.0):
        return "all 100" if probability else "none of 100"
    return f"{formats.some_of_hundred(probability)} of 100"


def headline(data: YesNoData) -> formats.Headline:
    """Who is not protected, if anybody; the estimate; the people that plain LDP needs for it."""
    ours = data.ours
    policy = yes_no_policy(ours.result.setup.scenario)
    estimate = _estimate_sentence(ours)
    open_answers = [
        answer
        for answer, epsilon in zip(ANSWERS, (policy.epsilon_01, policy.epsilon_10), strict=True)
        if math.isinf(epsilon)
    ]
    # Where every report is the true answer, there is nothing that plain LDP could be beside.
    plain = "" if len(open_answers) == len(ANSWERS) else _plain_ldp_sentence(data)
    unprotected = [_unprotected_sentence(data, open_answers)] if open_answers else []
    return formats.Headline.of(unprotected, [estimate, plain], _headline_figures(data))


def _headline_figures(data: YesNoData) -> dict[str, float]:
    """Ends of the range of yes, and the people that Warner's coin needs as a multiple.

    `open_yes`, `open_no`: shares of people whose answer a report can prove.
    """
    ours, policy = data.ours, yes_no_policy(data.ours.result.setup.scenario)
    shares = {"yes": (policy.epsilon_10, data.truth), "no": (policy.epsilon_01, 1 - data.truth)}
    bare = {f"open_{name}": share for name, (level, share) in shares.items() if math.isinf(level)}
    ends = {"low": ours.low, "high": ours.high}
    return {**ends, "warner_factor": warner_people_factor(data), **bare}


def _estimate_sentence(coin: Coin) -> str:
    n = coin.result.setup.n
    if accuracy.is_all_shares(coin.low, coin.high):
        return accuracy.nothing_yet(n, coin.standard_error, "with this coin")
    return (
        f"From {formats.counted(n, 'report', 'reports')} we estimate that "
        f"{formats.percent_range(coin.low, coin.high)} would truthfully say yes."
    )


def _unprotected_sentence(data: YesNoData, answers: list[str]) -> str:
    if len(answers) > 1:
        return "Nobody is protected: every report is the true answer."
    (answer,) = answers
    share = data.truth if answer == "yes" else 1 - data.truth
    return TEXTS["not_protected"].format(share=formats.out_of(share), answer=answer)


def _plain_ldp_sentence(data: YesNoData) -> str:
    factor = warner_people_factor(data)
    if factor < 1.005:
        return "Plain LDP (Warner's coin) is as accurate here."
    if math.isinf(factor):
        return "Plain LDP (Warner's coin) never gets as accurate."
    return TEXTS["warner_needs"].format(times=formats.times(factor))


def coin_numbers(coin: Coin) -> dict[str, str]:
    """Numbers of a coin for a table, by their names."""
    policy = yes_no_policy(coin.result.setup.scenario)
    correct = [
        "nobody sends it" if right is None else of_hundred(right)
        for right in coin.correct_probabilities
    ]
    return {
        "ε of yes": policies.level(policy.epsilon_10),
        "ε of no": policies.level(policy.epsilon_01),
        "with yes, send yes": of_hundred(coin.yes_probabilities[1]),
        "with no, send yes": of_hundred(coin.yes_probabilities[0]),
        "right after “yes”, from 50:50": correct[1],
        "right after “no”, from 50:50": correct[0],
        "estimate of yes": f"{100 * coin.estimate:.2f} %",
        "95 % range": formats.percent_range(coin.low, coin.high, 2),
        "standard error (exact)": formats.points(coin.standard_error, 3),
    }


def describe_sender(coin: Coin, answer: int) -> tuple[str, str]:
    """People with `answer` (0 no, 1 yes) who send yes: a number, and what it counts."""
    name, share = ANSWERS[answer], coin.yes_probabilities[answer]
    cover = " as well, as cover" if not answer and share else ""
    return of_hundred(share), f"people whose true answer is {name} send “yes”{cover}"


def describe_reader(coin: Coin, report: int) -> tuple[str, str, str]:
    """What `report` (0 no, 1 yes) reveals: a number, what it counts, and the grade's word."""
    right, answer = coin.correct_probabilities[report], ANSWERS[report]
    if right is None:
        return "", f"Nobody sends “{answer}”.", "strong"
    text = f"who send “{answer}” truly mean it, if both answers were equally likely before"
    return of_hundred(right), text, formats.strength(min(right, 1.0)).word


def alt_plane(data: YesNoData, pinned: YesNoData | None) -> str:
    """Alternative text of the plane of errors."""
    ours = data.ours.errors
    beside = [data.warner.errors] if pinned is None else [data.warner.errors, pinned.ours.errors]
    plain, *pins = (f"{of_hundred(e.false_alarm)} and {of_hundred(e.missed)}." for e in beside)
    return (
        "Plane of an attacker's two errors. No method with this protection gets below the bent "
        f"line; this one is at its corner: {of_hundred(ours.false_alarm)} people with yes are "
        f"taken for no, {of_hundred(ours.missed)} with no for yes. Plain LDP: "
        f"{plain}{''.join(f' Pinned: {pin}' for pin in pins)}"
    )


def alt_dot_plot(data: YesNoData, pinned: YesNoData | None) -> str:
    """Alternative text of the dot plot."""
    pinned_text = "" if pinned is None else f" Pinned: {_range_text(pinned.ours)}."
    return (
        "Heaps of 50 marks each: between two neighbours lies the true share of yes in 1 of 50 such "
        f"surveys; the band holds it in 95 of 100. This protection: {_range_text(data.ours)}. "
        f"Plain LDP: {_range_text(data.warner)}.{pinned_text} Truth: {100 * data.truth:.3g} %."
    )


def _range_text(coin: Coin) -> str:
    return formats.percent_range(coin.low, coin.high)


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
    dots = f"stroke:{colours.text};stroke-width:1.5;stroke-dasharray:2 3"
    parts = [
        _axis_svg(frame, colours),
        *(_band_svg(frame, heap, row) for row, heap in enumerate(reversed(heaps))),
        frame.path([(truth, -0.06), (truth, frame.y[1])], dots),
        _truth_svg(frame, data.truth, f"{text};font-weight:600"),
    ]
    for heap, positions in zip(heaps, dot_positions(heaps, frame), strict=True):
        parts.append(_dots_svg(frame, heap, positions, colours))
    return svg(frame, parts, alt_dot_plot(data, pinned), None)


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


def _truth_svg(frame: Frame, truth: float, style: str) -> str:
    """Label of the truth above its line, inside the drawing."""
    along = (100 * truth - frame.x[0]) / (frame.x[1] - frame.x[0])
    anchor = "start" if along < 0.12 else "end" if along > 0.88 else "middle"
    return frame.text(
        (100 * truth, frame.y[1]), f"truth: {100 * truth:.3g} %", style, anchor, (0, -8)
    )


def _dots_svg(frame: Frame, dot_row: DotRow, positions: list[Point], colours: Palette) -> str:
    """Marks as large as there is room for, under their name and range."""
    label = f"{dot_row.name}: {formats.percent_range(dot_row.coin.low, dot_row.coin.high)}"
    edge = f"stroke:{colours.edge};stroke-width:5;stroke-linejoin:round;paint-order:stroke"
    style = f"fill:{dot_row.colour};{_FONT};font-weight:600;{edge}"
    name = frame.text((frame.x[0], name_height(positions)), label, style)
    fill = f"fill:{dot_row.colour}"
    return name + frame.marks(
        positions, dot_row.symbol, _mark_size(frame, positions), fill, f"{dot_row.name}: 50 marks"
    )


def _mark_size(frame: Frame, positions: list[Point]) -> float:
    """Size of a mark in pixels, so that neighbours in a column do not overlap."""
    ups = sorted({round(up, 6) for _, up in positions})
    step = min((above - below for below, above in pairwise(ups)), default=1.0)
    _, top, _, bottom = frame.box
    room = step * (bottom - top) / (frame.y[1] - frame.y[0])
    return round(min(12.0, max(4.0, 0.92 * room)), 1)


def _round_numbers(low: float, high: float) -> list[float]:
    """Up to six round percentages for the ticks of an axis, all inside it."""
    power = 10.0 ** math.floor(math.log10((high - low) / 3))
    step = next(part * power for part in (1, 2, 5, 10) if (high - low) / (part * power) <= 6)
    first, margin = math.ceil((low + 0.04 * (high - low)) / step), 0.04 * (high - low)
    last = math.floor(min(high - margin, 100) / step)
    return [round(n * step, 9) for n in range(max(first, 0), last + 1)]


def _stack_dots(shares: Floats, span: Point, base: float) -> list[Point]:
    width = (span[1] - span[0]) / _COLUMNS
    column = np.floor((100 * shares - span[0]) / width).astype(int)
    level = np.arange(column.size) - np.searchsorted(column, column)  # they ascend
    tallest = max(int(level.max()) + 1, _STACK_MIN)
    x, y = span[0] + (column + 0.5) * width, base + (level + 0.5) / tallest
    return list(zip(x.tolist(), y.tolist(), strict=True))


_WIDTH: Final = 1400
_HEIGHT: Final = 400
_EDGE: Final = 30
_DOT: Final = 9


def png(data: YesNoData) -> bytes:
    """PNG of two heaps of 50 marks, the truth as a line, and the scale's ends."""
    heaps = dot_rows(data, None, LIGHT)
    frame = make_frame(heaps, data.truth)
    (left, right), (low, high) = frame.x, frame.y
    image = Image.new("RGB", (_WIDTH, _HEIGHT), "white")
    draw, font = ImageDraw.Draw(image), pack.font_of(26)

    def at(x: float, y: float) -> tuple[float, float]:
        across, up = (x - left) / (right - left), (y - low) / (high - low)
        wide, tall = _WIDTH - 2 * _EDGE, _HEIGHT - _EDGE
        return _EDGE + across * wide, _EDGE + (1 - up) * tall

    truth = 100 * data.truth
    draw.line((*at(truth, low), *at(truth, high)), LIGHT.text, 3)
    for heap, positions in zip(heaps, dot_positions(heaps, frame), strict=True):
        for mark in positions:
            across, down = at(*mark)
            _draw_mark(draw, heap.symbol, across, down, heap.colour)
        top = name_height(positions)
        range_text = formats.percent_range(heap.coin.low, heap.coin.high)
        draw.text(at(left, top), f"{heap.name}: {range_text}", heap.colour, font, "lb")
    foot = f"people with yes, from {left:.2f} % (left edge) to {right:.2f} %; line: truth, "
    return pack.captioned(pack.png_of(image), [f"{foot}{truth:.3g} %", _setting_text(data)])


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
    yes, no = (policies.level(each).replace("∞", "infinite") for each in levels)
    reports = formats.counted(setup.n, "report", "reports")
    return f"ε of yes: {yes}; of no: {no}; {reports}; example data"


HEIGHT: Final = 340
PLANE: Final = Frame((300, 300), (46, 6, 296, 256), (-4, 104), (-4, 104))
"""Both errors as people of 100."""
_LABEL_ROOM: Final = 0.12
"""A share of errors whose mark leaves no room for its name below."""
_TICKS: Final = (0, 25, 50, 75, 100)


def plane_svg(data: YesNoData, pinned: YesNoData | None, colours: Palette, alt: str) -> str:
    """SVG of both errors of a guess from a report, as people of 100; `pinned`: another coin.

    The triangle holds the pairs of errors that methods with this protection reach (CALDP Theorem
    1). Its corner is this very method.
    """
    text = f"fill:{colours.text}"
    parts = [
        PLANE.ticks(_TICKS, _TICKS, colours.text, colours.faint),
        TEXTS["axis_titles"].format(style=text),
        PLANE.path(_corners(data.ours), _line_style(colours.ours, 2.5, fill=colours.ours)),
        PLANE.path(_corners(data.warner), _line_style(colours.plain, 2, "7 5")),
        PLANE.path([(0, 100), (100, 0)], _line_style(colours.faint, 1.5, "2 3")),
        PLANE.text((72, 96), "guessing without a report", text, "middle"),
        PLANE.text((2, 3), "no method gets here", text),
    ]
    if pinned is not None:
        parts.append(PLANE.path(_corners(pinned.ours), _line_style(colours.pinned, 2, "8 4 2 4")))
        parts.append(_point_svg("pinned", pinned.ours, colours.pinned, "square", colours))
    parts.append(_point_svg("plain LDP", data.warner, colours.plain, "diamond", colours))
    below = pinned is not None and data.ours.errors.missed > _LABEL_ROOM
    parts.append(
        _point_svg("this protection", data.ours, colours.ours, "circle", colours, below=below)
    )
    return svg(PLANE, parts, alt, HEIGHT)


def _line_style(colour: str, width: float, dash: str = "", fill: str = "") -> str:
    inside = f"fill:{fill};fill-opacity:0.22" if fill else "fill:none"
    return f"stroke:{colour};stroke-width:{width};stroke-dasharray:{dash or 'none'};{inside}"


def _corners(coin: Coin) -> list[Point]:
    """Points of the region of errors, in people of 100: always no, the corner, always yes."""
    vertex = coin.vertex
    return [(0.0, 100.0), (100 * vertex.false_alarm, 100 * vertex.missed), (100.0, 0.0)]


def _point_svg(
    name: str, coin: Coin, colour: str, symbol: str, colours: Palette, *, below: bool = False
) -> str:
    at = (100 * coin.errors.false_alarm, 100 * coin.errors.missed)
    style = f"fill:{colour};stroke:{colours.edge};stroke-width:1.5"
    says = f"{at[0]:.1f} of 100 with yes taken for no, {at[1]:.1f} of 100 with no taken for yes"
    named = PLANE.text(at, name, f"fill:{colours.text}", shift=(9, 18 if below else -8))
    return PLANE.marks([at], symbol, 14, style, f"{name}: {says}") + named


SENDER: Final = f".st-key-{STATE.key('sends')} .coins"
READER: Final = f".st-key-{STATE.key('reads')} .coins"
SERVER: Final = f".st-key-{STATE.key('many')} .many"
"""CSS selectors of the words and icons that change with the sliders."""
LIKELY: Final = STATE.key("likely-drawing")


def view(data: YesNoData, pinned: YesNoData | None, colours: Palette) -> View:
    """The headline, the words of three panels, and the dots, with what is pinned."""
    sends = "".join(_sender_html(data.ours, answer) for answer in (1, 0))
    reads = "".join(_reader_html(data.ours, report) for report in (1, 0))
    reports = formats.counted(data.ours.result.setup.n, "report", "reports")
    server = title_html(3, f"The server reads {reports}")
    return View(
        headline(data),
        {LIKELY: dot_plot_svg(data, pinned, colours)},
        {
            SENDER: f'<div class="coins">{sends}</div>',
            READER: f'<div class="coins">{reads}</div>',
            SERVER: f'<div class="many">{server}</div>',
        },
    )


def title_html(number: int, text: str) -> str:
    """The heading of a panel."""
    return f'<h2 class="panel"><b>{number}</b>{escape(text)}</h2>'


def _sender_html(coin: Coin, answer: int) -> str:
    """100 people whose true answer is `answer` (0 no, 1 yes), and how many of them send yes."""
    number, text = describe_sender(coin, answer)
    name, share = ANSWERS[answer], coin.yes_probabilities[answer]
    title = f"100 people whose true answer is {name}; filled: {number} send yes."
    text = escape(text).replace(f"is {name}", f"is <em>{name}</em>")
    return _odds_html(name, layout.people_array(round(100 * share), title), number, text)


def _reader_html(coin: Coin, report: int) -> str:
    """100 people who sent `report` (0 no, 1 yes), and for how many it is true, from even odds."""
    number, text, grade = describe_reader(coin, report)
    name, right = ANSWERS[report], coin.correct_probabilities[report] or 0.0
    title = f"100 people who send {name}; filled: {number or 'none of 100'} truly mean it."
    grade_html = f'<b class="{grade}">“{name}” protection: {grade}</b>'
    return _odds_html(
        name, layout.people_array(round(100 * right), title), number, f"{text}{grade_html}"
    )


def _odds_html(name: str, array: str, number: str, text: str) -> str:
    strong = f"<strong>{number}</strong>" if number else ""
    return f'<div class="odds {name}">{array}<p>{strong}{text}</p></div>'
