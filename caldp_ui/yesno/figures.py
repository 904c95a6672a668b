"""The plane of errors (CALDP Figure 1), and what many reports leave likely as dots.

Room: yesno. Colour is never alone: this protection is a solid line and circles, Warner's coin
dashes and diamonds.
"""

import math
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_ui.app.theme import Palette
from caldp_ui.charts.drawing import Frame, Point, svg
from caldp_ui.yesno.shown import Coin, Shown

HEIGHT: Final = 340
PLANE: Final = Frame((300, 300), (46, 6, 296, 256), (-4, 104), (-4, 104))
"""Both errors as people of 100."""
_COLUMNS: Final = 26
"""Columns of dots over the range that is shown."""
_STACK_MIN: Final = 8
"""Dots of a column that fill its row at least, so that few dots are not drawn as a tower."""
_ROWS: Final = ((1.4, "this protection"), (0.0, "Warner's coin"))
_TICKS: Final = (0, 25, 50, 75, 100)


def plane(what: Shown, pinned: Shown | None, colours: Palette, alt: str) -> str:
    """Both kinds of error of a guess from a report, as people of 100: what the promise allows.

    The triangle: every pair of errors that some mechanism of this promise reaches. Its corner is
    this very mechanism. `pinned`: another coin to see beside it.
    """
    text = f"fill:{colours.text}"
    parts = [
        PLANE.ticks(_TICKS, _TICKS, colours.text, colours.faint),
        _titles(PLANE, "of 100 with yes, taken for no", "of 100 with no, taken for yes", text),
        PLANE.path(_corners(what.ours), _line(colours.ours, 2.5, fill=colours.ours)),
        PLANE.path(_corners(what.warner), _line(colours.plain, 2, "7 5")),
        PLANE.path([(0, 100), (100, 0)], _line(colours.faint, 1.5, "2 3")),
        PLANE.text((72, 96), "guessing without a report", text, "middle"),
        PLANE.text((2, 3), "out of reach", text),
    ]
    if pinned is not None:
        parts.append(PLANE.path(_corners(pinned.ours), _line(colours.pinned, 2, "8 4 2 4")))
        parts.append(_point("pinned", pinned.ours, colours.pinned, "square", colours, below=True))
    parts.append(_point("Warner's", what.warner, colours.plain, "diamond", colours))
    parts.append(_point("this", what.ours, colours.ours, "circle", colours))
    return svg(PLANE, parts, alt, HEIGHT)


def _line(colour: str, width: float, dash: str = "", fill: str = "") -> str:
    inside = f"fill:{fill};fill-opacity:0.22" if fill else "fill:none"
    return f"stroke:{colour};stroke-width:{width};stroke-dasharray:{dash or 'none'};{inside}"


def _titles(frame: Frame, x: str, y: str, style: str) -> str:
    _, top, right, bottom = frame.box
    left, height = frame.box[0], frame.size[1]
    across, down = (left + right) / 2, (top + bottom) / 2
    return (
        f'<text x="{across:g}" y="{height - 6:g}" text-anchor="middle" style="{style}">{x}</text>'
        f'<text transform="translate(12,{down:g}) rotate(-90)" text-anchor="middle" '
        f'style="{style}">{y}</text>'
    )


def _corners(coin: Coin) -> list[Point]:
    """Always no, the corner, always yes: in people of 100."""
    vertex = coin.vertex
    return [(0.0, 100.0), (100 * vertex.false_alarm, 100 * vertex.missed), (100.0, 0.0)]


def _point(
    name: str, coin: Coin, colour: str, symbol: str, colours: Palette, *, below: bool = False
) -> str:
    at = (100 * coin.errors.false_alarm, 100 * coin.errors.missed)
    style = f"fill:{colour};stroke:{colours.edge};stroke-width:1.5"
    says = f"{at[0]:.1f} of 100 with yes taken for no, {at[1]:.1f} of 100 with no taken for yes"
    named = PLANE.text(at, name, f"fill:{colours.text}", shift=(9, 18 if below else -8))
    return PLANE.marks([at], symbol, 14, style, f"{name}: {says}") + named


def heap_frame(what: Shown) -> Frame:
    """Percent of people with yes across, rows of dots up."""
    every = np.concatenate([what.ours.dots, what.warner.dots, [what.truth]])
    low, high = 100 * float(every.min()), 100 * float(every.max())
    air = max(0.06 * (high - low), 0.01)
    return Frame((300, 300), (4, 6, 296, 256), (low - air, high + air), (-0.06, 2.95))


def heaps(what: Shown) -> list[list[Point]]:
    """(50,) dots of this protection and of Warner's coin, heaped in columns of the frame."""
    span = heap_frame(what).x
    coins = (what.ours, what.warner)
    return [_heap(coin.dots, span, base) for (base, _), coin in zip(_ROWS, coins, strict=True)]


def likely(what: Shown, colours: Palette, alt: str) -> str:
    """50 dots each: equally likely shares of yes, given the reports; the truth as a line."""
    frame, text = heap_frame(what), f"fill:{colours.text}"
    low, high = frame.x
    truth = 100 * what.truth
    parts = [
        frame.ticks(_round_numbers(low, high), (), colours.text, colours.faint),
        _titles(frame, "people with yes, %", "", text),
        frame.path([(truth, -0.04), (truth, 2.75)], _line(colours.text, 1.5, "2 3")),
    ]
    near_end = truth > (low + high) / 2
    side, shift = ("end", -5) if near_end else ("start", 5)
    parts.append(frame.text((truth, 2.95), f"truth: {truth:.3g} %", text, side, (shift, 12)))
    styles = ((what.ours, colours.ours, "circle"), (what.warner, colours.plain, "diamond"))
    for (base, name), (coin, colour, symbol), dots in zip(_ROWS, styles, heaps(what), strict=True):
        said = f"{name}: {100 * coin.low:.1f} to {100 * coin.high:.1f} %"
        parts.append(frame.text((low, base + 1.06), said, f"{text};{_on_top(colours)}"))
        parts.append(frame.marks(dots, symbol, 9, f"fill:{colour}", f"{name}: 50 likely shares"))
    return svg(frame, parts, alt, HEIGHT)


def _on_top(colours: Palette) -> str:
    """Bold, with an edge that keeps lines behind it off."""
    edge = f"stroke:{colours.edge};stroke-width:5;stroke-linejoin:round"
    return f"font-weight:600;paint-order:stroke;{edge}"


def _round_numbers(low: float, high: float) -> list[float]:
    """Three to seven numbers to read the axis by."""
    power = 10.0 ** math.floor(math.log10((high - low) / 3))
    step = next(part * power for part in (1, 2, 5, 10) if (high - low) / (part * power) <= 7)
    first = math.ceil(low / step)
    return [round(n * step, 9) for n in range(first, math.floor(high / step) + 1)]


def _heap(shares: Floats, span: Point, base: float) -> list[Point]:
    width = (span[1] - span[0]) / _COLUMNS
    column = np.floor((100 * shares - span[0]) / width).astype(int)
    level = np.arange(column.size) - np.searchsorted(column, column)  # they ascend
    tallest = max(int(level.max()) + 1, _STACK_MIN)
    x, y = span[0] + (column + 0.5) * width, base + (level + 0.5) / tallest
    return list(zip(x.tolist(), y.tolist(), strict=True))
