"""A page's message to another that is opened next: a link of that page, or a part to be open.

Pages know each other's links, and no more: none imports another.
"""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

import streamlit as st

_LINK: Final = "link"
_PART: Final = "open"


def open_with(path: str, query: Mapping[str, str]) -> None:
    """Have a page show the record of this link once it is opened; `path`: its file."""
    st.session_state[f"{_page(path)}/{_LINK}"] = dict(query)


def open_part(path: str, part: str) -> None:
    """Have a part of a page be open once the page is; `path`: its file."""
    st.session_state[f"{_page(path)}/{part}-{_PART}"] = True


def take_link(page: str) -> dict[str, str] | None:
    """Take the link that was left for a page; None if there is none. `page`: its state's name."""
    query: dict[str, str] | None = st.session_state.pop(f"{page}/{_LINK}", None)
    return query


def take_part(page: str, part: str) -> bool:
    """Whether a part of a page was to be open, true once; `page`: its state's name."""
    return bool(st.session_state.pop(f"{page}/{part}-{_PART}", False))


def _page(path: str) -> str:
    return PurePath(path).stem
