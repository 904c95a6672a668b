"""The JSON Schema says what the reader takes, and the file in docs/ is the one that is made."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from caldp_core.basics.errors import CaldpError
from caldp_core.cli.commands import main
from caldp_core.scenarios.scenario import Scenario, schema
from tests import ROOT
from tests.strategies import SCENARIOS

EXAMPLES = sorted(ROOT.glob("examples/*.json"))
VALIDATOR = Draft202012Validator(schema())


def test_the_file_is_what_the_command_prints() -> None:
    Draft202012Validator.check_schema(schema())
    printed = CliRunner().invoke(main, ["schema"]).stdout
    assert (ROOT / "docs/scenario.schema.json").read_text(encoding="utf-8") == printed


@settings(max_examples=50)
@given(SCENARIOS)
def test_what_is_written_fits(scenario: Scenario) -> None:
    assert VALIDATOR.is_valid(json.loads(json.dumps(scenario.to_dict())))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_fit(path: Path) -> None:
    VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "wrong",
    [
        {"caldp_scenario": 1},
        {"family": "oue"},
        {"estimator": "magic"},
        {"n": 1.5},
        {"n": "1"},
        {"policy": {"kind": "trust"}},
        {"policy": {"kind": "line", "km": 5}},
        {"policy": {"kind": "streets", "km": "infinity"}},
        {"policy": {"kind": "matrix"}},
        {"policy": {"kind": "matrix", "rows": [["inf"]]}},
        {"policy": {"kind": "context", "blocks": {"kind": "grid", "rows": 2.5}}},
        {"policy": {"kind": "context", "epsilon": [True]}},
        {"mechanism": "hadamard"},
        {"mechanism": {"kind": "oue", "theta": 0.5}},
    ],
)
def test_what_is_refused_does_not_fit(wrong: dict[str, Any]) -> None:
    data = {"caldp_scenario": 2, **wrong}
    assert not VALIDATOR.is_valid(data)
    with pytest.raises(CaldpError):
        Scenario.from_dict(data)


def test_a_file_may_name_its_schema() -> None:
    data = {"$schema": "../docs/scenario.schema.json", "caldp_scenario": 2, "n": 5}
    assert VALIDATOR.is_valid(data)
    assert Scenario.from_dict(data) == Scenario(n=5)
