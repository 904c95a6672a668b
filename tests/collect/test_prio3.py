"""Reports added up by two servers that see none of them, by the code of Janus's authors."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from caldp_core.collect.estimate import collected_from_histogram
from caldp_core.collect.servers import dap_configuration
from tests import ROOT
from tests.collect import written
from tests.collect.protocols import small, tables
from tests.collect.test_javascript import NODE
from tests.contract.checks import naming

NODE_MODULES: Final = os.environ.get("CALDP_NODE_MODULES")
MODULES: Final = Path(NODE_MODULES or ROOT / "tests" / "js" / "node_modules")


def aggregate(tasks: list[dict[str, Any]]) -> list[Any]:
    done = subprocess.run(
        [str(NODE), str(Path(__file__).with_name("prio3.mjs"))],
        input=json.dumps({"modules": str(MODULES), "tasks": tasks}),
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(
    NODE_MODULES is None and not (MODULES / "@divviup").exists(),
    reason="@divviup/prio3 is missing: npm install --prefix tests/js --no-package-lock.",
)
def test_two_servers_find_what_the_collector_counts(tmp_path: Path) -> None:
    protocols = [
        *(small(name) for name in ("hadamard", "galois", "randomized-response")),
        tables()["binary"],
    ]
    sent, tasks = [], []
    for protocol in protocols:
        k, made = protocol.domain.k, dap_configuration(protocol)
        sent.append(written.payloads(protocol, [x % k for x in range(12)], seed=9))
        tasks.append({**made["vdaf"]["Prio3Histogram"], "reports": sent[-1]})
    beyond = {**tasks[-1], "reports": [tasks[-1]["length"]]}
    *found, refused = aggregate([*tasks, beyond])
    for protocol, reports, counts in zip(protocols, sent, found, strict=True):
        rows = "".join(f"{report},{n}\n" for report, n in enumerate(counts))
        (tmp_path / "counts.csv").write_text(f"report,n\n{rows}", "utf-8")
        tally = collected_from_histogram(protocol, tmp_path / "counts.csv").tally
        right = protocol.mechanism.tally(np.array(reports))
        with naming(protocol.plan.name):
            assert (tally.counts == right.counts).all()
            assert tally.n == right.n == len(reports)
    assert isinstance(refused, str)
