"""The suites run by asv in this environment, and their figures beside the bars of their classes."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from math import isfinite
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import Bar, Figure
from benchmarks.server import ROOT

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
        cases = [tuple(map(_parsed, case)) for case in product(*parameters)]
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


def _parsed(parameter: str) -> Any:
    """A parameter from asv's `repr` of it."""
    import ast

    return ast.literal_eval(parameter)


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
