"""What the browser's side of a file is told, as JSON: scenes, films and the steps of sliders."""

import base64
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from caldp_ui.offline.records import Board, Component, Dial, Moves, Part
from caldp_ui.stage import Film, Scene, Step
from caldp_ui.stage.codec import Blob, pack_message
from caldp_ui.stage.markup import Tree, tree
from caldp_ui.stage.message import film_blobs, film_head, scene_head

NEVER: Final = {"of": "", "serial": 0}
"""No server hears what hands do."""


def below_title(html: str) -> str:
    """A page's headline is its title, and has titles below it; here the file and the part do."""
    for was, becomes in (("h2", "h4"), ("h1", "h3")):
        html = html.replace(f"<{was}", f"<{becomes}").replace(f"</{was}>", f"</{becomes}>")
    return html


def part_data(part: Part, moves: Iterable[Moves]) -> dict[str, Any]:
    """A part for the browser; parcels as text."""
    picture = part.picture
    if isinstance(picture, Board):
        dials = [_dial(part, each) for each in moves if isinstance(each, Dial)]
        first = _step(part, Step(pictures=picture.pictures, elsewhere=part.words))
        return {"id": part.id, "kind": "board", "first": first, "dials": dials}
    films = [_within(part, each) for each in moves if isinstance(each, Film)]
    parcels, brought = [], {}
    if isinstance(picture, Scene):
        head = scene_head(picture, part.id) | {"page": part.id, "heard": NEVER}
        parcels, brought = [pack_message({}, _blobs(picture))], {"stage": part.id}
    else:
        head = _message(picture)
    parcels += [
        pack_message({**brought, "film": film_head(film)}, film_blobs(film)) for film in films
    ]
    texts = [base64.b64encode(each).decode() for each in parcels]
    kind = "maps" if isinstance(picture, Scene) else "answers"
    return {"id": part.id, "kind": kind, "head": head, "parcels": texts}


def _message(picture: Component) -> dict[str, Any]:
    return {**picture.message, "heard": NEVER}


def _dial(part: Part, dial: Dial) -> dict[str, Any]:
    steps = [{"reading": step.reading, **_step(part, step)} for step in dial.steps]
    return {"title": dial.title, "at": dial.at, "steps": steps}


def _step(part: Part, step: Step) -> dict[str, Any]:
    """A step: its pictures, and its words by their number in the part."""
    places = list(part.words)
    words: dict[int, Tree] = {
        places.index(place): tree(below_title(html)) for place, html in step.elsewhere.items()
    }
    return {"pictures": dict(step.pictures), "words": words}


def _blobs(scene: Scene) -> list[Blob]:
    ground = scene.ground
    fixed = [ground.outline, ground.land, ground.cities, ground.labels, ground.names]
    fixed += [ground.sensitive, ground.open]
    pictures = [blob for each in scene.pictures for blob in (each.code, each.error, each.pooled)]
    return [blob for blob in (*fixed, *pictures) if blob is not None]


def _within(part: Part, film: Film) -> Film:
    """The film with a slider of its own, which writes into its part and asks nobody."""
    places = list(part.words)
    steps = tuple(
        replace(
            step,
            elsewhere={
                f'#{part.id} [data-words="{places.index(place)}"] > *': below_title(html)
                for place, html in step.elsewhere.items()
                if place in places
            },
        )
        for step in film.steps
    )
    return replace(film, steps=steps, dial="", beside="", follows=False)
