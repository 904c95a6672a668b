"""A class on one machine: many visits of the map page, each of which moves ε now and then.

The visits speak Streamlit's protocol without browsers, whose work would be done
on other machines. Every visit takes steps of its own along the slider, so most levels have soon
been computed for somebody. A move is done once the picture and the page's script are.
"""

import asyncio
import random
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Final

from websockets.exceptions import ConnectionClosed

from benchmarks.figures import Bar, Figure
from benchmarks.fleet import Fleet, fleet
from benchmarks.server import Server, running_server
from benchmarks.visitor import Visitor

_MOVES: Final = 4
_SLIDER: Final = "places-epsilon"
PICTURE: Final = "places-maps-picture-ours"
_LEVELS: Final = ("0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "4", "5", "7", "10")
_FIRST: Final = _LEVELS.index("1")
_PACE: Final = Bar("≥", 15)
_WAIT: Final = Bar("≤", 2)
_READERS: Final = 200
_READERS_PAUSE_S: Final = 5.0
"""People who read what they see before they move on."""
_SOCKETS: Final = 5
_MESSAGES: Final = 13_000
_OTHERS: Final = 4


@dataclass(frozen=True)
class Move:
    """Seconds until the picture had come, infinite if never; messages and bytes of the run."""

    seconds: float
    messages: int
    received: int


def figures(visits: int) -> Iterator[Figure]:
    """Runs a second, waiting for a picture, and the server's work for a run."""
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(crowd(server, visits, _PACE))


def load_figures(visits: int) -> Iterator[Figure]:
    """For one, two and three workers behind nginx: a class that plays, and many who read."""
    for number in (1, 2, 3):
        for people, pause in ((visits, 1.0), (_READERS, _READERS_PAUSE_S)):
            with tempfile.TemporaryDirectory() as name, fleet(Path(name), number) as workers:
                prefix = f"{number} workers: " if number > 1 else "1 worker: "
                empty = workers.megabytes()
                yield Figure(f"{prefix}memory before anybody comes", "MB", [empty])
                for each in asyncio.run(crowd(workers, people, None, pause)):
                    yield replace(each, work=prefix + each.work)


async def crowd(
    server: Server | Fleet, number: int, pace: Bar | None, pause: float = 1.0
) -> list[Figure]:
    """The figures of so many visits that move every `pause` seconds."""
    # One after another, as a class comes in; what all share is made for the first.
    first = await Visitor.open(server.address, "places", PICTURE)
    alone = server.megabytes()
    more = [await Visitor.open(server.address, "places", PICTURE) for _ in range(number - 1)]
    a_visit = (server.megabytes() - alone) / max(number - 1, 1)
    used, began = server.cpu_seconds(), perf_counter()
    moves = await walk_all([first, *more], 0, pause)
    seconds, used = perf_counter() - began, server.cpu_seconds() - used
    for visitor in (first, *more):
        await visitor.close()
    waits = [move.seconds for move in moves if move.seconds < inf]
    messages = [float(move.messages) for move in moves]
    kilobytes = [move.received / 1000 for move in moves]
    setting = f"{number} visits, {_MOVES} moves of ε each, every {pause:g} s"
    return [
        Figure(f"{setting}: runs a second", "/s", [len(moves) / seconds], pace),
        Figure("until the picture, half of the moves", "s", [percentile(waits, 50)]),
        Figure("until the picture, 95 of 100 moves", "s", [percentile(waits, 95)], _WAIT),
        Figure("moves that never showed", "", [len(moves) - len(waits)], Bar("≤", 0)),
        Figure("the server's processor time for a run", "ms", [1000 * used / len(moves)]),
        Figure("messages of a run", "", [percentile(messages, 50)]),
        Figure("bytes of a run", "kB", [percentile(kilobytes, 50)]),
        Figure("memory for each further visit", "MB", [a_visit]),
        Figure("the server's memory afterwards", "MB", [server.megabytes()]),
    ]


def flood_figures(_: int) -> Iterator[Figure]:
    """Others' waits without and with sockets that ask as fast as they can, on one server."""
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(_flooded(server))


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
        Figure(f"{setting}: 95 of 100 moves of others", "s", [flooded]),
        Figure("that over without a flood", "×", [flooded / calm], _WAIT),
        Figure("moves that never showed", "", [len(waits) - len(finished)], Bar("≤", 0)),
        Figure("sockets of the flood that were closed", "", [closed]),
    ]


async def _flood(visitor: Visitor) -> None:
    with suppress(ConnectionClosed):
        for _ in range(_MESSAGES):
            await visitor.ask()


async def walk_all(visitors: list[Visitor], seed: int, pause: float = 1.0) -> list[Move]:
    """Moves of ε of all visits, each with coins of its own after `seed`."""
    each = (walk(visitor, random.Random(seed + i), pause) for i, visitor in enumerate(visitors))
    return [move for moves in await asyncio.gather(*each) for move in moves]


async def walk(visitor: Visitor, choice: random.Random, pause: float) -> list[Move]:
    """Moves of ε with pauses, from where the page begins or the last move led."""
    at, done = _FIRST, []
    for _ in range(_MOVES):
        await asyncio.sleep(pause * choice.uniform(0.5, 1.5))
        step = choice.choice((-1, 1))
        at = at + step if 0 <= at + step < len(_LEVELS) else at - step
        try:
            seconds = await visitor.run({_SLIDER: _LEVELS[at]}, PICTURE)
        except TimeoutError:
            seconds = inf
        done.append(Move(seconds, visitor.messages, visitor.received))
    return done


def percentile(values: list[float], percent: int) -> float:
    """The value below which a given percentage lies; infinite without values."""
    if len(values) < 2:
        return values[0] if values else inf
    return quantiles(values, n=100, method="inclusive")[percent - 1]
