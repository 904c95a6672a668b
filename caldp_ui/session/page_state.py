"""The state of a page: what the page shows, as one frozen record with its own undo and widget keys.

Widgets hold no state of their own: before each is drawn its value is set from the record, and its
callback changes the record. No page reads the state of another; for the next page it leaves a link,
or a part to be open.

A record that changes as a whole, by an example or a preset, changes many widgets. Whoever clicks
before the browser has drawn them sends their old values with the click, and Streamlit takes these
for changes by the user (`is_echo`).
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Final, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_ui.session import links, visitor_data
from caldp_ui.session.links import Codec, seal
from caldp_ui.session.notices import notify
from caldp_ui.session.ticking import current_fragment, is_asked_for

_LINK: Final = "link"
_PART: Final = "open"


def open_with(path: str, query: Mapping[str, str]) -> None:
    """Have a page show the record of this link once it is opened; `path`: its file."""
    st.session_state[f"{_page(path)}/{_LINK}"] = dict(query)


def open_part(path: str, part: str) -> None:
    """Have a part of a page be open once the page is; `path`: its file."""
    st.session_state[f"{_page(path)}/{part}-{_PART}"] = True


def take_link(page: str) -> dict[str, str] | None:
    """Take the link that was left for a page; None if there is none. `page`: its state's name."""
    query: dict[str, str] | None = st.session_state.pop(f"{page}/{_LINK}", None)
    return query


def take_part(page: str, part: str) -> bool:
    """Whether a part of a page was to be open, true once; `page`: its state's name."""
    return bool(st.session_state.pop(f"{page}/{part}-{_PART}", False))


def _page(path: str) -> str:
    return PurePath(path).stem


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


R = TypeVar("R")
_HISTORY_MAX: Final = 50


@dataclass(frozen=True)
class History(Generic[R]):
    """The record that is shown, the earlier ones (latest last) and those undone (latest last)."""

    record: R
    past: tuple[R, ...] = ()
    future: tuple[R, ...] = ()


