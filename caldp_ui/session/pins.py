"""Records that a reader keeps beside the one that is shown: up to six, one of them in the link."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from caldp_core.basics.errors import CaldpError, require
from caldp_core.datasets.own import excerpt
from caldp_ui.session import links
from caldp_ui.session.page_state import PageState, R

PINNED: Final = "pinned"
"""The link's key of the pinned record."""
_FRESH: Final = "fresh"
"""Stands in a link for the record that a page begins with, whose own text is empty."""
_KEYS_MAX: Final = 100
PINS_MAX: Final = 6
"""Most records that are kept: as many columns as a table has room for."""


@dataclass(frozen=True)
class PinPageState(PageState[R]):
    """A page state that holds pinned records as well. Undo leaves them alone."""

    @property
    def pinned(self) -> R | None:
        """The kept record whose picture is shown and which the link holds, if any."""
        kept: R | None = st.session_state.get(self._pinned_key)
        return kept

    @property
    def pins(self) -> tuple[R, ...]:
        """All kept records, the latest last."""
        kept: tuple[R, ...] = st.session_state.get(self._pins_key, ())
        return kept

    @property
    def can_pin(self) -> bool:
        """Whether what is shown is no pin yet, and there is room for one."""
        return len(self.pins) < PINS_MAX and self.current() not in self.pins

    def pin(self) -> None:
        """Keep the record that is shown, and show it as the pinned one."""
        if self.can_pin:
            self._add(self.current())

    def choose_pin(self, record: R | None) -> None:
        """Show this kept record as the pinned one; None for none."""
        st.session_state[self._pinned_key] = record

    def unpin(self, record: R) -> None:
        """Remove a kept record; the latest of the others is shown in its place."""
        rest = tuple(each for each in self.pins if each != record)
        st.session_state[self._pins_key] = rest
        if self.pinned == record:
            self.choose_pin(rest[-1] if rest else None)

    def unpin_all(self) -> None:
        """Remove all kept records."""
        st.session_state[self._pins_key] = ()
        self.choose_pin(None)

    def follow_link(self) -> None:
        """Show the records of a link or of a step in the browser's history, the pinned one, too."""
        super().follow_link()
        if links.is_history_navigation() or self._pinned_key not in st.session_state:
            record = self._read_link()
            self.choose_pin(record)
            if record is not None:
                self._add(record)

    def link_texts(self) -> dict[str, str]:
        """The record that is shown and the pinned one as texts of a link."""
        texts, pinned = super().link_texts(), self.pinned
        if pinned is not None:
            texts[PINNED] = urlencode(self.codec.write(pinned)) or _FRESH
        return texts

    @property
    def other_keys(self) -> tuple[str, ...]:
        """Keys of the page's link that are not the codec's: that of the pinned record."""
        return (PINNED,)

    @property
    def _pinned_key(self) -> str:
        return f"{self.page}/{PINNED}"

    @property
    def _pins_key(self) -> str:
        return f"{self.page}/pins"

    def _add(self, record: R) -> None:
        if record not in self.pins:
            st.session_state[self._pins_key] = (*self.pins, record)[-PINS_MAX:]
        self.choose_pin(record)

    def _open_awaited(self) -> bool:
        pinned = (self.awaited or {}).get(PINNED)
        is_there = super()._open_awaited()
        record = self._read_pin(pinned) if is_there else None
        if record is not None:
            self._add(record)
        return is_there

    def _read_link(self) -> R | None:
        if self.awaited:
            return None
        received = links.receive(self.codec, self.page, self.other_keys)
        return self._read_pin(received.texts.get(PINNED))

    def _read_pin(self, text: str | None) -> R | None:
        if text is None:
            return None
        try:
            return self._parse_pin(text)
        except (CaldpError, ValueError) as error:  # of too many keys, a ValueError
            links.report_fault(
                self.page,
                self.current(),
                f"What is pinned in the link can't be shown, so nothing is pinned. {error}",
            )
            return None

    def _parse_pin(self, text: str) -> R:
        if text == _FRESH:
            return self.codec.fresh()
        query = dict(parse_qsl(text, max_num_fields=_KEYS_MAX))
        unknown = self.codec.unknown_keys(query)
        require(not unknown, f"This page does not know {excerpt(unknown[0])}." if unknown else "")
        record = self.codec.read(query)
        self.codec.check(record)
        return record
