"""Every figure of a headline or caption is made a second time by a test: `tests/claims.toml`.

A figure of a headline is a number that `Headline.figures` has, of a caption one in its text. One
that the register does not know fails here.
"""

import ast
import importlib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from caldp_core.audit.adversary import error_vertex
from caldp_core.basics.types import Floats
from caldp_core.datasets.own import OwnTable
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.blocks import EvenRuns, EverythingSensitive, OneBlock, SensitiveSymbols
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import Lesson
from caldp_ui.coarser.page_state import ATTACKS
from caldp_ui.compute import runs
from caldp_ui.matrix import view as matrix_view
from caldp_ui.matrix.page_state import BUG, PASTED, MatrixState
from caldp_ui.paper.page_state import VIEWS
from caldp_ui.session.page_state import PageState
from caldp_ui.values.page_state import TABLES, initial_scenario
from caldp_ui.words.formats import Headline
from caldp_ui.yesno.page_state import BEGIN as QUESTION
from tests.contract.checks import naming
from tests.ui.driver import capture_headlines, jobs_done, open_page, open_record, verdict
from tests.ui.pages import ENDS, PAGES, VARIED, opened

ROOT: Final = Path(__file__).parents[2]
REGISTER: Final[dict[str, list[dict[str, Any]]]] = tomllib.loads(
    (ROOT / "tests" / "claims.toml").read_text("utf-8")
)
CLASSROOM: Final = "classroom"
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")

Figure = tuple[str, str]
"""A page, of the classroom with its station, and the name of a figure of its headline."""


def listed(kind: str) -> list[Figure]:
    """The figures of all entries of a kind: claim or setting."""
    found = []
    for entry in REGISTER[kind]:
        for name in entry["figures"]:
            found.append((entry["page"], name))
    return found


def unlisted(page: str, headlines: Sequence[Headline]) -> set[Figure]:
    """The figures of these headlines that the register does not know."""
    known = {*listed("claim"), *listed("setting")}
    return figures_of(page, headlines) - known


def unlisted_captions(page: str, captions: Sequence[str]) -> list[str]:
    """Captions with numbers that the register does not have, or with other numbers than there."""
    found = []
    for caption in captions:
        stated = len(_NUMBER.findall(caption))
        entries = [
            entry
            for entry in REGISTER["caption"]
            if entry["page"] == page and caption.startswith(entry["begins"])
        ]
        if stated and [entry["numbers"] for entry in entries] != [stated]:
            found.append(f"{stated} numbers in: {caption}")
    return found


def figures_of(page: str, headlines: Sequence[Headline]) -> set[Figure]:
    """All figures of these headlines."""
    found = set()
    for headline in headlines:
        for name in headline.figures:
            found.add((page, name))
    return found


