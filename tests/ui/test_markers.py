"""A visit with marked names and numbers: nothing of it is left in the server once it has gone."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Final
from urllib.parse import urlencode

import pytest
import requests
from streamlit.proto.WidgetStates_pb2 import WidgetState

from caldp_ui.app.navigation import PAGES
from tests.servers import Server, run, running_server
from tests.ui.test_vault import bring
from tests.visits import Bringer, Visitor

NAMES: Final = ("zqmarkalpha", "zqmarkbeta", "zqmarkgamma")
COUNTS: Final = (9_413, 7_607, 8_831)
"""Numbers that stand together in nothing else."""
APP: Final = "tests/ui/scanned_app.py"
PATIENCE_S: Final = 60.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("markers")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    # Uploads come without a browser here, which would have the cookie against forged ones.
    variables = {"STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false"}
    with running_server(folder, APP, variables=variables) as found:
        yield found


def scan(server: Server) -> dict[str, int]:
    """What in the server's memory holds a marked name, or all marked numbers."""
    # Reversed: the request itself is in the memory, too.
    query = [("text", name[::-1]) for name in NAMES]
    query += [("number", str(count)) for count in COUNTS]
    answer = requests.get(f"{server.address}/scan?{urlencode(query)}", timeout=120)
    found: dict[str, int] = answer.json()
    return found


async def go_to(visitor: Visitor, page: str) -> None:
    """Go to another page of the same visit, with the link of this one."""
    visitor.page, visitor._page_hash = page, ""
    visitor.elements.clear()
    visitor.labels.clear()
    visitor._widgets.clear()
    await visitor.ask()
    await visitor.wait_until(lambda: bool(visitor.elements))
    await asyncio.sleep(0.5)


async def prepare_all(visitor: Visitor) -> list[str]:
    """Prepare every file that the page offers; returns where they are."""
    found = []
    for key in visitor.present():
        if getattr(visitor.elements[key], "deferred_file_id", ""):
            with suppress(RuntimeError):  # its button may be gone by now
                found.append(await visitor.prepare_file(key))
    return found


async def press_everything(visitor: Visitor) -> list[str]:
    """Open each tab of the page, press each button of a job and prepare each file."""
    found = await prepare_all(visitor)
    for key, labels in list(visitor.labels.items()):
        for label in labels:
            with suppress(TimeoutError, KeyError):
                chosen = WidgetState(id=visitor.elements[key].id, string_value=label)
                await visitor.use(key, chosen)
            for start in [name for name in visitor.present() if name.endswith("-start")]:
                with suppress(TimeoutError, KeyError):
                    pressed = WidgetState(id=visitor.elements[start].id, trigger_value=True)
                    await visitor.use(start, pressed)
            found += await prepare_all(visitor)
    return found


def texts_of(visitor: Visitor) -> str:
    return " ".join([str(element) for element in visitor.elements.values()] + visitor.alerts)


TABLE: Final = "\n".join(f"{name},{count}" for name, count in zip(NAMES, COUNTS, strict=True))
LIST: Final = "\n".join(["answer", *(name for name in NAMES for _ in range(40))])
"""A list that is released: a person a row."""


async def bring_table(visitor: Visitor, pages: Sequence[str]) -> list[str]:
    """Bring the marked table, and press everything on these pages; returns paths of all files."""
    await bring(visitor, TABLE)
    files = await press_everything(visitor)
    for page in pages:
        await go_to(visitor, page)
        files += await press_everything(visitor)
    return files


