"""DuckDB within bounds: of time, memory and files; it ends when its reader has had enough."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from caldp_core.basics.duck import connect, fetch_rows
from caldp_core.basics.errors import CaldpError, Cancelled
from tests import ROOT

ENDLESS = "SELECT max(hash(a.range, b.range)) FROM range(1000000) a, range(1000000) b"


def test_it_reads_and_writes_in_the_folders_that_are_named_and_nowhere_else(tmp_path: Path) -> None:
    inside, outside = tmp_path / "it's here", tmp_path / "outside.csv"
    inside.mkdir()
    outside.write_text("a\n1\n")
    with connect(100, folders=[inside]) as connection:
        file = str(inside / "x.csv")
        fetch_rows(connection, "COPY (SELECT 5 AS a) TO '{}'".format(file.replace("'", "''")))
        assert fetch_rows(connection, "FROM read_csv(?)", [file]) == [(5,)]
        for path in (outside, "/etc/passwd", "http://localhost:1/x.csv"):
            with pytest.raises(duckdb.Error):
                fetch_rows(connection, "FROM read_csv(?)", [str(path)])
        with pytest.raises(duckdb.Error, match="locked"):
            fetch_rows(connection, "SET memory_limit = '1GB'")


def test_a_query_ends_when_its_time_is_up_or_its_reader_goes() -> None:
    def enough(_: float) -> None:
        raise Cancelled

    with connect(100) as connection:
        with pytest.raises(CaldpError, match=r"within 0\.1 seconds"):
            fetch_rows(connection, ENDLESS, seconds=0.1)
        with pytest.raises(Cancelled):
            fetch_rows(connection, ENDLESS, progress=enough)
        assert fetch_rows(connection, "SELECT 1") == [(1,)]  # it can be asked again
        printing = "SELECT current_setting('enable_progress_bar_print')"
        assert fetch_rows(connection, printing) == [(False,)]  # commands print JSON


def test_memory_is_bounded_and_nothing_is_spilled() -> None:
    with connect(40) as connection, pytest.raises(CaldpError, match="more memory"):
        fetch_rows(
            connection,
            "SELECT count(*) FROM (SELECT DISTINCT md5(range::text) FROM range(3000000))",
        )


_STOPPED = f"""
import itertools, os, signal
from caldp_core.basics.duck import connect, fetch_rows
signal.signal(signal.SIGINT, signal.default_int_handler)
calls = itertools.count()
def progress(share):
    if next(calls) == 0:
        os.kill(os.getpid(), signal.SIGINT)
try:
    with connect(100) as connection:
        fetch_rows(connection, {ENDLESS!r}, progress=progress)
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_hand_on_ctrl_c_stops_a_query_as_it_stops_all_else() -> None:
    """DuckDB alone hears it between its tasks, and raises a `RuntimeError` with a traceback."""
    command = [sys.executable, "-c", _STOPPED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")
    with pytest.raises(KeyboardInterrupt), connect(100):
        raise RuntimeError("Query interrupted")  # as of a query that is not fetched so
    with pytest.raises(RuntimeError, match="another"), connect(100):
        raise RuntimeError("another")
