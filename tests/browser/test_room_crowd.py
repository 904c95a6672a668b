"""Sixty phones at once, each a socket of its own to a real server: no report is lost.

They speak as browsers do, without one: `BackMsg` out, `ForwardMsg` in.
"""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

from benchmarks.server import server_address
from caldp_ui.room.page_state import STATE
from caldp_ui.room.poll import TOKEN_LENGTH
from tests.loops import run

pytestmark = pytest.mark.thorough
PHONES = 60
_DONE = ForwardMsg.ScriptFinishedStatus.FINISHED_SUCCESSFULLY
_EVENTS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


class Visit:
    """A visit of the page: what it shows by the keys of components and buttons."""

    def __init__(self, socket: ClientConnection, query: dict[str, str]) -> None:
        self.socket = socket
        self.query = urlencode(query)
        self.ids: dict[str, str] = {}
        self.messages: dict[str, Any] = {}

    async def press(self, key: str) -> None:
        """Press a button."""
        await self.run(WidgetState(id=self.ids[key], trigger_value=True))

    async def tell(self, key: str, event: str, value: object) -> None:
        """An event of a component, with its empty state beside it, as the browser sends them."""
        payload = json.dumps([{"event": event, "value": value}])
        events = WidgetState(id=_EVENTS.format(self.ids[key]), json_trigger_value=payload)
        await self.run(WidgetState(id=self.ids[key], json_value="{}"), events)

    async def run(self, *states: WidgetState) -> None:
        """Run the page, with new states of widgets, and read what comes until it has run."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = "room"
        message.rerun_script.widget_states.widgets.extend(states)
        await self.socket.send(message.SerializeToString())
        while True:
            found = ForwardMsg.FromString(await self.socket.recv(decode=False))
            self._note(found)
            if found.WhichOneof("type") == "script_finished" and found.script_finished == _DONE:
                return  # and not to be run anew at once, as the first time by `enter`

    def _note(self, message: ForwardMsg) -> None:
        if not message.HasField("delta"):
            return
        element = message.delta.new_element
        if element.HasField("bidi_component") and element.bidi_component.json:
            key = element.bidi_component.id.rpartition("-room-")[2]
            self.ids[key] = element.bidi_component.id
            self.messages[key] = json.loads(element.bidi_component.json)
        elif element.HasField("button"):
            self.ids[element.button.id.rpartition("-room-")[2]] = element.button.id


async def phone(address: str, code: str, number: int) -> tuple[bool, int]:
    """One phone's whole visit; whether its report was counted, and the report."""
    async with connect(address, max_size=None) as socket:
        visit = Visit(socket, {"code": code})
        await visit.run()
        report = number % 2
        value = {
            "mark": visit.messages["phone"]["mark"],
            "token": f"{number:0{TOKEN_LENGTH}x}",
            "report": report,
        }
        await visit.tell("phone", "report", value)
        return visit.messages["phone"]["received"], report


async def poll(address: str) -> tuple[list[tuple[bool, int]], list[int]]:
    async with connect(address, max_size=None) as socket:
        teacher = Visit(socket, {})
        await teacher.run()
        await teacher.press("open")
        code = teacher.messages["keeper"]["teacher"]["code"]
        phones = await asyncio.gather(*(phone(address, code, i) for i in range(PHONES)))
        await teacher.run()
        return phones, json.loads(teacher.messages["board"]["content"])["reports"]


def test_of_sixty_phones_on_their_own_sockets_every_report_is_counted(tmp_path: Path) -> None:
    with server_address(tmp_path) as address:
        before = {path.name for path in tmp_path.rglob("*")}
        stream = address.replace("http", "ws") + "/_stcore/stream"
        phones, reports = run(poll(stream))
        assert {path.name for path in tmp_path.rglob("*")} == before  # nothing is written to disk
        (log,) = tmp_path.glob("*.log")
        assert f"{1:0{TOKEN_LENGTH}x}" not in log.read_text("utf-8")
    assert [received for received, _ in phones] == [True] * PHONES
    assert Counter(reports) == Counter(report for _, report in phones)
    assert STATE.key("phone") == "room-phone"  # by which the pictures are found above
