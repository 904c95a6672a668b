"""A Spark cluster on this machine: a master, two workers, and one executor that is lost half-way.

    python -m tests.collect.test_spark PROTOCOL.json REPORTS.parquet TALLY.json

A process of its own, so that nothing of Spark outlives it. Prints how many executors it has killed.
"""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.servers import tally_frame
from tests import ROOT, require_software
from tests.collect import protocols
from tests.collect.protocols import small

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


pytestmark = pytest.mark.thorough
PEOPLE = 40_000


def missing() -> str:
    """What this machine lacks, as a sentence; empty if nothing."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is missing: pip install -r requirements-spark.txt."
    return "" if shutil.which("java") else "Java is missing: apt-get install default-jre-headless."


def test_a_cluster_that_loses_a_worker_counts_each_report_once(tmp_path: Path) -> None:
    require_software(missing(), "CALDP_SPARK_REQUIRED")
    protocol = small("oue")
    source, output = tmp_path / "protocol.json", tmp_path / "week.tally.json"
    source.write_text(protocol.to_json(), "utf-8")
    sent = protocols.payloads(protocol, [x % protocol.domain.k for x in range(PEOPLE)], seed=8)
    file = protocols.write(tmp_path / "week.parquet", sent)
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "tests.collect.test_spark", *map(str, (source, file, output))],
        env={**os.environ, "JAVA_TOOL_OPTIONS": SPARING, "PYTHONPATH": path},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split()[-1] == "1", "an executor must be killed while tasks are under way"
    found, right = CollectedTally.from_file(output).tally, Collector(protocol).tally(file).tally
    assert (found.counts == right.counts).all()
    assert found.n == right.n == PEOPLE
