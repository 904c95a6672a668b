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
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import lock
from caldp_core.collect.device import Budget, Coins, DrawnCoins, Memo, NoisyMemo, as_text
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.questions import Questions, protocols_by_name, read_protocol
from caldp_core.domain.domains import GridDomain

_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
T = TypeVar("T")
VERSION_KEY: Final = "caldp_memory"
PLANNED: Final = 2
"""Version of the lines that plans of repetition write; lines without a version are of the first."""
_KEYS: Final = ({"protocol", "person", "report"}, {"protocol", "person", "day"})
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
        self._sent: dict[str, Any] = {}
        self._days: defaultdict[str, list[str]] = defaultdict(list)
        plan = protocol.repetition
        self._version = {} if plan is None else {VERSION_KEY: PLANNED}
        self._stored = protocol.domain.k if isinstance(plan, Memo | NoisyMemo) else 0
        self._whole = 0
        with self._sentences(), suppress(FileNotFoundError), path.open("rb") as file:
            self._load(file)

    def get_or_draw(self, person: str, draw: Callable[[], T]) -> T:
        """What is stored for a person, or else what is drawn and stored now; raises `CaldpError`.

        One report, or of a memo those of all k values, so that the file does not show which values
        the person had. Also if `person` is not a name: all without one would share one report.
        """
        name = normal_name(person)
        key = self._digest(name)
        if key not in self._sent:
            with self._locked() as file:
                if key not in self._sent:
                    stored = self._stored_as_spelled(person, name)
                    self._append(file, key, {"report": draw() if stored is None else stored})
        return self._sent[key]  # type: ignore[no-any-return]

    def spend(self, person: str, reports: int, day: str, a_day: int) -> None:
        """Note that a person sends one more report; `CaldpError` beyond `reports` or `a_day`."""
        key = self._digest(normal_name(person))
        with self._locked() as file:
            days = self._days[key]
            require(
                len(days) < reports and days.count(day) < a_day,
                f"This person has sent as many reports as the protocol's plan allows, {a_day:,} a "
                f"day and {reports:,} in all; send nothing more.",
            )
            self._append(file, key, {"day": day})

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        """The file, locked, once what others have added is read."""
        # Its owner's alone, and never emptied by being opened.
        with self._sentences(), os.fdopen(os.open(self._path, _FLAGS, 0o600), "r+b") as file:
            lock(file)
            self._load(file)
            yield file

    def _digest(self, name: str) -> str:
        return hashlib.sha256(f"{self._mark} {name}".encode()).hexdigest()

    def _stored_as_spelled(self, *spelled: str) -> int | str | None:
        """The report that an earlier version stored under another spelling of the name."""
        forms = [*spelled, unicodedata.normalize("NFD", spelled[-1])]
        for form in forms:
            for end in _ENDS:
                key = self._digest(form + end)
                if key in self._sent:
                    report: int | str = self._sent[key]
                    return report
        return None

    def _load(self, file: BinaryIO) -> None:
        """Read the lines that are new since the last time, of whichever process."""
        require(
            file.seek(0, os.SEEK_END) >= self._whole, self._unusable("it is shorter than it was")
        )
        file.seek(self._whole)
        text = file.read()
        # A line that was cut off while it was written had not been returned: it is overwritten.
        whole = text.rfind(b"\n") + 1
        for line in map(self._line, text[:whole].splitlines()):
            self._keep(line)
        self._whole += whole

    def _keep(self, line: dict[str, Any]) -> None:
        """Take in what a line of the file says, if it is of this protocol."""
        if line["protocol"] != self._mark:
            return
        person = line["person"]
        if "day" in line:
            self._days[person].append(line["day"])
            return
        # The first report of a person stands, whatever a later line says.
        report = self._sent.setdefault(person, line["report"])
        report_count = 0
        if isinstance(report, list):
            report_count = len(report)
        require(report_count == self._stored, self._unusable(_NOT_KEPT))

    def _append(self, file: BinaryIO, key: str, what: dict[str, Any]) -> None:
        line = self._version | {"protocol": self._mark, "person": key, **what}
        text = f"{json.dumps(line)}\n".encode()
        file.truncate(self._whole)
        file.seek(self._whole)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        self._whole += len(text)
        self._keep(line)

    def _line(self, line: bytes) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict) or not _is_line(entry):
            raise CaldpError(self._unusable(_NOT_KEPT))
        return entry

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn what the system says of the file into one sentence."""
        try:
            yield
        except CaldpError:
            raise
        except (OSError, ValueError) as error:  # a path with a null character is a ValueError
            reason = getattr(error, "strerror", None) or str(error)
            raise CaldpError(self._unusable(reason)) from None

    def _unusable(self, why: str) -> str:
        return (
            f"The memory {quoted(self._path)} can't be used: {why}; give another file, knowing "
            "that everybody in this one would send a second report."
        )


_NOT_KEPT: Final = "a line is not a report that was kept"


def _is_line(line: dict[str, Any]) -> bool:
    """Whether it is a memory's line of a version that is known here."""
    if line.get(VERSION_KEY, PLANNED) != PLANNED or set(line) - {VERSION_KEY} not in _KEYS:
        return False
    for text in (line["protocol"], line["person"], line.get("day", "")):
        if not isinstance(text, str):
            return False
    # Only lines of plans, which say their version, hold the reports of all values.
    report = line.get("report", 0)
    reports = [report]
    if isinstance(report, list) and VERSION_KEY in line:
        reports = report
    # Not isinstance: True is an int to Python.
    return all(type(report) in (int, str) for report in reports)


