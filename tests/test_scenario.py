"""Scenarios: files and links give back what was written, and anything else is refused in words."""

import json
import re
from contextlib import suppress
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Snap, Uniform
from caldp_core.scenarios.protection import DrawnBlocks, EvenRuns, EverythingSensitive, OneBlock
from caldp_core.scenarios.scenario import FORMAT, KINDS, Scenario
from tests.strategies import BLOCKS, DATASETS, SCENARIOS, SENSITIVE

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.just(10**400)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=6,
)
FIELDS = st.sampled_from(sorted(Scenario.__dataclass_fields__))


def test_the_strategies_know_every_kind() -> None:
    made = {"dataset": DATASETS, "blocks": BLOCKS, "sensitive": SENSITIVE}
    assert {slot: set(kinds) for slot, kinds in KINDS.items()} == {
        slot: set(strategies) for slot, strategies in made.items()
    }


@given(SCENARIOS)
def test_dictionaries_come_back(scenario: Scenario) -> None:
    assert Scenario.from_dict(scenario.to_dict()) == scenario


@given(SCENARIOS)
def test_json_comes_back(scenario: Scenario) -> None:
    text = json.dumps(scenario.to_dict(), allow_nan=False)
    assert Scenario.from_dict(json.loads(text)) == scenario


@given(SCENARIOS)
@example(Scenario(epsilon=(1.0,)))
@example(Scenario(dataset=Snap("checkins.0")))
@example(Scenario(blocks=DrawnBlocks(("10,20,30,40",))))
def test_links_come_back(scenario: Scenario) -> None:
    query = scenario.to_query()
    assert all(isinstance(text, str) for pair in query.items() for text in pair)
    assert Scenario.from_query(query) == scenario


@pytest.mark.parametrize("slot", KINDS)
@given(data=st.data())
def test_every_kind_comes_back_by_every_way(slot: str, data: st.DataObject) -> None:
    strategies = {"dataset": DATASETS, "blocks": BLOCKS, "sensitive": SENSITIVE}[slot]
    for strategy in strategies.values():
        scenario = replace(Scenario(), **{slot: data.draw(strategy)})
        assert Scenario.from_dict(json.loads(json.dumps(scenario.to_dict()))) == scenario
        assert Scenario.from_query(scenario.to_query()) == scenario


def test_the_default_needs_no_words() -> None:
    assert Scenario().to_query() == {}
    assert Scenario.from_query({}) == Scenario()
    assert Scenario.from_dict({"caldp_scenario": FORMAT}) == Scenario()


def test_links_hold_only_what_differs() -> None:
    scenario = Scenario(dataset=Uniform(50), blocks=EvenRuns(5), n=10)
    assert scenario.to_query() == {
        "dataset": "uniform",
        "dataset.k": "50",
        "blocks": "runs",
        "blocks.blocks": "5",
        "n": "10",
    }


@given(SCENARIOS)
def test_scenarios_can_be_keys(scenario: Scenario) -> None:
    assert {scenario: 1}[Scenario.from_dict(scenario.to_dict())] == 1
    with pytest.raises(FrozenInstanceError):
        scenario.seed = 3  # type: ignore[misc]


@given(SCENARIOS)
def test_the_plain_twin_protects_all_as_much_as_the_most_secret_block(scenario: Scenario) -> None:
    plain = scenario.plain()
    levels = scenario.epsilon if isinstance(scenario.epsilon, tuple) else (scenario.epsilon,)
    assert plain == replace(
        scenario, blocks=OneBlock(), sensitive=EverythingSensitive(), epsilon=min(levels)
    )
    assert plain.plain() == plain


@given(FIELDS, JSON)
@example("epsilon", [])
@example("epsilon", 10**400)
@example("epsilon", [1, 10**400])
@example("n", 10**400)
def test_any_value_is_taken_or_refused_in_words(field: str, value: object) -> None:
    try:
        scenario = Scenario.from_dict({"caldp_scenario": FORMAT, field: value})
    except CaldpError:
        return
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    scenario.plain()


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_any_value_of_a_kind_is_taken_or_refused_in_words(slot: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(KINDS[slot])))
    fields = sorted(KINDS[slot][kind].__dataclass_fields__)  # type: ignore[attr-defined]
    names = st.sampled_from([*fields, "other"])
    record = data.draw(st.dictionaries(names, JSON, max_size=2))
    with suppress(CaldpError):
        Scenario.from_dict({"caldp_scenario": FORMAT, slot: {"kind": kind, **record}})


