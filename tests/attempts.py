"""What was tried against a visit's data and its page, how often and with which result, as a table.

    python -m tests.attempts

runs the tests that attack, some minutes of a core, and prints the table; names of files of tests,
such as ui/test_vault.py, run these alone.
"""

import sys
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from typing import Any, Final

import pytest

ATTEMPTS: Final = {
    "ui/test_vault.py::test_a_stranger_does_not_find_another_visitors_table": (
        "202 guesses of another visit's file, the true one among them"
    ),
    "ui/test_markers.py": "marked names and counts: memory, files, log and links after a visit",
    "ui/test_user_text.py": "26 hostile texts, in each kind of name, at each place that shows it",
    "ui/test_text_sources.py": "a text from a person that gets into another text as it is",
    "ui/test_coins.py": "another list's, setting's, visit's or process's coins, and candidates",
    "ui/test_races.py": "two controls of a page 0, 50 or 200 ms apart, and a broken frame",
    "ui/test_broken_data.py": "a file of ours that is cut, empty or wrong",
    "collect/test_collector.py::test_whatever_stands_in_a_tally_is_read_or_refused_in_a_sentence": (
        "a tally's file with 11 other values in each place"
    ),
}
"""By test or file of tests: what is tried."""


class Outcomes:
    """Counts outcomes of tests; a plugin of pytest. `failed`: what let something through."""

    def __init__(self) -> None:
        self.found = Counter[str]()
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test that has run, or that could not begin."""
        if report.when == "call" or report.failed:
            self.found[report.outcome] += 1
        if report.failed:
            self.failed.append(report.nodeid)


def main() -> int:
    """Run all attempts and print a row for each; 1 if any of them got through."""
    sys.stdout.write("| tried | tests | got through |\n|---|---|---|\n")
    failed = 0
    wanted = sys.argv[1:]
    for name, tried in ATTEMPTS.items():
        if wanted and name.partition("::")[0] not in wanted:
            continue
        outcomes = Outcomes()
        with redirect_stdout(StringIO()):
            pytest.main(["-n0", "-m", "not thorough", f"tests/{name}"], plugins=[outcomes])
        tests = sum(outcomes.found.values())
        through = outcomes.found["failed"] or ("none" if tests else "not tried")
        failed += outcomes.found["failed"] + (not tests)
        sys.stdout.write(f"| {tried} | {tests:,} | {through} |\n")
        sys.stdout.flush()
        for test in outcomes.failed:
            sys.stderr.write(f"got through: {test}\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
