"""`python -m caldp_core audit`: its JSON against the record, its exit codes, its one sentence."""

import json
import math
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from caldp_core.audit.blockwise import EVERY_ENTRY, THE_FORM, audit_context
from caldp_core.basics.limits import OUTPUTS_MAX
from caldp_core.cli import run as cli_audit
from caldp_core.cli.commands import main
from caldp_core.cli.run import audit_summary
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.privacy.context import Context
from tests import mutants
from tests.products import thinned

ONE = {"kind": "one"}
LEVELS = [0.5, *[1.0] * 9]
MIXED: dict[str, Any] = {
    "kind": "context",
    "blocks": {"kind": "runs", "blocks": 10},
    "sensitive": {"kind": "symbols", "runs": ["0-99", "120-129"]},
    "epsilon": LEVELS,
}


def mixed_scenario(family: str = "hadamard", k: int = 400, **policy: Any) -> dict[str, Any]:
    """A scenario of ten blocks with levels and sensitive values of their own, changed."""
    return {
        "caldp_scenario": 2,
        "dataset": {"kind": "uniform", "k": k},
        "policy": MIXED | policy,
        "mechanism": {"kind": family},
    }


def run_audit(folder: Path, scenario: Any) -> Result:
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario), encoding="utf-8")
    return CliRunner().invoke(main, ["audit", str(path)])


