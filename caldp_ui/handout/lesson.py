"""The lesson as one file, made in the background, and a station's prediction as a live poll.

It opens with the exhibit of the start page. Its other parts are maps, answers, the attacker, and
the stations of the classroom, each with three questions: predict, move the slider, explain. Right
answers about a slider are figures of the films' headlines; the others are in `page_questions.toml`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page import PAGE as ATTACKER_PAGE
from caldp_ui.adversary.page_state import AttackerState
from caldp_ui.app.navigation import CLASSROOM, ROOM
from caldp_ui.classroom import page
from caldp_ui.classroom.page_state import NAMES, STATE, Lesson
from caldp_ui.maps.scene import BEGIN as MAP
from caldp_ui.offline import document as files
from caldp_ui.offline.document import Dial, Part, QuizQuestion, document
from caldp_ui.places.page import PAGE as PLACES_PAGE
from caldp_ui.places.page_state import PlacesState
from caldp_ui.room.page_state import NEXT, Draft
from caldp_ui.room.page_state import STATE as POLL
from caldp_ui.room.question import PollQuestion, guess_of
from caldp_ui.session import jobs, page_state
from caldp_ui.stage.records import Film, Step
from caldp_ui.start.page import part as exhibit_part
from caldp_ui.start.page_state import StartState
from caldp_ui.values.page import PAGE as ANSWERS_PAGE
from caldp_ui.values.page_state import AFFAIR, ValuesState
from caldp_ui.words import accuracy, formats

TEXTS: Final = page.load_questions(__file__, "page_questions.toml")
_OURS: Final = "ours"
_PROTECTIONS: Final = {
    "plain": "Fresh reports under plain LDP.",
    "kept": "One stored report under this protection, sent again every day.",
    _OURS: "Fresh reports under this protection.",
}
"""Answers by the picture that shows them."""
_BELIEFS: Final = {
    "plain": "with plain LDP",
    "kept": "if the phone repeats one stored report",
    _OURS: "now",
}
"""Figures of the attacker's headline by the picture that shows them."""


def of_maps(films: Sequence[Film]) -> tuple[QuizQuestion, ...]:
    """Questions about ε on the map; `films`: that along ε first."""
    texts = TEXTS["maps"]
    return texts["predict"], _epsilon_question(films[0].steps), texts["explain"]