@cache
def functions_of(path: str) -> frozenset[str]:
    """The names of the functions of a file of tests, without importing it."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def names_code(path: str) -> bool:
    """Whether a dotted path names a module of the project, or what a module has."""
    try:
        importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return bool(module) and hasattr(importlib.import_module(module), name)
    return True


def test_each_entry_names_code_and_tests_that_exist() -> None:
    for entry in REGISTER["claim"]:
        with naming(f"{entry['page']}: {entry['figures']}"):
            assert names_code(entry["code"])
            assert entry["tests"]
            for test in entry["tests"]:
                path, _, function = test.partition("::")
                assert function in functions_of(path), test
    assert not names_code("caldp_ui.words.accuracy.no_such_function")
    assert "test_no_such_figure" not in functions_of("tests/ui/test_claims.py")


def test_each_caption_has_a_test_or_says_what_its_fixed_numbers_are() -> None:
    for entry in REGISTER["caption"]:
        with naming(entry["begins"]):
            assert entry["page"] in PAGES
            assert len(entry["begins"]) > 7
            assert entry.get("tests") or len(entry["fixed"]) > 10
            for test in entry.get("tests", ()):
                path, _, function = test.partition("::")
                assert function in functions_of(path), test


def test_a_caption_with_a_number_that_nobody_has_entered_is_found() -> None:
    known = "A share estimated from 10,000 people is typically off by 3.8 percentage points."
    assert unlisted_captions("matrix", [known, "Nothing is counted here."]) == []
    for page, caption in (
        ("matrix", f"{known} That is 4 of 100."),
        ("matrix", "Of 100 people 7 like it."),
        ("places", known),
    ):
        assert unlisted_captions(page, [caption]), caption


def test_no_figure_is_listed_twice_and_each_belongs_to_a_page() -> None:
    everything = [*listed("claim"), *listed("setting")]
    assert len(everything) == len(set(everything))
    pages = {name for name in PAGES if name != CLASSROOM}
    stations = {f"{CLASSROOM}/{name}" for name in STATIONS}
    assert {page for page, _ in everything} <= pages | stations


def test_a_figure_that_nobody_has_entered_is_found() -> None:
    made_up = Headline("Of 100 people 7 like it.", figures={"tv": 0.1, "likes": 7.0})
    assert unlisted("places", [made_up]) == {("places", "likes")}
    assert unlisted("start", [made_up]) == {("start", "tv"), ("start", "likes")}


def test_every_figure_of_a_page_as_it_opens_is_in_the_register() -> None:
    for name, page in PAGES.items():
        if name == CLASSROOM:
            continue
        with naming(name), capture_headlines() as headlines:
            at = jobs_done(open_page(page.path))
            assert headlines or name == "start"
            assert unlisted(name, headlines) == set()
            assert unlisted_captions(name, [each.value for each in at.caption]) == []


def lessons() -> Iterator[Lesson]:
    """Each station as it opens, with few people, with very many, broken, and all at their ends."""
    for station in STATIONS:
        first = Lesson(station)
        for changes in ({}, {"n": 1}, {"n": 10**8, "broken": True}, {"n": 10, "epsilon": 10.0}):
            yield replace(first, **changes)
        yield replace(first, view="crowd")
    yield from ENDS


def test_every_figure_of_the_classroom_is_in_the_register() -> None:
    met = set()
    for lesson in lessons():
        page = f"{CLASSROOM}/{lesson.station}"
        headline = STATIONS[lesson.station].open(lesson).headline
        with naming(str(lesson)):
            assert unlisted(page, [headline]) == set()
        met |= figures_of(page, [headline])
    entered = {figure for figure in listed("claim") if figure[0].startswith(CLASSROOM)}
    assert met == entered, "an entry that no station states is out of date"


ANSWERS: Final = initial_scenario(TABLES[0])
ALONE: Final = EvenRuns(runs.dataset(ANSWERS).domain.k)
"""Each answer is a block of its own."""
TWO_ANSWERS: Final = OwnTable(("yes", "no"), (1, 0))
"""One person, who said yes."""
ODD_FIELDS: Final[Mapping[str, tuple[Mapping[str, Any], ...]]] = {
    "places": (
        {"scenario": VARIED["nothing"]},
        {"scenario": VARIED["one block"]},
        {"scenario": VARIED["areas"]},
    ),
    "values": (
        {"scenario": ANSWERS.with_context(sensitive=SensitiveSymbols(()))},
        {"scenario": ANSWERS.with_context(blocks=OneBlock(), sensitive=EverythingSensitive())},
        {"scenario": ANSWERS.with_context(blocks=ALONE, sensitive=EverythingSensitive())},
        {"scenario": replace(ANSWERS, dataset=TWO_ANSWERS).with_context(blocks=OneBlock())},
    ),
    "yesno": (
        {"scenario": replace(QUESTION, policy=BinaryQuestion(math.inf, 1.0))},
        {"scenario": replace(QUESTION, policy=BinaryQuestion(1.0, math.inf))},
    ),
    "distances": ({"show": "person"},),
    "matrix": ({"channel": BUG},),
    "coarser": (
        {"office": "hide"},
        {"office": "round"},
        *({"attack": attack, "moves": 1} for attack in ATTACKS),
        {"attack": "parts", "moves": 5},
    ),
    "paper": tuple({"view": name} for name in VIEWS),
    "adversary": (
        {"days": 0},
        {"days": 10},
    ),
    "room": ({"phones": 1}, {"phones": 1000}),
    "results": ({"level": 0.999}, {"times": 30}),
}
"""Fields of a page's record by which its headline has other figures."""


def odd_records(name: str, state: PageState[Any]) -> Iterator[Any]:
    """Other records of a page: few people at a small ε, very many at a large one, its own fields.

    A policy without one ε keeps its levels.
    """
    first = opened(state, "").record
    for fields in ODD_FIELDS.get(name, ()):
        yield replace(first, **fields)
    scenario = getattr(first, "scenario", None)
    if scenario is None:
        return
    for epsilon, people in ((0.05, 1), (8.0, 10**8)):
        changed = replace(scenario, n=people)
        if hasattr(changed.policy, "epsilon") and name != "distances":
            changed = changed.with_epsilon(epsilon)
        yield replace(first, scenario=changed)


