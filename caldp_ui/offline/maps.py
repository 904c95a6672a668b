"""A page of maps as a part of a file: its scene in a single row, and its films."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from caldp_ui.maps.scene import SQUARES
from caldp_ui.offline.records import Part
from caldp_ui.parts.films import SliderFilm
from caldp_ui.stage import Scene

R = TypeVar("R")


def part(
    name: str,
    title: str,
    task: str,
    scene: Scene,
    *,
    record: R,
    films: Sequence[SliderFilm[R]],
) -> Part:
    """Part of a file with the page's `scene` and `films` of the record, which all show it alike.

    `name`: its `id`; `title`, `task`: see `Part`.
    """
    words = films[0].render(record).replacements
    moves = [partial(each.film, record) for each in films]
    return Part(name, title, task, words, _single_row(scene), moves)


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
