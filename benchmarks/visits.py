"""Visits without browsers: a class that moves a slider, a hall of phones, an hour of wandering.

A class: many visits of the map page, each of which moves ε now and then, in steps of its own along
the slider, so most levels have soon been computed for somebody. A move is done once the picture and
the page's script are. A hall: phones arrive, listen, and all report to live polls within ten
seconds, each on connections of its own. An hour: each step opens a page, or moves, chooses, ticks
or presses one of its controls, in a fragment's own run where the control is in one.
Hostile files: what the server holds while visits bring them and after, and how long others wait. A
visit uploads a file, presses the form's button, waits for the page's answer, and brings it again,
until the others have made their moves. Those who bring are in a process of their own, which runs
after all others: to send 31 MB may not keep the others from hearing their answers. One server gets
all files, as a server does that is up for long.

All speak Streamlit's protocol, phones HTTP, and run on the machine that serves them.
"""

import asyncio
import os
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean
from time import monotonic, perf_counter
from typing import Final

import numpy as np
from websockets.exceptions import ConnectionClosed

from benchmarks.figures import Bar, Figure
from caldp_core.basics.errors import count_text
from tests.datasets.files import HOSTILE
from tests.servers import Fleet, Server, fleet, missing_nginx, running_server
from tests.visits import ARRIVE_S, Bringer, Desk, Phone, Unanswered, Visitor, Walk, walk_over_pages

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


def crowd_figures(visits: int) -> Iterator[Figure]:
    """Runs a second, waiting for a picture, and the server's work for a run."""
    with running_server() as server:
        yield from asyncio.run(crowd(server, visits, _PACE))


def load_figures(visits: int) -> Iterator[Figure]:
    """For one, two and three workers behind nginx: a class that plays, and many who read."""
    for number in (1, 2, 3):
        for people, pause in ((visits, 1.0), (_READERS, _READERS_PAUSE_S)):
            with fleet(None, number) as workers:
                prefix = f"{number} workers: " if number > 1 else "1 worker: "
                empty = workers.megabytes()
                yield Figure(f"{prefix}memory before anybody comes", "MB", [empty])
                for each in asyncio.run(crowd(workers, people, None, pause)):
                    yield replace(each, work=prefix + each.work)


async def crowd(
    server: Server | Fleet, number: int, pace: Bar | None, pause: float = 1.0
) -> list[Figure]:
    """The figures of `number` visits that move every `pause` seconds."""
    # One after another, as a class comes in; what all share is made for the first.
    first = await Visitor.open(server.address, "places", PICTURE)
    alone = server.megabytes()
    more = [await Visitor.open(server.address, "places", PICTURE) for _ in range(number - 1)]
    a_visit = (server.megabytes() - alone) / max(number - 1, 1)
    used, began = server.cpu_seconds(), perf_counter()
    moves = await seconds_of([first, *more], 0, pause)
    seconds, used = perf_counter() - began, server.cpu_seconds() - used
    for visitor in (first, *more):
        await visitor.close()
    waits = [each for each in moves if each < inf]
    setting = f"{number} visits, {_MOVES} moves of ε each, every {pause:g} s"
    return [
        Figure(f"{setting}: runs a second", "/s", [len(moves) / seconds], pace),
        Figure("until the picture, half of the moves", "s", [percentile(waits, 50)]),
        Figure("until the picture, 95 of 100 moves", "s", [percentile(waits, 95)], _WAIT),
        Figure("moves that never showed", "", [len(moves) - len(waits)], _NONE),
        Figure("the server's processor time for a run", "ms", [1000 * used / len(moves)]),
        Figure("memory for each further visit", "MB", [a_visit]),
        Figure("the server's memory afterwards", "MB", [server.megabytes()]),
    ]


def flood_figures(_: int) -> Iterator[Figure]:
    """Others' waits without and with sockets that ask as fast as they can, on one server."""
    with running_server() as server:
        yield from asyncio.run(_flooded(server))


