"""What comes of a browser's messages: each change is made, once and in full; repeats are none.

Each message has the values of all widgets. Of those that a run has changed since, it has the old
ones until the browser has drawn that run, and Streamlit takes them for changes by the user. What
the user has changed differs from the message before, and from what the server has.

Two quick messages make two runs of one visit: Streamlit begins the second while the first goes on
to where it can be broken off. So the runs of a visit share a lock: one begins, with the changes of
its message, once the other has made its own, and one that was stopped writes nothing more. A run
that is stopped before it begins leaves its message to the next, which makes the changes of all that
wait, one message after another: a click of each, and on whichever page it was.

A visit is where its user last chose to be. Neither what is used on a page that has been left, nor a
run that is stopped before its page is shown, takes a step back. Until then, one in the browser's
history is kept with its address (`STEP`), and that of a button with its page (`TO_OPEN`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import PurePath
from threading import Lock, RLock
from typing import Any, Final, ParamSpec, TypeVar
from urllib.parse import urlencode

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import state as states
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner, StopException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.state import SafeSessionState, SessionState

from caldp_ui.lesson.steps import TO_OPEN

P = ParamSpec("P")
T = TypeVar("T")
OF_A_RUN: Final = ("on_script_will_rerun", "register_widget", "__setitem__", "__delitem__")
"""What a run does with its visit's state, unless it was stopped."""
_WAITING_MAX_BYTES: Final = 8 * 2**20
"""Bytes of messages that wait for a run, besides the last: of more the earliest are dropped."""
STEP: Final = "{}/step"
"""The key of the query that a step in the browser's history leads to, by the page's name."""


def is_step(message: ClientState) -> bool:
    """Whether the user has chosen its page: widgets that are used go with all of their page."""
    is_whole = bool(message.page_script_hash) and not message.fragment_id
    return is_whole and not message.widget_states.widgets


class VisitState(SessionState):
    """The state of a visit, which knows what the visit's runs have made of its messages.

    `lock`: held by the run that writes. `last`: the last values by widget's id. `new`: ids of those
    that the message before did not have; what stands for one click is new each time.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lock = RLock()
        self.last: dict[str, WidgetState] = {}
        self.new = set[str]()
        self._asking = Lock()
        self._waiting: list[ClientState] | None = None
        """Messages that no run has begun with; None where runs come without, as in a test."""

    def on_script_will_rerun(self, fresh_widget_states: WidgetStates | None, **more: Any) -> None:
        """Make the changes of all messages that wait, whole; in a run that was stopped, end it."""
        for message in self._take(fresh_widget_states):
            self._note_step(message)
            widgets = self._changes(message)
            self._note(widgets)
            with _to_the_end():
                super().on_script_will_rerun(widgets, **more)

    def on_script_finished(self, widget_ids_this_run: frozenset[str], **more: Any) -> None:
        """Forget the widgets that a run has not drawn, unless a message of theirs waits."""
        with self._asking:
            messages = self._waiting or ()
            waiting = {each.id for message in messages for each in message.widget_states.widgets}
        super().on_script_finished(widget_ids_this_run | waiting, **more)

    def ask(self, message: ClientState, runner: ScriptRunner | None, page: str) -> None:
        """Have a message wait for the next run that begins, and stop the one that it overtakes.

        `runner`: what runs the visit's pages; None if no run is at work or waits. `page`: the hash
        of the page that was run last; a message of one that was left is made one of where it is.
        """
        with self._asking:
            waiting = [*(self._waiting or ())]
            steps = [each for each in waiting if is_step(each)]
            here = steps[-1].page_script_hash if steps else page
            is_elsewhere = here and message.page_script_hash not in ("", here)
            if is_elsewhere and not (is_step(message) or message.fragment_id):
                message.page_script_hash = here
                message.query_string = steps[-1].query_string if steps else self._address()
            while sum(each.ByteSize() for each in waiting) > _WAITING_MAX_BYTES:
                del waiting[0]
            # A timer's has no change: its values may be those that the server had set meanwhile.
            self._waiting = waiting if message.is_auto_rerun else [*waiting, message]
            if runner is not None and not message.fragment_id:
                runner.request_stop()

    def _address(self) -> str:
        known = dict(self.query_params._query_params)  # noqa: SLF001 — a copy, as a run may write it
        return urlencode(known, doseq=True)

    def _take(self, sent: WidgetStates | None) -> list[ClientState]:
        """The messages that wait; an empty one where another run has begun with them all."""
        with self._asking:
            if _is_stopped():
                raise StopException
            if self._waiting is None:
                return [ClientState(widget_states=sent)]
            taken, self._waiting = self._waiting, []
        return taken or [ClientState()]

    def _note_step(self, message: ClientState) -> None:
        """Keep a step until the page has made it; it takes the place of any other to a page."""
        if not is_step(message):
            return
        if TO_OPEN in self:
            del self[TO_OPEN]
        context = get_script_run_ctx()
        pages = context.pages_manager.get_pages() if context else {}
        if message.is_history_navigation and message.page_script_hash in pages:
            path = PurePath(pages[message.page_script_hash]["script_path"])
            self[STEP.format(path.stem)] = message.query_string

    def _changes(self, message: ClientState) -> WidgetStates:
        """What a user may have changed: for a part of the page that is run alone, its widgets.

        The browser sends a part the values of all widgets: of others, one from a run that a user's
        own has overtaken, or one that the user's own message is about to bring. Taken from the
        part, the first would undo a choice, and the second would be no change any more when its
        message comes.
        """
        widgets, part = message.widget_states.widgets, message.fragment_id
        if not part:
            return message.widget_states
        known = self._new_widget_state.widget_metadata
        own = [w for w in widgets if w.id in known and known[w.id].fragment_id == part]
        return WidgetStates(widgets=own)

    def _note(self, sent: WidgetStates) -> None:
        """Note which values of a message are new."""
        self.new = {each.id for each in sent.widgets if self.last.get(each.id) != each}
        lasting = {each.id: each for each in sent.widgets if not _is_click(each)}
        self.last = {key: each for key, each in self.last.items() if key in self} | lasting


def _is_stopped() -> bool:
    """Whether this run was stopped for one that takes its place."""
    requests = getattr(get_script_run_ctx(), "script_requests", None)
    return requests is not None and requests._state is ScriptRequestType.STOP  # noqa: SLF001 — no public name


def keep_changes() -> None:
    """Have runs make each change of a browser's messages once, and know which values are new."""
    states.SessionState = VisitState  # type: ignore[misc, assignment]
    _share_locks()
    _keep_messages()


