"""A Spark DataFrame tallied on a real cluster of this machine, of which one worker is lost."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from tests import ROOT, require_software
from tests.collect import protocols
from tests.collect.protocols import small
from tests.collect.spark_cluster import SPARING

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
        [sys.executable, "-m", "tests.collect.spark_cluster", *map(str, (source, file, output))],
        env={**os.environ, "JAVA_TOOL_OPTIONS": SPARING, "PYTHONPATH": path},
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split()[-1] == "1", "an executor must be killed while tasks are under way"
    found, right = CollectedTally.from_file(output).tally, Collector(protocol).tally(file).tally
    assert (found.counts == right.counts).all()
    assert found.n == right.n == PEOPLE
