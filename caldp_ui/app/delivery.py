"""What the server does beside Streamlit: files compressed once, and its upkeep.

Documents carry the page's style and scripts, so that both are there before anything is drawn.
Streamlit's own files are compressed once and kept, as their names change with their contents.

While nobody waits the server collects garbage and gives memory back: after every run, as Streamlit
does it, that took two thirds of the run's time. What a dashboard is made of is set aside once, so
that it is not looked through each time. Work beside pages has no page, of which Streamlit would
warn.
"""

import asyncio
import ctypes
import gc
import gzip
import logging
import os
import posixpath
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import click
import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from caldp_core.basics.cache import shared_cache
from caldp_ui.app.gate import Gate, Policy, Sticky, document_policy
from caldp_ui.app.operation import Operation, operating
from caldp_ui.app.theme import POLL_KEY, join_path, scripts, settings, style
from caldp_ui.server.files import DeferredFiles, require_vaults
from caldp_ui.server.messages import VisitState
from caldp_ui.server.sockets import Pace
from caldp_ui.server.stale import StaleMessages
from caldp_ui.server.uploads import Uploads
from caldp_ui.server.vault import vaults

_ROOT: Final = (
    '<script>window.__streamlit = {BACKEND_BASE_URL: new URL(".", location.href).href};</script>'
)
"""Where the server is. Without it, Streamlit asks beside the page first, and is not found there."""
_LOADING: Final = (
    '<div id="root"><p style="position: fixed; inset: 40% 0 auto; text-align: center; '
    'font: 1.25rem sans-serif">caldp is loading…</p>'
)
"""What is there until the code has come, which replaces it: on a slow line for many seconds."""
_LEVEL: Final = 6
_TEXTS: Final = ("text/", "application/javascript", "application/json", "image/svg")
_ABOUT: Final = ("cache-control", "etag", "last-modified", "vary")
"""Headers that a "not modified" answer repeats."""


class DeliveryMiddleware:
    """Adds style and scripts to documents, compresses immutable files, passes the rest through.

    `base`: the path below which all addresses are. `ancestors`: sites that may frame the app.
    """

    def __init__(self, app: ASGIApp, base: str = "", ancestors: tuple[str, ...] = ()) -> None:
        self._app = app
        self._ancestors = ancestors
        # Pictures and downloads of one visit: each is asked for once.
        self._media = join_path(base, "media/")
        self._kept: dict[str, tuple[Message, Message]] = {}
        # Eight who ask for a file at once wait for one compression, and start no eight.
        self._compressing = asyncio.Lock()
        # At the end of the body: behind the styles that Streamlit adds to the head.
        style_end = f"<style>{style()}</style></body>"
        self._put = {
            "</head>": f"{_ROOT}{scripts()}</head>",
            '<div id="root">': _LOADING,
            "</body>": style_end,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        is_read = scope["type"] == "http" and scope["method"] == "GET"
        if not is_read or scope["path"].startswith(self._media):
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, self, send)
        file = self._kept.get(scope["path"]) if answer.is_compressible else None
        if file:
            await answer.send_whole(*file)
        else:
            # Not compressed yet, an answer can still be changed.
            headers = [each for each in scope["headers"] if each[0] != b"accept-encoding"]
            await self._app({**scope, "headers": headers}, receive, answer.take)

    def document(self, start: Message, body: bytes) -> tuple[Message, Message]:
        """The document with style, scripts and policy, uncompressed."""
        headers = MutableHeaders(raw=list(start["headers"]))
        for own, more in self._put.items():
            body = body.replace(own.encode(), more.encode(), 1)
        headers["content-security-policy"] = document_policy(body.decode(), self._ancestors)
        # They are those of Streamlit's own document: with them, an old style would never go.
        del headers["etag"], headers["last-modified"]
        headers["content-length"] = str(len(body))
        headers.add_vary_header("accept-encoding")
        return {**start, "headers": headers.raw}, {"type": "http.response.body", "body": body}

    async def compressed_file(
        self, path: str, start: Message, body: bytes
    ) -> tuple[Message, Message]:
        """Compress the file of that address once; later requests for it do not reach the app."""
        async with self._compressing:
            if path not in self._kept:
                whole = await compress_answer(start, body)
                # The same file has no end of addresses with "//" and "/./".
                if posixpath.normpath(path) != path:
                    return whole
                self._kept[path] = whole
            return self._kept[path]