@dataclass(frozen=True)
class PageState(Generic[R]):
    """The state of one page. `page`: its name in keys; `codec`: its link.

    `undoable(shown, earlier)`: what undo makes of the record that is shown and an earlier one.
    Where it changes nothing there is nothing to undo; a page that undoes everything returns
    `earlier`.
    """

    page: str
    codec: Codec[R]
    undoable: Callable[[R, R], R] = lambda shown, earlier: earlier  # noqa: ARG005 — by its meaning

    def key(self, name: str) -> str:
        """The key of this page's widget or container of that name."""
        return f"{self.page}-{name}"

    def current(self) -> R:
        """The record that is shown: the visit's own, else the link's, else a fresh one."""
        return self._history().record

    def put(self, record: R) -> None:
        """Show this record from now on; raises `CaldpError` if its parts do not fit."""
        self.codec.check(record)
        history = self._history()
        if self.undoable(record, history.record) == record:  # only what undo does not touch
            self._store(replace(history, record=record))
        else:
            past = (*history.past, history.record)[-_HISTORY_MAX:]
            self._store(History(record, past))

    def open_with(self, record: R) -> None:
        """Show this record when its page is opened from another one, whose address lacks it."""
        if self._state_key in st.session_state:
            self.put(record)
        else:
            self.codec.check(record)
            self._store(History(record))

    def change(self, update: Callable[[R], R]) -> None:
        """Replace the record; a change that is not allowed becomes a notice, nothing is lost."""
        try:
            self.put(update(self.current()))
        except CaldpError as error:
            notify(str(error))

    def bind(
        self,
        name: str,
        value: Any,
        update: Callable[[R, Any], R],
        options: Container[Any] | None = None,
    ) -> dict[str, Any]:
        """Arguments that tie a widget to the record: it shows `value`, its change is `update`.

        `options`: all values of a menu. The browser answers with a title; where titles have changed
        since it got them, Streamlit hands on that title, which nobody chose.
        """
        arguments = self._tie(name, value, update, options)
        st.session_state[arguments["key"]] = value
        return arguments

    def bind_text(self, name: str, text: str, update: Callable[[R, str], R]) -> dict[str, Any]:
        """As `bind`, but the field is set only where the browser's last message has another text.

        Streamlit sends a text that is set to the browser, where it replaces what the user is
        writing. A run that the server itself asks for sends again what the run before had set.
        """
        is_known = st.session_state.get(self.key(name)) == text
        return (self._tie if is_known else self.bind)(name, text, update)

    def _tie(
        self,
        name: str,
        value: Any,
        update: Callable[[R, Any], R],
        options: Container[Any] | None = None,
    ) -> dict[str, Any]:
        """The arguments of `bind`, for a widget that has its value."""
        key, part = self.key(name), current_fragment()
        if part is None:
            record_drawn_value(self.page, key, value)

        def changed() -> None:
            picked = st.session_state[key]
            is_chosen = picked is not None and (options is None or picked in options)
            if is_chosen and is_asked_for(part) and not is_echo(self.page, key):
                self.change(lambda before: update(before, picked))

        return {"key": key, "on_change": changed}

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._history().past)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to redo."""
        return bool(self._history().future)

    def undo(self) -> None:
        """Take the last undoable change back."""
        history = self._history()
        if history.past:
            *past, earlier = history.past
            record = self.undoable(history.record, earlier)
            self._store(History(record, tuple(past), (*history.future, history.record)))

    def redo(self) -> None:
        """Make the change again that was undone last."""
        history = self._history()
        if history.future:
            *future, later = history.future
            record = self.undoable(history.record, later)
            self._store(History(record, (*history.past, history.record), tuple(future)))

    def undo_or_redo(self, name: object) -> bool:
        """Undo or redo what a page's own tool of that name asks for; False for any other tool."""
        steps = {"undo": self.undo, "redo": self.redo}
        is_step = isinstance(name, str) and name in steps
        if is_step:
            steps[str(name)]()
        return is_step

    def past_records(self) -> tuple[R, ...]:
        """The records that undo leads back to, latest last."""
        return self._history().past

    def follow_link(self) -> None:
        """Show the record of another page's link, or of a step in the browser's history.

        At all other times the visit is right: the address bar may lag behind a quick change.
        """
        handed = take_link(self.page)
        if handed is not None:
            self.open_with(self.codec.read(handed))
        elif self._state_key in st.session_state and links.is_history_navigation():
            self.put(self._read_address())
        self._open_awaited()

    def write_link(self) -> None:
        """Write the record that is shown into the address bar; a link that waits stays there."""
        if self.awaited is None or self.current() != self.codec.fresh():
            links.write(self.codec, self.page, self.query())

    @property
    def awaited(self) -> dict[str, str] | None:
        """A link whose data have not been brought yet, and are waited for."""
        query: dict[str, str] | None = st.session_state.get(self._awaited_key)
        return query

    def stop_waiting(self) -> None:
        """Forget the link that waits for data."""
        st.session_state.pop(self._awaited_key, None)

    def _read_address(self) -> R:
        """The record of the address bar; a link without its data waits for them."""
        received = links.read(self.codec, self.page, self.other_keys)
        st.session_state[self._awaited_key] = received.texts if received.lacks_data else None
        return received.record

    def _open_awaited(self) -> bool:
        """Show the link that waits, once its data are there."""
        query = self.awaited
        if query is None:
            return False
        try:
            record = self.codec.read({k: v for k, v in query.items() if k not in self.other_keys})
            self.codec.check(record)
            is_fresh = self.current() == self.codec.fresh()  # as after a reload: nothing to undo
            self._store(History(record)) if is_fresh else self.put(record)
        except visitor_data.MissingDataError:
            return False
        except CaldpError as error:
            notify(f"The link's settings do not fit these data. {error}")
        self.stop_waiting()
        return True

    def query(self) -> dict[str, str]:
        """The record that is shown as texts of a link, with their check."""
        return seal(self.page, self.link_texts())

    def link_texts(self) -> dict[str, str]:
        """The record that is shown as texts of a link."""
        return self.codec.write(self.current())

    @property
    def other_keys(self) -> tuple[str, ...]:
        """Keys of the page's link that are not the codec's."""
        return ()

    @property
    def _state_key(self) -> str:
        return f"{self.page}/state"

    @property
    def _awaited_key(self) -> str:
        return f"{self.page}/awaited"

    def _history(self) -> History[R]:
        if self._state_key not in st.session_state:
            self._store(History(self._read_address()))
        history: History[R] = st.session_state[self._state_key]
        return history

    def _store(self, history: History[R]) -> None:
        st.session_state[self._state_key] = history


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
        """Whether what is shown is not pinned yet, and another pin fits."""
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
