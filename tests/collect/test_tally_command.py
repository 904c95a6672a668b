"""What `caldp tally` prints, where it writes, and how it ends."""

import json
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from caldp_core import Client, Tally
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import Tallies, read_collection
from caldp_core.estimation.evidence import Evidence
from tests import ROOT
from tests.collect import written
from tests.collect.protocols import many, small, tables
from tests.contract.checks import naming
from tests.products import thinned


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    protocol = small("galois")
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    written.write(tmp_path / "right.csv", written.payloads(protocol, [1] * 90, seed=1))
    written.write(tmp_path / "tenth.csv", [*written.payloads(protocol, [1] * 90, 2), *"x" * 10])
    written.write(tmp_path / "wrong.csv", ["x"] * 10)
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
        ["sh", "-c", f"{sys.executable} -m caldp_core {words}"], cwd=folder, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="Unix has /dev/stdout")
@pytest.mark.parametrize(
    "words",
    thinned([
        "tally protocol.json right.csv -o /dev/stdout | cat",
        "tally protocol.json right.csv -o /dev/stdout > out; cat out",
        "tally protocol.json right.csv -o pipe > /dev/null & cat pipe",
        "merge right.json -o /dev/stdout | cat",
        "merge right.json -o /dev/stdout >> out2; cat out2",
    ], one_in=2),
)  # fmt: skip
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


def test_records_of_many_values_are_a_line() -> None:
    for protocol in (many("oue", 10_000), tables()["designed"]):
        drawn = protocol.mechanism.sample_tally(np.full(protocol.domain.k, 5), 1)
        books = frozenset(f"batch:{i}" for i in range(900))
        collected = CollectedTally(protocol.fingerprint, drawn, books)
        parts = Tallies.of(protocol, (("day", collected),))
        made: list[Any] = [protocol, protocol.plan, protocol.device, collected, parts,
                           parts.results(0.95), Client(protocol),
                           Evidence.of(protocol.mechanism, drawn)]  # fmt: skip
        made += [getattr(m, f.name) for m in made if is_dataclass(m) for f in fields(m)]
        for each in made:
            if type(each).__module__.startswith("caldp_core"):
                with naming(type(each).__name__):
                    assert len(repr(each)) < 1_000
