"""The way in: settings and navigation. One line here brings a page into the menu.

Room: app. `app.py` calls `through_app` in every run, in a browser and in AppTest alike: Streamlit
forgets the menu with each run, and a rerun then stays on the page that was shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.navigation.page import Page

from caldp_ui.app import style

_ICON: Final = Path(__file__).with_name("icon.png")
_ENTERED: Final = "entered"


@dataclass(frozen=True)
class Entry:
    """A page: its file, its title, a Material icon's name, and what the menu has room for."""

    path: str
    title: str
    icon: str
    short: str


START: Final = "pages/start.py"
PLACES: Final = "pages/places.py"
VALUES: Final = "pages/values.py"
YES_OR_NO: Final = "pages/yesno.py"
ADVERSARY: Final = "pages/adversary.py"
CLASSROOM: Final = "pages/classroom.py"
CURVES: Final = "pages/curves.py"
PLAN: Final = "pages/plan.py"
PAPER: Final = "pages/paper.py"
PAGES: Final = (
    Entry(START, "Start here", "flag", "Start"),
    Entry(PLACES, "Places on a map", "map", "Places"),
    Entry(VALUES, "Sensitive values", "fact_check", "Values"),
    Entry(YES_OR_NO, "Yes or no", "casino", "Yes or no"),
    Entry(ADVERSARY, "What an adversary learns", "visibility", "Adversary"),
    Entry(CLASSROOM, "Local DP classroom", "school", "Classroom"),
    Entry(CURVES, "Error curves", "show_chart", "Curves"),
    Entry(PLAN, "Plan a survey", "calculate", "Plan"),
    Entry(PAPER, "The paper's results", "menu_book", "The paper"),
)
"""The menu from left to right; the first page is where a newcomer lands."""


def through_app(entries: Sequence[Entry] = PAGES) -> Page:
    """The app's settings and navigation; the page that is asked for, for app.py to run."""
    st.session_state[_ENTERED] = True
    pages = [
        st.Page(e.path, title=e.short, icon=f":material/{e.icon}:", default=e is entries[0])
        for e in entries
    ]
    titles = {page.url_path: e.title for page, e in zip(pages, entries, strict=True)}
    # Without an icon of ours beforehand, the browser asks the outside for that of the page.
    st.set_page_config(page_icon=_ICON, layout="wide")
    page = st.navigation(pages, position="top")
    st.set_page_config(page_title=f"{titles[page.url_path]} · caldp")
    return page


def enter() -> None:
    """Begin a page: its style, and the way through app.py if it was opened past it.

    Until a server has seen the app's navigation, Streamlit takes the folder `pages` for the app: a
    first visitor who asks for /places gets that page without its settings and menu.
    """
    if _ENTERED not in st.session_state:
        through_app()
        st.rerun()
    style.apply()
