"""Two controls of a page in quick succession, over real sockets: both done, or one refused.

The second control was drawn before the first was used: by the time that its message is read, the
page may have no such control any more, and nothing of what it says may hold. What comes of a pair
is compared with what comes of the same two when the first has its time.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
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
_PATIENCE_S: Final = 10.0
"""Longest wait for what is expected after a pair."""


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


def controls(visitor: Visitor) -> list[str]:
    """Keys of the controls that the page shows, and that a user can use: no disabled ones."""
    choice, found = random.Random(0), list[str]()
    for key in visitor.present():
        is_disabled = getattr(visitor.elements[key], "disabled", False)
        if not is_disabled and used_widget(visitor, key, choice) is not None:
            found.append(key)
    return found


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


@dataclass(frozen=True)
class Pair:
    """Two controls by their keys, how each is used, and the seconds between."""

    first: str
    second: str
    states: tuple[WidgetState, WidgetState]
    gap: float

    def __str__(self) -> str:
        return f"{self.first}, then {self.second} after {self.gap} s"


@dataclass(frozen=True)
class End:
    """Where a visit is, page and link, and the sentences in boxes that it has been shown."""

    place: tuple[str, str]
    sentences: frozenset[str]


def end_of(visitor: Visitor) -> End:
    """Where the visit is now."""
    return End((visitor.page, visitor.query), frozenset(visitor.alerts))


def has_control(visitor: Visitor, key: str, state: WidgetState) -> bool:
    """Whether the page shows the control of that key as it was drawn at first."""
    return key in visitor.present() and visitor.elements[key].id == state.id


async def use_slowly(visitor: Visitor, key: str, state: WidgetState, rest_s: float) -> End:
    """Use a control, and wait until the page is at rest."""
    await visitor.use(key, state)
    await asyncio.sleep(rest_s)
    return end_of(visitor)


async def slow_ends(server: Server, page: str, pair: Pair, rest_s: float) -> tuple[End, End | None]:
    """The ends after the first control, and after both; None where the second is gone by then."""
    async with closing(await open_page(server, page)) as visitor:
        after_first = await use_slowly(visitor, pair.first, pair.states[0], rest_s)
        if not has_control(visitor, pair.second, pair.states[1]):
            return after_first, None
        return after_first, await use_slowly(visitor, pair.second, pair.states[1], rest_s)


async def quick_end(server: Server, page: str, pair: Pair, expected: End) -> End:
    """The end after both in quick succession; waits for what is expected, or for a sentence."""
    async with closing(await open_page(server, page)) as visitor:
        await visitor.send(pair.first, pair.states[0])
        await asyncio.sleep(pair.gap)
        await visitor.send(pair.second, pair.states[1])
        await visitor.wait_for_end()
        until = monotonic() + _PATIENCE_S
        while monotonic() < until:
            await asyncio.sleep(_REST_S)
            found = end_of(visitor)
            if is_right(found, expected):
                return found
        return end_of(visitor)


def is_right(found: End, expected: End) -> bool:
    """Whether a visit is where it should be, or a sentence says why it is not."""
    return found.place == expected.place or bool(found.sentences - expected.sentences)


async def fault_of(server: Server, page: str, pair: Pair) -> str:
    """What is wrong after two quick controls; "" where both are done, or the second refused.

    Where the second control is gone after the first one, it may be done or refused. What looks
    wrong is tried once more with longer rests: on a busy machine a run may come late.
    """
    fault = ""
    for rest_s in (_REST_S, 6 * _REST_S):
        try:
            after_first, after_both = await slow_ends(server, page, pair, rest_s)
            found = await quick_end(server, page, pair, after_both or after_first)
        except TimeoutError:
            fault = f"{pair}: no answer"
            continue
        if after_both is None or is_right(found, after_both):
            return ""
        fault = f"{pair}: {found.place} where slowly it is {after_both.place}"
    return fault


async def chosen_pairs(server: Server, page: str, number: int) -> list[Pair]:
    """Pairs of the page's controls by chance, and of their uses; always the same."""
    choice = random.Random(page)
    async with closing(await open_page(server, page)) as visitor:
        keys = controls(visitor)
        pairs = []
        for number_of_pair in range(number):
            first, second = choice.choice(keys), choice.choice(keys)
            uses = [used_widget(visitor, key, choice) for key in (first, second)]
            one, other = uses
            assert one is not None
            assert other is not None
            pairs.append(Pair(first, second, (one, other), GAPS_S[number_of_pair % len(GAPS_S)]))
    return pairs


async def press_pairs(server: Server, page: str, number: int) -> list[str]:
    """Press pairs of the page's controls; returns what was wrong.

    What is there for a moment only, such as a button that cancels, may be gone by its turn.
    """
    found = []
    for pair in await chosen_pairs(server, page, number):
        try:
            fault = await fault_of(server, page, pair)
        except KeyError:
            continue
        except ConnectionClosed:
            fault = f"{pair}: the socket was closed"
        found += [fault] if fault else []
    return found


def expect_no_faults(server: Server, folder: Path, page: str, number: int) -> None:
    """Press pairs of the page's controls: both are done or refused, and the log has no error."""
    before = faults(folder)
    assert run(press_pairs(server, page, number)) == []
    with naming(f"errors in the server's log after {number} pairs of {page}"):
        assert faults(folder) == before


NAMES: Final = [Path(page.path).stem for page in PAGES]


@pytest.mark.slow
@pytest.mark.parametrize("page", NAMES)
def test_two_pairs_of_a_page(server: Server, folder: Path, page: str) -> None:
    expect_no_faults(server, folder, page, 2)


@pytest.mark.thorough
@pytest.mark.parametrize("page", NAMES)
def test_many_pairs_of_a_page(server: Server, folder: Path, page: str) -> None:
    expect_no_faults(server, folder, page, 12)


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
            refused = "so it has no base ε"
            await visitor.wait_until(lambda: any(refused in text for text in visitor.alerts))
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
