"""Six visits wander over pages and controls: none dies, and the log has nothing to say."""

from pathlib import Path

import pytest

from benchmarks.server import running_server
from benchmarks.walk import wander
from tests.loops import run

pytestmark = pytest.mark.thorough
SECONDS = 120.0


def test_no_visit_dies_and_no_error_is_logged(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        figures = run(wander(server, 6, SECONDS, tmp_path))
        (log,) = tmp_path.glob("*.log")
        said = log.read_text("utf-8")
    steps, died, _, _, logged, memory, *_ = figures
    assert steps.median > 100
    assert (died.median, logged.median) == (0, 0), said
    assert memory.verdict == "ok"
