"""The state of a page: one frozen record with its own undo, widget keys and link.

Widgets hold no state of their own: before each is drawn its value is set from the record, and its
callback changes the record. No page reads the state of another; for the next page it leaves a link,
or a part to be open.

A user who moves a widget before the browser has drawn what a run has changed sends old values of
others with it, which are not changes (`is_echo`).

A page gives the record that it begins with and refuses those whose parts do not fit; a link holds
only what differs from the beginning.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from caldp_core.basics.errors import CaldpError, excerpt, require
from caldp_core.basics.limits import SEED_MAX
from caldp_core.datasets import Snap
from caldp_core.mechanisms.catalogue import Installed
from caldp_core.scenarios.scenario import FORMAT, Scenario, unknown_query_keys
from caldp_ui.app.navigation import ensure_navigation
from caldp_ui.app.texts import escape_markdown, plain_errors, read_texts
from caldp_ui.compute.runs import fetched_snap, with_population
from caldp_ui.lesson.steps import open_page
from caldp_ui.server.current_run import is_set_anew
from caldp_ui.server.messages import STEP, is_echo
from caldp_ui.server.whole import whole
from caldp_ui.session import links, visit

TEXTS: Final = read_texts(__file__)
_LINK: Final = "link"
_PART: Final = "open"


def open_with(path: str, query: Mapping[str, str]) -> None:
    """Have a page show the record of this link once it is opened; `path`: its file."""
    st.session_state[f"{_page(path)}/{_LINK}"] = dict(query)


def open_part(path: str, part: str) -> None:
    """Have a part of a page be open once the page is; `path`: its file."""
    st.session_state[f"{_page(path)}/{part}-{_PART}"] = True


def page_button(
    label: str, path: str, query: Mapping[str, str] | None = None, part: str = "", **options: Any
) -> None:
    """Draw a button that opens a page, with the record of a link or a part that is to be open.

    `path`: its file; `options`: of `st.button`.
    """

    def go() -> None:
        if query is not None:
            open_with(path, query)
        if part:
            open_part(path, part)
        open_page(path)
        st.rerun()  # all of the page: the button may be in a part of it

    st.button(label, on_click=go, **options)


def take_part(page: str, part: str) -> bool:
    """Whether a part of a page was to be open, true once; `page`: its state's name."""
    return bool(st.session_state.pop(f"{page}/{part}-{_PART}", False))


