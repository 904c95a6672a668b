"""Whatever is no scenario, in a file, a link or Python, is refused in words."""

import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import (
    ContextPolicy,
    PersonalTags,
)
from caldp_core.scenarios.scenario import FORMAT, SLOTS, Scenario
from tests.strategies import names_of

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.just(10**400)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=6,
)


FIELDS = st.sampled_from(sorted(Scenario.__dataclass_fields__))


@given(FIELDS, JSON)
@example("policy", {"kind": "context", "epsilon": []})
@example("policy", {"kind": "context", "epsilon": 10**400})
@example("policy", {"kind": "context", "epsilon": [1, 10**400]})
@example("policy", {"kind": "matrix", "rows": []})
@example("policy", {"kind": "matrix", "rows": [[]]})
@example("policy", {"kind": "matrix", "rows": [[0, 1], [1]]})
@example("policy", {"kind": "matrix", "rows": [[0, 10**400], [1, 0]]})
@example("policy", {"kind": "distances", "rows": [["infinity"]]})
@example("policy", {"kind": "personal-tags", "shares": []})
@example("n", 10**400)
def test_any_value_is_taken_or_refused_in_words(field: str, value: object) -> None:
    try:
        scenario = Scenario.from_dict({"caldp_scenario": FORMAT, field: value})
    except CaldpError:
        return
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    scenario.plain()


@given(st.sampled_from(sorted(SLOTS)), st.data())
def test_any_value_of_a_kind_is_taken_or_refused_in_words(slot: str, data: st.DataObject) -> None:
    kinds = SLOTS[slot][1]
    kind = data.draw(st.sampled_from(sorted(kinds)))
    fields = sorted(names_of(kinds[kind]))
    names = st.sampled_from([*fields, "other"])
    record = {"kind": kind, **data.draw(st.dictionaries(names, JSON, max_size=2))}
    file: dict[str, Any] = {slot: record}
    if slot in ("blocks", "sensitive"):
        file = {"policy": {"kind": "context", slot: record}}
    with suppress(CaldpError):
        Scenario.from_dict({"caldp_scenario": FORMAT, **file})


KEYS = [*Scenario.__dataclass_fields__] + [
    key
    for slot, (_, kinds) in SLOTS.items()
    for cls in kinds.values()
    for field in names_of(cls)
    for key in ([field, f"policy.{field}"] if slot == "policy" else [f"{slot}.{field}"])
]


TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["nan", "inf", "1e400", "9" * 5000, "1;2", ";", "²", "-1", "3-²", "+b", "true"]
    ),
    st.sampled_from(["infinity", "0;1|1;0", "|", "0|", "0;1|1", "-0", "0;infinity|1;0"]),
    st.sampled_from([kind for _, kinds in SLOTS.values() for kind in kinds]),
)


@given(st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=6)), TEXTS, max_size=5))
@example({"v": "2", "sensitive": "symbols", "sensitive.runs": "²"})
@example({"v": "2", "sensitive": "symbols", "sensitive.runs": "9" * 5000})
@example({"epsilon": ""})
@example({"v": "2", "epsilon": ""})
@example({"v": "2", "policy": "matrix", "rows": ""})
def test_any_link_is_taken_or_refused_in_words(query: dict[str, str]) -> None:
    for marked in (query, {"v": "2", **query}):
        try:
            scenario = Scenario.from_query(marked)
        except CaldpError:
            continue
        assert Scenario.from_query(scenario.to_query()) == scenario
        scenario.plain()


