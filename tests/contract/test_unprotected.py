"""What is sent in clear is called so everywhere: each output against the channel's own zeros."""

import csv
import io
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import CaldpError, Protocol, Scenario, audit_mechanism, prepare
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import REASONS, CollectedTally
from caldp_core.collect.protocol import TablePlan
from caldp_core.collect.record import (
    About,
    check_record,
    make_record,
    mixed_privacy_by_crowd,
    registry_entry,
)
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, dense
from caldp_core.privacy.coverage import coverage
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import released_together
from caldp_core.scenarios.policies import BinaryQuestion
from tests.contract.checks import naming
from tests.contract.contexts import CONTEXTS
from tests.contract.test_catalogue import POLICIES

NAMES: Final = ("hiv", "flu", "cold", "cough", "none")
INF: Final = "infinity"
GROUPS: Final = {"kind": "groups"}
FEW_LEVELS: Final = [[0, INF, INF], [INF, 0, 1], [INF, 1, 0]]


def scenario(k: int, groups: str, policy: dict[str, Any], mechanism: str) -> Scenario:
    data = {"kind": "table", "names": NAMES[:k], "counts": [8] * k, "groups": list(groups)}
    return Scenario.from_dict(
        {"caldp_scenario": 2, "dataset": data, "policy": policy, "mechanism": {"kind": mechanism}}
    )


def context(sensitive: str, epsilon: Any) -> dict[str, Any]:
    marks = {"kind": "symbols", "runs": list(sensitive)}
    return {"kind": "context", "blocks": GROUPS, "sensitive": marks, "epsilon": epsilon}


def cases() -> Iterator[tuple[str, Scenario, set[str], list[float]]]:
    """A name, a scenario, the values that must be called unprotected, and the ε that stand."""
    for name in [n for n, each in MECHANISMS.items() if Context in each.policies]:
        if name != "square-wave":  # for values in an order: one block
            yield f"{name}, alone", scenario(3, "ABB", context("0", 1.0), name), {"hiv"}, []
            levels = context("012", [4.0, 1.0, 3.0])
            yield f"{name}, beside", scenario(5, "ABBCC", levels, name), {"hiv"}, [1.0]
        yield f"{name}, open", scenario(3, "AAA", context("", 2.0), name), set(), []
    designed = {"kind": "matrix", "rows": FEW_LEVELS}
    yield "designed", scenario(3, "ABB", designed, "designed"), {"hiv"}, [1.0]
    answer: dict[str, Any] = {"kind": "binary", "epsilon_01": INF, "epsilon_10": INF}
    yield "binary, open", scenario(2, "AA", answer, "binary"), {"hiv", "flu"}, []
    answer = {"kind": "binary", "epsilon_01": 1.0, "epsilon_10": INF}
    yield "binary, one way", scenario(2, "AA", answer, "binary"), set(), [1.0]


def supports(setup: Setup) -> list[set[int]]:
    """The reports that each value may send."""
    channel = setup.mechanism.exact_channel()
    return [{y for y, chance in enumerate(row) if chance} for row in channel]


def test_coverage_is_that_of_the_matrix_written_out_and_of_the_channel() -> None:
    for name, each, exposed, _ in cases():
        setup = prepare(each)
        found, sent = coverage(setup.policy), supports(setup)
        levels = dense(setup.policy) + np.diag([np.inf] * setup.policy.k)
        with naming(name):
            assert (found.protected == np.isfinite(levels).any(axis=1)).all()
            bare = ~(np.isfinite(levels).any(axis=1) | np.isfinite(levels).any(axis=0))
            assert (found.in_clear == bare).all()
            # Two rows disjoint in support: nobody else could have sent what x sends.
            apart = [
                all(not mine & other for j, other in enumerate(sent) if j != i)
                for i, mine in enumerate(sent)
            ]
            assert found.in_clear.tolist() == apart
            hides = [any(a <= b for j, b in enumerate(sent) if j != i) for i, a in enumerate(sent)]
            assert found.protected.tolist() == hides
            assert {NAMES[x] for x in np.flatnonzero(found.exposed)} == exposed


