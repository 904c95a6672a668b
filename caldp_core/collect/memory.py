"""Reports that each person has sent, stored on their device, so that each is drawn only once.

A file of lines that only grows: a line is on the disk before its report is returned, so that
a run that is interrupted in between sends the same report again. Several processes may use it, as
a server's workers do: one after the other draws, and reads first what others have added. On Windows
one at a time may.
"""

import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.files import lock
from caldp_core.collect.protocol import Protocol

_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
_KEYS: Final = {"protocol", "person", "report"}
_SPACES: Final = "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
_AROUND: Final = f"{_SPACES}\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What JavaScript's `trim` removes."""
_ENDS: Final = ("", " ", "\n", "\r\n")
"""What names had at their ends where earlier versions took them as they were spelled."""


class Memory:
    """The reports stored in a file for one protocol; raises `CaldpError` where it can't be read.

    Lines of other protocols stay as they are. Persons are stored as digests.
    """

    def __init__(self, path: Path, protocol: Protocol) -> None:
        self._path = path
        self._mark = protocol.fingerprint
        self._sent: dict[str, int | str] = {}
        self._whole = 0
        with self._sentences():
            try:
                with path.open("rb") as file:
                    self._load(file)
            except FileNotFoundError:
                pass

    def get_or_draw(self, person: str, draw: Callable[[], int | str]) -> int | str:
        """A person's stored report, or else one drawn and stored now; raises `CaldpError`.

        Also where `person` is no name: all that have none would share one report.
        """
        name = normal_name(person)
        key = self._digest(name)
        if key not in self._sent:
            # Its owner's alone, and never emptied by being opened.
            with (
                self._sentences(),
                os.fdopen(os.open(self._path, _FLAGS, 0o600), "r+b") as file,
            ):
                lock(file)
                self._load(file)
                if key not in self._sent:
                    stored = self._stored_as_spelled(person, name)
                    report = draw() if stored is None else stored
                    self._append(file, {"protocol": self._mark, "person": key, "report": report})
                    self._sent[key] = report
        return self._sent[key]

    def _digest(self, name: str) -> str:
        return hashlib.sha256(f"{self._mark} {name}".encode()).hexdigest()

    def _stored_as_spelled(self, *spelled: str) -> int | str | None:
        """The report that an earlier version stored under another spelling of the name."""
        forms = [*spelled, unicodedata.normalize("NFD", spelled[-1])]
        keys = (self._digest(form + end) for form in forms for end in _ENDS)
        return next((self._sent[key] for key in keys if key in self._sent), None)

    def _load(self, file: BinaryIO) -> None:
        """Read the lines that are new since the last time, of whichever process."""
        require(
            file.seek(0, os.SEEK_END) >= self._whole,
            self._unusable("it is shorter than it was"),
        )
        file.seek(self._whole)
        text = file.read()
        # A line that was cut off while it was written had not been returned: it is overwritten.
        whole = text.rfind(b"\n") + 1
        for line in map(self._line, text[:whole].splitlines()):
            if line["protocol"] == self._mark:
                self._sent.setdefault(line["person"], line["report"])
        self._whole += whole

    def _append(self, file: BinaryIO, line: dict[str, Any]) -> None:
        text = f"{json.dumps(line)}\n".encode()
        file.truncate(self._whole)
        file.seek(self._whole)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        self._whole += len(text)

    def _line(self, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict) or set(entry) != _KEYS or not _texts(entry):
            raise CaldpError(self._unusable("a line is no report that was kept"))
        return entry

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn what the system says of the file into one sentence."""
        try:
            yield
        except CaldpError:
            raise
        except (OSError, ValueError) as error:  # a path with a null character is a ValueError
            raise CaldpError(
                self._unusable(getattr(error, "strerror", None) or str(error))
            ) from None

    def _unusable(self, why: str) -> str:
        return (
            f"The memory {str(self._path)!r} can't be used: {why}; give another file, knowing that "
            "whoever is in this one would send a second report."
        )


def _texts(line: dict[str, Any]) -> bool:
    named = isinstance(line["protocol"], str) and isinstance(line["person"], str)
    return named and type(line["report"]) in (int, str)


def normal_name(person: object) -> str:
    """The one form in which names are compared: NFC, without spaces around, as in `client.js`.

    Letters of other case stay different. Raises `CaldpError` for what is no name.
    """
    name = unicodedata.normalize("NFC", person).strip(_AROUND) if isinstance(person, str) else ""
    is_half = any("\ud800" <= sign <= "\udfff" for sign in name)
    # Not quoted, as it may say who somebody is, and errors end up in logs.
    got = "one with half a character" if is_half else f"one of type {type(person).__name__}"
    require(
        bool(name) and not is_half,
        "person must be a text that is not empty, as a memory stores a report for each, got "
        f"{got if name or not isinstance(person, str) else 'an empty one'}; give "
        "each person a name of their own.",
    )
    return name
