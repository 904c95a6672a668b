"""A Spark DataFrame of sets tallied by one and by two workers on this machine: how it scales.

One worker has one core of the machine for all of its cluster, two have two: without that one worker
spreads over both cores, reading on one and adding up on the other. Needs Linux,
requirements-spark.txt and Java. The first tally of a cluster starts its Python processes and is not
counted.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.collect import protocol_of, write_sets
from benchmarks.figures import Figure, Runs, ratio
from benchmarks.sizes import Sizes
from caldp_core.mechanisms.specs import Oue

_RUNS: Final = 3
WORKERS: Final = (1, 2)
WORK: Final = "{n:,} sets of {k:,} values tallied by Spark, workers of one core each: {workers}"
_TALLY: Final = """
import os, sys, time
from pyspark.sql import SparkSession
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.spark import tally_frame
os.environ["PYSPARK_PYTHON"] = sys.executable
workers, runs = int(sys.argv[3]), int(sys.argv[4])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:workers])
spark = (
    SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
    .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.files.maxPartitionBytes", str(16 * 2**20)).getOrCreate()
)
protocol, frame = Protocol.from_file(sys.argv[1]), spark.read.parquet(sys.argv[2])
for run in range(runs + 1):
    started = time.perf_counter()
    found = tally_frame(protocol, frame, "all")
    if run:
        print(found.tally.n, time.perf_counter() - started)
spark.stop()
"""


def missing() -> bool:
    """Whether this machine has no Spark."""
    return importlib.util.find_spec("pyspark") is None or shutil.which("java") is None


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Seconds by one worker and by two, and how many times as fast two are."""
    n, k = sizes.clustered_sets, sizes.collected_values
    works = [WORK.format(n=n, k=k, workers=workers) for workers in WORKERS]
    if missing():
        yield Figure(works[0], "s", None, note="pyspark or Java is not installed")
        return
    with tempfile.TemporaryDirectory() as name:
        folder, protocol = Path(name), protocol_of(Oue(), k)
        (folder / "protocol.json").write_text(protocol.to_json(), "utf-8")
        write_sets(folder / "sets.parquet", protocol, n)
        pairs = zip(works, WORKERS, strict=True)
        one, two = (Figure(work, "s", _measured(folder, w, n)) for work, w in pairs)
    yield one
    yield two
    yield ratio("one worker over two", one, two)


def _measured(folder: Path, workers: int, n: int) -> Runs:
    paths = [str(folder / each) for each in ("protocol.json", "sets.parquet")]
    path = os.pathsep.join(
        each for each in (str(Path.cwd()), os.environ.get("PYTHONPATH", "")) if each
    )
    done = subprocess.run(
        [sys.executable, "-c", _TALLY, *paths, str(workers), str(_RUNS)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = [line.split() for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert [int(found) for found, _ in rows] == [n] * _RUNS
    seconds = [float(each) for _, each in rows]
    return Runs(min(seconds), median(seconds), _RUNS)
