"""A measurement: times of several runs, or a ratio of two, compared with a bar.

Bars are judged by the median, so that one lucky run passes nothing.
"""

import operator
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import Any, Final, Literal

SECONDS_IN: Final = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
_PROGRAM_RUNS: Final = 3
_HOLDS: Final = {"≤": operator.le, "≥": operator.ge}


@dataclass(frozen=True)
class Bar:
    """A figure's target: at most (≤) or at least (≥) a `limit`, in the figure's unit."""

    sense: Literal["≤", "≥"]
    limit: float

    def holds(self, value: float) -> bool:
        """Whether `value` is on the right side."""
        return bool(_HOLDS[self.sense](value, self.limit))

    def __str__(self) -> str:
        return f"{self.sense} {self.limit:g}"


@dataclass(frozen=True)
class Runs:
    """The least and the median of `number` runs, in the figure's unit."""

    least: float
    median: float
    number: int


@dataclass(frozen=True)
class Figure:
    """One line of the table; `runs` is None if it was skipped, and then `note` says why.

    `unit`: "s", "ms", "µs", "ns", "kB", "MB", "%" or "×".
    """

    work: str
    unit: str
    runs: Runs | None
    bar: Bar | None = None
    note: str = ""

    @classmethod
    def of(
        cls, work: str, unit: str, values: Sequence[float], bar: Bar | None = None, note: str = ""
    ) -> "Figure":
        """The line of a value for each run."""
        return cls(work, unit, Runs(min(values), median(values), len(values)), bar, note)

    @property
    def verdict(self) -> str:
        """Says "ok" or "MISSED" for a bar, "skipped" without runs, else nothing."""
        if self.runs is None:
            return "skipped"
        if self.bar is None:
            return ""
        return "ok" if self.bar.holds(self.runs.median) else "MISSED"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; `least` and `median` are null if it was skipped."""
        return {
            "work": self.work,
            "unit": self.unit,
            "least": self.runs and self.runs.least,
            "median": self.runs and self.runs.median,
            "runs": self.runs.number if self.runs else 0,
            "bar": self.bar and str(self.bar),
            "verdict": self.verdict,
            "note": self.note,
        }


def measure_time(
    work: str, unit: str, action: Callable[[int], object], repeats: int, bar: Bar | None = None
) -> Figure:
    """Time `action(run)` for runs 0 … repeats−1.

    One run more goes before and is not counted, unless there is a single one to time.
    """
    if repeats > 1:
        action(repeats)
    times = []
    for run in range(repeats):
        started = perf_counter()
        action(run)
        times.append((perf_counter() - started) / SECONDS_IN[unit])
    return Figure.of(work, unit, times, bar)


def measure_program(code: str, *arguments: object) -> tuple[tuple[float, ...], ...]:
    """Columns of the numbers that a Python program prints, a run each; one more is not counted.

    A process of its own for each run, for what is measured of its memory.
    """
    command = [sys.executable, "-c", code, *map(str, arguments)]
    rows = []
    for _ in range(_PROGRAM_RUNS + 1):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        rows.append([float(word) for word in done.stdout.split()])
    return tuple(zip(*rows[1:], strict=True))


def share(work: str, unit: str, whole: Figure, count: int) -> Figure:
    """`whole`'s times divided by `count`, such as one person's part of them."""
    scale = SECONDS_IN[whole.unit] / SECONDS_IN[unit] / count
    runs = whole.runs and Runs(
        whole.runs.least * scale, whole.runs.median * scale, whole.runs.number
    )
    return replace(whole, work=work, unit=unit, runs=runs, bar=None)


def ratio(work: str, over: Figure, under: Figure, bar: Bar | None = None) -> Figure:
    """`over`/`under`, least by least and median by median; skipped if either was.

    Two figures of one run on one machine: their ratio says more elsewhere than either alone.
    """
    if over.runs is None or under.runs is None:
        return Figure(work, "×", None, bar, over.note or under.note)
    scale = SECONDS_IN[over.unit] / SECONDS_IN[under.unit]
    runs = Runs(
        over.runs.least / under.runs.least * scale,
        over.runs.median / under.runs.median * scale,
        min(over.runs.number, under.runs.number),
    )
    return Figure(work, "×", runs, bar)
