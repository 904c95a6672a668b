"""Files and links of version 1 still open, and mean what they meant."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Uniform
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.specs import Hadamard
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import GridBlocks, OneBlock, SensitiveInhabited, StateBlocks
from caldp_core.scenarios.scenario import Scenario
from tests.strategies import BLOCKS, SENSITIVE


@pytest.mark.parametrize("family", [None, *FAMILIES])
def test_files_open(family: str | None) -> None:
    data: dict[str, Any] = {
        "caldp_scenario": 1,
        "dataset": {"kind": "uniform", "k": 9},
        "blocks": {"kind": "one"},
        "epsilon": [0.5],
        "estimator": "clip",
        "n": 7,
    }
    meant = FAMILIES[family].spec() if family else Hadamard()
    read = Scenario.from_dict(data | ({"family": family} if family else {}))
    assert read == Scenario(Uniform(9), ContextPolicy(OneBlock(), epsilon=(0.5,)), meant, "clip", 7)
    assert read.to_dict()["caldp_scenario"] == 2


@given(st.one_of(*BLOCKS.values()), st.one_of(*SENSITIVE.values()), st.floats(0.001, 20))
def test_contexts_of_files_come_back(blocks: Any, sensitive: Any, epsilon: float) -> None:
    policy = ContextPolicy(blocks, sensitive, epsilon)
    parts = Scenario(policy=policy).to_dict()["policy"]
    del parts["kind"]
    assert Scenario.from_dict({"caldp_scenario": 1, **parts}) == Scenario(
        policy=policy, mechanism=Hadamard()
    )


@pytest.mark.parametrize(
    ("query", "scenario"),
    [
        ({"n": "1000"}, Scenario(mechanism=Hadamard(), n=1000)),
        ({"family": "oue"}, Scenario(mechanism=FAMILIES["oue"].spec())),
        (
            {"epsilon": "2", "blocks": "grid", "blocks.rows": "5"},
            Scenario(policy=ContextPolicy(GridBlocks(5), epsilon=2.0), mechanism=Hadamard()),
        ),
        (
            {"blocks": "states", "sensitive": "inhabited", "sensitive.most": "2000"},
            Scenario(
                policy=ContextPolicy(StateBlocks(), SensitiveInhabited(most=2000)),
                mechanism=Hadamard(),
            ),
        ),
    ],
)
def test_links_open(query: dict[str, str], scenario: Scenario) -> None:
    assert Scenario.from_query(query) == scenario
    assert Scenario.from_query(scenario.to_query()) == scenario


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"family": "no-such"}, "family must be one of hadamard,"),
        ({"family": 1}, "family in the scenario must be a text"),
        ({"policy": {"kind": "line"}}, "unknown key 'policy'"),
        ({"mechanism": {"kind": "oue"}}, "unknown key 'mechanism'"),
        ({"blocks": {"kind": "hexagons"}}, "kind of blocks must be one of"),
        ({"epsilon": []}, "epsilon must be one number or one per block, got none"),
        ({"epsilon": "1"}, "epsilon in the scenario must be a number or a list of numbers"),
        ({"n": 0}, "n must be a whole number in"),
    ],
)
def test_wrong_values_are_named(values: dict[str, Any], words: str) -> None:
    with pytest.raises(CaldpError, match=re.escape(words)):
        Scenario.from_dict({"caldp_scenario": 1, **values})


def test_links_of_other_versions_are_refused() -> None:
    for version in ("1", "3", "", "2.0"):
        with pytest.raises(CaldpError, match="A link has v=2"):
            Scenario.from_query({"v": version, "n": "5"})
    with pytest.raises(CaldpError, match="unknown key 'mechanism'"):
        Scenario.from_query({"mechanism": "oue"})
