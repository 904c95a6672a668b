"""Each change in a browser's messages is made once and in full; repeats of old values make none.

Each message has the values of all widgets. Of those that a run has changed since, it has the old
ones until the browser has drawn that run, and Streamlit takes them for changes by the user. What
the user has changed differs from the message before, and from what the server has.

The runs of a visit come one after another (`runner.fastReruns` is off, `require_one_run`): a
message that comes while a run is at work ends that run where it draws something, and waits for the
next. Streamlit joins the messages that wait, so that two clicks become one. Here all that wait are
kept, and the next run makes the changes of each, in order: a click of each, and on whichever page
it was.

A visit is where its user last chose to be. Neither what is used on a page that has been left, nor a
run that ends before its page is shown, takes a step back. Until then, one in the browser's history
is kept with its address (`STEP`), and that of a button with its page (`TO_OPEN`).
"""

from pathlib import PurePath
from threading import Lock
from typing import Any, Final
from urllib.parse import urlencode

from streamlit import config
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import state as states
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState

from caldp_ui.lesson.steps import TO_OPEN
from caldp_ui.server.guard import Patch
from caldp_ui.server.whole import whole

_WAITING_MAX_BYTES: Final = 8 * 2**20
"""Bytes of messages that wait for a run, besides the last: of more the earliest are dropped."""
STEP: Final = "{}/step"
"""The key of the query that a step in the browser's history leads to, by the page's name."""


def is_step(message: ClientState) -> bool:
    """Whether the user has chosen its page: widgets that are used go with all of their page."""
    is_of_page = bool(message.page_script_hash) and not message.fragment_id
    return is_of_page and not message.widget_states.widgets


class VisitState(SessionState):
    """The state of a visit, which knows what the visit's runs have made of its messages.

    `last`: the last values by widget's id. `new`: ids of widgets whose values the message before
    did not have; what stands for one click is new each time.
    """

    def __init__(self) -> None:
        super().__init__()
        self.last: dict[str, WidgetState] = {}
        self.new = set[str]()
        self._asking = Lock()
        self._waiting: list[ClientState] | None = None
        """Messages that no run has begun with; None where runs come without, as in a test."""

    def on_script_will_rerun(self, fresh_widget_states: WidgetStates | None, **more: Any) -> None:
        """Make the changes of all messages that wait, each in full."""
        for message in self._take(fresh_widget_states):
            self._note_step(message)
            widgets = self._changes(message)
            self._note_values(widgets)
            with whole():
                super().on_script_will_rerun(widgets, **more)

    def forget(self) -> None:
        """Forget everything, as the visit has ended: values, widgets, messages."""
        self.clear()
        self._new_widget_state.widget_metadata.clear()
        self.last, self.new = {}, set()
        with self._asking:
            self._waiting = None

    def on_script_finished(self, widget_ids_this_run: frozenset[str], **more: Any) -> None:
        """Forget the widgets that a run has not drawn, unless a message of theirs waits."""
        waiting = set[str]()
        with self._asking:
            for message in self._waiting or ():
                waiting.update(widget.id for widget in message.widget_states.widgets)
        super().on_script_finished(widget_ids_this_run | waiting, **more)

    def ask(self, message: ClientState, page: str) -> None:
        """Have a message wait for the next run that begins.

        `page`: the hash of the page that was run last. A message of a page that was left is made
        one of the page where the visit is, so that it takes no step back.
        """
        with self._asking:
            waiting = list(self._waiting or ())
            self._move_to_open_page(message, waiting, page)
            while sum(other.ByteSize() for other in waiting) > _WAITING_MAX_BYTES:
                del waiting[0]
            # A timer's has no change: its values may be those that the server had set meanwhile.
            if not message.is_auto_rerun:
                waiting.append(message)
            self._waiting = waiting

    def _move_to_open_page(
        self, message: ClientState, waiting: list[ClientState], page: str
    ) -> None:
        """Have a message of a page that the visit has left name the page where the visit is."""
        open_page = page
        query = None
        for other in waiting:
            if is_step(other):
                open_page = other.page_script_hash
                query = other.query_string
        is_elsewhere = bool(open_page) and message.page_script_hash not in ("", open_page)
        if not is_elsewhere or message.fragment_id or is_step(message):
            return
        message.page_script_hash = open_page
        if query is None:
            query = self._address()
        message.query_string = query

    def _address(self) -> str:
        known = dict(self.query_params._query_params)  # noqa: SLF001 — a copy, as a run may write it
        return urlencode(known, doseq=True)

    def _take(self, sent: WidgetStates | None) -> list[ClientState]:
        """The messages that wait; an empty one where another run has begun with them all."""
        with self._asking:
            if self._waiting is None:
                return [ClientState(widget_states=sent)]
            taken = self._waiting
            self._waiting = []
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
        part = message.fragment_id
        if not part:
            return message.widget_states
        known = self._new_widget_state.widget_metadata
        own = []
        for widget in message.widget_states.widgets:
            if widget.id in known and known[widget.id].fragment_id == part:
                own.append(widget)
        return WidgetStates(widgets=own)

    def _note_values(self, sent: WidgetStates) -> None:
        """Note which values of a message are new, and all that last for the next."""
        self.new = {widget.id for widget in sent.widgets if self.last.get(widget.id) != widget}
        kept = {key: widget for key, widget in self.last.items() if key in self}
        for widget in sent.widgets:
            if not _is_click(widget):
                kept[widget.id] = widget
        self.last = kept


