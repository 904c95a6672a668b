"""What the file holds, as frozen records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from caldp_core.basics.types import Progress
from caldp_ui.stage import Film, Scene, Step


@dataclass(frozen=True)
class Question:
    """One question with its possible answers, the first of which is right.

    `ask`: the question; `because`: said once somebody has answered, whatever was chosen.
    """

    ask: str
    answers: tuple[str, ...]
    because: str


@dataclass(frozen=True, eq=False)
class Component:
    """A picture that is drawn by a page's own code.

    `message`: what the code is told; `kind`: the class of its element; `script`, `style`: the code,
    an ES module without imports, and its sheet.
    """

    message: Mapping[str, Any]
    kind: str
    script: str
    style: str


@dataclass(frozen=True, eq=False)
class Dial:
    """A slider of charts, drawings and words, and what is seen at each of its steps.

    `title`: beside the slider; `at`: the step that the page is at.
    """

    title: str
    at: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """Charts, drawings and pictures of a page's own, by their keys.

    `pictures`: as they are told to the browser; `own`: those that are not charts or drawings.
    """

    pictures: Mapping[str, str]
    own: Mapping[str, Component] = field(default_factory=dict)


Picture: TypeAlias = Scene | Component | Board
"""Maps, the picture of answers, or charts and drawings."""
Moves: TypeAlias = Film | Dial
"""What moves a picture: a film maps and answers, a slider a board."""


@dataclass(frozen=True, eq=False)
class Part:
    """One picture that moves, with its words.

    `id`: letters and digits, once in a file. `task`: what to do with it, in one or two sentences.
    `words`: HTML by its place on the page, a CSS selector; what moves changes it there. The first
    is the sentence above the picture. `moves`: make what moves; they take seconds. `aim`: what one
    can do afterwards; `home`: the part's own sentence to take home; "" for none.
    `questions`: of what moves, in its order.
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
