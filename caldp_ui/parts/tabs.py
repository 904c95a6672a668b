"""Tabs under a page's picture, of which only the open one is drawn."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

from caldp_ui.app.run_limiter import fragment

T = TypeVar("T")


@fragment
def tabs(key: str, sections: Mapping[str, Callable[[T], None]], data: T) -> None:
    """Tabs by title, and the open one: in a fragment, so that the picture above is left alone."""
    drawn = st.tabs(list(sections), key=key, on_change="rerun")
    for tab, show in zip(drawn, sections.values(), strict=True):
        if tab.open:
            with tab:
                show(data)