def normal_name(person: object) -> str:
    """The one form in which names are compared: NFC, without spaces around, as in `client.js`.

    Letters of other case stay different. Raises `CaldpError` for what is not a name.
    """
    # The name is not quoted, as it may say who somebody is, and errors end up in logs.
    wrong = ""
    name = ""
    if isinstance(person, str):
        name = unicodedata.normalize("NFC", person).strip(_AROUND)
        if not name:
            wrong = "an empty one"
        elif any("\ud800" <= sign <= "\udfff" for sign in name):
            wrong = "one with half a character"
    else:
        wrong = f"one of type {type(person).__name__}"
    require(
        not wrong,
        "person must be a text that is not empty, as a memory stores a report for each, got "
        f"{wrong}; give each person a name of their own.",
    )
    return name


Answer: TypeAlias = str | int | Sequence[float] | NDArray[Any]
"""A label; the number of a value without one; on a map (latitude, longitude) in degrees."""
MARK_LENGTH: Final = 16
"""Characters of the protocol's fingerprint that a message carries."""


class Client:
    """Draws reports by a `protocol`, or by `Questions`; of either also the path of its file.

    `memory`: a file that stores what each person has sent, so that asked again they send what the
    protocol's plan of repetition says: without a plan the first report, at no further cost of
    privacy. Without memory every report is fresh, and ε adds up. The file holds reports and digests
    of the persons' names, and no answers. Raises `CaldpError` for a bad protocol or memory.
    """

    def __init__(
        self, protocol: Protocol | Questions | str | Path, memory: str | Path | None = None
    ) -> None:
        if not isinstance(protocol, Protocol | Questions):
            protocol = read_protocol(protocol)
        self.protocol = protocol
        self._coins = DrawnCoins()
        self._day: Callable[[], str] = _today
        path = None
        if memory is not None:
            path = Path(memory)
        self._senders: dict[str, _Sender] = {}
        for name, question in protocols_by_name(protocol).items():
            self._senders[name] = _Sender(question, path)

    def __repr__(self) -> str:
        return f"<Client of {self.protocol!r}>"

    @overload
    def report(self, answer: Mapping[str, Answer], person: str = "") -> dict[str, int | str]: ...
    @overload
    def report(self, answer: Answer, person: str = "") -> int | str: ...
    def report(self, answer: Any, person: str = "") -> Any:
        """What the person sends: a number, or bytes in base64; see docs/reports.md.

        Of several questions: a report for each, of answers by their names. `person`: whose report
        it is, any text that stays the same (see `normal_name`); a client with a memory wants one,
        others do not look at it. Raises `CaldpError` for an answer that the protocol does not have,
        for a person that is not a text, and for one who has sent as many reports as the protocol's
        plan allows.
        """
        # One question without a name and several by name go the same way.
        is_single = isinstance(self.protocol, Protocol)
        answers = answer
        if is_single:
            answers = {"": answer}
        require(
            isinstance(answers, Mapping) and set(answers) == set(self._senders),
            f"Give an answer to each of the questions {', '.join(self._senders)}, by its name.",
        )
        # All answers are checked before anything is drawn or stored.
        symbols = {}
        for name, sender in self._senders.items():
            symbols[name] = sender.symbol(answers[name])
        sent = {}
        for name, sender in self._senders.items():
            sent[name] = sender.report(symbols[name], person, self._coins, self._day)
        if is_single:
            return sent[""]
        return sent

    def message(self, answer: Answer | Mapping[str, Answer], person: str = "") -> dict[str, Any]:
        """The report with the mark of its protocol, as a line of a file of reports."""
        mark = self.protocol.fingerprint[:MARK_LENGTH]
        return {"protocol": mark, "report": self.report(answer, person)}


