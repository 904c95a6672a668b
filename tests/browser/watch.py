"""What a browser must not do: ask anybody but our server, or meet an error."""

from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from caldp_ui.app.navigation import PAGES

_HOME: Final = ("127.0.0.1", "localhost")
_INSIDE: Final = ("data", "blob", "about", "file")
HARMLESS: Final = tuple(
    f"/{Path(entry.path).stem}/_stcore/{what}"
    for entry in PAGES
    for what in ("health", "host-config")
)
"""Not found: opened below its root, Streamlit first looks for its server beside the page."""


def is_outside(url: str) -> bool:
    """True for whatever leaves this machine."""
    parts = urlsplit(url)
    return parts.scheme not in _INSIDE and parts.hostname not in _HOME


class Watch:
    """Collects every address that is asked for, and every error."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.errors: list[str] = []

    def follow(self, page: Any) -> None:
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda socket: self.asked.append(socket.url))
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _hear(self, message: Any) -> None:
        where = message.location["url"]
        if message.type == "error" and not where.endswith(HARMLESS):
            self.errors.append(f"{message.text} ({where})")

    def outside(self) -> list[str]:
        return [url for url in self.asked if is_outside(url)]

    def check(self) -> None:
        assert not self.outside(), self.outside()
        assert not self.errors, self.errors
