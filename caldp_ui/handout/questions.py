"""Three questions per page: predict, then move the slider, then explain.

Right answers about a slider are figures of the films' headlines; the others are in
`page_questions.toml`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from caldp_ui.classroom.station_questions import load_questions
from caldp_ui.offline.records import Question
from caldp_ui.stage import Film, Step

TEXTS: Final = load_questions(Path(__file__).with_name("page_questions.toml"))
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


def of_maps(films: Sequence[Film]) -> tuple[Question, ...]:
    """Questions about ε on the map; `films`: that along ε first."""
    texts = TEXTS["maps"]
    return texts["predict"], _epsilon_question(films[0].steps), texts["explain"]


def _epsilon_question(steps: Sequence[Step]) -> Question:
    """Asks for the first step with at most as many people in the wrong place as the middle step."""
    middle = steps[len(steps) // 2]
    limit = wrong(middle)
    first = next(i for i, step in enumerate(steps) if wrong(step) <= limit)
    others = [i for i in (first - 4, first - 2, first + 2, first + 4) if 0 <= i < len(steps)][:3]
    return Question(
        f"Move ε. From which of these on does this protection put at most {limit:g} of 100 people "
        "in the wrong place?",
        (steps[first].label, *(steps[i].label for i in others)),
        f"At {steps[first].label} it is {wrong(steps[first]):g}; with plain LDP "
        f"{wrong(steps[first], 'plain_tv'):g}.",
    )


def wrong(step: Step, figure: str = "tv") -> float:
    """People of 100 in the wrong place at a step, whole as its picture has them but near 0."""
    share = step.headline.figures[figure]
    return float(round(100 * share)) if share >= 0.015 else 100 * share


def of_answers(films: Sequence[Film]) -> tuple[Question, ...]:
    """Questions about the sensitive set, whatever the `films` show."""
    del films
    texts = TEXTS["answers"]
    return texts["predict"], texts["move"], texts["explain"]


def of_attacker(films: Sequence[Film]) -> tuple[Question, ...]:
    """Questions about reports that add up; `films`: that along the days first."""
    texts, last = TEXTS["attacker"], films[0].steps[-1]
    chances = {name: last.facts[name].number for name in _PROTECTIONS}
    best, *worse = sorted(_BELIEFS, key=lambda name: last.headline.figures[_BELIEFS[name]])
    moved = Question(
        f"Play to {last.label}. Which of the three gives the true place the smallest chance?",
        (_PROTECTIONS[best], *(_PROTECTIONS[name] for name in worse)),
        f"The chance by then is {chances['plain']} under plain LDP, {chances['kept']} with one "
        f"stored report and {chances[_OURS]} with fresh ones under this protection, whose "
        "reports show the state.",
    )
    return texts["predict"], moved, texts["explain"]
