"""Visits that wander at random over pages and controls: what an hour of use leaves behind.

Each step opens a page, or moves, chooses, ticks or presses one of its controls, in a fragment's own
run where the control is in one. A step is done once its run has ended. The visits speak Streamlit's
protocol without browsers.
"""

import asyncio
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from math import inf
from pathlib import Path
from statistics import mean
from time import monotonic
from typing import Any, Final

from streamlit.proto.Common_pb2 import DoubleArray, StringArray
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from benchmarks.figures import Bar, Figure
from benchmarks.server import Server, running_server
from benchmarks.visitor import Visitor
from caldp_ui.app.navigation import PAGES

_SECONDS: Final = 3600.0
_VISITS_MAX: Final = 6
_PAUSE_S: Final = (2.0, 6.0)
"""How long people look at what came before they act again."""
_LEAVE: Final = 0.1
"""The share of steps that lead to another page."""
_REST_S: Final = 60.0
_WORDS: Final = ("Traceback", "Uncaught", "WARNING", "does not exist anymore", "Couldn't find")
"""What the log of ordinary use has none of."""
_FLAT, _MEMORY, _NONE = Bar("≤", 1.1), Bar("≤", 1200), Bar("≤", 0)


def figures(visits: int) -> Iterator[Figure]:
    """Memory, lines of the log and visits without an answer, of six visits in an hour."""
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(wander(server, min(visits, _VISITS_MAX), _SECONDS, Path(name)))


async def wander(server: Server, visits: int, seconds: float, folder: Path) -> list[Figure]:
    """The figures of a walk; `folder`: of the server's log."""
    until, memory, loads = monotonic() + seconds, list[float](), list[float]()
    watch = asyncio.create_task(_watch(server, memory, loads))
    walks = [Walk(seed) for seed in range(visits)]
    await asyncio.gather(*(_walk(server, walk, until) for walk in walks))
    await asyncio.sleep(min(_REST_S, seconds))
    watch.cancel()
    (log,) = folder.glob("*.log")
    lines = log.read_text("utf-8").splitlines()
    third = len(memory) // 3
    early, late = max(memory[third : 2 * third], default=inf), max(memory[2 * third :], default=inf)
    setting = f"{visits} visits wander for {seconds / 60:g} minutes"
    load = f"load {mean(loads):.1f}, at most {max(loads):.1f}"
    return [
        Figure(f"{setting}: steps", "", [sum(walk.steps for walk in walks)], None, load),
        *(_unanswered(walks, each) for each in _Wait),
        Figure("errors and warnings in the log", "", [_count(lines)], _NONE),
        Figure("memory, at most", "MB", [max(memory)], _MEMORY),
        Figure("its most in the last third, over the second", "×", [late / early], _FLAT),
        Figure("memory at the end", "MB", [memory[-1]], _MEMORY),
    ]


class _Wait(StrEnum):
    """What is wrong where a visit gets no answer within 30 s."""

    DEAD = "visits that died: a fresh one at their link is answered, they are not"
    LATE = "visits answered later than after 30 s"
    SILENT = "visits unanswered while a fresh one was not answered within 30 s, either"


@dataclass
class Walk:
    """A visitor's way by a `seed`, its `steps`, and where which visits got no answer, as a text."""

    seed: int
    steps: int = 0
    unanswered: list[tuple[_Wait, str]] = field(default_factory=list)


def _unanswered(walks: Sequence[Walk], kind: _Wait) -> Figure:
    places = [place for walk in walks for wait, place in walk.unanswered if wait is kind]
    bar = _NONE if kind is _Wait.DEAD else None
    return Figure(kind, "", [len(places)], bar, "; ".join(places))


def _count(lines: Sequence[str]) -> int:
    return sum(any(word in line for word in _WORDS) for line in lines)


async def _watch(server: Server, memory: list[float], loads: list[float]) -> None:
    while True:
        memory.append(server.megabytes())
        loads.append(os.getloadavg()[0])
        await asyncio.sleep(0.5)


async def _walk(server: Server, walk: Walk, until: float) -> None:
    """Visit page after page, and use some controls of each."""
    choice = random.Random(walk.seed)
    while monotonic() < until:
        page, key = Path(choice.choice(PAGES).path).stem, "as it opens"
        visitor = await Visitor.arrive(server.address, page)
        try:
            await visitor.wait_until(partial(bool, visitor.elements))
            while monotonic() < until and choice.random() > _LEAVE:
                await asyncio.sleep(choice.uniform(*_PAUSE_S))
                key = choice.choice(visitor.present() or [""])
                await _step(visitor, key, choice)
                walk.steps += 1
        except (TimeoutError, ConnectionClosed):
            where = f"{visitor.page} {key} at load {os.getloadavg()[0]:.0f}: ?{visitor.query}"
            walk.unanswered.append((await _try_again(server, visitor), where))
        await visitor.close()


async def _try_again(server: Server, visitor: Visitor) -> _Wait:
    """Open the link of a visit without an answer anew: what is wrong with that visit."""
    fresh = await Visitor.arrive(server.address, visitor.page, visitor.query)
    try:
        await fresh.wait_until(partial(bool, fresh.elements))
    except (TimeoutError, ConnectionClosed):
        return _Wait.SILENT
    finally:
        await fresh.close()
    return _Wait.LATE if visitor.is_answered else _Wait.DEAD


async def _step(visitor: Visitor, key: str, choice: random.Random) -> None:
    """Use the control of that key, if it is one, and wait until its run has ended."""
    if not key:  # a run has just begun
        return
    element, labels = visitor.elements[key], visitor.labels.get(key)
    value = _VALUES.get(type(element).__name__)
    if labels:
        await visitor.use(key, WidgetState(id=element.id, string_value=choice.choice(labels)))
    elif value is not None and element.id:
        await visitor.use(key, WidgetState(id=element.id, **value(element, choice)))


def _slide(slider: Any, choice: random.Random) -> dict[str, Any]:
    if slider.options:
        return {"string_array_value": StringArray(data=[choice.choice(slider.options)])}
    return {"double_array_value": DoubleArray(data=[choice.uniform(slider.min, slider.max)])}


def _press_one(group: Any, choice: random.Random) -> dict[str, Any]:
    return {"string_array_value": StringArray(data=[choice.choice(group.options).content])}


_VALUES: Final[dict[str, Callable[[Any, random.Random], dict[str, Any]]]] = {
    "Slider": _slide,
    "ButtonGroup": _press_one,
    "Button": lambda *_: {"trigger_value": True},
    "NumberInput": lambda each, choice: {"double_value": choice.uniform(each.min, each.max)},
    **dict.fromkeys(
        ("Selectbox", "Radio"), lambda each, choice: {"string_value": choice.choice(each.options)}
    ),
    **dict.fromkeys(
        ("Checkbox", "Popover", "Expandable"),
        lambda _, choice: {"bool_value": choice.random() < 0.5},
    ),
}
"""By kind of control, the state of its widget after somebody has used it."""
