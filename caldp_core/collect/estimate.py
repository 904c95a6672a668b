"""The estimate of a collection, a table of shares with intervals, and the results made of it.

Nobody knows the truth of a real collection, so results hold no true shares.

Files that a person uploads together are recognised by their contents.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, count_text, quoted, require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.files import (
    BYTE_ORDER_MARK,
    connect,
    decode_text,
    exact_pattern,
    parse_float,
    parse_int,
)
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, N_MAX
from caldp_core.basics.types import Bools, EqualByFields, Floats, read_only, short_repr
from caldp_core.collect import report_files
from caldp_core.collect.collected_tally import (
    REASONS,
    CollectedTally,
    merge_tallies,
    require_one_delivery,
    zero_refusals,
)
from caldp_core.collect.collector import MEMORY_MB
from caldp_core.collect.json_files import FILE_MAX_BYTES, parse_json_object
from caldp_core.collect.protocol import PROTOCOL_KEY, Protocol
from caldp_core.collect.record import (
    EVERY_LOOK,
    HOLD_KEY,
    RECORD_KEY,
    SOURCE,
    check_record,
    make_record,
)
from caldp_core.datasets.shipped import DATA_FOLDER
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.estimators import ErrorEstimate, compare_groups, estimated_error
from caldp_core.estimation.estimators import estimator as named
from caldp_core.estimation.evidence import Evidence, Options, default_estimator
from caldp_core.estimation.intervals import Looks, margins, one_look, simultaneous
from caldp_core.experiments.table import (
    Columns,
    as_cell,
    group_columns,
    people_column,
    place_columns,
)

EXPOSED: Final = "protected by nothing"
"""Under `sensitive`: a value that has nothing to hide among, so that its reports name it."""
_ROWS_MAX: Final = 1 << 20
"""Most rows of a histogram beyond one for each report."""


def estimate_table(
    protocol: Protocol,
    collected: CollectedTally,
    level: float = 0.95,
    estimator: str | None = None,
    options: Options = Options(),  # noqa: B008 — frozen
    *,
    looks: Looks = one_look,
) -> dict[str, list[object]]:
    """A table of one row per value: its place or name, estimated share and people, interval.

    The columns of `margins` give intervals that hold with probability `level`, in [0.5, 1), at
    one look or, by `looks`, at all of them together while reports come.
    `estimator`: by default `default_estimator`; `options`: of it. Raises `CaldpError` for another
    protocol's tally and one of no reports.
    """
    collected.check(protocol)
    mechanism, tally = protocol.mechanism, collected.tally
    evidence = Evidence.of(mechanism, tally, domain=protocol.domain, options=options)
    shares = named(estimator or default_estimator(options.prior)).apply(evidence)
    found = protocol.coverage
    marks = np.where(found.exposed, EXPOSED, np.where(found.sensitive, "yes", "no"))
    blocks = [protocol.block_names[label] for label in protocol.plan.blocks.tolist()]
    return {
        **place_columns(protocol.domain),
        "block": blocks,
        "sensitive": marks.tolist(),
        "estimated share": shares.tolist(),
        "estimated people": people_column(shares * tally.n),
        **margins(evidence, shares, looks(level, tally.n, shares.size)),
        "level": [level] * shares.size,
        **group_columns(compare_groups(evidence, looks(level, tally.n, 1))),
    }


def error_of(
    protocol: Protocol,
    collected: CollectedTally,
    estimator: str | None = None,
    options: Options = Options(),  # noqa: B008 — frozen
) -> ErrorEstimate | None:
    """How many people the same shares put in the wrong place, see `estimated_error`.

    None where it cannot be known, as with an estimator that knows more than the reports.
    """
    entry = named(estimator or default_estimator(options.prior))
    if entry.law is None:
        return None
    evidence = Evidence.of(
        protocol.mechanism, collected.tally, domain=protocol.domain, options=options
    )
    return estimated_error(evidence, entry.apply, entry.law)


def error_sentence(protocol: Protocol, error: ErrorEstimate) -> str:
    """The error in words, of 100 people."""
    where, places = "under the wrong value", "values"
    if isinstance(protocol.domain, GridDomain):
        where, places = "in the wrong cell", "cells"
    return (
        f"About {round(100 * error.share)} of 100 people are {where}: at least "
        f"{round(100 * error.low)}, at most {round(100 * error.high)}. "
        f"{round(100 * error.faint)} of 100 are shown in {places} that may be empty."
    )


def collected_from_histogram(protocol: Protocol, path: Path) -> CollectedTally:
    """The tally of a histogram that another engine made: columns `report`, `n`, perhaps `batch`.

    Parquet or CSV, as the query of `caldp sql` returns it. Raises `CaldpError` for any other file,
    and for a protocol whose reports are not numbers.
    """
    with explain_missing("Reading a histogram", "collect"):
        import duckdb

    protocol.require_numbers(", so a histogram cannot hold them; use caldp tally")
    with connect(MEMORY_MB, folders=[path.resolve().parent]) as connection:
        reader, columns = report_files.columns_of_file(connection, path)
        require(
            "n" in columns,
            f"The histogram {quoted(path)} must have the columns report and n, it has "
            f"{', '.join(columns)}; run what caldp sql prints.",
        )
        batch = "NULL"
        if "batch" in columns:
            batch = "CAST(batch AS VARCHAR)"
        cells = f"CAST(report AS VARCHAR), CAST(n AS VARCHAR), {batch}"
        sql = f"SELECT {cells} FROM {reader} LIMIT {protocol.format.values + _ROWS_MAX + 1}"
        try:
            rows = connection.execute(sql, {"path": exact_pattern(path)}).fetchall()
        except duckdb.Error as error:
            raise report_files.unreadable_error(path, error) from None
    return _read_histogram(protocol, path, rows)


def _read_histogram(
    protocol: Protocol, path: Path, rows: list[tuple[str | None, ...]]
) -> CollectedTally:
    """The tally of a histogram's rows of report, n and batch; raises `CaldpError`."""
    values = protocol.format.values
    most = values + _ROWS_MAX
    distinct = {(report, batch) for report, _, batch in rows}
    require(
        len(distinct) == len(rows) <= most,
        f"The histogram {quoted(path)} must have one row a report, or one a report of each batch, "
        f"{most:,} at most; run what caldp sql prints.",
    )
    # A number below 0 stands for a reason why reports were refused, as `caldp sql` writes it.
    counts = np.zeros(values, np.int64)
    refused = zero_refusals()
    for report, n, _ in rows:
        sent, count = parse_int(report or ""), parse_int(n or "")
        if sent is None or count is None or not (-3 <= sent < values and 0 <= count <= N_MAX):
            raise CaldpError(
                f"The histogram {quoted(path)} has an invalid row: report {report}, n {n}; "
                f"reports are -3 to {values - 1:,} and n whole numbers up to {N_MAX:,}."
            )
        if sent < 0:
            refused[REASONS[-1 - sent]] += count
        else:
            counts[sent] += count
    batches = {batch for _, _, batch in rows}
    named_batches = [batch for batch in batches if batch is not None]
    named = report_files.book_names(named_batches, f"The file {quoted(path)}")
    require_one_delivery(protocol, batches)
    found = CollectedTally.of_histogram(protocol, counts, refused)
    return replace(found, batches=named | {report_files.file_batch_name(path)})


