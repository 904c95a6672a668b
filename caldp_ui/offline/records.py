"""The content of a file, as frozen records.

Pictures in the colours of both themes, from one picture in each.

JavaScript that a file needs for its parts, as ES modules without imports.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from caldp_core.basics.errors import require
from caldp_core.basics.types import Progress
from caldp_ui.charts import show
from caldp_ui.stage import Film, Scene, Step, bundle
from caldp_ui.stage.bundle import join_modules


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


_COLOUR: Final = re.compile(r"#[0-9A-Fa-f]{6}\b|rgba?\([^()]*\)")


def combine_themes(light: str, dark: str) -> str:
    """One text from both: CSS chooses each colour by the theme.

    Raises `CaldpError` where the texts differ in more than their colours.
    """
    light_colours, dark_colours = _COLOUR.findall(light), _COLOUR.findall(dark)
    texts = _COLOUR.split(light)
    require(texts == _COLOUR.split(dark), "Both themes must show the same but for their colours.")
    pairs = zip(light_colours, dark_colours, strict=True)
    colours = [a if a == b else f"light-dark({a},{b})" for a, b in pairs]
    return "".join(part + colour for part, colour in zip(texts, [*colours, ""], strict=True))


_WEB: Final = Path(__file__).with_name("web")


def part_modules(parts: Sequence[Part]) -> list[str]:
    """Scripts of the parts, in order: a page's own code before the code that finds its pictures."""
    codes = (
        [_script("bytes") + bundle.script() + _script("maps")] if _has_picture(parts, Scene) else []
    )
    for part in parts:
        if isinstance(part.picture, Component):
            codes.append(
                _script("bytes") + part.picture.script + _answers_script(part.id, part.picture)
            )
        elif isinstance(part.picture, Board):
            codes += [_own_script(part.id, key, each) for key, each in part.picture.own.items()]
    if _has_picture(parts, Board):
        chart_code = join_modules(_WEB, ("bytes", "axis", "plot", "boards"))
        codes.append(
            bundle.partial_script("dom", "replacements")
            + show.hub_script()
            + show.narrow_script()
            + chart_code
        )
    return codes


def questions() -> str:
    """Script that marks answers; the last of a file."""
    return _script("questions")


def _has_picture(parts: Sequence[Part], kind: type[Scene] | type[Board]) -> bool:
    return any(isinstance(part.picture, kind) for part in parts)


def _script(name: str) -> str:
    return join_modules(_WEB, (name,))


def _answers_script(part: str, picture: Component) -> str:
    constants = {"PART": part, "KIND": picture.kind, "STYLE": picture.style}
    return _script_block(constants, "answers")


def _own_script(part: str, key: str, picture: Component) -> str:
    constants = {"PART": part, "KEY": key, "KIND": picture.kind, "STYLE": picture.style}
    return picture.script + _script_block({**constants, "MESSAGE": dict(picture.message)}, "own")


def _script_block(names: Mapping[str, object], script: str) -> str:
    """A script in a block of its own below its constants; no text in it ends the element."""
    declarations = ", ".join(f"{name} = {json.dumps(value)}" for name, value in names.items())
    return f"\n{{\nconst {declarations};\n".replace("</", "<\\/") + _script(script) + "}\n"
