"""A full lecture hall in live polls: phones arrive, listen, and all report within ten seconds.

Phones send the requests of their page without a browser, each on connections of its own; teachers
speak Streamlit's protocol. All of them run on the machine that serves them.
"""

import asyncio
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit

from benchmarks.crowd import percentile
from benchmarks.figures import Bar, Figure
from benchmarks.fleet import Fleet, fleet, missing_software
from benchmarks.server import Server, running_server
from benchmarks.visitor import Visitor
from caldp_ui.room.poll import TOKEN_LENGTH

_PHONES: Final = 300
_MANY: Final = 1_000
_WORKERS: Final = 4
_ARRIVE_S: Final = 8.0
_IDLE_S: Final = 10.0
_REPORT_S: Final = 10.0
_LISTEN_S: Final = (2.0, 3.0)
_PATIENCE_S: Final = 60.0
_BOARD: Final = "room-board"
_ACKNOWLEDGED, _BEHIND, _NONE = Bar("≤", 3), Bar("≤", 2), Bar("≤", 0)


def figures(_: int) -> Iterator[Figure]:
    """Waits of phones, of boards and of teachers' clicks: one worker, then four behind nginx."""
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(hall(server, [Desk(server.address)], _PHONES))
    if lack := missing_software():
        yield Figure(f"{_MANY:,} phones in {_WORKERS} polls", "", (), note=lack)
        return
    with tempfile.TemporaryDirectory() as name, fleet(Path(name), _WORKERS) as workers:
        desks = [Desk(each.address, f"w{at}") for at, each in enumerate(workers.workers, 1)]
        yield from asyncio.run(hall(workers, desks, _MANY))


@dataclass
class Desk:
    """A teacher's own worker, and what the board of the poll there showed: (seconds, reports)."""

    address: str
    worker: str = ""
    boards: list[tuple[float, int]] = field(default_factory=list)
    clicks: list[float] = field(default_factory=list)
    query: str = ""

    async def open(self, phones: int) -> Visitor:
        """Open a poll with room for that number of phones."""
        teacher = await Visitor.open(self.address, "room", "room-open")
        await teacher.press("room-open", "room-keeper")
        held = json.loads(teacher.elements["room-keeper"].json)["teacher"]
        self.query = f"code={held['code']}{f'&worker={self.worker}' if self.worker else ''}"
        await teacher.run({"room-most": "200" if phones <= 200 else "500"}, "room-keeper")
        return teacher

    async def watch(self, teacher: Visitor) -> None:
        """Note what the board shows, for as long as it is asked to."""
        while True:
            at = teacher.arrival_times.get(_BOARD, 0.0)
            if not self.boards or self.boards[-1][0] != at:
                shown = json.loads(json.loads(teacher.elements[_BOARD].json)["content"])["n"]
                self.boards.append((at, shown))
            await asyncio.sleep(0.02)

    async def click(self, teacher: Visitor) -> None:
        """Open and leave the form of the next question again and again."""
        while True:
            for name, last in (("next", "room-ask"), ("back", "room-next")):
                await asyncio.sleep(1.0)
                self.clicks.append(await teacher.press(f"room-{name}", last))

    def lags(self, acknowledged: Sequence[float]) -> list[float]:
        """Seconds from each acknowledgement until the board showed as many reports."""
        return [
            next((max(at - when, 0.0) for at, shown in self.boards if shown >= number), inf)
            for number, when in enumerate(sorted(acknowledged), 1)
        ]


