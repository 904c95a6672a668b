"""Reports that each person has sent, stored on their device, so that each is drawn only once.

A file of lines that only grows: a line is on the disk before its report is returned, so that
a run that is interrupted in between sends the same report again. One process at a time may use it.
"""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from caldp_core.basics.errors import CaldpError
from caldp_core.collect.protocol import Protocol

_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
_KEYS: Final = {"protocol", "person", "report"}


class Memory:
    """The reports stored in a file for one protocol; raises `CaldpError` where it can't be read.

    Lines of other protocols stay as they are. Persons are stored as digests.
    """

    def __init__(self, path: Path, protocol: Protocol) -> None:
        self._path = path
        self._mark = protocol.fingerprint
        self._sent: dict[str, int | str] = {}
        self._whole = 0
        for line in self._lines():
            if line["protocol"] == self._mark:
                self._sent.setdefault(line["person"], line["report"])

    def get_or_draw(self, person: str, draw: Callable[[], int | str]) -> int | str:
        """A person's stored report, or else one drawn and stored now; raises `CaldpError`."""
        key = hashlib.sha256(f"{self._mark} {person}".encode("utf-8", "surrogatepass")).hexdigest()
        if key not in self._sent:
            report = draw()
            self._append({"protocol": self._mark, "person": key, "report": report})
            self._sent[key] = report
        return self._sent[key]

    def _lines(self) -> list[dict[str, Any]]:
        try:
            text = self._path.read_bytes()
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise self._unusable(getattr(error, "strerror", None) or str(error)) from None
        # A line that was cut off while it was written had not been returned: it is overwritten.
        self._whole = text.rfind(b"\n") + 1
        return [self._line(line) for line in text[: self._whole].splitlines()]

    def _line(self, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict) or set(entry) != _KEYS or not _texts(entry):
            raise self._unusable("a line is no report that was kept")
        return entry

    def _append(self, line: dict[str, Any]) -> None:
        text = f"{json.dumps(line)}\n".encode()
        try:
            # Its owner's alone, and never emptied by being opened.
            with os.fdopen(os.open(self._path, _FLAGS, 0o600), "r+b") as file:
                file.truncate(self._whole)
                file.seek(self._whole)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except (OSError, ValueError) as error:
            raise self._unusable(getattr(error, "strerror", None) or str(error)) from None
        self._whole += len(text)

    def _unusable(self, why: str) -> CaldpError:
        return CaldpError(
            f"The memory {str(self._path)!r} can't be used: {why}; give another file, knowing that "
            "whoever is in this one would send a second report."
        )


def _texts(line: dict[str, Any]) -> bool:
    named = isinstance(line["protocol"], str) and isinstance(line["person"], str)
    return named and type(line["report"]) in (int, str)
