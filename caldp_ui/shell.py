"""What every page does around its content.

Room: shell. Errors of ours become one sentence on screen; anything else stays in the log.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.navigation.page import Page

from caldp_core.basics.errors import CaldpError

_STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding-top: 4rem; padding-bottom: 3rem; }
[data-testid="stCaptionContainer"] { opacity: 0.8; }
.st-key-by-finger { display: none; }
@media (pointer: coarse) {
    .st-key-by-finger { display: flex; }
    .st-key-scrolled-over .draglayer * { pointer-events: none !important; }
}
@media (max-width: 640px) {
    .st-key-columns-3d [data-testid="stDeckGlJsonChart"] { overflow: hidden; }
    .st-key-columns-3d [data-testid="stDeckGlJsonChart"] > div:last-child {
        width: 250%; height: 250%; transform: scale(0.4); transform-origin: 0 0;
    }
    .st-key-columns-3d .deck-tooltip { font-size: 2.2rem; }
}
</style>"""
"""Streamlit leaves a tenth of a screen empty above the title; pictures want that room. Its captions
are too faint to read: 4.1 against white, of WCAG's 4.5. Where a finger is the pointer, a map that
takes drags would hold the page fast: there a switch decides (see `sections`). Columns in 3-D have
a fixed number of pixels for a degree: on a phone they are drawn larger than it and made smaller."""

_ICON: Final = Path(__file__).with_name("icon.png")
_ENTERED: Final = "entered"
_JOINER: Final = "\N{WORD JOINER}"
_FOUND_AGAIN: Final = re.compile(r"\\:(?=\S)|www(?=\.)|(?=@)", re.IGNORECASE)
"""In escaped text: what makes `http://…`, `:icon:`, `www.…` and `a@b` more than text."""


def through_app() -> Page:
    """The app's settings and navigation; the page that is asked for, for app.py to run."""
    st.session_state[_ENTERED] = True
    # Without an icon of ours, the browser asks the outside for a picture of the page's icon.
    st.set_page_config(page_title="caldp", page_icon=_ICON, layout="wide")
    return st.navigation(
        {
            "Start": [st.Page("pages/start.py", title="Start here", icon=":material/flag:")],
            "Explore": [
                st.Page(
                    "pages/places.py", title="Places on a map", icon=":material/map:", default=True
                )
            ],
        },
        position="top",
    )


def enter() -> None:
    """Go through app.py if this page was opened past it, and come back.

    Until a server has seen the app's navigation, Streamlit takes the folder `pages` for the app: a
    first visitor who asks for /start gets that page without its settings and menu.
    """
    if _ENTERED not in st.session_state:
        through_app()
        st.rerun()


def heading(title: str, lead: str) -> None:
    """A page's title and its one-paragraph lead."""
    st.html(_STYLE)
    st.header(title, anchor=False)
    st.markdown(lead)


def as_text(text: str) -> str:
    """`text` on one line, with nothing left that Markdown would act on: it may quote raw data.

    Bare addresses and icons are found again after the escaping, so an invisible joiner splits them.
    """
    escaped = re.sub(r"([\\`*_{}\[\]()#+|<>~$:!&=-])", r"\\\1", " ".join(text.split()))
    return _FOUND_AGAIN.sub(rf"\g<0>{_JOINER}", escaped)


@contextmanager
def plain_errors(afresh: Callable[[], None] | None = None) -> Iterator[None]:
    """Show a `CaldpError` as its sentence and end the page there.

    `afresh`: what a button does where the page has nothing else to mend it with.
    """
    try:
        yield
    except CaldpError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        if afresh:
            st.button("Start afresh", key="afresh", icon=":material/restart_alt:", on_click=afresh)
        st.stop()
