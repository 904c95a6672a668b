"""The parts of the lesson: maps, answers, the attacker, and the stations of the classroom."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page import PAGE as ATTACKER_PAGE
from caldp_ui.adversary.page_state import AttackerState
from caldp_ui.app.navigation import CLASSROOM
from caldp_ui.classroom import page, plan
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.classroom.station_questions import FIGURE_TEXTS, STATION_QUESTIONS, Reading
from caldp_ui.handout import questions
from caldp_ui.maps.presets import BEGIN as MAP
from caldp_ui.offline.records import Dial, Part, Question
from caldp_ui.places.page import PAGE as PLACES_PAGE
from caldp_ui.places.page_state import PlacesState
from caldp_ui.stage import Step
from caldp_ui.values.page import PAGE as ANSWERS_PAGE
from caldp_ui.values.page_state import BEGIN as ANSWERS
from caldp_ui.values.page_state import ValuesState


def page_parts() -> list[Part]:
    """Maps, answers and attacker, as their pages begin."""
    return [maps(MAP), answers(ANSWERS), attacker(AttackerState())]


def maps(scenario: Scenario) -> Part:
    """Part with the maps of the truth, plain LDP and this protection, along ε."""
    return _with_texts(PLACES_PAGE.part(PlacesState(scenario)), "maps", None, questions.of_maps)


def answers(scenario: Scenario) -> Part:
    """Part with the share of each answer, along the sensitive set and along ε."""
    part = ANSWERS_PAGE.part(ValuesState(scenario))
    return _with_texts(part, "answers", 2, questions.of_answers)


def attacker(record: AttackerState) -> Part:
    """Part with the attacker's belief about one person, day by day."""
    return _with_texts(ATTACKER_PAGE.part(record), "attacker", 1, questions.of_attacker)


def _with_texts(part: Part | None, page: str, moves: int | None, ask: Callable[..., Any]) -> Part:
    """The part with its first `moves`, all for None, and what the lesson says and asks of it."""
    assert part is not None  # one ε, and a picture of a moment
    aim, home = (questions.TEXTS[page][name] for name in ("aim", "home"))
    return replace(part, moves=part.moves[:moves], aim=aim, home=home, questions=ask)


_WRONG: Final = 2
"""Most wrong answers beside the right one."""


def station_parts() -> list[Part]:
    """A part for each station, as it begins."""
    homes = [step.home for step in plan.PARTS if step.page == CLASSROOM]
    return [_part(name, home) for name, home in zip(NAMES, homes, strict=True)]


def _part(name: str, home: str) -> Part:
    station = STATION_QUESTIONS[name]

    def questions(dials: Sequence[Dial]) -> Sequence[Question]:
        return station["predict"], make_question(station["move"], dials), station["explain"]

    part = page.part(Lesson(name))
    assert part is not None  # each station has sliders
    return replace(part, aim=station["aim"], home=home, questions=questions)


def make_question(reading: Reading, dials: Sequence[Dial]) -> Question:
    """The question with its right answer, and wrong ones from other steps of its slider."""
    (dial,) = (each for each in dials if each.title == reading.dial)
    (chosen,) = (step for step in dial.steps if step.reading == reading.reading)
    right = _answer(reading, chosen)
    others = dict.fromkeys(_answer(reading, step) for step in reversed(dial.steps))
    wrong = [each for each in others if each != right][:_WRONG]
    return Question(reading.ask, (right, *wrong), chosen.headline.whole)


def _answer(reading: Reading, step: Step) -> str:
    figure = step.headline.figures[reading.figure]
    return reading.answer.format(FIGURE_TEXTS[reading.text](figure))