async def compress_answer(start: Message, body: bytes) -> tuple[Message, Message]:
    """The answer compressed by gzip, with headers that say so."""
    headers = MutableHeaders(raw=list(start["headers"]))
    small = await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)
    headers["content-encoding"] = "gzip"
    headers["content-length"] = str(len(small))
    if "etag" in headers and not headers["etag"].startswith("W/"):
        headers["etag"] = f"W/{headers['etag']}"  # the same text, but other bytes
    headers.add_vary_header("accept-encoding")
    return {**start, "headers": headers.raw}, {"type": "http.response.body", "body": small}


class _Answer:
    """The app's answer to one request: gathered if it is to be changed, else passed on."""

    def __init__(self, scope: Scope, delivery: DeliveryMiddleware, send: Send) -> None:
        headers = Headers(scope=scope)
        self._path, self._delivery, self._send = scope["path"], delivery, send
        self._known = headers.get("if-none-match", "")
        self._gzip = takes_gzip(headers.get("accept-encoding", ""))
        self.is_compressible = self._gzip and "range" not in headers
        self._start: Message | None = None
        self._body = bytearray()

    async def take(self, message: Message) -> None:
        """Take a message of the app: gather it, or pass it on."""
        if message["type"] == "http.response.start" and self._is_ours(message):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self._start, bytes(self._body))

    async def _finish(self, start: Message, body: bytes) -> None:
        if not _is_document(Headers(raw=start["headers"])):
            await self.send_whole(*await self._delivery.compressed_file(self._path, start, body))
            return
        whole = self._delivery.document(start, body)
        if self._gzip:
            whole = await compress_answer(whole[0], whole[1]["body"])
        await self.send_whole(*whole)

    async def send_whole(self, start: Message, body: Message) -> None:
        """Send the answer, or "not modified" if the browser already has it."""
        headers = Headers(raw=start["headers"])
        if _names(self._known, headers.get("etag", "")):
            raw = [pair for pair in start["headers"] if pair[0].decode().lower() in _ABOUT]
            await self._send({**start, "status": 304, "headers": raw})
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await self._send(start)
            await self._send(body)

    def _is_ours(self, start: Message) -> bool:
        headers = Headers(raw=start["headers"])
        # Streamlit's documents have no policy of their own.
        if start["status"] != 200 or {"content-encoding", "content-security-policy"} & {*headers}:
            return False
        is_text = headers.get("content-type", "").startswith(_TEXTS)
        lasts = "immutable" in headers.get("cache-control", "")
        return _is_document(headers) or (is_text and lasts and self.is_compressible)


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip; `gzip;q=0` does not (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for each in accepted.lower().split(","):
        name, *parameters = (part.strip() for part in each.split(";"))
        weight = next((p[2:] for p in parameters if p.startswith("q=")), "1")
        weights[name] = float(weight) if weight.replace(".", "", 1).isdecimal() else 0.0
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _names(known: str, etag: str) -> bool:
    """Whether an If-None-Match header names this file (weak comparison, RFC 9110, 13.1.2)."""
    tags = [tag.strip().removeprefix("W/") for tag in known.split(",")]
    return bool(etag) and (etag.removeprefix("W/") in tags or "*" in tags)


def _is_document(headers: Headers) -> bool:
    return headers.get("content-type", "").startswith("text/html")


def address(name: str) -> str:
    """The path of `name` on this server."""
    return join_path(_base(), name)


def middleware() -> list[Middleware]:
    """The middleware that each request passes, outermost first."""
    own = settings()
    return [
        Middleware(Operation),
        Middleware(Policy),
        Middleware(Gate),
        Middleware(Pace),
        Middleware(StaleMessages),
        Middleware(Uploads),
        Middleware(Sticky, base=_base(), settings=own),
        Middleware(DeliveryMiddleware, base=_base(), ancestors=own.ancestors),
    ]


def _base() -> str:
    return st.get_option("server.baseUrlPath") or ""


THREAD_PREFIX: Final = "caldp-"
"""How the names of threads that work beside pages begin."""
_PAUSE_S: Final = 30.0
_TRIM_INTERVAL_S: Final = 10.0
_LEAVING_INTERVAL_S: Final = 2.0
"""How often the server looks which visits have left."""
_SWITCH_S: Final = 0.0005
"""A page's run lets the interpreter go at each element, and gets it back so much later for each
thread that computes beside it: with Python's own 5 ms, a page of 0.05 s took 0.4 s."""
_WARNS: Final = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")


@asynccontextmanager
async def upkeep(app: object) -> AsyncIterator[dict[str, Any]]:
    """The server's lifespan, as Streamlit's `App` takes it: collects while the server runs."""
    del app
    tasks = [asyncio.create_task(_collect_now_and_then())]
    if runtime.exists():
        require_vaults(runtime.get_instance().media_file_mgr)
        DeferredFiles(runtime.get_instance().media_file_mgr)
        tasks.append(asyncio.create_task(_close_vaults()))
    sys.setswitchinterval(_SWITCH_S)
    _WARNS.addFilter(_is_of_a_page)
    if POLL_KEY not in os.environ:
        click.echo(f"  The key that opens a poll of a full server: {settings().poll_key}")
    try:
        with operating(settings()):
            yield {}
    finally:
        _WARNS.removeFilter(_is_of_a_page)
        for task in tasks:
            task.cancel()


def _is_of_a_page(record: logging.LogRecord) -> bool:
    return not (record.threadName or "").startswith(THREAD_PREFIX)


async def _close_vaults() -> None:
    """Close the vaults of visits that have left, again and again."""
    server = runtime.get_instance()
    while True:
        await asyncio.sleep(_LEAVING_INTERVAL_S)
        if vaults().close(server.is_active_session, _end_visit):
            # A visit's objects refer to each other: what it had brought goes by a collection alone.
            gc.collect()


def _end_visit(visit: str) -> None:
    """Have Streamlit forget a visit that has left: its state, uploads, and buttons of files.

    Where many visits have left, Streamlit has dropped the state of the first without the rest.
    """
    server = runtime.get_instance()
    known = server._session_mgr.get_session_info(visit)  # noqa: SLF001 — no public name
    server.close_session(visit)
    # Streamlit's loop keeps the session that it served last until another one comes.
    if known is not None and known.session._scriptrunner is None:  # noqa: SLF001
        state = known.session.session_state
        if isinstance(state, VisitState):
            state.forget()
    server.uploaded_file_mgr.remove_session_files(visit)
    server.dataframe_source_mgr.clear_all_for_session(visit)
    server.media_file_mgr.clear_session_refs(visit)
    server.media_file_mgr.remove_orphaned_files()


async def _collect_now_and_then() -> None:
    await asyncio.sleep(_PAUSE_S)
    gc.collect()
    gc.freeze()
    while True:
        for _ in range(3):
            await asyncio.sleep(_TRIM_INTERVAL_S)
            await asyncio.to_thread(_give_back)
        gc.collect()


def _give_back() -> None:
    """Hold the shared cache to its bytes, and return freed memory to the machine.

    Unasked, the C library keeps what was freed, arrays of megabytes too: a gigabyte for a quarter.
    """
    shared_cache().update_sizes()
    with suppress(OSError, AttributeError):  # only the GNU C library has it
        ctypes.CDLL(None).malloc_trim(0)
