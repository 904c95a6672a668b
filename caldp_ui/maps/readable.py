"""Who is not protected, on the maps: a hatch, labels with numbers, and a map of who can be read."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup
from caldp_ui.maps.ground import protected
from caldp_ui.stage import Blob, Label, Picture
from caldp_ui.words import formats, promise

READ: Final = "read"
_EXACT: Final = 1e-12
"""Rounding error that sums of shares may have."""


@dataclass(frozen=True)
class Readable:
    """How many people are protected and how many are not, in words; a place of the protected ones.

    `corner`: the south-east of the protected places, if they are a small part of the map.
    """

    safe: str
    open: str
    corner: tuple[float, float] | None


def readable_people(setup: Setup) -> Readable | None:
    """Who can be read under this scenario; None where everybody is protected."""
    share = promise.protected_share(setup)
    if share > 1.0 - _EXACT:
        return None
    return Readable(formats.out_of_few(share), formats.out_of_few(1.0 - share), _corner(setup))


def _corner(setup: Setup) -> tuple[float, float] | None:
    domain, mask = setup.dataset.domain, protected(setup)
    if not isinstance(domain, GridDomain) or not mask.any():
        return None
    rows, columns = domain.row_column(np.flatnonzero(mask))
    wide, high = np.ptp(columns) + 1, np.ptp(rows) + 1
    if wide * high > domain.k / 10:
        return None
    south = domain.south + domain.cell * int(rows.min())
    return south, domain.west + domain.cell * (int(columns.max()) + 1)


def mark_protected(picture: Picture, read: Readable | None, ours: bool) -> Picture:
    """The map of an estimate with who is protected on it; `ours`: by the page's protection."""
    if read is None:
        return picture
    if not ours:
        return replace(picture, labels=(Label("Protected", "all 100 of 100 people", "safe"),))
    labels = [Label("Not protected: can be read", f"{read.open} people", "open")]
    if read.safe != "0 of 100":
        labels.append(Label("Protected", f"{read.safe} people", "safe", read.corner))
    alt = f"{picture.alt} Hatched places are not protected: {read.open} people can be read."
    notes = ("", picture.notes[1])
    marks = (*picture.marks, "open")
    return replace(picture, labels=tuple(labels), alt=alt, notes=notes, marks=marks)


def picture(read: Readable, code: Blob) -> Picture:
    """Where people truly are, in two colours: who can be read, and who is protected."""
    return Picture(
        READ,
        "Who can be read",
        f"{read.open} people",
        f"Map of where people truly are: {read.open} can be read, {read.safe} are protected.",
        code,
        marks=("sensitive",),
        colours="open",
    )
