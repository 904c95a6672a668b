"""How files reach the browser: compressed, and the document with the page's style and scripts.

Streamlit sends its own files, eight megabytes of them for a first visit, as they are, and has
others compressed anew for everybody. Their names change with what is in them, so here each is
compressed once and kept. A style sheet that is one of a page's elements comes when much has been
drawn without it, and again with every run; in the document it is there before anything is drawn.
"""

import asyncio
import gzip
import posixpath
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caldp_ui.app.policy import document_policy
from caldp_ui.app.scripts import scripts
from caldp_ui.app.settings import join_path
from caldp_ui.app.sheet import style

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
        if start["status"] != 200 or "content-encoding" in headers:
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
