"""Files of reports tallied: numbers, and sets of bits; each by a process of its own, for memory.

The reports are random bytes in the form of the family: what they say changes no time.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

import numpy as np

from benchmarks.figures import Bar, Figure, Runs, measure_time, ratio
from benchmarks.sizes import Sizes
from caldp_core.collect.client import Client
from caldp_core.collect.family_plan import FamilyPlan
from caldp_core.collect.protocol import Protocol
from caldp_core.domain.answers import Domain
from caldp_core.mechanisms.specs import Galois, Hadamard, Oue, RandomizedResponse
from caldp_core.privacy.context import Context

NUMBERS: Final = "{n:,} reports that are numbers, {family}"
SETS: Final = "{n:,} reports that are sets of {k:,} values"
WEEK: Final = "a week of {people:,} people, each by the JavaScript client in Chromium"
_PART: Final = 1 << 20
_NUMBERS: Final = 43_750
_RUNS: Final = 3
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
print(found.tally.n, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
"""
_BARE: Final = """
import sys, time, duckdb
with duckdb.connect(config={"threads": 2}) as connection:
    connection.execute("SET enable_progress_bar_print = false")
    started = time.perf_counter()
    sql = "SELECT report, count(*) FROM read_parquet(?) GROUP BY report"
    connection.execute(sql, [sys.argv[2]]).fetchnumpy()
    print(0, time.perf_counter() - started, 0)
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
    path = os.pathsep.join([str(Path.cwd()), *filter(None, [os.environ.get("PYTHONPATH")])])
    started = perf_counter()
    subprocess.run([*command, "--people", str(people)], env={**os.environ, "PYTHONPATH": path},
                   capture_output=True, check=True)  # fmt: skip
    seconds = perf_counter() - started
    return Figure(WEEK.format(people=people), "s", Runs(seconds, seconds, 1))


def protocol_of(spec: Any, k: int) -> Protocol:
    """Plain LDP on k numbers."""
    plan = FamilyPlan(spec, spec.make(Context.plain(k, 1.0)))
    return Protocol("", Domain(k), ("all",), plan)


def _numbers(folder: Path, n: int) -> Iterator[Figure]:
    rng, file = np.random.default_rng(1), folder / "numbers.parquet"
    first = True
    for spec in (Hadamard(), Galois(), RandomizedResponse()):
        protocol = protocol_of(spec, _NUMBERS)
        values = protocol.format.values
        _write(file, n, lambda size, values=values: _whole(rng, values, size))  # type: ignore[misc]
        work = NUMBERS.format(n=n, family=spec.name)
        time, memory = _measure(_TALLY, protocol, file, work, n)
        yield Figure(work, "s", time, TIMES["numbers"])
        yield Figure(f"{work}: memory", "MB", memory, MEMORY)
        if first:
            bare, _ = _measure(_BARE, protocol, file, work, 0)
            under = Figure("", "s", bare)
            yield ratio("the same over a bare GROUP BY", Figure("", "s", time), under)
        first = False


def _sets(folder: Path, n: int, k: int) -> Iterator[Figure]:
    file, protocol = folder / "sets.parquet", protocol_of(Oue(), k)
    write_sets(file, protocol, n)
    work = SETS.format(n=n, k=k)
    time, memory = _measure(_TALLY, protocol, file, work, n)
    yield Figure(work, "s", time, TIMES["sets"])
    yield Figure(f"{work}: memory", "MB", memory, MEMORY)


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


def _measure(code: str, protocol: Protocol, file: Path, work: str, n: int) -> tuple[Runs, Runs]:
    """Seconds and megabytes of several runs; the first one is not counted."""
    path = file.with_name("protocol.json")
    path.write_text(protocol.to_json(), "utf-8")
    command = [sys.executable, "-c", code, str(path), str(file)]
    outputs = []
    for _ in range(_RUNS + 1):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        outputs.append([float(word) for word in done.stdout.split()])
    assert all(reports == n for reports, _, _ in outputs), work
    _, seconds, megabytes = zip(*outputs[1:], strict=True)
    return tuple(Runs(min(each), median(each), _RUNS) for each in (seconds, megabytes))  # type: ignore[return-value]
