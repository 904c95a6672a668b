"""What the commands say of files that are not what they should be: one sentence, and what to do."""

import json
import os
import shlex
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from caldp_core import Protocol
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.collector import Collector
from caldp_core.collect.record import make_record
from tests import ROOT
from tests.collect import written
from tests.collect.protocols import labelled, small
from tests.contract.checks import naming

ABOUT: Final = "--name=a --curator=b --use=c --region=d --published=2026-11-23 --author=e"


def json_with(whole: dict[str, Any], **changes: Any) -> str:
    return json.dumps(whole | changes)


def tally_of(protocol: Protocol, folder: Path, name: str) -> CollectedTally:
    """A file of 40 reports, and its tally."""
    path = folder / f"{name}.parquet"
    written.write(path, written.payloads(protocol, [0, 1] * 20, seed=3), batch=[name] * 40)
    found = Collector(protocol).tally(path)
    found.write(folder / f"{name}.tally.json")
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Right files of two questions, and wrong ones; none of them is changed by a command."""
    made = tmp_path_factory.mktemp("wrong")
    ours, other, sets = (
        labelled("galois", ("a", "b")), labelled("galois", ("b", "a")), small("oue")
    )  # fmt: skip
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
    "merge day.tally.json ours.json -o t.json": "The tally 'ours.json' is no tally",
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
    "estimate ours.json negative.tally.json": "'negative.tally.json' is no tally of caldp: counts",
    "estimate ours.json halves.tally.json": "whole numbers",
    "estimate ours.json many.tally.json": "more than its 40 reports",
    "estimate ours.json empty.tally.json": "at least one report",
    "estimate ours.json day.tally.json -o estimate.geojson": "needs a map",
    "estimate ours.json day.tally.json -o no/estimate.csv": "can't be written",
    "estimate ours.json day.tally.json -o estimate.xlsx": "must end in .csv or .geojson",
    "estimate ours.json day.tally.json --record day.tally.json": "would be lost",
    "estimate ours.json day.tally.json --record ours.json": "would be lost",
    "estimate ours.json --histogram named.csv -o named.csv": "would be lost",
    "estimate ours.json day.tally.json -o estimate.csv --record no/record.json": "can't be written",
    "protocol scenario.json -o scenario.json": "would be lost",
    "protocol empty.json": "is empty; it starts with",
    "estimate ours.json --histogram swapped.csv": "reports are -3 to 1",
    "estimate ours.json --histogram named.csv": "must have the columns report and n",
    "estimate ours.json --histogram nan.csv": "n whole numbers",
    "estimate ours.json --histogram minus.csv": "n whole numbers",
    "estimate ours.json --histogram none.csv": "at least one report",
    "estimate sets.json --histogram swapped.csv": "are not numbers",
    "sql sets.json": "are not numbers",
    "dap sets.json": "are not numbers",
    "mixed day.tally.json": '"caldp_protocol": 1',
    f"registry other.json right.json {ABOUT}": "of another protocol",
    f"registry ours.json bare.json {ABOUT}": "does not say what was promised",
    f"registry ours.json promise.json {ABOUT}": "another privacy than its protocol",
    f"registry ours.json mixed.json {ABOUT}": "another if_mixed",
    f"registry ours.json day.tally.json {ABOUT}": "does not say what was promised",
}
"""Command → words of its sentence."""


def test_commands_refuse_in_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    scenario = (ROOT / "examples" / "survey.json").read_bytes()
    (folder / "scenario.json").write_bytes(scenario)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for command, words in CASES.items():
        done = CliRunner().invoke(main, shlex.split(command))
        with naming(f"{command}: {done.output}"):
            assert done.exit_code == 2
            assert done.output.startswith("Error: ")
            assert len(done.output.strip().splitlines()) == 1
            assert words in done.output
            assert len(done.output) < 400
    kept = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert kept == before
    rights = ("estimate ours.json day.tally.json", "estimate ours.json bare.tally.json")
    for right in (*rights, f"registry ours.json right.json {ABOUT}"):
        assert CliRunner().invoke(main, shlex.split(right)).exit_code == 0
