"""Menus of values by their titles, and parts of a page that are drawn once they are opened."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_ui.session.opening import is_first_run
from caldp_ui.session.page_state import PageState, R

T = TypeVar("T")


def of_field(
    state: PageState[Any],
    field: str,
    label: str,
    titles: Mapping[Any, str],
    draw: Callable[..., Any] = st.selectbox,
    **options: Any,
) -> None:
    """Draw the choice of a field of the page's record; `titles`: of its values."""

    def change(record: Any, value: Any) -> Any:
        return replace(record, **{field: value}) if value in titles else record

    now = getattr(state.current(), field)
    bound = state.bind(field, now, change)
    draw(label, list(titles), format_func=titles.__getitem__, **options, **bound)


def by_title(
    state: PageState[R],
    name: str,
    label: str,
    things: Mapping[str, T],
    update: Callable[[R, T], R],
    *,
    title: str | None,
    **options: Any,
) -> None:
    """Draw a menu of things by their titles, of which `title` is chosen; `update`: a choice's."""

    def change(record: R, chosen: str) -> R:
        # The user may click before the page has updated: the choice may be gone by then.
        return update(record, things[chosen]) if chosen in things else record

    bound = state.bind(name, title, change)
    st.selectbox(label, list(things), **options, **bound)


def view_switch(state: PageState[Any], field: str, label: str, titles: Mapping[Any, str]) -> None:
    """Which view of a page is open: a row of buttons beside the headline."""
    row: dict[str, Any] = {"label_visibility": "collapsed", "required": True}
    of_field(state, field, label, titles, st.segmented_control, **row)


def fold(
    make: Callable[..., DeltaGenerator],
    label: str,
    key: str,
    draw: Callable[[], None],
    **options: Any,
) -> None:
    """An expander or popover, drawn only while it is open, as all that is drawn costs each run."""
    part: Any = make(label, key=key, on_change="rerun", **options)
    if part.open:
        with part:
            draw()


def drawer(
    label: str, key: str, title: str, draw: Callable[[], None], opens: bool = False, **options: Any
) -> None:
    """A button, and the drawer that it opens beside the page.

    It stays open until somebody closes it or leaves the page: a page is also run by itself, as
    films come. `opens`: whether somebody came here to see it.
    """
    if opens or is_first_run():
        set_drawer(key, opens)
    st.button(label, key=key, on_click=set_drawer, args=(key, True), **options)
    if st.session_state.get(_drawer_key(key)):
        close = partial(set_drawer, key, False)
        st.dialog(title, position="right", width="medium", on_dismiss=close)(draw)()


def set_drawer(key: str, is_open: bool) -> None:
    """Open or close the drawer of a button."""
    st.session_state[_drawer_key(key)] = is_open


def _drawer_key(key: str) -> str:
    return f"{key}-is-open"
