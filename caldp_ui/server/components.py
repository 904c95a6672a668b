"""What a browser still has is not made again for it."""

from collections.abc import Callable
from typing import Any, Final

import streamlit as st
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

from caldp_ui.server.guard import Patch

_SENT: Final = "sent"
"""The key of a visit's state for what its browser was sent: content, and name of its message."""


def send_once(
    key: str, content: object, component: Callable[..., object], make: Callable[[], object]
) -> None:
    """Draw a `component` without state; where the browser has its `content` still, only say so.

    `key`: names it on its page; `content`: of a film a weak reference, so that it is kept for no
    other visit; `make`: returns its data. Streamlit makes each message in full in each run, half a
    megabyte of a film, to find that the browser has it.
    """
    run = get_script_run_ctx(suppress_warning=True)
    if run is None or ThreadState.get().fragment_id:
        component(key=key, data=make())
        return
    sent = st.session_state.setdefault(_SENT, {})
    had, name = sent.get(key, (None, ""))
    if name in run.cached_message_hashes and had == content:
        place: Any = st._main._active_dg._cursor  # noqa: SLF001 — no public name
        message = ForwardMsg(ref_hash=name)
        message.metadata.delta_path[:] = place.delta_path
        run.enqueue(message)
        place.lock_element()
        return
    pass_on = run._enqueue  # noqa: SLF001

    def note_name(message: ForwardMsg) -> None:
        sent[key] = content, message.hash or message.ref_hash
        pass_on(message)

    run._enqueue = note_name  # noqa: SLF001
    try:
        component(key=key, data=make())
    finally:
        run._enqueue = pass_on  # noqa: SLF001


_CONTEXT: Final = "streamlit.runtime.scriptrunner_utils.script_run_context"
PATCH: Final = Patch(
    name="sent once",
    reason="Streamlit makes each message in full in each run to find that the browser has it.",
    without="a film is made anew in each run of its page",
    rests_on={
        f"{_CONTEXT}.ThreadState.get": "",
        f"{_CONTEXT}.ScriptRunContext.enqueue": "self, msg",
        f"{_CONTEXT}.ScriptRunContext:_enqueue": "",
        "streamlit.cursor.RunningCursor.lock_element": "",
        "streamlit.proto.ForwardMsg_pb2.ForwardMsg.ref_hash": "",
    },
)
