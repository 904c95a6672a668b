"""Work and memory that visits leave behind: ten plans of a million values, opened and left.

Each of the ten has data of its own, so that none finds the other's work done.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final
from urllib.parse import urlencode

from benchmarks.figures import Bar, Figure
from benchmarks.server import Server, running_server
from benchmarks.sizes import Sizes
from benchmarks.visitor import Visitor
from caldp_core.datasets.synthetic import Zipf
from caldp_core.scenarios.scenario import Scenario

_LEFT: Final = 10
_STAYS_S: Final = 6.0
_AFTER_S: Final = 10.0
_REST_S: Final = 60.0
_PATIENCE_S: Final = 120.0
_WAITING: Final = "still being computed"
_MEMORY: Final = Bar("≤", 1200)
_WAIT: Final = Bar("≤", 2)
_PAGES: Final = ("plan", "curves", "values", "adversary", "places", "distances", "personal")


def figures(sizes: Sizes) -> Iterator[Figure]:
    """A newcomer's wait, work that goes on, and memory, after ten visits have left."""
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(_plans(server, sizes.largest_k))
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(_tour(server, sizes.largest_k))


async def _plans(server: Server, k: int) -> list[Figure]:
    alone = await _newcomer(server, 0.5)
    for number in range(_LEFT):
        await _visit(server, "plan", f"{_large(k, number)}&goal=overall", _STAYS_S)
    used, most = server.cpu_seconds(), server.megabytes()
    for _ in range(20):
        await asyncio.sleep(_AFTER_S / 20)
        most = max(most, server.megabytes())
    used = server.cpu_seconds() - used
    waited = await _newcomer(server, 1.5)
    await asyncio.sleep(_REST_S)
    setting = f"{_LEFT} plans of {k:,} values left"
    return [
        Figure.of(f"{setting}: processor time in the next {_AFTER_S:g} s", "s", [used]),
        Figure.of("memory by then, at most", "MB", [most], _MEMORY),
        Figure.of("memory a minute later", "MB", [server.megabytes()], _MEMORY),
        Figure.of("a newcomer's headline before", "s", [alone]),
        Figure.of("the same afterwards, times that", "×", [waited / alone], _WAIT),
    ]


async def _tour(server: Server, k: int) -> list[Figure]:
    """Every page, once as it is and once with data of many values, one after another."""
    most = 0.0
    for number in range(3):
        for page in _PAGES:
            for query in ("", _large(k, number)):
                await _visit(server, page, query, 4.0)
                most = max(most, server.megabytes())
    await asyncio.sleep(_REST_S)
    return [
        Figure.of(
            f"three tours of {len(_PAGES)} pages with {k:,} values: memory, at most",
            "MB",
            [most],
        ),
        Figure.of("a minute later", "MB", [server.megabytes()], _MEMORY),
    ]


def _large(k: int, number: int) -> str:
    scenario = Scenario(Zipf(k, 1.0 + number / 100), n=1_000_000)
    return urlencode({**scenario.to_query(), "floor": "0.001"})


async def _visit(server: Server, page: str, query: str, seconds: float) -> None:
    visitor = await Visitor.arrive(server.address, page, query)
    await asyncio.sleep(seconds)
    await visitor.close()


async def _newcomer(server: Server, epsilon: float) -> float:
    """Seconds until the Plan page's headline is a number of people; infinite for two minutes."""
    query = urlencode(Scenario(n=1_000_000).with_epsilon(epsilon).to_query())
    began = perf_counter()
    visitor = await Visitor.arrive(server.address, "plan", query)
    try:
        await visitor.wait_until(
            lambda: bool(visitor.headline) and _WAITING not in visitor.headline, _PATIENCE_S
        )
        seconds = perf_counter() - began
    except TimeoutError:
        seconds = inf
    await visitor.close()
    return seconds
