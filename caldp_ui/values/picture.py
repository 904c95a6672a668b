"""The picture of answers as a PNG, for the report and as a file.

The same marks as in the browser, on white, for paper.
"""

import io
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from caldp_core.basics.types import Floats
from caldp_core.experiments.run import Result
from caldp_core.privacy.coverage import coverage
from caldp_ui.app.theme import LIGHT
from caldp_ui.values import answers
from caldp_ui.values.page_state import domain_of
from caldp_ui.words import formats, policies

_WIDTH: Final = 1400
_NAMES: Final = 520
_ROW: Final = 34
_HEAD: Final = 72
_ROWS_MAX: Final = 60
_INK: Final = "#1A2530"
_BAR: Final = "#C9CED4"
_SENSITIVE: Final = "#98256B"
_PALE: Final = "#EBC9DE"


_ESTIMATES: Final = "Estimates from randomised reports. Orange: plain LDP. Blue: this protection."
_TRUTH: Final = (
    "Bar: true share (purple: protected, gray: not). Estimates: orange, plain LDP; blue, this "
    "protection."
)


def png(ours: Result, plain: Result) -> bytes:
    """One row per answer, the most common ones where there are more than 60, with bars of truth."""
    return _png(ours, plain, ours.setup.dataset.distribution, _TRUTH)


def estimates_png(ours: Result, plain: Result) -> bytes:
    """The picture without the truth, for others: rows are chosen by the estimate."""
    return _png(ours, plain, None, _ESTIMATES)


def _png(ours: Result, plain: Result, truth: Floats | None, legend: str) -> bytes:
    setup, order = ours.setup, ours.first.estimate if truth is None else truth
    rows = np.arange(order.size)
    if order.size > _ROWS_MAX:
        rows = np.sort(np.argsort(-order, kind="stable")[:_ROWS_MAX])
    series = [(answers.shares_of(r), c) for r, c in ((plain, LIGHT.plain), (ours, LIGHT.ours))]
    top = max(float(order[rows].max()), *(float(s.high[rows].max()) for s, _ in series))
    image = Image.new("RGB", (_WIDTH, _HEAD + _ROW * rows.size + 8), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(18)
    draw.text((8, 10), f"{legend} Right end: {100 * top:.3g} %.", _INK, font)
    draw.text((8, 38), _setting_text(ours), _INK, font)
    domain, protected = domain_of(setup.scenario), coverage(setup.policy).protected

    def across(share: float) -> float:
        return _NAMES + (_WIDTH - _NAMES - 20) * share / top

    for place, x in enumerate(rows.tolist()):
        y = _HEAD + place * _ROW
        hidden = bool(protected[x])
        name = _shorten_name(domain.name_of(x), font)
        draw.text((8, y + 6), name, _SENSITIVE if hidden else _INK, font)
        if truth is not None:
            bar = (_NAMES, y + 3, across(float(truth[x])), y + _ROW - 3)
            draw.rectangle(bar, _PALE if hidden else _BAR)
            draw.line((bar[2], bar[1], bar[2], bar[3]), _SENSITIVE if hidden else _INK, 2)
        for (shares, colour), at in zip(series, (y + 11, y + 23), strict=True):
            low, high = across(float(shares.low[x])), across(float(shares.high[x]))
            middle = across(float(shares.estimate[x]))
            draw.line((low, at, high, at), colour, 2)
            draw.ellipse((middle - 5, at - 5, middle + 5, at + 5), colour)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _setting_text(ours: Result) -> str:
    """ε, people and data of the picture, in characters that its font has."""
    setup = ours.setup
    level = policies.level_text(setup, "epsilon")
    return (
        f"{level}; {formats.counted(setup.n, 'person', 'people')}; data: {setup.dataset.name[:90]}"
    )


def _shorten_name(name: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """A name cut to the room that it has."""
    for size in range(len(name), 0, -1):
        text = name if size == len(name) else f"{name[:size]}…"
        if font.getlength(text) <= _NAMES - 24:
            return text
    return "…"
