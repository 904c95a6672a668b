"""A record that a reader keeps beside the one that is shown: pinned, in the link too.

Room: session.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.session import links
from caldp_ui.session.notices import notify
from caldp_ui.session.slot import R, Slot

PINNED: Final = "pinned"
"""The link's key of the pinned record."""
_FRESH: Final = "fresh"
"""Stands in a link for the record that a page begins with, whose own text is empty."""
_KEYS_MAX: Final = 100


@dataclass(frozen=True)
class PinSlot(Slot[R]):
    """A slot that keeps one record more. Undo leaves it alone."""

    @property
    def pinned(self) -> R | None:
        """The record that is kept, if there is one."""
        kept: R | None = st.session_state.get(self._place)
        return kept

    def pin(self) -> None:
        """Keep the record that is shown."""
        self._keep(self.now())

    def unpin(self) -> None:
        """Keep none."""
        self._keep(None)

    def follow_link(self) -> None:
        """See `Slot`."""
        super().follow_link()
        if links.stepped() or self._place not in st.session_state:
            self._keep(self._of_link())

    def write_link(self) -> None:
        """See `Slot`."""
        links.write(self.codec, self.query())

    def query(self) -> dict[str, str]:
        """See `Slot`: with what is pinned."""
        flat, kept = super().query(), self.pinned
        if kept is not None:
            flat[PINNED] = urlencode(self.codec.write(kept)) or _FRESH
        return flat

    @property
    def apart(self) -> tuple[str, ...]:
        """See `Slot`."""
        return (*super().apart, PINNED)

    @property
    def _place(self) -> str:
        return f"{self.page}/{PINNED}"

    def _keep(self, record: R | None) -> None:
        st.session_state[self._place] = record

    def _of_link(self) -> R | None:
        text = st.query_params.get(PINNED)
        if text is None:
            return None
        try:
            return self._read(text)
        except (CaldpError, ValueError) as error:  # of too many keys, a ValueError
            notify(f"What is pinned in this link can't be shown, so nothing is pinned. {error}")
            return None

    def _read(self, text: str) -> R:
        if text == _FRESH:
            return self.codec.fresh()
        query = dict(parse_qsl(text, max_num_fields=_KEYS_MAX))
        unknown = self.codec.strangers(query)
        record = self.codec.read({k: v for k, v in query.items() if k not in unknown})
        self.codec.check(record)
        return record
