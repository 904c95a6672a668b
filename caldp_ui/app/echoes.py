"""What comes of a browser's messages: changes that are made in full, and values that it repeats.

Each message has the values of all widgets. Of those that a run has changed since, it has the old
ones until the browser has drawn that run, and Streamlit takes them for changes by the user. What
the user has changed differs from the message before, and from what the server has.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.session_state import SessionState

_NOTED: Final = "echoes/noted"
"""The session key of the last values by widget's id, and the ids that are new in this run.

What stands for one click is new each time.
"""


def note_new_values() -> None:
    """Have each run note which values of its message the one before did not have."""
    begin = SessionState.on_script_will_rerun

    def begin_noting(state: SessionState, sent: WidgetStates | None, **more: Any) -> None:
        if sent is not None:
            last, _ = _noted(state)
            new = {each.id for each in sent.widgets if last.get(each.id) != each}
            lasting = {each.id: each for each in sent.widgets if not _is_click(each)}
            state[_NOTED] = {key: each for key, each in last.items() if key in state} | lasting, new
        with _to_the_end():
            begin(state, sent, **more)

    SessionState.on_script_will_rerun = begin_noting  # type: ignore[method-assign, assignment]


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


def _noted(state: SessionState) -> tuple[dict[str, WidgetState], set[str]]:
    return state[_NOTED] if _NOTED in state else ({}, set())  # noqa: SIM401 — it has no `get`


def _is_click(widget: WidgetState) -> bool:
    return str(widget.WhichOneof("value")).endswith("trigger_value")


def is_echo(key: str) -> bool:
    """Whether the browser repeats this widget's value in a run that the user asked for by another.

    Where no other has changed, the user has chosen again what a run had replaced.
    """
    context = get_script_run_ctx()
    if context is None:
        return False
    state = context.session_state._state  # noqa: SLF001 — no public name
    _, new = _noted(state)
    widget = state._get_widget_id(key)  # noqa: SLF001
    return widget not in new and any(state._widget_changed(each) for each in new)  # noqa: SLF001
