"""The commands of a collection and docs/collect.md."""

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from benchmarks.suites import files
from caldp_core import Client, Protocol, Tally
from caldp_core.basics.files import FORMULA_PREFIXES, THREADS
from caldp_core.cli.commands import main
from caldp_core.collect import collector, js
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.collected_tally import REASONS, CollectedTally
from caldp_core.collect.collector import MEMORY_MB, Collector
from caldp_core.collect.estimate import Tallies, read_collection
from caldp_core.collect.record import make_record
from caldp_core.collect.servers import DIALECTS, ROWS_MAX
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.table import as_csv
from caldp_core.mechanisms.catalogue import Oue
from tests import ROOT
from tests.collect import protocols
from tests.collect.protocols import SPECS, labelled, many, small, tables, text_of, walk
from tests.collect.test_client import NODE
from tests.contract.checks import naming
from tests.strategies import thinned

RESULTS = "../benchmarks/results.md"
"""The page of measured times, from the folder of the documentation on."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    protocol = small("galois")
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    protocols.write(tmp_path / "right.csv", protocols.payloads(protocol, [1] * 90, seed=1))
    protocols.write(tmp_path / "tenth.csv", [*protocols.payloads(protocol, [1] * 90, 2), *"x" * 10])
    protocols.write(tmp_path / "wrong.csv", ["x"] * 10)
    return tmp_path


def tally(folder: Path, *words: str) -> Result:
    paths = [str(folder / w) if w.endswith((".csv", ".json")) else w for w in words]
    return CliRunner().invoke(main, ["tally", str(folder / "protocol.json"), *paths])


def test_a_run_whose_reports_were_refused_ends_with_3_and_keeps_its_counts(folder: Path) -> None:
    cases: tuple[tuple[tuple[str, ...], int], ...] = (
        (("wrong.csv", "-o", "wrong.json"), 3),
        (("right.csv", "-o", "right.json"), 0),
        (("tenth.csv", "-o", "tenth.json"), 0),  # 10 of 100 are not more than 10 %
        (("tenth.csv", "-o", "tenth2.json", "--max-refused", "0.09"), 3),
        (("right.csv", "wrong.csv", "-o", "all.json", "--max-refused", "0.09"), 3),
        (("wrong.csv", "-o", "wrong2.json", "--max-refused", "1"), 0),
        # Of this run all are refused, of the whole tally 10 of 100; then it is there already.
        (("wrong.csv", "-o", "right.json"), 3),
        (("wrong.csv", "-o", "right.json"), 0),
        (("wrong.csv", "-o", "wrong.json"), 3),
        # Of this run none, of the whole tally 10 of 11.
        (("right.csv", "-o", "wrong.json", "--max-refused", "0.05"), 3),
    )
    for words, code in cases:
        done = tally(folder, *words)
        with naming(f"{words}: {done.output}"):
            assert done.exit_code == code
            assert ("were refused, and --max-refused is" in done.stderr) == (code == 3)
            assert json.loads(done.stdout)["refused"] == dict(
                CollectedTally.from_file(folder / words[words.index("-o") + 1]).refused
            )


def caldp(folder: Path, words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", "-c", f"{sys.executable} -m caldp_core {words}"],
        cwd=folder,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="Unix has /dev/stdout")
@pytest.mark.parametrize(
    "words",
    thinned(
        [
            "tally protocol.json right.csv -o /dev/stdout | cat",
            "tally protocol.json right.csv -o /dev/stdout > out; cat out",
            "tally protocol.json right.csv -o pipe > /dev/null & cat pipe",
            "merge right.json -o /dev/stdout | cat",
            "merge right.json -o /dev/stdout >> out2; cat out2",
        ],
        one_in=2,
    ),
)
def test_a_tally_may_go_to_standard_output(folder: Path, words: str) -> None:
    """It waited for its own output: what is there already is a pipe, and was read."""
    assert tally(folder, "right.csv", "-o", "right.json").exit_code == 0
    right = (folder / "right.json").read_text("utf-8")
    os.mkfifo(folder / "pipe")
    done = caldp(folder, words)
    assert done.stdout == right, done.stderr


def test_the_tally_of_memory_is_estimated_and_not_added(folder: Path) -> None:
    assert tally(folder, "right.csv", "-o", "right.json").exit_code == 0
    inner: Tally = CollectedTally.from_file(folder / "right.json").tally
    (folder / "bare.json").write_text(inner.to_json(), "utf-8")
    estimates = [
        CliRunner().invoke(main, ["estimate", f"{folder}/protocol.json", f"{folder}/{name}.json"])
        for name in ("right", "bare")
    ]
    assert estimates[0].exit_code == 0
    assert estimates[0].output == estimates[1].output
    files = [(name, (folder / name).read_bytes()) for name in ("bare.json", "protocol.json")]
    found = read_collection(files)
    assert isinstance(found, Tallies)
    assert found.total.tally.n == 90
    with pytest.raises(ValueError, match="can only be estimated alone"):
        read_collection([*files, ("right.json", (folder / "right.json").read_bytes())])


def test_an_estimate_takes_its_two_files_in_either_order(folder: Path) -> None:
    assert tally(folder, "right.csv", "-o", "right.json").exit_code == 0
    files = [f"{folder}/protocol.json", f"{folder}/right.json"]
    done = [CliRunner().invoke(main, ["estimate", *each]) for each in (files, files[::-1])]
    assert (done[0].exit_code, done[1].exit_code) == (0, 0), done[1].output
    assert done[0].output == done[1].output
    twice = CliRunner().invoke(main, ["estimate", files[1], files[1]])
    assert (twice.exit_code, "caldp_protocol" in twice.stderr) == (2, True)


def test_records_of_many_values_are_a_line() -> None:
    for protocol in (many("oue", 10_000), tables()["designed"]):
        drawn = protocol.mechanism.sample_tally(np.full(protocol.domain.k, 5), 1)
        books = frozenset(f"batch:{i}" for i in range(900))
        collected = CollectedTally(protocol.fingerprint, drawn, books)
        parts = Tallies.of(protocol, (("day", collected),))
        made: list[Any] = [
            protocol,
            protocol.plan,
            protocol.device,
            collected,
            parts,
            parts.results(0.95),
            Client(protocol),
            Evidence.of(protocol.mechanism, drawn),
        ]
        made += [getattr(m, f.name) for m in made if is_dataclass(m) for f in fields(m)]
        for each in made:
            if type(each).__module__.startswith("caldp_core"):
                with naming(type(each).__name__):
                    assert len(repr(each)) < 1_000


ABOUT: Final = "--name=a --curator=b --use=c --region=d --published=2026-11-23 --author=e"


def json_with(whole: dict[str, Any], **changes: Any) -> str:
    return json.dumps(whole | changes)


def tally_of(protocol: Protocol, folder: Path, name: str) -> CollectedTally:
    """A file of 40 reports, and its tally."""
    path = folder / f"{name}.parquet"
    protocols.write(path, protocols.payloads(protocol, [0, 1] * 20, seed=3), batch=[name] * 40)
    found = Collector(protocol).tally(path)
    found.write(folder / f"{name}.tally.json")
    return found


@pytest.fixture(scope="module")
def faulty_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Right files of two questions, and wrong ones; none of them is changed by a command."""
    made = tmp_path_factory.mktemp("wrong")
    ours, other, sets = (
        labelled("galois", ("a", "b")),
        labelled("galois", ("b", "a")),
        small("oue"),
    )
    for name, protocol in (("ours", ours), ("other", other), ("sets", sets)):
        (made / f"{name}.json").write_text(protocol.to_json(), "utf-8")
    day = tally_of(ours, made, "day")
    tally_of(other, made, "otherday")
    whole = json.loads(day.to_json())
    record = make_record(ours, day, 0.95, "simplex")
    raw = (made / "day.parquet").read_bytes()
    texts = {
        "cut.json": ours.to_json()[:90],
        "cut.tally.json": day.to_json()[:90],
        "negative.tally.json": json_with(whole, counts=[-1] * len(whole["counts"])),
        "nan.tally.json": json_with(whole, counts=[float("nan")] * len(whole["counts"])),
        "halves.tally.json": json_with(whole, counts=[0.5] * len(whole["counts"])),
        "many.tally.json": json_with(whole, counts=[n + 41 for n in whole["counts"]]),
        "people.tally.json": json_with(whole, n=41),
        "empty.tally.json": CollectedTally.empty(ours).to_json(),
        "bare.tally.json": day.tally.to_json(),
        "headless.csv": "1\n0\n1\n",
        "swapped.csv": "report,n\n12,0\n28,1\n",
        "named.csv": "report,count\n0,12\n",
        "nan.csv": "report,n\n0,nan\n",
        "minus.csv": "report,n\n0,-12\n",
        "none.csv": "report,n\n",
        "promise.json": json_with(record, privacy=record["privacy"] | {"epsilon_most": 0.1}),
        "bare.json": json.dumps({"caldp_record": 1, "protocol": ours.fingerprint}),
        "mixed.json": json_with(record, privacy=record["privacy"] | {"if_mixed": {"blocks": [1]}}),
        "right.json": json.dumps(record),
        "empty.json": "\n",
    }
    for name, text in texts.items():
        (made / name).write_text(text, "utf-8")
    (made / "cut.parquet").write_bytes(raw[: len(raw) // 2])
    (made / "latin.csv").write_bytes("report,Gewählt\n1,0\n".encode("latin-1"))
    os.mkfifo(made / "pipe")
    pq.write_table(pa.table({"reports": [1, 2]}), made / "column.parquet")
    pq.write_table(pa.table({"report": [1.0, float("nan")]}), made / "nan.parquet")
    pq.write_table(pa.table({"report": [[1], [2]]}), made / "lists.parquet")
    return made


CASES: Final[dict[str, str]] = {
    "tally scenario.json day.parquet -o t.json": '"caldp_protocol": 1',
    "tally cut.json day.parquet -o t.json": "is not JSON",
    "tally gone.json day.parquet -o t.json": "can't be read",
    "tally ours.json gone.parquet -o t.json": "can't be read",
    "tally ours.json cut.parquet -o t.json": "can't be read",
    "tally ours.json headless.csv -o t.json": "no column report, only 1; give it a header",
    "tally ours.json column.parquet -o t.json": "no column report, only reports",
    "tally ours.json nan.parquet -o t.json": "it has DOUBLE",
    "tally ours.json latin.csv -o t.json": "'latin.csv' must be text in UTF-8",
    "tally ours.json pipe -o t.json": "it is a pipe, a device or a folder",
    "tally ours.json lists.parquet -o t.json": "whole numbers, bytes or texts",
    "tally ours.json day.parquet -o otherday.tally.json": "The tally is of the protocol",
    "tally ours.json day.parquet -o cut.tally.json": "is not JSON",
    "tally ours.json day.parquet -o no/t.json": "can't be written",
    "merge day.tally.json otherday.tally.json -o t.json": "different protocols",
    "merge day.tally.json day.tally.json -o t.json": "would count twice",
    "merge day.tally.json ours.json -o t.json": "The tally 'ours.json' is not a tally",
    "merge cut.tally.json -o t.json": "is not JSON",
    "merge nan.tally.json -o t.json": "holds NaN",
    "merge bare.tally.json -o t.json": "no books",
    "estimate sets.json bare.tally.json": "by another mechanism than the protocol's",
    "tally ours.json s3://b/x -o t.json": "'s3://b/x' is an address, and caldp reads and writes",
    "tally ours.json day.parquet -o gs://b/t.json": "'gs://b/t.json' is an address",
    "tally https://b/ours.json day.parquet -o t.json": "'https://b/ours.json' is an address",
    "estimate ours.json --histogram hdfs://b/c.parquet": "'hdfs://b/c.parquet' is an address",
    "merge s3://b/t.json -o t.json": "'s3://b/t.json' is an address",
    "count s3://b/survey.csv -o t.csv": "'s3://b/survey.csv' is an address",
    "estimate ours.json": "one tally, or of a histogram",
    "estimate ours.json day.tally.json --histogram none.csv": "one tally, or of a histogram",
    "estimate other.json day.tally.json": "give the protocol that its reports were made by",
    "estimate ours.json negative.tally.json": "is not a tally of caldp: counts",
    "estimate ours.json halves.tally.json": "whole numbers",
    "estimate ours.json many.tally.json": "each at most 40",
    "estimate ours.json people.tally.json": "says 41 reports, and its counts are those of 40",
    "estimate ours.json empty.tally.json": "at least one report",
    "estimate ours.json day.tally.json -o e.csv --record ./e.csv": "need a file each",
    "estimate ours.json day.tally.json -o estimate.geojson": "needs a map",
    "estimate ours.json day.tally.json -o no/estimate.csv": "can't be written",
    "estimate ours.json day.tally.json -o estimate.xlsx": "must end in .csv or .geojson",
    "estimate ours.json day.tally.json --record day.tally.json": "would be lost",
    "estimate ours.json day.tally.json --record ours.json": "would be lost",
    "estimate ours.json --histogram named.csv -o named.csv": "would be lost",
    "estimate ours.json day.tally.json -o estimate.csv --record no/record.json": "can't be written",
    "protocol scenario.json -o scenario.json": "would be lost",
    "protocol empty.json": "is empty; it starts with",
    "protocol scenario.json --names empty.json": "holds no names",
    "protocol scenario.json --reports 3": "--reports does nothing without --repeat",
    "protocol scenario.json --repeat memo --a-day 2": "--a-day does nothing with --repeat memo",
    "protocol --questions . --question Why": "--question does nothing with --questions",
    "estimate ours.json --histogram swapped.csv": "reports are -3 to 1",
    "estimate ours.json --histogram named.csv": "must have the columns report and n",
    "estimate ours.json --histogram nan.csv": "n whole numbers",
    "estimate ours.json --histogram minus.csv": "n whole numbers",
    "estimate ours.json --histogram none.csv": "at least one report",
    "estimate sets.json --histogram swapped.csv": "are not numbers",
    "sql sets.json": "are not numbers",
    "mixed day.tally.json": '"caldp_protocol": 1',
    f"registry other.json right.json {ABOUT}": "of another protocol",
    f"registry ours.json bare.json {ABOUT}": "does not say what was promised",
    f"registry ours.json promise.json {ABOUT}": "another privacy than its protocol",
    f"registry ours.json mixed.json {ABOUT}": "another if_mixed",
    f"registry ours.json day.tally.json {ABOUT}": "does not say what was promised",
}
"""Command → words of its sentence."""


def test_commands_refuse_in_one_sentence(
    faulty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(faulty_folder)
    scenario = (ROOT / "examples" / "survey.json").read_bytes()
    (faulty_folder / "scenario.json").write_bytes(scenario)
    before = {path: path.read_bytes() for path in faulty_folder.iterdir() if path.is_file()}
    for command, words in CASES.items():
        done = CliRunner().invoke(main, shlex.split(command))
        with naming(f"{command}: {done.output}"):
            assert done.exit_code == 2
            assert done.output.startswith("Error: ")
            assert len(done.output.strip().splitlines()) == 1
            assert words in done.output
            assert len(done.output) < 400
    kept = {path: path.read_bytes() for path in faulty_folder.iterdir() if path.is_file()}
    assert kept == before
    rights = ("estimate ours.json day.tally.json", "estimate ours.json bare.tally.json")
    for right in (*rights, f"registry ours.json right.json {ABOUT}"):
        assert CliRunner().invoke(main, shlex.split(right)).exit_code == 0


COPY: Final = re.compile(r"^ {4}cp (examples/\S+) (\S+)$", re.MULTILINE)

JAVASCRIPT: Final = re.compile(r"^```js\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BROWSER: Final = """
import {readFileSync} from "node:fs";
const kept = new Map();
Object.defineProperty(globalThis, "localStorage", {value: {
    getItem: key => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text)}});
Object.defineProperty(globalThis, "navigator", {value: {
    sendBeacon: (address, text) => process.stdout.write(`${address} ${text}\\n`)}});
globalThis.fetch = async name => ({json: async () => JSON.parse(readFileSync(name, "utf-8"))});
"""
"""What a page has of its browser, as far as the snippet asks for it."""


@pytest.mark.parametrize("case", ["crashes", "commuters", "survey"])
@pytest.mark.slow
def test_a_tutorial_does_what_it_says(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a hundredth of the people that such a collection has."""
    monkeypatch.chdir(tmp_path)
    assert walk(f"tutorials/{case}.md") >= 6


def test_a_walk_through_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ((example, scenario),) = COPY.findall(text_of("collect.md"))
    shutil.copy(ROOT / example, scenario)
    assert walk("collect.md") == 22
    assert "export class Client" in Path("client.js").read_text("utf-8")
    assert Path("both.tally.json").read_bytes() == Path("week.tally.json").read_bytes()
    rows = list(csv.DictReader(Path("estimate.csv").read_text("utf-8").splitlines()))
    assert {"estimated share", "estimated people", "low", "high"} < set(rows[0])
    record = json.loads(Path("record.json").read_text("utf-8"))
    assert (record["reports"], record["files"]) == (300, 2)
    assert record["batches"] == ["monday", "tuesday"]
    (block,) = record["privacy"]["if_mixed"]["blocks"]
    assert block["people"] == 300
    counts = [
        json.loads(Path(f"{name}.tally.json").read_text("utf-8"))["counts"]
        for name in ("mixed", "tuesday", "monday")
    ]
    assert counts[0] == counts[1] != counts[2]
    assert Path("from-counts.csv").read_bytes() == Path("estimate.csv").read_bytes()
    assert_the_snippet_of_a_page_sends_two_reports_that_are_one()


def assert_the_snippet_of_a_page_sends_two_reports_that_are_one() -> None:
    """Run twice in one browser: what is remembered is sent again."""
    (code,) = JAVASCRIPT.findall(text_of("collect.md"))
    Path("page.mjs").write_text(code, "utf-8")
    Path("pages.mjs").write_text(
        f'{BROWSER}await import("./page.mjs"); await import("./page.mjs?again");', "utf-8"
    )
    lines = subprocess.run(
        [str(NODE), "pages.mjs"], capture_output=True, text=True, check=True, timeout=120
    ).stdout.splitlines()
    first, second = (line.split(" ", 1) for line in lines)
    assert first == second
    protocol = Protocol.from_file("protocol.json")
    address, message = first[0], json.loads(first[1])
    assert (address, set(message)) == ("reports", {"protocol", "report"})
    assert message["protocol"] == protocol.fingerprint[:16]
    assert message["report"] in range(protocol.mechanism.outputs)


def test_figures_of_the_page_are_those_of_the_code() -> None:
    page = " ".join(text_of("collect.md").split())
    size = (Path(js.__file__).parent / "client.js").stat().st_size
    lines = (ROOT / "examples" / "collection" / "server.py").read_text("utf-8").splitlines()
    assert (THREADS, collector.SAVE_INTERVAL_S) == (2, 2.0)
    for words in (
        f"one file of {size / 1000:.0f} kB",
        f"collector of {len(lines)} lines",
        f"first {MARK_LENGTH} characters",
        "as a whole every two seconds",
        f"on two cores within {MEMORY_MB} MB",
        f"more than {ROWS_MAX}",
    ):
        assert words in page
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(re.findall(r"'\.\[(\w+)\]'", page)) == {"collect"}
    assert "pyarrow" in " ".join(project["optional-dependencies"]["collect"])


def test_times_of_the_page_are_within_the_bars_of_the_benchmarks() -> None:
    numbers = f"{files.TalliedNumbers.n:,} reports that are numbers"
    sets = f"{files.TalliedSets.n:,} reports that are sets of {files.SETS_OF:,} values"
    expected: dict[str, type[files.TalliedNumbers]] = {
        **{f"{numbers}, {family}": files.TalliedNumbers for family in files.SPECS},
        sets: files.TalliedSets,
    }
    rows = {work: cells for work, *cells in table(RESULTS, "| work | seconds | memory |")}
    week = f"a week of {files.Week.people:,} people, each by the JavaScript client in Chromium"
    small = {"CSV": "csv", "JSON lines": "jsonl"}
    assert list(small.values()) == list(files.TalliedSmallFiles.params)
    number, each = files.TalliedSmallFiles.n // files.TalliedSmallFiles.rows, "files of 20 reports"
    together = [f"{number:,} {each} each, {form}" for form in small]
    assert rows.keys() == expected.keys() | {week, *together}
    for work in together:
        assert float(rows[work][0]) <= files.TalliedSmallFiles.bars["time_tally"]
    for work, suite in expected.items():
        seconds, memory = rows[work]
        with naming(work):
            assert float(seconds) <= suite.bars["time_tally"]
            assert 1e6 * float(memory.removesuffix(" MB")) <= suite.bars["peakmem_tally"]


def test_what_is_said_of_a_trillion_people_follows_from_the_measured_times() -> None:
    n, k, everybody, cores = files.Spark.n, files.SETS_OF, 10**12, 1_000
    rows = table(RESULTS, "| work | seconds | of processors |")
    assert [work for work, *_ in rows] == [
        f"{n:,} sets of {k:,} values tallied by Spark, workers of one core each: {workers}"
        for workers in files.Spark.params
    ]
    (one, spent_by_one), (two, spent_by_two) = ([float(s) for s in row] for _, *row in rows)
    more, rate = spent_by_two / spent_by_one, n / spent_by_two
    spent, size = everybody / rate, files.protocol_of(Oue(), k).format.size
    tasks = everybody * size / (128 * 2**20)  # Spark's own size
    numbers = float(table(RESULTS, "| work | seconds | memory |")[0][1])
    page = " ".join(text_of(RESULTS).split())
    for words in (
        f"spend {more - 1:.0%} more".replace("%", " %"),
        f"are {one / two:.1f} times as fast",
        f"At {spent_by_two:.2f} s for {n:,} a core does {round(rate, -3):,.0f} a second",
        f"take {spent / 1e6:.1f} million seconds",
        f"{spent / cores / 60:.0f} minutes of 1,000",
        f"is {size} bytes: {everybody * size / 1e12:.0f} TB",
        f"to {ROWS_MAX}, and",
        f"reads {everybody * size / spent / 1e6:.0f} MB a second",
        f"{round(tasks, -3):,.0f} partial tallies of {k:,} counts",
        f"{ROWS_MAX * k * 8 / 1e6:.0f} MB come",
        f"{everybody / files.TalliedNumbers.n:,.0f} files of 10⁸. At {numbers} s each",
        f"takes {numbers * everybody / files.TalliedNumbers.n / 3600:.0f} hours",
    ):
        assert words in page, words


def test_pages_of_tables_say_which_labels_get_an_apostrophe() -> None:
    signs = [sign for sign in FORMULA_PREFIXES if sign.isascii() and sign.isprintable()]
    guarded = f"{', '.join(f'`{sign}`' for sign in signs[:-1])} or `{signs[-1]}`"
    for page in ("collect.md", "command-line.md"):
        assert guarded in " ".join(text_of(page).split())
    for label in ("=1+1", "@x", "+3", "-b"):
        assert as_csv({"answer": [label]}).splitlines() == ["answer", f"'{label}"]
    assert as_csv({"answer": ["-5"]}).splitlines() == ["answer", "-5"]


def test_names_of_the_page_are_those_of_the_code() -> None:
    page = text_of("collect.md")
    for name in (*REASONS, *DIALECTS, *(family for family in SPECS if " " not in family)):
        assert f"`{name}`" in page


def table(page: str, header: str) -> list[list[str]]:
    body = text_of(page).split(header, 1)[1].split("\n\n", 1)[0]
    return [[c.strip() for c in line.strip("|").split("|")] for line in body.splitlines()[2:]]


def names(cell: str) -> list[str]:
    return re.findall(r"`([\w-]+)`", cell)


def test_every_family_and_its_numbers_are_told() -> None:
    forms = {
        family: form.strip("`")
        for form, families, *_ in table("reports.md", "| form | families")
        for family in names(families)
    }
    drawn = {
        family for kinds, *_ in table("reports.md", "| `mechanism.kind`") for family in names(kinds)
    }
    families = [name for name in SPECS if " " not in name]
    assert forms == {name: small(name).format.kind for name in families}
    assert drawn == set(families)
    parts = [small(name).plan.mechanism_part() for name in families]
    words = set(re.findall(r"\w+", text_of("reports.md")))
    assert {number for part in parts for number in part["numbers"]} <= words
