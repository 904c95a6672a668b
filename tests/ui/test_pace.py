"""A visit's pace: bursts at once, more waits in order, a flood is cut off; all in made-up time."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from caldp_ui.app.pace import AHEAD_MAX, AHEAD_MAX_BYTES, BURST, PACE, Bucket, Pace, PacedSocket
from caldp_ui.app.server import middleware


class _Time:
    """Seconds that pass only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def _message(number: int, size: int = 1) -> Message:
    return {"type": "websocket.receive", "bytes": bytes([number % 256]) * size}


def _from(messages: Iterator[Message]) -> Receive:
    """These messages, one a turn of the loop, and then nothing more."""

    async def receive() -> Message:
        await asyncio.sleep(0)
        for message in messages:
            return message
        await asyncio.Event().wait()
        raise AssertionError

    return receive


def test_a_burst_goes_at_once_and_the_rest_at_the_pace() -> None:
    time = _Time()
    bucket = Bucket(3, 2.0, time.clock)
    assert [bucket.take() for _ in range(5)] == [0.0, 0.0, 0.0, 0.5, 1.0]
    time.now = 1.0
    assert bucket.take() == 0.5
    time.now = 1e6
    assert [bucket.take() for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def _run(messages: Iterator[Message], read: int) -> tuple[list[Message], _Time, list[int]]:
    """What the app gets of these messages, after which time, and when the socket was closed."""
    time = _Time()
    closed: list[int] = []

    async def close() -> None:
        closed.append(1)

    async def all_of_it() -> list[Message]:
        paced = PacedSocket(_from(messages), close, clock=time.clock, sleep=time.sleep)
        found: list[Message] = []
        while len(found) < read:
            found.append(await paced.receive())
            if found[-1]["type"] == "websocket.disconnect":
                break
        paced.end()
        return found

    return asyncio.run(all_of_it()), time, closed


def test_hands_that_are_quick_lose_nothing_and_wait_for_what_is_over_a_burst() -> None:
    sent = [_message(number) for number in range(BURST + 20)]
    found, time, closed = _run(iter(sent), len(sent))
    assert found == sent
    assert time.now >= 20 / PACE - 1e-9
    assert not closed


def test_within_a_burst_nobody_waits() -> None:
    sent = [_message(number) for number in range(BURST)]
    found, time, _ = _run(iter(sent), len(sent))
    assert found == sent
    assert time.now == 0.0


async def _never(seconds: float) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("size", [1, AHEAD_MAX_BYTES // 4])
def test_a_flood_is_cut_off_after_few_messages(size: int) -> None:
    taken, closed = [0], asyncio.Event()

    def flood() -> Iterator[Message]:
        for number in range(13_000):
            taken[0] += 1
            yield _message(number, size)

    async def all_of_it() -> Message:
        async def close() -> None:
            closed.set()

        # The app is slow: it takes the burst, and then waits.
        paced = PacedSocket(_from(flood()), close, clock=lambda: 0.0, sleep=_never)
        for _ in range(BURST):
            await paced.receive()
        slow = asyncio.create_task(paced.receive())
        await asyncio.wait_for(closed.wait(), 20)
        slow.cancel()
        return await paced.receive()

    assert asyncio.run(all_of_it())["type"] == "websocket.disconnect"
    assert taken[0] <= BURST + (AHEAD_MAX if size == 1 else 5) + 2


def _through(app: Pace, scope: Scope) -> list[Any]:
    sent: list[Any] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def nothing() -> Message:
        return {"type": "websocket.disconnect", "code": 1000}

    asyncio.run(app(scope, nothing, send))
    return sent


def test_the_end_of_a_socket_reaches_the_app_and_other_requests_pass() -> None:
    messages: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        messages.append((scope["path"], (await receive())["type"]))
        await send({"type": "any"})

    for scope in (
        {"type": "websocket", "path": "/caldp/_stcore/stream"},
        {"type": "http", "path": "/"},
    ):
        assert _through(Pace(app), scope) == [{"type": "any"}]
    assert [kind for _, kind in messages] == ["websocket.disconnect"] * 2


def test_the_server_has_it() -> None:
    assert Pace in [vars(each)["cls"] for each in middleware()]
