"""A flood: five sockets ask for runs as fast as they can, while others move their sliders.

The others' waits are held against those without a flood, on the same server.
"""

import asyncio
import random
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from statistics import quantiles
from typing import Final

from websockets.exceptions import ConnectionClosed

from benchmarks.crowd import walk
from benchmarks.figures import Bar, Figure
from benchmarks.server import Server, running_server
from benchmarks.sizes import Sizes
from benchmarks.visitor import Visitor

_SOCKETS: Final = 5
_MESSAGES: Final = 13_000
_OTHERS: Final = 4
_PICTURE: Final = "places-maps-picture-ours"
_WAIT: Final = Bar("≤", 2)


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Others' waits without and with a flood, and how many of its sockets were closed."""
    del sizes
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(_measure(server))


async def _measure(server: Server) -> list[Figure]:
    others = [await Visitor.open(server.address, "places", _PICTURE) for _ in range(_OTHERS)]
    calm = await _waits(others, 0)
    calm = await _waits(others, 1)
    floods = [await Visitor.arrive(server.address, "places") for _ in range(_SOCKETS)]
    at_work = [asyncio.create_task(_flood(visitor)) for visitor in floods]
    waits = await _waits(others, 2)
    for task in at_work:
        task.cancel()
    await asyncio.gather(*at_work, return_exceptions=True)
    cut = sum(visitor.was_closed for visitor in floods)
    for visitor in (*others, *floods):
        await visitor.close()
    finished = [wait for wait in waits if wait < inf]
    setting = f"{_SOCKETS} sockets with {_MESSAGES:,} messages each"
    return [
        Figure.of("95 of 100 moves of others without a flood", "s", [_percentile_95(calm)]),
        Figure.of(f"{setting}: 95 of 100 moves of others", "s", [_percentile_95(finished)]),
        Figure.of(
            "that over without a flood",
            "×",
            [_percentile_95(finished) / _percentile_95(calm)],
            _WAIT,
        ),
        Figure.of("moves that never showed", "", [len(waits) - len(finished)], Bar("≤", 0)),
        Figure.of("sockets of the flood that were closed", "", [cut]),
    ]


async def _waits(others: list[Visitor], seed: int) -> list[float]:
    each = await asyncio.gather(
        *(walk(visitor, random.Random(100 * seed + i)) for i, visitor in enumerate(others))
    )
    return [move.seconds for of_visit in each for move in of_visit]


async def _flood(visitor: Visitor) -> None:
    with suppress(ConnectionClosed):
        for _ in range(_MESSAGES):
            await visitor.ask()


def _percentile_95(values: list[float]) -> float:
    return quantiles(values, n=100, method="inclusive")[94] if len(values) > 1 else inf
