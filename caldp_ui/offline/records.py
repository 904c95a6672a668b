"""The content of a file, as frozen records, and as the messages to the browser that draw it.

A page of charts and words is a part of a file: its pictures and words along its sliders, in the
colours of both themes. `part_modules`: the JavaScript for the parts, as ES modules without imports.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from caldp_core.basics.errors import require
from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.charts import show
from caldp_ui.controls.common import Slider
from caldp_ui.maps.scene import SQUARES
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Film, Scene, Step, bundle
from caldp_ui.stage.bundle import join_modules
from caldp_ui.stage.codec import Blob, pack_message
from caldp_ui.stage.component import film_blobs, film_head, scene_head
from caldp_ui.stage.records import LAND, OVER, Tree, tree


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


R = TypeVar("R")


def single_row(whole: Scene) -> Scene:
    """Maps in a single row with their film's slider, without notes that ask for a click."""
    pictures = tuple(
        replace(each, notes=(each.notes[0], SQUARES if SQUARES in each.notes[1] else ""))
        for each in whole.pictures
    )
    return replace(whole, pictures=pictures, arrangement=None)


def dial(page: ChartPage[R], record: R, title: str, slider: Slider[R], progress: Progress) -> Dial:
    """The page at each step of a slider; the value of `record` is one of the steps."""
    current = slider.value(record)
    values = sorted({*slider.steps, current}, key=slider.order)
    slider_film = replace(
        page.slider_film(replace(slider, steps=values), LIGHT),
        render=partial(in_both_themes, page),
    )
    return Dial(title, values.index(current), slider_film.film(record, progress).steps)


def in_both_themes(page: ChartPage[R], record: R) -> Step:
    """The page at `record`, in colours of both themes; legends last, next to the pictures."""
    light, dark = (page.render(record, colours) for colours in (LIGHT, DARK))
    words = sorted(light.replacements.items(), key=lambda item: item[0].endswith(".legend"))
    return Step(
        pictures={
            key: combine_themes(picture, dark.pictures[key])
            for key, picture in light.pictures.items()
        },
        replacements={
            place: combine_themes(html, dark.replacements[place]) for place, html in words
        },
        headline=light.headline,
    )


NO_RECEIPT: Final = {"client": "", "serial": 0}
"""The `receipt` of a message: no server takes events."""


def below_title(html: str) -> str:
    """HTML with h1 and h2 as h3 and h4: in a file h1 is its title and h2 that of a part."""
    for old, new in (("h2", "h4"), ("h1", "h3")):
        html = html.replace(f"<{old}", f"<{new}").replace(f"</{old}>", f"</{new}>")
    return html


def part_data(part: Part, moves: Iterable[Moves]) -> dict[str, Any]:
    """JSON of a part for the browser; packed messages as base64. `moves`: made by `part.moves`."""
    picture = part.picture
    if isinstance(picture, Board):
        dials = [
            {
                "title": each.title,
                "at": each.at,
                "steps": [{"reading": s.reading, **_step(part, s)} for s in each.steps],
            }
            for each in moves
            if isinstance(each, Dial)
        ]
        first = _step(part, Step(pictures=picture.pictures, replacements=part.words))
        return {"id": part.id, "kind": "board", "first": first, "dials": dials}
    films = [_film_in_part(part, each) for each in moves if isinstance(each, Film)]
    parcels, target = [], {}
    if isinstance(picture, Scene):
        head = scene_head(picture, part.id) | {"page": part.id, "receipt": NO_RECEIPT}
        parcels, target = [pack_message({}, _blobs(picture))], {"stage": part.id}
    else:
        head = {**picture.message, "receipt": NO_RECEIPT}
    parcels += [
        pack_message({**target, "film": film_head(film)}, film_blobs(film)) for film in films
    ]
    texts = [base64.b64encode(each).decode() for each in parcels]
    kind = "maps" if isinstance(picture, Scene) else "answers"
    return {"id": part.id, "kind": kind, "head": head, "parcels": texts}


def _step(part: Part, step: Step) -> dict[str, Any]:
    """JSON of a step: its pictures, and its words by their number in the part."""
    places = list(part.words)
    words: dict[int, Tree] = {
        places.index(place): tree(below_title(html)) for place, html in step.replacements.items()
    }
    return {"pictures": dict(step.pictures), "words": words}


def _blobs(scene: Scene) -> list[Blob]:
    fixed = scene.ground.blobs((*LAND, *OVER))
    pictures = ((each.code, each.error, each.pooled, each.certain) for each in scene.pictures)
    return [blob for blob in chain(fixed, *pictures) if blob is not None]


def _film_in_part(part: Part, film: Film) -> Film:
    """The film with its own slider, which changes words of its part and reports nothing."""
    places = list(part.words)
    steps = tuple(
        replace(
            step,
            replacements={
                f'#{part.id} [data-words="{places.index(place)}"] > *': below_title(html)
                for place, html in step.replacements.items()
                if place in places
            },
        )
        for step in film.steps
    )
    return replace(film, steps=steps, dial="", beside="", follows=False)
