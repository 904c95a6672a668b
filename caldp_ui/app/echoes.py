"""What comes of a browser's messages: each change is made, once and in full; repeats are none.

Each message has the values of all widgets. Of those that a run has changed since, it has the old
ones until the browser has drawn that run, and Streamlit takes them for changes by the user. What
the user has changed differs from the message before, and from what the server has.

Two quick messages make two runs of one visit: Streamlit begins the second while the first goes on
to where it can be broken off. So the runs of a visit share a lock: one begins, with the changes of
its message, once the other has made its own, and one that was stopped writes nothing more. A click
is in one message alone; where its run is stopped before it begins, the next has the click.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Lock, RLock
from typing import Any, Final, ParamSpec, TypeVar

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import state as states
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunner, StopException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import (
    ScriptRequestType,
    _coalesce_widget_states,
)
from streamlit.runtime.state import SafeSessionState, SessionState

P = ParamSpec("P")
T = TypeVar("T")
OF_A_RUN: Final = ("on_script_will_rerun", "register_widget", "__setitem__", "__delitem__")
"""What a run does with its visit's state, unless it was stopped."""


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
        self._clicks, self._page = WidgetStates(), ""

    def on_script_will_rerun(self, fresh_widget_states: WidgetStates | None, **more: Any) -> None:
        """Make the changes of a message, whole; in a run that was stopped, end it."""
        sent = fresh_widget_states
        self._take_clicks(sent or WidgetStates())
        if sent is not None:
            self.new = {each.id for each in sent.widgets if self.last.get(each.id) != each}
            lasting = {each.id: each for each in sent.widgets if not _is_click(each)}
            self.last = {key: each for key, each in self.last.items() if key in self} | lasting
        with _to_the_end():
            super().on_script_will_rerun(sent, **more)

    def ask(self, message: ClientState, runner: ScriptRunner | None) -> None:
        """Stop the run that a message takes the place of, if any, and give the message its clicks.

        `runner`: what runs the visit's pages; None if no run is at work or waits.
        """
        with self._asking:
            if runner is None or message.page_script_hash != self._page:
                self._clicks.Clear()
            self._page = message.page_script_hash
            clicks = WidgetStates(widgets=filter(_is_click, message.widget_states.widgets))
            self._clicks = _joined(self._clicks, clicks)
            if message.fragment_id:
                return
            message.widget_states.CopyFrom(_joined(self._clicks, message.widget_states))
            if runner is not None:
                runner.request_stop()

    def _take_clicks(self, sent: WidgetStates) -> None:
        """Begin with a message's clicks, which wait no longer."""
        with self._asking:
            if _is_stopped():
                raise StopException
            ids = {each.id for each in sent.widgets}
            waiting = [each for each in self._clicks.widgets if each.id not in ids]
            self._clicks = WidgetStates(widgets=waiting)


def _joined(earlier: WidgetStates, later: WidgetStates) -> WidgetStates:
    return _coalesce_widget_states(earlier, later) or WidgetStates()


def _is_stopped() -> bool:
    """Whether this run was stopped for one that takes its place."""
    requests = getattr(get_script_run_ctx(), "script_requests", None)
    return requests is not None and requests._state is ScriptRequestType.STOP  # noqa: SLF001 — no public name


def keep_changes() -> None:
    """Have runs make each change of a browser's messages once, and know which values are new."""
    states.SessionState = VisitState  # type: ignore[misc, assignment]
    _share_locks()
    _keep_clicks()


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


def _keep_clicks() -> None:
    request = AppSession.request_rerun

    def ask(session: AppSession, message: ClientState | None) -> None:
        state, runner = session._session_state, session._scriptrunner  # noqa: SLF001 — no public name
        if message is not None and isinstance(state, VisitState):
            state.ask(message, runner)
        request(session, message)

    AppSession.request_rerun = ask  # type: ignore[method-assign, assignment]


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