def _share_locks() -> None:
    """Have the runs of a visit write one at a time, and look for a stop when it is their turn.

    Streamlit's locks are each of one run, which looks for a stop before it waits for its lock.
    """
    make = SafeSessionState.__init__

    def make_with_lock(
        safe: SafeSessionState, state: SessionState, yield_callback: Callable[[], None]
    ) -> None:
        make(safe, state, yield_callback)
        if isinstance(state, VisitState):
            object.__setattr__(safe, "_lock", state.lock)

    SafeSessionState.__init__ = make_with_lock  # type: ignore[method-assign, assignment]
    for name in OF_A_RUN:
        setattr(SafeSessionState, name, _alone(getattr(SafeSessionState, name)))


def _alone(act: Callable[P, T]) -> Callable[P, T]:
    @wraps(act)
    def act_alone(*args: P.args, **more: P.kwargs) -> T:
        safe: Any = args[0]
        with safe._lock:  # noqa: SLF001 — no public name
            return act(*args, **more)

    return act_alone


def _keep_messages() -> None:
    request = AppSession.request_rerun

    def ask(session: AppSession, message: ClientState | None) -> None:
        state, runner = session._session_state, session._scriptrunner  # noqa: SLF001 — no public name
        if message is not None and isinstance(state, VisitState):
            state.ask(message, runner, session._pages_manager.current_page_script_hash)  # noqa: SLF001
        request(session, message)

    AppSession.request_rerun = ask  # type: ignore[method-assign, assignment]


@contextmanager
def whole() -> Iterator[None]:
    """Have a run make changes of its visit's state in full; in a run that was stopped, end it."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        yield
        return
    safe = context.session_state
    with safe._lock:  # noqa: SLF001 — no public name
        safe._yield_callback()  # noqa: SLF001
        with _to_the_end():
            yield


@contextmanager
def _to_the_end() -> Iterator[None]:
    """Have the changes of a message made in full, although the next one may ask for a new run.

    Streamlit breaks a run off where it reads the session's state, in a change, too, and the next
    message has the value already, so that nobody makes the change: text that was ended by a click.
    """
    context = get_script_run_ctx()
    ends = context and context.session_state._yield_callback  # noqa: SLF001 — no public name
    runner: Any = getattr(ends, "__self__", None)
    if not getattr(runner, "_execing", False):
        yield
        return
    runner._execing = False  # noqa: SLF001
    try:
        yield
    finally:
        runner._execing = True  # noqa: SLF001


def _is_click(widget: WidgetState) -> bool:
    return str(widget.WhichOneof("value")).endswith("trigger_value")


def is_echo(key: str) -> bool:
    """Whether the browser repeats this widget's value in a run that the user asked for by another.

    Where no other has changed, the user has chosen again what a run had replaced.
    """
    context = get_script_run_ctx()
    state = context and context.session_state._state  # noqa: SLF001 — no public name
    if not isinstance(state, VisitState):
        return False
    widget = state._get_widget_id(key)  # noqa: SLF001
    return widget not in state.new and any(map(state._widget_changed, state.new))  # noqa: SLF001
