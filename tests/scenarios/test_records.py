"""Records to and from dictionaries and flat texts, on records made for the purpose."""

import math
from dataclasses import dataclass
from typing import TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.scenarios.records import Kinds, Level, Rows, from_dict, from_flat, to_dict, to_flat


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


KINDS: Kinds = {
    Shape: {"round": Round, "pointed": Pointed},
    Framed: {"framed": Framed},
}
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
def test_dictionaries_come_back(drawing: Drawing) -> None:
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
