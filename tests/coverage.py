"""Measures which lines and branches the tests reach, for `pytest -p tests.coverage`.

Each process leaves a file in the folder that `CALDP_COVERAGE` names; `slipcover --merge` adds them
up. SlipCover takes its probes out of what was reached, so that measuring costs little: tracing each
line doubles the time. Probes of branches stay, and make tests of pages half as long again: branches
are measured where `CALDP_THOROUGH` asks for it. Its own plugin measures the tests' files as well:
nobody asks for that.
"""

import json
import os
from pathlib import Path
from typing import Any

import slipcover

_MEASURED = ["caldp_core", "caldp_ui"]
"""Folders, with the files that no test imports."""
_BRANCHES = os.environ.get("CALDP_THOROUGH") == "1"
_PROBES: Any = slipcover.Slipcover(branch=_BRANCHES, source=_MEASURED)

# Before anything of them is imported.
slipcover.ImportManager(_PROBES, slipcover.FileMatcher(sources=_MEASURED)).__enter__()


def pytest_sessionfinish() -> None:
    """Write what this process reached; one that only hands out tests writes nothing."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        found = json.dumps(_PROBES.get_coverage())
        Path(os.environ["CALDP_COVERAGE"], f"{os.getpid()}.json").write_text(found, "utf-8")
