"""Files of reports to tallies: every family, every form, many small files, and hostile ones."""

import gzip
import hashlib
import json
import random
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from caldp_core import CaldpError, Client, Protocol, Tally
from caldp_core.collect import report_files
from caldp_core.collect.collected_tally import (
    BUCKETS,
    MALFORMED,
    OTHER_PROTOCOL,
    OUT_OF_RANGE,
    CollectedTally,
    RecordChecker,
    merge_tallies,
    parse_records,
)
from caldp_core.collect.collector import Collector, tally_files
from caldp_core.collect.report_files import file_batch_name, small_files_together
from tests.collect import protocols
from tests.collect.protocols import SPECS, labelled, small, stated
from tests.contract.checks import naming
from tests.strategies import thinned

BYTES = ("rappor", "subset-selection", "local-hashing")


def same(left: Tally, right: Tally) -> bool:
    return left.n == right.n and bool((left.counts == right.counts).all())


def rows_of(payloads: list[bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(payloads), np.uint8).reshape(len(payloads), -1)


def expected_tally(protocol: Protocol, payloads: list) -> Tally:  # type: ignore[type-arg]
    """By the mechanism itself."""
    numbers = isinstance(payloads[0], int)
    sent = np.array(payloads) if numbers else parse_records(protocol, rows_of(payloads))
    return protocol.mechanism.tally(sent)


@pytest.mark.parametrize("family", SPECS)
def test_a_file_in_any_form_is_the_tally_of_its_reports(family: str, tmp_path: Path) -> None:
    protocol = small(family)
    sent = protocols.payloads(protocol, [x % 11 for x in range(200)], seed=1)
    right = expected_tally(protocol, sent)
    forms = protocols.FORMS if family in ("hadamard", "oue") else ("parquet",)
    for form in forms:
        with naming(form):
            found = Collector(protocol).tally(protocols.write(tmp_path / f"day.{form}", sent))
            assert same(found.tally, right)
            assert not any(found.refused.values())


@pytest.mark.parametrize("family", BYTES)
def test_every_report_that_can_be_is_counted_and_no_other(family: str) -> None:
    """Of bytes: one bit changed in each report that can be; the mechanism's own check decides."""
    protocol = small(family)
    able = [each for each in stated(protocol)[0] | stated(protocol)[1] if isinstance(each, bytes)]
    del able[40:]
    changed = [
        payload[:i] + bytes([payload[i] ^ 1 << bit]) + payload[i + 1 :]
        for payload in able
        for i in range(len(payload))
        for bit in range(8)
    ]
    records = parse_records(protocol, rows_of(able + changed))
    could = RecordChecker(protocol).valid_mask(records)
    for record, fits in zip(records, could, strict=True):
        try:
            protocol.mechanism.tally(np.array([record]))
        except CaldpError:
            assert not fits
        else:
            assert fits
    assert could[: len(able)].all()
    assert not could.all()


WRONG_NUMBERS = [
    ("11", OUT_OF_RANGE),
    ("-1", OUT_OF_RANGE),
    ("999999999999999999", OUT_OF_RANGE),
    ("9" * 30, MALFORMED),
    ("1.5", MALFORMED),
    ("", MALFORMED),
    ("1e3", MALFORMED),
    ("flu", MALFORMED),
    ("0x1", MALFORMED),
    ("=1+1", MALFORMED),
    ("１", MALFORMED),
]


def test_wrong_numbers_are_refused_by_their_reason(tmp_path: Path) -> None:
    """The i-th wrong one stands in its file 2^i times, so that counts name it."""
    protocol = small("randomized-response")
    right = dict.fromkeys((MALFORMED, OTHER_PROTOCOL, OUT_OF_RANGE), 0)
    for i, (_, reason) in enumerate(WRONG_NUMBERS):
        right[reason] += 2**i
    sent = [text for i, (text, _) in enumerate(WRONG_NUMBERS) for _ in range(2**i)]
    for form in ("csv", "jsonl"):
        path = protocols.write(
            tmp_path / f"day.{form}", ["3", *sent, "4"], other=[""] * (len(sent) + 2)
        )
        found = Collector(protocol).tally(path)
        with naming(form):
            assert found.tally.n == 2
            assert found.refused == right


def test_wrong_bytes_are_refused_by_their_reason(tmp_path: Path) -> None:
    for family in BYTES:
        protocol = small(family)
        (right,) = protocols.payloads(protocol, [2], seed=2)
        assert isinstance(right, bytes)
        wrong = [(b"", MALFORMED), (right[:-1], MALFORMED), (right + b"\0", MALFORMED)]
        wrong += [
            (b"\xff" * len(right), OUT_OF_RANGE),
            (b"\x00" * (len(right) - 1) + b"\xff", OUT_OF_RANGE),
        ]
        for form in ("parquet", "csv", "jsonl"):
            reports = [right] + [payload for payload, _ in wrong]
            path = protocols.write(tmp_path / f"day.{form}", reports)
            if form == "jsonl":
                with path.open("a", encoding="utf-8") as file:
                    file.write('{"report": "@@"}\n{"report": [1]}\n')
            with naming(f"{family} in {form}"):
                found = Collector(protocol).tally(path)
                assert same(found.tally, expected_tally(protocol, [right]))
                # An empty report in Parquet is one that was drawn by nobody, too.
                more = 2 * (form == "jsonl")
                assert sum(found.refused.values()) == len(wrong) + more
                assert found.refused[OUT_OF_RANGE] == 2


LINES = (
    "{",
    "[1]",
    "null",
    '"report"',
    "{}",
    '{"report": null}',
    '{"report": {"a": 1}}',
    '{"report": true}',
    "\x1f",
    '{"report": 3',
    "[" * 5000,
    "\0",
)


def test_lines_that_are_no_reports_are_counted_and_stop_nothing(tmp_path: Path) -> None:
    protocol, path = small("galois"), tmp_path / "day.jsonl"
    path.write_text("".join(f'{line}\n{{"report": 1}}\n\n' for line in LINES), "utf-8")
    found = Collector(protocol).tally(path)
    assert found.tally.n == len(LINES)
    assert found.refused == {MALFORMED: len(LINES), OTHER_PROTOCOL: 0, OUT_OF_RANGE: 0}


CSV_FILES = (
    # A file, the reports that are in it, and how many are malformed.
    ('received,report\n"Nov 25, 2026",3\n"he said ""4, 5""",6\n', (3, 6), 0),
    ("report\n3,4,5\n6\n", (6,), 1),
    ("received,report\nNov,3,\n4\nNov,5\n", (5,), 2),
    ('report,batch\n1,a\n2,a,b,c\n3\n"4","a\nb"\n', (1,), 4),
    ('received,report\n"Nov,3\nNov,4\n"Nov" 25,5\nNov "25",6\n"Nov",7', (4, 6, 7), 2),
    ('"received, by",report\n\n,"3"\n"",4\n', (3, 4), 0),
)


def test_a_line_of_csv_is_a_report_if_it_has_the_fields_of_the_header(tmp_path: Path) -> None:
    protocol, path = small("galois"), tmp_path / "day.csv"
    for text, reports, malformed in CSV_FILES:
        path.write_text(text, "utf-8")
        found = Collector(protocol).tally(path)
        with naming(text):
            assert same(found.tally, expected_tally(protocol, list(reports)))
            assert found.refused == {MALFORMED: malformed, OTHER_PROTOCOL: 0, OUT_OF_RANGE: 0}


def test_a_line_that_was_cut_off_counts_as_no_other_report(tmp_path: Path) -> None:
    protocol = small("galois")
    mark = Client(protocol).message(0)["protocol"]
    for name, start, line in (
        ("day.csv", "report,protocol\n", f"10,{mark}"),
        ("day.jsonl", "", f'{{"report": 10, "protocol": "{mark}"}}'),
    ):
        for length in range(len(line) + 1):
            path = tmp_path / f"{length}.{name}"
            path.write_text(f"{start}{line}\n{line[:length]}", "utf-8")
            found = Collector(protocol).tally(path).tally
            with naming(line[:length]):
                assert any(same(found, expected_tally(protocol, [10] * n)) for n in (1, 2))


def test_lines_may_end_as_pythons_csv_ends_them_on_windows(tmp_path: Path) -> None:
    protocol = small("galois")
    texts = {
        "day.csv": "by,report\r\r\nme,3\r\r\n" + '"me, too",4\r\r\n' * 2,
        "day.jsonl": '{"report": 3}\r\r\n{"report": 4}\r\r\n\r\r\n{"report": 4}\r\r\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
        found = Collector(protocol).tally(tmp_path / name)
        with naming(name):
            assert same(found.tally, expected_tally(protocol, [3, 4, 4]))
            assert not any(found.refused.values())


def test_a_broken_quote_spoils_its_own_line_alone(tmp_path: Path) -> None:
    """Of so many lines that DuckDB's own reader of quotes gives up."""
    protocol, path, lines = small("galois"), tmp_path / "day.csv", 400_000
    path.write_text("received,report\n" + '"Nov,3\n' + "Nov,4\n" * lines, "utf-8")
    found = Collector(protocol).tally(path)
    assert (found.tally.n, found.refused[MALFORMED]) == (lines, 1)


def test_reports_of_another_protocol_are_refused(tmp_path: Path) -> None:
    for family in ("hadamard", "oue"):
        protocol = small(family)
        sent = protocols.payloads(protocol, [0, 1, 2], seed=3)
        mark = protocol.fingerprint
        marks = [mark[:16], mark, "0123456789abcdef"]
        for form in ("parquet", "jsonl"):
            path = protocols.write(tmp_path / f"day.{form}", sent, protocol=marks)
            found = Collector(protocol).tally(path)
            assert found.tally.n == 2
            assert found.refused == {MALFORMED: 0, OTHER_PROTOCOL: 1, OUT_OF_RANGE: 0}


FILES = (
    ("day.txt", b"1", r"end in \.parquet, \.csv, \.jsonl, \.ndjson"),
    ("day.parquet", b"no parquet", "can't be read"),
    ("day.parquet", b"", "can't be read"),
    ("day.csv", b"number\n1\n", "no column report, only number"),
    ("day.csv.gz", b"not zipped", "can't be read"),
    ("day.csv", b"report" + b",x%d" * 1000 % tuple(range(1000)), "has 1,001 columns, and may have"),
)


def test_files_that_cannot_be_read_are_refused_in_one_sentence(tmp_path: Path) -> None:
    collector = Collector(small("hadamard"))
    for name, content, message in FILES:
        (tmp_path / name).write_bytes(content)
        with naming(name), pytest.raises(CaldpError, match=message):
            collector.tally(tmp_path / name)
    with pytest.raises(CaldpError, match="can't be read"):
        collector.tally(tmp_path / "none.csv")
    path = protocols.write(tmp_path / "floats.parquet", [1.5])
    with pytest.raises(CaldpError, match="whole numbers, bytes or texts, it has DOUBLE"):
        collector.tally(path)


def test_no_batch_counts_twice(tmp_path: Path) -> None:
    protocol = small("hadamard")
    sent = protocols.payloads(protocol, [0, 1, 2], seed=4)
    collector, output = Collector(protocol), tmp_path / "week.json"
    day = protocols.write(tmp_path / "a.csv", sent, batch=["mon"] * 3)
    first = tally_files(protocol, [day], output).collected
    shutil.copy(day, tmp_path / "renamed.csv")
    assert tally_files(protocol, [tmp_path / "renamed.csv"], output).files_skipped == 1
    again = protocols.write(tmp_path / "b.parquet", sent, batch=["mon", "tue", None])
    with pytest.raises(CaldpError, match=r"The batch .mon. of .* was counted before"):
        tally_files(protocol, [again], output)
    with pytest.raises(CaldpError, match="is in both tallies"):
        _ = first + collector.tally(again)
    many = protocols.write(tmp_path / "c.csv", sent * 400, batch=[str(i) for i in range(1200)])
    with pytest.raises(CaldpError, match="more than 1,000 batches"):
        collector.tally(many)


def week(tmp_path: Path, protocol: Protocol, form: str = "parquet") -> list[Path]:
    people = [x % 11 for x in range(30)]
    return [
        protocols.write(tmp_path / f"{day}.{form}", protocols.payloads(protocol, people, seed=day))
        for day in range(4)
    ]


@pytest.mark.slow
def test_tallies_add_up_to_the_same_bits_in_any_order(tmp_path: Path) -> None:
    for family in ("galois", "rappor"):
        protocol = small(family)
        days = [Collector(protocol).tally(path) for path in week(tmp_path, protocol)]
        sums = {merge_tallies(order).to_json() for order in permutations(days)}
        assert len(sums) == 1
        whole = tally_files(protocol, week(tmp_path, protocol), tmp_path / f"{family}.json")
        assert whole.collected.to_json() in sums
        text = (tmp_path / f"{family}.json").read_text("utf-8")
        assert text in sums
        assert same(Tally.from_json(text), whole.collected.tally)


def test_unlike_protocols_are_refused(tmp_path: Path) -> None:
    ours, theirs = labelled("galois", ("a", "b")), labelled("galois", ("b", "a"))
    assert ours.mechanism.fingerprint == theirs.mechanism.fingerprint
    with pytest.raises(CaldpError, match="Tallies of different protocols cannot be added"):
        merge_tallies([CollectedTally.empty(ours), CollectedTally.empty(theirs)])
    CollectedTally.empty(ours).write(tmp_path / "tally.json")
    with pytest.raises(CaldpError, match="The tally is of the protocol"):
        tally_files(theirs, [], tmp_path / "tally.json")
    with pytest.raises(CaldpError, match="needs at least one tally"):
        merge_tallies([])


def test_a_run_that_broke_off_goes_on_and_counts_nothing_twice(tmp_path: Path) -> None:
    protocol = small("oue")
    days, output = week(tmp_path, protocol, "jsonl"), tmp_path / "week.json"
    right = tally_files(protocol, days, tmp_path / "right.json").collected.to_json()
    kept = days[2].read_bytes()
    days[2].unlink()
    with pytest.raises(CaldpError, match="can't be read"):
        tally_files(protocol, days, output)
    assert CollectedTally.from_file(output).tally.n == 60
    days[2].write_bytes(kept)
    found = tally_files(protocol, days, output)
    assert (found.files_counted, found.files_skipped) == (2, 2)
    assert output.read_text("utf-8") == right
    again = tally_files(protocol, days, output)
    assert (again.files_counted, again.files_skipped) == (0, 4)
    assert output.read_text("utf-8") == right
    assert not list(tmp_path.glob(".*.part"))


def test_a_file_that_has_grown_since_it_was_counted_is_refused(tmp_path: Path) -> None:
    protocol, output = small("galois"), tmp_path / "week.json"
    for name, first, more in (
        ("a.csv", "report\n3\n4\n", "5\n"),
        ("b.jsonl", '{"report": 3}\n', '{"report": 4}\n'),
        ("c.jsonl.gz", '{"report": 5}\n', '{"report": 4}\n'),
    ):
        path = write_text(tmp_path / name, first)
        tally_files(protocol, [path], output)
        counted = output.read_text("utf-8")
        write_text(path, first + more)
        with naming(name), pytest.raises(CaldpError, match="has grown since it was counted"):
            tally_files(protocol, [path], output)
        assert output.read_text("utf-8") == counted
    tally_files(protocol, [tmp_path / "a.csv"], tmp_path / "anew.json")
    assert CollectedTally.from_file(tmp_path / "anew.json").tally.n == 3


def write_text(path: Path, text: str) -> Path:
    """The path of a file of this text, packed if its name says so."""
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_a_packed_copy_of_a_counted_file_is_left_out(tmp_path: Path) -> None:
    protocol, text = small("galois"), "report\n3\n4\n"
    copies = [write_text(tmp_path / name, text) for name in ("a.csv", "b.csv.gz", "c.csv")]
    found = tally_files(protocol, copies, tmp_path / "week.json")
    assert (found.files_counted, found.files_skipped, found.collected.tally.n) == (1, 2, 2)


def test_a_file_without_reports_is_the_beginning_of_no_other(tmp_path: Path) -> None:
    protocol, texts = small("galois"), ("report\n", "", "report\n3\n", "report\n4\n")
    names = ("a.csv", "b.jsonl", "c.csv", "d.csv")
    files = [write_text(tmp_path / name, text) for name, text in zip(names, texts, strict=True)]
    tally_files(protocol, files[:2], tmp_path / "week.json")
    assert tally_files(protocol, files, tmp_path / "week.json").collected.tally.n == 2


def test_a_file_that_changes_while_it_is_counted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol, path = small("galois"), write_text(tmp_path / "day.csv", "report\n3\n")

    def append(found: Path) -> str:
        name = file_batch_name(found)
        write_text(path, "report\n3\n4\n")
        return name

    monkeypatch.setattr(report_files, "file_batch_name", lambda found, _: append(found))
    with pytest.raises(CaldpError, match="has changed while it was counted"):
        Collector(protocol).tally(path)


def test_the_books_of_earlier_versions_are_read(tmp_path: Path) -> None:
    """They knew a file by the digest of its bytes alone."""
    protocol, output = small("galois"), tmp_path / "week.json"
    path = write_text(tmp_path / "day.csv", "report\n3\n")
    tally_files(protocol, [path], output)
    book = json.loads(output.read_text("utf-8"))
    book["batches"] = [f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"]
    output.write_text(json.dumps(book), "utf-8")
    assert tally_files(protocol, [path], output).files_skipped == 1


def test_runs_into_one_output_wait_for_each_other(tmp_path: Path) -> None:
    """The second begins in the middle of the first, before anything is written."""
    protocol, output = small("galois"), tmp_path / "week.json"
    days = [write_text(tmp_path / f"{n}.csv", f"report\n{n}\n") for n in range(3, 6)]
    with ThreadPoolExecutor(1) as beside:
        second: list[Future[Any]] = []

        def begin_second(done: float) -> None:
            if not second:
                second.append(beside.submit(tally_files, protocol, days[2:], output))

        tally_files(protocol, days[:2], output, begin_second)
        second[0].result()
    assert CollectedTally.from_file(output).tally.n == 3
    assert {each.name for each in tmp_path.iterdir()} == {"3.csv", "4.csv", "5.csv", "week.json"}


def test_tallies_that_are_none_are_refused(tmp_path: Path) -> None:
    protocol, path = small("hadamard"), tmp_path / "tally.json"
    whole = json.loads(CollectedTally.empty(protocol).to_json())
    wrong: tuple[dict[str, Any], ...] = (
        {"n": -1},
        {"counts": "many"},
        {"counts": [10**40]},
        {"protocol": 3},
        {"batches": [1]},
        {"refused": {}},
        {"refused": dict.fromkeys(whole["refused"], -1)},
        {"caldp_tally": 9},
    )
    for change in wrong:
        path.write_text(json.dumps(whole | change), "utf-8")
        with naming(str(change)), pytest.raises(CaldpError):
            CollectedTally.from_file(path)
    path.write_text(json.dumps(whole | {"counts": [0, 0]}), "utf-8")
    with pytest.raises(CaldpError, match="has 2 counts"):
        CollectedTally.from_file(path).check(protocol)


ODD: Final[tuple[Any, ...]] = (None, True, -1, 0.5, 1e400, "x", [], [1], [[1], 2], {}, {"a": [1]})
"""What somebody may write in the place of anything in a tally's file."""


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """The ways to all that a value of JSON holds; of long lists the ends."""
    yield ()
    keys = list(value) if isinstance(value, dict) else []
    if isinstance(value, list):
        keys = sorted({0, len(value) - 1}) if value else []
    for key in keys:
        for way in places(value[key]):
            yield key, *way


def changed(value: Any, way: tuple[Any, ...], odd: Any) -> Any:
    """The value with something else at the end of that way."""
    if not way:
        return odd
    copy = value.copy()
    copy[way[0]] = changed(value[way[0]], way[1:], odd)
    return copy


@pytest.mark.parametrize("family", ["hadamard", "local-hashing"])
def test_whatever_stands_in_a_tally_is_read_or_refused_in_a_sentence(family: str) -> None:
    """`buckets` with a list in it had ended `caldp merge` and `estimate` in a ValueError."""
    protocol = small(family)
    buckets = np.zeros(BUCKETS, np.int64)
    buckets[0] = 1
    whole = json.loads(replace(CollectedTally.empty(protocol), buckets=buckets).to_json())
    assert len(whole["buckets"]) == BUCKETS
    refused = 0
    for way in places(whole):
        for odd in ODD:
            text = json.dumps(changed(whole, way, odd))
            with naming(f"{way}: {odd}"):
                try:
                    found = CollectedTally.from_json(text)
                    (found + found).check(protocol)
                except CaldpError:
                    refused += 1
    assert refused > 100


def small_files(protocol: Protocol, folder: Path) -> list[Path]:
    """Eighteen files: three forms, parts of one delivery, and everything that is not plain."""
    folder.mkdir()
    files = []
    for i, ending in enumerate(("csv", "jsonl", "csv", "csv", "jsonl", "csv", "parquet", "csv.gz")):
        sent = protocols.payloads(protocol, [i % 3, 1, 2], seed=i)
        batch = {"batch": ["mon"] * 3} if i % 2 else {}
        files.append(protocols.write(folder / f"{i}.{ending}", sent, **batch))
    files.append(Path(shutil.copy(files[0], folder / "copy.csv")))
    first = files[0].read_bytes()
    for name, content in (
        ("empty.csv", first.partition(b"\n")[0] + b"\n"),
        ("nothing.jsonl", b""),
        ("not-utf-8.csv", first + b"\xff\xfe\n"),
        ("only-refused.jsonl", b"\xff\xfe\n"),
        ("odd.csv", first + b"one,two,three\n7e9\n\n"),
        ("other.jsonl", b'{"report": 1, "protocol": "0123456789abcdef"}\n'),
    ):
        (folder / name).write_bytes(content)
        files.append(folder / name)
    return files


@pytest.mark.slow
@pytest.mark.parametrize(("family", "seed"), thinned(["galois", "oue"], range(2), one_in=2))
def test_files_counted_together_give_the_tally_of_files_counted_one_by_one(
    family: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = small(family)
    files = small_files(protocol, tmp_path / "files")
    # A file that begins like another, such as the first of these, would be refused as grown.
    files = [each for each in files if each.name not in {"not-utf-8.csv", "odd.csv"}]
    random.Random(seed).shuffle(files)
    together = counted(protocol, files, tmp_path / "a.json", monkeypatch, 500)
    assert together == counted(protocol, files, tmp_path / "b.json", monkeypatch, 1)


def counted(
    protocol: Protocol, files: Sequence[Path], output: Path, patch: pytest.MonkeyPatch, most: int
) -> tuple[str, int, int]:
    """The tally, files counted and skipped, by two runs, of which the first has a third of all."""
    output.unlink(missing_ok=True)
    patch.setattr(report_files, "GROUP_FILES", most)
    tally_files(protocol, files[: len(files) // 3], output)
    run = tally_files(protocol, files, output)
    return run.collected.to_json(), run.files_counted, run.files_skipped


def refusal(protocol: Protocol, files: Sequence[Path], output: Path) -> tuple[str, str]:
    """The sentence, and the tally that is left."""
    output.unlink(missing_ok=True)
    with pytest.raises(CaldpError) as error:
        tally_files(protocol, files, output)
    return str(error.value), output.read_text("utf-8")


@pytest.mark.slow
def test_the_file_that_is_refused_is_the_one_that_would_be_refused_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = small("galois")
    files, output = small_files(protocol, tmp_path / "files"), tmp_path / "week.json"
    plain, part = files[2], files[1]
    lines = part.read_text("utf-8").splitlines(keepends=True)
    wrong = {
        "grown.csv": plain.read_bytes() + b"3\n",
        "copy.jsonl": "".join([*lines[1:], lines[0]]).encode(),
        "many.jsonl": "".join(f'{{"report": 1, "batch": "{i}"}}\n' for i in range(1_100)).encode(),
        "columns.csv": b"number\n1\n",
    }
    for name, content in wrong.items():
        bad = tmp_path / name
        bad.write_bytes(content)
        order = [plain, files[4], part, bad, files[5]]
        with naming(name):
            monkeypatch.setattr(report_files, "GROUP_FILES", 500)
            sentence, left = refusal(protocol, order, output)
            monkeypatch.setattr(report_files, "GROUP_FILES", 1)
            assert (sentence, left) == refusal(protocol, order, output)
            assert name in sentence
            assert '"n": 9' in left


def test_neighbours_of_one_form_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = small_files(small("galois"), tmp_path / "files")
    monkeypatch.setattr(report_files, "GROUP_FILES", 2)
    groups = [[path.name for path in group] for group in small_files_together(files)]
    assert groups[:5] == [["0.csv"], ["1.jsonl"], ["2.csv"], ["3.csv"], ["4.jsonl"]]
    assert [name for group in groups for name in group] == [path.name for path in files]
    assert ["only-refused.jsonl"] in groups
    assert max(map(len, groups)) == 2


def decoy(protocol: Protocol, path: Path) -> Path:
    """A file of eleven reports."""
    return protocols.write(path, protocols.payloads(protocol, [0] * 11, seed=9))


@pytest.mark.parametrize("name", ["a*b", "a?b", "[a]xb", 'a\'b "c"'])
def test_the_name_of_a_file_is_not_a_pattern(name: str, tmp_path: Path) -> None:
    protocol = small("galois")
    for form in protocols.FORMS:
        decoy(protocol, tmp_path / f"axb.{form}")
    people = range(1, len(protocols.FORMS) + 1)
    files = [
        protocols.write(tmp_path / f"{name}.{form}", protocols.payloads(protocol, [1] * n, seed=n))
        for n, form in zip(people, protocols.FORMS, strict=True)
    ]
    assert [Collector(protocol).tally(path).tally.n for path in files] == [*people]
    run = tally_files(protocol, files, tmp_path / "week.json")
    assert run.collected.tally.n == sum(people)


def test_a_link_is_read_by_its_own_name_from_any_folder(tmp_path: Path) -> None:
    protocol, (store, inbox) = small("galois"), (tmp_path / "store", tmp_path / "inbox")
    store.mkdir()
    inbox.mkdir()
    for form in protocols.FORMS:
        kept = decoy(protocol, store / f"kept.{form}").rename(store / form.replace(".", "-"))
        link = inbox / f"monday.{form}"
        link.symlink_to(kept)
        with naming(form):
            assert Collector(protocol).tally(link).tally.n == 11


@pytest.mark.parametrize("folder", ["batch=tue", "line=x", "filename=x"])
def test_the_name_of_a_folder_is_not_a_column(folder: str, tmp_path: Path) -> None:
    protocol = small("galois")
    (tmp_path / folder).mkdir()
    sent = protocols.payloads(protocol, [0, 1], seed=1)
    for form in protocols.FORMS:
        path = protocols.write(
            tmp_path / folder / f"part.{form}", sent, batch=["mon"] * 2, filename=["a", "b"]
        )
        found = Collector(protocol).tally(path)
        with naming(form):
            assert found.tally.n == 2
            assert "batch:mon" in found.batches
            assert len(found.batches) == 2
