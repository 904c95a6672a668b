"""Of plans that send stored reports again, days are not added up as if they were other people."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import CaldpError, Client, Protocol
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally, merge_tallies
from caldp_core.collect.collector import Collector, tally_files
from caldp_core.collect.device import NUMBER_RANGE, Budget, Memo, NoisyMemo, Once, Repetition
from caldp_core.collect.estimate import Tallies, collected_from_histogram
from caldp_core.collect.servers import collected_from_rows, partial_tallies
from tests.collect.protocols import labelled, tables

SENTENCE = "would count as several people"
STORED: list[Repetition] = [Once(), Memo(), NoisyMemo(NUMBER_RANGE // 2, 30)]
PLAN = pytest.mark.parametrize("plan", STORED, ids=lambda plan: plan.kind)


def protocol_of(plan: Repetition | None) -> Protocol:
    made = tables()["binary"]
    return made if plan is None else made.repeated(plan)


def write_day(protocol: Protocol, path: Path, batch: str | None, people: int = 20) -> Path:
    messages: list[dict[str, Any]] = [{"report": (i + people) % 2} for i in range(people)]
    if protocol.labels:
        fresh = replace(protocol, repetition=None)
        messages = [Client(fresh).message(fresh.labels[i % 2]) for i in range(people)]
    mark = {"protocol": protocol.fingerprint[:16]}
    named = mark if batch is None else mark | {"batch": batch}
    path.write_text("".join(f"{json.dumps(message | named)}\n" for message in messages))
    return path


def days(protocol: Protocol, folder: Path, *batches: str | None) -> list[Path]:
    # Each begins otherwise: equal files are copies, and longer ones have grown.
    return [
        write_day(protocol, folder / f"{number}.jsonl", batch, people=20 + number)
        for number, batch in enumerate(batches)
    ]


@PLAN
def test_tallies_of_two_days_are_not_added(plan: Repetition, tmp_path: Path) -> None:
    protocol = protocol_of(plan)
    monday, tuesday = map(Collector(protocol).tally, days(protocol, tmp_path, "mon", "tue"))
    adds: list[Callable[[], Any]] = [
        lambda: monday + tuesday,
        lambda: merge_tallies([monday, tuesday]),
        lambda: Tallies.of(protocol, (("mon", monday), ("tue", tuesday))),
        lambda: sum([tuesday], monday),
    ]
    for add in adds:
        with pytest.raises(CaldpError, match=SENTENCE):
            add()
    # Read again from its file, a tally still knows.
    again = CollectedTally.from_json(monday.to_json())
    with pytest.raises(CaldpError, match=SENTENCE):
        again + CollectedTally.from_json(tuesday.to_json())
    assert (monday + CollectedTally.empty(protocol)).tally.n == monday.tally.n


@PLAN
def test_files_of_two_days_are_not_counted_together(plan: Repetition, tmp_path: Path) -> None:
    protocol = protocol_of(plan)
    for batches in (("mon", "tue"), (None, None), ("mon", None)):
        files = days(protocol, tmp_path, *batches)
        with pytest.raises(CaldpError, match=SENTENCE):
            tally_files(protocol, files, tmp_path / f"{batches}.json")
    one_by_one = tmp_path / "later.json"
    first, second = days(protocol, tmp_path, "mon", "tue")
    tally_files(protocol, [first], one_by_one)
    with pytest.raises(CaldpError, match=SENTENCE):
        tally_files(protocol, [second], one_by_one)
    both = tmp_path / "both.jsonl"
    both.write_text(first.read_text() + second.read_text())
    with pytest.raises(CaldpError, match=SENTENCE):
        Collector(protocol).tally(both)


def without_plan(tally: CollectedTally) -> CollectedTally:
    """The tally as a file of an earlier version has it, which says no plan."""
    data = json.loads(tally.to_json())
    del data["plan"]
    return CollectedTally.from_json(json.dumps(data))


@pytest.mark.parametrize("plan", [*STORED, None], ids=lambda plan: plan.kind if plan else "none")
def test_tallies_that_say_no_plan_are_added_only_with_their_protocol(
    plan: Repetition | None, tmp_path: Path
) -> None:
    protocol = protocol_of(plan)
    both = list(map(Collector(protocol).tally, days(protocol, tmp_path, "mon", "tue")))
    old = [without_plan(tally) for tally in both]
    with pytest.raises(CaldpError, match="do not say what plan of repetition"):
        old[0] + old[1]
    # With nothing in it, or beside one that says it, nothing is unknown.
    assert (old[0] + without_plan(CollectedTally.empty(protocol))).tally == both[0].tally
    named = tuple(zip(("mon", "tue"), old, strict=True))
    files = [str(tmp_path / name) for name in ("protocol.json", "mon.json", "tue.json")]
    for file, text in zip(files, (protocol.to_json(), *(t.to_json() for t in old)), strict=True):
        Path(file).write_text(text)
    merged = CliRunner().invoke(main, ["merge", *files[1:], "-o", str(tmp_path / "sum.json")])
    assert merged.exit_code == 2
    assert "Name the protocol" in merged.output
    arguments = ["merge", *files[1:], "--protocol", files[0], "-o", str(tmp_path / "sum.json")]
    merged = CliRunner().invoke(main, arguments)
    if plan is None:
        assert merged.exit_code == 0, merged.output
        assert (old[0] + both[1]).tally == (both[0] + both[1]).tally
        assert Tallies.of(protocol, named).total == both[0] + both[1]
        assert CollectedTally.from_file(tmp_path / "sum.json") == both[0] + both[1]
        return
    assert SENTENCE in merged.output
    with pytest.raises(CaldpError, match=SENTENCE):
        old[0] + both[1]
    with pytest.raises(CaldpError, match=SENTENCE):
        Tallies.of(protocol, named)


def test_files_of_one_batch_are_one_day(tmp_path: Path) -> None:
    protocol = protocol_of(Memo())
    files = days(protocol, tmp_path, "mon", "mon")
    assert tally_files(protocol, files, tmp_path / "mon.json").collected.tally.n == 41


def test_other_plans_are_added_as_before(tmp_path: Path) -> None:
    for number, plan in enumerate((None, Budget(30))):
        protocol = protocol_of(plan)
        files = days(protocol, tmp_path, "mon", "tue")
        found = tally_files(protocol, files, tmp_path / f"{number}.json").collected
        assert found.tally.n == 41
        first, second = map(Collector(protocol).tally, files)
        assert (first + second).tally == found.tally


@PLAN
def test_queries_and_frames_of_two_days_are_refused(plan: Repetition, tmp_path: Path) -> None:
    import pyarrow as pa

    protocol = protocol_of(plan)
    table = tmp_path / "counts.csv"
    table.write_text("report,n,batch\n0,5,mon\n1,7,tue\n")
    with pytest.raises(CaldpError, match=SENTENCE):
        collected_from_histogram(protocol, table)
    table.write_text("report,n,batch\n0,5,mon\n1,7,mon\n")
    assert collected_from_histogram(protocol, table).tally.n == 12
    count = partial_tallies(protocol.to_json())
    frame = pa.RecordBatch.from_pydict({"report": [0, 1, 0], "batch": ["mon", "tue", "tue"]})
    rows = [row for part in count(iter([frame])) for row in part.to_pylist()]
    with pytest.raises(CaldpError, match=SENTENCE):
        collected_from_rows(protocol, rows, "frame")
    one_day = pa.RecordBatch.from_pydict({"report": [0, 1, 0], "batch": ["mon"] * 3})
    parts = [part for _ in range(2) for part in count(iter([one_day]))]
    rows = [row for part in parts for row in part.to_pylist()]
    assert collected_from_rows(protocol, rows, "frame").tally.n == 6


def test_reports_in_bytes_of_one_day_are_counted_by_parts(tmp_path: Path) -> None:
    protocol = labelled("oue", ("yes", "no", "other")).repeated(Memo())
    found = Collector(protocol).tally(write_day(protocol, tmp_path / "one.jsonl", "mon", 300))
    assert found.tally.n == 300
    assert found.plan == "memo"


def test_the_commands_end_with_the_sentence(tmp_path: Path) -> None:
    protocol = protocol_of(Memo())
    files = [str(path) for path in days(protocol, tmp_path, "mon", "tue")]
    made = tmp_path / "protocol.json"
    made.write_text(protocol.to_json())
    run = CliRunner().invoke
    together = run(main, ["tally", str(made), *files, "-o", str(tmp_path / "week.json")])
    assert together.exit_code == 2
    assert SENTENCE in together.stderr
    outputs = [str(tmp_path / f"{number}.tally.json") for number in range(2)]
    for file, output in zip(files, outputs, strict=True):
        assert run(main, ["tally", str(made), file, "-o", output]).exit_code == 0
    merged = run(main, ["merge", *outputs, "-o", str(tmp_path / "merged.json")])
    assert merged.exit_code == 2
    assert SENTENCE in merged.stderr


def test_why_ranges_of_added_days_are_too_narrow() -> None:
    """400 people, ten days of a stored report: as 4,000 people their range holds too rarely."""
    protocol = protocol_of(Memo())
    mechanism, rng = protocol.mechanism, np.random.default_rng(3)
    people = np.arange(400) % 2
    inside = []
    for _ in range(200):
        one_day = mechanism.tally(mechanism.privatize(people, rng))
        ten_days = replace(one_day, counts=10 * one_day.counts, n=4000)
        off = abs(float(mechanism.estimate(ten_days)[0]) - 0.5)
        inside.append(off < 1.96 * np.sqrt(mechanism.variance(np.array([0.5, 0.5]), 4000)[0]))
    # 95 of 100 are promised; the deviation is √10 times as large as that: 46 of 100.
    assert np.mean(inside) < 0.7
