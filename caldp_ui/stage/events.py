"""What hands did on a picture in the browser: each told to its page once, and in its order.

The browser's side is `web/teller.js`: it tells everything again that no message has confirmed.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st


def acknowledgement(key: str) -> dict[str, Any]:
    """How far the picture of this key was heard, for its next message: it confirms so much."""
    of, serial = st.session_state.get(_place(key), ("", 0))
    return {"of": of, "serial": serial}


def new_events(key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What is new of all that the picture reported: the kind and the record of each.

    Each counts as heard before it is handed out, so what a page cannot bear is not told again.
    What our own code does not send is passed over.
    """
    told = st.session_state[key].get("told")
    if not isinstance(told, Mapping) or not isinstance(told.get("all"), list):
        return
    of = str(told.get("of"))
    for each in told["all"]:
        before, serial = st.session_state.get(_place(key), ("", 0))
        try:
            number, kind, record = int(each["serial"]), str(each["kind"]), each["record"]
        except (KeyError, TypeError, ValueError):
            return
        if before == of and number <= serial:
            continue
        st.session_state[_place(key)] = of, number
        if isinstance(record, Mapping):
            yield kind, record


def _place(key: str) -> str:
    """Where the visit keeps which picture of the browser was heard last, and how far."""
    return f"{key}/heard"
