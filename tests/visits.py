"""Visits without a browser: by Streamlit's protocol over a websocket, and a poll's phones by HTTP.

Like the browser's side, a `Visitor` caches large messages and sends the server their hashes, and it
runs the fragments that want to be run from time to time, so that the server has to do and to send
what it would for a browser. A `Bringer` uploads files as a browser does, a `Desk` is a
teacher with a poll, a `Phone` reports to it, and a `Walk` opens pages and uses their controls.
"""

import asyncio
import json
import os
import random
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from math import inf
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Final
from urllib.parse import urlsplit

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import (
    DoubleArray,
    FileUploaderState,
    FileURLs,
    FileURLsRequest,
    StringArray,
    UploadedFileInfo,
)
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from urllib3 import encode_multipart_formdata
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from caldp_ui.app.navigation import PAGES
from caldp_ui.room.poll import TOKEN_LENGTH
from tests.servers import Server

_FRAME_MAX: Final = 2**26
_PATIENCE_S: Final = 30.0
_FILE_PATIENCE_S: Final = 180.0
"""An offline file holds films of all its settings: seconds of work, more beside other work."""
_ENDS: Final = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Visitor:
    """One visit: `page` and `query` are where it is.

    `elements`: the latest element or container of each key; `arrival_times`: when it came;
    `labels`: of tabs, by their container's key. `messages`, `received`: how many messages and bytes
    came since the last `run` began. `was_closed`: whether the server has closed the socket.
    `visit`: the name that the server gave it. `alerts`: sentences in boxes, as Markdown.
    """

    def __init__(self, socket: ClientConnection, page: str, query: str) -> None:
        self._socket = socket
        self.page, self.query, self._page_hash = page, query, ""
        self._message_cache: dict[str, ForwardMsg] = {}
        self._widgets: dict[str, WidgetState] = {}
        self._parts: dict[str, str] = {}
        self._tabs: dict[tuple[int, ...], list[str]] = {}
        self._began = 0.0
        self._run_end = asyncio.Event()
        self._tasks = [asyncio.create_task(self._listen())]
        self._fragments: dict[str, asyncio.Task[None]] = {}
        self.elements: dict[str, Any] = {}
        self.arrival_times: dict[str, float] = {}
        self.labels: dict[str, list[str]] = {}
        self.messages = self.received = 0
        self.was_closed = False
        self._fault: Exception | None = None
        self.visit = ""
        self.alerts: list[str] = []
        self._files_asked = 0
        self._file_answers: dict[str, asyncio.Future[Any]] = {}

    async def __aenter__(self) -> "Visitor":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @classmethod
    async def arrive(cls, address: str, page: str, query: str = "", **connection: Any) -> "Visitor":
        """Ask for the page of that name, and wait for nothing; `connection`: of its socket."""
        stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
        socket = await connect(
            stream,
            subprotocols=[Subprotocol("streamlit")],
            max_size=_FRAME_MAX,
            ping_interval=None,  # how long a server is silent is measured, and no reason to go
            **connection,
        )
        visitor = cls(socket, page, query)
        await visitor.ask()
        return visitor

    @classmethod
    async def open(
        cls, address: str, page: str, last: str, query: str = "", **connection: Any
    ) -> "Visitor":
        """Open the page of that name and wait until the element of the key `last` has come."""
        visitor = await cls.arrive(address, page, query, **connection)
        await visitor.wait_until(lambda: last in visitor.arrival_times)
        return visitor

    async def run(self, widgets: Mapping[str, str], last: str) -> float:
        """Run the page with these texts in its widgets, by key; seconds until `last` had come.

        `last`: the key of an element. The whole run is waited for; raises `TimeoutError`.
        """
        for key, text in widgets.items():
            widget = WidgetState(id=self.elements[key].id)
            widget.string_array_value.data.append(text)
            self._widgets[key] = widget
        return await self._run(self._state(), last)

    def type(self, key: str, text: str) -> None:
        """Have this text in the widget of that key at the next run."""
        self._widgets[key] = WidgetState(id=self.elements[key].id, string_value=text)

    async def open_tab(self, label: str, last: str) -> None:
        """Open the tab of that label; waits until the element of the key `last` has come."""
        key = next(key for key, labels in self.labels.items() if label in labels)
        await self.use(key, WidgetState(id=self.elements[key].id, string_value=label))
        await self.wait_until(lambda: last in self.present())

    async def press(self, key: str, last: str) -> float:
        """Run the page for a press of that key's button, as `run` does."""
        state = self._state()
        state.widget_states.widgets.add(id=self.elements[key].id, trigger_value=True)
        return await self._run(state, last)

    async def use(self, key: str, widget: WidgetState) -> None:
        """Run for this new state of the widget, as a browser does; waits for the run's end.

        The widget's part of the page is run alone, if it is in one. Raises `TimeoutError`.
        """
        await self.send(key, widget)
        await self.wait_for_end()

    async def send(self, key: str, widget: WidgetState) -> None:
        """Ask for the run of `use`, and wait for nothing."""
        state = self._state()
        if not widget.trigger_value:
            self._widgets[key] = widget
        state.widget_states.widgets.append(widget)
        state.fragment_id = self._parts.get(key, "")
        self._expect_run()
        await self._send(state)

    async def prepare_file(self, key: str) -> str:
        """Ask for the file of that key's button, as a click does; returns its path on the server.

        Raises `RuntimeError` where the server can't make it.
        """
        self._files_asked += 1
        number = f"file-{self._files_asked}"
        answer = self._file_answers[number] = asyncio.get_running_loop().create_future()
        message = BackMsg()
        message.backend_operation_request.request_id = number
        message.backend_operation_request.session_id = self.visit
        message.backend_operation_request.deferred_file.file_id = self.elements[
            key
        ].deferred_file_id
        await self._socket.send(message.SerializeToString())
        try:
            async with asyncio.timeout(_FILE_PATIENCE_S):
                response = await answer
        except TimeoutError as error:
            # Which file it is, and whether anybody listened, is what one needs to know.
            heard = "the socket was closed" if self.was_closed else "the server is silent"
            raise TimeoutError(f"{key} on {self.page}: no answer, {heard}") from error
        finally:
            del self._file_answers[number]
        if response.error_msg:
            raise RuntimeError(response.error_msg)
        return str(response.deferred_file.url)

    async def wait_for_end(self) -> None:
        """Wait for the end of a run that was asked for; raises `TimeoutError`."""
        async with asyncio.timeout(_PATIENCE_S):
            await self._wait_for_run_end()

    @property
    def is_answered(self) -> bool:
        """Whether a run has ended since the last `use` or wait began."""
        return self._run_end.is_set()

    async def _run(self, state: ClientState, last: str) -> float:
        self.messages = self.received = 0
        started = perf_counter()
        await self._send(state)
        # A run that the page has started automatically may end first.
        await self.wait_until(lambda: self.arrival_times.get(last, 0.0) >= started)
        return self.arrival_times[last] - started

    async def ask(self) -> None:
        """Ask for a run with the values of the page's widgets, and wait for nothing."""
        await self._send(self._state())

    async def wait_until(
        self, condition: Callable[[], bool], patience_s: float = _PATIENCE_S
    ) -> None:
        """Wait for the end of a run after which `condition` holds; raises `TimeoutError`."""
        async with asyncio.timeout(patience_s):
            while not condition():
                self._expect_run()
                await self._wait_for_run_end()

    async def close(self) -> None:
        """Close the socket and end the visit's tasks."""
        self._forget_fragments(*self._fragments)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._socket.close()

    def _state(self) -> ClientState:
        state = ClientState(query_string=self.query, page_script_hash=self._page_hash)
        state.page_name = "" if self._page_hash else self.page
        state.cached_message_hashes.extend(self._message_cache)
        state.widget_states.widgets.extend(self._widgets.values())
        return state

    async def _send(self, state: ClientState) -> None:
        await self._socket.send(BackMsg(rerun_script=state).SerializeToString())

    async def _listen(self) -> None:
        try:
            async for frame in self._socket:
                assert isinstance(frame, bytes)
                self.messages += 1
                self.received += len(frame)
                self._handle(ForwardMsg.FromString(frame))
        except ConnectionClosed:
            self.was_closed = True
        except Exception as fault:
            # Else everybody would wait for what nobody hears.
            self._fault = fault
            self._run_end.set()
            for answer in self._file_answers.values():
                answer.set_exception(fault)
            raise

    def _expect_run(self) -> None:
        if self._fault is None:  # else no run's end will ever be heard
            self._run_end.clear()

    async def _wait_for_run_end(self) -> None:
        await self._run_end.wait()
        if self._fault is not None:
            raise RuntimeError("This visit no longer understands the server.") from self._fault

    def _handle(self, message: ForwardMsg) -> None:
        message = self._resolve(message)
        self._take_file_answer(message)
        match message.WhichOneof("type"):
            case "delta":
                self._store_element(message)
            case "new_session":
                self._begin(message)
            case "navigation":
                self._page_hash = message.navigation.page_script_hash
                names = {e.page_script_hash: e.url_pathname for e in message.navigation.app_pages}
                self.page = names.get(self._page_hash, self.page)
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "auto_rerun":
                timer = message.auto_rerun
                self._forget_fragments(timer.fragment_id)  # a part that is drawn again says so anew
                again = asyncio.create_task(self._run_fragment(timer.fragment_id, timer.interval))
                self._fragments[timer.fragment_id] = again
            case "stop_auto_rerun":
                self._forget_fragments(*message.stop_auto_rerun.fragment_ids)
            case "script_finished":
                self._end(message)

    def _take_file_answer(self, message: ForwardMsg) -> None:
        response = message.backend_operation_response
        # An answer that nobody waits for any longer is none.
        if answer := self._file_answers.get(response.request_id):
            answer.set_result(response)

    def _resolve(self, message: ForwardMsg) -> ForwardMsg:
        """The message itself, or the one that it stands for."""
        if message.WhichOneof("type") == "ref_hash":
            return self._message_cache[message.ref_hash]
        if message.metadata.cacheable:
            self._message_cache[message.hash] = message
        return message

    def _begin(self, message: ForwardMsg) -> None:
        self.visit = message.new_session.initialize.session_id or self.visit
        if not message.metadata.run.fragment_ids:
            self._forget_fragments(*self._fragments)
            self._began = perf_counter()

    def _end(self, message: ForwardMsg) -> None:
        if message.script_finished in _ENDS:
            self._run_end.set()

    def present(self) -> list[str]:
        """Keys of what the page's last whole run or a later run of a part has sent."""
        return [key for key, at in self.arrival_times.items() if at >= self._began]

    def _store_element(self, message: ForwardMsg) -> None:
        delta = message.delta
        found: Any = delta.add_block if delta.HasField("add_block") else delta.new_element
        kind = found.WhichOneof("type")
        content = getattr(found, kind) if kind else found
        path = tuple(message.metadata.delta_path)
        match kind:
            case "tab":
                self._tabs[path[:-1]].append(content.label)
            case "tab_container":
                self._tabs[path] = []
        if kind == "alert":
            self.alerts.append(content.body)
        # An id is "$$ID-<hash>-<key>"; elements without a key are not needed here.
        _, _, key = str(getattr(content, "id", "")).removeprefix("$$ID-").partition("-")
        if key and key != "None":
            self.elements[key] = content
            self.arrival_times[key] = perf_counter()
            self._parts[key] = message.delta.fragment_id
            if kind == "tab_container":
                self.labels[key] = self._tabs[path]

    def _forget_fragments(self, *names: str) -> None:
        for name in names:
            if task := self._fragments.pop(name, None):
                task.cancel()

    async def _run_fragment(self, name: str, seconds: float) -> None:
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(seconds)
                state = self._state()
                state.fragment_id, state.is_auto_rerun = name, True
                await self._send(state)


