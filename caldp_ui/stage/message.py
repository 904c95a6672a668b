"""Scenes and films as the JSON that the browser's side reads; blobs go by name.

`web/stage.js` and `web/film.js` are the readers.
"""

from collections.abc import Iterator
from typing import Any

from caldp_core.domain.grid import Area
from caldp_ui.stage.codec import Blob
from caldp_ui.stage.film import Film
from caldp_ui.stage.markup import tree
from caldp_ui.stage.records import Arrangement, Difference, Fact, Ground, Picture, Scene


def scene_head(scene: Scene, key: str) -> dict[str, Any]:
    """Everything of a scene but its blobs."""
    return {
        "key": key,
        "ground": _ground(scene.ground),
        "pictures": [_picture(picture) for picture in scene.pictures],
        "differences": [_difference(picture) for picture in scene.differences],
        "people": scene.people,
        "swipe": list(scene.swipe),
        "arrangement": scene.arrangement and _arrangement(scene.arrangement),
        "scale": vars(scene.scale),
        "actions": [
            {"id": action.id, "label": action.label, "effects": dict(action.effects)}
            for action in scene.actions
        ],
        "undo": scene.can_undo,
        "redo": scene.can_redo,
        "focus": scene.focus and {"box": _box(scene.focus.area), "serial": scene.focus.serial},
        "titles": {"side": scene.scale_title, "error": scene.error_title},
        "values": dict(scene.film_values),
        "hint": scene.look_hint,
        "prompt": scene.prompt,
        "words": dict(scene.mark_words),
        "label": scene.label,
        "look": scene.look,
        "image": {
            "name": scene.image_name,
            "lines": list(scene.image_lines),
            "estimates": list(scene.estimates),
            "heldBack": scene.held_back,
            "shared": list(scene.shared_lines),
        },
    }


def _arrangement(arrangement: Arrangement) -> dict[str, Any]:
    return {
        "large": list(arrangement.large),
        "small": list(arrangement.small),
        "turns": list(arrangement.turns),
    }


def _ground(ground: Ground) -> dict[str, Any]:
    domain = ground.domain
    return {
        "south": domain.south,
        "west": domain.west,
        "cell": domain.cell,
        "rows": domain.rows,
        "columns": domain.columns,
        "home": _box(ground.home),
        "box": ground.box and _box(ground.box),
        "outline": _name(ground.outline),
        "land": _name(ground.land),
        "cities": _name(ground.cities),
        "labels": _name(ground.labels),
        "names": _name(ground.names),
        "sensitive": _name(ground.sensitive),
        "open": _name(ground.open),
    }


def _picture(picture: Picture) -> dict[str, Any]:
    return {
        **_words(picture),
        "code": picture.code.name,
        "error": _name(picture.error),
        "pooled": _name(picture.pooled),
        "certain": _name(picture.certain),
        "labels": [vars(label) for label in picture.labels],
        "colours": picture.colours,
    }


def _difference(picture: Difference) -> dict[str, Any]:
    return {**_words(picture), "first": picture.first, "second": picture.second}


def _words(picture: Picture | Difference) -> dict[str, Any]:
    return {
        "id": picture.id,
        "title": picture.title,
        "subtitle": picture.subtitle,
        "alt": picture.alt,
        "nobody": picture.nobody,
        "marks": list(picture.marks),
        "notes": list(picture.notes),
        "fact": picture.fact and _fact(picture.fact),
    }


def film_head(film: Film) -> dict[str, Any]:
    """Everything of a film but its blobs."""
    return {
        "id": film.id,
        "place": film.place,
        "label": film.label,
        "follows": film.follows,
        "pace": film.per_second,
        "loops": film.loops,
        "whole": film.is_whole,
        "dial": film.dial and f".st-key-{film.dial}",
        "play": f".st-key-{film.beside or film.dial}" if film.beside or film.dial else "",
        "hides": list(film.hides),
        "steps": [
            {
                "label": step.label,
                "value": step.value,
                "codes": {name: blob.name for name, blob in step.codes.items()},
                "pooled": {name: blob.name for name, blob in step.pooled.items()},
                "subtitles": dict(step.subtitles),
                "facts": {name: _fact(fact) for name, fact in step.facts.items()},
                "nobody": dict(step.nobody),
                "notes": {name: list(notes) for name, notes in step.notes.items()},
                "labels": {name: list(map(vars, some)) for name, some in step.labels.items()},
                "reading": step.reading,
                "replacements": {place: tree(html) for place, html in step.replacements.items()},
            }
            for step in film.steps
        ],
    }


def film_blobs(film: Film) -> Iterator[Blob]:
    """The blobs of a film."""
    for step in film.steps:
        yield from step.codes.values()
        yield from step.pooled.values()


def _fact(fact: Fact) -> list[str]:
    return [fact.number, fact.text]


def _name(blob: Blob | None) -> str | None:
    return None if blob is None else blob.name


def _box(area: Area) -> list[float]:
    return [area.south, area.north, area.west, area.east]
