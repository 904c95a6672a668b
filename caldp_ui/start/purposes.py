"""Three purposes as cards: to teach, to decide, and to try one's own data.

Pictures of the three purposes: small drawings without numbers that follow the page's theme.

An SVG in an `img` takes light or dark from the page around it, by `prefers-color-scheme`.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.datasets import read_places
from caldp_ui.app.navigation import CLASSROOM, PLACES, PLAN
from caldp_ui.lesson.steps import MINUTES
from caldp_ui.maps.scene import EXAMPLE
from caldp_ui.parts import pictures
from caldp_ui.session import handover
from caldp_ui.stage import SCALE
from caldp_ui.start.page_state import STATE

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


@dataclass(frozen=True)
class PurposeCard:
    """A card that opens `page`. `picture`: makes its HTML; `prepare`: called before the page opens.

    `name`: of its widgets' keys; `label`: on its button.
    """

    name: str
    title: str
    text: str
    label: str
    page: str
    picture: Callable[[], str]
    prepare: Callable[[], None] = lambda: None


PURPOSE_CARDS: Final = (
    PurposeCard(
        "teach",
        "Teach",
        f"A lesson of {MINUTES} minutes with a poll: each phone adds its own noise, the "
        "projector shows the estimate.",
        "Open the lesson plan",
        CLASSROOM,
        teach_html,
        lambda: handover.open_part(CLASSROOM, "plan"),
    ),
    PurposeCard(
        "decide",
        "Decide",
        "Say how accurate the result must be. Read how many people and which ε are needed.",
        "Plan a survey",
        PLAN,
        decide_html,
    ),
    PurposeCard(
        "own",
        "Try your own data",
        "Choose a file of places. It stays in the memory of the computer that runs this page.",
        "Choose a file",
        PLACES,
        lambda: own_data_html() + first_lines_html(),
        lambda: handover.open_part(PLACES, "own"),
    ),
)


def show() -> None:
    """Show all cards side by side; on a phone one below the other."""
    with st.container(key=STATE.key("ways")):
        for card in PURPOSE_CARDS:
            with st.container(key=STATE.key(f"way-{card.name}")):
                _card(card)


def _card(card: PurposeCard) -> None:
    st.html(f'<div class="art">{card.picture()}</div>')
    with st.container(key=STATE.key(f"words-{card.name}")):
        st.html(f"<h2>{card.title}</h2><p>{card.text}</p>")
        if st.button(
            card.label,
            key=STATE.key(f"go-{card.name}"),
            icon=":material/arrow_forward:",
            icon_position="right",
        ):
            card.prepare()
            st.switch_page(card.page)
