"""What the file holds, as frozen records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from caldp_core.basics.types import Progress
from caldp_ui.stage import Film, Scene

Message: TypeAlias = dict[str, Any]
"""What the picture of answers is told: `values.chart.message`."""


@dataclass(frozen=True)
class Question:
    """One question with its possible answers, the first of which is right.

    `ask`: the question; `because`: said once somebody has answered, whatever was chosen.
    """

    ask: str
    answers: tuple[str, ...]
    because: str


@dataclass(frozen=True)
class Part:
    """One picture that moves, with its words.

    `id`: letters and digits, once in a file. `task`: what to do with it, in one or two sentences.
    `home`: its own sentence to take home. `sentence`, `odds`: the HTML that films change, as on the
    pages. `picture`: maps, or answers. `films`: make what moves; they take seconds.
    `questions`: of the films that were made, in their order.
    """

    id: str
    title: str
    task: str
    home: str
    sentence: str
    odds: str
    picture: Scene | Message
    films: Sequence[Callable[[Progress], Film]] = ()
    questions: Callable[[Sequence[Film]], Sequence[Question]] = field(default=lambda _: ())
