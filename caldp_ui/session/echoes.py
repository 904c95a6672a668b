"""Old values of widgets that come back: the browser sends a click before it has got the page.

A record that changes as a whole, by an example or a preset, changes many widgets. Whoever clicks
before the browser has drawn them sends their old values with the click, and Streamlit takes these
for changes by hand.
"""

from typing import Any

import streamlit as st


def record_drawn_value(page: str, key: str, value: Any) -> None:
    """Record that the widget `key` is drawn with `value`, whatever the browser has there."""
    replaced = _replaced_values(page)
    if key in st.session_state and st.session_state[key] != value:
        replaced[key] = st.session_state[key]
    else:
        replaced.pop(key, None)


def is_echo(page: str, key: str) -> bool:
    """Whether this run's value of the widget is one that the page has replaced, and others are too.

    A hand changes one widget at a time: a lone one that goes back to what it was is meant.
    """
    replaced, now = _replaced_values(page), st.session_state
    returned = {each for each, old in replaced.items() if each in now and now[each] == old}
    return key in returned and len(returned) > 1


def _replaced_values(page: str) -> dict[str, Any]:
    """By key, what the browser had where the page's last run drew something else."""
    replaced: dict[str, Any] = st.session_state.setdefault(f"{page}/echoes", {})
    return replaced
