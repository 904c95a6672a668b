"""Scenarios as records, dictionaries, files and links, and their JSON Schema."""

import json
import math
import re
from contextlib import suppress
from dataclasses import FrozenInstanceError, dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.cli.commands import main
from caldp_core.datasets import Snap, Uniform, Zipf
from caldp_core.estimation.estimators import GIVEN_UP
from caldp_core.mechanisms.catalogue import GridGeometric, Hadamard, PublishedUrap, Rappor
from caldp_core.scenarios.blocks import DrawnBlocks, EvenRuns, EverythingSensitive, OneBlock
from caldp_core.scenarios.policies import (
    BinaryQuestion,
    ContextPolicy,
    Distances,
    MatrixPolicy,
    PersonalTags,
    PolicySpec,
    Streets,
)
from caldp_core.scenarios.records import Kinds, Level, Rows, from_dict, from_flat, to_dict, to_flat
from caldp_core.scenarios.scenario import FORMAT, SLOTS, Best, Scenario, schema, unknown_query_keys
from tests import ROOT
from tests.strategies import EVERY, SCENARIOS, names_of


def test_the_strategies_know_every_kind() -> None:
    assert {slot: set(kinds) for slot, (_, kinds) in SLOTS.items()} == {
        slot: set(strategies) for slot, strategies in EVERY.items()
    }


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


@pytest.mark.parametrize("name", GIVEN_UP)
def test_an_estimator_of_earlier_versions_is_read_as_another_and_a_sentence_says_so(
    name: str, tmp_path: Path
) -> None:
    sentence = f'The estimator "{name}" is given up; it is read as "simplex".'
    small = Scenario(Zipf(k=5), n=100).with_context(blocks=OneBlock())
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**small.to_dict(), "estimator": name}), "utf-8")
    with pytest.warns(UserWarning, match=re.escape(sentence)):
        assert Scenario.from_file(path) == replace(small, estimator="simplex")
    assert Scenario.from_query({"v": "2", "estimator": name}).estimator == "simplex"
    done = CliRunner().invoke(main, ["run", str(path)])
    assert (done.exit_code, done.stderr.strip()) == (0, sentence)
    assert json.loads(done.stdout)["scenario"]["estimator"] == "simplex"


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
    [(np.float64(2), 2.0), (2, 2.0), ([1, 2], (1.0, 2.0)), (np.array([1.0, 2.0]), (1.0, 2.0))],
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


@dataclass(frozen=True)
class Round:
    radius: float = 1.0


@dataclass(frozen=True)
class Pointed:
    corners: int = 3
    marks: tuple[str, ...] = ()


Shape: TypeAlias = Round | Pointed


@dataclass(frozen=True)
class Framed:
    inner: Shape = Round()
    shape: int = 0


@dataclass(frozen=True)
class Drawing:
    name: str = ""
    shape: Shape = Round()
    frame: Framed = Framed()
    weights: float | tuple[float, ...] = 1.0
    limit: int | None = None
    sizes: tuple[int, ...] = (1, 2)
    level: Level = 1.0
    rows: Rows = ()


@dataclass(frozen=True)
class Needy:
    must: int
    may: int = 0


