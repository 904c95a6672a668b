"""A device's side of a collection: the true answer goes in, a report comes out.

Randomness is the operating system's; nothing takes a seed. Reports that each person has sent can be
kept in a file of lines that only grows, so that each is drawn only once: a line is on the disk
before its report is returned. Several processes may use it, one after the other: who draws reads
first what others have added. On Windows one at a time may.
"""

import hashlib
import json
import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import lock
from caldp_core.collect.device import DrawnCoins, as_text
from caldp_core.collect.protocol import Protocol
from caldp_core.domain.grid import GridDomain

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
            f"The memory {quoted(self._path)} can't be used: {why}; give another file, knowing "
            "that everybody in this one would send a second report."
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


Answer: TypeAlias = str | int | Sequence[float] | NDArray[Any]
"""A label; the number of a value without one; on a map (latitude, longitude) in degrees."""
MARK_LENGTH: Final = 16
"""Characters of the protocol's fingerprint that a message carries."""


class Client:
    """Draws reports by a `protocol`: a path or a `Protocol`.

    `memory`: a file that stores what each person has sent, so that asked again they send the same
    report at no further cost of privacy; without it every report is fresh, and ε adds up. The file
    holds reports and digests of the persons' names, and no answers. Raises `CaldpError` for a
    protocol or memory that can't be used.
    """

    def __init__(self, protocol: Protocol | str | Path, memory: str | Path | None = None) -> None:
        parsed = protocol if isinstance(protocol, Protocol) else Protocol.from_file(protocol)
        self.protocol = parsed
        self._coins = DrawnCoins()
        self._memory = None if memory is None else Memory(Path(memory), parsed)
        self._number = {label: number for number, label in enumerate(parsed.labels)}

    def __repr__(self) -> str:
        return f"<Client of {self.protocol!r}>"

    def report(self, answer: Answer, person: str = "") -> int | str:
        """What the person sends: a number, or bytes in base64; see docs/reports.md.

        `person`: whose report it is, any text that stays the same (see `normal_name`); a client
        with a memory wants one, others do not look at it. Raises `CaldpError` for an answer that
        the protocol does not have, and for a person who is no text.
        """
        symbol = self._symbol(answer)
        if self._memory is None:
            return self._draw_report(symbol)
        return self._memory.get_or_draw(person, lambda: self._draw_report(symbol))

    def message(self, answer: Answer, person: str = "") -> dict[str, Any]:
        """The report with the mark of its protocol, as a line of a file of reports."""
        mark = self.protocol.fingerprint[:MARK_LENGTH]
        return {"protocol": mark, "report": self.report(answer, person)}

    def _draw_report(self, symbol: int) -> int | str:
        device, form = self.protocol.device, self.protocol.format
        return as_text(form.encode(*device.draw(symbol, self._coins)))

    def _symbol(self, answer: Answer) -> int:
        symbol = self._find_symbol(answer)
        # The answer is not quoted, as other sentences quote what is wrong: errors end up in logs.
        if symbol is None:
            raise CaldpError(f"The answer must be {self._wanted}; give one of those.")
        return symbol

    def _find_symbol(self, answer: Answer) -> int | None:
        domain = self.protocol.domain
        if isinstance(domain, GridDomain):
            return _find_cell(domain, answer)
        if self._number:
            return self._number.get(answer) if isinstance(answer, str) else None
        return answer if type(answer) is int and 0 <= answer < domain.k else None

    @property
    def _wanted(self) -> str:
        domain = self.protocol.domain
        if isinstance(domain, GridDomain):
            return (
                f"(latitude, longitude) in degrees within {domain.area}, whose northern and "
                "eastern edges are outside but at 90° and 180°"
            )
        if self._number:
            return f"one of the protocol's {domain.k:,} labels"
        return f"a whole number from 0 to {domain.k - 1:,}"


def _find_cell(domain: GridDomain, answer: object) -> int | None:
    """The cell of a pair of degrees, None for one off the map and for what is no such pair."""
    pair = answer.tolist() if isinstance(answer, np.ndarray) else answer
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return None
    # A whole number may be too large for a float, and NaN is below nothing.
    if not all(isinstance(each, Real) and each < 1e6 and not each < -1e6 for each in pair):
        return None
    degrees = [float(each) for each in pair]
    (cell,) = domain.locate(*([each] for each in degrees)).tolist()
    return None if cell < 0 else cell
