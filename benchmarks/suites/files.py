"""Files: reports tallied, by the collector and by Spark, places counted, and a bomb refused.

Reports are random bytes in the form of the family: what they say changes no time.
"""

import gzip
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from click.testing import CliRunner

import caldp_core
from caldp_core.basics.errors import CaldpError
from caldp_core.cli.commands import main
from caldp_core.collect.collector import Collector, tally_files
from caldp_core.collect.protocol import FamilyPlan, Protocol
from caldp_core.collect.servers import tally_frame
from caldp_core.datasets import read_places
from caldp_core.domain.domains import Domain
from caldp_core.mechanisms.catalogue import Galois, Hadamard, Oue, RandomizedResponse
from caldp_core.privacy.context import Context
from tests.collect.protocols import STEP, text_of, walk, words_of

WEEK: Final = Path(__file__).parents[2] / "examples" / "collection" / "week.py"
SETS_OF: Final = 1000
SPECS: Final[dict[str, Any]] = {
    spec.name: spec for spec in (Hadamard(), Galois(), RandomizedResponse())
}
_PART: Final = 1 << 20


def protocol_of(spec: Any, k: int) -> Protocol:
    """Plain LDP on k values."""
    plan = FamilyPlan(spec, spec.make(Context.plain(k, 1.0)))
    return Protocol("", Domain(k), ("all",), plan)


def write_reports(file: Path, n: int, rows: Callable[[int], Any]) -> None:
    """Write n reports; `rows`: a number → as many reports, as an Arrow array."""
    with pq.ParquetWriter(file, pa.schema([("report", rows(1).type)])) as writer:
        for start in range(0, n, _PART):
            writer.write_table(pa.table({"report": rows(min(_PART, n - start))}))


def _random_sets(rng: np.random.Generator, protocol: Protocol, size: int) -> Any:
    width = protocol.format.size
    drawn = rng.integers(0, 256, (size, width), np.uint8)
    drawn[:, -1] &= np.uint8((1 << (protocol.domain.k % 8 or 8)) - 1)
    ends = pa.py_buffer(np.arange(0, (size + 1) * width, width, dtype=np.int32))
    return pa.Array.from_buffers(pa.binary(), size, [None, ends, pa.py_buffer(drawn)])


def write_sets(file: Path, n: int) -> Protocol:
    """Write n random sets of `SETS_OF` values; their protocol."""
    protocol = protocol_of(Oue(), SETS_OF)
    write_reports(file, n, partial(_random_sets, np.random.default_rng(2), protocol))
    return protocol


class TalliedNumbers:
    """10⁸ reports that are numbers, k = 43,750: a file, tallied on two cores in its own process."""

    params: ClassVar[tuple[str, ...]] = tuple(SPECS)
    param_names: ClassVar[tuple[str, ...]] = ("family",)
    timeout, number, repeat, warmup_time = 900, 1, 3, 0
    bars: ClassVar = {"time_tally": 5.0, "peakmem_tally": 1e9}
    n = 10**8

    def setup(self, *family: str) -> None:
        """Write the file."""
        self.protocol = protocol_of(SPECS[family[0]], 43_750)
        values, rng = self.protocol.format.values, np.random.default_rng(1)
        path = Path("reports.parquet")
        write_reports(path, self.n, lambda n: pa.array(rng.integers(0, values, n, np.int32)))

    def time_tally(self, *_: str) -> None:
        """Tally the file."""
        assert Collector(self.protocol).tally(Path("reports.parquet")).tally.n == self.n

    peakmem_tally = time_tally


class TalliedSets(TalliedNumbers):
    """10⁷ reports that are sets of 1,000 values."""

    params = param_names = ()
    bars: ClassVar = {"time_tally": 20.0, "peakmem_tally": 1e9}
    n = 10**7

    def setup(self, *_: str) -> None:
        """Write the file."""
        self.protocol = write_sets(Path("reports.parquet"), self.n)


