"""What some visits do to others: five that flood the server, and ten that leave work behind.

A flood's sockets ask for runs as fast as they can; others' waits are held against those without it,
on the same server. Plans that are left have data of their own, so that none finds the other's work
done.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed

from benchmarks.crowd import PICTURE, percentile, walk_all
from benchmarks.figures import Bar, Figure
from benchmarks.server import Server, running_server
from benchmarks.visitor import Visitor
from caldp_core.datasets.synthetic import Zipf
from caldp_core.scenarios.scenario import Scenario

_SOCKETS: Final = 5
_MESSAGES: Final = 13_000
_OTHERS: Final = 4
_K: Final = 2**20
_LEFT: Final = 10
_STAYS_S: Final = 6.0
_AFTER_S: Final = 10.0
_REST_S: Final = 60.0
_PATIENCE_S: Final = 120.0
_WAITING: Final = "still being computed"
_MEMORY: Final = Bar("≤", 1200)
_WAIT: Final = Bar("≤", 2)
_PAGES: Final = ("plan", "curves", "values", "adversary", "places", "distances", "personal")


def flood_figures(_: int) -> Iterator[Figure]:
    """Others' waits without and with a flood, and how many of its sockets were closed."""
    yield from _served(_flooded)


def leaving_figures(_: int) -> Iterator[Figure]:
    """A newcomer's wait, work that goes on, and memory, after ten visits have left."""
    yield from _served(_plans)
    yield from _served(_tour)


def _served(measure: Callable[[Server], Awaitable[list[Figure]]]) -> list[Figure]:
    async def run(server: Server) -> list[Figure]:
        return await measure(server)

    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        return asyncio.run(run(server))


async def _flooded(server: Server) -> list[Figure]:
    others = [await Visitor.open(server.address, "places", PICTURE) for _ in range(_OTHERS)]
    await walk_all(others, 0)
    calm = percentile([move.seconds for move in await walk_all(others, 100)], 95)
    floods = [await Visitor.arrive(server.address, "places") for _ in range(_SOCKETS)]
    at_work = [asyncio.create_task(_flood(visitor)) for visitor in floods]
    waits = [move.seconds for move in await walk_all(others, 200)]
    for task in at_work:
        task.cancel()
    await asyncio.gather(*at_work, return_exceptions=True)
    closed = sum(visitor.was_closed for visitor in floods)
    for visitor in (*others, *floods):
        await visitor.close()
    finished = [wait for wait in waits if wait < inf]
    flooded = percentile(finished, 95)
    setting = f"{_SOCKETS} sockets with {_MESSAGES:,} messages each"
    return [
        Figure("95 of 100 moves of others without a flood", "s", [calm]),
        Figure(f"{setting}: 95 of 100 moves of others", "s", [flooded]),
        Figure("that over without a flood", "×", [flooded / calm], _WAIT),
        Figure("moves that never showed", "", [len(waits) - len(finished)], Bar("≤", 0)),
        Figure("sockets of the flood that were closed", "", [closed]),
    ]


async def _flood(visitor: Visitor) -> None:
    with suppress(ConnectionClosed):
        for _ in range(_MESSAGES):
            await visitor.ask()


async def _plans(server: Server) -> list[Figure]:
    alone = await _newcomer(server, 0.5)
    for number in range(_LEFT):
        await _visit(server, "plan", f"{_large(number)}&goal=overall", _STAYS_S)
    used, most = server.cpu_seconds(), server.megabytes()
    for _ in range(20):
        await asyncio.sleep(_AFTER_S / 20)
        most = max(most, server.megabytes())
    used = server.cpu_seconds() - used
    waited = await _newcomer(server, 1.5)
    await asyncio.sleep(_REST_S)
    setting = f"{_LEFT} plans of {_K:,} values left"
    return [
        Figure(f"{setting}: processor time in the next {_AFTER_S:g} s", "s", [used]),
        Figure("memory by then, at most", "MB", [most], _MEMORY),
        Figure("memory a minute later", "MB", [server.megabytes()], _MEMORY),
        Figure("a newcomer's headline before", "s", [alone]),
        Figure("the same afterwards, times that", "×", [waited / alone], _WAIT),
    ]


async def _tour(server: Server) -> list[Figure]:
    """Every page, once as it is and once with data of many values, one after another."""
    most = 0.0
    for number in range(3):
        for page in _PAGES:
            for query in ("", _large(number)):
                await _visit(server, page, query, 4.0)
                most = max(most, server.megabytes())
    await asyncio.sleep(_REST_S)
    setting = f"three tours of {len(_PAGES)} pages with {_K:,} values"
    return [
        Figure(f"{setting}: memory, at most", "MB", [most]),
        Figure("a minute later", "MB", [server.megabytes()], _MEMORY),
    ]


def _large(number: int) -> str:
    scenario = Scenario(Zipf(_K, 1.0 + number / 100), n=1_000_000)
    return urlencode({**scenario.to_query(), "floor": "0.001"})


async def _visit(server: Server, page: str, query: str, seconds: float) -> None:
    visitor = await Visitor.arrive(server.address, page, query)
    await asyncio.sleep(seconds)
    await visitor.close()


async def _newcomer(server: Server, epsilon: float) -> float:
    """Seconds until the Plan page's headline is a number of people; infinite for two minutes."""
    query = urlencode(Scenario(n=1_000_000).with_epsilon(epsilon).to_query())
    began, seconds = perf_counter(), inf
    visitor = await Visitor.arrive(server.address, "plan", query)
    with suppress(TimeoutError):
        await visitor.wait_until(
            lambda: bool(visitor.headline) and _WAITING not in visitor.headline, _PATIENCE_S
        )
        seconds = perf_counter() - began
    await visitor.close()
    return seconds
