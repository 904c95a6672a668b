"""The tabs at the top of every page, in groups: the open group shows its pages by name.

One element, drawn by the browser: as Streamlit's own links and menus it would be twenty, each of
which costs every run a millisecond. Its code is in `tabs.js`, its style in `tabs.css`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

_HERE: Final = Path(__file__).parent
_tabs: Final = st.components.v2.component(
    "caldp_tabs",
    html='<nav aria-label="Pages"></nav>',
    css=(_HERE / "tabs.css").read_text("utf-8"),
    js=(_HERE / "tabs.js").read_text("utf-8"),
)
KEY: Final = "page-tabs"


@dataclass(frozen=True)
class Tab:
    """A page's file, its name, and the group it stands in; "" stands alone."""

    path: str
    title: str
    group: str


def show(tabs: Sequence[Tab], current: str) -> str | None:
    """Draw the tabs; returns the file of the page that a reader has just chosen, if any.

    `current`: the file of the page that is shown.
    """
    addresses = {_address(tab, tabs): tab for tab in tabs}
    groups: list[dict[str, Any]] = []
    for address, tab in addresses.items():
        if not groups or groups[-1]["title"] != tab.group:
            groups.append({"title": tab.group, "pages": []})
        groups[-1]["pages"].append([address, tab.title, tab.path == current])
    chosen = _tabs(key=KEY, data=[groups], on_go_change=lambda: None).go
    target = addresses.get(chosen) if isinstance(chosen, str) else None
    return target.path if target and target.path != current else None


def _address(tab: Tab, tabs: Sequence[Tab]) -> str:
    """A tab's address relative to any page of the app; the first page is at the root."""
    return "./" if tab is tabs[0] else f"./{Path(tab.path).stem}"
