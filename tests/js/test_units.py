"""The browser's side in Node: its own tests, beside what Python says of the same things."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import caldp_core
from caldp_core.collect import js
from tests.collect.protocols import labelled
from tests.collect.test_client import NODE
from tests.js.cases import cases

HERE = Path(__file__).parent


@pytest.mark.slow
def test_modules_compute_what_they_say_and_what_python_says(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases()), "utf-8")
    tests = sorted(str(path) for path in HERE.glob("*.test.js"))
    command = [str(NODE), "--import", str(HERE / "resolve.js"), "--test", "--test-reporter=spec"]
    done = subprocess.run(
        [*command, *tests],
        env={**os.environ, "CALDP_CASES": str(file)},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    counts = dict(re.findall(r"^ℹ (\w+) (\d+)$", done.stdout, re.MULTILINE))
    assert done.returncode == 0, done.stdout.partition("failing tests:")[2] + done.stderr
    assert int(counts["pass"]) == int(counts["tests"]) >= 70, counts
    assert counts["skipped"] == "0"


PACKAGE = Path(js.__file__).parent
MODULES = Path(os.environ.get("CALDP_NODE_MODULES", HERE / "node_modules"))
DECLARE = (
    "--declaration --allowJs --emitDeclarationOnly --target es2023 --lib es2023,dom "
    "--module esnext --moduleResolution bundler --ignoreConfig"
)


@pytest.mark.slow
@pytest.mark.skipif(not (MODULES / "typescript").exists(), reason="npm install --prefix tests/js")
def test_the_clients_types_are_those_of_its_comments(tmp_path: Path) -> None:
    """Generated once, so that an editor reads them without our tools."""
    tsc = MODULES / "typescript" / "bin" / "tsc"
    command = [str(NODE), str(tsc), str(PACKAGE / "client.js"), *DECLARE.split()]
    subprocess.run([*command, "--outDir", str(tmp_path)], check=True, timeout=120)
    made = (tmp_path / "client.d.ts").read_text("utf-8")
    assert made == (PACKAGE / "client.d.ts").read_text("utf-8"), f"write it anew: tsc {DECLARE}"


def test_the_client_is_a_package_that_node_finds_by_its_name(tmp_path: Path) -> None:
    about = json.loads((PACKAGE / "package.json").read_text("utf-8"))
    assert (about["version"], about["private"]) == (caldp_core.__version__, True)
    home = tmp_path / "node_modules" / about["name"]
    home.mkdir(parents=True)
    for name in ("package.json", *about["files"]):
        (home / name).write_bytes((PACKAGE / name).read_bytes())
    protocol = labelled("hadamard", ("yes", "no"))
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    (tmp_path / "device.mjs").write_text(
        """import {readFile} from "node:fs/promises";
import {Client} from "caldp-client";
const protocol = JSON.parse(await readFile("protocol.json", "utf-8"));
console.log(JSON.stringify(new Client(protocol).message("no")));
""",
        "utf-8",
    )
    done = subprocess.run(
        [str(NODE), "device.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    message = json.loads(done.stdout)
    assert message["protocol"] == protocol.fingerprint[:16]
    assert message["report"] in range(protocol.mechanism.outputs)
