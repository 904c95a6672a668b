"""Uploads over and over while visits walk over all pages: memory, and what late steps waited for.

    python -m tests.soak.uploads --minutes 30

Each bringer uploads a file of places, sees it counted and brings it again. Walkers use controls of
all pages as people would. The server writes a trace of turns (`tests/traced_app.py`): for each step
that is answered after 30 s the table says how long its visit's runs waited for a turn and how long
they ran. A step that no run stands for was lost.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from websockets.exceptions import ConnectionClosed

from caldp_ui.app.navigation import PAGES
from tests.servers import Server, running_server
from tests.visits import COUNTED, IS_COUNTED, Bringer, Visitor, used_widget

LATE_S: Final = 30.0
PATIENCE_S: Final = 300.0
"""A step without an answer by then is none any more."""
PAUSE_S: Final = (2.0, 6.0)
LEAVE: Final = 0.1
"""The share of steps that lead to another page."""
SAMPLE_S: Final = 0.5
PLACES: Final = 100_000
"""Rows of the file that is brought: 2 MB."""
VARIABLES: Final = {
    "MALLOC_ARENA_MAX": "2",  # as docs/deploy.md sets it
    "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false",  # else each upload needs a cookie
}


@dataclass(frozen=True)
class Step:
    """A step of a visit: when it was `asked` and `answered`, in seconds; None without an answer."""

    visit: str
    where: str
    asked: float
    answered: float | None

    @property
    def is_late(self) -> bool:
        """Whether it was answered later than after 30 s, or never."""
        return self.answered is None or self.answered - self.asked > LATE_S


@dataclass(frozen=True)
class Turn:
    """A run of a visit: when it `asked` for its turn, when it `began` and when it `ended`."""

    visit: str
    asked: float
    began: float
    ended: float


@dataclass
class Findings:
    """What the soak has seen: steps, answers to uploads, and megabytes, twice a second."""

    steps: list[Step] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)


def file_of_places() -> bytes:
    """A CSV of places in the United States."""
    chance = random.Random(56)
    rows = ["lat,lon"]
    for _ in range(PLACES):
        rows.append(f"{chance.uniform(30, 47):.5f},{chance.uniform(-120, -75):.5f}")
    return "\n".join(rows).encode()


async def use_control(visitor: Visitor, choice: random.Random, findings: Findings) -> None:
    """Use one control of the page, and note how long its answer takes."""
    key = choice.choice(visitor.present() or [""])
    widget = used_widget(visitor, key, choice) if key else None
    if widget is None:
        return
    where, asked = f"{visitor.page} {key}", monotonic()
    await visitor.send(key, widget)
    answered: float | None = None
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            while not visitor.is_answered and not visitor.was_closed:
                await asyncio.sleep(0.02)
        answered = monotonic()
    findings.steps.append(Step(visitor.visit, where, asked, answered))


async def walk(server: Server, seed: int, until: float, findings: Findings) -> None:
    """Open page after page, and use some controls of each."""
    choice = random.Random(seed)
    while monotonic() < until:
        page = Path(choice.choice(PAGES).path).stem
        visitor = await Visitor.arrive(server.address, page)
        with suppress(TimeoutError, ConnectionClosed, KeyError):
            await visitor.wait_until(partial(bool, visitor.elements), PATIENCE_S)
            while monotonic() < until and choice.random() > LEAVE:
                await asyncio.sleep(choice.uniform(*PAUSE_S))
                await use_control(visitor, choice, findings)
        await visitor.close()


async def bring(server: Server, number: int, until: float, findings: Findings) -> None:
    """Visit after visit brings the file and looks at its map."""
    data = file_of_places()
    while monotonic() < until:
        with suppress(TimeoutError, ConnectionClosed):
            bringer = await Bringer.open_form(server.address)
            answer = await bringer.bring_once(server.address, f"places-{number}.csv", data)
            findings.answers[answer] += 1
            if answer == IS_COUNTED:
                await bringer.press(COUNTED, "places-own")
                await asyncio.sleep(PAUSE_S[0])
            await bringer.close()


async def watch(server: Server, findings: Findings) -> None:
    """Note the server's megabytes, until cancelled."""
    while True:
        findings.memory.append(server.megabytes())
        await asyncio.sleep(SAMPLE_S)


