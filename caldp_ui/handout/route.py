"""The lesson to take home as a file of the server, which phones are given at the end of a poll."""

from asyncio import Lock
from functools import partial
from threading import current_thread
from typing import Final

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from caldp_ui.app.delivery import THREAD_PREFIX

NAME: Final = "lesson"
_HEADERS: Final = {"content-disposition": 'attachment; filename="caldp-lesson.html"'}


def route(address: str) -> Route:
    """The route of the lesson at this path; phones wait for it without a thread each."""
    return Route(address, partial(_send, Lock()))


async def _send(lock: Lock, _: Request) -> Response:
    async with lock:
        content = await run_in_threadpool(_make_beside_pages)
    return Response(content, 200, _HEADERS, "text/html")


def _make_beside_pages() -> bytes:
    """The lesson, made in a thread whose name says that no page runs in it.

    Streamlit would write into the log, a dozen times, that a page's context is missing.
    """
    thread = current_thread()
    name, thread.name = thread.name, f"{THREAD_PREFIX}lesson"
    try:
        return lesson_file()
    finally:
        thread.name = name


@st.cache_resource(show_spinner=False)
def lesson_file() -> bytes:
    """The lesson, made once for all phones of a server, in some seconds."""
    from caldp_core.basics.types import no_progress
    from caldp_ui.handout.lesson import make_lesson  # all pages, without which a server starts

    return make_lesson(no_progress)
