"""A visit with marked names and numbers: nothing of it is left in the server once it has gone."""

import asyncio
from collections.abc import Iterator
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
from tests.ui.test_desk import RESPONSIBLE
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


def check_nothing_is_left(server: Server, folder: Path, files: list[str]) -> None:
    """Soon no object and no file has a mark any more, and no address of `files` is served."""
    until = monotonic() + PATIENCE_S
    left: dict[str, int] = {"not": 1}
    while left and monotonic() < until:
        Event().wait(3.0)
        left = scan(server)
    assert left == {}
    assert {requests.get(server.address + file, timeout=30).status_code for file in files} == {404}
    # Neither log nor any file of the server's home has a mark.
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [name for name in NAMES if name.encode() in content]


@pytest.mark.slow
def test_nothing_of_a_visit_is_left_once_it_has_gone(server: Server, folder: Path) -> None:
    table = "\n".join(f"{name},{count}" for name, count in zip(NAMES, COUNTS, strict=True))
    assert scan(server) == {}

    async def visit() -> list[str]:
        async with await Visitor.open(server.address, "values", "values-own") as visitor:
            await bring(visitor, table)
            files = await press_everything(visitor)
            link = visitor.query
            for page in ("plan", "curves", "coarser", "adversary"):
                await go_to(visitor, page)
                files += await press_everything(visitor)
            assert len(files) > 10
            assert await asyncio.to_thread(scan, server), "the scan finds what is there"
            assert not [name for name in NAMES if name in link]
            await see_nothing_of_it(link)
            return files

    async def see_nothing_of_it(link: str) -> None:
        """A second visit finds nothing of the first, by its link or by any page."""
        async with await Visitor.open(server.address, "values", "values-own", link) as other:
            assert "Yours" not in texts_of(other)
            for entry in PAGES:
                await go_to(other, Path(entry.path).stem)
                assert not [name for name in NAMES if name in texts_of(other)]

    files = run(visit())
    check_nothing_is_left(server, folder, files)


@pytest.mark.slow
def test_nothing_of_the_desk_is_left_once_its_visit_has_gone(server: Server, folder: Path) -> None:
    """List, key and pack of an office; a second visit by the same link sees none of them."""
    pytest.importorskip("opendp")
    rows = [name for number, name in enumerate(NAMES) for _ in range(40 + number)]
    assert scan(server) == {}

    async def visit() -> list[str]:
        officer = await Bringer.open(server.address, "desk", "desk-list")
        assert isinstance(officer, Bringer)
        list_file = "\n".join(("street", *rows)).encode()
        chosen = await officer.upload(server.address, f"{NAMES[0]}.csv", list_file)
        list_id = officer.elements["desk-list"].id
        await officer.use("desk-list", WidgetState(id=list_id, file_uploader_state_value=chosen))
        await officer.press("desk-next-0", "desk-next-1")
        officer.type("desk-values-0", "\n".join(NAMES))
        officer.type("desk-source", "the public list of streets")
        for step in (1, 2, 3):
            await officer.press(f"desk-next-{step}", f"desk-next-{step + 1}")
        for name in RESPONSIBLE:
            officer.type(f"desk-publication-{name}", f"answer to {name}")
        await officer.press("desk-next-4", "desk-draw-start")
        await officer.press("desk-draw-start", "desk-office-zip")
        files = [await officer.prepare_file(f"desk-{name}") for name in ("table-csv", "office-zip")]
        served = requests.get(server.address + files[0], timeout=30)
        assert all(name in served.text for name in NAMES)
        assert await asyncio.to_thread(scan, server), "the scan finds what is there"
        other = await Visitor.open(server.address, "desk", "desk-list", officer.query)
        assert not [name for name in NAMES if name in texts_of(other)]
        assert not [name for name in NAMES if name in officer.query]
        await other.close()
        await officer.close()
        return files

    check_nothing_is_left(server, folder, run(visit()))
