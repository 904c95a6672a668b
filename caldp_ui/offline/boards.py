"""A page of charts and words as a part of a file: its pictures and words along its sliders.

Messages to the browser's side of a file, as JSON: scenes, films and the steps of sliders.
"""

import base64
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final, TypeVar

from caldp_core.basics.types import Progress
from caldp_ui.app.theme import DARK, LIGHT
from caldp_ui.controls.common import Slider
from caldp_ui.maps.scene import SQUARES
from caldp_ui.offline.records import Board, Dial, Moves, Part, combine_themes
from caldp_ui.parts.films import ChartPage
from caldp_ui.stage import Film, Scene, Step
from caldp_ui.stage.codec import Blob, pack_message
from caldp_ui.stage.component import film_blobs, film_head, scene_head
from caldp_ui.stage.markup import Tree, tree
from caldp_ui.stage.records import LAND, OVER

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
