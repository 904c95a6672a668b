"""The state of a page: what the page shows, as one frozen record with its own undo and widget keys.

Widgets hold no state of their own: before each is drawn its value is set from the record, and its
callback changes the record. No page reads the state of another.

Old values of widgets that come back: the browser sends a click before it has got the page.

A record that changes as a whole, by an example or a preset, changes many widgets. Whoever clicks
before the browser has drawn them sends their old values with the click, and Streamlit takes these
for changes by hand.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_ui.session import handover, links, visitor_data
from caldp_ui.session.link_check import Codec, seal
from caldp_ui.session.notices import notify
from caldp_ui.session.ticking import current_fragment, is_asked_for


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

    def bind(self, name: str, value: Any, update: Callable[[R, Any], R]) -> dict[str, Any]:
        """Arguments that tie a widget to the record: it shows `value`, its change is `update`."""
        arguments = self._tie(name, value, update)
        st.session_state[arguments["key"]] = value
        return arguments

    def bind_text(self, name: str, text: str, update: Callable[[R, str], R]) -> dict[str, Any]:
        """As `bind`, but the field is set only where the browser's last message has another text.

        Streamlit sends a text that is set to the browser, where it replaces what the user is
        writing. A run that the server itself asks for sends again what the run before had set.
        """
        is_known = st.session_state.get(self.key(name)) == text
        return (self._tie if is_known else self.bind)(name, text, update)

    def _tie(self, name: str, value: Any, update: Callable[[R, Any], R]) -> dict[str, Any]:
        """The arguments of `bind`, for a widget that has its value."""
        key, part = self.key(name), current_fragment()
        if part is None:
            record_drawn_value(self.page, key, value)

        def changed() -> None:
            picked = st.session_state[key]
            if picked is not None and is_asked_for(part) and not is_echo(self.page, key):
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
        handed = handover.take_link(self.page)
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
