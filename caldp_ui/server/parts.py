"""Parts of a page that are run alone: those of pages that were left, and those that are gone.

A part of a page that the visit has left is not run: Streamlit would run it as a part of the page
before, and the browser would fail or show the wrong address. Where a run of the same page left a
part out that its user has just used, the whole page runs; Streamlit would drop what was chosen.
"""

from typing import Final

import streamlit as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import Fragment, MemoryFragmentStorage
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from caldp_ui.server.guard import Patch
from caldp_ui.server.turns import runs_page_of


class Parts(MemoryFragmentStorage):
    """The parts of a visit's page; one that is gone, but that a user has used, runs the page.

    `used`: ids of parts whose controls were used, until they have run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used = set[str]()

    def lookup(self, key: str) -> Fragment:
        """The part of that id, or what runs in its place: the page, or nothing for a timer."""
        is_used = key in self.used
        self.used.discard(key)
        if self.contains(key):
            return super().lookup(key)
        if is_used:
            return st.rerun
        return lambda: None


def skip_parts_of_left_pages() -> None:
    """Skip a part's run on a page that the visit has left.

    It would be a step back to its page, at which Streamlit drops the values of widgets.
    """
    run = ScriptRunner._run_script  # noqa: SLF001 — no public name

    def run_if_open(runner: ScriptRunner, asked: RerunData) -> None:
        page = runner._pages_manager.current_page_script_hash  # noqa: SLF001
        if not asked.fragment_id_queue or asked.page_script_hash == page:
            run(runner, asked)

    ScriptRunner._run_script = run_if_open  # type: ignore[method-assign, assignment]  # noqa: SLF001


def run_page_for_missing_parts() -> None:
    """Have requests of users for parts that are gone run the page; those of timers end."""
    pass_on = AppSession.request_rerun

    def request(session: AppSession, asked: ClientState | None) -> None:
        parts = session._fragment_storage  # noqa: SLF001 — no public name
        if not asked or not asked.fragment_id or not isinstance(parts, Parts):
            pass_on(session, asked)
            return
        is_there = parts.contains(asked.fragment_id)
        if asked.is_auto_rerun:
            # A timer's may be lost: the browser sends the next. Behind a run of the page it would
            # draw the part as it was.
            if is_there and not runs_page_of(session.id):
                pass_on(session, asked)
            return
        if is_there:
            parts.used.add(asked.fragment_id)
        else:
            asked.fragment_id = ""
        pass_on(session, asked)

    app_session.MemoryFragmentStorage = Parts  # type: ignore[attr-defined]
    AppSession.request_rerun = request  # type: ignore[method-assign, assignment]


_RUNNER: Final = "streamlit.runtime.scriptrunner.script_runner.ScriptRunner"
PATCHES: Final = (
    Patch(
        name="parts of left pages",
        reason="A part's run on a page that was left drops the values of the widgets there.",
        upstream="streamlit issues 8459, 9080",
        without="a page may come back without what was chosen there",
        rests_on={
            f"{_RUNNER}._run_script": "self, rerun_data",
            f"{_RUNNER}.__init__:_pages_manager": "",
        },
        apply=skip_parts_of_left_pages,
    ),
    Patch(
        name="missing parts",
        reason="Streamlit drops a click in a part that was just drawn anew.",
        upstream="streamlit issues 9921, 11660",
        without="a click in a part that is drawn again may be lost",
        rests_on={
            "streamlit.runtime.app_session.MemoryFragmentStorage.lookup": "self, key",
            "streamlit.runtime.app_session.AppSession.request_rerun": "self, client_state",
            "streamlit.runtime.app_session.AppSession.__init__:_fragment_storage": "",
        },
        apply=run_page_for_missing_parts,
    ),
)
