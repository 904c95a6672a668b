"""docs/collect.md is walked through, docs/reports.md is held against the protocols."""

import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from benchmarks.suites import files
from caldp_core import Protocol
from caldp_core.basics.duck import THREADS
from caldp_core.basics.files import FORMULA_PREFIXES
from caldp_core.cli.commands import main
from caldp_core.collect import collector, js
from caldp_core.collect.arrow import ROWS_MAX
from caldp_core.collect.client import MARK_LENGTH
from caldp_core.collect.collected_tally import REASONS
from caldp_core.collect.collector import MEMORY_MB
from caldp_core.collect.servers import DIALECTS
from caldp_core.experiments.table import as_csv
from caldp_core.mechanisms.catalogue import Oue
from tests import ROOT
from tests.collect.protocols import SPECS, small
from tests.collect.test_javascript import NODE
from tests.contract.checks import naming

COPY: Final = re.compile(r"^ {4}cp (examples/\S+) (\S+)$", re.MULTILINE)
STEP: Final = re.compile(r"^ {4}caldp ([^\n]*)$|^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)

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


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text("utf-8")


def words_of(command: str) -> list[str]:
    """As a shell hands them over, with files in the place of patterns."""
    parts = [sorted(map(str, Path().glob(w))) if "*" in w else [w] for w in shlex.split(command)]
    return [word for part in parts for word in part]


def test_a_walk_through_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ((example, scenario),) = COPY.findall(text_of("collect.md"))
    shutil.copy(ROOT / example, scenario)
    known: dict[str, Any] = {}
    steps = STEP.findall(re.sub(r"^( {4}.*)$", r"\1\n", text_of("collect.md"), flags=re.MULTILINE))
    assert len(steps) == 19
    for command, code in steps:
        with naming(command or code):
            if command:
                done = CliRunner().invoke(main, words_of(command))
                assert done.exit_code == 0, done.output
                continue
            with redirect_stdout(io.StringIO()) as printed:
                exec(code, known)
            assert printed.getvalue().splitlines() == re.findall(r"^# (.*)$", code, re.MULTILINE)
    assert "export class Client" in Path("client.js").read_text("utf-8")
    assert Path("both.tally.json").read_bytes() == Path("week.tally.json").read_bytes()
    rows = list(csv.DictReader(Path("estimate.csv").read_text("utf-8").splitlines()))
    assert {"estimated share", "estimated people", "low", "high"} < set(rows[0])
    record = json.loads(Path("record.json").read_text("utf-8"))
    assert (record["reports"], record["files"]) == (300, 2)
    assert record["batches"] == ["monday", "tuesday"]
    (block,) = record["privacy"]["if_mixed"]["blocks"]
    assert block["people"] == 300
    counts = [json.loads(Path(f"{name}.tally.json").read_text("utf-8"))["counts"]
              for name in ("mixed", "tuesday", "monday")]  # fmt: skip
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
        f"one file of {size / 1000:.0f} kB", f"collector of {len(lines)} lines",
        f"first {MARK_LENGTH} characters", "as a whole every two seconds",
        f"on two cores within {MEMORY_MB} MB", f"more than {ROWS_MAX}",
    ):  # fmt: skip
        assert words in page
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(re.findall(r"'\.\[(\w+)\]'", page)) == {"collect"}
    assert "pyarrow" in " ".join(project["optional-dependencies"]["collect"])


def test_times_of_the_page_are_within_the_bars_of_the_benchmarks() -> None:
    numbers = f"{files.TalliedNumbers.n:,} reports that are numbers"
    sets = f"{files.TalliedSets.n:,} reports that are sets of {files.SETS_OF:,} values"
    expected: dict[str, type[files.Tallied]] = {
        **{f"{numbers}, {family}": files.TalliedNumbers for family in files.SPECS},
        sets: files.TalliedSets,
    }
    rows = {work: cells for work, *cells in table("collect.md", "| work | seconds | memory |")}
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
    rows = table("collect.md", "| work | seconds | of processors |")
    assert [work for work, *_ in rows] == [
        f"{n:,} sets of {k:,} values tallied by Spark, workers of one core each: {workers}"
        for workers in files.Spark.params
    ]
    (one, spent_by_one), (two, spent_by_two) = ([float(s) for s in row] for _, *row in rows)
    more, rate = spent_by_two / spent_by_one, n / spent_by_two
    spent, size = everybody / rate, files.protocol_of(Oue(), k).format.size
    tasks = everybody * size / (128 * 2**20)  # Spark's own size
    numbers = float(table("collect.md", "| work | seconds | memory |")[0][1])
    page = " ".join(text_of("collect.md").split())
    for words in (
        f"spend {more - 1:.0%} more".replace("%", " %"), f"are {one / two:.1f} times as fast",
        f"At {spent_by_two:.2f} s for {n:,} a core does {round(rate, -3):,.0f} a second",
        f"take {spent / 1e6:.1f} million seconds", f"{spent / cores / 60:.0f} minutes of 1,000",
        f"is {size} bytes: {everybody * size / 1e12:.0f} TB", f"to {ROWS_MAX}, and",
        f"reads {everybody * size / spent / 1e6:.0f} MB a second",
        f"{round(tasks, -3):,.0f} partial tallies of {k:,} counts",
        f"{ROWS_MAX * k * 8 / 1e6:.0f} MB come",
        f"{everybody / files.TalliedNumbers.n:,.0f} files of 10⁸. At {numbers} s each",
        f"takes {numbers * everybody / files.TalliedNumbers.n / 3600:.0f} hours",
    ):  # fmt: skip
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
