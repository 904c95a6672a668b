"""The page's two kinds: attacks on one table under all treatments, and two that stand alone."""

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import (
    attack_words,
    below,
    films,
    frame,
    many,
    outcomes,
    panel,
    scene,
    seven,
    side,
    tables,
)
from caldp_ui.coarser.outcomes import Played
from caldp_ui.coarser.slot import NEWCOMER, PARTS, SEVEN, SLOT, TABLES, Publication
from caldp_ui.coarser.treated import PageData, find
from caldp_ui.parts import headline
from caldp_ui.session import jobs

_LARGE = 5_000
"""Cells from which on an attack takes more than a moment."""


def page(record: Publication) -> None:
    """All of the page."""
    if record.attack == TABLES:
        _many(record)
    elif record.attack == SEVEN:
        _seven(record)
    else:
        _treatments(record)


def _treatments(record: Publication) -> None:
    places = frame.places(wide=True)
    with places.pictures:
        what = find(record)
        found = _played(what)
        stage = None
        if isinstance(what.domain, GridDomain):
            stage = scene.maps(what, found)
        else:
            tables.show(what, found)
    with places.said:
        headline.show(attack_words.headline(what, found))
    with places.attack:
        panel.show(what, found)
    with places.controls:
        side.show(what)
    with places.below:
        below.show(what, found)
        if stage is not None:
            films.show(what, found, stage)


def _played(what: PageData) -> Played | None:
    """The attack; one that takes long on a large map is played beside the page."""
    record = what.record
    heavy = record.attack == NEWCOMER or (record.attack == PARTS and record.moves > 2)
    if not heavy or record.moves == 0 or what.domain.k < _LARGE:
        return outcomes.played(what)
    return jobs.started(
        SLOT.key("play"),
        f"{what.name} {record.attack} {record.moves}",
        lambda _: outcomes.played(what),
        lambda job: f"The attacker is at work: {job.seconds:.0f} s so far",
    )


def _many(record: Publication) -> None:
    places = frame.places(wide=False)
    with places.pictures:
        lines = many.found(record)
        many.show(record, lines)
    with places.said:
        headline.show(many.headline(record, lines))
    with places.attack:
        many.side(record)
    with places.controls:
        side.alone(record)


def _seven(record: Publication) -> None:
    places = frame.places(wide=False)
    with places.said:
        headline.show(seven.headline(record))
    with places.pictures:
        seven.show(record)
    with places.attack:
        seven.side(record)
    with places.controls:
        side.alone(record)
