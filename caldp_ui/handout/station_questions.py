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


@dataclass(frozen=True)
class StationQuestions:
    """A station's three questions, and `aim`: what one can do afterwards.

    `predict`: before anything is moved; `move`: at a slider; `explain`: why.
    """

    aim: str
    predict: Question
    move: Reading
    explain: Question


def _station(texts: Mapping[str, Any]) -> StationQuestions:
    predict, explain = (
        Question(each["ask"], tuple(each["answers"]), each["because"])
        for each in (texts["predict"], texts["explain"])
    )
    return StationQuestions(texts["aim"], predict, Reading(**texts["move"]), explain)


STATION_QUESTIONS: Final = {
    name: _station(texts)
    for name, texts in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}