async def soak(server: Server, visits: int, bringers: int, seconds: float) -> Findings:
    """What is seen while so many visits walk and others bring files."""
    findings, until = Findings(), monotonic() + seconds
    watching = asyncio.create_task(watch(server, findings))
    work = [walk(server, seed, until, findings) for seed in range(visits)]
    work += [bring(server, number, until, findings) for number in range(bringers)]
    await asyncio.gather(*work)
    watching.cancel()
    return findings


def read_turns(trace: Path) -> list[Turn]:
    """The turns of a server's trace."""
    return [Turn(**json.loads(line)) for line in trace.read_text("utf-8").splitlines()]


def explain(step: Step, turns: Sequence[Turn]) -> str:
    """What a late step waited for: its visit's runs by then, or that there was none."""
    end = step.asked + PATIENCE_S if step.answered is None else step.answered
    own = [t for t in turns if t.visit == step.visit and t.ended > step.asked and t.asked < end]
    if not own:
        return f"{step.where}: no run of its visit: lost"
    waited = sum(turn.began - max(turn.asked, step.asked) for turn in own)
    ran = sum(turn.ended - turn.began for turn in own)
    took = "never" if step.answered is None else f"{step.answered - step.asked:.0f} s"
    turns_text = f"its runs ({len(own)}) waited {max(waited, 0):.0f} s, ran {ran:.0f} s"
    return f"{step.where}: {took}; {turns_text}"


def table(findings: Findings, turns: Sequence[Turn], bringers: int, seconds: float) -> list[str]:
    """The findings as lines."""
    memory, third = findings.memory, len(findings.memory) // 3
    flat = max(memory[2 * third :]) / max(memory[third : 2 * third])
    waits = sorted(step.answered - step.asked for step in findings.steps if step.answered)
    late = [step for step in findings.steps if step.is_late]
    longest = max((turn.began - turn.asked for turn in turns), default=0.0)
    uploads = "; ".join(f"{count:,} × {text}" for text, count in findings.answers.items())
    lines = [
        f"minutes                            {seconds / 60:.1f}",
        f"uploads, by {bringers} visits at a time       {uploads}",
        f"steps                              {len(findings.steps):,}",
        f"half of them within                {waits[len(waits) // 2]:.2f} s",
        f"95 of 100 within                   {waits[int(0.95 * (len(waits) - 1))]:.2f} s",
        f"later than {LATE_S:.0f} s, or never           {len(late)}",
        f"runs, and the longest wait         {len(turns):,}, {longest:.1f} s",
        f"memory at most                     {max(memory):.0f} MB",
        f"its most, last third over second   {flat:.2f} x",
    ]
    return lines + [explain(step, turns) for step in late]


def main() -> int:
    """Run the soak and print its table; 1 if an upload was refused or a step was lost."""
    parser = argparse.ArgumentParser(description="Uploads while visits walk over all pages.")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--visits", type=int, default=20)
    parser.add_argument("--bringers", type=int, default=2)
    chosen = parser.parse_args()
    seconds = 60 * chosen.minutes
    with tempfile.TemporaryDirectory() as name:
        trace = Path(name) / "trace.jsonl"
        trace.touch()
        variables = {**VARIABLES, "CALDP_SOAK_TRACE": str(trace)}
        with running_server(Path(name), "tests/traced_app.py", variables=variables) as server:
            findings = asyncio.run(soak(server, chosen.visits, chosen.bringers, seconds))
        lines = table(findings, read_turns(trace), chosen.bringers, seconds)
        log = "".join(path.read_text("utf-8") for path in Path(name).glob("server-*.log"))
    lines.append(f"errors in the log                  {log.count('Traceback')}")
    sys.stdout.write("\n".join(lines) + "\n")
    lost = any(line.endswith("lost") for line in lines)
    return int(lost or set(findings.answers) != {IS_COUNTED})


if __name__ == "__main__":
    sys.exit(main())
