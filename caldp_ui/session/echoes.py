"""Old values of widgets that come back: the browser tells of a click before it has heard the page.

A record that changes as a whole, by an example or a preset, changes many widgets. Whoever clicks
before the browser has drawn them sends their old values with the click, and Streamlit takes these
for changes by hand.
"""

from typing import Any

import streamlit as st


def record_drawn_value(page: str, key: str, value: Any) -> None:
    """The widget of that key is drawn with this value, whatever the browser has there."""
    kept = _replaced_values(page)
    if key in st.session_state and st.session_state[key] != value:
        kept[key] = st.session_state[key]
    else:
        kept.pop(key, None)


def is_echo(page: str, key: str) -> bool:
    """Whether this run's value of the widget is one that the page has replaced, and others are too.

    A hand changes one widget at a time: a lone one that goes back to what it was is meant.
    """
    kept, now = _replaced_values(page), st.session_state
    back = {each for each, old in kept.items() if each in now and now[each] == old}
    return key in back and len(back) > 1


def _replaced_values(page: str) -> dict[str, Any]:
    """By key, what the browser had where the page's last run drew something else."""
    kept: dict[str, Any] = st.session_state.setdefault(f"{page}/echoes", {})
    return kept
