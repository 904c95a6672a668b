"""A page's record in the address bar: read with care, written when it changes.

A link comes from anywhere, so all of it is checked before it is shown.
"""

from collections.abc import Collection, Mapping
from typing import Final, Protocol, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets.own import excerpt
from caldp_ui.session.notices import notify
from caldp_ui.session.visit import this_visit

R = TypeVar("R")
_LAST_WRITTEN: Final = "links/written"
"""Key of a visit's last write: the page, the query wanted, the query at that time, the visit."""
_TRACKING: Final = ("utm_", "fbclid", "gclid", "msclkid")
"""Keys that mail programs and social networks add to links: nobody's mistake, so no notice."""


class Codec(Protocol[R]):
    """How one page's record is written into a link, and which records the page can show."""

    @property
    def browser(self) -> tuple[str, ...]:
        """Keys that the browser's side writes and reads by itself: kept as they are."""
        ...

    def fresh(self) -> R:
        """The record that a visit without a link begins with."""
        ...

    def write(self, record: R) -> dict[str, str]:
        """The record as texts of a query; only what differs from `fresh`."""
        ...

    def read(self, query: Mapping[str, str]) -> R:
        """Read such texts; raises `CaldpError` where they are no record of this page."""
        ...

    def unknown_keys(self, query: Mapping[str, str]) -> list[str]:
        """Keys of the query that this page does not know."""
        ...

    def check(self, record: R) -> None:
        """Raise `CaldpError` for a record whose parts do not fit, so that none is ever shown."""
        ...


def read(codec: Codec[R], ignored_keys: Collection[str]) -> R:
    """The record that the address bar holds; the fresh one, and a notice, if it holds none.

    `ignored_keys`: keys that are read elsewhere.
    """
    query = {k: v for k, v in st.query_params.to_dict().items() if k not in ignored_keys}
    unknown = codec.unknown_keys(query)
    foreign = [key for key in unknown if not key.startswith(_TRACKING)]
    if foreign:
        notify(
            f"The link says something that this page does not know: {excerpt(foreign[0])}. Ignored."
        )
    try:
        record = codec.read({key: text for key, text in query.items() if key not in unknown})
        codec.check(record)
    except CaldpError as error:
        notify(f"This link can't be opened as it is, so the page starts afresh. {error}")
        return codec.fresh()
    return record


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
    if now != wanted and st.session_state.get(_LAST_WRITTEN) != written:
        st.query_params.from_dict(wanted)
    st.session_state[_LAST_WRITTEN] = written


def is_history_navigation() -> bool:
    """True in a run that a step back or forth in the browser has caused."""
    # Streamlit has no public name for it yet; without it a step would be overwritten, no more.
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))
