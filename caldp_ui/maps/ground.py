"""What lies under and over the pictures of one scenario: land, cities, blocks, sensitive places.

Made once for all visits; what does not change is not sent again by the stage. Who is not protected:
a hatch, labels with numbers, and a map of who can be read.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypedDict

import numpy as np

from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.types import Bools, Ints
from caldp_core.datasets import base_map
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import Context
from caldp_ui.stage import (
    Blob,
    Ground,
    Label,
    Picture,
    encode_labels,
    encode_lines,
    encode_mask,
    encode_rows,
)
from caldp_ui.words import formats, promise

_US: Final = Area(24.55, 49.75, -125.2, -66.6)
"""The least that the button "fit" shows of the United States: wide frames have more sea."""


def ground(setup: Setup, domain: GridDomain, box: Area | None) -> Ground:
    """The ground of a scenario, with the marked box."""
    return replace(_ground(setup, domain), box=box)


def _areas(setup: Setup, domain: GridDomain) -> str:
    policy = setup.scenario.to_dict()["policy"]
    return json.dumps([policy["blocks"], policy["sensitive"], repr(domain)], sort_keys=True)


@cached_by(_areas)
def _ground(setup: Setup, domain: GridDomain) -> Ground:
    blocks = setup.partition.labels, setup.partition.names
    return bare_ground(domain, *blocks, setup.sensitive, ~protected(setup))


def bare_ground(
    domain: GridDomain,
    labels: Ints | None = None,
    names: Sequence[str] = (),
    marked: Bools | None = None,
    open_to_all: Bools | None = None,
) -> Ground:
    """The land under (k,) `labels` of blocks with their names, if there are several.

    `marked`, `open_to_all`: (k,) cells that are outlined, unless all are, and hatched.
    """
    cut = labels is not None and int(labels.max()) > 0
    some = marked is not None and bool(marked.any()) and not marked.all()
    hatched = open_to_all is not None and bool(open_to_all.any())
    return Ground(
        domain,
        home(domain),
        **land(domain),
        labels=encode_labels(labels) if labels is not None and cut else None,
        names=encode_rows([names]) if names and cut else None,
        sensitive=encode_mask(marked) if marked is not None and some else None,
        open=encode_mask(open_to_all) if open_to_all is not None and hatched else None,
    )


def protected(setup: Setup) -> Bools:
    """(k,) True for places whose people hide among others by the policy."""
    if isinstance(setup.policy, Context):
        return setup.policy.hidden()
    return np.ones(setup.dataset.domain.k, np.bool_)


def home(domain: GridDomain) -> Area:
    """The area that the stage shows at first."""
    return _US if domain == US_GRID else domain.area


class Land(TypedDict):
    """Fields of `Ground` that depend on the map alone."""

    outline: Blob
    land: Blob
    cities: Blob


@cached
def land(domain: GridDomain) -> Land:
    """Borders, land and cities of the part of the Earth that the map shows."""
    under = base_map(domain)
    rows = ((c.name, c.region, c.latitude, c.longitude, c.population) for c in under.cities)
    return {
        "outline": encode_lines(*under.outline),
        "land": encode_lines(*under.land),
        "cities": encode_rows(rows),
    }


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


def readable_picture(read: Readable, code: Blob) -> Picture:
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
