"""What a browser may do with what this server sends: headers on every answer.

Streamlit draws with styles in elements, loads components' code from addresses of the page's own
making (`blob:`), and the relief's with WebAssembly; all else is closed. Nothing comes from or goes
to anywhere but this server.
"""

import base64
import hashlib
import re
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INLINE: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_DENY_ALL: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""For all that is no page: what somebody has uploaded or saved runs no code here."""
_ALWAYS: Final = {
    "x-content-type-options": "nosniff",
    # Links hold scenarios, which other sites must not learn.
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": ", ".join(
        f"{name}=()"
        for name in (
            "accelerometer",
            "camera",
            "display-capture",
            "geolocation",
            "gyroscope",
            "hid",
            "magnetometer",
            "microphone",
            "midi",
            "payment",
            "serial",
            "usb",
        )
    ),
}


def document_policy(html: str, ancestors: tuple[str, ...]) -> str:
    """The Content-Security-Policy of a page; the scripts written in it are named by their hashes.

    `ancestors`: sites that may show it in a frame, beside this server itself.
    """
    inline = (hashlib.sha256(code.encode()).digest() for code in _INLINE.findall(html))
    hashes = (f"'sha256-{base64.b64encode(digest).decode()}'" for digest in inline)
    rules = {
        "default-src": ("'none'",),
        "script-src": ("'self'", "blob:", "'wasm-unsafe-eval'", *hashes),
        "style-src": ("'self'", "'unsafe-inline'"),
        "img-src": ("'self'", "data:", "blob:"),
        "font-src": ("'self'", "data:"),
        "connect-src": ("'self'",),
        "worker-src": ("'self'", "blob:"),
        "manifest-src": ("'self'",),
        "base-uri": ("'none'",),
        "form-action": ("'none'",),
        "frame-ancestors": ("'self'", *ancestors),
    }
    return "; ".join(f"{name} {' '.join(where)}" for name, where in rules.items())


class Policy:
    """Adds the headers to every answer; an answer's own policy stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request, with headers on its answer (ASGI)."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message["headers"]))
                headers.update(_ALWAYS)
                # Code that lasts may be a worker's, which has no policy but its own file's.
                if "immutable" not in headers.get("cache-control", ""):
                    headers.setdefault("content-security-policy", _DENY_ALL)
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
