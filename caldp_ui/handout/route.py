"""The lesson to take home as a file of the server, which phones are given at the end of a poll."""

from typing import Final

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

NAME: Final = "lesson"
_HEADERS: Final = {"content-disposition": 'attachment; filename="caldp-lesson.html"'}


def route(address: str) -> Route:
    """The route of the lesson at this path."""
    return Route(address, _send)


async def _send(_: Request) -> Response:
    return Response(await run_in_threadpool(lesson_file), 200, _HEADERS, "text/html")


@st.cache_resource(show_spinner=False)
def lesson_file() -> bytes:
    """The lesson, made once for all phones of a server, in some seconds."""
    from caldp_core.basics.types import no_progress
    from caldp_ui.handout.lesson import make_lesson  # all pages, without which a server starts

    return make_lesson(no_progress)