KEYS = [*Scenario.__dataclass_fields__] + [
    f"{slot}.{field}"
    for slot, kinds in KINDS.items()
    for cls in kinds.values()
    for field in cls.__dataclass_fields__  # type: ignore[attr-defined]
]
TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["nan", "inf", "1e400", "9" * 5000, "1;2", ";", "²", "-1", "3-²", "+b", "true"]
    ),
    st.sampled_from([kind for kinds in KINDS.values() for kind in kinds]),
)


@given(st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=6)), TEXTS, max_size=5))
@example({"sensitive": "symbols", "sensitive.runs": "²"})
@example({"sensitive": "symbols", "sensitive.runs": "9" * 5000})
@example({"epsilon": ""})
def test_any_link_is_taken_or_refused_in_words(query: dict[str, str]) -> None:
    try:
        scenario = Scenario.from_query(query)
    except CaldpError:
        return
    assert Scenario.from_query(scenario.to_query()) == scenario
    scenario.plain()


@pytest.mark.parametrize("version", [None, 0, 2, "1", [1], True, 1.0])
def test_other_versions_are_refused(version: object) -> None:
    with pytest.raises(CaldpError, match='starts with "caldp_scenario": 1'):
        Scenario.from_dict({"caldp_scenario": version})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"colour": 1}, "unknown key 'colour'"),
        ({"blocks": {"kind": "grid", "depth": 1}}, "unknown key 'depth'"),
        ({"blocks": {"kind": "hexagons"}}, "kind of blocks must be one of"),
        ({"blocks": {"kind": ["grid"]}}, "kind of blocks must be one of"),
        ({"blocks": {"rows": 1}}, "kind of blocks must be one of"),
        ({"blocks": "grid"}, "kind of blocks must be one of"),
        ({"blocks": {"kind": "grid", "rows": 2.5}}, "rows in the blocks of kind grid must be"),
        ({"blocks": {"kind": "grid", "rows": 0}}, "rows of blocks must be a whole number"),
        ({"blocks": {"kind": "drawn", "areas": "1,2,3,4"}}, "must be a list of texts"),
        ({"blocks": {"kind": "drawn", "areas": ["here"]}}, "south,north,west,east"),
        ({"sensitive": {"kind": "areas", "edits": ["1,2,3,4"]}}, "starts with + or -"),
        ({"sensitive": {"kind": "symbols", "runs": ["5-3"]}}, '"3" or "10-19"'),
        ({"sensitive": {"kind": "inhabited", "least": 5, "most": 4}}, "most inhabitants"),
        ({"sensitive": {"kind": "symbols", "runs": ["²"]}}, '"3" or "10-19"'),
        ({"dataset": {"kind": "snap"}}, "The dataset of kind snap needs the key 'path'"),
        ({"dataset": {"kind": "zipf", "rate": 10**400}}, "rate in the dataset of kind zipf"),
        ({"epsilon": []}, "epsilon must be one number or one per block, got none"),
        ({"epsilon": 0}, "epsilon must be in [0.001, 20], got 0.0"),
        ({"epsilon": "1"}, "epsilon in the scenario must be a number or a list of numbers"),
        ({"epsilon": [1, True]}, "epsilon in the scenario must be"),
        ({"family": "no-such"}, "family must be one of"),
        ({"estimator": "best"}, "estimator must be one of"),
        ({"n": 0}, "n must be a whole number in [1, 1,000,000,000,000]"),
        ({"n": 1.5}, "n in the scenario must be a whole number or null"),
        ({"n": True}, "n in the scenario"),
        ({"trials": 10_001}, "trials must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_wrong_values_are_named(values: dict[str, Any], words: str) -> None:
    with pytest.raises(CaldpError, match=re.escape(words)):
        Scenario.from_dict({"caldp_scenario": FORMAT, **values})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"epsilon": np.float64(2)}, {"epsilon": 2.0}),
        ({"epsilon": 2}, {"epsilon": 2.0}),
        ({"epsilon": [1, 2]}, {"epsilon": (1.0, 2.0)}),
        ({"epsilon": np.array([1.0, 2.0])}, {"epsilon": (1.0, 2.0)}),
        ({"n": np.int64(5), "seed": np.uint8(6), "trials": np.int32(7)}, {"n": 5, "seed": 6}),
        ({"dataset": Uniform(np.int64(5))}, {"dataset": Uniform(5)}),  # type: ignore[arg-type]
    ],
)
def test_numbers_of_all_kinds_are_kept_as_a_file_has_them(
    given: dict[str, Any], kept: dict[str, Any]
) -> None:
    scenario = Scenario(**given)
    for name, value in kept.items():
        assert getattr(scenario, name) == value
        assert type(getattr(scenario, name)) is type(value)
    again = Scenario.from_dict(json.loads(json.dumps(scenario.to_dict())))
    assert scenario == again == Scenario.from_query(scenario.to_query())
    assert hash(scenario) == hash(again)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"epsilon": "1"}, "epsilon must be in [0.001, 20], got '1'"),
        ({"epsilon": True}, "epsilon must be in [0.001, 20], got True"),
        ({"epsilon": (1, "2")}, "epsilon must be in [0.001, 20], got (1, '2')"),
        ({"epsilon": ((1.0,), (2.0,))}, "one number or one per block, got ((1.0,), (2.0,))"),
        ({"epsilon": np.array([])}, "one number or one per block, got none"),
        ({"dataset": None}, "dataset must be one of Gowalla, Snap, Cities,"),
        ({"blocks": "grid"}, "blocks must be one of OneBlock, GridBlocks,"),
        ({"blocks": OneBlock}, "blocks must be one of OneBlock, GridBlocks,"),
        ({"sensitive": OneBlock()}, "sensitive must be one of EverythingSensitive,"),
        ({"family": ["rappor"]}, "family must be a text, got ['rappor']"),
        ({"estimator": None}, "estimator must be a text, got None"),
    ],
)
def test_what_no_file_could_hold_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(CaldpError, match=re.escape(words)):
        Scenario(**given)


