"""The first page: the exhibit, and three roads from it."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.lesson.steps import MINUTES
from caldp_ui.offline import document
from caldp_ui.parts import layout
from caldp_ui.session import page_state
from caldp_ui.start import exhibit
from caldp_ui.start.exhibit import Choice
from caldp_ui.start.page_state import LINK, STATE, StartState
from caldp_ui.words.formats import Headline

TEXTS: Final = read_texts(__file__)
QUESTION: Final = "How much must your phone hide, and what does the map pay?"
KEY: Final = STATE.key("exhibit")
ROADS: Final = read_toml(__file__, "roads.toml")
"""By name the title and text of each road, and its `ways`: a label, a page, and a part of it."""


def show(record: StartState) -> None:
    """Show the whole page."""
    with st.container(key=STATE.key("first")):
        layout.show_headline(Headline(QUESTION, ""))
        exhibit.show(KEY, record.choice, glides=record == LINK.begin, on_choice=_choose)
        with st.container(key=STATE.key("ways")):
            for name, road in ROADS.items():
                with st.container(key=STATE.key(f"way-{name}")):
                    _show_road(name, road)


def _choose(choice: Choice) -> None:
    STATE.change(lambda _: StartState(choice.size, choice.epsilon))


def _show_road(name: str, road: Mapping[str, Any]) -> None:
    st.html(f"<h2>{road['title']}</h2><p>{road['text'].format(minutes=MINUTES)}</p>")
    with st.container(horizontal=True, gap="xsmall"):
        for number, way in enumerate(road["ways"]):
            page_state.page_button(
                way["label"],
                way["page"],
                part=way.get("part", ""),
                icon=":material/arrow_forward:",
                key=STATE.key(f"go-{name}-{number}"),
            )


def part(record: StartState) -> document.Part:
    """The exhibit as a part of a file."""
    content = exhibit.message(record.choice, glides=False)
    board = document.Board({KEY: content}, {KEY: exhibit.as_component(KEY, record.choice)})
    headline = layout.headline_html(Headline(QUESTION, ""))
    texts = {layout.SENTENCE: headline}
    return document.Part("exhibit", TEXTS["title"], TEXTS["task"], texts, board)
