"""Scenarios: files and links give back what was written."""

import json
import math
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.datasets import Snap, Uniform
from caldp_core.mechanisms.catalogue import GridGeometric, Hadamard, PublishedUrap, Rappor
from caldp_core.scenarios.blocks import DrawnBlocks, EvenRuns, EverythingSensitive, OneBlock
from caldp_core.scenarios.policies import (
    BinaryQuestion,
    ContextPolicy,
    Distances,
    MatrixPolicy,
    PolicySpec,
    Streets,
)
from caldp_core.scenarios.scenario import FORMAT, SLOTS, Best, Scenario, unknown_query_keys
from tests.strategies import EVERY, SCENARIOS, names_of


def test_the_strategies_know_every_kind() -> None:
    assert {slot: set(kinds) for slot, (_, kinds) in SLOTS.items()} == {
        slot: set(strategies) for slot, strategies in EVERY.items()
    }


@given(SCENARIOS)
def test_dictionaries_come_back(scenario: Scenario) -> None:
    assert Scenario.from_dict(scenario.to_dict()) == scenario


@given(SCENARIOS)
def test_json_comes_back(scenario: Scenario) -> None:
    text = json.dumps(scenario.to_dict(), allow_nan=False)
    assert Scenario.from_dict(json.loads(text)) == scenario


@given(SCENARIOS)
@example(Scenario(policy=ContextPolicy(epsilon=(1.0,))))
@example(Scenario(dataset=Snap("checkins.0")))
@example(Scenario(policy=ContextPolicy(blocks=DrawnBlocks(("10,20,30,40",)))))
def test_links_come_back(scenario: Scenario) -> None:
    query = scenario.to_query()
    assert all(isinstance(text, str) for pair in query.items() for text in pair)
    assert Scenario.from_query(query) == scenario


@pytest.mark.parametrize(("slot", "kind"), [(s, k) for s in EVERY for k in EVERY[s]])
@settings(max_examples=10)
@given(data=st.data())
def test_every_kind_comes_back_by_every_way(slot: str, kind: str, data: st.DataObject) -> None:
    record: Any = data.draw(EVERY[slot][kind])
    scenario = (
        Scenario().with_context(**{slot: record})
        if slot in ("blocks", "sensitive")
        else replace(Scenario(), **{slot: record})
    )
    text = json.dumps(scenario.to_dict(), allow_nan=False)
    assert Scenario.from_dict(json.loads(text)) == scenario
    assert Scenario.from_query(scenario.to_query()) == scenario


def test_the_default_needs_no_words() -> None:
    assert Scenario().to_query() == {}
    assert Scenario.from_query({}) == Scenario()
    assert Scenario.from_dict({"caldp_scenario": FORMAT}) == Scenario()


def test_links_hold_only_what_differs() -> None:
    scenario = Scenario(Uniform(50), ContextPolicy(EvenRuns(5)), Rappor(0.25), n=10)
    assert scenario.to_query() == {
        "v": "2",
        "dataset": "uniform",
        "dataset.k": "50",
        "blocks": "runs",
        "blocks.blocks": "5",
        "mechanism": "rappor",
        "mechanism.theta": "0.25",
        "n": "10",
    }
    levels = ((0.0, 1.5, math.inf), (1.0, 0.0, 1.0), (2.0, 2.0, 0.0))
    assert Scenario(policy=MatrixPolicy(levels)).to_query() == {
        "v": "2",
        "policy": "matrix",
        "rows": "0;1.5;infinity|1;0;1|2;2;0",
    }


def test_keys_of_policies_can_stand_by_themselves() -> None:
    top = {*Scenario.__dataclass_fields__, "v", "region"}
    for cls in SLOTS["policy"][1].values():
        assert top.isdisjoint(names_of(cls))


def test_keys_of_others_are_known_for_strangers() -> None:
    assert unknown_query_keys({"utm_source": "mail", "fbclid.x": "1", "region": "0,1,0,1"}) == [
        "utm_source",
        "fbclid.x",
        "region",
    ]
    assert unknown_query_keys({"v": "2", "blocks.rows": "5", "km": "3"}) == []


@given(SCENARIOS)
def test_scenarios_can_be_keys(scenario: Scenario) -> None:
    assert {scenario: 1}[Scenario.from_dict(scenario.to_dict())] == 1
    with pytest.raises(FrozenInstanceError):
        scenario.seed = 3  # type: ignore[misc]


