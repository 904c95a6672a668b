"""Pages and the lesson to take home: files that hold what the pages show, and ask nobody."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from typing import Any, Final

import pytest

from caldp_core.basics.errors import CaldpError, Cancelled
from caldp_core.basics.types import no_progress
from caldp_core.experiments.run import prepare, run
from caldp_ui.adversary import fakes_page
from caldp_ui.adversary import page as adversary
from caldp_ui.adversary.page_state import FAKES, AttackerState
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.classroom import page as classroom
from caldp_ui.classroom.page import STATIONS
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.classroom.plan import STATION_QUESTIONS
from caldp_ui.coarser.page import PAGE as COARSER_PAGE
from caldp_ui.coarser.page_state import CENSUS_BLOCK, Publication
from caldp_ui.compute import runs
from caldp_ui.handout import lesson
from caldp_ui.handout.lesson import make_question
from caldp_ui.maps.presets import BEGIN as MAP
from caldp_ui.offline.document import document
from caldp_ui.offline.records import Board, Component, Dial, Part, Question, combine_themes
from caldp_ui.parts import markup
from caldp_ui.room.page_state import STATE as POLL
from caldp_ui.room.page_state import Draft
from caldp_ui.stage import Film, Scene
from caldp_ui.values.page_state import BEGIN as ANSWERS
from caldp_ui.yesno import page as yesno
from caldp_ui.yesno.page_state import YesNoState
from tests.contract.checks import naming
from tests.ui.lessons import number

SMALL: Final = replace(MAP, n=20_000)


class Links(HTMLParser):
    """Whatever a browser would ask somebody for."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.addresses += [str(value) for name, value in attrs if name in ("src", "href", "action")]


def parts_of(whole: str) -> list[dict[str, Any]]:
    """What the browser's side is told of each part."""
    found = re.search(
        r'<script type="application/json" id="parts">(.*?)</script>', whole, re.DOTALL
    )
    assert found
    data: list[dict[str, Any]] = json.loads(found[1])
    return data


@pytest.fixture(scope="module")
def film() -> Film:
    made = lesson.maps(SMALL).moves[0](no_progress)
    assert isinstance(made, Film)
    return made


def dials_of(part: Part) -> list[Dial]:
    return [made for made in (make(no_progress) for make in part.moves) if isinstance(made, Dial)]


def test_a_file_asks_nobody_and_holds_each_step_of_each_slider() -> None:
    part = yesno.PAGE.part(YesNoState())
    assert part is not None
    whole = document("Yes or no", [part], no_progress)
    assert len(whole.encode()) < 5e6
    links = Links()
    links.feed(whole)
    assert links.addresses == []
    assert "default-src 'none'" in whole
    assert not re.search(r"\bimport\s[^;]*from\s*[\"']", whole)  # the modules are one
    (data,) = parts_of(whole)
    assert [dial["title"] for dial in data["dials"]] == [
        "ε of yes",
        "ε of no",
        "People",
        "Truly yes",
    ]
    for dial in data["dials"]:
        now = dial["steps"][dial["at"]]
        assert now["pictures"] == data["first"]["pictures"]
        assert now["words"] == data["first"]["words"]
    assert 'id="hand-in"' not in whole  # a page alone asks nothing


def test_pages_of_maps_and_of_answers_have_their_own_scenario() -> None:
    few = SMALL.with_context(epsilon=2.0)
    for part, kind, moves in (
        (lesson.maps(few), Scene, 1),
        (lesson.answers(ANSWERS), Component, 2),
        (adversary.PAGE.part(AttackerState()), Scene, 2),
        (fakes_page.PAGE.part(AttackerState(show=FAKES)), Scene, 2),
        (COARSER_PAGE.part(Publication(scenario=few)), Scene, 1),
    ):
        assert part is not None
        with naming(part.id):
            assert isinstance(part.picture, kind)
            assert len(part.moves) == moves
            assert next(iter(part.words)) == markup.SENTENCE
    assert (
        COARSER_PAGE.part(Publication().with_attack(CENSUS_BLOCK)) is None
    )  # seven people have no slider


def test_both_themes_are_told_at_once() -> None:
    style = combine_themes("a #FFFFFF b rgba(0,0,0,0.5)", "a #000000 b rgba(0,0,0,0.5)")
    assert style == "a light-dark(#FFFFFF,#000000) b rgba(0,0,0,0.5)"
    with pytest.raises(CaldpError, match="Both themes"):
        combine_themes("a #FFFFFF", "b #000000")
    lesson = Lesson("sum")
    part = classroom.part(lesson)
    assert part is not None
    assert isinstance(part.picture, Board)
    for key, picture in part.picture.pictures.items():
        for name, colours in (("light", LIGHT), ("dark", DARK)):
            page = classroom.view(lesson, None, colours).pictures[key]
            one = r"light-dark\(([^()]*(?:\([^()]*\))?),([^()]*(?:\([^()]*\))?)\)"
            assert re.sub(one, r"\1" if name == "light" else r"\2", picture) == page


