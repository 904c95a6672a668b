"""The classroom's stations as parts of the lesson, with their aims and questions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from caldp_ui.app.navigation import CLASSROOM
from caldp_ui.classroom import page, plan
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.handout.records import FIGURE_TEXTS, Reading
from caldp_ui.handout.station_questions import STATION_QUESTIONS
from caldp_ui.offline.records import Dial, Part, Question
from caldp_ui.stage import Step

_WRONG: Final = 2
"""Most wrong answers beside the right one."""


def station_parts() -> list[Part]:
    """A part for each station, as it begins."""
    homes = [step.home for step in plan.PARTS if step.page == CLASSROOM]
    return [_part(name, home) for name, home in zip(NAMES, homes, strict=True)]


def _part(name: str, home: str) -> Part:
    station = STATION_QUESTIONS[name]

    def questions(dials: Sequence[Dial]) -> Sequence[Question]:
        return station.predict, make_question(station.move, dials), station.explain

    part = page.part(Lesson(name))
    assert part is not None  # each station has sliders
    return replace(part, aim=station.aim, home=home, questions=questions)


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
