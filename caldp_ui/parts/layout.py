"""Where things go on a page: its name and one sentence, the picture large, controls beside it.

Room: parts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_ui.session.slot import Slot
from caldp_ui.stage import Stage

T = TypeVar("T")


@dataclass(frozen=True)
class Layout:
    """The parts of a page.

    `title`: the row of its name; `main`: the picture and what is under it; `side`: the controls.
    """

    title: DeltaGenerator
    main: DeltaGenerator
    side: DeltaGenerator

    def say(self, sentence: str) -> None:
        """The sentence of the result, beside the page's name."""
        with self.title, st.container(key="headline"):
            st.markdown(sentence)


def laid_out(slot: Slot[Any], name: str) -> Layout:
    """The parts of a page of that name, to be filled in any order."""
    title = st.container(key=slot.key("title"))
    title.title(name, anchor=False)
    main, beside = st.columns([3.1, 1], gap="medium")
    return Layout(title, main, beside.container(key=slot.key("side")))


@dataclass(frozen=True)
class Contents(Generic[T]):
    """What a page makes of what it has to show: the maps, the sentence, controls, tabs.

    `films`: brought to the maps once everything is on screen.
    """

    maps: Callable[[T], Stage]
    headline: Callable[[T], str]
    side: Callable[[T], None]
    below: Callable[[T], None]
    films: Callable[[T, Stage], None]


def maps_first(page: Layout, find: Callable[[], T], contents: Contents[T]) -> None:
    """Fill a page; `find`: what there is to show, with progress where the picture will be."""
    with page.main:
        what = find()
        stage = contents.maps(what)
    page.say(contents.headline(what))
    with page.side:
        contents.side(what)
    with page.main:
        contents.below(what)
        contents.films(what, stage)
