"""Events: readers' actions on a picture in the browser, each passed to its page once, in order.

The browser's side is `web/outbox.js`: it sends everything again that no message has confirmed.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import streamlit as st


def acknowledgement(key: str) -> dict[str, Any]:
    """The last event received of the picture of this key, for its next message to confirm.

    `client`: the picture's own name in one browser. `serial`: the event's number.
    """
    client, serial = st.session_state.get(_place(key), ("", 0))
    return {"client": client, "serial": serial}


def new_events(key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The new events of the picture of this key: the kind and the record of each.

    Each counts as received before it is yielded, so one that makes a page fail does not come again.
    What our own code does not send is skipped.
    """
    report = st.session_state[key].get("events")
    if not isinstance(report, Mapping) or not isinstance(report.get("events"), list):
        return
    client = str(report.get("client"))
    for event in report["events"]:
        last_client, serial = st.session_state.get(_place(key), ("", 0))
        try:
            number, kind, record = int(event["serial"]), str(event["kind"]), event["record"]
        except (KeyError, TypeError, ValueError):
            return
        if last_client == client and number <= serial:
            continue
        st.session_state[_place(key)] = client, number
        if isinstance(record, Mapping):
            yield kind, record


def _place(key: str) -> str:
    """The key of the visit's state for the last client and its last serial number."""
    return f"{key}/receipt"