FORECASTING: Final = ("curves", "paper")
"""Pages whose odd settings take 20 s or more of forecasts: they are opened every night."""
ODD_PAGES: Final = [
    pytest.param(name, marks=pytest.mark.thorough if name in FORECASTING else ())
    for name in PAGES
    if name != CLASSROOM
]


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD_PAGES)
def test_every_figure_at_odd_settings_is_in_the_register(name: str) -> None:
    state = PAGES[name].state
    for record in odd_records(name, state):
        with naming(str(record)), capture_headlines() as headlines:
            at = jobs_done(open_record(state, record))
            assert unlisted(name, headlines) == set()
            assert unlisted_captions(name, [each.value for each in at.caption]) == []


# Second routes of figures that had none.


BY_HAND: Final = (
    MatrixState(),
    MatrixState().with_template("ldp", 1.0),
    replace(MatrixState().with_template("ldp", 1.0), channel=BUG),
    replace(MatrixState().with_template("blocks", 1.0), channel="randomized-response"),
    replace(MatrixState().with_template("high-low", 0.05), channel="hadamard"),
    replace(
        MatrixState().with_template("drug", 8.0), channel=PASTED, pasted="999/1000 1/1000\n1/2 1/2"
    ),
    replace(MatrixState().with_template("drug", 0.5), channel=PASTED, pasted="3/4 1/4\n0.25 0.75"),
    replace(MatrixState().with_template("drug", 1.0), channel=PASTED, pasted="3/4 1/4\n0.25 0.7"),
)


def losses_by_hand(
    levels: Sequence[Sequence[float]], rows: Sequence[Sequence[float]]
) -> tuple[Floats, Floats]:
    """(limits,) each finite E of two values, and the largest log of the ratio of any report."""
    limits, losses = [], []
    for x, level_row in enumerate(levels):
        for other, level in enumerate(level_row):
            if x == other or math.isinf(level):
                continue
            loss = 0.0
            for sent, sent_by_other in zip(rows[x], rows[other], strict=True):
                if sent > 0:
                    ratio = sent / sent_by_other if sent_by_other > 0 else math.inf
                    loss = max(loss, math.log(ratio))
            limits.append(level)
            losses.append(loss)
    return np.array(limits), np.array(losses)


@pytest.mark.parametrize("record", BY_HAND, ids=range(len(BY_HAND)))
def test_limits_and_losses_of_a_channel_are_those_of_all_pairs_and_reports(
    record: MatrixState,
) -> None:
    found = verdict(record)
    rows = [[float(chance) for chance in row] for row in found.candidate.channel]
    figures = dict(matrix_view.headline(found).figures)
    sums = [sum(row) for row in rows]
    if abs(min(sums) - 1) > 1e-9:
        assert figures == {"sum": pytest.approx(min(sums))}
        return
    limits, losses = losses_by_hand(record.levels, rows)
    excess = losses - limits
    assert figures.pop("limits") == limits.size
    broken = excess[excess > 1e-9]
    if broken.size:
        worst = int(np.argmax(excess))
        assert figures.pop("broken") == broken.size
        assert figures.pop("equally_broken") == np.count_nonzero(broken > broken.max() - 1e-9)
        assert figures.pop("loss") == pytest.approx(losses[worst])
    elif excess.min() <= -0.005:
        assert figures["loss"] - figures["allowed"] == pytest.approx(excess.min())
        off = np.hypot(losses - figures.pop("loss"), limits - figures.pop("allowed"))
        assert off.min() < 1e-9, "both numbers are of one pair"
    assert figures == {}


@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (0.05, 8.0), (3.0, 0.5), (8.0, 8.0)])
def test_the_corner_of_the_region_is_where_its_two_lines_meet(first: float, second: float) -> None:
    """With x sent as x unless missed: 1 − missed ≤ e^ε(x, x′)·alarm, 1 − alarm ≤ e^ε(x′, x)·missed.

    Solved as a linear system; the corner with both levels exchanged is another one.
    """
    lines = np.array([[math.exp(first), 1.0], [1.0, math.exp(second)]])
    alarm, missed = np.linalg.solve(lines, [1.0, 1.0])
    corner = error_vertex(BinaryPolicy(first, second))
    assert (corner.false_alarm, corner.missed) == pytest.approx((alarm, missed))
    exchanged = error_vertex(BinaryPolicy(second, first))
    assert (first == second) == (exchanged.missed == pytest.approx(missed))