def test_coverage_of_every_kind_of_policy_is_that_of_all_pairs() -> None:
    rows = np.array([[0.5, 0.5, 0.0]])
    policies: dict[str, PrivacyMatrix] = {
        **POLICIES,
        **{name: make(1.0) for name, make in CONTEXTS.items()},
        "tags": PersonalPolicy.of(np.array([False, False, True]), [0.5], rows, 1.0),
        "one cell": GridMetric(1, 1, 1.0, 1.0),
        "one cell, crow": EuclideanMetric(1, 1, 1.0, 1.0),
        "one place": DistanceMetric.of([[0.0]], 1.0),
        "two releases": released_together(
            Context.block_structured([0, 0, 1], 1.0), Context.block_structured([0, 1, 1], 1.0)
        ),
    }  # fmt: skip
    for name, policy in policies.items():
        levels, found = dense(policy), coverage(policy)
        finite = np.isfinite(levels) & ~np.eye(policy.k, dtype=np.bool_)
        with naming(name):
            assert (found.protected == finite.any(axis=1)).all()
            hides = isinstance(policy, PersonalPolicy)  # an open place covers for tags
            right = ~(finite.any(axis=1) | finite.any(axis=0)) & (not hides)
            assert (found.in_clear == right).all()
            assert not (found.exposed & found.protected).any()