ARRIVE_S: Final = 8.0
"""Seconds in which all phones of a poll come."""
_REPORT_S: Final = 10.0
_LISTEN_S: Final = (2.0, 3.0)
_BOARD: Final = "room-board"


_ANSWER_S: Final = 120.0
COUNTED: Final = "places-own-accept"
"""The key of the button that comes once a file is counted."""
IS_COUNTED: Final = "It is counted."
_ESCAPES: Final = re.compile(r"\\([!-/:-@\[-`{-~])|\N{WORD JOINER}")
"""What Markdown hides of a sentence."""


@cache
def _form(name: str, data: bytes) -> tuple[bytes, str]:
    """A file as a browser sends it, and its type; made once, as the other visits are here, too."""
    return encode_multipart_formdata({"file": (name, data)})


class Bringer(Visitor):
    """A visit that uploads."""

    urls: asyncio.Future[FileURLs]

    def _handle(self, message: ForwardMsg) -> None:
        super()._handle(message)
        match message.WhichOneof("type"):
            case "file_urls_response":
                self.urls.set_result(message.file_urls_response.file_urls[0])

    async def upload(self, address: str, name: str, data: bytes) -> FileUploaderState:
        """Upload a file; returns what its widget then holds."""
        self.urls = asyncio.get_running_loop().create_future()
        asked = FileURLsRequest(request_id=name, file_names=[name], session_id=self.visit)
        await self._socket.send(BackMsg(file_urls_request=asked).SerializeToString())
        urls = await self.urls
        body, kind = _form(name, data)
        put = await asyncio.to_thread(
            requests.put,
            address + urls.upload_url,
            data=body,
            headers={"content-type": kind},
            timeout=60,
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

    @classmethod
    async def open_form(cls, address: str) -> "Bringer":
        """A visit of the map page whose form for a file is open."""
        visitor = await cls.open(address, "places", "places-own")
        assert isinstance(visitor, Bringer)
        form = WidgetState(id=visitor.elements["places-own"].id, bool_value=True)
        await visitor.use("places-own", form)
        await visitor.wait_until(lambda: "places-own-file" in visitor.elements)
        return visitor

    async def bring(self, address: str, name: str, data: bytes, enough: asyncio.Event) -> set[str]:
        """Bring the file again and again; returns what the page says of it."""
        answers = set[str]()
        while not enough.is_set():
            answers.add(await self.bring_once(address, name, data))
            if COUNTED in self.arrival_times:
                await self.press("places-own-again", "places-own-file")
        return answers

    async def bring_once(self, address: str, name: str, data: bytes) -> str:
        """Bring the file; returns what the page says of it, `ISCOUNTED` where it is counted."""
        state = await self.upload(address, name, data)
        file = self.elements["places-own-file"].id
        chosen = WidgetState(id=file, file_uploader_state_value=state)
        self.alerts.clear()
        self.arrival_times.pop(COUNTED, None)
        await self.submit("places-own-file", chosen, "places-own-file-show")
        return await self._answer()

    async def _answer(self) -> str:
        """What the page says of the file: an alert's sentence, or that it is counted."""
        until = monotonic() + _ANSWER_S
        while not (self.alerts or COUNTED in self.arrival_times) and monotonic() < until:
            await asyncio.sleep(0.1)
        if self.alerts:
            return _ESCAPES.sub(r"\1", self.alerts[-1])
        return IS_COUNTED if COUNTED in self.arrival_times else "no answer"


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
        teacher = await Visitor.open(self.address, "room", "room-open", f"phones={phones}")
        await teacher.press("room-open", "room-keeper")
        held = json.loads(teacher.elements["room-keeper"].json)["teacher"]
        self.query = f"code={held['code']}{f'&worker={self.worker}' if self.worker else ''}"
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
        await asyncio.sleep(ARRIVE_S * pause.random())
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


_PAUSE_S: Final = (2.0, 6.0)
"""How long people look at what came before they act again."""
_LEAVE: Final = 0.1
"""The share of steps that lead to another page."""


class Unanswered(StrEnum):
    """What is wrong where a visit gets no answer within 30 s."""

    DEAD = "visits that died: a fresh one at their link is answered, they are not"
    LATE = "visits answered later than after 30 s"
    SILENT = "visits unanswered while a fresh one was not answered within 30 s, either"


@dataclass
class Walk:
    """A visitor's way by a `seed`, its `steps`, and where which visits got no answer, as a text."""

    seed: int
    steps: int = 0
    unanswered: list[tuple[Unanswered, str]] = field(default_factory=list)


async def walk_over_pages(server: Server, walk: Walk, until: float) -> None:
    """Visit page after page, and use some controls of each."""
    choice = random.Random(walk.seed)
    while monotonic() < until:
        page, key = Path(choice.choice(PAGES).path).stem, "as it opens"
        visitor = await Visitor.arrive(server.address, page)
        try:
            await visitor.wait_until(partial(bool, visitor.elements))
            while monotonic() < until and choice.random() > _LEAVE:
                await asyncio.sleep(choice.uniform(*_PAUSE_S))
                key = choice.choice(visitor.present() or [""])
                await _step(visitor, key, choice)
                walk.steps += 1
        except (TimeoutError, ConnectionClosed):
            where = f"{visitor.page} {key} at load {os.getloadavg()[0]:.0f}: ?{visitor.query}"
            walk.unanswered.append((await _try_again(server, visitor), where))
        await visitor.close()


async def _try_again(server: Server, visitor: Visitor) -> Unanswered:
    """Open the link of a visit without an answer anew: what is wrong with that visit."""
    fresh = await Visitor.arrive(server.address, visitor.page, visitor.query)
    try:
        await fresh.wait_until(partial(bool, fresh.elements))
    except (TimeoutError, ConnectionClosed):
        return Unanswered.SILENT
    finally:
        await fresh.close()
    return Unanswered.LATE if visitor.is_answered else Unanswered.DEAD


async def _step(visitor: Visitor, key: str, choice: random.Random) -> None:
    """Use the control of that key, if it is one, and wait until its run has ended."""
    if not key:  # a run has just begun
        return
    widget = used_widget(visitor, key, choice)
    if widget is not None:
        await visitor.use(key, widget)


def used_widget(visitor: Visitor, key: str, choice: random.Random) -> WidgetState | None:
    """The state of that key's widget after somebody has used it; None where it is no control."""
    element, labels = visitor.elements[key], visitor.labels.get(key)
    value = _VALUES.get(type(element).__name__)
    if labels:
        return WidgetState(id=element.id, string_value=choice.choice(labels))
    if value is None or not element.id:
        return None
    return WidgetState(id=element.id, **value(element, choice))


def _slide(slider: Any, choice: random.Random) -> dict[str, Any]:
    if slider.options:
        return {"string_array_value": StringArray(data=[choice.choice(slider.options)])}
    return {"double_array_value": DoubleArray(data=[choice.uniform(slider.min, slider.max)])}


def _press_one(group: Any, choice: random.Random) -> dict[str, Any]:
    return {"string_array_value": StringArray(data=[choice.choice(group.options).content])}


_TYPED: Final = ("a\nb", "40, -75, b", "0.5", "<b>b</b>")
_VALUES: Final[dict[str, Callable[[Any, random.Random], dict[str, Any]]]] = {
    "Slider": _slide,
    "ButtonGroup": _press_one,
    "Button": lambda *_: {"trigger_value": True},
    "NumberInput": lambda each, choice: {"double_value": choice.uniform(each.min, each.max)},
    **dict.fromkeys(
        ("TextInput", "TextArea"),
        lambda each, choice: {"string_value": choice.choice(_TYPED)[: each.max_chars or None]},
    ),
    **dict.fromkeys(
        ("Selectbox", "Radio"), lambda each, choice: {"string_value": choice.choice(each.options)}
    ),
    **dict.fromkeys(
        ("Checkbox", "Popover", "Expandable"),
        lambda _, choice: {"bool_value": choice.random() < 0.5},
    ),
}
"""By kind of control, the state of its widget after somebody has used it."""
