"""Tallies of other engines and servers: Arrow batches, and one query of SQL.

The query's result has one row per report that was sent, `report` and `n`, and per `batch` where the
table has them; refused ones are counted under −1 (no whole number), −2 (of another protocol) and −3
(out of range), as the collector does. A report is a whole number, or a text of at most 18 digits,
perhaps behind a minus and within spaces or quotes; 3.0 is not a report in any column.

By Arrow batches each worker adds up its batches and yields one row; `collected_from_rows` adds the
rows. A row is whole or not there, so an engine that does a lost worker's part again counts nothing
twice.

`tally_frame` is all of it for a Spark DataFrame, however many machines it is on: Spark runs one
Python function over Arrow batches (`mapInArrow`). Where tasks are many, workers add up their
tallies once more before the driver does. Workers need this package.
"""

import base64
import binascii
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import check_counts, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Ints
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    REASONS,
    CollectedTally,
    RecordChecker,
    add_buckets,
    plan_of,
    require_one_delivery,
    zero_refusals,
)
from caldp_core.collect.device import AROUND, DIGITS_END, NUMBER, QUOTE
from caldp_core.collect.protocol import Protocol
from caldp_core.collect.report_files import book_names
from caldp_core.mechanisms.base import Tally

if TYPE_CHECKING:
    import pyarrow as pa


_FOLDER: Final = Path(__file__).parent
DIALECTS: Final[dict[str, dict[str, str]]] = tomllib.loads(
    (_FOLDER / "dialects.toml").read_text("utf-8")
)
_COLUMN: Final = re.compile("[A-Za-z_][A-Za-z0-9_]{0,62}")


def tally_query(protocol: Protocol, dialect: str, batch_column: str = "") -> str:
    """The query over a table `reports` with columns `report` and `protocol`.

    `batch_column`: the column that names deliveries, where the table has one: the result then names
    them, too, and counted twice they are refused. Raises `CaldpError` for an unknown dialect, for
    an invalid column name, and for families whose reports are bytes.
    """
    require(dialect in DIALECTS, f"dialect must be one of {', '.join(DIALECTS)}, got {dialect!r}.")
    protocol.require_numbers("; count them by caldp tally")
    require(
        not batch_column or _COLUMN.fullmatch(batch_column) is not None,
        f"The column of batches must be a name of letters, digits and _, got {batch_column!r}.",
    )
    engine = DIALECTS[dialect]
    whole = protocol.fingerprint
    content = engine.get("report", engine["text"]).format(column="report", around=AROUND)
    marked = engine["text"].format(column="protocol", around=QUOTE)
    parts = dict.fromkeys(("named", "passed", "grouped", "listed"), "")
    if batch_column:
        batch = engine["text"].format(column=batch_column, around=QUOTE)
        parts = {
            "named": f",\n        {batch} AS batch",
            "passed": ", batch",
            "grouped": ", sent.batch",
            "listed": ", sent.batch AS batch",
        }
    return (
        (_FOLDER / "query.sql")
        .read_text("utf-8")
        .format(
            mark=whole[:MARK_LENGTH],
            whole=whole,
            values=protocol.format.values,
            number=engine["whole"].format(report="content"),
            marked=marked,
            content=content,
            **parts,
        )
    )


Batches: TypeAlias = "Iterable[pa.RecordBatch]"
NUMBERS: Final = ("n", *(reason.replace(" ", "_") for reason in REASONS))
COLUMNS: Final = (*NUMBERS, "batches", "buckets", "counts")
"""Of a partial tally: reports counted, refused by their reason, names of its batches, reports by
`collected_tally.py`, and the mechanism's counts."""


def partial_tallies(protocol: str) -> Callable[[Batches], Iterator["pa.RecordBatch"]]:
    """The function that a worker runs on columns `report` and perhaps `protocol` and `batch`.

    `protocol`: the text of its file, which every worker reads and checks for itself.
    """

    def tally(batches: Batches) -> Iterator["pa.RecordBatch"]:
        counter = _BatchCounter(Protocol.from_json(protocol))
        for batch in batches:
            counter.add(batch)
        total = counter.collected()
        numbers = [total.tally.n, *(total.refused[reason] for reason in REASONS)]
        yield _row(numbers, counter.batches, total.buckets, total.tally.counts)

    return tally