def _epsilon_question(steps: Sequence[Step]) -> QuizQuestion:
    """Asks for the first step with at most as many people in the wrong place as the middle step."""
    middle = steps[len(steps) // 2]
    limit = wrong(middle)
    first = next(i for i, step in enumerate(steps) if wrong(step) <= limit)
    others = [i for i in (first - 4, first - 2, first + 2, first + 4) if 0 <= i < len(steps)][:3]
    return QuizQuestion(
        "Move ε. From which of these on does this protection put "
        f"{accuracy.wrong_people(formats.PLACES, f'at most {limit:g} of 100')}?",
        (steps[first].label, *(steps[i].label for i in others)),
        f"At {steps[first].label} it is {wrong(steps[first]):g}; with plain LDP "
        f"{wrong(steps[first], 'plain_tv'):g}.",
    )


def wrong(step: Step, figure: str = "tv") -> float:
    """People of 100 in the wrong place at a step, whole as its picture has them but near 0."""
    share = step.headline.figures[figure]
    return float(round(100 * share)) if share >= 0.015 else 100 * share


def of_answers(films: Sequence[Film]) -> tuple[QuizQuestion, ...]:
    """Questions about the sensitive set, whatever the `films` show."""
    del films
    texts = TEXTS["answers"]
    return texts["predict"], texts["move"], texts["explain"]


def of_attacker(films: Sequence[Film]) -> tuple[QuizQuestion, ...]:
    """Questions about reports that add up; `films`: that along the days first."""
    texts, last = TEXTS["attacker"], films[0].steps[-1]
    chances = {name: last.facts[name].number for name in _PROTECTIONS}
    best, *worse = sorted(_BELIEFS, key=lambda name: last.headline.figures[_BELIEFS[name]])
    moved = QuizQuestion(
        f"Play to {last.label}. Which of the three gives the true place the smallest chance?",
        (_PROTECTIONS[best], *(_PROTECTIONS[name] for name in worse)),
        f"The chance by then is {chances['plain']} under plain LDP, {chances['kept']} with one "
        f"stored report and {chances[_OURS]} with fresh ones under this protection, whose "
        "reports show the state.",
    )
    return texts["predict"], moved, texts["explain"]


def page_parts() -> list[Part]:
    """Maps and attacker, as their pages begin, and answers with a sensitive set that can grow."""
    return [maps(MAP), answers(AFFAIR), attacker(AttackerState())]


def maps(scenario: Scenario) -> Part:
    """Part with the maps of the truth, plain LDP and this protection, along ε."""
    return _with_texts(PLACES_PAGE.part(PlacesState(scenario)), "maps", None, of_maps)


def answers(scenario: Scenario) -> Part:
    """Part with the share of each answer, along the sensitive set and along ε."""
    part = ANSWERS_PAGE.part(ValuesState(scenario))
    return _with_texts(part, "answers", 2, of_answers)


def attacker(record: AttackerState) -> Part:
    """Part with the attacker's belief about one person, day by day."""
    return _with_texts(ATTACKER_PAGE.part(record), "attacker", 1, of_attacker)


def _with_texts(part: Part | None, name: str, moves: int | None, ask: Callable[..., Any]) -> Part:
    """The part with its first `moves`, all for None, and what the lesson says and asks of it."""
    assert part is not None  # one ε, and a picture of a moment
    aim, home = (TEXTS[name][key] for key in ("aim", "home"))
    return replace(part, moves=part.moves[:moves], aim=aim, home=home, questions=ask)


_WRONG: Final = 2
"""Most wrong answers beside the right one."""


def station_parts() -> list[Part]:
    """A part for each station, as it begins."""
    homes = [step.home for step in page.PARTS if step.page == CLASSROOM]
    return [_part(name, home) for name, home in zip(NAMES, homes, strict=True)]


def _part(name: str, home: str) -> Part:
    station = page.STATION_QUESTIONS[name]

    def questions(dials: Sequence[Dial]) -> Sequence[QuizQuestion]:
        return station["predict"], make_question(station["move"], dials), station["explain"]

    part = page.part(Lesson(name))
    assert part is not None  # each station has sliders
    return replace(part, aim=station["aim"], home=home, questions=questions)


def make_question(reading: page.HeadlineQuestion, dials: Sequence[Dial]) -> QuizQuestion:
    """The question with its right answer, and wrong ones from other steps of its slider."""
    (dial,) = (each for each in dials if each.title == reading.dial)
    (chosen,) = (step for step in dial.steps if step.reading == reading.reading)
    right = _answer(reading, chosen)
    others = dict.fromkeys(_answer(reading, step) for step in reversed(dial.steps))
    wrong = [each for each in others if each != right][:_WRONG]
    return QuizQuestion(reading.ask, (right, *wrong), chosen.headline.whole)


def _answer(reading: page.HeadlineQuestion, step: Step) -> str:
    figure = step.headline.figures[reading.figure]
    return reading.answer.format(page.FIGURE_TEXTS[reading.text](figure))


def button(station: str) -> None:
    """Show the button that opens the live poll with the station's prediction as its question."""
    page_state.page_button(
        "Ask the class first",
        ROOM,
        POLL.codec.write(Draft(question(station))),
        NEXT,
        icon=":material/live_help:",
        key=STATE.key("ask"),
        help="Opens the live poll with this station's question: phones guess, you show the answer.",
    )


def question(station: str) -> PollQuestion:
    """The station's prediction as a question for phones, without any protected answer."""
    return guess_of(page.prediction(station))


TITLE: Final = "Protect only what is sensitive: a lesson to take home"
FILE: Final = "caldp-lesson.html"
_OFFER: Final = jobs.StartButton(
    "Take the lesson home",
    ":material/download:",
    "One file with the exhibit, the maps, the answers, the attacker and all stations, their "
    "sliders and questions. It opens without a network, from a memory stick or on a phone, and "
    "sends nothing.",
)


def make_lesson(progress: Progress) -> bytes:
    """HTML file of the lesson, in some seconds; `progress` takes the share done, and may raise."""
    parts = [exhibit_part(StartState()), *page_parts(), *station_parts()]
    return document(TITLE, parts, progress).encode()


def show(station: str) -> None:
    """Show the buttons that ask the class the station's question, and that make the file."""
    with st.container(horizontal=True, gap="small"):
        button(station)
        files.offer_file(STATE.key("lesson"), "lesson", make_lesson, _OFFER, FILE)
