"""What is asked at a station, as frozen records."""

from dataclasses import dataclass

from caldp_ui.offline.records import Question


@dataclass(frozen=True)
class Reading:
    """What the sentence says once a slider is somewhere: the right answer is read off its steps.

    `ask`: the question; `dial`, `reading`: which slider goes where; `found`: finds the answer in
    the sentence as its only group; `answer`: how it is written, with "{}" for what was found.
    """

    ask: str
    dial: str
    reading: str
    found: str
    answer: str


@dataclass(frozen=True)
class StationQuestions:
    """A station's questions: before anything is moved, at a slider, and why."""

    aim: str
    predict: Question
    move: Reading
    explain: Question