def sum_tallies(batches: Batches) -> Iterator["pa.RecordBatch"]:
    """The sum of the partial tallies in these batches, as one row; no row without tallies.

    Workers add up the tallies of many tasks, for which one driver would have no memory.
    """
    numbers = np.zeros(len(NUMBERS), np.int64)
    names = frozenset[str]()
    buckets = np.zeros(0, np.int64)
    counts = np.zeros(0, np.int64)
    for batch in batches:
        # An empty batch has no lists to add up.
        if not len(batch):
            continue
        numbers += [int(np.sum(batch.column(name).to_numpy())) for name in NUMBERS]
        names |= set(batch.column("batches").flatten().to_pylist())
        buckets = add_buckets(buckets, _sum_of_lists(batch.column("buckets")))
        counts = add_buckets(counts, _sum_of_lists(batch.column("counts")))
    if counts.size:
        yield _row(numbers.tolist(), names, buckets, counts)


def _sum_of_lists(column: "pa.Array") -> Ints:
    """(entries,) the sum of a column's lists, all of one length."""
    lists: Ints = column.flatten().to_numpy().reshape(len(column), -1)
    return np.asarray(lists.sum(axis=0))


def _row(
    numbers: list[int], batches: frozenset[str], buckets: Ints, counts: Ints
) -> "pa.RecordBatch":
    """A partial tally as a batch of one row, with `COLUMNS`."""
    with explain_missing("Counting in Arrow"):
        import pyarrow as pa

    columns = [pa.array([number], pa.int64()) for number in numbers]
    columns.append(pa.array([sorted(batches)], pa.list_(pa.string())))
    columns.append(pa.array([buckets.tolist()], pa.list_(pa.int64())))
    columns.append(pa.array([counts.tolist()], pa.list_(pa.int64())))
    return pa.RecordBatch.from_arrays(columns, names=list(COLUMNS))


def collected_from_rows(protocol: Protocol, rows: Iterable[Any], batch: str) -> CollectedTally:
    """The sum of workers' rows, each a mapping with `COLUMNS`.

    `batch`: the name of these reports in the books, beside the batches that they name themselves.
    Raises `CaldpError` for rows that are not partial tallies of this protocol.
    """
    require(bool(batch), "A tally needs the name of its batch, so that none counts twice.")
    total = CollectedTally.empty(protocol)
    names = {batch}
    for row in rows:
        counts = np.array(row["counts"], np.int64)
        counts = check_counts("counts of a worker", counts, total.tally.counts.size)
        buckets = np.array(row["buckets"], np.int64)
        buckets = check_counts("buckets of a worker", buckets, total.buckets.size)
        refused = {}
        for reason, name in zip(REASONS, NUMBERS[1:], strict=True):
            refused[reason] = int(row[name])
        part = Tally(counts, int(row["n"]), protocol.mechanism.fingerprint)
        # Names are looked at below, all at once: workers may share a batch, as they split it.
        total = total.joined(
            CollectedTally(
                protocol.fingerprint, part, frozenset(), refused, buckets, plan_of(protocol)
            )
        )
        names.update(row["batches"])
    require_one_delivery(protocol, names - {batch})
    return replace(total, batches=book_names(names, "This frame"))