@given(SCENARIOS)
def test_the_plain_twin_protects_all_as_much_as_what_is_most_secret(scenario: Scenario) -> None:
    plain = scenario.plain()
    assert (plain.dataset, plain.n, plain.seed) == (scenario.dataset, scenario.n, scenario.seed)
    assert plain.context == ContextPolicy(
        OneBlock(), EverythingSensitive(), scenario.policy.plain_epsilon
    )
    assert plain.plain() == plain


@pytest.mark.parametrize(
    ("policy", "epsilon"),
    [
        (ContextPolicy(epsilon=(2.0, 0.5, 1.0)), 0.5),
        (BinaryQuestion(math.inf, 3.0), 3.0),
        (BinaryQuestion(0.0, 3.0), EPSILON_MIN),
        (MatrixPolicy(((0.0, math.inf), (math.inf, 0.0))), EPSILON_MAX),
        (MatrixPolicy(((0.0, 4.0), (1.5, 0.0))), 1.5),
        (Distances(((0.0, 3.0), (3.0, 0.0)), 0.5), 1.5),
        (Streets(2.0, 10.0), 2.0),
    ],
)
def test_plain_takes_the_least_level(policy: PolicySpec, epsilon: float) -> None:
    assert Scenario(policy=policy).plain().context.epsilon == epsilon


def test_plain_keeps_the_mechanism_that_was_picked_if_it_can() -> None:
    for mechanism in (Best(), Hadamard(), Rappor(0.3), PublishedUrap()):
        assert Scenario(mechanism=mechanism).plain().mechanism == mechanism
    assert Scenario(policy=Streets(), mechanism=GridGeometric()).plain().mechanism == Best()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.float64(2), 2.0),
        (2, 2.0),
        ([1, 2], (1.0, 2.0)),
        (np.array([1.0, 2.0]), (1.0, 2.0)),
    ],
)
def test_levels_of_all_kinds_are_kept_as_a_file_has_them(given: Any, kept: Any) -> None:
    policy = ContextPolicy(epsilon=given)
    assert policy.epsilon == kept
    assert type(policy.epsilon) is type(kept)
    assert policy == ContextPolicy(epsilon=kept)
    assert hash(policy) == hash(ContextPolicy(epsilon=kept))


def test_numbers_of_all_kinds_are_kept_as_a_file_has_them() -> None:
    five: Any = np.int64(5)
    numbers: Any = {"n": five, "seed": np.uint8(6), "trials": np.int32(7)}
    scenario = Scenario(Uniform(five), **numbers)
    assert [type(getattr(scenario, name)) for name in numbers] == [int] * 3
    again = Scenario.from_dict(json.loads(json.dumps(scenario.to_dict())))
    assert scenario == again == Scenario.from_query(scenario.to_query())
    assert scenario == Scenario(Uniform(5), n=5, seed=6, trials=7)
    assert hash(scenario) == hash(again)


@pytest.mark.parametrize("text", ["0.5", ".5", "5e-1", "5E-01", "0.50"])
def test_numbers_in_links(text: str) -> None:
    read = Scenario.from_query({"v": "2", "epsilon": text, "n": "007"})
    assert read == Scenario(policy=ContextPolicy(epsilon=0.5), n=7)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    scenario = Scenario(Uniform(9), ContextPolicy(epsilon=(1.0, 2.0)), Hadamard())
    path.write_text(json.dumps(scenario.to_dict()), encoding="utf-8")
    assert Scenario.from_file(path) == scenario
    for content, words in (
        (b"{", "is not JSON"),
        (b"\xff", "must be text in UTF-8"),
        (b"[]", "starts with"),
        (b"[" * 200_000, "too many brackets"),
        (b'{"caldp_scenario": 2, "n": 1, "n": 2}', "this one has 'n' twice"),
        (b'{"dataset": {"kind": "uniform", "kind": "zipf"}}', "has 'kind' twice"),
        (b'{"caldp_scenario": 2.0}', "starts with"),
        (b'{"caldp_scenario": 1}', "starts with"),
    ):
        path.write_bytes(content)
        with pytest.raises(CaldpError, match=words):
            Scenario.from_file(path)
    for nowhere in (tmp_path, "a\0b"):
        with pytest.raises(CaldpError, match="can't be read"):
            Scenario.from_file(nowhere)
