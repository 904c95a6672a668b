"""Two hostile files at once: what the server holds meanwhile and after, and how long others wait.

    python -m tests.browser.hostile

A visit brings a file as a browser does: it uploads it, presses the form's button, and goes once the
page has answered.
"""

import asyncio
import io
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Final

import click
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
from tests.ui.driver import as_read

_OTHERS: Final = 4
_ROUNDS: Final = 3
_PATIENCE_S: Final = 120.0
_BACK_S: Final = 60.0
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


def figures() -> Iterator[Figure]:
    """For each file, brought by two visits at once: memory, and waits of others."""
    scripts = {"STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false"}
    for work, (name, make) in _FILES.items():
        with tempfile.TemporaryDirectory() as at, running_server(Path(at), variables=scripts) as s:
            yield from asyncio.run(_brought(s, work, name, make()))


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


async def _brought(server: Server, work: str, name: str, data: bytes) -> list[Figure]:
    others = [await Visitor.open(server.address, "places", PICTURE) for _ in range(_OTHERS)]
    await walk_all(others, 0)
    calm = [move.seconds for at in range(_ROUNDS) for move in await walk_all(others, 100 * at)]
    memory = [server.megabytes()]
    watch = asyncio.create_task(_watch(server, memory))
    both = [asyncio.create_task(_bring(server, name, data)) for _ in range(2)]
    waits = list[float]()
    while len(waits) < 4 * _OTHERS * _ROUNDS or not all(each.done() for each in both):
        waits += [move.seconds for move in await walk_all(others, 300 + len(waits))]
    answers = {each.result() for each in both}
    await asyncio.sleep(_BACK_S)
    watch.cancel()
    for visitor in others:
        await visitor.close()
    return [
        Figure(f"two files of {work}: memory, at most", "MB", [max(memory)], _MEMORY),
        Figure("before", "MB", memory[:1]),
        Figure("a minute later, more than before", "MB", [memory[-1] - memory[0]], _BACK),
        Figure(
            "95 of 100 moves of others, over without",
            "×",
            [percentile(waits, 95) / percentile(calm, 95)],
            _WAIT,
            "; ".join(sorted(answers)),
        ),
    ]


async def _watch(server: Server, memory: list[float]) -> None:
    while True:
        memory.append(server.megabytes())
        await asyncio.sleep(0.1)


async def _bring(server: Server, name: str, data: bytes) -> str:
    """Bring the file to the map page; returns what the page says of it."""
    visitor = await Bringer.open(server.address, "places", "places-own")
    assert isinstance(visitor, Bringer)
    opens = WidgetState(id=visitor.elements["places-own"].id, bool_value=True)
    await visitor.use("places-own", opens)
    await visitor.wait_until(lambda: "places-own-file" in visitor.elements)
    state = await visitor.upload(server.address, name, data)
    file = visitor.elements["places-own-file"].id
    chosen = WidgetState(id=file, file_uploader_state_value=state)
    visitor.alerts.clear()
    await visitor.submit("places-own-file", chosen, "places-own-file-show")
    until = monotonic() + _PATIENCE_S
    while not visitor.alerts and monotonic() < until:
        await asyncio.sleep(0.1)
    answer = visitor.alerts[-1] if visitor.alerts else "no answer"
    await visitor.close()
    return as_read(answer)


if __name__ == "__main__":
    for figure in figures():
        value = f"{figure.median:,.4g} {figure.unit}"
        click.echo(f"{figure.work}: {value} ({figure.bar}) {figure.verdict} {figure.note}")
