"""Figures of several runs, compared with a bar by their median; the suites run by asv."""

import os
import re
import subprocess
import sys
from ast import literal_eval
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from math import isfinite
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal

from tests import ROOT


@dataclass(frozen=True)
class Bar:
    """A figure's target: at most (≤) or at least (≥) a `limit`, in the figure's unit."""

    sense: Literal["≤", "≥"]
    limit: float

    def holds(self, value: float) -> bool:
        """Whether `value` is on the right side."""
        return value <= self.limit if self.sense == "≤" else value >= self.limit

    def __str__(self) -> str:
        return f"{self.sense} {self.limit:g}"


@dataclass(frozen=True)
class Figure:
    """One line of the table: a value per run; without any it was skipped, and `note` says why."""

    work: str
    unit: str
    values: Sequence[float]
    bar: Bar | None = None
    note: str = ""

    @property
    def median(self) -> float:
        """The median of all runs, so that one lucky run passes nothing; NaN without any."""
        return median(self.values) if self.values else float("nan")

    @property
    def verdict(self) -> str:
        """Says "ok" or "MISSED" for a bar, "skipped" without runs, else nothing."""
        if not self.values:
            return "skipped"
        if self.bar is None:
            return ""
        return "ok" if self.bar.holds(self.median) else "MISSED"


CONFIG: Final = ROOT / "benchmarks" / "asv.conf.json"
_ASV: Final = (sys.executable, "-m", "asv")
RESULTS: Final = ROOT / "benchmarks" / ".asv" / "results"
_UNITS: Final = {"time": "s", "peakmem": "B", "track": ""}


def run_suites(pattern: str, quick: bool) -> Iterator[Figure]:
    """Run the benchmarks whose names match, each once if `quick`; raises if asv cannot."""
    commit = _output("git", "rev-parse", "HEAD").strip()
    _output(*_ASV, "machine", "--yes", "--config", str(CONFIG))
    run = [*_ASV, "run", "--config", str(CONFIG), "--python=same", "--show-stderr"]
    run += ["--set-commit-hash", commit, "--bench", pattern, *(["--quick"] if quick else [])]
    variables = {**os.environ, "ASV_PYTHONPATH": str(ROOT)}
    subprocess.run(run, env=variables, stdout=sys.stderr, check=False)
    for path in sorted(RESULTS.glob(f"*/{commit[:8]}-existing-*.json")):
        yield from figures_of(path, pattern)


def figures_of(path: Path, pattern: str) -> Iterator[Figure]:
    """The figures in a file of asv's results."""
    from asv.results import Results

    results: Any = Results.load(str(path))
    for name in sorted(filter(re.compile(pattern).search, results.get_all_result_keys())):
        parameters = results.get_result_params(name)
        cases = [tuple(map(literal_eval, case)) for case in product(*parameters)]
        for case, value in zip(cases, results.get_result_value(name, parameters), strict=True):
            yield _figure(name, case, value)


def _figure(name: str, case: tuple[Any, ...], value: float | None) -> Figure:
    module, suite, method = name.split(".")
    work = f"{name}({', '.join(map(str, case))})"
    bars = getattr(getattr(import_module(f"benchmarks.suites.{module}"), suite), "bars", {})
    limit = bars.get(method)
    limit = limit(*case) if callable(limit) else limit
    bar = None if limit is None else Bar("≤", limit)
    unit = _UNITS[method.split("_")[0]]
    if value is None or not isfinite(value):
        return Figure(work, unit, (), bar, "failed" if value is None else "cannot run here")
    return Figure(work, unit, (value,), bar)


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
