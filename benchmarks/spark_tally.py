"""A Spark cluster of some workers on as many cores of this machine tallies a file several times.

    python -m benchmarks.spark_tally PROTOCOL.json REPORTS.parquet WORKERS RUNS

A process of its own, which nothing of Spark outlives. Prints a line a run: reports, seconds, and
seconds of processors, of the driver and all workers together. The first run starts the workers'
Python processes and is left out. Linux alone.
"""

import os
import sys
import time
from pathlib import Path
from typing import Final

from caldp_core.collect.protocol import Protocol
from caldp_core.collect.spark import tally_frame

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_USER: Final = 11
"""Place of the user's ticks among the fields of /proc/PID/stat after the name; the system's follow,
and those of children that have ended."""


def processor_seconds(pid: int) -> float:
    """Seconds of processors of a process and of all its descendants; 0 once it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        tasks = [each.read_text("utf-8") for each in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return 0.0  # it has just ended
    own = sum(map(int, fields[_USER : _USER + 4])) / _TICKS
    return own + sum(processor_seconds(int(child)) for task in tasks for child in task.split())


def main(protocol: str, reports: str, workers: int, runs: int) -> None:
    """Tally the file `runs` times, each with a line on the standard output as the module says."""
    from pyspark.sql import SparkSession

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:workers])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.files.maxPartitionBytes", str(16 * 2**20))
        .getOrCreate()
    )
    collection, frame = Protocol.from_file(protocol), spark.read.parquet(reports)
    for run in range(runs + 1):
        started, spent = time.perf_counter(), processor_seconds(os.getpid())
        result = tally_frame(collection, frame, "all")
        seconds = time.perf_counter() - started
        if run:
            spent = processor_seconds(os.getpid()) - spent
            sys.stdout.write(f"{result.tally.n} {seconds} {spent}\n")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
