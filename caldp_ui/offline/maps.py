"""A page of maps as a part of a file: its scene in a single row, and its films."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from caldp_core.basics.types import Progress
from caldp_ui.maps.scene import SQUARES
from caldp_ui.offline.records import Part
from caldp_ui.stage import Film, Scene


def part(
    name: str,
    title: str,
    task: str,
    words: Mapping[str, str],
    scene: Scene,
    *,
    films: Sequence[Callable[[Progress], Film]],
) -> Part:
    """Part of a file with the page's `scene` and `films`; `name`: its `id`. See `Part`."""
    return Part(name, title, task, words, _single_row(scene), films)


def _single_row(whole: Scene) -> Scene:
    """The scene in a single row with its film's slider, without notes that ask for a click."""
    pictures = tuple(
        replace(picture, notes=(picture.notes[0], _lines(picture.notes[1])))
        for picture in whole.pictures
    )
    return replace(whole, pictures=pictures, arrangement=None)


def _lines(note: str) -> str:
    """The part of a note that explains squares; the film beside it shows the rest."""
    return SQUARES if SQUARES in note else ""
