"""Reports counted by other engines and servers: frames, SQL, Arrow; each batch once."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from caldp_core import CaldpError, Protocol
from caldp_core.cli.commands import main
from caldp_core.collect import collector, report_files, servers
from caldp_core.collect.collected_tally import (
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    REASONS,
    CollectedTally,
    merge_tallies,
)
from caldp_core.collect.collector import Collector, tally_files
from caldp_core.collect.device import as_text
from caldp_core.collect.estimate import collected_from_histogram, made_up_week
from caldp_core.collect.record import About, make_record, registry_entry
from caldp_core.collect.servers import (
    DIALECTS,
    collected_from_rows,
    partial_tallies,
    tally_frame,
    tally_query,
)
from tests.collect import protocols as written
from tests.collect.protocols import SPECS, in_duckdb, labelled, prepare_engine, small, tables
from tests.contract.checks import naming
from tests.strategies import thinned

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
            found: CollectedTally = servers.tally_frame(protocol, Frame(tasks), "monday", most)
            with naming(f"{family}, {most}"):
                assert found.refused == {MALFORMED: 0, OTHER_PROTOCOL: 6, OUT_OF_RANGE: 0}
                assert found.tally.n == 54
                assert (found.tally.counts == right.tally.counts).all()
    frame = Frame(tasks)
    frame.columns = ("day",)
    with pytest.raises(CaldpError, match="has no column report, only day"):
        servers.tally_frame(protocol, frame, "monday")


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
    parts = [
        pa.RecordBatch.from_pydict({"report": sent[i::2], "batch": [day] * len(sent[i::2])})
        for i, day in enumerate(DAYS)
    ]
    return tally_frame(protocol, FrameOfDays([[part] for part in parts]), "frame", most)


def by_spark_in_two_steps(protocol: Protocol, folder: Path, sent: list[Any]) -> CollectedTally:
    return by_spark(protocol, folder, sent, most=1)


def by_sql(protocol: Protocol, folder: Path, sent: list[Any]) -> CollectedTally:
    with duckdb.connect() as database:
        path = written.write(
            folder / "sql.jsonl", sent, day=[DAYS[i % 2] for i in range(len(sent))]
        )
        database.execute(
            "CREATE TABLE reports AS SELECT *, NULL AS protocol FROM read_json(?)", [str(path)]
        )
        counts = database.sql(tally_query(protocol, "duckdb", "day"))
        counts.write_parquet(str(folder / "counts.parquet"))
    return collected_from_histogram(protocol, folder / "counts.parquet")


ENGINES: tuple[Callable[..., CollectedTally], ...] = (
    by_file,
    by_pandas,
    by_spark,
    by_spark_in_two_steps,
    by_sql,
)


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
    return [
        written.write(folder / f"mon-{part}.jsonl", reports(protocol, part), batch=["mon"] * 60)
        for part in (1, 2)
    ]


@pytest.mark.slow
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


@pytest.mark.slow
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
    monkeypatch.setattr(report_files, "GROUP_FILES", 1)

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


TEXTS: Final[dict[str | None, int | str]] = {
    **dict.fromkeys(("3", " 3", "3 ", '"3"', ' "3" ', "03", "000000000000000003"), 3),
    "-0": 0,
    **dict.fromkeys(("-1", "11", "9" * 18, f"-{'9' * 18}", "-000000000000000001"), OUT_OF_RANGE),
    **dict.fromkeys(
        (
            "1.5",
            "2.4",
            "3.0",
            "1_0",
            "1e0",
            "1E0",
            "+2",
            "0x1",
            "1,000",
            "",
            " ",
            "9" * 19,
            f"-{'9' * 19}",
            "0000000000000000003",
            "1" * 40,
            "１",
            "٣",
            "½",
            "²",
            "3\t",
            "\t3",
            "3\n",
            "3\xa0",
            "3\u2028",
            "- 1",
            "--1",
            "NaN",
            "nan",
            "inf",
            "true",
            "NULL",
            "0b1",
            "'3'",
            "3;",
            "3 4",
            "$3",
            "1/2",
            "٣3",
            None,
        ),
        MALFORMED,
    ),
}
"""A report as text → the number that it is, or why it is refused."""
WHOLE: Final = {
    3: 3,
    -1: OUT_OF_RANGE,
    11: OUT_OF_RANGE,
    None: MALFORMED,
    10**18 - 1: OUT_OF_RANGE,
    10**18: MALFORMED,
    -(10**18): MALFORMED,
}
DOUBLES: Final = (3.0, 1.5, 0.0, -1.0, 1e20, float("nan"), float("inf"), None)
MARKS: Final[dict[str | None, str | None]] = {
    None: None,
    "mark": None,
    "whole": None,
    '"mark"': None,
    **dict.fromkeys(("", "x", "MARK", " mark"), OTHER_PROTOCOL),
}


@pytest.fixture(scope="module")
def odd_protocol() -> Protocol:
    return small("randomized-response")


def reading(collected: CollectedTally) -> int | str:
    """The number of the only report, or why it was refused."""
    found: list[int | str] = [reason for reason in REASONS if collected.refused[reason]]
    found += np.flatnonzero(collected.tally.counts).tolist()
    (only,) = found
    return only


def by_workers(protocol: Protocol, report: Any, kind: Any) -> CollectedTally:
    batch = pa.RecordBatch.from_pydict({"report": pa.array([report], kind)})
    (row,) = next(partial_tallies(protocol.to_json())([batch])).to_pylist()
    return collected_from_rows(protocol, [row], "a")


@pytest.mark.slow
@pytest.mark.parametrize("which", thinned(range(3), one_in=3))
def test_a_text_is_the_same_report_in_every_file_and_for_workers(
    odd_protocol: Protocol, tmp_path: Path, which: int
) -> None:
    """`which`: of the texts a third is read from every file, the others from one, in turn."""
    for at, (text, right) in enumerate(TEXTS.items()):
        files = [written.write(tmp_path / "day.parquet", pa.array([text], pa.string()))]
        lines = tmp_path / "day.jsonl"
        lines.write_text(f"{json.dumps({'report': text})}\n", "utf-8")
        files.append(lines)
        if text and text.strip() and not set(text) & {"\n", '"'}:  # each is a line of CSV
            files.append(written.write(tmp_path / "day.csv", [text]))
        if (at + which) % 3:
            files = [files[(at + which) % len(files)]]
        found = [Collector(odd_protocol).tally(path) for path in files]
        found += [by_workers(odd_protocol, text, kind) for kind in (pa.string(), pa.large_string())]
        with naming(repr(text)):
            assert [reading(each) for each in found] == [right] * len(found)


def test_whole_numbers_are_and_floating_ones_are_none(
    odd_protocol: Protocol, tmp_path: Path
) -> None:
    for number, right in WHOLE.items():
        path = tmp_path / "day.parquet"
        written.write(path, pa.array([number], pa.int64()))
        with naming(str(number)):
            assert reading(Collector(odd_protocol).tally(path)) == right
            assert reading(by_workers(odd_protocol, number, pa.int64())) == right
    assert reading(by_workers(odd_protocol, 2**64 - 1, pa.uint64())) == MALFORMED
    for double in DOUBLES:
        lines = tmp_path / "day.jsonl"
        lines.write_text(f'{{"report": {"null" if double is None else double}}}\n', "utf-8")
        with naming(str(double)):
            assert reading(Collector(odd_protocol).tally(lines)) == MALFORMED
            assert reading(by_workers(odd_protocol, double, pa.float64())) == MALFORMED
    with pytest.raises(CaldpError, match="it has DOUBLE"):
        Collector(odd_protocol).tally(written.write(tmp_path / "doubles.parquet", [3.0]))


@pytest.fixture
def engine() -> Iterator["duckdb.DuckDBPyConnection"]:
    with duckdb.connect() as connection:
        prepare_engine(connection)
        yield connection


def rows_of(engine: Any, query: str, kind: str, report: Any, mark: str | None) -> list[Any]:
    engine.execute(f"CREATE OR REPLACE TABLE reports (report {kind}, protocol VARCHAR)")
    engine.execute("INSERT INTO reports VALUES (?, ?)", [report, mark])
    rows: list[Any] = engine.execute(query).fetchall()
    return rows


@pytest.mark.slow
def test_every_dialect_counts_what_the_collector_counts(
    odd_protocol: Protocol, engine: Any
) -> None:
    codes: dict[Any, int] = {MALFORMED: -1, OTHER_PROTOCOL: -2, OUT_OF_RANGE: -3}
    for dialect in DIALECTS:
        query = in_duckdb(odd_protocol, dialect)
        doubles = dict.fromkeys(DOUBLES, MALFORMED)
        tables: dict[str, Any] = {"VARCHAR": TEXTS, "BIGINT": WHOLE, "DOUBLE": doubles}
        for kind, cases in tables.items():
            for report, right in cases.items():
                with naming(f"{dialect}, {report!r}"):
                    found = rows_of(engine, query, kind, report, None)
                    assert found == [(codes.get(right, right), 1)]
        for given, right in MARKS.items():
            whole = odd_protocol.fingerprint
            mark = given and given.replace("whole", whole).replace("mark", whole[:16])
            mark = whole[:16].upper() if mark == "MARK" else mark
            with naming(f"{dialect}, {given}"):
                assert rows_of(engine, query, "VARCHAR", "3", mark) == [(codes.get(right, 3), 1)]


def test_marks_are_read_the_same_in_files_and_by_workers(
    odd_protocol: Protocol, tmp_path: Path
) -> None:
    whole = odd_protocol.fingerprint
    for given, right in MARKS.items():
        mark = given and given.replace("whole", whole).replace("mark", whole[:16])
        mark = whole[:16].upper() if mark == "MARK" else mark
        path = tmp_path / "day.parquet"
        written.write(path, ["3"], protocol=pa.array([mark], pa.string()))
        marks = pa.array([mark], pa.string())
        batch = pa.RecordBatch.from_pydict({"report": ["3"], "protocol": marks})
        (row,) = next(partial_tallies(odd_protocol.to_json())([batch])).to_pylist()
        with naming(str(given)):
            assert reading(Collector(odd_protocol).tally(path)) == (right or 3)
            assert reading(collected_from_rows(odd_protocol, [row], "a")) == (right or 3)


ABOUT = About("Sick days", "An office", "Planning", "Nowhere", "2026-11-23", "A. Clerk")


def text(*allowed: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(allowed)} if allowed else {"type": "string"}


def object_schema(needed: list[str], **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": needed,
        "properties": fields,
    }


TEXT_LIST = {"type": "array", "items": text(), "minItems": 1}
SCHEMA = object_schema(
    ["url_slug", "status", "tier", "deployment"],
    url_slug=text(),
    status=text("Draft"),
    tier={"enum": [1, 2, 3]},
    deployment=object_schema(
        ["basic", "administrative"],
        basic=object_schema(
            [
                "name",
                "data_curators",
                "description",
                "intended_use",
                "data_product_type",
                "data_product_region",
                "publication_date",
            ],
            name=text(),
            data_curators=TEXT_LIST,
            description=text(),
            intended_use=text(),
            data_product_type=text("Summary statistics"),
            data_product_region=text(),
            publication_date=text(),
            data_product_sector=text(),
        ),
        dp_variant=object_schema(
            [],
            variant_name=text("Pure DP", "Custom"),
            data_domain=text(),
            unprotected_quantities=text(),
        ),
        privacy_loss=object_schema(
            [],
            privacy_unit=text(),
            privacy_unit_details=text(),
            privacy_parameters=object_schema([], epsilon={"type": "number"}),
            privacy_parameters_details=text(),
        ),
        deployment_model=object_schema(
            [],
            model_name=text("Local"),
            model_name_details=text(),
            actors=text(),
            release_type=text("One release", "Many releases"),
            release_type_details=text(),
            data_source_type=text("Static", "Dynamic"),
            data_source_type_details=text(),
            access_type=text("Interactive", "Non-interactive"),
            access_type_details=text(),
        ),
        accounting=object_schema([], post_processing=text(), composition=text()),
        implementation=object_schema(
            [],
            preprocessing_and_hyperparameter_tuning=text(),
            mechanisms=text(),
            justification=text(),
        ),
        administrative=object_schema(
            ["registry_authors"], sources=text(), notes=text(), registry_authors=TEXT_LIST
        ),
    ),
)
"""The keys and the words that the registry's schema allows (its repository, 2026)."""


