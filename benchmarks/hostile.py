"""Hostile files: what the server holds while visits bring them and after, and how long others wait.

A visit brings a file as a browser does: it uploads it, presses the form's button, and waits for the
page's answer; then it brings it again, until the others have made their moves. Those who bring are
in a process of their own, which runs after all others: to send 31 MB may not keep the others from
hearing their answers. One server gets all files, as a server does that is up for long.
"""

import asyncio
import os
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import mean
from time import monotonic
from typing import Final

from benchmarks.figures import Bar, Figure
from benchmarks.visits import open_others, percentile, seconds_of, watch
from caldp_core.basics.errors import count_text
from tests.datasets.files import HOSTILE
from tests.servers import Server, running_server
from tests.visits import Bringer, Visitor

_PROCESSES: Final = get_context("spawn")
_ROUNDS: Final = 6
_SETTLED_S: Final = 35.0
"""The server sets aside what it is made of 30 s after its start, whatever the files do."""
_BACK_S: Final = 60.0
_LOWER: Final = 10
_BACK_MB: Final = 150
_MEMORY, _BACK, _WAIT = Bar("≤", 1200), Bar("≤", _BACK_S), Bar("≤", 2)
_BROUGHT: Final = (("a million features", 1), *((work, 2) for work in HOSTILE))
"""Each kind of file, and by how many visits at once it is brought."""
_AS_DEPLOYED: Final = {
    "MALLOC_ARENA_MAX": "2",
    "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false",  # else each upload needs a cookie
}


def figures(_: int) -> Iterator[Figure]:
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
