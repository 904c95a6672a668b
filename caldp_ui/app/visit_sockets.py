"""Middleware of visits: what stands between a browser and the server on a visit's socket."""

from abc import ABC, abstractmethod
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

_STREAM: Final = "_stcore/stream"


class VisitSockets(ABC):
    """Passes on all connections; those of visits by its `serve`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on one connection (ASGI)."""
        path = scope["path"].rstrip("/") if scope["type"] == "websocket" else ""
        if path.endswith(_STREAM):
            await self.serve(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    @abstractmethod
    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the socket of one visit."""
        ...