async def _flooded(server: Server) -> list[Figure]:
    others = await open_others(server)
    calm = percentile(await seconds_of(others, 100), 95)
    floods = [await Visitor.arrive(server.address, "places") for _ in range(_SOCKETS)]
    at_work = [asyncio.create_task(_flood(visitor)) for visitor in floods]
    waits = await seconds_of(others, 200)
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
        Figure("moves that never showed", "", [len(waits) - len(finished)], _NONE),
        Figure("sockets of the flood that were closed", "", [closed]),
    ]


async def _flood(visitor: Visitor) -> None:
    with suppress(ConnectionClosed):
        for _ in range(_MESSAGES):
            await visitor.ask()


async def open_others(server: Server) -> list[Visitor]:
    """Four visits of the map page that have moved ε before anything is measured."""
    others = [await Visitor.open(server.address, "places", PICTURE) for _ in range(_OTHERS)]
    await seconds_of(others, 0)
    return others


async def seconds_of(visitors: list[Visitor], seed: int, pause: float = 1.0) -> list[float]:
    """Seconds of moves of ε of all visits, each with coins of its own after `seed`."""
    each = (walk(visitor, random.Random(seed + i), pause) for i, visitor in enumerate(visitors))
    return [seconds for moves in await asyncio.gather(*each) for seconds in moves]


async def walk(visitor: Visitor, choice: random.Random, pause: float) -> list[float]:
    """Seconds until the picture of moves of ε with pauses, from where the page begins; or inf."""
    at, done = _FIRST, []
    for _ in range(_MOVES):
        await asyncio.sleep(pause * choice.uniform(0.5, 1.5))
        step = choice.choice((-1, 1))
        at = at + step if 0 <= at + step < len(_LEVELS) else at - step
        try:
            done.append(await visitor.run({_SLIDER: _LEVELS[at]}, PICTURE))
        except TimeoutError:
            done.append(inf)
    return done


def percentile(values: list[float], percent: int) -> float:
    """The value below which a given percentage lies; infinite without values."""
    return float(np.percentile(values, percent)) if values else inf


_PHONES: Final = 300
_MANY: Final = 1_000
_WORKERS: Final = 4
_IDLE_S: Final = 10.0
_PATIENCE_S: Final = 60.0
_ACKNOWLEDGED, _BEHIND, _NONE = Bar("≤", 3), Bar("≤", 2), Bar("≤", 0)


def hall_figures(_: int) -> Iterator[Figure]:
    """Waits of phones, of boards and of teachers' clicks: one worker, then four behind nginx."""
    with running_server() as server:
        yield from asyncio.run(hall(server, [Desk(server.address)], _PHONES))
    if lack := missing_nginx():
        yield Figure(f"{_MANY:,} phones in {_WORKERS} polls", "", (), note=lack)
        return
    with fleet(None, _WORKERS) as workers:
        desks = [Desk(each.address, f"w{at}") for at, each in enumerate(workers.workers, 1)]
        yield from asyncio.run(hall(workers, desks, _MANY))


