"""The content of a file, as frozen records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from caldp_core.basics.types import Progress
from caldp_ui.stage import Film, Scene, Step


@dataclass(frozen=True)
class Question:
    """A question with its possible answers, the first of which is right.

    `ask`: the question; `because`: the explanation, shown after any answer.
    """

    ask: str
    answers: tuple[str, ...]
    because: str


@dataclass(frozen=True, eq=False)
class Component:
    """A picture that a page's own code draws.

    `message`: the code's input, as JSON; `kind`: the class of its element; `script`, `style`: the
    code, an ES module without imports, and its style sheet.
    """

    message: Mapping[str, Any]
    kind: str
    script: str
    style: str


@dataclass(frozen=True, eq=False)
class Dial:
    """A slider of charts, drawings and words, and the page at each of its steps.

    `title`: beside the slider; `at`: index of the step that the page is at.
    """

    title: str
    at: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """Charts, drawings and pictures of a page's own, by their keys.

    `pictures`: as they are sent to the browser; `own`: those that are not charts or drawings.
    """

    pictures: Mapping[str, str]
    own: Mapping[str, Component] = field(default_factory=dict)


Picture: TypeAlias = Scene | Component | Board
"""Maps, the picture of answers, or charts and drawings."""
Moves: TypeAlias = Film | Dial
"""What changes a picture: a `Film` for maps and answers, a `Dial` for a board."""


@dataclass(frozen=True, eq=False)
class Part:
    """A picture with sliders, its words and its questions.

    `id`: letters and digits, unique in a file. `task`: what to do with it, in one or two sentences.
    `words`: HTML by its place on the page, a CSS selector; films and sliders change it there. The
    first is the sentence above the picture. `moves`: functions that make its films or sliders, in
    seconds. `aim`: what one can do afterwards; `home`: the part's own sentence to take home; ""
    for none. `questions`: makes the questions from the results of `moves`, in their order.
    """

    id: str
    title: str
    task: str
    words: Mapping[str, str]
    picture: Picture
    moves: Sequence[Callable[[Progress], Moves]] = ()
    aim: str = ""
    home: str = ""
    questions: Callable[[Sequence[Any]], Sequence[Question]] = field(default=lambda _: ())