async def release_list(desk: Visitor, address: str) -> None:
    """Bring a marked list to the desk, answer its questions and draw."""
    assert isinstance(desk, Bringer)
    file = await desk.upload(address, f"{NAMES[0]}.csv", LIST.encode())
    chosen = WidgetState(id=desk.elements["desk-list"].id, file_uploader_state_value=file)
    await desk.use("desk-list", chosen)
    await desk.wait_until(lambda: "desk-next-0" in desk.present())
    await desk.press("desk-next-0", "desk-values-0")
    desk.type("desk-values-0", "\n".join(NAMES))
    desk.type("desk-source", "the clerk's own list")
    for number, last in ((1, "desk-next-2"), (2, "desk-next-3"), (3, "desk-next-4")):
        await desk.press(f"desk-next-{number}", last)
    for key in [key for key in desk.present() if key.startswith("desk-publication-")]:
        if key != "desk-publication-date":
            desk.type(key, NAMES[1])
    await desk.press("desk-next-4", "desk-draw-start")
    pressed = WidgetState(id=desk.elements["desk-draw-start"].id, trigger_value=True)
    await desk.send("desk-draw-start", pressed)
    await desk.wait_until(lambda: "desk-office-zip" in desk.present(), PATIENCE_S)


async def see_nothing_of_it(server: Server, link: str) -> None:
    """A second visit finds nothing of the first, by its link or by any page."""
    async with await Visitor.open(server.address, "values", "values-own", link) as other:
        assert "Yours" not in texts_of(other)
        for entry in PAGES:
            await go_to(other, Path(entry.path).stem)
            assert not [name for name in NAMES if name in texts_of(other)]


def expect_nothing_left(server: Server, folder: Path, files: Sequence[str]) -> None:
    """Neither memory nor media nor log nor home has a mark, soon after the page was closed."""
    until = monotonic() + PATIENCE_S
    left: dict[str, int] = {"not": 1}
    while left and monotonic() < until:
        Event().wait(3.0)
        left = scan(server)
    assert left == {}
    assert {requests.get(server.address + file, timeout=30).status_code for file in files} == {404}
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [name for name in NAMES if name.encode() in content]


@pytest.mark.slow
def test_nothing_of_a_visit_is_left_once_it_has_gone(server: Server, folder: Path) -> None:
    """The pages that make most of a table; each night all pages, below."""
    assert scan(server) == {}

    async def visit() -> list[str]:
        async with await Visitor.open(server.address, "values", "values-own") as visitor:
            files = await bring_table(visitor, ("adversary",))
            assert len(files) > 10
            assert await asyncio.to_thread(scan, server), "the scan finds what is there"
            assert not [name for name in NAMES if name in visitor.query]
            await see_nothing_of_it(server, visitor.query)
            return files

    expect_nothing_left(server, folder, run(visit()))


@pytest.mark.slow
def test_nothing_of_a_list_is_left_once_its_desk_is_closed(server: Server, folder: Path) -> None:
    """List, key and pack of an office; a second visit by the same link sees none of them.

    It goes first: Streamlit's loop kept the session that it had served last until another came.
    """
    pytest.importorskip("opendp")

    async def visit() -> list[str]:
        async with await Bringer.open(server.address, "desk", "desk-list") as desk:
            await release_list(desk, server.address)
            async with await Visitor.open(server.address, "desk", "desk-list", desk.query) as other:
                assert not [name for name in NAMES if name in texts_of(other)]
            files = await prepare_all(desk)
            assert len(files) > 5
            served = await asyncio.to_thread(requests.get, server.address + files[0], timeout=30)
            assert served.status_code == 200
            assert await asyncio.to_thread(scan, server), "the scan finds what is there"
            assert not [name for name in NAMES if name in desk.query]
            return files

    expect_nothing_left(server, folder, run(visit()))


@pytest.mark.thorough
def test_nothing_is_left_of_a_visit_that_has_pressed_everything_on_every_page(
    server: Server, folder: Path
) -> None:
    async def visit() -> list[str]:
        async with await Visitor.open(server.address, "values", "values-own") as visitor:
            files = await bring_table(visitor, [Path(page.path).stem for page in PAGES])
            assert len(files) > 50
            assert not [name for name in NAMES if name in visitor.query]
            return files

    expect_nothing_left(server, folder, run(visit()))