_WEEK: Final = DATA_FOLDER / "made_up_week"
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True)
class Delivery:
    """The books of one tally: its `name`, `reports` counted, and `refused` ones by the reason."""

    name: str
    reports: int
    refused: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Results(EqualByFields):
    """What is known of the people of a collection.

    `table`: its columns as `estimate_table` makes them, k entries each. `level`: probability
    that an interval holds its share. `reports`: how many are counted. `lower_bounds`: (k,) lower
    ends that hold all at once with that probability. Where there is only an estimate
    `lower_bounds` is None and `deliveries` is empty. `record`: as `make_record` makes it, or None.
    `error`: how far off the shares are, where that can be estimated.
    """

    protocol: Protocol
    table: Columns
    level: float
    reports: int
    lower_bounds: Floats | None = None
    deliveries: tuple[Delivery, ...] = ()
    record: Mapping[str, Any] | None = field(default=None, repr=False)  # says the rest once more
    error: ErrorEstimate | None = None
    __repr__ = short_repr

    @cached_property
    def shares(self) -> Floats:
        """(k,) estimated shares of all people."""
        return self._column("estimated share")

    @cached_property
    def low(self) -> Floats:
        """(k,) lower ends of the intervals."""
        return self._column("low")

    @cached_property
    def high(self) -> Floats:
        """(k,) upper ends of the intervals."""
        return self._column("high")

    @property
    def hold_at_every_look(self) -> bool:
        """Whether the intervals hold at all looks together, by the record."""
        return (self.record or {}).get(HOLD_KEY) == EVERY_LOOK

    @property
    def hidden(self) -> Bools:
        """(k,) values that the policy hides among others."""
        return self.protocol.coverage.protected

    @property
    def protected_share(self) -> float:
        """Estimated share of people who are protected; exactly 1 if every value is."""
        hidden = self.hidden
        # The sum of noisy shares would be about 1.
        if hidden.all():
            return 1.0
        return min(1.0, float(self.shares[hidden].sum()))

    @property
    def refused(self) -> Mapping[str, int] | None:
        """How many reports were refused, by the reason; None where that is not known."""
        if self.deliveries:
            refused = zero_refusals()
            for delivery in self.deliveries:
                for reason in REASONS:
                    refused[reason] += delivery.refused[reason]
            return refused
        if self.record is None:
            return None
        refused_by_record: Mapping[str, int] = self.record["refused"]
        return refused_by_record

    def results(self, level: float, looks: Looks = one_look) -> "Results":
        """These results as they were estimated; `level` and `looks` are ignored."""
        return self

    def _column(self, name: str) -> Floats:
        return read_only(np.array(self.table[name], np.float64))


