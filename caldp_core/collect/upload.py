"""Files of a collection that a person uploads together, told apart by their contents."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, quoted, require
from caldp_core.basics.files import BYTE_ORDER_MARK, decode_text, parse_float
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, N_MAX
from caldp_core.basics.short_repr import short_repr
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import Results, Tallies
from caldp_core.collect.json_files import FILE_MAX_BYTES, parse_json_object
from caldp_core.collect.protocol import PROTOCOL_KEY, Protocol
from caldp_core.collect.record import RECORD_KEY as RECORD
from caldp_core.collect.record import check_record
from caldp_core.experiments.table import Columns, as_cell

Files: TypeAlias = Iterable[tuple[str, bytes]]
_TALLY: Final = "caldp_tally"
_SHARES: Final = ("estimated share", "low", "high")
_NUMBERS: Final = ("number", *_SHARES, "estimated people", "level")
_FILES_HINT: Final = "give protocol.json with tallies, or with estimate.csv"


@dataclass(frozen=True, eq=False)
class UploadedEstimate:
    """An estimate that somebody made: its table, its level, and how many reports it rests on."""

    protocol: Protocol
    table: Columns
    level: float
    reports: int
    record: Mapping[str, Any] | None
    __repr__ = short_repr

    def results(self, level: float) -> Results:
        """The results at the level of the estimate; `level` is ignored, as no other is known."""
        del level
        return Results(self.protocol, self.table, self.level, self.reports, record=self.record)


Collection: TypeAlias = Tallies | UploadedEstimate


def read_collection(files: Files) -> Collection:
    """The collection in files: one protocol, with tallies or an estimate and perhaps its record.

    Raises `CaldpError`, in one sentence, for whatever is none of these or does not fit together.
    """
    protocols, given, tables, records = _sort_files(files)
    require(
        len({each.fingerprint for each in protocols}) == 1,
        f"A collection has one protocol, these files have {len(protocols)}; {_FILES_HINT}.",
    )
    require(
        bool(given) != bool(tables) and len(tables) <= 1 and len(records) <= 1,
        f"Beside the protocol, {count_text(len(given), 'tally', 'tallies')}, "
        f"{count_text(len(tables), 'table', 'tables')} and "
        f"{count_text(len(records), 'record', 'records')} were given; {_FILES_HINT}.",
    )
    if given:
        alone = protocols[0] if len(given) == 1 else None
        tallies = (
            (name.removesuffix(".json").removesuffix(".tally"),
             CollectedTally.from_dict(parsed, f"The tally {quoted(name)}", alone))
            for name, parsed in given
        )  # fmt: skip
        return Tallies.of(protocols[0], tuple(tallies))
    return _read_estimate(protocols[0], *tables[0], records)


def _sort_files(
    files: Files,
) -> tuple[
    list[Protocol],
    list[tuple[str, dict[str, Any]]],
    list[tuple[str, str]],
    list[tuple[str, dict[str, Any]]],
]:
    """Protocols, parsed tallies, texts of tables and records, each in the order given."""
    protocols, tallies, tables, records = [], [], [], []
    for name, data in files:
        text = decode_text(data, f"The file {quoted(name)}", FILE_MAX_BYTES, _FILES_HINT)
        if not text.lstrip(f"{BYTE_ORDER_MARK} \r\n\t").startswith("{"):
            tables.append((name, text))
            continue
        parsed = parse_json_object(text, f"The file {quoted(name)}")
        if PROTOCOL_KEY in parsed:
            protocols.append(Protocol.from_dict(parsed))
        elif _TALLY in parsed:
            tallies.append((name, parsed))
        elif RECORD in parsed:
            records.append((name, parsed))
        else:
            raise CaldpError(
                f"The file {quoted(name)} is not a protocol, tally or estimate; {_FILES_HINT}."
            )
    return protocols, tallies, tables, records


def _read_estimate(
    protocol: Protocol, name: str, text: str, records: list[tuple[str, dict[str, Any]]]
) -> UploadedEstimate:
    table = _table(protocol, name, text)
    share, people = (np.array(table[n], float) for n in ("estimated share", "estimated people"))
    record = None
    reports = round(float(people.sum() / share.sum())) if share.sum() > 0 else 0
    for record_name, parsed in records:
        check_record(protocol, record := parsed, f"The record {quoted(record_name)}")
        require(
            record["reports"] == reports,
            f"The record {quoted(record_name)} is of "
            f"{count_text(record['reports'], 'report', 'reports')} and the estimate of "
            f"{reports:,}; give the two that belong together.",
        )
    levels = set(table["level"])
    level = levels.pop() if len(levels) == 1 else None
    if not isinstance(level, float) or not CONFIDENCE_MIN <= level <= CONFIDENCE_MAX or not reports:
        raise CaldpError(f"The estimate {quoted(name)} needs one level and people; {_SOURCE}")
    return UploadedEstimate(protocol, table, level, reports, record)


_SOURCE: Final = "give the file that caldp estimate wrote."


def _table(protocol: Protocol, name: str, text: str) -> dict[str, list[object]]:
    """The columns of estimate.csv, its numbers read; raises `CaldpError` for another table."""
    try:
        rows = list(csv.reader(io.StringIO(text.removeprefix(BYTE_ORDER_MARK), newline="")))
    except csv.Error as error:
        raise CaldpError(
            f"The file {quoted(name)} is not a table: {error}; {_FILES_HINT}."
        ) from None
    head, body, k = (rows or [[]])[0], rows[1:], protocol.domain.k
    require(
        set(_NUMBERS) <= set(head) and len(set(head)) == len(head),
        f"The table {quoted(name)} needs the columns {', '.join(_NUMBERS)}; {_SOURCE}",
    )
    require(
        len(body) == k and all(len(row) == len(head) for row in body),
        f"The estimate {quoted(name)} has {count_text(len(body), 'row', 'rows')} and its protocol "
        f"{k:,} values; {_SOURCE}",
    )
    columns: dict[str, list[object]] = dict(
        zip(head, map(list, zip(*body, strict=True)), strict=True)
    )
    for column in _NUMBERS:
        numbers = [parse_float(str(text)) for text in columns[column]]
        require(
            None not in numbers,
            f"The estimate {quoted(name)} has something else than numbers under {column!r}; "
            f"{_SOURCE}",
        )
        columns[column] = list(numbers)
    _check_numbers(protocol, name, columns)
    # Until November 2026 files had ranges that left out their own estimates.
    share, low, high = (np.array(columns[column], np.float64) for column in _SHARES)
    columns |= {"low": np.minimum(low, share).tolist(), "high": np.maximum(high, share).tolist()}
    return columns


def _check_numbers(protocol: Protocol, name: str, columns: Columns) -> None:
    shares = np.array([columns[column] for column in _SHARES], np.float64)
    right = bool(np.isfinite(shares).all() and (abs(shares) <= 1e6).all())
    share, low, high = shares
    people = np.array(columns["estimated people"], np.float64)
    require(
        right
        and bool(
            (low >= np.minimum(share, 0)).all()
            and (low <= high).all()
            and (high <= np.maximum(share, 1)).all()
        )
        and bool((abs(people) <= N_MAX * 1e6).all()),
        f"The estimate {quoted(name)} has invalid shares or ends of intervals; {_SOURCE}",
    )
    labels = [str(as_cell(label)) for label in protocol.labels]
    require(
        columns["number"] == list(range(protocol.domain.k))
        and (not labels or columns.get("answer") == labels),
        f"The estimate {quoted(name)} is of other values than the protocol; give both of one "
        "collection.",
    )
