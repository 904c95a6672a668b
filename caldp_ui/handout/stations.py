"""The classroom's stations as parts of the lesson: what one can do afterwards, and questions."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import Final

from caldp_ui.app.navigation import CLASSROOM
from caldp_ui.classroom import plan, take_home
from caldp_ui.classroom.page_state import NAMES, Lesson
from caldp_ui.handout.records import Reading
from caldp_ui.handout.station_questions import STATION_QUESTIONS
from caldp_ui.offline.records import Dial, Part, Question
from caldp_ui.parts import headline
from caldp_ui.stage import Step

_TAG: Final = re.compile(r"<[^>]+>")
_WRONG: Final = 2
"""Answers beside the right one."""


def station_parts() -> list[Part]:
    """All stations, as they begin."""
    homes = [step.home for step in plan.PARTS if step.page == CLASSROOM]
    return [_part(name, home) for name, home in zip(NAMES, homes, strict=True)]


def _part(name: str, home: str) -> Part:
    asked = STATION_QUESTIONS[name]

    def questions(dials: Sequence[Dial]) -> Sequence[Question]:
        return asked.predict, make_question(asked.move, dials), asked.explain

    part = take_home.part(Lesson(name))
    return replace(part, aim=asked.aim, home=home, questions=questions)


def make_question(reading: Reading, dials: Sequence[Dial]) -> Question:
    """The question with its right answer, and what the sentence says at other steps."""
    (dial,) = (each for each in dials if each.title == reading.dial)
    (there,) = (step for step in dial.steps if step.reading == reading.reading)
    right = _answer(reading, there)
    others = dict.fromkeys(_answer(reading, step) for step in reversed(dial.steps))
    wrong = [each for each in others if each != right][:_WRONG]
    return Question(reading.ask, (right, *wrong), step_sentence(there))


def step_sentence(step: Step) -> str:
    """The sentence of a step as a text."""
    return unescape(_TAG.sub(" ", step.elsewhere[headline.SENTENCE])).strip()


def _answer(reading: Reading, step: Step) -> str:
    found = re.search(reading.found, step_sentence(step))
    assert found is not None  # stations say the same sentence at every step
    return reading.answer.format(found[1])