def test_a_map_of_any_size_is_covered_without_its_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pair is asked: the structure says it."""
    labels = np.minimum(np.arange(43_750), 43_749 // 2)
    large = [Context.block_structured(labels, 1.0), GridMetric(175, 250, 1.0, 1.0)]
    for policy in large:
        monkeypatch.setattr(type(policy), "between", None)
    first, second = map(coverage, large)
    assert (first.exposed.sum(), first.protected.sum()) == (43_749 // 2, 43_750 - 43_749 // 2)
    assert second.protected.all()


ABOUT: Final = About("a", "b", "c", "d", "2026-11-23", "e")


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[0])
def test_every_output_of_a_collection_names_them_first_and_no_epsilon_stands_for_them(
    case: tuple[str, Scenario, set[str], list[float]],
) -> None:
    _, each, exposed, levels = case
    setup = prepare(each)
    if each.kind("mechanism") == "published-urap":
        return  # no device runs it
    if exposed or not levels:
        with pytest.raises(CaldpError, match="allow_unprotected=True") as refused:
            Protocol.of(setup)
        assert all(f"“{name}”" in str(refused.value) for name in exposed)
    protocol = Protocol.of(setup, allow_unprotected=True)
    assert Protocol.from_json(protocol.to_json()).fingerprint == protocol.fingerprint
    tally = protocol.mechanism.sample_tally(np.full(setup.mechanism.k, 20), 1)
    collected = CollectedTally(protocol.fingerprint, tally, frozenset(), dict.fromkeys(REASONS, 0))
    record = json.loads(json.dumps(make_record(protocol, collected, 0.95, "none")))
    check_record(protocol, record, "It")
    privacy = record["privacy"]
    found = protocol.coverage
    if isinstance(protocol.plan, TablePlan):  # its matrix has no marks
        exposed = {NAMES[x] for x in np.flatnonzero(found.in_clear)}
    assert set(privacy.get("protected_by_nothing", [])) == exposed
    assert not exposed or next(iter(privacy)) == "protected_by_nothing"
    least, most = min(levels, default=None), max(levels, default=None)
    assert (privacy["epsilon_least"], privacy["epsilon_most"]) == (least, most)
    assert ("each device randomizes its own report" in privacy["model"]) == bool(levels)
    assert (privacy["model"] == "local: each device randomizes its own report") == (
        not found.in_clear.any()
    )
    entry = registry_entry(protocol, record, ABOUT)["deployment"]
    assert entry["privacy_loss"]["privacy_parameters"] == ({"epsilon": most} if levels else {})
    if exposed:
        first = entry["dp_variant"]["unprotected_quantities"].partition(";")[0]
        assert all(f"“{name}”" in first for name in exposed)
    mixed = privacy["if_mixed"]
    if mixed is not None:
        assert {row["epsilon_of_one_report"] for row in mixed["blocks"]} <= {None, *levels}
        rows = mixed_privacy_by_crowd(protocol, [100])["blocks"]
        assert {row["epsilon_of_one_report"] for row in rows} <= {None, *levels}
    if not levels:
        with pytest.raises(CaldpError, match=r"no value is protected|without a limit"):
            mixed_privacy_by_crowd(protocol, [100])


def caldp(*words: str | Path) -> Any:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_commands_refuse_tell_and_go_on(tmp_path: Path) -> None:
    source, made = tmp_path / "scenario.json", tmp_path / "protocol.json"
    each = scenario(5, "ABBCC", context("012", [4.0, 1.0, 3.0]), "hadamard")
    source.write_text(json.dumps(each.to_dict()), "utf-8")
    refused = caldp("protocol", source, "-o", made)
    assert (refused.exit_code, made.exists(), refused.stderr.count("\n")) == (2, False, 1)
    assert "“hiv” is protected by nothing" in refused.stderr
    allowed = caldp("protocol", source, "-o", made, "--allow-unprotected")
    assert (allowed.exit_code, allowed.stdout) == (0, "")
    assert allowed.stderr.startswith("“hiv” is protected by nothing")
    protocol = Protocol.from_file(made)
    (tmp_path / "day.csv").write_text("report\n" + "0\n1\n2\n3\n" * 30, "utf-8")
    caldp("tally", made, tmp_path / "day.csv", "-o", tmp_path / "t.json")
    table = caldp("estimate", made, tmp_path / "t.json")
    marks = {row["answer"]: row["sensitive"] for row in csv.DictReader(io.StringIO(table.stdout))}
    right = {"hiv": "protected by nothing", "flu": "yes", "cold": "yes"}
    assert marks == right | {"cough": "no", "none": "no"}
    for command in ("mixed", "dap"):
        printed = caldp(command, made)
        assert printed.exit_code == 0, printed.output
        assert printed.stdout.index("hiv") < printed.stdout.index("epsilon")
        assert "4.0" not in printed.stdout, "the ε of the block in which nothing is hidden"
    audited = caldp("audit", source)
    summary = json.loads(audited.stdout)
    assert (audited.exit_code, summary["holds"]) == (0, True)
    assert (summary["protected_by_nothing"], summary["other_unprotected_values"]) == (["hiv"], 2)
    assert list(summary).index("protected_by_nothing") < list(summary).index("holds")
    assert json.loads(caldp("run", source).stdout)["protected_by_nothing"] == ["hiv"]
    assert protocol.coverage.exposed.sum() == 1


def test_an_audit_of_no_promise_is_no_certificate(tmp_path: Path) -> None:
    source = tmp_path / "scenario.json"
    for name, each, exposed, levels in cases():
        source.write_text(json.dumps(each.to_dict()), "utf-8")
        done = caldp("audit", source)
        summary = json.loads(done.stdout)
        with naming(name):
            assert set(summary["protected_by_nothing"]) == exposed
            if levels:
                assert (done.exit_code, summary["holds"]) == (0, True)
                assert "nothing_promised" not in summary
            else:
                assert (done.exit_code, summary["holds"]) == (3, None)
                assert "nobody is protected" in summary["nothing_promised"]
    setup = prepare(each)
    assert not audit_mechanism(setup.mechanism, setup.policy).nothing_promised
    nothing = prepare(replace(each, policy=BinaryQuestion(math.inf, math.inf)))
    verdict = audit_mechanism(nothing.mechanism, nothing.policy)
    assert (verdict.nothing_promised, repr(verdict).startswith("<LargeAudit: nothing is")) == (
        True, True,
    )  # fmt: skip