KINDS: Kinds = {Shape: {"round": Round, "pointed": Pointed}, Framed: {"framed": Framed}}
FLOATS = st.floats(allow_nan=False, allow_infinity=False)  # JSON has no others either
MARKS = st.text(min_size=1) | st.text("a%;253B", min_size=1)
LEVELS = FLOATS | st.just(math.inf)
SHAPES = st.one_of(
    st.builds(Round, FLOATS),
    st.builds(Pointed, st.integers(), st.lists(MARKS, max_size=3).map(tuple)),
)
DRAWINGS = st.builds(
    Drawing,
    name=st.text(),
    shape=SHAPES,
    frame=st.builds(Framed, inner=SHAPES, shape=st.integers()),
    level=LEVELS,
    rows=st.lists(st.lists(LEVELS, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple),
    weights=st.one_of(FLOATS, st.lists(FLOATS, min_size=1, max_size=3).map(tuple)),
    limit=st.one_of(st.none(), st.integers()),
    sizes=st.lists(st.integers(), max_size=3).map(tuple),
)


@given(DRAWINGS)
@pytest.mark.slow
def test_records_dictionaries_come_back(drawing: Drawing) -> None:
    data = to_dict(drawing, KINDS)
    assert isinstance(data["sizes"], list)
    assert data["shape"]["kind"] in KINDS[Shape]
    assert data["frame"]["inner"]["kind"] in KINDS[Shape]
    assert from_dict(Drawing, data, KINDS) == drawing


@given(DRAWINGS)
@example(Drawing(weights=(2.0,)))
@example(Drawing(sizes=()))
@example(Drawing(sizes=(7,)))
@example(Drawing(name="1.0", shape=Pointed(marks=(".0",))))
@example(Drawing(shape=Pointed(marks=(";", "a;b", "%3B", "%253B;"))))
def test_flat_texts_come_back(drawing: Drawing) -> None:
    assert from_flat(Drawing, to_flat(drawing, KINDS), KINDS) == drawing


def test_only_what_differs_is_flat() -> None:
    assert to_flat(Drawing(), KINDS) == {}
    assert to_flat(Drawing(shape=Pointed()), KINDS) == {"shape": "pointed"}
    assert to_flat(Drawing(shape=Round(2.0)), KINDS) == {"shape.radius": "2"}
    flat = to_flat(Drawing(shape=Pointed(4, ("a", "b")), weights=(1.0, 2.5)), KINDS)
    assert flat == {
        "shape": "pointed",
        "shape.corners": "4",
        "shape.marks": "a;b",
        "weights": "1;2.5",
    }


def test_slots_within_slots_are_flat_too() -> None:
    drawing = Drawing(frame=Framed(Pointed(5), 7), level=math.inf, rows=((1.0, math.inf),))
    flat = {
        "frame.inner": "pointed",
        "frame.inner.corners": "5",
        "frame.shape": "7",
        "level": "infinity",
        "rows": "1;infinity|",
    }
    assert to_flat(drawing, KINDS) == flat
    assert to_dict(drawing, KINDS)["rows"] == [[1.0, "infinity"]]


def test_whole_numbers_are_numbers() -> None:
    made = from_dict(Drawing, {"weights": 3, "shape": {"kind": "round", "radius": 2}}, KINDS)
    assert isinstance(made.weights, float)
    assert made.shape == Round(2.0)


def test_records_may_stand_for_themselves() -> None:
    assert from_dict(Drawing, {"shape": Pointed(5)}, KINDS).shape == Pointed(5)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "must be an object with named fields"),
        ({"size": 1}, "The thing has the unknown key 'size'"),
        ({"name": 1}, "name in the thing must be a text, got 1"),
        ({"limit": "1"}, "limit in the thing must be a whole number or null"),
        ({"limit": True}, "limit in the thing"),
        ({"sizes": 1}, "sizes in the thing must be a list of whole numbers"),
        ({"sizes": [1.5]}, "sizes in the thing"),
        ({"weights": "1"}, "must be a number or a list of numbers, got '1'"),
        ({"weights": 10**400}, "must be a number"),
        ({"level": "inf"}, 'level in the thing must be a number or "infinity"'),
        ({"rows": [1]}, 'must be a list of lists of numbers or "infinity"'),
        ({"rows": [["1"]]}, "must be a list of lists"),
        ({"frame": {"kind": "framed", "inner": {"kind": "framed"}}}, "kind of inner must be one"),
        ({"shape": {"kind": "square"}}, "kind of shape must be one of round, pointed"),
        ({"shape": {"kind": []}}, "kind of shape must be one of"),
        ({"shape": "round"}, "got 'round'"),
        ({"shape": {"kind": "round", "corners": 1}}, "The shape of kind round has the unknown"),
        ({"shape": {"kind": "pointed", "marks": [1]}}, "marks in the shape of kind pointed"),
    ],
)
def test_wrong_data_are_named(data: object, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        from_dict(Drawing, data, KINDS, "The thing")


@pytest.mark.parametrize(
    ("flat", "words"),
    [
        ({"size": "1"}, "The link has the unknown key 'size'"),
        ({"limit": "many"}, "limit in the link must be a whole number or null, got 'many'"),
        ({"weights": "inf"}, "weights in the link must be a number or a list of numbers"),
        ({"weights": "1;x"}, "weights in the link must be a number or a list of numbers"),
        ({"weights": "infinity"}, "weights in the link must be a number or a list of numbers"),
        ({"level": "inf"}, "level in the link must be"),
        ({"rows": "1;x|2"}, "rows in the link must be"),
        ({"frame.inner.kind": "round"}, "unknown key 'inner.kind'"),
        ({"frame.inner.corners": "x"}, "unknown key 'corners'"),
        ({"shape": "square"}, "kind of shape must be one of"),
        ({"shape.corners": "3"}, "The shape of kind round has the unknown key 'corners'"),
        ({"shape": "pointed", "shape.corners": "3.5"}, "shape.corners in the link must be"),
        ({"shape.kind": "pointed"}, "The link has the unknown key 'shape.kind'"),
        ({"name.first": "a"}, "unknown key 'name.first'"),
    ],
)
def test_wrong_texts_are_named(flat: dict[str, str], words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        from_flat(Drawing, flat, KINDS)


def test_what_has_no_default_is_needed() -> None:
    assert from_dict(Needy, {"must": 1}, {}) == Needy(1)
    with pytest.raises(CaldpError, match="The thing needs the key 'must'"):
        from_dict(Needy, {"may": 1}, {}, "The thing")
    assert to_flat(Needy(0), {}) == {"must": "0"}


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


def policy(kind: str, **fields: Any) -> dict[str, Any]:
    """A file's policy."""
    return {"policy": {"kind": kind, **fields}}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            policy("context", blocks={"kind": "grid", "rows": 0}),
            "rows of blocks must be a whole number",
        ),
        (policy("context", blocks={"kind": "drawn", "areas": ["here"]}), "south,north,west,east"),
        (
            policy("context", sensitive={"kind": "areas", "edits": ["1,2,3,4"]}),
            "starts with + or -",
        ),
        (policy("context", sensitive={"kind": "symbols", "runs": ["5-3"]}), '"3" or "10-19"'),
        (
            policy("context", sensitive={"kind": "inhabited", "least": 5, "most": 4}),
            "most inhabitants",
        ),
        (policy("context", sensitive={"kind": "symbols", "runs": ["²"]}), '"3" or "10-19"'),
        (policy("context", epsilon=[]), "epsilon must be one number or one per block, got none"),
        (policy("context", epsilon=0), "epsilon must be in [0.001, 20], got 0.0"),
        ({"policy": {"kind": "trust"}}, "kind of policy must be one of context, streets,"),
        (policy("streets", km=0), "km must be a number in [0.01, 20000]"),
        (policy("matrix", rows=[[0, 1]]), "rows must be a square table"),
        (policy("matrix", rows=[[1]]), "entries must be 0 on the diagonal"),
        (policy("distances", rows=[[0, 1], [2, 0]]), "the same both ways"),
        (policy("binary", epsilon_01=-1), "epsilon_01 must be a number in [0, inf]"),
        (policy("personal-tags", shares=[0.6, 0.6]), "sum to at most 1"),
        (policy("personal-tags", shares=[1e-6] * 101), "at most 100 tags, got 101"),
        (policy("matrix", rows=[[0] * 2001] * 2000), "4,000,000 numbers, got 4,002"),
        (policy("distances", rows=[[0] * 4_000_001]), "at most 4,000,000 numbers"),
        (policy("personal-tags", background="x"), "background must be one of"),
        ({"mechanism": {"kind": "no-such"}}, "kind of mechanism must be one of best, hadamard,"),
        ({"mechanism": {"kind": "rappor", "theta": 1}}, "theta must be a number in [0.001, 0.999]"),
        ({"mechanism": {"kind": "subset-selection", "omega": 0}}, "omega must be a whole number"),
        ({"mechanism": {"kind": "local-hashing", "g": 1}}, "g must be a whole number in [2,"),
        ({"family": "hadamard"}, "The scenario has the unknown key 'family'"),
        ({"estimator": "best"}, "estimator must be one of"),
        ({"n": 0}, "n must be a whole number in [1, 1,000,000,000,000]"),
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
