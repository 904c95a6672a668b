"""The likely shares of yes as a PNG, for the record: the dots of the page's own chart, on white."""

import io
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from caldp_ui.app.theme import LIGHT
from caldp_ui.words import formats, promise_levels
from caldp_ui.yesno import dots, words
from caldp_ui.yesno.page_data import YesNoData
from caldp_ui.yesno.page_state import yes_no_policy

_WIDTH: Final = 1400
_HEIGHT: Final = 500
_EDGE: Final = 30
_FOOT: Final = 100
_DOT: Final = 9


def png(data: YesNoData) -> bytes:
    """PNG of two heaps of 50 marks, the truth as a line, and the scale's ends."""
    heaps = dots.dot_rows(data, None, LIGHT)
    frame = dots.make_frame(heaps, data.truth)
    (left, right), (low, high) = frame.x, frame.y
    image = Image.new("RGB", (_WIDTH, _HEIGHT), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(26)

    def at(x: float, y: float) -> tuple[float, float]:
        across, up = (x - left) / (right - left), (y - low) / (high - low)
        wide, tall = _WIDTH - 2 * _EDGE, _HEIGHT - _FOOT - _EDGE
        return _EDGE + across * wide, _EDGE + (1 - up) * tall

    truth = 100 * data.truth
    draw.line((*at(truth, low), *at(truth, high)), LIGHT.text, 3)
    for heap, positions in zip(heaps, dots.dot_positions(heaps, frame), strict=True):
        for mark in positions:
            across, down = at(*mark)
            _draw_mark(draw, heap.symbol, across, down, heap.colour)
        top = dots.name_height(positions)
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