def _today() -> str:
    """The day in UTC, such as 2024-02-29; a function of the module, so that clients are pickled."""
    return datetime.now(UTC).date().isoformat()


class _Sender:
    """Draws the reports of one question, and stores what its plan needs."""

    def __init__(self, protocol: Protocol, memory: Path | None) -> None:
        require(
            memory is not None or protocol.repetition is None,
            "This protocol has a plan of repetition, which a client keeps by a memory; give the "
            "path of a file as memory.",
        )
        self._protocol = protocol
        self._memory = None if memory is None else Memory(memory, protocol)
        self._number = {label: number for number, label in enumerate(protocol.labels)}

    def report(self, symbol: int, person: str, coins: Coins, day: Callable[[], str]) -> int | str:
        """What a person with this value sends on that day."""
        plan, memory = self._protocol.repetition, self._memory
        device, form = self._protocol.device, self._protocol.format

        def draw(symbol: int = symbol) -> int | str:
            return as_text(form.encode(*device.draw(symbol, coins)))

        # Without a memory, and by a budget, each report is fresh; a budget counts them.
        if memory is not None and isinstance(plan, Budget):
            memory.spend(person, plan.reports, day(), plan.a_day)
        if memory is None or isinstance(plan, Budget):
            return draw()
        # Without a memo a person's first report is sent again and again.
        if not isinstance(plan, Memo | NoisyMemo):
            return memory.get_or_draw(person, draw)
        # A memo has a report for each value, drawn at once, so that the file hides which were had.
        values = range(self._protocol.domain.k)
        stored = memory.get_or_draw(person, lambda: [draw(value) for value in values])[symbol]
        if isinstance(plan, NoisyMemo):
            memory.spend(person, plan.reports, "", plan.reports)
            return plan.send(stored, form.values, coins)
        return stored

    def symbol(self, answer: Answer) -> int:
        """The number of the answer's value; raises `CaldpError` for none of the protocol's."""
        domain = self._protocol.domain
        symbol: int | None = None
        if isinstance(domain, GridDomain):
            symbol = _find_cell(domain, answer)
            wanted = (
                f"(latitude, longitude) in degrees within {domain.area}, whose northern and "
                "eastern edges are outside but at 90° and 180°"
            )
        elif self._number:
            if isinstance(answer, str):
                symbol = self._number.get(answer)
            wanted = f"one of the protocol's {domain.k:,} labels"
        else:
            # Not isinstance: True is an int to Python.
            if type(answer) is int and 0 <= answer < domain.k:
                symbol = answer
            wanted = f"a whole number from 0 to {domain.k - 1:,}"
        # The answer is not quoted, as other sentences quote what is wrong: errors end up in logs.
        if symbol is None:
            raise CaldpError(f"The answer must be {wanted}; give one of those.")
        return symbol


def _find_cell(domain: GridDomain, answer: object) -> int | None:
    """The cell of a pair of degrees, None for one off the map and for what is not such a pair."""
    pair = answer
    if isinstance(answer, np.ndarray):
        pair = answer.tolist()
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return None
    degrees = []
    for number in pair:
        # A whole number may be too large for a float, and NaN is below nothing.
        if not isinstance(number, Real) or not number < 1e6 or number < -1e6:
            return None
        degrees.append(float(number))
    latitude, longitude = degrees
    (cell,) = domain.locate([latitude], [longitude]).tolist()
    if cell < 0:
        return None
    return int(cell)