class Phone:
    """One phone on its own connection, which it opens again when the server has closed it.

    `waited`, `at`: seconds until its report was acknowledged, and when; infinite if never.
    """

    def __init__(self, address: str, query: str, number: int) -> None:
        parts = urlsplit(address)
        self._host, self._port = parts.hostname or "", parts.port
        self._base, self._query, self._number = parts.path, query, number
        self._line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._busy = asyncio.Lock()
        self._tag, self._mark = "", ""
        self.waited = self.at = inf
        self.requests = 0

    async def live(self, pause: random.Random) -> None:
        """Arrive at some moment, then ask for the poll's state again and again."""
        await asyncio.sleep(_ARRIVE_S * pause.random())
        await self._ask("GET", "/room")
        while True:
            await self.listen()
            await asyncio.sleep(pause.uniform(*_LISTEN_S))

    async def listen(self) -> None:
        """Ask for the poll's state, which comes if it has changed."""
        status, headers, body = await self._ask("GET", "/room/poll")
        if status == 200:
            self._tag, self._mark = headers["etag"], json.loads(body)["mark"]

    async def report(self, pause: random.Random) -> None:
        """Report at some moment, and again until it is acknowledged."""
        await asyncio.sleep(_REPORT_S * pause.random())
        began = perf_counter()
        while await self.send() != 200:
            await asyncio.sleep(pause.uniform(1.0, 3.0))
        self.at = perf_counter()
        self.waited = self.at - began

    async def send(self) -> int:
        """Send the report; returns the status of the answer."""
        token = f"{self._number:0{TOKEN_LENGTH}x}"
        message = {"mark": self._mark, "token": token, "report": self._number % 2}
        status, _, _ = await self._ask("POST", "/room/poll", json.dumps(message).encode())
        return status

    async def _ask(
        self, method: str, path: str, body: bytes = b""
    ) -> tuple[int, dict[str, str], bytes]:
        lines = [
            f"{method} {self._base}{path}?{self._query} HTTP/1.1",
            f"host: {self._host}:{self._port}",
            f"content-length: {len(body)}",
            "content-type: application/json",
            f"if-none-match: {self._tag}",
        ]
        request = "\r\n".join([*lines, "", ""]).encode() + body
        async with self._busy:
            self.requests += 1
            for _ in range(3):
                with suppress(OSError, asyncio.IncompleteReadError):
                    return await self._exchange(request)
                self._line = None
        return 0, {}, b""

    async def _exchange(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        if self._line is None:
            self._line = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._line
        writer.write(request)
        status, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(": ") for line in rest if line)
        headers = {name.lower(): text for name, _, text in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return int(status.split()[1]), headers, body

    def close(self) -> None:
        """Close the connection."""
        if self._line is not None:
            self._line[1].close()


async def hall(server: Server | Fleet, desks: Sequence[Desk], number: int) -> list[Figure]:
    """The figures of a number of phones, spread evenly over the polls of these desks."""
    teachers = [await desk.open(number // len(desks)) for desk in desks]
    queries = [desk.query for desk in desks]
    phones = [Phone(server.address, queries[i % len(desks)], i) for i in range(number)]
    tasks = [asyncio.create_task(p.live(random.Random(i))) for i, p in enumerate(phones)]
    tasks += [asyncio.create_task(d.watch(t)) for d, t in zip(desks, teachers, strict=True)]
    await asyncio.sleep(_ARRIVE_S + 2.0)
    used, asked = server.cpu_seconds(), sum(phone.requests for phone in phones)
    await asyncio.sleep(_IDLE_S)
    idle = server.cpu_seconds() - used
    asked = sum(phone.requests for phone in phones) - asked
    tasks += [asyncio.create_task(d.click(t)) for d, t in zip(desks, teachers, strict=True)]
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_S):
            reports = (p.report(random.Random(-i)) for i, p in enumerate(phones))
            await asyncio.gather(*reports)
    await asyncio.sleep(3.0)
    await _end(tasks, teachers, phones)
    lags = [
        lag for at, desk in enumerate(desks) for lag in desk.lags(_acknowledged(phones, at, desks))
    ]
    setting = f"{number:,} phones in {len(desks)} polls" if len(desks) > 1 else f"{number} phones"
    counted = sum(max(shown for _, shown in desk.boards) for desk in desks)
    waits, clicks = [phone.waited for phone in phones], [c for desk in desks for c in desk.clicks]
    return [
        Figure(
            f"{setting} report within 10 s: slowest acknowledgement",
            "s",
            [max(waits)],
            _ACKNOWLEDGED,
        ),
        Figure("acknowledgements, half of them", "s", [percentile(waits, 50)]),
        Figure("reports that the boards do not count", "", [number - counted], _NONE),
        Figure("a board behind an acknowledged report, at most", "s", [max(lags)], _BEHIND),
        Figure("a teacher's click meanwhile, at most", "s", [max(clicks)], _BEHIND),
        Figure(
            "processor time while phones only listen, of a second", "ms", [1000 * idle / _IDLE_S]
        ),
        Figure("processor time for each of their requests", "ms", [1000 * idle / asked]),
        Figure("memory afterwards", "MB", [server.megabytes()]),
    ]


def _acknowledged(phones: Sequence[Phone], at: int, desks: Sequence[Desk]) -> list[float]:
    """When the reports of the phones at this desk were acknowledged."""
    return [phone.at for phone in phones[at :: len(desks)] if phone.at < inf]


async def _end(
    tasks: Sequence["asyncio.Task[Any]"], teachers: Sequence[Visitor], phones: Sequence[Phone]
) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for phone in phones:
        phone.close()
    for teacher in teachers:
        await teacher.close()
