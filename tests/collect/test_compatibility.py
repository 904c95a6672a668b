"""Files of every version are kept for ever, and mean what they meant (docs/compatibility.md).

`kept/1` was written by caldp 0.1.0 before there were plans of repetition, `kept/2` when they came,
`kept/3` when a file could hold several questions.
Nobody writes them again: a file that is read otherwise is a broken promise.
"""

import json
import shutil
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from caldp_core import CaldpError, Client, Protocol
from caldp_core.collect.client import PLANNED, VERSION_KEY
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import tally_files
from caldp_core.collect.estimate import estimate_table
from caldp_core.collect.protocol import PROTOCOL_KEY, REPEATED
from caldp_core.collect.questions import Questions
from tests.collect.test_client import remembered
from tests.contract.checks import naming

KEPT: Final = Path(__file__).with_name("kept")
FIRST: Final = sorted((KEPT / "1").iterdir())
PLANS: Final = sorted((KEPT / "2").iterdir())


def read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def answers(protocol: Protocol) -> list[Any]:
    return list(protocol.labels) or list(range(protocol.domain.k))


def in_javascript(folder: Path, protocol: Protocol) -> dict[str, str]:
    """What a browser's memory holds of the same people."""
    lines = map(json.loads, (folder / "memory.jsonl").read_text("utf-8").splitlines())
    mark = protocol.fingerprint
    return {
        f"caldp.{line['person']}": json.dumps(line["report"])
        for line in lines
        if line["protocol"] == mark
    }


def test_a_protocol_has_the_fingerprint_that_it_had() -> None:
    assert [folder.name for folder in FIRST] == ["blocks", "hadamard", "oue", "table"]
    assert [folder.name for folder in PLANS] == ["budget", "memo", "noisy-memo", "once"]
    for folder in FIRST + PLANS:
        data = read(folder / "protocol.json")
        protocol = Protocol.from_dict(data)
        with naming(folder.name):
            assert protocol.fingerprint == data["fingerprint"]
            assert protocol.to_dict() | {"caldp_version": data["caldp_version"]} == data
            assert data[PROTOCOL_KEY] == int(folder.parent.name)


def test_reports_are_counted_as_they_were(tmp_path: Path) -> None:
    for folder in FIRST:
        protocol = Protocol.from_file(folder / "protocol.json")
        output = tmp_path / f"{folder.name}.json"
        tally_files(protocol, [folder / "reports.jsonl"], output)
        old, new = (CollectedTally.from_file(p) for p in (folder / "tally.json", output))
        with naming(folder.name):
            assert (new.tally.n, new.refused, new.batches) == (40, old.refused, old.batches)
            assert sum(old.refused.values()) == 2
            np.testing.assert_array_equal(new.tally.counts, old.tally.counts)
            np.testing.assert_array_equal(new.buckets, old.buckets)
            assert (new.protocol, new.tally.fingerprint) == (old.protocol, old.tally.fingerprint)
            # A run goes on with it, and counts nothing twice.
            shutil.copy(folder / "tally.json", output)
            assert tally_files(protocol, [folder / "reports.jsonl"], output).files_skipped == 1
            shares = estimate_table(protocol, old, 0.95)["estimated share"]
            assert sum(map(float, shares)) == pytest.approx(1.0)  # type: ignore[arg-type]


def test_a_memory_sends_what_it_stored(tmp_path: Path) -> None:
    for folder in FIRST:
        protocol, sent = Protocol.from_file(folder / "protocol.json"), read(folder / "sent.json")
        memory = Path(shutil.copy(folder / "memory.jsonl", tmp_path / folder.name))
        client, last = Client(protocol, memory), answers(protocol)[-1]
        with naming(folder.name):
            assert {name: client.report(last, name) for name in sent} == sent
            assert memory.read_bytes() == (folder / "memory.jsonl").read_bytes()
            asks = [[last, name] for name in sent]
            output = remembered(protocol, asks, in_javascript(folder, protocol))
            assert output["reports"] == list(sent.values())


def test_a_plan_goes_on_from_what_it_stored(tmp_path: Path) -> None:
    for folder in PLANS:
        protocol, sent = Protocol.from_file(folder / "protocol.json"), read(folder / "sent.json")
        memory = Path(shutil.copy(folder / "memory.jsonl", tmp_path / folder.name))
        client, asked = Client(protocol, memory), answers(protocol)[:2]
        with naming(folder.name):
            for name, reports in sent.items():
                if folder.name == "budget":
                    with pytest.raises(CaldpError, match="1 a day and 2 in all"):
                        client.report(asked[0], name)
                elif folder.name == "noisy-memo":
                    assert client.report(asked[0], name) in (0, 1)  # the third of three
                    with pytest.raises(CaldpError, match="as many reports"):
                        client.report(asked[0], name)
                else:
                    assert [client.report(answer, name) for answer in asked] == reports


def test_several_questions_are_what_they_were(tmp_path: Path) -> None:
    folder = KEPT / "3" / "survey"
    data, sent = read(folder / "protocol.json"), read(folder / "sent.json")
    asked = Questions.from_dict(data)
    assert (asked.fingerprint, data[PROTOCOL_KEY]) == (data["fingerprint"], 3)
    memory = Path(shutil.copy(folder / "memory.jsonl", tmp_path / "memory"))
    client, last = Client(asked, memory), {n: e.labels[-1] for n, e in asked.protocols.items()}
    assert {name: client.report(last, name) for name in sent} == sent
    assert memory.read_bytes() == (folder / "memory.jsonl").read_bytes()


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """Never read as something else: an earlier version can't know what a later one means."""
    folder = KEPT / "2" / "memo"
    data = read(folder / "protocol.json")
    with pytest.raises(CaldpError, match=f"this file has {REPEATED + 1}"):
        Protocol.from_dict(data | {PROTOCOL_KEY: REPEATED + 1})
    tally = read(KEPT / "1" / "hadamard" / "tally.json")
    with pytest.raises(CaldpError, match="another format"):
        CollectedTally.from_dict(tally | {"caldp_tally": 2})
    line = json.loads((folder / "memory.jsonl").read_text("utf-8").splitlines()[0])
    (tmp_path / "memory").write_text(f"{json.dumps(line | {VERSION_KEY: PLANNED + 1})}\n", "utf-8")
    with pytest.raises(CaldpError, match="can't be used"):
        Client(Protocol.from_dict(data), tmp_path / "memory")
