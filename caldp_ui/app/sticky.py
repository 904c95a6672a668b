"""A visit stays with its worker: the browser keeps the worker's name, and the proxy goes by it.

Workers share nothing but files. The one that answers writes its name into a cookie, with the page
and with the socket, so that after another one's end the cookie says who is there now.
"""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caldp_ui.app.settings import Settings, join_path

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
