"""A visit without a browser: it speaks Streamlit's protocol over a websocket.

Like the browser's side it caches large messages and sends the server their hashes, and it runs the
fragments that want to be run from time to time, so that the server has to do and to send what it
would for a browser.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import perf_counter
from typing import Any, Final

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

_FRAME_MAX: Final = 2**26
_PATIENCE_S: Final = 30.0
_ENDS: Final = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
_HEADLINE: Final = '<div class="headline'


class Visitor:
    """One visit: `page` and `query` are where it is.

    `elements`: the latest element or container of each key; `arrival_times`: when it came;
    `labels`: of tabs, by their container's key. `messages`, `received`: how many messages and bytes
    came since the last `run` began. `headline`: the page's, as HTML. `was_closed`: whether the
    server has closed the socket.
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
        self.headline = ""
        self.was_closed = False

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

    async def press(self, key: str, last: str) -> float:
        """Run the page for a press of that key's button, as `run` does."""
        state = self._state()
        state.widget_states.widgets.add(id=self.elements[key].id, trigger_value=True)
        return await self._run(state, last)

    async def use(self, key: str, widget: WidgetState) -> None:
        """Run for this new state of the widget, as a browser does; waits for the run's end.

        The widget's part of the page is run alone, if it is in one. Raises `TimeoutError`.
        """
        state = self._state()
        if not widget.trigger_value:
            self._widgets[key] = widget
        state.widget_states.widgets.append(widget)
        state.fragment_id = self._parts.get(key, "")
        self._run_end.clear()
        await self._send(state)
        async with asyncio.timeout(_PATIENCE_S):
            await self._run_end.wait()

    @property
    def is_answered(self) -> bool:
        """Whether a run has ended since the last `use` or wait began."""
        return self._run_end.is_set()

    async def _run(self, state: ClientState, last: str) -> float:
        self.messages = self.received = 0
        started = perf_counter()
        await self._send(state)
        # A run that the page has started by itself may end first.
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
                self._run_end.clear()
                await self._run_end.wait()

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

    def _handle(self, message: ForwardMsg) -> None:
        message = self._resolve(message)
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

    def _resolve(self, message: ForwardMsg) -> ForwardMsg:
        """The message itself, or the one that it stands for."""
        if message.WhichOneof("type") == "ref_hash":
            return self._message_cache[message.ref_hash]
        if message.metadata.cacheable:
            self._message_cache[message.hash] = message
        return message

    def _begin(self, message: ForwardMsg) -> None:
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
            case "html" if content.body.startswith(_HEADLINE):
                self.headline = content.body
            case "tab":
                self._tabs[path[:-1]].append(content.label)
            case "tab_container":
                self._tabs[path] = []
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
