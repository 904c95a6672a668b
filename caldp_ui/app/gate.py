"""Who is let in: requests for a host that is ours, pages that came from here, and open routes only.

A page from elsewhere whose name suddenly leads to this machine (DNS rebinding) would be in this
server's own origin. It needs a name for that: an address in numbers can't be led elsewhere.
"""

import ipaddress
import socket
from collections.abc import Sequence
from functools import cache
from typing import Final
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

_CLOSED: Final = ("_stcore/metrics", "_stcore/agent", "_stcore/script-health-check")
"""Routes on which Streamlit reports on the server and its visits to programs."""
_BY_ITSELF: Final = ("localhost", "*.streamlit.app")
_REFUSED: Final = (
    "This server does not answer to that name. Open it by its address in numbers, or have whoever "
    "runs it add the name to server.allowedHosts.\n"
)


class Gate:
    """Refuses what is not for this server before anything else sees it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request (ASGI)."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers, is_http = Headers(scope=scope), scope["type"] == "http"
        host = headers.get("host", "")
        if not is_known(host, st.get_option("server.allowedHosts")):
            answer = PlainTextResponse(_REFUSED, 421) if is_http else WebSocketClose(1008)
        elif not is_http and not _is_from_here(headers.get("origin"), host):
            answer = WebSocketClose(1008)
        elif is_http and is_closed(scope["path"]):
            answer = PlainTextResponse("Not found\n", 404)
        else:
            await self._app(scope, receive, send)
            return
        await answer(scope, receive, send)


def is_known(host: str, allowed: Sequence[str]) -> bool:
    """Whether this Host header is one of ours.

    `allowed`: names, `*.` before one for all below it, `*` for any; of no names: the machine's own,
    any address in numbers, and Streamlit's Community Cloud.
    """
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return False
    name = (parts.hostname or "").rstrip(".")
    if not name or parts.netloc != host or "@" in host:
        return False
    if not allowed:
        return _is_number(name) or any(_fits(name, each) for each in (*_BY_ITSELF, _own_name()))
    return any(_fits(name, each.strip().lower().rstrip(".")) for each in allowed)


def _fits(name: str, pattern: str) -> bool:
    if pattern.startswith("*."):
        return name.endswith(pattern[1:])
    return pattern in ("*", name)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@cache
def _own_name() -> str:
    return socket.gethostname().lower()


def _is_from_here(origin: str | None, host: str) -> bool:
    """Whether a page of that origin may connect.

    Streamlit's own check would ask the outside for this machine's address in the course of it.
    """
    if origin is None or not st.get_option("server.enableCORS"):
        return True  # programs send none, and can say anyhow what they like
    return urlsplit(origin).netloc == host or origin in st.get_option("server.corsAllowedOrigins")


def is_closed(path: str) -> bool:
    """Whether the path is one of the closed routes, below any base."""
    below = path.partition("/_stcore/")[2]
    return any(f"_stcore/{below}/".startswith(f"{each}/") for each in _CLOSED)
