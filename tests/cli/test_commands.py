"""The commands by their names: what they print and write, their exit codes.

The list names everything that is registered, once, with the policies that it keeps.
"""

import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import IO, Any, Final

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from caldp_core import Scenario, __version__, cli, prepare, run
from caldp_core.audit.blockwise import EVERY_ENTRY, THE_FORM, audit_context
from caldp_core.basics.limits import OUTPUTS_MAX
from caldp_core.cli import run as cli_audit
from caldp_core.cli.commands import main
from caldp_core.cli.run import audit_summary
from caldp_core.datasets import Cities
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms import FAMILIES, ContextMechanism, catalogue
from caldp_core.mechanisms.catalogue import MECHANISMS, Hadamard
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.privacy.context import Context
from caldp_core.scenarios.scenario import SLOTS
from tests import ROOT, mutants
from tests.strategies import thinned

_START = """
import sys
from caldp_core.cli.commands import main
main(sys.argv[1:], standalone_mode=False)
names = {tuple(name.split(".")[:2]) for name in sys.modules if name.startswith("caldp_core.")}
print(*(room for _, room in names), file=sys.stderr)
"""


def rooms_after(*words: str) -> set[str]:
    """The rooms of the core that are loaded once this command is done."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _START, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "needed", "idle"),
    [
        (["list"], {"mechanisms", "scenarios"}, {"audit", "collect", "experiments", "theory"}),
        (["dashboard", "--help"], {"cli"}, {"mechanisms", "datasets", "scenarios"}),
        (["audit", "--help"], {"audit", "experiments"}, {"collect"}),
    ],
)
def test_a_command_imports_nothing_that_only_others_need(
    words: list[str], needed: set[str], idle: set[str]
) -> None:
    rooms = rooms_after(*words)
    assert needed <= rooms
    assert not idle & rooms, "import it in the module of the command that needs it"


FULL: Final = Path("/dev/full")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="Linux has a disk that is always full")
@pytest.mark.parametrize(
    "words",
    thinned(
        [
            ["list"],
            ["schema"],
            ["client"],
            ["run", "examples/survey.json"],
            ["protocol", "examples/survey.json"],
            ["audit", "examples/binary.json"],
            ["--help"],
            ["--version"],
            ["protocol", "--help"],
        ],
        one_in=3,
    ),
)
def test_a_full_standard_output_is_one_sentence(words: list[str]) -> None:
    with FULL.open("w") as full:
        done = start(words, full)
    assert done.returncode == 2, "1 would say that an audit does not hold"
    right = "Error: Standard output can't be written: No space left on device; write to another"
    assert done.stderr.startswith(right)
    assert done.stderr.count("\n") == 1


WITH_Q: Final = "cascade, cascade-inhabitants, cascade-map, mixture, chosen"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["run", "examples/survey.json", "--q", "0.1", "--q", "0.3"],
            "Error: --q was given twice; give it once.\n",
        ),
        (
            ["reproduce", "table1", "--runs", "1", "--runs", "2"],
            "Error: --runs was given twice; give it once.\n",
        ),
        (
            ["count", "none.csv", "-o", "a.csv", "-o", "b.csv"],
            "Error: --output was given twice; give it once.\n",
        ),
        (
            ["run", "SIMPLEX", "--q", "0.1"],
            f"Error: --q does nothing with simplex, only with {WITH_Q}; leave it out.\n",
        ),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    words: list[str], sentence: str, tmp_path: Path
) -> None:
    scenario = json.loads((ROOT / "examples" / "survey.json").read_text("utf-8"))
    (tmp_path / "s.json").write_text(json.dumps(scenario | {"estimator": "simplex"}), "utf-8")
    named = [str(tmp_path / "s.json") if word == "SIMPLEX" else word for word in words]
    done = CliRunner().invoke(main, named)
    assert (done.exit_code, done.stderr) == (2, sentence)


def test_q_changes_the_estimators_that_have_it_and_no_other() -> None:
    """Cities and soft edges, of which q decides what is kept."""
    cities = Scenario(Cities(together=10), n=20_000).plain()
    for name, entry in ESTIMATORS.items():
        if entry.needs_map or entry.in_order:
            continue
        few, many = (
            run(prepare(replace(cities, estimator=name, false_share=q))).first.estimate
            for q in (0.001, 0.5)
        )
        assert np.array_equal(few, many) is not entry.has_q, name


@pytest.mark.slow
def test_a_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        done = start(["client"], closed)
    assert (done.returncode, done.stderr) == (141, "")


def test_ctrl_c_ends_every_command_as_shells_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for name, command in main.commands.items():
        monkeypatch.setattr(command, "parse_args", interrupted)
        done = CliRunner().invoke(main, [name])
        assert (done.exit_code, done.output) == (130, "Interrupted.\n"), name


def start(words: list[str], output: IO[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "caldp_core", *words],
        cwd=ROOT,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def commands_of(group: click.Group) -> list[click.Command]:
    """Its commands, and those of the groups among them."""
    own = list(group.commands.values())
    return own + [
        below for each in own if isinstance(each, click.Group) for below in commands_of(each)
    ]


def test_every_command_is_found_by_its_own_name() -> None:
    for name, command in main.commands.items():
        assert command.name == name
    modules = [import_module(f"{cli.__name__}.{each.name}") for each in iter_modules(cli.__path__)]
    written = [each for made in modules for each in vars(made).values()]
    found = {id(each) for each in [main, *commands_of(main)]}
    assert {id(each) for each in written if isinstance(each, click.Command)} == found


def test_an_option_that_a_command_requires_is_named_where_it_is_missing(tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    missing = 0
    for name, each in main.commands.items():
        required = [p for p in each.params if p.required and isinstance(p, click.Option)]
        arguments = [str(file) for p in each.params if isinstance(p, click.Argument)]
        if required:
            done = CliRunner().invoke(main, [name, *arguments])
            assert done.exit_code == 2, (name, done.output)
            assert "Missing option" in done.output, (name, done.output)
            missing += 1
    assert missing >= 5


def test_what_is_no_number_lies_within_no_ends() -> None:
    """“nan” is beyond neither end, so that an account had nan left, and a protocol failed."""
    options = [p for each in commands_of(main) for p in each.params]
    ranges = [p for p in options if isinstance(p.type, click.FloatRange)]
    assert len(ranges) >= 7
    for each in ranges:
        for text in ("nan", "inf", "-inf", "1e400"):
            with pytest.raises(click.BadParameter):
                each.type.convert(text, each, None)


def test_it_says_its_version() -> None:
    done = CliRunner().invoke(main, ["--version"])
    assert (done.exit_code, done.output) == (0, f"caldp, version {__version__}\n")


def test_a_name_that_no_command_has_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "lst" not in main.commands
    with pytest.raises(SystemExit) as ended:
        main(["lst"])
    assert ended.value.code == 2
    assert "No such command 'lst'" in capsys.readouterr().err


SCENARIO: Final = json.dumps(
    {
        "caldp_scenario": 2,
        "dataset": {"kind": "table", "names": ["a", "b"], "counts": [30, 70]},
        "policy": {"kind": "context", "blocks": {"kind": "one"}},
    }
)


def test_a_scenario_of_an_editor_on_windows_is_run(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(SCENARIO, "utf-8-sig")
    out = tmp_path / "out.csv"
    done = CliRunner().invoke(main, ["run", str(tmp_path / "s.json"), "--estimate", str(out)])
    assert done.exit_code == 0, done.output
    assert out.read_text("utf-8").startswith("number,answer,")


@pytest.mark.parametrize(
    ("estimate", "words"),
    [
        ("out.xlsx", "must end in .csv or .geojson, got 'out.xlsx'"),
        ("out", "must end in .csv or .geojson, got 'out'"),
        ("no/out.csv", "can't be written: No such file or directory"),
        ("same.csv", "'same.csv' is read by this command and would be lost"),
        ("out.geojson", "GeoJSON needs a map"),
    ],
)
def test_a_table_without_a_place_is_refused_before_the_run(
    estimate: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(SCENARIO, "utf-8")
    (tmp_path / "same.csv").symlink_to("s.json")
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(cli_audit, "run", None)  # an error without a sentence, were it called
    done = CliRunner().invoke(main, ["run", "s.json", "--estimate", estimate])
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert words in done.output
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
def test_areas_that_overlap_are_said_by_each_command_that_reads_them(tmp_path: Path) -> None:
    people = " ".join(f"{x}:5" for x in range(16))
    west, east, all_of_it = ((-100, -98), (-99, -96), (-100, -96))
    said = {}
    for name, areas in (("overlap", (west, east)), ("apart", (all_of_it,))):
        polygons = [f"40,{w} 40,{e} 44,{e} 44,{w}" for w, e in areas]
        policy = {"kind": "polygons", "names": ["west", "east"][: len(areas)], "polygons": polygons}
        scenario = {
            "caldp_scenario": 2,
            "dataset": {"kind": "places", "people": people, "area": "40,44,-100,-96", "cell": 1},
            "policy": {"kind": "context", "blocks": policy},
        }
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(scenario), "utf-8")
        for words in ("run", "audit", "protocol"):
            done = CliRunner().invoke(main, [words, str(path)])
            assert done.exit_code == 0, done.output
            said[name, words] = done.stderr
            if words != "protocol":
                found = json.loads(done.stdout).get("areas", [])
                assert "".join(f"Warning: {sentence}\n" for sentence in found) in done.stderr
                assert len(found) == (name == "overlap")
    # By hand: the second of four columns is in both.
    sentence = (
        "Warning: 4 cells lie in several areas and belong to the latest of them in the file: "
        "“east” takes 4 of “west”.\n"
    )
    assert all((sentence in text) == (name == "overlap") for (name, _), text in said.items())


def read_listing() -> dict[str, dict[str, str]]:
    """Heading → name → what is said of it."""
    done = CliRunner().invoke(main, ["list"])
    assert done.exit_code == 0, done.output
    sections: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            sections[line] = {}
            continue
        heading, name = list(sections)[-1], line[2:26].strip()
        if name:
            assert name not in sections[heading]
            sections[heading][name] = line[26:]
        else:
            sections[heading][list(sections[heading])[-1]] += "\n" + line[26:]
    return sections


def test_everything_registered_is_listed_once() -> None:
    sections = read_listing()
    # What is listed is what a scenario can name, so `run` and `audit` take it.
    assert list(sections["Mechanisms"]) == list(SLOTS["mechanism"][1])
    assert list(SLOTS["mechanism"][1]) == ["best", *MECHANISMS, "installed"]
    assert list(sections["Policies"]) == list(SLOTS["policy"][1])
    assert list(sections["Estimators"]) == list(ESTIMATORS)
    for name, entry in MECHANISMS.items():
        assert entry.title in sections["Mechanisms"][name]
        assert entry.source in sections["Mechanisms"][name]


def test_policies_and_parameters_are_told() -> None:
    mechanisms = read_listing()["Mechanisms"]
    assert mechanisms["rappor"].endswith("keeps: context, personal-tags; parameter: theta")
    assert mechanisms["grid-geometric"].endswith("keeps: streets, line")
    assert mechanisms["exponential"].endswith("keeps: streets, crow-flies, line, distances")


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


def run_plan(folder: Path, right: str, scenario: Any) -> Result:
    path = folder / "scenario.json"
    path.write_text(json.dumps(scenario), encoding="utf-8")
    return CliRunner().invoke(main, ["plan", str(path), "--right", right])


def test_a_plan_against_an_attacker_names_the_unprotected_first(tmp_path: Path) -> None:
    """In ten blocks of which four hide 40, 40, 20 and 10 values; e^ε/(e^ε + s − 1) by hand."""
    scenario = mixed_scenario("randomized-response", epsilon=1.0) | {"n": 1000}
    found = json.loads(run_plan(tmp_path, "0.1", scenario).stdout)
    assert next(iter(found)) == "protected_by_nothing"
    assert found["other_unprotected_values"] == 290
    assert found["right_at_most"] == 0.1
    assert found["limit"] == "unreachable"
    assert found["epsilon"] is None  # without a report it is 1 of 10 in the block of 120 to 129
    found = json.loads(run_plan(tmp_path, "0.2", scenario).stdout)
    assert found["limit"] == "found"
    exact = math.log(0.2 * 9 / 0.8)
    assert exact - 0.01 < found["epsilon"] <= exact + 1e-6
    assert found["expected"]["tv"] > 0


def test_a_goal_that_every_epsilon_keeps_is_no_advice(tmp_path: Path) -> None:
    """A report of Hadamard response names half of all values: 16 values leave 2 in 16 at best."""
    values = {"kind": "zipf", "k": 16}
    plain = {"kind": "context", "blocks": {"kind": "one"}, "epsilon": 1.0}
    for mechanism, right, limit in (
        ("hadamard", "0.2", "unlimited"),
        ("hadamard", "0.08", "found"),
        ("randomized-response", "0.2", "found"),
    ):
        scenario = {"caldp_scenario": 2, "dataset": values, "policy": plain, "n": 1000}
        scenario["mechanism"] = {"kind": mechanism}
        found = json.loads(run_plan(tmp_path, right, scenario).stdout)
        assert found["limit"] == limit
        assert (found["epsilon"] is None) == (found["expected"] is None) == (limit != "found")


def example(name: str) -> dict[str, Any]:
    text = (ROOT / "examples" / f"{name}.json").read_text("utf-8")
    return dict(json.loads(text))


def test_what_no_plan_can_be_made_of_is_one_sentence(tmp_path: Path) -> None:
    nobody = mixed_scenario(sensitive={"kind": "symbols", "runs": []})
    for right, scenario, said in (
        ("0", mixed_scenario(), "0.0<x<=1.0"),
        ("0.1", nobody, "Nobody is protected"),
        ("0.1", example("near-places"), "use a smaller map"),
        ("0.1", example("personal-tags"), "take a policy without them"),
    ):
        done = run_plan(tmp_path, right, scenario | {"n": 1000})
        assert done.exit_code == 2
        assert said in done.output


def test_a_leak_that_rounds_to_its_level_is_seen_in_every_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A coin that is four steps of 2⁻⁴⁸ off: loss and ε read the same, the verdict does not."""

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
        (
            {"k": 2**20, "blocks": ONE, "epsilon": 1.0, "sensitive": {"kind": "everything"}},
            "goes through at most",
        ),
    ],
)
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