def _page(path: str) -> str:
    return PurePath(path).stem


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
    codec: links.RecordLink[R]
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
        if self.place("state") in st.session_state:
            self.put(record)
        else:
            self.codec.check(record)
            self._store(History(record))

    def change(
        self, update: Callable[[R], R], written: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Replace the record; a change that is not allowed becomes a notice, nothing is lost.

        `written`: the text that asks for it, by its widget's key; it stays beside the notice.
        """
        try:
            self.put(update(self.current()))
        except CaldpError as error:
            visit.notify(str(error), written)

    def bind(
        self,
        name: str,
        value: Any,
        update: Callable[[R, Any], R],
        options: Container[Any] | None = None,
    ) -> dict[str, Any]:
        """Arguments that tie a widget to the record: it shows `value`, its change is `update`.

        `options`: all values of a menu. The browser answers with a title; where titles have changed
        since it got them, Streamlit passes that title, which nobody chose.
        """
        arguments = self._tie(name, update, options)
        st.session_state[arguments["key"]] = value
        return arguments

    def bind_held(
        self, name: str, value: Any, update: Callable[[R, Any], R], steps: Sequence[str] = ()
    ) -> dict[str, Any]:
        """As `bind`, for a slider or a field of text: what the user is moving or writing stays.

        `steps`: texts of a slider's steps, by which the browser knows its value.

        Streamlit sends a value that is set to the browser, where it replaces what the user has got
        to by then. So it is set only where the browser's last message has another value: one that
        the page replaces, one that crossed what the run before had set, or one of other steps.
        """
        key = self.key(name)
        value = visit.refused_text(key, value)
        last_set = st.session_state.setdefault(f"{self.page}/set", {})
        last_steps = st.session_state.setdefault(f"{self.page}/steps", {})
        is_known = st.session_state.get(key) == value and last_steps.get(key, steps) == steps
        last_steps[key] = steps
        arguments = self._tie(name, update)
        if key in st.session_state and is_known and last_set.pop(key, value) == value:
            # It is the default as well: what the run before has set may never have been sent.
            return arguments if is_set_anew(key) else {**arguments, "value": value}
        st.session_state[key] = last_set[key] = value
        return arguments

    def _tie(
        self, name: str, update: Callable[[R, Any], R], options: Container[Any] | None = None
    ) -> dict[str, Any]:
        """The arguments of `bind`, for a widget that has its value."""
        key = self.key(name)

        def changed() -> None:
            picked = st.session_state[key]
            is_chosen = picked is not None and (options is None or picked in options)
            if is_chosen and not is_echo(key):
                written = {key: picked} if isinstance(picked, str) else {}
                self.change(lambda before: update(before, picked), written)

        return {"key": key, "on_change": changed}

    def button(
        self, name: str, label: str, act: Callable[..., None], *values: object, **options: Any
    ) -> None:
        """Draw a button of the page, whose click calls `act` with `values`.

        `name`: of the widget; `options`: of `st.button`, of which `icon` is a Material icon's name.
        """
        if icon := options.pop("icon", ""):
            options["icon"] = f":material/{icon}:"
        st.button(label, key=self.key(name), on_click=act, args=values, **options)

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
        with whole():
            handed: dict[str, str] | None = st.session_state.pop(f"{self.page}/{_LINK}", None)
            if handed is not None:
                self.open_with(self.codec.read(handed))
            self._history()
        self._open_awaited()

    def write_link(self) -> None:
        """Write the record that is shown into the address bar; a link that waits stays there."""
        if self.awaited is None or self.current() != self.codec.fresh():
            texts = self.link_texts()
            with whole():
                links.write(self.codec, self.page, links.seal(self.page, texts))
                st.session_state[self.place("written")] = texts

    @property
    def awaited(self) -> dict[str, str] | None:
        """A link whose data have not been brought yet, and are waited for."""
        query: dict[str, str] | None = st.session_state.get(self.place("awaited"))
        return query

    def stop_waiting(self) -> None:
        """Forget the link that waits for data."""
        st.session_state.pop(self.place("awaited"), None)

    def _open_address(self, step: str | None) -> None:
        """Show the record of the address bar, or of the address that a step leads to.

        A link without its data waits for them.
        """
        received = links.receive(self.codec, self.page, self.other_keys, step)
        if step is None:
            self._store(History(received.record))
        else:
            received = self._last_chosen(received)
            self.put(received.record)
        self._accept(received)

    def _last_chosen(self, received: links.Received[R]) -> links.Received[R]:
        """What the user last chose at an address, which was not written if the page was left."""
        written, unwritten = self.place("written"), self.place("unwritten")
        left, chosen = st.session_state.get(written), self.link_texts()
        if left not in (None, chosen):
            st.session_state[unwritten] = left, chosen
        st.session_state[written] = received.texts
        left, chosen = st.session_state.get(unwritten, (None, {}))
        if received.fault or left != received.texts:
            return received
        del st.session_state[unwritten]
        return links.understand(self.codec, self.page, [*chosen.items()], self.other_keys)

    def _accept(self, received: links.Received[R]) -> None:
        """Keep what else an address says than the record, which is shown by now."""
        st.session_state[self.place("awaited")] = received.texts if received.lacks_data else None
        links.keep_fault(self.page, received)

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
        except visit.MissingDataError:
            return False
        except CaldpError as error:
            visit.notify(f"The link's settings do not fit these data. {error}")
        self.stop_waiting()
        return True

    def query(self) -> dict[str, str]:
        """The record that is shown as texts of a link, with their check."""
        return links.seal(self.page, self.link_texts())

    def link_texts(self) -> dict[str, str]:
        """The record that is shown as texts of a link."""
        return self.codec.write(self.current())

    @property
    def other_keys(self) -> tuple[str, ...]:
        """Keys of the page's link that are not the codec's."""
        return ()

    def place(self, name: str) -> str:
        """The key under which a visit keeps something of this page."""
        return f"{self.page}/{name}"

    def _history(self) -> History[R]:
        step = STEP.format(self.page)
        if step in st.session_state or self.place("state") not in st.session_state:
            with whole():
                self._open_address(st.session_state.pop(step, None))
        history: History[R] = st.session_state[self.place("state")]
        return history

    def _store(self, history: History[R]) -> None:
        st.session_state[self.place("state")] = history


PINNED: Final = "pinned"
"""The link's key of the pinned record that is shown."""
PINS: Final = "pins"
"""The link's key of all kept records, where there are others."""
_BETWEEN: Final = "|"
"""Between kept records in a link; their own texts have it escaped."""
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
        """The kept record whose picture is shown, if any."""
        kept: R | None = st.session_state.get(self.place(PINNED))
        return kept

    @property
    def pins(self) -> tuple[R, ...]:
        """All kept records, the latest last."""
        kept: tuple[R, ...] = st.session_state.get(self.place(PINS), ())
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
        st.session_state[self.place(PINNED)] = record

    def unpin(self, record: R) -> None:
        """Remove a kept record; the latest of the others is shown in its place."""
        rest = tuple(each for each in self.pins if each != record)
        st.session_state[self.place(PINS)] = rest
        if self.pinned == record:
            self.choose_pin(rest[-1] if rest else None)

    def unpin_all(self) -> None:
        """Remove all kept records."""
        st.session_state[self.place(PINS)] = ()
        self.choose_pin(None)

    def _accept(self, received: links.Received[R]) -> None:
        super()._accept(received)
        self._pin_all({} if self.awaited else received.texts)

    def link_texts(self) -> dict[str, str]:
        """The record that is shown and the pinned ones as texts of a link."""
        texts, pinned, pins = super().link_texts(), self.pinned, self.pins
        if pinned is not None:
            texts[PINNED] = self._pin_text(pinned)
        if set(pins) - {pinned}:
            texts[PINS] = _BETWEEN.join(map(self._pin_text, pins))
        return texts

    def _pin_text(self, record: R) -> str:
        return urlencode(self.codec.write(record)) or _FRESH

    @property
    def other_keys(self) -> tuple[str, ...]:
        """Keys of the page's link that are not the codec's: those of pinned records."""
        return PINNED, PINS

    def _add(self, record: R) -> None:
        if record not in self.pins:
            st.session_state[self.place(PINS)] = (*self.pins, record)[-PINS_MAX:]
        self.choose_pin(record)

    def _open_awaited(self) -> bool:
        texts = self.awaited or {}
        is_there = super()._open_awaited()
        if is_there:
            self._pin_all(texts)
        return is_there

    def _pin_all(self, texts: Mapping[str, str]) -> None:
        """Keep the records that the texts of a link have as pinned; show the one that it shows."""
        kept = map(self._read_pin, texts.get(PINS, "").split(_BETWEEN)[:PINS_MAX])
        shown = self._read_pin(texts.get(PINNED, ""))
        for record in (*kept, shown):
            if record is not None:
                self._add(record)
        self.choose_pin(shown)

    def _read_pin(self, text: str) -> R | None:
        if not text:
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


@dataclass(frozen=True)
class ScenarioRecord:
    """Base of the records of pages with a scenario."""

    scenario: Scenario


S = TypeVar("S", bound=ScenarioRecord)


def update_scenario(state: PageState[S], update: Callable[[Scenario], Scenario]) -> None:
    """Change the scenario of the page's record; a change that is not allowed becomes a notice."""
    state.change(lambda record: replace(record, scenario=update(record.scenario)))


def bind(
    state: PageState[S],
    name: str,
    value: Any,
    update: Callable[[Scenario, Any], Scenario],
    options: Container[Any] | None = None,
) -> dict[str, Any]:
    """Arguments that tie a widget to the scenario of the page's record (see `PageState.bind`)."""
    return state.bind(name, value, _on_scenario(update), options)


def bind_held(
    state: PageState[S], name: str, value: Any, update: Callable[[Scenario, Any], Scenario]
) -> dict[str, Any]:
    """As `bind`, for a slider or a field of text (see `PageState.bind_held`)."""
    return state.bind_held(name, value, _on_scenario(update))


def _on_scenario(update: Callable[[Scenario, Any], Scenario]) -> Callable[[S, Any], S]:
    return lambda record, picked: replace(record, scenario=update(record.scenario, picked))


def redraw_noise(state: PageState[S]) -> None:
    """Draw new noise for the same scenario (and other people, where they are drawn)."""
    update_scenario(state, lambda s: replace(s, seed=(s.seed + 1) % (SEED_MAX + 1)))


def scenario_query(scenario: Scenario) -> dict[str, str]:
    """A scenario as texts of a link, never empty: no text stands for what a page begins with."""
    return visit.query(scenario) or {"v": str(FORMAT)}


def make_safe(found: Scenario) -> Scenario:
    """A scenario from anywhere, safe to run; raises `CaldpError` if it can't be."""
    # It must not make the server read files of the sender's choice.
    if isinstance(found.dataset, Snap) and found.dataset != fetched_snap():
        raise CaldpError(TEXTS["no_snap_file"])
    require(not isinstance(found.mechanism, Installed), TEXTS["other_package"])
    # One outcome is shown: more trials would only keep the server busy.
    return with_population(replace(found, trials=1))


@dataclass(frozen=True)
class ScenarioLink(links.RecordLink[S]):
    """How a record with a scenario is written: the scenario's own keys, then the other fields'.

    `restrict_scenario`: a link's scenario as the page takes it, for pages that fix parts of it.
    """

    restrict_scenario: Callable[[Scenario], Scenario] = lambda scenario: scenario

    def write(self, record: S) -> dict[str, str]:
        """The record as texts of a query: what differs from `begin`, its scenario as a whole."""
        is_initial = record.scenario == self.begin.scenario
        return ({} if is_initial else scenario_query(record.scenario)) | super().write(record)

    def read(self, query: Mapping[str, str]) -> S:
        """The record of such texts; raises `CaldpError` if they do not describe one."""
        own = {key: text for key, text in query.items() if key in self._fields()}
        flat = {key: text for key, text in query.items() if key not in own}
        if not flat:
            return super().read(own)
        record = super().read(own) if own else self._unsaid()
        return replace(record, scenario=self.restrict_scenario(make_safe(visit.read(flat))))

    def unknown_keys(self, query: Mapping[str, str]) -> list[str]:
        """Keys of the query that are neither a field's nor the scenario's."""
        known = (*visit.KEYS, *self._fields())
        return [key for key in unknown_query_keys(query) if key not in known]


_PAGE: Final = "opening/page"
_IS_FIRST_RUN: Final = "opening/is-first-run"


def begin_page(state: PageState[R]) -> R:
    """Begin a run of the page: notices, the link; returns the record to show."""
    ensure_navigation()
    st.session_state[_IS_FIRST_RUN] = st.session_state.get(_PAGE) != state.page
    st.session_state[_PAGE] = state.page
    state.follow_link()
    record = state.current()
    links.show_fault(state.page, record)
    with st.container(gap=None):  # always there: what follows keeps its place, drawn once
        visit.show_notices()
        # The data of a link that waits for them: from the browser's tab, else from the reader.
        visit.copy_own_data_to_tab(state.awaited)
        if state.awaited is not None:
            text = visit.request_text(state.awaited)
            st.info(escape_markdown(text), icon=":material/upload_file:")
    state.write_link()
    return record


def show_page(state: PageState[R], show: Callable[[R], None]) -> None:
    """Begin a run of the page and show its record; what the core refuses is a sentence on it."""
    record = begin_page(state)
    with plain_errors():
        show(record)


def is_first_run() -> bool:
    """Whether the visit has just come to this page from another one, or from outside."""
    return bool(st.session_state.get(_IS_FIRST_RUN))
