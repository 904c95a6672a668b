"""Pictures of the three purposes: small drawings without numbers that follow the page's theme.

An SVG in an `img` takes light or dark from the page around it, by `prefers-color-scheme`.
"""

import base64
from html import escape
from pathlib import Path
from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.datasets import read_places
from caldp_ui.maps.scene import EXAMPLE
from caldp_ui.parts import pictures
from caldp_ui.stage import SCALE

_WEB: Final = Path(__file__).with_name("web")
_ANSWERS: Final = ((True, False, True, True), (False, True, True, False))
"""Answers on the phones of `web/teach.svg`, by row: True for yes."""


def teach_html() -> str:
    """Picture of a projector whose estimate gets sharper, above the phones of a class."""
    alt = "A projector shows an estimate that gets sharper, above eight phones."
    words = "".join(
        _word_html(
            20 + 36 * column, 124 + 38 * row, *(("yes", "on") if yes else ("no", "ours off"))
        )
        for row, answers in enumerate(_ANSWERS)
        for column, yes in enumerate(answers)
    )
    return _drawing_html("teach", alt) + words


def decide_html() -> str:
    """Picture of the people needed for one accuracy, by ε: plain LDP above blocks."""
    alt = "Sketch: fewer people are needed as ε grows, and fewer with blocks than in plain LDP."
    words = (
        _word_html(16, 12, "people needed", "axis")
        + _word_html(96, 52, "plain LDP", "plain")
        + _word_html(24, 120, "blocks", "ours")
        + _word_html(46, 168, "ε, weaker privacy →", "axis")
    )
    return _drawing_html("decide", alt) + words


def _word_html(x: int, y: int, text: str, kind: str) -> str:
    """A word on a drawing in the page's own type, hidden from screen readers: `alt` has it."""
    return f'<i class="{kind}" style="left:{x}px;top:{y}px" aria-hidden="true">{text}</i>'


@cached
def own_data_html() -> str:
    """Map of the example in the form for own places."""
    places = read_places(EXAMPLE).places
    grid = places.grid()
    shares = places.load().distribution
    values = (
        SCALE.high * (shares / shares.max()) ** 2
    )  # on the scale of all maps every cell would be the same yellow
    png = pictures.png(values, grid, grid.area)
    return _img_html("image/png", png, "A map of places from a file.")


@cached
def _drawing_html(name: str, alt: str) -> str:
    return _img_html("image/svg+xml", (_WEB / f"{name}.svg").read_bytes(), alt)


def _img_html(kind: str, data: bytes, alt: str) -> str:
    coded = base64.b64encode(data).decode()
    return f'<img src="data:{kind};base64,{coded}" alt="{escape(alt)}">'


def first_lines_html() -> str:
    """The first lines of the form's example as a small table, hidden from screen readers."""
    _, *rows = EXAMPLE.split("\n")[:4]
    cells = "".join(f"<span>{cell}</span>" for row in rows for cell in row.split(",")[:2])
    return f'<div class="lines" aria-hidden="true"><b>lat</b><b>lon</b>{cells}</div>'
