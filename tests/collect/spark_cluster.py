"""A Spark cluster on this machine: a master, two workers, and one executor that is lost half-way.

    python -m tests.collect.spark_cluster PROTOCOL.json REPORTS.parquet TALLY.json

A process of its own, so that nothing of Spark outlives it. Prints how many executors it has killed.
"""

import os
import signal
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any, Final

from caldp_core.collect.protocol import Protocol
from caldp_core.collect.servers import tally_frame

_EXECUTOR: Final = "CoarseGrainedExecutorBackend"
_TASKS: Final = 32
"""Enough that one is done and others are under way for a second, on a quick machine, too."""
_PATIENCE_S: Final = 60.0
SPARING: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:CICompilerCount=1"
"""For `JAVA_TOOL_OPTIONS`: Java machines that live for seconds need no better code."""


def descendants(pid: int) -> list[int]:
    """All processes that this one has started, and theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text("utf-8").split()):
            found += [child, *descendants(child)]
    return found


def executors() -> list[int]:
    """Those of our descendants that run Spark's tasks."""

    def line(pid: int) -> str:
        try:
            return Path(f"/proc/{pid}/cmdline").read_text("utf-8")
        except OSError:
            return ""

    return [
        pid for pid in descendants(os.getpid()) if _EXECUTOR in line(pid) and "java" in line(pid)
    ]


def kill_one_half_way(spark: Any, killed: list[int]) -> None:
    """Kill one executor as soon as a task of the tally is done and others are under way."""
    status, end = spark.sparkContext.statusTracker(), time.monotonic() + _PATIENCE_S
    while time.monotonic() < end and not killed:
        for stage in status.getActiveStageIds():
            info = status.getStageInfo(stage)
            if info and 0 < info.numCompletedTasks < info.numTasks == _TASKS:
                os.kill(victim := executors()[0], signal.SIGKILL)
                killed.append(victim)
                return
        time.sleep(0.02)


def main(protocol: str, reports: str, output: str) -> None:
    """Tally a file by both workers; see the module."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    killed: list[int] = []
    watch = Thread(target=kill_one_half_way, args=(spark, killed), daemon=True)
    frame = spark.read.parquet(reports).repartition(_TASKS)
    watch.start()
    found = tally_frame(Protocol.from_file(protocol), frame, "week", rows_max=_TASKS // 2)
    watch.join(1.0)
    found.write(Path(output))
    spark.stop()
    sys.stdout.write(f"{len(killed)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
