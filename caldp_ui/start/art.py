"""Pictures of the three ways on: small drawings without numbers that follow the page's theme.

An SVG in an `img` takes light or dark from the page around it, by `prefers-color-scheme`.
"""

import base64
from html import escape
from pathlib import Path
from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.datasets import read_places
from caldp_ui.maps.example import EXAMPLE
from caldp_ui.parts import pictures
from caldp_ui.stage import SCALE

_WEB: Final = Path(__file__).with_name("web")
_ANSWERS: Final = ((True, False, True, True), (False, True, True, False))
"""What the phones of `teach.svg` show."""


def teach_html() -> str:
    """A projector with an estimate that becomes certain, above the phones of a class."""
    told = "A projector shows an estimate that gets sharper, above eight phones."
    words = "".join(
        _word_html(
            20 + 36 * column, 124 + 38 * row, *(("yes", "on") if yes else ("no", "ours off"))
        )
        for row, answers in enumerate(_ANSWERS)
        for column, yes in enumerate(answers)
    )
    return _drawing_html("teach", told) + words


def decide_html() -> str:
    """People that are needed for one accuracy, by ε: plain LDP above blocks."""
    told = "Sketch: fewer people are needed as ε grows, and fewer with blocks than in plain LDP."
    words = (
        _word_html(16, 12, "people needed", "axis")
        + _word_html(96, 52, "plain LDP", "plain")
        + _word_html(24, 120, "blocks", "ours")
        + _word_html(46, 168, "ε, weaker privacy →", "axis")
    )
    return _drawing_html("decide", told) + words


def _word_html(x: int, y: int, text: str, kind: str) -> str:
    """A word on a drawing, in the page's own type; its alternative text says it all."""
    return f'<i class="{kind}" style="left:{x}px;top:{y}px" aria-hidden="true">{text}</i>'


@cached
def own_data_html() -> str:
    """The example of the form for own places as a map, below its first lines."""
    places = read_places(EXAMPLE).places
    grid = places.grid()
    found = places.load().distribution
    seen = (
        SCALE.high * (found / found.max()) ** 2
    )  # on the scale of all maps it would be one yellow
    png = pictures.png(seen, grid, grid.area)
    return _img_html("image/png", png, "A map of places from a file.")


@cached
def _drawing_html(name: str, alt: str) -> str:
    return _img_html("image/svg+xml", (_WEB / f"{name}.svg").read_bytes(), alt)


def _img_html(kind: str, data: bytes, alt: str) -> str:
    coded = base64.b64encode(data).decode()
    return f'<img src="data:{kind};base64,{coded}" alt="{escape(alt)}">'


def first_lines_html() -> str:
    """The head of the form's example as a small table, for eyes only."""
    _, *rows = EXAMPLE.split("\n")[:4]
    cells = "".join(f"<span>{cell}</span>" for row in rows for cell in row.split(",")[:2])
    return f'<div class="lines" aria-hidden="true"><b>lat</b><b>lon</b>{cells}</div>'
