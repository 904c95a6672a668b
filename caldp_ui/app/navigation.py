"""The way in: settings and navigation. One line here brings a page into the menu.

Room: app. `app.py` calls `through_app` in every run, in a browser and in AppTest alike:
Streamlit forgets the menu with each run, and a rerun then stays on the page that was shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.navigation.page import Page

_ICON: Final = Path(__file__).with_name("icon.png")
_ENTERED: Final = "entered"
_ROOT: Final = "root"
_MENU: Final = "menu"


@dataclass(frozen=True)
class Entry:
    """A page: its file, title, Material icon, what the menu has room for, and what one does there.

    `section`: the heading under which the first page lists it; "" for the first page itself.
    """

    path: str
    title: str
    icon: str
    short: str
    section: str = ""
    purpose: str = ""


START: Final = "pages/start.py"
PLACES: Final = "pages/places.py"
VALUES: Final = "pages/values.py"
YES_OR_NO: Final = "pages/yesno.py"
DISTANCES: Final = "pages/distances.py"
PERSONAL: Final = "pages/personal.py"
ADVERSARY: Final = "pages/adversary.py"
MATRIX: Final = "pages/matrix.py"
ROOM: Final = "pages/room.py"
CLASSROOM: Final = "pages/classroom.py"
CURVES: Final = "pages/curves.py"
PLAN: Final = "pages/plan.py"
PAPER: Final = "pages/paper.py"
EXPLORE: Final = "Explore"
UNDERSTAND: Final = "Understand"
MEASURE: Final = "Measure"
PAGES: Final = (
    Entry(START, "Start here", "flag", "Start"),
    Entry(
        PLACES,
        "Places on a map",
        "map",
        "Places",
        EXPLORE,
        "Choose what a map hides, and see the truth, plain LDP and your protection under one zoom.",
    ),
    Entry(
        VALUES,
        "Sensitive values",
        "fact_check",
        "Values",
        EXPLORE,
        "Tick the answers of a real survey that people would rather not give.",
    ),
    Entry(
        YES_OR_NO,
        "Yes or no",
        "casino",
        "Yes or no",
        EXPLORE,
        "One question and an ε for each answer, from Warner's coin to Mangat's.",
    ),
    Entry(
        DISTANCES,
        "How far is far",
        "social_distance",
        "Distances",
        EXPLORE,
        "Let secrecy fade with distance: so much ε a kilometre, noise beside blocks.",
    ),
    Entry(
        PERSONAL,
        "Personal secrets",
        "home_work",
        "Own places",
        EXPLORE,
        "Everybody hides their own home and work behind tags; see what the collector learns.",
    ),
    Entry(
        ADVERSARY,
        "What an adversary learns",
        "visibility",
        "Adversary",
        UNDERSTAND,
        "Follow one person's reports, and what an onlooker believes after them.",
    ),
    Entry(
        MATRIX,
        "The privacy matrix",
        "grid_on",
        "Matrix",
        UNDERSTAND,
        "Say for each pair of values how secret it is, and audit any channel entry by entry.",
    ),
    Entry(
        ROOM,
        "Ask the room",
        "co_present",
        "Room",
        UNDERSTAND,
        "Ask a class: each phone throws its own coin, the projector shows the estimate.",
    ),
    Entry(
        CLASSROOM,
        "Local DP classroom",
        "school",
        "Classroom",
        UNDERSTAND,
        "A first lecture in seven pictures for the projector, each with a way to break it.",
    ),
    Entry(
        CURVES,
        "Error curves",
        "show_chart",
        "Curves",
        MEASURE,
        "Compare methods, estimates and protections against people, ε, blocks and bounds.",
    ),
    Entry(
        PLAN,
        "Plan a survey",
        "calculate",
        "Plan",
        MEASURE,
        "From the accuracy you need to people and ε, and back.",
    ),
    Entry(
        PAPER,
        "The paper's results",
        "menu_book",
        "The paper",
        MEASURE,
        "Table 1 and the figures, recomputed beside what is printed.",
    ),
)
"""The menu from left to right; the first page is where a newcomer lands."""


def through_app(entries: Sequence[Entry] = PAGES) -> Page:
    """The app's settings and navigation; the page that is asked for, for app.py to run."""
    st.session_state[_ENTERED] = True
    pages = _pages(tuple(entries))
    titles = {page.url_path: e.title for page, e in zip(pages, entries, strict=True)}
    # The first page is served at the root: whoever asks for it by its name is sent there.
    by_name = st.Page(_to_first, url_path=Path(entries[0].path).stem, visibility="hidden")
    # Without an icon of ours beforehand, the browser asks the outside for that of the page.
    st.set_page_config(page_icon=_ICON, layout="wide")
    page = st.navigation([*pages, by_name], position="top")
    st.set_page_config(page_title=f"{titles.get(page.url_path, entries[0].title)} · caldp")
    return page


def _pages(entries: tuple[Entry, ...]) -> list[Page]:
    """The pages of the menu, made once a visit: each looks its file up, in every run anew."""
    known, made = st.session_state.get(_MENU, (None, []))
    if known != entries:
        made = [
            st.Page(
                e.path,
                title=e.short,
                icon=f":material/{e.icon}:",
                default=e is entries[0],
                url_path=_ROOT if e is entries[0] else None,
            )
            for e in entries
        ]
        st.session_state[_MENU] = entries, made
    return list(made)


def _to_first() -> None:
    st.switch_page(PAGES[0].path)


def enter() -> None:
    """Begin a page: go the way through app.py if it was opened past it.

    Until a server has seen the app's navigation, Streamlit takes the folder `pages` for the app: a
    first visitor who asks for /places gets that page without its settings and menu.
    """
    if _ENTERED not in st.session_state:
        through_app()
        st.rerun()
