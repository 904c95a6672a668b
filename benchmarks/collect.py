"""Files of reports tallied: numbers, and sets of bits; each by a process of its own, for memory.

The reports are random bytes in the form of the family: what they say changes no time.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np

from benchmarks.figures import Bar, Figure, measure_program, measure_time, ratio
from benchmarks.server import ROOT
from benchmarks.sizes import Sizes
from caldp_core.collect.client import Client
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.table_plan import FamilyPlan
from caldp_core.domain.answers import Domain
from caldp_core.mechanisms.specs import Galois, Hadamard, Oue, RandomizedResponse
from caldp_core.privacy.context import Context

NUMBERS: Final = "{n:,} reports that are numbers, {family}"
SETS: Final = "{n:,} reports that are sets of {k:,} values"
WEEK: Final = "a week of {people:,} people, each by the JavaScript client in Chromium"
_PART: Final = 1 << 20
_NUMBERS: Final = 43_750
TIMES: Final = {"numbers": Bar("≤", 5), "sets": Bar("≤", 20)}
MEMORY: Final = Bar("≤", 1000)
_TALLY: Final = """
import resource, sys, time
from pathlib import Path
from caldp_core.collect.collector import Collector
from caldp_core.collect.protocol import Protocol
collector = Collector(Protocol.from_file(sys.argv[1]))
started = time.perf_counter()
found = collector.tally(Path(sys.argv[2]))
seconds = time.perf_counter() - started
assert found.tally.n == int(sys.argv[3])
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
"""
_BARE: Final = """
import sys, time, duckdb
with duckdb.connect(config={"threads": 2}) as connection:
    connection.execute("SET enable_progress_bar_print = false")
    started = time.perf_counter()
    sql = "SELECT report, count(*) FROM read_parquet(?) GROUP BY report"
    connection.execute(sql, [sys.argv[1]]).fetchnumpy()
    print(time.perf_counter() - started, 0)
"""


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Seconds and memory of a file of numbers and of one of sets, and one report of a client."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _numbers(Path(folder), sizes.collected_numbers)
        yield from _sets(Path(folder), sizes.collected_sets, sizes.collected_values)
        yield _week(Path(folder), sizes.collected_people)
    for spec in (RandomizedResponse(), Galois(), Oue()):
        client = Client(protocol_of(spec, sizes.collected_values))
        work = f"one report of the Python client, {spec.name}, k = {sizes.collected_values:,}"
        yield measure_time(work, "µs", lambda _, client=client: client.report(0), sizes.repeats)  # type: ignore[misc]


def _week(folder: Path, people: int) -> Figure:
    """Seconds of the example's week, from the scenario to the estimate, once."""
    command = [sys.executable, "examples/collection/week.py", str(folder / "week")]
    started = perf_counter()
    subprocess.run([*command, "--people", str(people)], env={**os.environ, "PYTHONPATH": str(ROOT)},
                   capture_output=True, check=True)  # fmt: skip
    seconds = perf_counter() - started
    return Figure.of(WEEK.format(people=people), "s", [seconds])


def protocol_of(spec: Any, k: int) -> Protocol:
    """Plain LDP on k numbers."""
    plan = FamilyPlan(spec, spec.make(Context.plain(k, 1.0)))
    return Protocol("", Domain(k), ("all",), plan)


def _numbers(folder: Path, n: int) -> Iterator[Figure]:
    rng, file = np.random.default_rng(1), folder / "numbers.parquet"
    for place, spec in enumerate((Hadamard(), Galois(), RandomizedResponse())):
        protocol = protocol_of(spec, _NUMBERS)
        values = protocol.format.values
        _write(file, n, lambda size, values=values: _whole(rng, values, size))  # type: ignore[misc]
        work = NUMBERS.format(n=n, family=spec.name)
        tallied, memory = _tally(work, protocol, file, n, TIMES["numbers"])
        yield from (tallied, memory)
        if place == 0:
            bare = Figure.of("", "s", measure_program(_BARE, file)[0])
            yield ratio("the same over a bare GROUP BY", tallied, bare)


def _sets(folder: Path, n: int, k: int) -> Iterator[Figure]:
    file, protocol = folder / "sets.parquet", protocol_of(Oue(), k)
    write_sets(file, protocol, n)
    yield from _tally(SETS.format(n=n, k=k), protocol, file, n, TIMES["sets"])


def _tally(work: str, protocol: Protocol, file: Path, n: int, bar: Bar) -> tuple[Figure, Figure]:
    """Seconds and megabytes of a process that tallies the file of n reports."""
    path = file.with_name("protocol.json")
    path.write_text(protocol.to_json(), "utf-8")
    seconds, megabytes = measure_program(_TALLY, path, file, n)
    memory = Figure.of(f"{work}: memory", "MB", megabytes, MEMORY)
    return Figure.of(work, "s", seconds, bar), memory


def write_sets(file: Path, protocol: Protocol, n: int) -> None:
    """A file of n reports in bytes: random sets."""
    rng = np.random.default_rng(2)
    spare = np.uint8((1 << (protocol.domain.k % 8 or 8)) - 1)

    def rows(size: int) -> Any:
        drawn = rng.integers(0, 256, (size, protocol.format.size), np.uint8)
        drawn[:, -1] &= spare
        return _binary(drawn)

    _write(file, n, rows)


def _whole(rng: np.random.Generator, values: int, size: int) -> Any:
    import pyarrow as pa

    return pa.array(rng.integers(0, values, size, np.int32))


def _binary(rows: Any) -> Any:
    import pyarrow as pa

    n, width = rows.shape
    ends = pa.py_buffer(np.arange(0, (n + 1) * width, width, dtype=np.int32))
    return pa.Array.from_buffers(pa.binary(), n, [None, ends, pa.py_buffer(rows)])


def _write(file: Path, n: int, rows: Callable[[int], Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = rows(1).type
    with pq.ParquetWriter(file, pa.schema([("report", kind)])) as writer:
        for start in range(0, n, _PART):
            writer.write_table(pa.table({"report": rows(min(_PART, n - start))}))
