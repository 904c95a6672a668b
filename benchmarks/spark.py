"""A Spark DataFrame of sets tallied by one and by two workers on this machine: how it scales.

One worker has one core of the machine for all of its cluster, two have two: without that one worker
spreads over both cores, reading on one and adding up on the other. Seconds of processors say how
much work it is, whatever else the machine does. Needs Linux, requirements-spark.txt and Java.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.collect import protocol_of, write_sets
from benchmarks.figures import Figure, ratio
from benchmarks.server import ROOT
from benchmarks.sizes import Sizes
from caldp_core.mechanisms.specs import Oue

_RUNS: Final = 3
WORKERS: Final = (1, 2)
WORK: Final = "{n:,} sets of {k:,} values tallied by Spark, workers of one core each: {workers}"
PROCESSORS: Final = ", time of processors"


def is_missing() -> bool:
    """Whether this machine has no Spark."""
    return importlib.util.find_spec("pyspark") is None or shutil.which("java") is None


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Seconds, and seconds of processors, by one worker and by two, and the ratio of the first."""
    n, k = sizes.clustered_sets, sizes.collected_values
    works = [WORK.format(n=n, k=k, workers=workers) for workers in WORKERS]
    if is_missing():
        yield Figure(works[0], "s", None, note="pyspark or Java is not installed")
        return
    seconds = []
    with tempfile.TemporaryDirectory() as name:
        folder, protocol = Path(name), protocol_of(Oue(), k)
        (folder / "protocol.json").write_text(protocol.to_json(), "utf-8")
        write_sets(folder / "sets.parquet", protocol, n)
        for work, workers in zip(works, WORKERS, strict=True):
            waited, spent = _measure(folder, workers, n)
            yield (figure := Figure.of(work, "s", waited))
            yield Figure.of(f"{work}{PROCESSORS}", "s", spent)
            seconds.append(figure)
    one, two = seconds
    yield ratio("one worker over two", one, two)


def _measure(folder: Path, workers: int, n: int) -> tuple[list[float], ...]:
    """Seconds, and seconds of processors, of `_RUNS` runs that tally n reports each."""
    paths = [str(folder / each) for each in ("protocol.json", "sets.parquet")]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.spark_tally", *paths, str(workers), str(_RUNS)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = [line.split() for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert [int(reports) for reports, *_ in rows] == [n] * _RUNS
    return tuple([float(row[place]) for row in rows] for place in (1, 2))