@dataclass(frozen=True, eq=False)
class Tallies(EqualByFields):
    """A protocol and its tallies by name; `of` checks that they belong together."""

    protocol: Protocol
    parts: tuple[tuple[str, CollectedTally], ...]
    total: CollectedTally
    __repr__ = short_repr

    @classmethod
    def of(cls, protocol: Protocol, parts: tuple[tuple[str, CollectedTally], ...]) -> "Tallies":
        """Check and add up; raises `CaldpError` for another protocol, or a batch in two tallies."""
        planned = []
        for name, tally in parts:
            planned.append((name, tally.with_plan_of(protocol)))
        parts = tuple(planned)
        total = merge_tallies(tally for _, tally in parts)
        require(
            total.tally.n > 0,
            "There is no report in these tallies, so nothing to estimate; tally the reports first.",
        )
        return cls(protocol, parts, total)

    def results(self, level: float, looks: Looks = one_look) -> Results:
        """Shares with intervals that hold with probability `level`, and all deliveries."""
        error, name = error_of(self.protocol, self.total), default_estimator()
        evidence = Evidence.of(self.protocol.mechanism, self.total.tally)
        deliveries = []
        for part, tally in self.parts:
            deliveries.append(Delivery(part, tally.tally.n, tally.refused))
        return Results(
            self.protocol,
            estimate_table(self.protocol, self.total, level, looks=looks),
            level,
            self.total.tally.n,
            simultaneous(evidence, looks(level, evidence.n, evidence.unbiased.size)).low,
            tuple(deliveries),
            make_record(self.protocol, self.total, level, name, error=error, looks=looks),
            error,
        )


def made_up_week() -> Tallies:
    """The tallies of a week of 100,000 made-up people, from examples/collection/week.py."""
    parts = tuple((day, CollectedTally.from_file(_WEEK / f"{day}.tally.json")) for day in _DAYS)
    return Tallies.of(Protocol.from_file(_WEEK / "protocol.json"), parts)


Files: TypeAlias = Iterable[tuple[str, bytes]]
_TALLY: Final = "caldp_tally"
_SHARES: Final = ("estimated share", "low", "high")
_NUMBERS: Final = ("number", *_SHARES, "estimated people", "level")
_FILES_HINT: Final = "give protocol.json with tallies, or with estimate.csv"


Collection: TypeAlias = Tallies | Results
"""Tallies, or an estimate that somebody made of some."""


def read_collection(files: Files) -> Collection:
    """The collection in files: one protocol, with tallies or an estimate and perhaps its record.

    Raises `CaldpError`, in one sentence, for anything else, and for parts that do not fit.
    """
    # 1. What each file is, by what it holds rather than by its name.
    found: dict[str, list[tuple[str, Any]]] = {PROTOCOL_KEY: [], _TALLY: [], "": [], RECORD_KEY: []}
    for name, data in files:
        key, parsed = _parse(name, data)
        found[key].append((name, parsed))
    protocols = [Protocol.from_dict(parsed) for _, parsed in found[PROTOCOL_KEY]]
    given, tables, records = found[_TALLY], found[""], found[RECORD_KEY]
    # 2. One protocol, with tallies or an estimate, but not with both.
    require(
        len({protocol.fingerprint for protocol in protocols}) == 1,
        f"A collection has one protocol, these files have {len(protocols)}; {_FILES_HINT}.",
    )
    require(
        bool(given) != bool(tables) and len(tables) <= 1 and len(records) <= 1,
        f"Beside the protocol, {count_text(len(given), 'tally', 'tallies')}, "
        f"{count_text(len(tables), 'table', 'tables')} and "
        f"{count_text(len(records), 'record', 'records')} were given; {_FILES_HINT}.",
    )
    if not given:
        return _read_estimate(protocols[0], *tables[0], records)
    alone = None
    if len(given) == 1:
        alone = protocols[0]
    tallies = []
    for name, parsed in given:
        tally = CollectedTally.from_dict(parsed, f"The tally {quoted(name)}", alone)
        tallies.append((name.removesuffix(".json").removesuffix(".tally"), tally))
    return Tallies.of(protocols[0], tuple(tallies))