@pytest.mark.parametrize("family", FAMILIES)
def test_it_tells_what_the_audit_found(tmp_path: Path, family: str) -> None:
    done = run_audit(tmp_path, mixed_scenario(family))
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary["scenario"]["mechanism"]["kind"] == summary["mechanism"] == family
    assert summary["scenario"]["n"] is None
    flags = np.isin(np.arange(400), [*range(100), *range(120, 130)])
    mechanism = catalogue.in_context(Context.of(np.arange(400) // 40, flags, LEVELS), family)
    known = mechanism.outputs if mechanism.oracles.outputs < OUTPUTS_MAX else None
    assert (summary["k"], summary["blocks"], summary["outputs"]) == (400, 10, known)
    assert summary["holds"] is True
    assert summary["faulty_value"] is None
    within, across = summary["pairs"]
    # Blocks 0 and 1 are sensitive throughout, block 2 has 20, block 3 has 10 of 40.
    assert (within["kind"], within["blocks"]) == ("sensitive-sensitive", 4)
    assert within["pairs"] == 40 * 39 * 2 + 20 * 19 + 10 * 9
    assert (across["kind"], across["blocks"]) == ("sensitive-other", 2)
    assert across["pairs"] == 20 * 20 + 10 * 30
    record = audit_context(mechanism)
    assert summary["method"] == record.method
    for kind in (within, across):
        classes = [c for c in record.classes if c.kind == kind["kind"]]
        assert kind["blocks_that_hold"] == len(classes)
        worst = kind["worst"]
        same = next(c for c in classes if c.block == worst["block"])
        assert worst["privacy_loss"] == same.privacy_loss
        assert worst["epsilon"] == same.epsilon
        named = worst["value"], worst["other_value"], worst["output"]
        assert named == (same.x, same.x_other, same.output)
        assert worst["privacy_loss"] - worst["epsilon"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("family", "blocks"),
    thinned(
        [name for name in FAMILIES if name not in ("hadamard", "galois")],
        [{"kind": "one"}, {"kind": "runs", "blocks": 875}],
        one_in=2,
    ),
)
def test_the_paper_s_map_is_audited_in_every_family(
    tmp_path: Path, family: str, blocks: dict[str, Any]
) -> None:
    """Hadamard's and Galois' take three seconds, and stream as randomized response's does."""
    changed = mixed_scenario(
        family, 43_750, blocks=blocks, sensitive={"kind": "everything"}, epsilon=1.0
    )
    done = run_audit(tmp_path, changed)
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    streams = family == "randomized-response"
    assert summary["method"] == (EVERY_ENTRY if streams else THE_FORM)
    worst = summary["pairs"][0]["worst"]
    assert (worst["value"], worst["other_value"], worst["output"]) == (0, 1, 0 if streams else None)


@pytest.mark.parametrize(("k", "outputs"), [(19, 2**19), (59, 2**59), (60, None), (5_000, None)])
def test_a_number_of_reports_is_told_while_it_is_one(
    tmp_path: Path, k: int, outputs: int | None
) -> None:
    changed = mixed_scenario("oue", k, blocks=ONE, sensitive={"kind": "everything"}, epsilon=1.0)
    done = run_audit(tmp_path, changed)
    assert json.loads(done.stdout)["outputs"] == outputs


def make_from(oracles: Any) -> Any:
    return lambda self, policy: ContextMechanism(policy, self.name, oracles)


@pytest.mark.parametrize(
    ("oracles", "privacy_loss"),
    [
        (mutants.coin_for(1.05, HadamardOracles), 1.05),
        (mutants.without_company(HadamardOracles), None),
    ],
)
def test_what_leaks_ends_with_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, oracles: Any, privacy_loss: float | None
) -> None:
    monkeypatch.setattr(Hadamard, "make", make_from(oracles))
    done = run_audit(tmp_path, mixed_scenario(epsilon=1.0))
    assert done.exit_code == 1
    summary = json.loads(done.stdout)
    assert summary["holds"] is False
    worst = summary["pairs"][-1]["worst"]
    assert not worst["holds"]
    assert worst["privacy_loss"] == (None if privacy_loss is None else pytest.approx(privacy_loss))


def test_kinds_count_only_the_blocks_that_hold() -> None:
    mechanism = catalogue.in_context(
        Context.block_structured(np.arange(60) // 20, [1.0, 2.0, 1.0]), "hadamard"
    )
    mechanism.policy = Context.block_structured(np.arange(60) // 20, [1.0, 1.5, 0.9])
    summary = audit_summary(audit_context(mechanism))
    (kind,) = summary["pairs"]
    assert summary["holds"] is False
    assert (kind["blocks"], kind["blocks_that_hold"]) == (3, 1)
    assert kind["worst"]["block"] == 1
    assert math.isclose(kind["worst"]["privacy_loss"], 2.0, rel_tol=1e-9)


def test_nothing_sensitive_leaves_nothing_to_break_and_nothing_to_hold(tmp_path: Path) -> None:
    done = run_audit(tmp_path, mixed_scenario(sensitive={"kind": "symbols", "runs": []}))
    assert done.exit_code == 3
    summary = json.loads(done.stdout)
    assert (summary["pairs"], summary["holds"]) == ([], None)


def test_a_leak_that_rounds_to_its_level_is_seen_in_every_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A coin that is four steps of 2⁻⁴⁸ off: loss and ε read alike, the verdict does not."""

    def step_off(sizes: Any, epsilon: Any) -> Any:
        oracles = HadamardOracles(sizes, epsilon)
        oracles.cover_threshold = oracles.cover_threshold - np.uint64(4)
        return oracles

    monkeypatch.setattr(Hadamard, "make", make_from(step_off))
    done = run_audit(tmp_path, mixed_scenario(epsilon=1.0))
    worst = json.loads(done.stdout)["pairs"][-1]["worst"]
    assert (done.exit_code, worst["holds"]) == (1, False)
    assert f"{worst['privacy_loss']:.9g}" == f"{worst['epsilon']:.9g}"
    assert 0 < worst["above_epsilon_by"] < 1e-12
    wrong: Any = Hadamard().make(Context.high_low(np.arange(9) < 4, 1.0))
    text = repr(audit_context(wrong))
    above = float(text.partition("of ε = 1, ")[2].partition(" above it")[0])
    assert text.startswith("<LargeAudit: does not hold, largest loss 1 of")
    assert 0 < above < 1e-12


def test_ctrl_c_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(cli_audit, "audit_mechanism", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # else ignored beside a shell
    try:
        done = run_audit(tmp_path, mixed_scenario())
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": 0}, "epsilon must be in"),
        ({"family": "none"}, "kind of mechanism must be one of"),
        ({"k": 2**20, "blocks": ONE, "epsilon": 1.0, "sensitive": {"kind": "everything"}},
         "goes through at most"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_sentence(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    done = run_audit(tmp_path, mixed_scenario(**change))
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["audit", str(tmp_path / "none.json")])
    assert done.exit_code == 2
    assert "Traceback" not in done.output
