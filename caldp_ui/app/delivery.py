"""How files reach the browser: compressed, and the document with the page's style and scripts.

Streamlit sends its own files, eight megabytes of them for a first visit, as they are, and has
others compressed anew for everybody. Their names change with what is in them, so here each is
compressed once and kept. A style sheet that is one of a page's elements comes when much has been
drawn without it, and again with every run; in the document it is there before anything is drawn.

Files that are made when somebody asks for them, also while the page is drawn again.

Streamlit forgets what a button makes as soon as the button has been drawn again. The browser shows
the old button a moment longer, and a click in that moment saved nothing: now it saves what the new
button makes. And Streamlit removes a file after the second run that does not show it, even if the
browser is only about to fetch it: now a file that was made stays for a while.

Uploaded files: in memory alone, up to a number of bytes in all, released once they are read.

A visit's files may be as large together as one may be: a form can take several.

Streamlit keeps every file that a visit sends until the visit ends, and what it parses goes to the
disk from a megabyte on.
"""

import asyncio
import gzip
import posixpath
from collections.abc import Callable
from pathlib import PurePosixPath
from threading import Lock
from time import monotonic
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from caldp_ui.app.gate import document_policy
from caldp_ui.app.theme import join_path, scripts, style

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


class Delivery:
    """Puts style and scripts into documents; compresses files that last; all else goes by.

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
        if scope["type"] != "http" or scope["method"] != "GET" or self._is_visit_media(scope):
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, self, send)
        file = self._kept.get(scope["path"]) if answer.is_compressible else None
        if file:
            await answer.send_whole(*file)
        else:
            await self._app(_uncompressed(scope), receive, answer.take)

    @property
    def kept_paths(self) -> set[str]:
        """Addresses whose files are kept, compressed."""
        return set(self._kept)

    def _is_visit_media(self, scope: Scope) -> bool:
        return bool(scope["path"].startswith(self._media))

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

    def __init__(self, scope: Scope, delivery: Delivery, send: Send) -> None:
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


def _uncompressed(scope: Scope) -> Scope:
    """The request without `Accept-Encoding`, for an answer that can still be changed."""
    headers = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
    return {**scope, "headers": headers}


def _is_document(headers: Headers) -> bool:
    return headers.get("content-type", "").startswith("text/html")


_DRAWN_MAX: Final = 20_000
"""Buttons of all visits that are remembered; each drawing of a button counts as one."""
_STAYS_S: Final = 30.0
"""A browser far away, on a busy page, may take seconds to ask for a file that it was promised."""


class DeferredFiles:
    """Has a button's newest drawing make the file for each earlier one, and keeps it for a while.

    `manager`: Streamlit's, of which it replaces three methods. `clock`: seconds.
    """

    def __init__(self, manager: MediaFileManager, clock: Callable[[], float] = monotonic) -> None:
        self._draw, self._make = manager.add_deferred, manager.execute_deferred
        self._find_inactive = manager._get_inactive_file_ids  # noqa: SLF001 — no public name
        self._clock = clock
        self._buttons: dict[str, tuple[str, str]] = {}
        self._newest: dict[tuple[str, str], str] = {}
        self._made_at: dict[str, float] = {}
        self._lock = Lock()  # visits draw at the same time
        manager.add_deferred = self.draw  # type: ignore[method-assign, assignment]
        manager.execute_deferred = self.make  # type: ignore[method-assign, assignment]
        manager._get_inactive_file_ids = self._inactive_files  # type: ignore[method-assign]  # noqa: SLF001

    def draw(
        self,
        make: Callable[[], bytes | str],
        mimetype: str | None,
        coordinates: str,
        file_name: str | None = None,
        *,
        element_id: str = "",
    ) -> str:
        """Name this drawing of a button of this visit; `make` returns the content of its file."""
        drawing = self._draw(make, mimetype, coordinates, file_name, element_id=element_id)
        run = get_script_run_ctx(suppress_warning=True)
        button = (run.session_id if run else "", element_id)
        with self._lock:
            self._buttons[drawing], self._newest[button] = button, drawing
            while len(self._buttons) > _DRAWN_MAX:
                self._forget_oldest()
        return drawing

    def make(self, drawing: str) -> str:
        """The address of what the button makes now; `MediaFileStorageError` if it is gone."""
        button = self._buttons.get(drawing)
        address = self._make(drawing if button is None else self._newest.get(button, drawing))
        with self._lock:
            self._made_at[PurePosixPath(address).stem] = self._clock()
        return address

    def _inactive_files(self) -> set[str]:
        """Files that may go: no page shows them, and none was made a moment ago."""
        with self._lock:
            oldest = self._clock() - _STAYS_S
            self._made_at = {file: at for file, at in self._made_at.items() if at > oldest}
            return self._find_inactive() - self._made_at.keys()

    def _forget_oldest(self) -> None:
        drawing = next(iter(self._buttons))
        button = self._buttons.pop(drawing)
        if self._newest[button] == drawing:
            del self._newest[button]


def keep_deferred_files() -> None:
    """Install `DeferredFiles`: a click on a button just drawn again saves its file, too."""
    if runtime.exists():
        DeferredFiles(runtime.get_instance().media_file_mgr)


TOTAL_BYTES_MAX: Final = 800 * 2**20
"""Bytes of files that come in or wait to be read, of all visits together."""
_PATIENCE_S: Final = 600.0
"""Room is kept for a file no longer: a sender of a byte now and then would keep all others out."""
_ADDRESS: Final = "_stcore/upload_file/"
_BUSY_TEXT: Final = "Others send files at this moment: please try again in a minute."


class Uploads:
    """Lets files in while there is room for them; a visit's earlier ones make room for the next."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming = 0
        # What is longer is written to a shared folder before anybody has looked at it.
        MultiPartParser.spool_max_size = (config.get_option("server.maxUploadSize") + 2) * 2**20

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is no upload, or has room; answer 429 to an upload that has none (ASGI)."""
        path = str(scope.get("path", "")).partition(_ADDRESS)[2]
        if scope["type"] != "http" or scope.get("method") != "PUT" or not path:
            await self._app(scope, receive, send)
            return
        size = _size(scope)
        manager = _file_manager()
        visit = path.partition("/")[0]
        if manager is not None and size + _visit_bytes(manager, visit) > _max_bytes():
            manager.remove_session_files(visit)
        if self._coming + size + _stored_bytes(manager) > TOTAL_BYTES_MAX:
            await PlainTextResponse(_BUSY_TEXT, 429)(scope, receive, send)
            return
        self._coming += size
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._app(scope, receive, send)
        finally:
            self._coming -= size


def release(file_id: str) -> None:
    """Remove a file of this visit from memory once it has been read."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is not None and isinstance(run.uploaded_file_mgr, MemoryUploadedFileManager):
        run.uploaded_file_mgr.remove_file(run.session_id, file_id)


def _file_manager() -> MemoryUploadedFileManager | None:
    if not runtime.exists():
        return None
    manager = runtime.get_instance().uploaded_file_mgr
    return manager if isinstance(manager, MemoryUploadedFileManager) else None


def _stored_bytes(manager: MemoryUploadedFileManager | None) -> int:
    if manager is None:
        return 0
    files = [file for each in list(manager.file_storage.values()) for file in list(each.values())]
    return sum(len(file.data) for file in files)


def _visit_bytes(manager: MemoryUploadedFileManager, visit: str) -> int:
    files = list(manager.file_storage.get(visit, {}).values())
    return sum(len(file.data) for file in files)


def _max_bytes() -> int:
    """Bytes of a file, and of all files of a visit."""
    return int(config.get_option("server.maxUploadSize")) * 2**20


def _size(scope: Scope) -> int:
    """Bytes of a request's body; the most that are allowed where its length is not given."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    most = _max_bytes()
    return min(int(length), most) if length.isdigit() else most