def entry_of(protocol: Protocol) -> dict[str, Any]:
    counts = np.full(protocol.domain.k, 20)
    tally = protocol.mechanism.sample_tally(counts, np.random.default_rng(2))
    collected = CollectedTally(protocol.fingerprint, tally)
    return registry_entry(protocol, make_record(protocol, collected, 0.95, "none"), ABOUT)


def test_entries_have_what_the_registry_allows() -> None:
    plain = labelled("oue", ("a", "b", "c"))
    for protocol in (plain, small("hadamard"), made_up_week().protocol, *tables().values()):
        entry = entry_of(protocol)
        Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(entry, allow_nan=False)))
        variant = entry["deployment"]["dp_variant"]["variant_name"]
        assert variant == ("Pure DP" if protocol is plain else "Custom")
    assert not Draft202012Validator(SCHEMA).is_valid({**entry, "more": 1})
    with pytest.raises(CaldpError, match="published must be a day"):
        About("a", "b", "c", "d", "tomorrow", "e")


def test_the_registry_s_command(tmp_path: Path) -> None:
    week = made_up_week()
    protocol, record = tmp_path / "protocol.json", tmp_path / "record.json"
    protocol.write_text(week.protocol.to_json(), "utf-8")
    record.write_text(json.dumps(week.results(0.95).record), "utf-8")
    words = [f"--{key}={value}" for key, value in vars(ABOUT).items()]
    done = CliRunner().invoke(main, ["registry", str(protocol), str(record), *words])
    assert done.exit_code == 0, done.output
    assert "100,000 people" in json.loads(done.output)["deployment"]["basic"]["description"]
