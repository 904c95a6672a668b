"""Three questions per station, from `station_questions.toml`: predict, move a slider, explain."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from caldp_ui.offline.records import Question
from caldp_ui.words import formats

FIGURE_TEXTS: Final[Mapping[str, Callable[[float], str]]] = {
    "two digits": lambda figure: formats.digits(figure, 2),
    "of 100": lambda figure: formats.hundred(figure / 100),
}
"""How headlines show a figure."""


@dataclass(frozen=True)
class Reading:
    """A question about the headline at one step of a slider, whose answer is one of its figures.

    `ask`: the question; `dial`, `reading`: title of the slider and its reading at that step;
    `figure`: its name (see `Headline`), shown as one of `FIGURE_TEXTS`, `text`; `answer`: the
    answer with "{}" for that text.
    """

    ask: str
    dial: str
    reading: str
    figure: str
    text: str
    answer: str


def load_questions(path: Path) -> dict[str, dict[str, Any]]:
    """By part: its `aim`, what one can do afterwards, and its questions by their names.

    `predict`: before anything is moved; `move`: at a slider; `explain`: why.
    """
    return {
        part: {name: _question(each) for name, each in texts.items()}
        for part, texts in tomllib.loads(path.read_text(encoding="utf-8")).items()
    }


def _question(value: Any) -> str | Reading | Question:
    if isinstance(value, str):
        return value
    if "dial" in value:
        return Reading(**value)
    return Question(value["ask"], tuple(value["answers"]), value["because"])


STATION_QUESTIONS: Final = load_questions(Path(__file__).with_suffix(".toml"))
_BEFORE: Final = "Before you move anything: "


def prediction(station: str) -> dict[str, Any]:
    """What a class guesses before it sees a station: `ask`, `answers`, which is `right`, `because`.

    The right answer is never the first.
    """
    question: Question = STATION_QUESTIONS[station]["predict"]
    text = question.ask.removeprefix(_BEFORE)
    shift = 1 + list(STATION_QUESTIONS).index(station) % (len(question.answers) - 1)
    answers = [each.removesuffix(".") for each in question.answers]
    return {
        "ask": text[0].upper() + text[1:],
        "answers": [*answers[shift:], *answers[:shift]],
        "right": len(answers) - shift,
        "because": question.because,
    }
