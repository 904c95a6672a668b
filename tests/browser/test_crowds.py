"""Sixty phones at once, and six visits that wander over all pages of a real server."""

import asyncio
import json
from pathlib import Path

import pytest

from benchmarks.visits import wander
from caldp_ui.room.poll import TOKEN_LENGTH
from tests.servers import running_server, server_address
from tests.visits import Desk, Phone
from tests.waiting import run

pytestmark = pytest.mark.thorough
PHONES = 60


async def poll(address: str) -> tuple[list[int], list[int]]:
    """The statuses of the phones' reports, and the reports on the board."""
    desk = Desk(address)
    teacher = await desk.open(PHONES)
    phones = [Phone(address, desk.query, number) for number in range(PHONES)]

    async def report(phone: Phone) -> int:
        await phone.listen()
        status = await phone.send()
        phone.close()
        return status

    statuses = await asyncio.gather(*map(report, phones))
    await teacher.run({}, "room-board")
    board = json.loads(json.loads(teacher.elements["room-board"].json)["content"])
    await teacher.close()
    return statuses, board["reports"]


def test_of_sixty_phones_on_their_own_sockets_every_report_is_counted(tmp_path: Path) -> None:
    with server_address(tmp_path) as address:
        before = {path.name for path in tmp_path.rglob("*")}
        statuses, reports = run(poll(address))
        assert {path.name for path in tmp_path.rglob("*")} == before  # nothing is written to disk
        (log,) = tmp_path.glob("*.log")
        assert f"{1:0{TOKEN_LENGTH}x}" not in log.read_text("utf-8")
        assert "Traceback" not in log.read_text("utf-8")
    assert statuses == [200] * PHONES
    assert sorted(reports) == [0] * (PHONES // 2) + [1] * (PHONES // 2)


SECONDS = 120.0


def test_no_visit_dies_and_no_error_is_logged(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        figures = run(wander(server, 6, SECONDS, tmp_path))
        (log,) = tmp_path.glob("*.log")
        said = log.read_text("utf-8")
    steps, died, _, _, logged, memory, *_ = figures
    assert steps.median > 100
    assert (died.median, logged.median) == (0, 0), said
    assert memory.verdict == "ok"