@pytest.mark.parametrize("name", ["trust", pytest.param("means", marks=pytest.mark.thorough)])
def test_a_station_is_what_its_page_shows_and_its_answers_are_read_there(name: str) -> None:
    part, lesson = classroom.part(Lesson(name)), Lesson(name)
    assert part is not None
    dials, sliders = dials_of(part), STATIONS[name].dials(lesson)
    assert [dial.title for dial in dials] == [*(s.title for s in sliders), STATIONS[name].naive[0]]
    for dial, slider in zip(dials, (s.slider for s in sliders), strict=False):
        for step, value in zip(dial.steps, slider.steps, strict=True):
            board = STATIONS[name].open(slider.with_value(lesson, value))
            assert step.reading == slider.format_value(value)
            assert step.replacements[markup.SENTENCE] == markup.headline_html(board.headline)
    move = STATION_QUESTIONS[name]["move"]
    question = make_question(move, dials)
    assert len(set(question.answers)) == len(question.answers) == 3
    (moved,) = (each.slider for each in sliders if each.title == move.dial)
    (there,) = (value for value in moved.steps if moved.format_value(value) == move.reading)
    sentence = STATIONS[name].open(moved.with_value(lesson, there)).headline.sentence
    assert number(question.answers[0]) in [number(word) for word in sentence.split()]


def test_each_station_asks_three_questions_and_says_what_one_can_do_afterwards() -> None:
    assert tuple(STATION_QUESTIONS) == NAMES
    for name, station in STATION_QUESTIONS.items():
        with naming(name):
            assert station["aim"].endswith(".")
            assert station["predict"].ask.startswith("Before you move anything")
            titles = {dial.title: dial.slider for dial in STATIONS[name].dials(Lesson(name))}
            moved = titles[station["move"].dial]
            assert station["move"].reading in {moved.format_value(value) for value in moved.steps}
            for question in (station["predict"], station["explain"]):
                assert len(set(question.answers)) == len(question.answers) == 3


def test_right_answers_are_those_of_the_films(film: Film) -> None:
    levels = [step.value for step in film.steps]
    for level in (levels[0], levels[-1]):
        scenario = SMALL.with_context(epsilon=level)
        step = film.steps[levels.index(level)]
        for name, each in (("tv", scenario), ("plain_tv", runs.best_plain_ldp(scenario))):
            tv = run(prepare(each)).first.errors.tv
            assert step.headline.figures[name] == tv
            assert abs(lesson.wrong(step, name) - 100 * tv) <= 0.5
    (question,) = (q for q in lesson.of_maps([film]) if q.ask.startswith("Move ε"))
    bar = number(question.ask.split("at most")[1])
    good = {step.label: lesson.wrong(step) <= bar for step in film.steps}
    right, *wrong = question.answers
    assert good[right]
    earlier = [step.label for step in film.steps][: [s.label for s in film.steps].index(right)]
    assert not any(good[label] for label in earlier)  # "from which on"
    assert right not in wrong
    assert len(set(question.answers)) == len(question.answers) >= 3


def test_texts_are_texts_and_a_cancel_stops() -> None:
    evil = "</script><img src=x onerror=alert(1)>"

    def one(_: Sequence[Film]) -> tuple[Question, ...]:
        return (Question(evil, (evil, "b"), evil),)

    picture = Component({"names": [evil]}, "chart", "", evil)
    part = Part("a", evil, evil, {"h1": "<p></p>"}, picture, (), evil, evil, one)
    made = document(evil, [part], no_progress)
    assert evil not in made
    assert escape(evil) in made

    def enough(share: float) -> None:
        raise Cancelled

    station = classroom.part(Lesson())
    assert station is not None
    with pytest.raises(Cancelled):
        document("a", [station], enough)


def test_the_class_is_asked_each_station_s_prediction_and_the_right_answer_is_not_the_first() -> (
    None
):
    for name, station in STATION_QUESTIONS.items():
        guess = lesson.question(name)
        with naming(name):
            assert guess.right not in (None, 0)
            answers = [answer.removesuffix(".") for answer in station["predict"].answers]
            assert guess.answers[guess.right or 0] == answers[0]
            assert set(guess.answers) == set(answers)
            assert POLL.codec.read(POLL.codec.write(Draft(guess))) == Draft(guess)
