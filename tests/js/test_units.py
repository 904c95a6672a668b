"""The browser's side in Node: its own tests, beside what Python says of the same things."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

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