def _parse(name: str, data: bytes) -> tuple[str, Any]:
    """(the key that says what a file holds, what it holds); of a table ("", its text)."""
    text = decode_text(data, f"The file {quoted(name)}", FILE_MAX_BYTES, _FILES_HINT)
    if not text.lstrip(f"{BYTE_ORDER_MARK} \r\n\t").startswith("{"):
        return "", text
    parsed = parse_json_object(text, f"The file {quoted(name)}")
    for key in (PROTOCOL_KEY, _TALLY, RECORD_KEY):
        if key in parsed:
            return key, parsed
    raise CaldpError(
        f"The file {quoted(name)} is not a protocol, tally or estimate; {_FILES_HINT}."
    )


def _read_estimate(
    protocol: Protocol, name: str, text: str, records: list[tuple[str, dict[str, Any]]]
) -> Results:
    """The results in an estimate's table and perhaps its record; raises `CaldpError`."""
    table = _table(protocol, name, text)
    # The table has no number of reports; people are shares times that.
    share = np.array(table["estimated share"], float)
    people = np.array(table["estimated people"], float)
    reports = 0
    if share.sum() > 0:
        reports = round(float(people.sum() / share.sum()))
    record = None
    for record_name, parsed in records:
        record = parsed
        check_record(protocol, record, f"The record {quoted(record_name)}")
        require(
            record["reports"] == reports,
            f"The record {quoted(record_name)} is of "
            f"{count_text(record['reports'], 'report', 'reports')} and the estimate of "
            f"{reports:,}; give the two that belong together.",
        )
    levels = set(table["level"])
    level = None
    if len(levels) == 1:
        level = levels.pop()
    if not isinstance(level, float) or not CONFIDENCE_MIN <= level <= CONFIDENCE_MAX or not reports:
        raise CaldpError(f"The estimate {quoted(name)} needs one level and people; {SOURCE}")
    return Results(protocol, table, level, reports, record=record)


def _table(protocol: Protocol, name: str, text: str) -> dict[str, list[object]]:
    """The columns of estimate.csv, its numbers read; raises `CaldpError` for another table."""
    try:
        rows = list(csv.reader(io.StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")))
    except csv.Error as error:
        raise CaldpError(
            f"The file {quoted(name)} is not a table: {error}; {_FILES_HINT}."
        ) from None
    head: list[str] = []
    if rows:
        head = rows[0]
    body, k = rows[1:], protocol.domain.k
    require(
        set(_NUMBERS) <= set(head) and len(set(head)) == len(head),
        f"The table {quoted(name)} needs the columns {', '.join(_NUMBERS)}; {SOURCE}",
    )
    require(
        len(body) == k and all(len(row) == len(head) for row in body),
        f"The estimate {quoted(name)} has {count_text(len(body), 'row', 'rows')} and its protocol "
        f"{k:,} values; {SOURCE}",
    )
    columns: dict[str, list[object]] = {}
    for place, title in enumerate(head):
        columns[title] = [row[place] for row in body]
    for column in _NUMBERS:
        numbers = [parse_float(str(text)) for text in columns[column]]
        require(
            None not in numbers,
            f"The estimate {quoted(name)} has something else than numbers under {column!r}; "
            f"{SOURCE}",
        )
        columns[column] = list(numbers)
    _check_numbers(protocol, name, columns)
    # Until November 2026 files had ranges that left out their own estimates.
    share, low, high = (np.array(columns[column], np.float64) for column in _SHARES)
    columns |= {"low": np.minimum(low, share).tolist(), "high": np.maximum(high, share).tolist()}
    return columns


def _check_numbers(protocol: Protocol, name: str, columns: Columns) -> None:
    """Raise `CaldpError` unless shares are possible, and of the protocol's values in its order."""
    shares = np.array([columns[column] for column in _SHARES], np.float64)
    share, low, high = shares
    people = np.array(columns["estimated people"], np.float64)
    # Unbiased shares may be below 0 or above 1, ends of intervals only where these are.
    are_numbers = np.isfinite(shares).all() and (abs(shares) <= 1e6).all()
    are_low_ends = (low >= np.minimum(share, 0)).all() and (low <= high).all()
    are_high_ends = (high <= np.maximum(share, 1)).all()
    are_people = (abs(people) <= N_MAX * 1e6).all()
    require(
        bool(are_numbers and are_low_ends and are_high_ends and are_people),
        f"The estimate {quoted(name)} has invalid shares or ends of intervals; {SOURCE}",
    )
    # CSV has labels as spreadsheets may open them, which `as_cell` makes of them.
    labels = [str(as_cell(label)) for label in protocol.labels]
    require(
        columns["number"] == list(range(protocol.domain.k))
        and (not labels or columns.get("answer") == labels),
        f"The estimate {quoted(name)} is of other values than the protocol; give both of one "
        "collection.",
    )
