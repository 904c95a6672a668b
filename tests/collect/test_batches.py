"""A batch is counted once, by files, frames or SQL; and a batch in several files can be counted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from caldp_core import CaldpError, Protocol
from caldp_core.collect import collector
from caldp_core.collect.arrow import collected_from_rows, partial_tallies, tally_frame
from caldp_core.collect.collected_tally import CollectedTally, merge_tallies
from caldp_core.collect.collector import Collector, tally_files
from caldp_core.collect.estimate import collected_from_histogram
from caldp_core.collect.record import make_record
from caldp_core.collect.servers import tally_query
from tests.collect import written
from tests.collect.protocols import small
from tests.collect.test_arrow import Frame
from tests.contract.checks import naming

DAYS = ("mon", "tue")


@pytest.fixture(params=["galois", "oue"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    return small(request.param)


def reports(protocol: Protocol, seed: int, n: int = 60) -> list[Any]:
    return written.payloads(protocol, [x % 11 for x in range(n)], seed)


def by_file(protocol: Protocol, folder: Path, sent: list[Any]) -> CollectedTally:
    path = written.write(folder / "by.csv", sent, batch=[DAYS[i % 2] for i in range(len(sent))])
    return Collector(protocol).tally(path)


def by_pandas(protocol: Protocol, folder: Path, sent: list[Any]) -> CollectedTally:
    del folder
    frame = pd.DataFrame({"report": sent, "batch": [DAYS[i % 2] for i in range(len(sent))]})
    batch = pa.RecordBatch.from_pandas(frame)
    (row,) = next(partial_tallies(protocol.to_json())([batch])).to_pylist()
    return collected_from_rows(protocol, [row], "a frame")


class FrameOfDays(Frame):
    columns = ("report", "batch")

    def select(self, *names: str) -> "Frame":
        assert names == ("report", "batch")
        return self


def by_spark(protocol: Protocol, folder: Path, sent: list[Any], most: int = 9) -> CollectedTally:
    del folder
    parts = [pa.RecordBatch.from_pydict({"report": sent[i::2], "batch": [day] * len(sent[i::2])})
             for i, day in enumerate(DAYS)]  # fmt: skip
    return tally_frame(protocol, FrameOfDays([[part] for part in parts]), "frame", most)


def by_spark_in_two_steps(protocol: Protocol, folder: Path, sent: list[Any]) -> CollectedTally:
    return by_spark(protocol, folder, sent, most=1)


def by_sql(protocol: Protocol, folder: Path, sent: list[Any]) -> CollectedTally:
    with duckdb.connect() as database:
        path = written.write(
            folder / "sql.jsonl", sent, day=[DAYS[i % 2] for i in range(len(sent))]
        )
        database.execute("CREATE TABLE reports AS SELECT *, NULL AS protocol FROM read_json(?)",
                         [str(path)])  # fmt: skip
        counts = database.sql(tally_query(protocol, "duckdb", "day"))
        counts.write_parquet(str(folder / "counts.parquet"))
    return collected_from_histogram(protocol, folder / "counts.parquet")


ENGINES: tuple[Callable[..., CollectedTally], ...] = (
    by_file, by_pandas, by_spark, by_spark_in_two_steps, by_sql,
)  # fmt: skip


def test_the_same_batches_by_any_two_engines_are_refused(
    protocol: Protocol, tmp_path: Path
) -> None:
    sent = reports(protocol, seed=1)
    engines = [each for each in ENGINES if each is not by_sql or isinstance(sent[0], int)]
    found = [engine(protocol, tmp_path, sent) for engine in engines]
    for engine, collected in zip(engines, found, strict=True):
        with naming(engine.__name__):
            assert collected.tally.n == 60
            assert (collected.tally.counts == found[0].tally.counts).all()
            assert {"batch:mon", "batch:tue"} <= collected.batches
            record = make_record(protocol, collected, 0.95, "simplex")
            assert set(DAYS) <= set(record["batches"])
            for other in found:
                with pytest.raises(CaldpError, match="is in both tallies"):
                    merge_tallies([other, collected])


def two_parts(protocol: Protocol, folder: Path) -> list[Path]:
    return [written.write(folder / f"mon-{part}.jsonl", reports(protocol, part), batch=["mon"] * 60)
            for part in (1, 2)]  # fmt: skip


def test_a_batch_in_two_files_is_counted_by_one_run(protocol: Protocol, tmp_path: Path) -> None:
    parts, output = two_parts(protocol, tmp_path), tmp_path / "day.json"
    right = tally_files(protocol, parts, tmp_path / "right.json").collected
    assert right.tally.n == 120
    assert sum(name == "batch:mon" for name in right.batches) == 1
    tally_files(protocol, parts[:1], output)
    before = output.read_bytes()
    with pytest.raises(CaldpError, match="or name all files of the batch in one run"):
        tally_files(protocol, parts[1:], output)
    assert output.read_bytes() == before
    # As a run that was broken off goes on, in whatever order files are named.
    assert tally_files(protocol, parts[::-1], output).collected.to_json() == right.to_json()
    assert tally_files(protocol, parts, output).files_skipped == 2
    alone = [Collector(protocol).tally(path) for path in parts]
    with pytest.raises(CaldpError, match="'batch:mon' is in both tallies"):
        merge_tallies(alone)


def test_a_copy_in_another_form_or_order_is_no_part(protocol: Protocol, tmp_path: Path) -> None:
    parts, output = two_parts(protocol, tmp_path), tmp_path / "day.json"
    lines = parts[1].read_text("utf-8").splitlines(keepends=True)
    mixed, other = tmp_path / "mixed.jsonl", reports(protocol, 9)
    mixed.write_text("".join(sorted(lines)), "utf-8")
    again = reports(protocol, 2)
    for copy in (
        written.write(tmp_path / "copy.csv", again, batch=["mon"] * 60),
        written.write(tmp_path / "copy.parquet", again, batch=["mon"] * 60),
        written.write(tmp_path / "both.csv", [*again, *other], batch=["mon"] * 60 + ["wed"] * 60),
        mixed,
    ):
        output.unlink(missing_ok=True)
        with (
            naming(copy.name),
            pytest.raises(CaldpError, match="hold the same reports of the batch"),
        ):
            tally_files(protocol, [*parts, copy], output)
        assert CollectedTally.from_file(output).tally.n == 120


def test_a_run_of_parts_that_was_killed_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = small("galois")
    parts, output = two_parts(protocol, tmp_path), tmp_path / "day.json"
    right = tally_files(protocol, parts, tmp_path / "right.json").collected
    monkeypatch.setattr(collector, "SAVE_INTERVAL_S", -1.0)
    monkeypatch.setattr(collector, "GROUP_FILES", 1)

    def kill(done: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tally_files(protocol, parts, output, kill)
    assert json.loads(output.read_text("utf-8"))["n"] == 60
    assert tally_files(protocol, parts, output).collected.to_json() == right.to_json()


def test_a_batch_is_no_report(tmp_path: Path) -> None:
    protocol = small("galois")
    names = [str(number) for number in range(1_200)]
    batch = pa.RecordBatch.from_pydict({"report": [1] * 1_200, "batch": names})
    with pytest.raises(CaldpError, match="This frame names more than 1,000 batches"):
        next(partial_tallies(protocol.to_json())([batch]))
    path = written.write(tmp_path / "counts.csv", [1] * 1_200, n=[2] * 1_200, batch=names)
    with pytest.raises(CaldpError, match="names more than 1,000 batches"):
        collected_from_histogram(protocol, path)
    with pytest.raises(CaldpError, match="column of batches must be a name"):
        tally_query(protocol, "duckdb", "day; DROP TABLE reports")
