"""The way in: settings and navigation. One line here brings a page into the menu.

Room: app. `dashboard.py` calls `through_app` in every run, in a browser and in AppTest alike: Streamlit
forgets the menu with each run, and a rerun then stays on the page that was shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.navigation.page import Page


_ICON: Final = Path(__file__).with_name("icon.png")
_ENTERED: Final = "entered"


@dataclass(frozen=True)
class Entry:
    """A page in the menu: its file, its short `title` there, and a Material icon's name."""

    path: str
    title: str
    icon: str


START: Final = "pages/start.py"
PLACES: Final = "pages/places.py"
VALUES: Final = "pages/values.py"
YES_OR_NO: Final = "pages/yesno.py"
ADVERSARY: Final = "pages/adversary.py"
CURVES: Final = "pages/curves.py"
PLAN: Final = "pages/plan.py"
PAPER: Final = "pages/paper.py"
PAGES: Final = (
    Entry(START, "Start here", "flag"),
    Entry(PLACES, "Places on a map", "map"),
    Entry(VALUES, "Sensitive values", "fact_check"),
    Entry(YES_OR_NO, "Yes or no", "casino"),
    Entry(ADVERSARY, "What an adversary learns", "visibility"),
    Entry(CURVES, "Error curves", "show_chart"),
    Entry(PLAN, "Plan a survey", "calculate"),
    Entry(PAPER, "The paper's results", "menu_book"),
)
"""The menu from left to right; the first page is where a newcomer lands."""


def through_app(entries: Sequence[Entry] = PAGES) -> Page:
    """The app's settings and navigation; the page that is asked for, for dashboard.py to run."""
    st.session_state[_ENTERED] = True
    pages = [
        st.Page(e.path, title=e.title, icon=f":material/{e.icon}:", default=e is entries[0])
        for e in entries
    ]
    # Without an icon of ours beforehand, the browser asks the outside for that of the page.
    st.set_page_config(page_icon=_ICON, layout="wide")
    page = st.navigation(pages, position="top")
    st.set_page_config(page_title=f"{page.title} · caldp")
    return page


def enter() -> None:
    """Begin a page: go the way through dashboard.py if it was opened past it.

    Until a server has seen the app's navigation, Streamlit takes the folder `pages` for the app: a
    first visitor who asks for /places gets that page without its settings and menu.
    """
    if _ENTERED not in st.session_state:
        through_app()
        st.rerun()