@pytest.mark.parametrize("version", [None, 0, 3, "1", [1], True, 1.0, 2.0])
def test_other_versions_are_refused(version: object) -> None:
    with pytest.raises(CaldpError, match='starts with "caldp_scenario": 2'):
        Scenario.from_dict({"caldp_scenario": version})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"colour": 1}, "unknown key 'colour'"),
        (
            {"policy": {"kind": "context", "blocks": {"kind": "grid", "depth": 1}}},
            "unknown key 'depth'",
        ),
        (
            {"policy": {"kind": "context", "blocks": {"kind": "triangles"}}},
            "kind of blocks must be one of",
        ),
        (
            {"policy": {"kind": "context", "blocks": {"kind": ["grid"]}}},
            "kind of blocks must be one of",
        ),
        ({"policy": {"kind": "context", "blocks": {"rows": 1}}}, "kind of blocks must be one of"),
        ({"policy": {"kind": "context", "blocks": "grid"}}, "kind of blocks must be one of"),
        (
            {"policy": {"kind": "context", "blocks": {"kind": "grid", "rows": 2.5}}},
            "rows in the blocks of kind grid must be",
        ),
        (
            {"policy": {"kind": "context", "blocks": {"kind": "grid", "rows": 0}}},
            "rows of blocks must be a whole number",
        ),
        (
            {"policy": {"kind": "context", "blocks": {"kind": "drawn", "areas": "1,2,3,4"}}},
            "must be a list of texts",
        ),
        (
            {"policy": {"kind": "context", "blocks": {"kind": "drawn", "areas": ["here"]}}},
            "south,north,west,east",
        ),
        (
            {"policy": {"kind": "context", "sensitive": {"kind": "areas", "edits": ["1,2,3,4"]}}},
            "starts with + or -",
        ),
        (
            {"policy": {"kind": "context", "sensitive": {"kind": "symbols", "runs": ["5-3"]}}},
            '"3" or "10-19"',
        ),
        (
            {
                "policy": {
                    "kind": "context",
                    "sensitive": {"kind": "inhabited", "least": 5, "most": 4},
                }
            },
            "most inhabitants",
        ),
        (
            {"policy": {"kind": "context", "sensitive": {"kind": "symbols", "runs": ["²"]}}},
            '"3" or "10-19"',
        ),
        ({"dataset": {"kind": "snap"}}, "The dataset of kind snap needs the key 'path'"),
        ({"dataset": {"kind": "zipf", "rate": 10**400}}, "rate in the dataset of kind zipf"),
        (
            {"policy": {"kind": "context", "epsilon": []}},
            "epsilon must be one number or one per block, got none",
        ),
        ({"policy": {"kind": "context", "epsilon": 0}}, "epsilon must be in [0.001, 20], got 0.0"),
        (
            {"policy": {"kind": "context", "epsilon": "1"}},
            "epsilon in the policy of kind context must be a number or a list of numbers",
        ),
        (
            {"policy": {"kind": "context", "epsilon": [1, True]}},
            "epsilon in the policy of kind context must be",
        ),
        ({"policy": {"kind": "trust"}}, "kind of policy must be one of context, streets,"),
        ({"policy": {"kind": "line", "km": 1}}, "The policy of kind line has the unknown key 'km'"),
        ({"policy": {"kind": "streets", "km": 0}}, "km must be a number in [0.01, 20000]"),
        (
            {"policy": {"kind": "streets", "km": "infinity"}},
            "km in the policy of kind streets must",
        ),
        ({"policy": {"kind": "matrix"}}, "The policy of kind matrix needs the key 'rows'"),
        ({"policy": {"kind": "matrix", "rows": [[0, 1]]}}, "rows must be a square table"),
        ({"policy": {"kind": "matrix", "rows": [0]}}, 'list of lists of numbers or "infinity"'),
        ({"policy": {"kind": "matrix", "rows": [[1]]}}, "entries must be 0 on the diagonal"),
        ({"policy": {"kind": "distances", "rows": [[0, 1], [2, 0]]}}, "the same both ways"),
        (
            {"policy": {"kind": "binary", "epsilon_01": -1}},
            "epsilon_01 must be a number in [0, inf]",
        ),
        ({"policy": {"kind": "personal-tags", "shares": [0.6, 0.6]}}, "sum to at most 1"),
        (
            {"policy": {"kind": "personal-tags", "shares": [1e-6] * 101}},
            "at most 100 tags, got 101",
        ),
        (
            {"policy": {"kind": "matrix", "rows": [[0] * 2001] * 2000}},
            "4,000,000 numbers, got 4,002",
        ),
        ({"policy": {"kind": "distances", "rows": [[0] * 4_000_001]}}, "at most 4,000,000 numbers"),
        ({"policy": {"kind": "personal-tags", "background": "x"}}, "background must be one of"),
        ({"mechanism": {"kind": "no-such"}}, "kind of mechanism must be one of best, hadamard,"),
        ({"mechanism": {"kind": "rappor", "theta": 1}}, "theta must be a number in [0.001, 0.999]"),
        ({"mechanism": {"kind": "subset-selection", "omega": 0}}, "omega must be a whole number"),
        ({"mechanism": {"kind": "local-hashing", "g": 1}}, "g must be a whole number in [2,"),
        ({"mechanism": {"kind": "hadamard", "m": 1}}, "unknown key 'm'"),
        ({"family": "hadamard"}, "The scenario has the unknown key 'family'"),
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
    ("epsilon", "words"),
    [
        ("1", "epsilon must be in [0.001, 20], got '1'"),
        (True, "epsilon must be in [0.001, 20], got True"),
        ((1, "2"), "epsilon must be in [0.001, 20], got (1, '2')"),
        (((1.0,), (2.0,)), "one number or one per block, got ((1.0,), (2.0,))"),
        (np.array([]), "one number or one per block, got none"),
    ],
)
def test_levels_that_no_file_could_hold_are_refused(epsilon: Any, words: str) -> None:
    with pytest.raises(CaldpError, match=re.escape(words)):
        ContextPolicy(epsilon=epsilon)


ANY_CONTEXT: Any = ContextPolicy


ANY_TAGS: Any = PersonalTags


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dataset": None}, "dataset must be one of Gowalla, Snap, Cities,"),
        ({"policy": 1}, "PersonalTags, got 1; see docs/api.md."),
        ({"policy": "context"}, "policy must be one of ContextPolicy, Streets,"),
        ({"policy": ContextPolicy}, "policy must be one of ContextPolicy, Streets,"),
        ({"policy": ANY_CONTEXT("grid")}, "blocks must be one of OneBlock, GridBlocks,"),
        ({"policy": ANY_CONTEXT(OneBlock)}, "blocks must be one of OneBlock, GridBlocks,"),
        ({"policy": ANY_CONTEXT(sensitive=OneBlock())}, "must be one of EverythingSensitive,"),
        ({"policy": ANY_TAGS(OneBlock())}, "must be one of EverythingSensitive,"),
        ({"mechanism": "hadamard"}, "mechanism must be one of Best, Hadamard,"),
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
        {"policy.epsilon": "2"},
        {"policy.kind": "line"},
        {"blocks.kind": "one"},
        {"family": "oue"},
        {"policy": "line", "blocks": "one"},
        {"policy": "binary", "epsilon_01": "inf"},
    ],
)
def test_there_is_one_way_to_write_a_link(query: dict[str, str]) -> None:
    with pytest.raises(CaldpError):
        Scenario.from_query({"v": "2", **query})


def test_links_of_other_versions_are_refused() -> None:
    for version in ("1", "3", "", "2.0"):
        with pytest.raises(CaldpError, match="A link has v=2"):
            Scenario.from_query({"v": version, "n": "5"})
    assert Scenario.from_query({"n": "5"}) == Scenario.from_query({"v": "2", "n": "5"})
