"""A page's record in the address bar: read with care, written when it changes.

A link comes from anywhere, so all of it is checked before it is shown.
"""

from collections.abc import Collection, Mapping
from typing import Final, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from caldp_core.basics.errors import make_readable
from caldp_ui.app.errors import escape_markdown
from caldp_ui.session.link_check import CHECK, Codec, Received, understand
from caldp_ui.session.visit import this_visit

R = TypeVar("R")
_LAST_WRITTEN: Final = "links/written"
"""Key of a visit's last write: the page, the query wanted, the query at that time, the visit."""
_FAULT: Final = "{}/link-fault"
"""Key of a page's fault: the record that is shown, and what is wrong with its link."""
_TRACKING: Final = ("utm_", "fbclid", "gclid", "msclkid")
"""Keys that mail programs and social networks add to links: nobody's mistake, so no notice."""


def receive(codec: Codec[R], page: str, other_keys: Collection[str]) -> Received[R]:
    """The link in the address bar; the fresh record if it holds none.

    `other_keys`: keys of the page that are not the codec's.
    """
    pairs = [
        (key, text)
        for key in st.query_params
        for text in st.query_params.get_all(key)
        if key not in codec.browser and not key.startswith(_TRACKING)
    ]
    return understand(codec, page, pairs, other_keys) if pairs else Received({}, codec.fresh())


def read(codec: Codec[R], page: str, other_keys: Collection[str]) -> Received[R]:
    """The link of `receive`; a fault of it is kept to be shown."""
    received = receive(codec, page, other_keys)
    st.session_state[_FAULT.format(page)] = None
    if received.fault:
        report_fault(page, received.record, received.fault)
    return received


def report_fault(page: str, record: object, sentence: str) -> None:
    """Keep a fault of the page's link to be shown, as long as the page shows this record."""
    before = st.session_state.get(_FAULT.format(page))
    said = f"{before[1]} {sentence}" if before else sentence
    st.session_state[_FAULT.format(page)] = record, make_readable(said)


def show_fault(page: str, record: object) -> None:
    """Say large, before all else, that what the page shows is not what was sent."""
    key = _FAULT.format(page)
    of_record, sentence = st.session_state.get(key) or (None, "")
    with st.container(key="link-fault"):
        if sentence and of_record == record:
            st.error(
                f"**This is not what was sent to you.** {escape_markdown(sentence)}",
                icon=":material/link_off:",
            )
            st.button("Go on", key=f"{page}-link-fault", on_click=lambda: st.session_state.pop(key))


def write(codec: Codec[R], page: str, query: Mapping[str, str]) -> None:
    """Make the address bar hold the query, and what the browser's side keeps there.

    Written once per socket: a run that was requested before the browser had received it comes with
    the old address, and writing it again could put this page's query into the address of the next
    one. A write to a socket that broke may be lost.
    """
    now = st.query_params.to_dict()
    kept = {key: text for key, text in now.items() if key in codec.browser}
    wanted = {**query, **kept}
    written = page, wanted, now, this_visit()
    opens_it = {CHECK: wanted.get(CHECK), **now} == wanted  # a link of before there were checks
    if now != wanted and not opens_it and st.session_state.get(_LAST_WRITTEN) != written:
        st.query_params.from_dict(wanted)
    st.session_state[_LAST_WRITTEN] = written


def is_history_navigation() -> bool:
    """True in a run that a step back or forth in the browser has caused."""
    # Streamlit has no public name for it yet; without it a step would be overwritten, no more.
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))
