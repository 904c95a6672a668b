"""Two controls of a page in quick succession, over real sockets: no error, and each is answered.

The second control was drawn before the first was used: by the time that its message is read, the
page may have no such control any more, and nothing of what it says may hold.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from streamlit.proto.Common_pb2 import StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from caldp_ui.app.navigation import PAGES
from tests.contract.checks import naming
from tests.servers import Server, run, running_server
from tests.visits import Visitor, used_widget

GAPS_S: Final = (0.0, 0.05, 0.2)
_FAULT: Final = "Traceback"
"""In the server's log: an error that nobody foresaw."""
_REST_S: Final = 0.3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("races")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with running_server(folder) as found:
        yield found


def faults(folder: Path) -> int:
    """How many errors the server's log has."""
    return sum(path.read_text("utf-8").count(_FAULT) for path in folder.glob("server-*.log"))


async def press_both(
    visitor: Visitor, pair: tuple[str, str], gap: float, choice: random.Random
) -> None:
    """Use two controls, the second as it was drawn before the first was used."""
    first, second = (used_widget(visitor, key, choice) for key in pair)
    assert first is not None
    assert second is not None
    await visitor.send(pair[0], first)
    await asyncio.sleep(gap)
    await visitor.send(pair[1], second)
    await visitor.wait_for_end()
    await asyncio.sleep(_REST_S)


def controls(visitor: Visitor) -> list[str]:
    """Keys of the controls that the page shows."""
    choice = random.Random(0)
    return [key for key in visitor.present() if used_widget(visitor, key, choice) is not None]


async def open_page(server: Server, page: str) -> Visitor:
    """A fresh visit of a page, once its first run has ended."""
    visitor = await Visitor.arrive(server.address, page)
    await visitor.wait_until(lambda: bool(visitor.elements))
    await asyncio.sleep(_REST_S)
    return visitor


@asynccontextmanager
async def closing(visitor: Visitor) -> AsyncIterator[Visitor]:
    """Close the visit at the end."""
    try:
        yield visitor
    finally:
        await visitor.close()


async def press_pairs(server: Server, page: str, one_in: int) -> tuple[int, list[str]]:
    """Press pairs of the page's controls; returns how many, and those without an answer.

    `one_in`: take the pairs of one diagonal in so many, at one gap each; 1 for all pairs and gaps.
    What is there for a moment only, such as a button that cancels, may be gone by its turn.
    """
    visitor = await open_page(server, page)
    keys = controls(visitor)
    numbers = range(len(keys))
    choice, pressed, unanswered = random.Random(page), 0, list[str]()
    try:
        for x, y, z in product(numbers, numbers, range(len(GAPS_S))):
            if one_in > 1 and ((x - y) % one_in != 1 or z != x % len(GAPS_S)):
                continue
            pair = keys[x], keys[y]
            if not {*pair} <= {*controls(visitor)}:
                await visitor.close()
                visitor = await open_page(server, page)
            if not {*pair} <= {*controls(visitor)}:
                continue
            pressed += 1
            try:
                await press_both(visitor, pair, GAPS_S[z], choice)
            except (TimeoutError, ConnectionClosed):
                unanswered.append(f"{pair} {GAPS_S[z]} s")
                await visitor.close()
                visitor = await open_page(server, page)
    finally:
        await visitor.close()
    return pressed, unanswered


def expect_no_faults(server: Server, folder: Path, page: str, one_in: int) -> None:
    """Press pairs of the page's controls: all are answered, and the log has no error."""
    before = faults(folder)
    pressed, unanswered = run(press_pairs(server, page, one_in))
    assert pressed
    assert not unanswered
    with naming(f"errors in the server's log after {pressed} pairs of {page}"):
        assert faults(folder) == before


NAMES: Final = [Path(page.path).stem for page in PAGES]


@pytest.mark.slow
@pytest.mark.parametrize("page", NAMES)
def test_a_diagonal_of_a_page_s_pairs(server: Server, folder: Path, page: str) -> None:
    expect_no_faults(server, folder, page, 12)


@pytest.mark.thorough
@pytest.mark.parametrize("page", NAMES)
def test_all_pairs_of_a_page(server: Server, folder: Path, page: str) -> None:
    expect_no_faults(server, folder, page, 1)


@pytest.mark.parametrize("gap", GAPS_S)
def test_new_names_of_a_matrix_then_its_slider(server: Server, folder: Path, gap: float) -> None:
    """The slider is of an example, which the names have ended by then: a sentence says so."""

    async def press() -> None:
        async with closing(await open_page(server, "matrix")) as visitor:
            names = WidgetState(id=visitor.elements["matrix-names"].id, string_value="a\nb\nc")
            slider = visitor.elements["matrix-epsilon"]
            step = StringArray(data=[slider.options[2]])
            moved = WidgetState(id=slider.id, string_array_value=step)
            await visitor.send("matrix-names", names)
            await asyncio.sleep(gap)
            await visitor.send("matrix-epsilon", moved)
            await asyncio.sleep(2.0)
            assert any("so it has no base ε" in text for text in visitor.alerts)
            assert "names=" in visitor.query

    before = faults(folder)
    run(press())
    assert faults(folder) == before


@pytest.mark.parametrize("first", ["room-next", "room-end", "room-projector"])
def test_reports_are_forgotten_after_another_button(
    server: Server, folder: Path, first: str
) -> None:
    async def press() -> None:
        async with closing(await Visitor.open(server.address, "room", "room-open")) as visitor:
            await visitor.press("room-open", "room-keeper")
            await visitor.wait_until(lambda: "room-throw-out" in visitor.present())
            for key in (first, "room-throw-out"):
                pressed = WidgetState(id=visitor.elements[key].id, trigger_value=True)
                await visitor.send(key, pressed)
                await asyncio.sleep(0.05)
            await asyncio.sleep(2.0)
            assert not any("went wrong" in text for text in visitor.alerts)

    before = faults(folder)
    run(press())
    assert faults(folder) == before


def test_a_broken_frame_ends_its_socket_and_writes_no_traceback(
    server: Server, folder: Path
) -> None:
    async def send() -> None:
        async with closing(await open_page(server, "matrix")) as visitor:
            await visitor._socket.send(b"\xff\xff\xff")
            await visitor._socket.wait_closed()
            assert visitor._socket.close_code == 1002

    before = faults(folder)
    run(send())
    assert faults(folder) == before
