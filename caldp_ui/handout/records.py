"""Questions of a station, as frozen records."""

from dataclasses import dataclass

from caldp_ui.offline.records import Question


@dataclass(frozen=True)
class Reading:
    """A question about the sentence at one step of a slider; the answer is read from the steps.

    `ask`: the question; `dial`, `reading`: title of the slider and its reading at that step;
    `found`: regular expression whose only group is the answer in the sentence; `answer`: its text,
    with "{}" for that group.
    """

    ask: str
    dial: str
    reading: str
    found: str
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