async def hall(server: Server | Fleet, desks: Sequence[Desk], number: int) -> list[Figure]:
    """The figures of a number of phones, spread evenly over the polls of these desks."""
    teachers = [await desk.open(number // len(desks)) for desk in desks]
    queries = [desk.query for desk in desks]
    phones = [Phone(server.address, queries[i % len(desks)], i) for i in range(number)]
    tasks = [asyncio.create_task(p.live(random.Random(i))) for i, p in enumerate(phones)]
    tasks += [asyncio.create_task(d.watch(t)) for d, t in zip(desks, teachers, strict=True)]
    await asyncio.sleep(ARRIVE_S + 2.0)
    used, asked = server.cpu_seconds(), sum(phone.requests for phone in phones)
    await asyncio.sleep(_IDLE_S)
    idle = server.cpu_seconds() - used
    asked = sum(phone.requests for phone in phones) - asked
    tasks += [asyncio.create_task(d.click(t)) for d, t in zip(desks, teachers, strict=True)]
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_S):
            reports = (p.report(random.Random(-i)) for i, p in enumerate(phones))
            await asyncio.gather(*reports)
    await asyncio.sleep(3.0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for phone in phones:
        phone.close()
    for teacher in teachers:
        await teacher.close()
    lags = [
        lag
        for at, desk in enumerate(desks)
        for lag in desk.lags([p.at for p in phones[at :: len(desks)] if p.at < inf])
    ]
    setting = f"{number:,} phones in {len(desks)} polls" if len(desks) > 1 else f"{number} phones"
    counted = sum(max(shown for _, shown in desk.boards) for desk in desks)
    waits, clicks = [phone.waited for phone in phones], [c for desk in desks for c in desk.clicks]
    return [
        Figure(
            f"{setting} report within 10 s: slowest acknowledgement",
            "s",
            [max(waits)],
            _ACKNOWLEDGED,
        ),
        Figure("acknowledgements, half of them", "s", [percentile(waits, 50)]),
        Figure("reports that the boards do not count", "", [number - counted], _NONE),
        Figure("a board behind an acknowledged report, at most", "s", [max(lags)], _BEHIND),
        Figure("a teacher's click meanwhile, at most", "s", [max(clicks)], _BEHIND),
        Figure(
            "processor time while phones only listen, of a second", "ms", [1000 * idle / _IDLE_S]
        ),
        Figure("processor time for each of their requests", "ms", [1000 * idle / asked]),
        Figure("memory afterwards", "MB", [server.megabytes()]),
    ]


_SECONDS: Final = 3600.0
_VISITS_MAX: Final = 6
_REST_S: Final = 60.0
_WORDS: Final = ("Traceback", "Uncaught", "WARNING", "does not exist anymore", "Couldn't find")
"""What the log of ordinary use has none of."""
_FLAT, _MEMORY = Bar("≤", 1.1), Bar("≤", 1200)


def walk_figures(visits: int) -> Iterator[Figure]:
    """Memory, lines of the log and visits without an answer, of six visits in an hour."""
    with tempfile.TemporaryDirectory() as name, running_server(Path(name)) as server:
        yield from asyncio.run(wander(server, min(visits, _VISITS_MAX), _SECONDS, Path(name)))


async def wander(server: Server, visits: int, seconds: float, folder: Path) -> list[Figure]:
    """The figures of a walk; `folder`: of the server's log."""
    until, memory, loads = monotonic() + seconds, list[float](), list[float]()
    watching = asyncio.create_task(watch(server, memory, loads))
    walks = [Walk(seed) for seed in range(visits)]
    await asyncio.gather(*(walk_over_pages(server, walk, until) for walk in walks))
    await asyncio.sleep(min(_REST_S, seconds))
    watching.cancel()
    (log,) = folder.glob("*.log")
    lines = log.read_text("utf-8").splitlines()
    third = len(memory) // 3
    early, late = max(memory[third : 2 * third], default=inf), max(memory[2 * third :], default=inf)
    setting = f"{visits} visits wander for {seconds / 60:g} minutes"
    load = f"load {mean(loads):.1f}, at most {max(loads):.1f}"
    return [
        Figure(f"{setting}: steps", "", [sum(walk.steps for walk in walks)], None, load),
        *(_unanswered(walks, each) for each in Unanswered),
        Figure(
            "errors and warnings in the log",
            "",
            [sum(any(word in line for word in _WORDS) for line in lines)],
            _NONE,
        ),
        Figure("memory, at most", "MB", [max(memory)], _MEMORY),
        Figure("its most in the last third, over the second", "×", [late / early], _FLAT),
        Figure("memory at the end", "MB", [memory[-1]], _MEMORY),
    ]


def _unanswered(walks: Sequence[Walk], kind: Unanswered) -> Figure:
    places = [place for walk in walks for wait, place in walk.unanswered if wait is kind]
    bar = _NONE if kind is Unanswered.DEAD else None
    return Figure(kind, "", [len(places)], bar, "; ".join(places))


async def watch(
    server: Server, memory: list[float], loads: list[float], pause: float = 0.5
) -> None:
    """Note the server's megabytes and the machine's load every `pause` seconds, until cancelled."""
    while True:
        memory.append(server.megabytes())
        loads.append(os.getloadavg()[0])
        await asyncio.sleep(pause)


_PROCESSES: Final = get_context("spawn")
_ROUNDS: Final = 6
_SETTLED_S: Final = 35.0
"""The server sets aside what it is made of 30 s after its start, whatever the files do."""
_BACK_S: Final = 60.0
_LOWER: Final = 10
_BACK_MB: Final = 150
_BACK: Final = Bar("≤", _BACK_S)
_BROUGHT: Final = (("a million features", 1), *((work, 2) for work in HOSTILE))
"""Each kind of file, and by how many visits at once it is brought."""
_AS_DEPLOYED: Final = {
    "MALLOC_ARENA_MAX": "2",
    "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false",  # else each upload needs a cookie
}


def hostile_figures(_: int) -> Iterator[Figure]:
    """For each file: memory, and how long four other visits wait for their moves meanwhile."""
    began = monotonic()
    with running_server(variables=_AS_DEPLOYED) as server, asyncio.Runner() as runner:
        others = runner.run(open_others(server))
        runner.run(asyncio.sleep(max(began + _SETTLED_S - monotonic(), 0.0)))
        before = server.megabytes()
        for work, number in _BROUGHT:
            yield from runner.run(_brought(server, others, before, work, number))
        for visitor in others:
            runner.run(visitor.close())


async def _brought(
    server: Server, others: list[Visitor], before: float, work: str, number: int
) -> list[Figure]:
    """Figures of one kind of file; `before`: MB of the server without any."""
    memory, loads = list[float](), list[float]()
    watching = asyncio.create_task(watch(server, memory, loads, 0.1))
    calm, waits, answers = list[float](), list[float](), set[str]()
    ours, theirs = _PROCESSES.Pipe()
    command = (theirs, server.address, work, number)
    bringing = _PROCESSES.Process(target=_bring, args=command, daemon=True)
    bringing.start()
    theirs.close()
    await asyncio.to_thread(ours.recv)  # its visits are there
    for seed in range(0, 200 * _ROUNDS, 200):
        calm += await seconds_of(others, seed)
        ours.send("bring")
        waits += await seconds_of(others, seed + 100)
        ours.send("stop")
        answers |= await asyncio.to_thread(ours.recv)
    ours.send("")
    await asyncio.to_thread(bringing.join)
    seconds = await _seconds_until_back(server, before)
    watching.cancel()
    title = f"{count_text(number, 'visit brings', 'visits bring')} {work}"
    note = [f"{percentile(calm, 95):.2f} s without; load {mean(loads):.1f}", *sorted(answers)]
    ratio = percentile(waits, 95) / percentile(calm, 95)
    more = server.megabytes() - before
    return [
        Figure(f"{title}: memory, at most", "MB", [max(memory)], _MEMORY),
        Figure(f"until at most {_BACK_MB} MB more than at first", "s", [seconds], _BACK),
        Figure("by then more than at first", "MB", [more]),
        Figure("95 of 100 moves of others, over without", "×", [ratio], _WAIT, "; ".join(note)),
    ]


async def _seconds_until_back(server: Server, before: float) -> float:
    """Seconds until the memory is back; infinite after a minute."""
    began = monotonic()
    while server.megabytes() - before > _BACK_MB:
        if monotonic() - began > _BACK_S:
            return float("inf")
        await asyncio.sleep(0.1)
    return monotonic() - began


def _bring(pipe: Connection, address: str, work: str, number: int) -> None:
    """Be a process of visits that bring a file, or stop and send what the page says, in turn."""
    os.nice(_LOWER)
    asyncio.run(_bring_in_turn(pipe, address, work, number))


async def _bring_in_turn(pipe: Connection, address: str, work: str, number: int) -> None:
    name, make = HOSTILE[work]
    data = make()
    bringers = [await Bringer.open_form(address) for _ in range(number)]
    pipe.send("ready")
    while await asyncio.to_thread(pipe.recv):
        enough = asyncio.Event()
        each = (bringer.bring(address, name, data, enough) for bringer in bringers)
        brought = asyncio.gather(*each)
        await asyncio.to_thread(pipe.recv)
        enough.set()
        pipe.send(set().union(*await brought))
    for bringer in bringers:
        await bringer.close()
