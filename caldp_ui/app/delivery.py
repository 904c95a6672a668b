"""How files reach the browser: compressed, and the document with the page's style in it.

Room: app. Streamlit sends its own files, eight megabytes of them for a first visit, as they are:
compressing them anew for everybody would cost more than it saves. Their names change with what is
in them, so here each is compressed once and kept. A style sheet that is one of a page's elements
comes when much has been drawn without it, and again with every run; in the document it is there
before anything is drawn.
"""

import asyncio
import gzip
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caldp_ui.app.sheet import style

_ROOT: Final = (
    '<script>window.__streamlit = {BACKEND_BASE_URL: new URL(".", location.href).href};</script>'
)
"""Where the server is. Without it, Streamlit asks beside the page first, and is not found there."""
_LEVEL: Final = 6
_TEXTS: Final = ("text/", "application/javascript", "application/json", "image/svg")


class Delivery:
    """See the module. What is neither a document nor a file that lasts goes on as it comes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: dict[str, tuple[Message, Message]] = {}
        # At the end of the body: behind the styles that Streamlit adds to the head.
        self._put = {"</head>": f"{_ROOT}</head>", "</body>": f"<style>{style()}</style></body>"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if not _asks_for_a_file(scope):
            await self._app(scope, receive, send)
            return
        if scope["path"] not in self._kept:
            answer = _Answer(scope["path"], self, send)
            await self._app(_uncompressed(scope), receive, answer.take)
            return
        for message in self._kept[scope["path"]]:
            await send(message)

    async def prepared(self, path: str, start: Message, body: bytes) -> tuple[Message, Message]:
        """The whole answer, as it is sent."""
        headers = MutableHeaders(raw=list(start["headers"]))
        if _is_document(headers):
            for end, more in self._put.items():
                body = body.replace(end.encode(), more.encode(), 1)
            # They tell of Streamlit's own document: with them, an old style would never go.
            del headers["etag"], headers["last-modified"]
        packed = await asyncio.to_thread(gzip.compress, body, _LEVEL)
        headers["content-encoding"] = "gzip"
        headers["content-length"] = str(len(packed))
        headers.add_vary_header("accept-encoding")
        whole = ({**start, "headers": headers.raw}, {"type": "http.response.body", "body": packed})
        if _lasts(headers):
            self._kept[path] = whole
        return whole


class _Answer:
    """The app's answer: gathered if it is to be changed, else passed on."""

    def __init__(self, path: str, delivery: Delivery, send: Send) -> None:
        self._path, self._delivery, self._send = path, delivery, send
        self._start: Message | None = None
        self._body = bytearray()

    async def take(self, message: Message) -> None:
        """What the app sends."""
        if message["type"] == "http.response.start" and _is_ours(message):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_whole(self._start)

    async def _send_whole(self, start: Message) -> None:
        for each in await self._delivery.prepared(self._path, start, bytes(self._body)):
            await self._send(each)


def _asks_for_a_file(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    headers = Headers(scope=scope)
    return "gzip" in headers.get("accept-encoding", "") and "range" not in headers


def _uncompressed(scope: Scope) -> Scope:
    """The same request; a document is to come uncompressed, so that it can be changed."""
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return scope
    kept = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
    return {**scope, "headers": kept}


def _is_ours(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    is_text = headers.get("content-type", "").startswith(_TEXTS)
    whole = start["status"] == 200 and "content-encoding" not in headers
    return whole and (_is_document(headers) or (is_text and _lasts(headers)))


def _is_document(headers: Headers) -> bool:
    return headers.get("content-type", "").startswith("text/html")


def _lasts(headers: Headers) -> bool:
    return "immutable" in headers.get("cache-control", "")


DELIVERY: Final = Middleware(Delivery)
