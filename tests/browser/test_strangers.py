"""Strangers who open polls from one machine, with addresses that they make up, and a teacher."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.server import server_address
from benchmarks.visitor import Visitor
from caldp_ui.room.poll import OPEN
from tests.loops import run

pytestmark = pytest.mark.browser
TRIED = OPEN[0] + 2


async def open_poll(address: str, **connection: Any) -> Visitor | None:
    """A visit that has opened a poll; None where it was refused."""
    visit = await Visitor.open(address, "room", "room-open", **connection)
    state = visit._state()
    state.widget_states.widgets.add(id=visit.elements["room-open"].id, trigger_value=True)
    visit.elements.pop("room-keeper", None)
    await visit._send(state)
    await visit.wait_until(lambda: "room-keeper" in visit.elements)
    held = json.loads(visit.elements["room-keeper"].json).get("teacher")
    if held:
        return visit
    await visit.close()
    return None


async def attack(address: str, teachers: int) -> tuple[int, int]:
    """How many polls one script could open, and then how many teachers from addresses of theirs."""
    names = [f"198.51.100.{number}" for number in range(TRIED)]
    made_up = [{"X-Forwarded-For": name} for name in names]
    script = [await open_poll(address, additional_headers=headers) for headers in made_up]
    homes = [(f"127.0.1.{number}", 0) for number in range(teachers)]
    others = [await open_poll(address, local_addr=home) for home in homes]
    for visit in filter(None, (*script, *others)):
        await visit.close()
    return sum(map(bool, script)), sum(map(bool, others))


@pytest.mark.parametrize(("named", "opened"), [("", OPEN[0]), ("127.0.0.1", TRIED)])
def test_addresses_count_as_a_proxy_says_them_only_if_the_settings_name_it(
    tmp_path: Path, named: str, opened: int
) -> None:
    with server_address(tmp_path, variables={"FORWARDED_ALLOW_IPS": named}) as address:
        assert run(attack(address, 1)) == (opened, 1)
