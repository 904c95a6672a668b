"""The scenario files of examples/ run, are audited and forecast; every mechanism has one."""

from dataclasses import replace
from pathlib import Path

import pytest

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.experiments.forecast import forecast_if_fast
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import SLOTS, Scenario
from caldp_core.theory.expected_error import Budget
from tests import ROOT

FILES = sorted(ROOT.glob("examples/*.json"))
SLOW = {"near-places", "best-kernel", "scale", "stepped-geometric"}
"""Their audits or designs take seconds."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.thorough if path.stem in SLOW else ())
        for path in FILES
    ],
)
def test_an_example_runs_is_audited_and_forecast(path: Path) -> None:
    scenario = replace(Scenario.from_file(path), n=1000, trials=1)
    setup = prepare(scenario)
    result = run(setup)
    assert result.first.people.sum() == 1000
    assert result.first.estimate.shape == (setup.mechanism.k,)
    assert audit_mechanism(setup.mechanism, setup.policy).holds
    expected = forecast_if_fast(setup, budget=Budget(4, 4, 0.01))
    assert expected is None or expected.error > 0


def test_every_mechanism_and_policy_that_runs_has_an_example() -> None:
    scenarios = [Scenario.from_file(path) for path in FILES]
    assert {s.kind("mechanism") for s in scenarios} == {"best", *MECHANISMS}
    for path in FILES:
        if path.stem in MECHANISMS:
            assert Scenario.from_file(path).kind("mechanism") == path.stem
    assert set(MECHANISMS) <= {path.stem for path in FILES}
    assert {s.kind("policy") for s in scenarios} == set(SLOTS["policy"][1])
