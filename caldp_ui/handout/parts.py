"""The parts of the lesson: maps, answers, the attacker, and the stations of the classroom."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

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
    part = PLACES_PAGE.part(PlacesState(scenario))
    assert part is not None  # one ε, and a map of a moment
    return replace(
        part,
        aim=questions.AIMS["maps"],
        home="Protect only what is sensitive, and the map gets sharper.",
        questions=questions.of_maps,
    )


def answers(scenario: Scenario) -> Part:
    """Part with the share of each answer, along the sensitive set and along ε."""
    part = ANSWERS_PAGE.part(ValuesState(scenario))
    assert part is not None
    return replace(
        part,
        moves=part.moves[:2],
        aim=questions.AIMS["answers"],
        home="What is harmless need not pay for what is sensitive.",
        questions=questions.of_answers,
    )


def attacker(record: AttackerState) -> Part:
    """Part with the attacker's belief about one person, day by day."""
    part = ATTACKER_PAGE.part(record)
    assert part is not None
    return replace(
        part,
        moves=part.moves[:1],
        aim=questions.AIMS["attacker"],
        home="Reports about one place add up, unless the phone stores its noise.",
        questions=questions.of_attacker,
    )


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
