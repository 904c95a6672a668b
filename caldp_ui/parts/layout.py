"""Where things go on a page, and HTML that several pages show: headline, odds, dotplots.

`style.css` draws the small pictures in the colour of the text around them, so that both themes and
paper show them; each says in words what it is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final, TypeVar

import numpy as np
import streamlit as st
from scipy.special import ndtri
from streamlit.delta_generator import DeltaGenerator

from caldp_core.experiments.run import Setup
from caldp_ui.app.fragments import fragment
from caldp_ui.app.texts import unescape_markdown
from caldp_ui.session.page_state import PageState
from caldp_ui.words import accuracy, formats, policies
from caldp_ui.words.formats import Headline, Vocabulary
from caldp_ui.words.promise import PromiseText

SENTENCE: Final = ".st-key-headline .headline"
"""Where the headline is on the page, as a CSS selector: films change it, too."""
_LONG: Final = 75
"""Characters that fit into one line beside the switch of views; a longer one is set smaller."""
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")


def show_headline(headline: Headline) -> None:
    """The page's only heading of the first level, and the smaller line below it."""
    with st.container(key="headline"):
        st.html(headline_html(headline))


def headline_html(headline: Headline) -> str:
    """The headline as HTML, for films along a slider."""
    kind = " unprotected" if headline.unprotected else ""
    size = " long" if len(headline.sentence) > _LONG else ""
    second = f"\n<p>{escape(headline.second)}</p>" if headline.second else ""
    return f'<div class="headline{kind}{size}"><h1>{escape(headline.sentence)}</h1>{second}</div>'


def bold_html(sentence: str, tag: str) -> str:
    """A sentence of Markdown, with no more of it than bold words and escaped signs, as HTML.

    `tag`: of the elements that bold words are in.
    """
    bold = _BOLD.sub(rf"<{tag}>\1</{tag}>", escape(sentence))
    return unescape_markdown(bold)


def as_html(sentence: str) -> str:
    """A paragraph of such a sentence."""
    return f"<p>{bold_html(sentence, 'strong')}</p>"


DOTS: Final = 50
_COLUMNS: Final = 24


def people_array(marked: int, words: str, kind: str = "hundred") -> str:
    """A 10 × 10 array with the first `marked` of 100 people full, the others faint.

    One element, as a hundred of them took a browser longer to paint than the maps beside them.
    `kind`: its CSS classes; "hundred split" has two colours, for the protected and the others.
    """
    tens, ones = divmod(marked, 10)
    style = f"--tens:{tens};--ones:{ones}"
    return f'<div class="{kind}" role="img" aria-label="{escape(words)}" style="{style}"></div>'


def dotplot(middle: float, half_width: float, words: str) -> str:
    """50 quantiles of a normal whose 95 % range is this wide, stacked over a line.

    What would be below 0 is at 0. Without a width all would fall on one: there is one dot then.
    """
    columns = _columns(middle, half_width)
    heights: dict[int, int] = {}
    dots = []
    for column in columns:
        level = heights[column] = heights.get(column, -1) + 1
        dots.append(f'<i style="left:{4 * column}%;bottom:{0.68 * level + 0.1:.2f}rem"></i>')
    room = 0.68 * max(heights.values()) + 0.9
    return (
        f'<div class="dots" role="img" aria-label="{escape(words)}" style="height:{room:.2f}rem">'
        f"{''.join(dots)}</div>"
    )


