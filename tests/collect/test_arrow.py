"""Partial tallies of Arrow batches: what workers count, added up, is what the collector counts."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from caldp_core import CaldpError, Protocol
from caldp_core.collect import spark
from caldp_core.collect.arrow import collected_from, partial_tallies
from caldp_core.collect.collected import MALFORMED, PROTOCOL, RANGE, Collected
from caldp_core.collect.collector import Collector
from caldp_core.collect.formats import as_text
from tests.collect import written
from tests.collect.protocols import SPECS, small, tables
from tests.contract.checks import naming

PEOPLE = [x % 11 for x in range(60)]


def worker(protocol: Protocol, *batches: Any) -> list[dict[str, Any]]:
    rows = partial_tallies(protocol.to_json())(batches)
    return [row for batch in rows for row in batch.to_pylist()]


def batch_of(reports: list[Any], **columns: list[Any]) -> Any:
    return pa.RecordBatch.from_pydict({"report": reports, **columns})


def test_workers_count_what_the_collector_counts(tmp_path: Path) -> None:
    for family in SPECS:
        protocol = small(family)
        sent = written.payloads(protocol, PEOPLE, seed=7)
        right = Collector(protocol).tally(written.write(tmp_path / "day.parquet", sent))
        for reports in (sent, [str(as_text(each)) for each in sent]):
            rows = [
                *worker(protocol, batch_of(reports[:20]), batch_of(reports[20:25])),
                *worker(protocol, batch_of(reports[25:])),
                *worker(protocol),
            ]
            found = collected_from(protocol, rows, "monday")
            with naming(f"{family}, {type(reports[0]).__name__}"):
                assert (found.tally.counts == right.tally.counts).all()
                assert (found.tally.n, found.refused) == (60, right.refused)
                assert found.batches == {"batch:monday"}


def test_workers_refuse_what_the_collector_refuses() -> None:
    numbers = small("randomized-response")
    mark = numbers.fingerprint
    reports = ["3", "11", "-1", "1.5", "x", None, "4", "5"]
    marks = [*[mark[:16]] * 6, None, "another"]
    rows = worker(numbers, batch_of(reports, protocol=marks))
    found = collected_from(numbers, rows, "a")
    assert (found.tally.n, found.refused) == (2, {MALFORMED: 3, PROTOCOL: 1, RANGE: 2})
    whole = worker(numbers, batch_of([3, 11, -1, None, 2**62]))
    assert collected_from(numbers, whole, "a").refused == {MALFORMED: 1, PROTOCOL: 0, RANGE: 3}
    sets = small("subset-selection")
    (right,) = written.payloads(sets, [2], seed=2)
    assert isinstance(right, bytes)
    wrong = [right[:-1], b"\xff" * len(right), None]
    rows = worker(sets, batch_of([right, *wrong]), batch_of(["@@", None]))
    found = collected_from(sets, rows, "a")
    assert (found.tally.n, found.refused) == (1, {MALFORMED: 4, PROTOCOL: 0, RANGE: 1})


def test_rows_of_workers_are_checked() -> None:
    protocol = tables()["binary"]
    (row,) = worker(protocol, batch_of([0, 1, 1]))
    assert collected_from(protocol, [row], "a").tally.n == 3
    for wrong in ({"counts": [1]}, {"counts": [-1, 4]}):
        with pytest.raises(CaldpError):
            collected_from(protocol, [row | wrong], "a")
    with pytest.raises(CaldpError, match="needs the name of its batch"):
        collected_from(protocol, [row], "")
    with pytest.raises(CaldpError, match="is in both tallies"):
        _ = collected_from(protocol, [row], "a") + collected_from(protocol, [row], "a")


class Frame:
    """As much of a Spark DataFrame as the adapter asks for; two tasks of two batches each."""

    columns = ("report", "day", "protocol")

    def __init__(self, protocol: Protocol, reports: list[Any]) -> None:
        self.protocol, self.reports = protocol, reports

    def select(self, *names: str) -> "Frame":
        assert names == ("report", "protocol")
        return self

    def mapInArrow(self, function: Any, schema: str) -> Any:  # noqa: N802
        assert schema.endswith(", counts array<bigint>")
        marks = [self.protocol.fingerprint] * len(self.reports)
        self.rows = [
            row
            for part in (slice(0, 30), slice(30, None))
            for batch in function([batch_of(self.reports[part], protocol=marks[part])])
            for row in batch.to_pylist()
        ]
        return self

    def collect(self) -> Any:
        return [type("Row", (dict,), {"asDict": dict.copy})(row) for row in self.rows]


def test_a_frame_is_tallied_task_by_task(tmp_path: Path) -> None:
    protocol = small("oue")
    sent = written.payloads(protocol, PEOPLE, seed=8)
    right = Collector(protocol).tally(written.write(tmp_path / "day.parquet", sent))
    found: Collected = spark.tally_frame(protocol, Frame(protocol, sent), "monday")
    assert (found.tally.counts == right.tally.counts).all()