class TalliedSmallFiles:
    """10,000 files of 20 reports each, in both forms of text, tallied by one run."""

    params = ("csv", "jsonl")
    param_names = ("form",)
    timeout, number, repeat, warmup_time = 900, 1, 3, 0
    bars: ClassVar = {"time_tally": 15.0}
    rows, n = 20, 200_000

    def setup(self, form: str) -> None:
        """Write the files."""
        self.protocol = protocol_of(Galois(), 1000)
        values, rng = self.protocol.format.values, np.random.default_rng(3)
        self.files = [Path(f"{i}.{form}") for i in range(self.n // self.rows)]
        for file in self.files:
            reports = rng.integers(0, values, self.rows)
            lines = reports if form == "csv" else [f'{{"report": {each}}}' for each in reports]
            file.write_text("\n".join(map(str, ["report", *lines][form != "csv" :])), "utf-8")

    def time_tally(self, _: str) -> None:
        """Tally the files."""
        output = Path("tally.json")
        output.unlink(missing_ok=True)
        tallied = tally_files(self.protocol, self.files, output).collected.tally
        assert tallied.n == self.n // self.rows * self.rows


class TalliedTutorials:
    """A tutorial's collection with a hundred times its devices: a file of 10⁶ lines."""

    params = ("crashes", "commuters", "survey")
    param_names = ("case",)
    timeout, number, repeat, warmup_time = 900, 1, 3, 0
    bars: ClassVar = {"time_tally": lambda case: 20.0 if case == "survey" else 3.6}
    n = 1_000_000

    def setup(self, case: str) -> None:
        """Do what the tutorial says, and send its reports again and again."""
        os.chdir(tempfile.mkdtemp(dir="."))
        page = f"tutorials/{case}.md"
        walk(page)
        command = next(line for line, _ in STEP.findall(text_of(page)) if line.startswith("tally"))
        self.words = words_of(command)
        path = Path(self.words[2])
        lines = cycle(path.read_text("utf-8").splitlines())
        path.write_text("\n".join(islice(lines, self.n)), "utf-8")

    def time_tally(self, _: str) -> None:
        """Tally the file."""
        output = Path(tempfile.mkdtemp(dir=".")) / self.words[-1]
        done = CliRunner().invoke(main, [*self.words[:-1], str(output)])
        assert done.exit_code == 0, done.output
        assert f": {self.n}" in done.output, done.output


class Week:
    """The example's week of 100,000 people, each by the JavaScript client in Chromium."""

    timeout, number, repeat, warmup_time = 900, 1, 1, 0
    people = 100_000

    def time_week(self) -> None:
        """From the scenario to the estimate."""
        packages = str(Path(caldp_core.__file__).parents[1])
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, str(WEEK), f"{folder}/week", "--people", str(self.people)]
            environment = {**os.environ, "PYTHONPATH": packages}
            subprocess.run(command, env=environment, capture_output=True, check=True)


class Spark:
    """2,000,000 sets of 1,000 values tallied by a Spark cluster of workers with a core each.

    One worker has one core of the machine for all of its cluster: without that it spreads over
    both. Needs Linux, requirements-spark.txt and Java; skipped without them.
    """

    params: ClassVar = [1, 2]
    param_names = ("workers",)
    timeout, number, repeat, warmup_time = 900, 1, 3, 0
    n = 2_000_000

    def setup(self, workers: int) -> None:
        """Start the cluster and its Python processes."""
        try:
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise NotImplementedError(str(error)) from error
        if shutil.which("java") is None:
            raise NotImplementedError("Java is missing.")
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:workers])
        os.environ["PYSPARK_PYTHON"] = sys.executable
        self.spark = (
            SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.files.maxPartitionBytes", str(16 * 2**20))
            .getOrCreate()
        )
        self.protocol = write_sets(Path("sets.parquet"), self.n)
        self.time_tally(workers)

    def teardown(self, _: int) -> None:
        """Stop the cluster."""
        if hasattr(self, "spark"):
            self.spark.stop()

    def time_tally(self, _: int) -> None:
        """Tally the frame."""
        frame = self.spark.read.parquet("sets.parquet")
        assert tally_frame(self.protocol, frame, "all").tally.n == self.n

    def track_processor_seconds(self, workers: int) -> float:
        """Seconds of processors, of the driver and all workers together."""
        before = processor_seconds(os.getpid())
        self.time_tally(workers)
        return processor_seconds(os.getpid()) - before


def processor_seconds(pid: int) -> float:
    """Seconds of processors of a process and of all its descendants; 0 once it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        tasks = [each.read_text("utf-8") for each in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return 0.0  # it has just ended
    # The user's and the system's ticks, then those of children that have ended.
    own = sum(map(int, stat[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(processor_seconds(int(child)) for task in tasks for child in task.split())


class Places:
    """A CSV of 10⁷ places with people counted in cells, once it is in memory; a bomb refused."""

    timeout, number, repeat, warmup_time = 600, 1, 3, 0
    bars: ClassVar = {"time_count": 3.0, "time_refuse": 1.0, "track_megabytes_beyond": 400.0}
    rows = 10**7

    def setup(self) -> None:
        """Write places in and around Paris, always the same, and a gzip bomb of their size."""
        rng = np.random.default_rng(5)
        places = {
            "lat": rng.uniform(48.6, 49.1, self.rows).round(6),
            "lon": rng.uniform(2.1, 2.6, self.rows).round(6),
            "n": rng.integers(1, 101, self.rows),
        }
        pa.csv.write_csv(pa.table(places), "places.csv")
        with gzip.open("bomb.csv.gz", "wb", 1) as out:
            for _ in range(1 + self.rows // 50_000):
                out.write(b"48.1,2.3\n" * 2**17)
        self.data, self.bomb = (Path(x).read_bytes() for x in ("places.csv", "bomb.csv.gz"))

    def time_count(self) -> None:
        """Count the places."""
        assert read_places(self.data).refused.count == 0

    def time_refuse(self) -> None:
        """Refuse the bomb."""
        try:
            read_places(self.bomb)
        except CaldpError:
            return
        raise AssertionError

    def track_megabytes_beyond(self) -> float:
        """Memory beyond the file's own bytes."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.time_count()
        return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