def _is_click(widget: WidgetState) -> bool:
    return str(widget.WhichOneof("value")).endswith("trigger_value")


def keep_changes() -> None:
    """Have runs make each change of a browser's messages once, and know which values are new."""
    require_one_run()
    states.SessionState = VisitState  # type: ignore[misc, assignment]
    request = AppSession.request_rerun

    def ask(session: AppSession, message: ClientState | None) -> None:
        state = session._session_state  # noqa: SLF001 — no public name
        if message is not None and isinstance(state, VisitState):
            state.ask(message, session._pages_manager.current_page_script_hash)  # noqa: SLF001
        request(session, message)

    AppSession.request_rerun = ask  # type: ignore[method-assign, assignment]


def require_one_run() -> None:
    """Have a visit's runs come one after another, whatever the settings' files say.

    With Streamlit's own choice a second run begins while the first still makes its changes, and one
    of two quick changes is lost.
    """
    config.set_option("runner.fastReruns", False)


def is_echo(key: str) -> bool:
    """Whether the browser repeats this widget's value in a run that the user asked for by another.

    Where no other has changed, the user has chosen again what a run had replaced.
    """
    context = get_script_run_ctx()
    state = context and context.session_state._state  # noqa: SLF001 — no public name
    if not isinstance(state, VisitState):
        return False
    repeated = state._get_widget_id(key)  # noqa: SLF001
    if repeated in state.new:
        return False
    return any(state._widget_changed(widget) for widget in state.new)  # noqa: SLF001


PATCHES: Final = (
    Patch(
        name="messages in order",
        reason="Streamlit joins messages that wait for a run, and breaks callbacks off.",
        upstream="streamlit PR 16763, issues 8291, 10578",
        without="of two quick clicks one may be lost",
        rests_on={
            "streamlit.runtime.app_session.AppSession.__init__:"
            "from streamlit.runtime.state import SessionState": "",
            "streamlit.runtime.app_session.AppSession.__init__:_pages_manager": "",
            "streamlit.runtime.app_session.AppSession.request_rerun": "self, client_state",
            "streamlit.runtime.app_session.AppSession.request_rerun:runner.fastReruns": "",
            "streamlit.runtime.state.SessionState.on_script_will_rerun": (
                "self, fresh_widget_states, replay_trigger_states, replay_trigger_values,"
                " is_history_navigation"
            ),
            "streamlit.runtime.state.SessionState.on_script_finished": (
                "self, widget_ids_this_run, remove_stale_widgets"
            ),
            "streamlit.runtime.scriptrunner.script_runner.ScriptRunner"
            "._maybe_handle_execution_control_request:_execing": "",
            "streamlit.runtime.state.SafeSessionState.__init__:_yield_callback": "",
        },
        apply=keep_changes,
    ),
    Patch(
        name="echoes",
        reason="A message repeats old values of what a run has set meanwhile.",
        upstream="streamlit issue 8365",
        without="what a page has set may be undone by the next key",
        rests_on={
            "streamlit.runtime.state.SessionState._get_widget_id": "self, k",
            "streamlit.runtime.state.SessionState._widget_changed": "self, widget_id",
            "streamlit.runtime.state.SafeSessionState.__init__:_state": "",
        },
    ),
)
