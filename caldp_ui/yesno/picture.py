"""The likely shares of yes as a PNG, for the record: the dots of the page's own chart, on white.

Room: yesno.
"""

import io
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from caldp_ui.app.theme import LIGHT
from caldp_ui.yesno import figures
from caldp_ui.yesno.shown import Shown

_WIDTH: Final = 1400
_HEIGHT: Final = 430
_EDGE: Final = 30
_FOOT: Final = 70
_DOT: Final = 9


def png(what: Shown) -> bytes:
    """Two heaps of 50 equally likely shares, the truth as a line, and the ends of the scale."""
    frame = figures.heap_frame(what)
    (left, right), (low, high) = frame.x, frame.y
    image = Image.new("RGB", (_WIDTH, _HEIGHT), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(26)

    def at(x: float, y: float) -> tuple[float, float]:
        across, up = (x - left) / (right - left), (y - low) / (high - low)
        wide, tall = _WIDTH - 2 * _EDGE, _HEIGHT - _FOOT - _EDGE
        return _EDGE + across * wide, _EDGE + (1 - up) * tall

    truth = 100 * what.truth
    draw.line((*at(truth, low), *at(truth, high)), LIGHT.text, 3)
    for dots, colour in zip(figures.heaps(what), (LIGHT.ours, LIGHT.plain), strict=True):
        for dot in dots:
            across, down = at(*dot)
            box = (across - _DOT, down - _DOT, across + _DOT, down + _DOT)
            draw.ellipse(box, colour)
    for base, told in ((1.0, "this protection"), (-0.0, "Warner's coin: plain LDP")):
        draw.text(at(left, base + 1.35), told, LIGHT.text, font)
    foot = f"people with yes: from {left:.2f} % (left edge) to {right:.2f} %; line: {truth:.3g} %"
    draw.text((_EDGE, _HEIGHT - _FOOT + 15), f"{foot} in truth", LIGHT.text, font)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
