"""Where things go on a page: its headline, the picture large, controls beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_ui.app.run_limiter import fragment
from caldp_ui.parts import markup
from caldp_ui.session.page_state import PageState
from caldp_ui.words.formats import Headline


@dataclass(frozen=True)
class Layout:
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
            markup.show_headline(content)


def column_layout(state: PageState[Any]) -> Layout:
    """The parts of a page, to be filled in any order."""
    headline_area, title = title_row(state)
    main, side = st.columns([3.1, 1], gap="medium")
    return Layout(headline_area, title, main, side.container(key=state.key("side")), main)


def stacked_layout(state: PageState[Any]) -> Layout:
    """The parts of a page whose maps take the full width and leave a corner for the controls.

    The `Arrangement` of the maps' scene sets which pictures are large and which small; `style.css`
    puts the controls below the large ones, beside the small ones. The views of the maps stand at
    the right of the headline, where room is kept for them.
    """
    headline_area, title = title_row(state)
    title.container(key=state.key("views"))
    stack = st.container(key=state.key("frame")).container(key=state.key("stack"))
    main, panel = (
        stack.container(key=state.key("pictures")),
        stack.container(key=state.key("panel")),
    )
    return Layout(headline_area, title, main, panel, st.container())


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
