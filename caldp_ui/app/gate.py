"""Who is let in, what browsers may do with answers, and which worker a visit stays with.

A page from elsewhere whose name suddenly leads to this machine (DNS rebinding) would be in this
server's own origin: requests must name a host that is ours, or an address in numbers. Answers allow
styles in elements, `blob:` code and WebAssembly, which Streamlit and the relief need, and nothing
from or to other servers. A cookie names the worker that answered, for the proxy to send later
requests there.
"""

import base64
import hashlib
import ipaddress
import re
import socket
from collections.abc import Collection, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from caldp_ui.app.theme import Settings, join_path
from caldp_ui.server.current_run import open_pages

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
        elif not is_http and not is_from_here(headers.get("origin"), host):
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
        return _number(name) is not None or any(
            _fits(name, each) for each in (*_BY_ITSELF, socket.gethostname().lower())
        )
    return any(_fits(name, each.strip().lower().rstrip(".")) for each in allowed)


def _fits(name: str, pattern: str) -> bool:
    if pattern.startswith("*."):
        return name.endswith(pattern[1:])
    return pattern in ("*", name)


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address in numbers that this is, if it is one."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_from_here(origin: str | None, host: str) -> bool:
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


_INLINE: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_DENY_ALL: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""For all that is not a page: what somebody has uploaded or saved runs no code here."""
_ALWAYS: Final = {
    "x-content-type-options": "nosniff",
    # Links hold scenarios, which other sites must not learn.
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": (
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), "
        "magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()"
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


_UNKNOWN: Final = "http://localhost:8501/"
"""The address where no browser has reported its own."""


def current_address(query: Mapping[str, str]) -> str:
    """The address of this page with this query, as the visitor's browser has it.

    `st.context.url` does not do: after a change of page it cuts the new page's name off the old
    address, "room" off ".../classroom", and ".../class/room" is nowhere.
    """
    pages = open_pages()
    if pages is None:
        return _with_query(_UNKNOWN, query)
    return _with_query(page_address(pages.url or _UNKNOWN, pages.current, pages.names), query)


def page_address(url: str, name: str, names: Collection[str]) -> str:
    """The address of the page `name` on the server of `url`, which may be any page's address.

    `names`: of all pages. A path that a proxy has put before them stays.
    """
    parts = urlsplit(url)
    *folder, last = parts.path.rstrip("/").split("/")
    if not last or last not in names:
        folder.append(last)
    return urlunsplit((parts.scheme, parts.netloc, "/".join([*folder, name]), "", ""))


def _with_query(url: str, query: Mapping[str, str]) -> str:
    return urlunsplit(urlsplit(url)._replace(query=urlencode(query)))


def visitor_address() -> str:
    """The network address that this visit comes from; "" for this machine's own.

    Behind a proxy it is the one that the proxy reports, if the server trusts it (docs/deploy.md).
    """
    address = st.context.ip_address
    return address if isinstance(address, str) else ""


def network_of(address: str) -> str:
    """What limits count as one address: of IPv6 the /64 network, as a subscriber has all of it."""
    found = _number(address)
    if not isinstance(found, ipaddress.IPv6Address):
        return address
    return str(found.ipv4_mapped or f"{int(found) >> 64:x}::/64")


def address_of(connection: HTTPConnection) -> str:
    """The network address that a connection comes from, by the same rule as `visitor_address`."""
    return connection.client.host if connection.client else ""


def shared_address(address: str) -> str | None:
    """An address of this server as other machines reach it; None where it only answers its own."""
    parts = urlsplit(address)
    if not _is_own(parts.hostname or ""):
        return address
    if _is_own(st.get_option("server.address") or ""):
        return None
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit(parts._replace(netloc=f"{_own_address()}{port}"))


def _is_own(host: str) -> bool:
    number = _number(host)
    return host == "localhost" or (number is not None and number.is_loopback)


def _own_address() -> str:
    """This machine's address in its network. Nothing is sent: a datagram's route is looked up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        address: str = probe.getsockname()[0]
        return address


COOKIE: Final = "caldp_worker"
QUERY: Final = "worker"
"""The link's key of a worker; it goes before the cookie."""


class Sticky:
    """Writes the worker's name into visitors' cookies; does nothing for a worker without a name."""

    def __init__(self, app: ASGIApp, base: str, settings: Settings) -> None:
        self._app = app
        self._name = settings.worker
        # In a frame of another site only such cookies are kept, and only by https.
        same_site = "None; Secure; Partitioned" if settings.ancestors else "Lax"
        path = join_path(base, "")
        self._cookie = f"{COOKIE}={self._name}; Path={path}; HttpOnly; SameSite={same_site}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one request, with the cookie where it lacks (ASGI)."""
        of_visit = scope["type"] in ("http", "websocket") and self._name
        if not of_visit or HTTPConnection(scope).cookies.get(COOKIE) == self._name:
            await self._app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            headers = MutableHeaders(raw=list(message.get("headers", ())))
            page = headers.get("content-type", "").startswith("text/html")
            if message["type"] == "websocket.accept" or page:
                headers.append("set-cookie", self._cookie)
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, with_cookie)
