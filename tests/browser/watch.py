"""What a browser must not do: ask anybody but our server, or meet an error."""

from typing import Any, Final
from urllib.parse import urlsplit

_HOME: Final = ("127.0.0.1", "localhost")
_INSIDE: Final = ("data", "blob", "about", "file")


def is_outside(url: str) -> bool:
    """True for whatever leaves this machine."""
    parts = urlsplit(url)
    return parts.scheme not in _INSIDE and parts.hostname not in _HOME


class Watch:
    """Collects every address that is asked for, and every error."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.errors: list[str] = []

    def follow(self, page: Any) -> None:
        page.on("request", lambda request: self.urls.append(request.url))
        page.on("websocket", lambda socket: self.urls.append(socket.url))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location['url']})")

    def outside(self) -> list[str]:
        return [url for url in self.urls if is_outside(url)]

    def check(self) -> None:
        assert not self.outside(), self.outside()
        assert not self.errors, self.errors