class _BatchCounter:
    """Adds up batches in Arrow, as `Collector` does in DuckDB."""

    def __init__(self, protocol: Protocol) -> None:
        self.batches: frozenset[str] = frozenset()
        self._protocol = protocol
        self._refused = zero_refusals()
        if protocol.format.kind == NUMBER:
            self._histogram = np.zeros(protocol.format.values, np.int64)
            self._count = self._count_numbers
        else:
            self._total = CollectedTally.empty(protocol)
            self._count = partial(self._count_bytes, RecordChecker(protocol))

    def add(self, batch: "pa.RecordBatch") -> None:
        """Count a batch's reports, and those refused by their reason."""
        with explain_missing("Counting in Arrow"):
            import pyarrow as pa
            import pyarrow.compute as pc

        column = batch.column("report")
        whole = self._protocol.fingerprint
        if "batch" in batch.schema.names:
            named = pc.utf8_trim(batch.column("batch").cast(pa.string()), QUOTE)
            self.batches |= set(pc.unique(named).drop_null().to_pylist())
            book_names(self.batches, "This frame")
        # A report names its protocol in whole, by its beginning, or not at all.
        if "protocol" in batch.schema.names:
            marks = pa.array([whole, whole[:MARK_LENGTH], None])
            ours = pc.is_in(pc.utf8_trim(batch.column("protocol").cast(pa.string()), QUOTE), marks)
            self._refused[OTHER_PROTOCOL] += len(ours) - (pc.sum(ours).as_py() or 0)
            column = column.filter(ours)
        self._count(column)

    def collected(self) -> CollectedTally:
        """The tally of all reports counted, and how many were refused."""
        if self._protocol.format.kind == NUMBER:
            return CollectedTally.of_histogram(self._protocol, self._histogram, self._refused)
        refused = {}
        for reason, times in self._total.refused.items():
            refused[reason] = self._refused[reason] + times
        return replace(self._total, refused=refused)

    def _count_numbers(self, column: "pa.Array") -> None:
        """Count a column of reports that are whole numbers, perhaps written as texts."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_floating(column.type):  # as text, 3.0 would be a 3
            column = pa.nulls(len(column), pa.int64())
        if not pa.types.is_integer(column.type):
            texts = pc.utf8_trim(column.cast(pa.string()), AROUND)
            right = pc.match_substring_regex(texts, "^-?[0-9]{1,18}$")
            column = pc.if_else(right, texts, None).cast(pa.int64())
        known = column.drop_null().to_numpy(zero_copy_only=False)
        # As texts these have more than 18 digits, which no engine counts.
        known = known[(known > -DIGITS_END) & (known < DIGITS_END)]
        self._refused[MALFORMED] += len(column) - known.size
        sent = known[(known >= 0) & (known < self._histogram.size)].astype(np.int64)
        self._refused[OUT_OF_RANGE] += known.size - sent.size
        self._histogram += np.bincount(sent, minlength=self._histogram.size)

    def _count_bytes(self, checker: RecordChecker, column: "pa.Array") -> None:
        """Count a column of reports that are bytes, perhaps written as texts."""
        import pyarrow as pa

        size = self._protocol.format.size
        is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        reports = column.to_pylist()
        if is_text:
            reports = [_decode(text) for text in reports]
        whole_rows = [report for report in reports if report is not None and len(report) == size]
        rows = np.frombuffer(b"".join(whole_rows), np.uint8).reshape(-1, size)
        found = checker.tally(rows, {MALFORMED: len(column) - len(whole_rows)})
        self._total = self._total.joined(found)


def _decode(text: str | None) -> bytes | None:
    """The bytes of a report that is written in base 64; None for anything else."""
    if text is None:
        return None
    try:
        return base64.b64decode(text.strip(AROUND), validate=True)
    except (binascii.Error, ValueError):
        return None


DataFrame: TypeAlias = Any
"""PySpark's, which is not a dependency."""
_SCHEMA: Final = (
    "".join(f"{name} bigint, " for name in NUMBERS)
    + "batches array<string>, buckets array<bigint>, counts array<bigint>"
)
ROWS_MAX: Final = 256
"""Partial tallies that the driver adds up: 90 MB where each has 43,750 counts."""


def tally_frame(
    protocol: Protocol, frame: DataFrame, batch: str, rows_max: int = ROWS_MAX
) -> CollectedTally:
    """The tally of a DataFrame: its column `report`, and `protocol` and `batch` if they are there.

    `batch`: the name of these reports in the books, beside those in the column (`collector.py`).
    `rows_max`: most partial tallies that come to the driver. Raises `CaldpError` for a frame
    without that column, and for an empty name.
    """
    require(
        "report" in frame.columns,
        f"The frame has no column report, only {', '.join(frame.columns)}; rename the one that has "
        "the reports.",
    )
    columns = [name for name in ("report", "protocol", "batch") if name in frame.columns]
    function = partial_tallies(protocol.to_json())
    partial = frame.select(*columns).mapInArrow(function, _SCHEMA)
    # The driver gets a partial tally of each partition, which must fit into its memory together.
    if frame.rdd.getNumPartitions() > rows_max:
        partial = partial.repartition(rows_max).mapInArrow(sum_tallies, _SCHEMA)
    return collected_from_rows(protocol, (row.asDict() for row in partial.collect()), batch)
