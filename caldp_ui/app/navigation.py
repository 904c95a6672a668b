"""The way in: settings and navigation. One line here brings a page into the tabs.

`app.py` calls `run_navigation` in every run, both in a browser and in AppTest:
Streamlit forgets the menu with each run, and a rerun then stays on the page that was shown.

The tabs at the top of every page, in groups: the open group shows its pages by name.

One element, drawn by the browser: as Streamlit's own links and menus it would be twenty, each of
which costs every run a millisecond. Its code is in `tabs.js`, its style in `tabs.css`.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.navigation.page import Page

from caldp_ui.app.fragments import fragment
from caldp_ui.app.texts import read_toml
from caldp_ui.lesson import steps

_HERE: Final = Path(__file__).parent
_tabs: Final = st.components.v2.component(
    "caldp_tabs",
    html='<nav aria-label="Pages"></nav>',
    css=(_HERE / "tabs.css").read_text("utf-8"),
    js=(_HERE / "tabs.js").read_text("utf-8"),
)
KEY: Final = "page-tabs"


@dataclass(frozen=True)
class PageEntry:
    """A page: its file, its one name, Material icon, and its purpose in a sentence or two.

    `section`: the group of tabs it stands in; "" for the first page itself.
    """

    path: str
    title: str
    icon: str
    section: str = ""
    purpose: str = ""


def show(tabs: Sequence[PageEntry], current: str) -> None:
    """Draw the tabs; `current`: the file of the page that is shown."""
    # Relative to any page of the app; the first is at the root.
    addresses = {"./" if tab is tabs[0] else f"./{Path(tab.path).stem}": tab for tab in tabs}
    groups: list[dict[str, Any]] = []
    for address, tab in addresses.items():
        if not groups or groups[-1]["title"] != tab.section:
            groups.append({"title": tab.section, "pages": []})
        link = [address, tab.title, tab.path == current, tab.purpose]
        groups[-1]["pages"].append(link)

    def go() -> None:
        chosen = addresses.get(str(st.session_state[KEY].get("go")))
        if chosen is not None:
            steps.open_page(chosen.path)

    drawn = [groups, st.context.theme.type or "light"]
    _tabs(key=KEY, data=drawn, on_go_change=go, on_theme_change=lambda: None)


_ICON: Final = f"data:image/png;base64,{b64encode((_HERE / 'icon.png').read_bytes()).decode()}"
"""Half a kilobyte: of a file Streamlit would look through the picture in every run."""
_ENTERED_KEY: Final = "entered"
_ROOT: Final = "root"
_MENU: Final = "menu"


START: Final = "pages/start.py"
PLACES: Final = "pages/places.py"
VALUES: Final = "pages/values.py"
YES_OR_NO: Final = "pages/yesno.py"
DISTANCES: Final = "pages/distances.py"
PERSONAL: Final = "pages/personal.py"
ADVERSARY: Final = "pages/adversary.py"
COARSER: Final = "pages/coarser.py"
MATRIX: Final = "pages/matrix.py"
ROOM: Final = "pages/room.py"
CLASSROOM: Final = "pages/classroom.py"
CURVES: Final = "pages/curves.py"
PLAN: Final = "pages/plan.py"
DESK: Final = "pages/desk.py"
RESULTS: Final = "pages/results.py"
PAPER: Final = "pages/paper.py"
PAGES: Final = tuple(PageEntry(**page) for page in read_toml(__file__, "pages.toml")["pages"])
"""The tabs from left to right; the first page is where a newcomer lands."""
TITLES: Final = {page.path: page.title for page in PAGES}
SECTIONS: Final = tuple(dict.fromkeys(page.section for page in PAGES if page.section))
"""The groups of tabs."""


def run_navigation(
    entries: Sequence[PageEntry] = PAGES, plans: Mapping[int, tuple[steps.LessonStep, ...]] = {}
) -> Page:
    """Apply the app's settings and draw its tabs; returns the requested page, for app.py to run.

    `entries`: all pages, the first at the root. `plans`: lessons that a window continues.
    """
    st.session_state[_ENTERED_KEY] = True
    pages = _pages(tuple(entries))
    by_path = {page.url_path: e for page, e in zip(pages, entries, strict=True)}
    # The first page is served at the root: a request for its name is redirected there.
    by_name = st.Page(_to_first, url_path=Path(entries[0].path).stem, visibility="hidden")
    # Without an icon of ours beforehand, the browser asks the outside for that of the page.
    st.set_page_config(page_icon=_ICON, layout="wide")
    # Streamlit's own menu is unseen (`style.css`): the tabs press its links.
    page = st.navigation([*pages, by_name], position="sidebar", expanded=True)
    entry = by_path.get(page.url_path, entries[0])
    st.set_page_config(page_title=f"{entry.title} · caldp")
    show(entries, entry.path)
    steps.show(entry.path, plans)
    if steps.course().is_watched:
        fragment(_follow_presenter, 1.0)()
    return page


def _follow_presenter() -> None:
    """Open the step or the page that the presenter's screen asks for."""
    if steps.course().is_steered:
        st.rerun()


def _pages(entries: tuple[PageEntry, ...]) -> list[Page]:
    """The pages, made once per visit: else each would look its file up in every run."""
    known, pages = st.session_state.get(_MENU, (None, []))
    if known != entries:
        pages = [
            st.Page(
                e.path,
                title=e.title,
                icon=f":material/{e.icon}:",
                default=e is entries[0],
                url_path=_ROOT if e is entries[0] else None,
            )
            for e in entries
        ]
        st.session_state[_MENU] = entries, pages
    return list(pages)


def _to_first() -> None:
    st.switch_page(PAGES[0].path)


def ensure_navigation() -> None:
    """Begin a page: run the app's navigation first if the page was opened past app.py.

    Until a server has seen the app's navigation, Streamlit takes the folder `pages` for the app: a
    first visitor who asks for /places gets that page without its settings and menu.
    """
    if _ENTERED_KEY not in st.session_state:
        run_navigation()
        st.rerun()
