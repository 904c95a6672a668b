"""A class on one machine: many visits of the map page, each of which moves ε now and then.

The visits speak Streamlit's protocol without browsers, whose work would be done
on other machines. Every visit takes steps of its own along the slider, so most levels have soon
been computed for somebody. A move is done once the picture and the page's script are.
"""

import asyncio
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Final, Protocol

from benchmarks.figures import Bar, Figure, Runs
from benchmarks.server import running_server
from benchmarks.sizes import Sizes
from benchmarks.visitor import Visitor

_MOVES: Final = 4
_SLIDER: Final = "places-epsilon"
_PICTURE: Final = "places-maps-picture-ours"
_LEVELS: Final = ("0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "4", "5", "7", "10")
_FIRST: Final = _LEVELS.index("1")
PACE: Final = Bar("≥", 15)
_WAIT: Final = Bar("≤", 2)


@dataclass(frozen=True)
class Move:
    """Seconds until the picture had come, infinite if never; messages and bytes of the run."""

    seconds: float
    messages: int
    received: int


class ServerLike(Protocol):
    """A server, or several behind one address."""

    @property
    def address(self) -> str:
        """The address that visitors open."""
        ...

    def cpu_seconds(self) -> float:
        """Processor time so far."""
        ...

    def megabytes(self) -> float:
        """Memory now."""
        ...


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Runs a second, waiting for a picture, and the server's work for a run."""
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(crowd(server, sizes.visits, PACE))


async def crowd(
    server: ServerLike, number: int, pace: Bar | None, pause: float = 1.0
) -> list[Figure]:
    """The figures of so many visits that move every `pause` seconds."""
    # One after another, as a class comes in; what all share is made for the first.
    first = await Visitor.open(server.address, "places", _PICTURE)
    alone = server.megabytes()
    more = [await Visitor.open(server.address, "places", _PICTURE) for _ in range(number - 1)]
    visitors = [first, *more]
    a_visit = (server.megabytes() - alone) / max(number - 1, 1)
    used, began = server.cpu_seconds(), perf_counter()
    each = await asyncio.gather(*(walk(v, random.Random(i), pause) for i, v in enumerate(visitors)))
    seconds, used = perf_counter() - began, server.cpu_seconds() - used
    moves = [move for of_visit in each for move in of_visit]
    for visitor in visitors:
        await visitor.close()
    waits = [move.seconds for move in moves if move.seconds < inf]
    setting = f"{number} visits, {_MOVES} moves of ε each, every {pause:g} s"
    return [
        Figure.of(f"{setting}: runs a second", "/s", [len(moves) / seconds], pace),
        _percentile_figure("until the picture, half of the moves", "s", waits, 50),
        _percentile_figure("until the picture, 95 of 100 moves", "s", waits, 95, _WAIT),
        Figure.of("moves that never showed", "", [len(moves) - len(waits)], Bar("≤", 0)),
        Figure.of("the server's processor time for a run", "ms", [1000 * used / len(moves)]),
        _percentile_figure("messages of a run", "", [float(move.messages) for move in moves], 50),
        _percentile_figure("bytes of a run", "kB", [move.received / 1000 for move in moves], 50),
        Figure.of("memory for each further visit", "MB", [a_visit]),
        Figure.of("the server's memory afterwards", "MB", [server.megabytes()]),
    ]


async def walk(visitor: Visitor, choice: random.Random, pause: float = 1.0) -> list[Move]:
    """Moves of ε with pauses, from where the page begins or the last move led."""
    at, done = _FIRST, []
    for _ in range(_MOVES):
        await asyncio.sleep(pause * choice.uniform(0.5, 1.5))
        step = choice.choice((-1, 1))
        at = at + step if 0 <= at + step < len(_LEVELS) else at - step
        try:
            seconds = await visitor.run({_SLIDER: _LEVELS[at]}, _PICTURE)
        except TimeoutError:
            seconds = inf
        done.append(Move(seconds, visitor.messages, visitor.received))
    return done


def _percentile_figure(
    work: str, unit: str, values: list[float], percent: int, bar: Bar | None = None
) -> Figure:
    cut = quantiles(values, n=100, method="inclusive")[percent - 1]
    return Figure(work, unit, Runs(min(values), cut, len(values)), bar)
