"""Where things go on a page: its headline, the picture large, controls beside it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_ui.parts import headline
from caldp_ui.session.page_state import PageState
from caldp_ui.stage import Stage
from caldp_ui.words.headline import Headline

T = TypeVar("T")


@dataclass(frozen=True)
class Layout:
    """The parts of a page.

    `title`: the row of its headline, with switches at its right; `main`: the picture; `side`: the
    controls; `below`: what follows the picture.
    """

    headline_area: DeltaGenerator
    title: DeltaGenerator
    main: DeltaGenerator
    side: DeltaGenerator
    below: DeltaGenerator

    def show_headline(self, content: Headline) -> None:
        """The headline, which is known once there is a result."""
        with self.headline_area:
            headline.show(content)


def column_layout(slot: PageState[Any]) -> Layout:
    """The parts of a page, to be filled in any order."""
    said, title = title_row(slot)
    main, beside = st.columns([3.1, 1], gap="medium")
    return Layout(said, title, main, beside.container(key=slot.key("side")), main)


def stacked_layout(slot: PageState[Any]) -> Layout:
    """The parts of a page whose maps take the full width and leave a corner for the controls.

    The maps' scene says by its `Arrangement` which pictures are large and which small; `style.css`
    puts the controls below the large ones, beside the small ones. The views of the maps stand at
    the right of the headline, where room is kept for them.
    """
    said, title = title_row(slot)
    title.container(key=slot.key("views"))
    stack = st.container(key=slot.key("frame")).container(key=slot.key("stack"))
    main, panel = stack.container(key=slot.key("pictures")), stack.container(key=slot.key("panel"))
    return Layout(said, title, main, panel, st.container())


def title_row(slot: PageState[Any]) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Room for the headline, and right of it for switches of views, examples and the like."""
    row = st.container(key=slot.key("title"), horizontal=True, gap="small")
    return row.container(key="said"), row.container(key=slot.key("switch"), horizontal=True)


@dataclass(frozen=True)
class Contents(Generic[T]):
    """What a page makes of what it has to show: the maps, the sentence, controls, tabs.

    `films`: brought to the maps once everything is on screen.
    """

    maps: Callable[[T], Stage]
    headline: Callable[[T], Headline]
    side: Callable[[T], None]
    below: Callable[[T], None]
    films: Callable[[T, Stage], None]


def fill_page(page: Layout, load: Callable[[], T], contents: Contents[T]) -> None:
    """Fill a page; `load`: what there is to show, with progress where the picture will be."""
    with page.main:
        data = load()
        stage = contents.maps(data)
    page.show_headline(contents.headline(data))
    with page.side:
        contents.side(data)
    with page.below:
        contents.below(data)
        contents.films(data, stage)
