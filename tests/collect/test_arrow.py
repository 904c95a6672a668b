"""Partial tallies of Arrow batches: what workers count, added up, is what the collector counts."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from caldp_core import CaldpError, Protocol
from caldp_core.collect import arrow
from caldp_core.collect.arrow import collected_from_rows, partial_tallies
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    CollectedTally,
)
from caldp_core.collect.collector import Collector
from caldp_core.collect.device import as_text
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
            found = collected_from_rows(protocol, rows, "monday")
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
    found = collected_from_rows(numbers, rows, "a")
    assert (found.tally.n, found.refused) == (2, {MALFORMED: 3, OTHER_PROTOCOL: 1, OUT_OF_RANGE: 2})
    whole = worker(numbers, batch_of([3, 11, -1, None, 2**59]))
    assert collected_from_rows(numbers, whole, "a").refused == {
        MALFORMED: 1,
        OTHER_PROTOCOL: 0,
        OUT_OF_RANGE: 3,
    }
    sets = small("subset-selection")
    (right,) = written.payloads(sets, [2], seed=2)
    assert isinstance(right, bytes)
    wrong = [right[:-1], b"\xff" * len(right), None]
    rows = worker(sets, batch_of([right, *wrong]), batch_of(["@@", None]))
    found = collected_from_rows(sets, rows, "a")
    assert (found.tally.n, found.refused) == (1, {MALFORMED: 4, OTHER_PROTOCOL: 0, OUT_OF_RANGE: 1})


def test_rows_of_workers_are_checked() -> None:
    protocol = tables()["binary"]
    (row,) = worker(protocol, batch_of([0, 1, 1]))
    assert collected_from_rows(protocol, [row], "a").tally.n == 3
    for wrong in ({"counts": [1]}, {"counts": [-1, 4]}):
        with pytest.raises(CaldpError):
            collected_from_rows(protocol, [row | wrong], "a")
    with pytest.raises(CaldpError, match="needs the name of its batch"):
        collected_from_rows(protocol, [row], "")
    with pytest.raises(CaldpError, match="is in both tallies"):
        _ = collected_from_rows(protocol, [row], "a") + collected_from_rows(protocol, [row], "a")


class Frame:
    """As much of a Spark DataFrame as the adapter asks for: tasks of Arrow batches."""

    columns: tuple[str, ...] = ("report", "day", "protocol")

    def __init__(self, tasks: list[list[Any]]) -> None:
        self.tasks = tasks

    @property
    def rdd(self) -> "Frame":
        return self

    def getNumPartitions(self) -> int:  # noqa: N802
        return len(self.tasks)

    def select(self, *names: str) -> "Frame":
        assert names == ("report", "protocol")
        return self

    def mapInArrow(self, function: Any, schema: str) -> "Frame":  # noqa: N802
        assert schema.endswith(", counts array<bigint>")
        return Frame([list(function(iter(task))) for task in self.tasks])

    def repartition(self, n: int) -> "Frame":
        batches = [batch for task in self.tasks for batch in task]
        return Frame([batches[i::n] for i in range(n)])

    def collect(self) -> Any:
        rows = [row for task in self.tasks for batch in task for row in batch.to_pylist()]
        return [type("Row", (dict,), {"asDict": dict.copy})(row) for row in rows]


def test_a_frame_is_tallied_task_by_task(tmp_path: Path) -> None:
    for family in ("oue", "galois"):
        protocol = small(family)
        sent = written.payloads(protocol, PEOPLE, seed=8)
        ours = [each for i, each in enumerate(sent) if i % 10 < 9]
        right = Collector(protocol).tally(written.write(tmp_path / f"{family}.parquet", ours))
        marks = [protocol.fingerprint] * 9 + ["another"]
        tasks = [[batch_of(sent[i : i + 10], protocol=marks)] for i in range(0, 60, 10)]
        # Six rows at most: the driver has those of the tasks. Fewer: workers add them up before.
        for most in (6, 5, 4, 1):
            found: CollectedTally = arrow.tally_frame(protocol, Frame(tasks), "monday", most)
            with naming(f"{family}, {most}"):
                assert found.refused == {MALFORMED: 0, OTHER_PROTOCOL: 6, OUT_OF_RANGE: 0}
                assert found.tally.n == 54
                assert (found.tally.counts == right.tally.counts).all()
    frame = Frame(tasks)
    frame.columns = ("day",)
    with pytest.raises(CaldpError, match="has no column report, only day"):
        arrow.tally_frame(protocol, frame, "monday")