def _columns(middle: float, half_width: float) -> list[int]:
    if half_width <= 0:
        return [_COLUMNS // 2]
    normal = ndtri((np.arange(DOTS) + 0.5) / DOTS)
    values = np.maximum(middle + half_width / accuracy.Z95 * normal, 0.0)
    low, high = values[0], max(values[-1], values[0] + half_width / 10)
    places: list[int] = np.rint((values - low) / (high - low) * _COLUMNS).astype(int).tolist()
    return places


@cache
def printed_form(module: str, name: str) -> Template:
    """The form `name` beside a module, on the sheet that all printed pages share (`printed.html`).

    Its file has its title and its own styles first, and then what stands on the sheet.
    """
    form, sheet = Path(module).with_name(name), Path(__file__).with_name("printed.html")
    head, body = form.read_text("utf-8").split("</style>\n", 1)
    title, _, style = head.split("\n", 2)
    parts = {"TITLE": title, "STYLE": style, "BODY": body}
    text = sheet.read_text("utf-8")
    for place, content in parts.items():
        text = text.replace(place, content, 1)
    return Template(text)


PLACE: Final = ".st-key-odds .odds"
"""Where the odds are on the page, as a CSS selector: films change them, too."""


def show_odds(nouns: Vocabulary, setup: Setup) -> None:
    """Show who is protected, and how well."""
    with st.container(key="odds"):
        st.html(odds_html(nouns, setup))


def odds_html(nouns: Vocabulary, setup: Setup) -> str:
    """The odds as HTML, for films."""
    texts = policies.describe_promise(nouns, setup)
    exposed = f"<p>{escape(texts.exposed)}</p>" if texts.exposed else ""
    person = f"<p>{bold_html(texts.person, 'em')}</p>" if texts.person else ""
    graded = [
        f'<p><span class="grade {grade.word}">{escape(grade.title)}</span> '
        f"{bold_html(grade.odds, 'em')}</p>"
        for grade in texts.grades
    ]
    lines = "".join([exposed, *graded, person])
    return f'<div class="odds {texts.grades[-1].word}">{picture(texts)}<div>{lines}</div></div>'


def picture(texts: PromiseText) -> str:
    """Of 100 figures: right even guesses where everybody is protected, else who is protected."""
    if texts.protects_all:
        full = round(100 * texts.chance)
        return people_array(full, f"{full} of 100 small figures are filled: right guesses.")
    full = (
        0 if texts.protected_share <= 0.0 else min(max(round(100 * texts.protected_share), 1), 99)
    )
    blue = formats.count(full, "is blue", "are blue")
    words = f"Of 100 small figures {blue}, protected, and {100 - full} orange, not."
    return people_array(full, words, "hundred split")


@dataclass(frozen=True)
class PageLayout:
    """The parts of a page.

    `headline_area`: room for its headline; `title`: for switches at the right of it; `main`: the
    picture; `side`: the controls; `below`: what follows the picture.
    """

    headline_area: DeltaGenerator
    title: DeltaGenerator
    main: DeltaGenerator
    side: DeltaGenerator
    below: DeltaGenerator

    def show_headline(self, content: Headline) -> None:
        """Show the headline, which is known once there is a result."""
        with self.headline_area:
            show_headline(content)


def column_layout(state: PageState[Any]) -> PageLayout:
    """The parts of a page, to be filled in any order."""
    headline_area, title = title_row(state)
    main, side = st.columns([3.1, 1], gap="medium")
    return PageLayout(headline_area, title, main, side.container(key=state.key("side")), main)


_VIEWS_WIDTH: Final = 280
_VIEWS_HEIGHT: Final = 34
"""Pixels that the switch of the maps' views takes, which the maps draw themselves."""


def stacked_layout(state: PageState[Any]) -> PageLayout:
    """The parts of a page whose maps take the full width and leave a corner for the controls.

    The `Arrangement` of the maps' scene sets which pictures are large and which small; `style.css`
    puts the controls below the large ones, beside the small ones. The views of the maps stand at
    the right of the headline, where room is kept for them.
    """
    headline_area, title = title_row(state)
    # Of a height, as the browser leaves an empty container out, and with it the room.
    title.container(key=state.key("views"), width=_VIEWS_WIDTH, height=_VIEWS_HEIGHT, border=False)
    stack = st.container(key=state.key("frame")).container(key=state.key("stack"))
    main, panel = (
        stack.container(key=state.key("pictures")),
        stack.container(key=state.key("panel")),
    )
    return PageLayout(headline_area, title, main, panel, st.container())


def title_row(state: PageState[Any]) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Room for the headline, and right of it for switches of views, examples and the like."""
    row = st.container(key=state.key("title"), horizontal=True, gap="small")
    return row.container(key="sentences"), row.container(key=state.key("switch"), horizontal=True)


T = TypeVar("T")


@fragment
def tabs(key: str, sections: Mapping[str, Callable[[T], None]], data: T) -> None:
    """Tabs by title, and the open one: in a fragment, so that the picture above is left alone."""
    drawn = st.tabs(list(sections), key=key, on_change="rerun")
    for tab, show in zip(drawn, sections.values(), strict=True):
        if tab.open:
            with tab:
                show(data)
