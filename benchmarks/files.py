"""A file of places counted, by a process of its own, for memory; and a refusal of a bomb."""

import gzip
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.figures import Bar, Figure, measure_program, ratio
from benchmarks.sizes import Sizes
from caldp_core.basics.duck import connect, fetch_rows

_TIME: Final = Bar("≤", 3)
_MEMORY: Final = Bar("≤", 400)
_REFUSAL: Final = Bar("≤", 1)
_START: Final = """
import resource, sys, time
from pathlib import Path
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import read_places
data = Path(sys.argv[1]).read_bytes()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.perf_counter()
"""
_END: Final = """
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(time.perf_counter() - started, max(after - before, 1) / 1000)
"""
_COUNTED: Final = f"""{_START}
assert read_places(data).refused.count == 0
{_END}"""
_REFUSED: Final = f"""{_START}
try:
    read_places(data)
except CaldpError:
    pass
else:
    raise AssertionError
{_END}"""
_BARE: Final = f"""
import duckdb
{_START}
with duckdb.connect(config={{"threads": 2}}) as connection:
    connection.execute("SET enable_progress_bar_print = false")
    sql = "SELECT count(*), min(lat), max(lat), min(lon), max(lon), sum(n) FROM read_csv(?)"
    connection.execute(sql, [sys.argv[1]]).fetchall()
{_END}"""


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Seconds and memory beyond the file's own bytes, and its time over one plain pass."""
    with tempfile.TemporaryDirectory() as folder:
        file, n = Path(folder) / "places.csv", sizes.counted_rows
        _write(file, n)
        work = f"a CSV of {n:,} places counted in cells, once it is in memory"
        times, megabytes = measure_program(_COUNTED, file)
        counted = Figure.of(work, "s", times, _TIME)
        yield counted
        yield Figure.of(f"{work}: memory beyond the file", "MB", megabytes, _MEMORY)
        bare = Figure.of("", "s", measure_program(_BARE, file)[0])
        yield ratio("the same over DuckDB's smallest and largest places", counted, bare)
        bomb = Path(folder) / "bomb.csv.gz"
        with gzip.open(bomb, "wb", 1) as out:
            for _ in range(1 + n // 50_000):
                out.write(b"48.1,2.3\n" * 2**17)
        times, _ = measure_program(_REFUSED, bomb)
        yield Figure.of("a gzip bomb of its size refused", "s", times, _REFUSAL)


def _write(file: Path, n: int) -> None:
    """Places in and around Paris with people, always the same."""
    target = str(file).replace("'", "''")
    with connect(500, folders=[file.parent]) as connection:
        fetch_rows(connection, "SELECT setseed(0.5)")
        fetch_rows(
            connection,
            "COPY (SELECT round(48.6 + random() / 2, 6) AS lat, "
            "round(2.1 + random() / 2, 6) AS lon, "
            f"1 + (random() * 99)::INT AS n FROM range({n})) TO '{target}' (HEADER)",
        )