@pytest.mark.parametrize(
    "query",
    [
        *({"n": text} for text in ("1_0", "１２", "١", " 5 ", "5\n", "+5", "0x5", "5.0")),
        *({"epsilon": text} for text in ("1_0", "１", "١", " 1", "1;²", "nan", "inf", "1e", ".")),
        {"blocks": "drawn", "blocks.areas": "٣٠,40,-120,-100"},
        {"sensitive": "symbols", "sensitive.runs": "١-٣"},
        {"dataset": "uniform", "dataset.kind": "zipf"},
        {"dataset.kind": "zipf"},
    ],
)
def test_there_is_one_way_to_write_a_link(query: dict[str, str]) -> None:
    with pytest.raises(CaldpError):
        Scenario.from_query(query)


@pytest.mark.parametrize("text", ["0.5", ".5", "5e-1", "5E-01", "0.50"])
def test_numbers_in_links(text: str) -> None:
    assert Scenario.from_query({"epsilon": text, "n": "007"}) == Scenario(epsilon=0.5, n=7)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    scenario = Scenario(dataset=Uniform(9), epsilon=(1.0, 2.0))
    path.write_text(json.dumps(scenario.to_dict()), encoding="utf-8")
    assert Scenario.from_file(path) == scenario
    for content, words in (
        (b"{", "is not JSON"),
        (b"\xff", "can't be read"),
        (b"[]", "starts with"),
        (b"[" * 200_000, "too many brackets"),
        (b'{"caldp_scenario": 1, "n": 1, "n": 2}', "this one has 'n' twice"),
        (b'{"dataset": {"kind": "uniform", "kind": "zipf"}}', "has 'kind' twice"),
        (b'{"caldp_scenario": 1.0}', "starts with"),
    ):
        path.write_bytes(content)
        with pytest.raises(CaldpError, match=words):
            Scenario.from_file(path)
    for nowhere in (tmp_path, "a\0b"):
        with pytest.raises(CaldpError, match="can't be read"):
            Scenario.from_file(nowhere)
