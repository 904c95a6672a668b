"""Hostile files: what the server holds while visits bring them and after, and how long others wait.

A visit brings a file as a browser does: it uploads it, presses the form's button, and waits for the
page's answer; then it brings it again, until the others have made their moves.
"""

import asyncio
import io
import os
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Final

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import (
    FileUploaderState,
    FileURLs,
    FileURLsRequest,
    UploadedFileInfo,
)
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.crowd import PICTURE, percentile, walk_all
from benchmarks.figures import Bar, Figure
from benchmarks.server import Server, running_server
from benchmarks.visitor import Visitor
from caldp_core.basics.counted import count_text

_OTHERS: Final = 4
_ROUNDS: Final = 3
_PATIENCE_S: Final = 120.0
_BACK_S: Final = 60.0
_ESCAPES: Final = re.compile(r"\\([!-/:-@\[-`{-~])|\N{WORD JOINER}")
"""What Markdown hides of a sentence."""
_MEMORY, _BACK, _WAIT = Bar("≤", 1200), Bar("≤", 150), Bar("≤", 2)


def _zipped(name: str, data: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, data)
    return held.getvalue()


_FILES: Final[dict[str, tuple[str, Callable[[], bytes]]]] = {
    "nested arrays, 31 MB": (
        "a.geojson",
        lambda: b'{"features":[{"geometry":{"coordinates":[' + b"[[]]," * 6_200_000 + b"[]]}}]}",
    ),
    "a million features": (
        "b.geojson",
        lambda: b'{"features":[' + b'{"geometry":{"type":"Point"}},' * 10**6 + b"{}]}",
    ),
    "JSON, 31 MB": ("c.json", lambda: b'{"rows":[' + b"[1,2]," * 5_200_000 + b"[]]}"),
    "one line, 31 MB": ("d.csv", lambda: b"1," * 15_500_000 + b"1"),
    "a workbook of zeros, 300 MB": ("e.xlsx", lambda: _zipped("xl/workbook.xml", bytes(3 * 10**8))),
    "a zip of zeros, 300 MB": ("f.zip", lambda: _zipped("f.csv", bytes(3 * 10**8))),
}


_BROUGHT: Final = (("a million features", 1), *((work, 2) for work in _FILES))
"""Each kind of file, and by how many visits at once it is brought."""


def figures(_: int) -> Iterator[Figure]:
    """For each file: memory, and how long four other visits wait for their moves meanwhile."""
    without_cookie = {"STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false"}
    for work, number in _BROUGHT:
        name, make = _FILES[work]
        with (
            tempfile.TemporaryDirectory() as at,
            running_server(Path(at), variables=without_cookie) as server,
        ):
            title = f"{count_text(number, 'visit brings', 'visits bring')} {work}"
            yield from asyncio.run(_brought(server, title, number, name, make()))


class Bringer(Visitor):
    """A visit that uploads; `alerts`: sentences in boxes, as Markdown."""

    alerts: list[str]
    visit: str
    urls: asyncio.Future[FileURLs]

    def _handle(self, message: ForwardMsg) -> None:
        super()._handle(message)
        self.alerts = getattr(self, "alerts", [])
        match message.WhichOneof("type"):
            case "new_session" if message.new_session.initialize.session_id:
                self.visit = message.new_session.initialize.session_id
            case "file_urls_response":
                self.urls.set_result(message.file_urls_response.file_urls[0])
            case "delta" if message.delta.new_element.alert.body:
                self.alerts.append(message.delta.new_element.alert.body)

    async def upload(self, address: str, name: str, data: bytes) -> FileUploaderState:
        """Upload a file; returns what its widget then holds."""
        self.urls = asyncio.get_running_loop().create_future()
        asked = FileURLsRequest(request_id=name, file_names=[name], session_id=self.visit)
        await self._socket.send(BackMsg(file_urls_request=asked).SerializeToString())
        urls = await self.urls
        put = await asyncio.to_thread(
            requests.put, address + urls.upload_url, files={"file": (name, data)}, timeout=60
        )
        put.raise_for_status()
        info = UploadedFileInfo(file_id=urls.file_id, name=name, size=len(data), file_urls=urls)
        return FileUploaderState(uploaded_file_info=[info])

    async def submit(self, key: str, widget: WidgetState, button: str) -> None:
        """Press a form's button, with this state of one of its widgets; waits for nothing."""
        self._widgets[key] = widget
        state = self._state()
        state.widget_states.widgets.add(id=self.elements[button].id, trigger_value=True)
        state.fragment_id = self._parts.get(button, "")
        await self._send(state)


async def _brought(server: Server, title: str, number: int, name: str, data: bytes) -> list[Figure]:
    others = [await Visitor.open(server.address, "places", PICTURE) for _ in range(_OTHERS)]
    bringers = [await _open_form(server) for _ in range(number)]
    await walk_all(others, 0)
    calm = await _waits(others, 100)
    memory, enough = [server.megabytes()], asyncio.Event()
    watch = asyncio.create_task(_watch(server, memory))
    brought = [asyncio.create_task(_bring(each, server, name, data, enough)) for each in bringers]
    waits = await _waits(others, 300)
    load = os.getloadavg()[0]
    enough.set()
    answers = {answer for each in brought for answer in await each}
    await asyncio.sleep(_BACK_S)
    watch.cancel()
    for visitor in (*others, *bringers):
        await visitor.close()
    return [
        Figure(f"{title}: memory, at most", "MB", [max(memory)], _MEMORY),
        Figure("before", "MB", memory[:1]),
        Figure("a minute later, more than before", "MB", [memory[-1] - memory[0]], _BACK),
        Figure(
            "95 of 100 moves of others, over without",
            "×",
            [percentile(waits, 95) / percentile(calm, 95)],
            _WAIT,
            f"{percentile(calm, 95):.2f} s without; load {load:.1f}; {'; '.join(sorted(answers))}",
        ),
    ]


async def _waits(others: list[Visitor], seed: int) -> list[float]:
    rounds = [await walk_all(others, seed + 100 * number) for number in range(_ROUNDS)]
    return [move.seconds for moves in rounds for move in moves]


async def _watch(server: Server, memory: list[float]) -> None:
    while True:
        memory.append(server.megabytes())
        await asyncio.sleep(0.1)


async def _open_form(server: Server) -> Bringer:
    """A visit of the map page whose form for a file is open."""
    visitor = await Bringer.open(server.address, "places", "places-own")
    assert isinstance(visitor, Bringer)
    await visitor.use(
        "places-own", WidgetState(id=visitor.elements["places-own"].id, bool_value=True)
    )
    await visitor.wait_until(lambda: "places-own-file" in visitor.elements)
    return visitor


async def _bring(
    visitor: Bringer, server: Server, name: str, data: bytes, enough: asyncio.Event
) -> set[str]:
    """Bring the file again and again; returns what the page says of it."""
    answers = set[str]()
    while not enough.is_set():
        state = await visitor.upload(server.address, name, data)
        file = visitor.elements["places-own-file"].id
        chosen = WidgetState(id=file, file_uploader_state_value=state)
        visitor.alerts.clear()
        await visitor.submit("places-own-file", chosen, "places-own-file-show")
        until = monotonic() + _PATIENCE_S
        while not visitor.alerts and monotonic() < until:
            await asyncio.sleep(0.1)
        answers.add(_ESCAPES.sub(r"\1", visitor.alerts[-1]) if visitor.alerts else "no answer")
    return answers
