"""The page's two kinds: attacks on one table under all treatments, and two that stand alone."""

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import (
    attack_words,
    census_block,
    details,
    films,
    frame,
    outcomes,
    panel,
    reconstruction,
    scene,
    side,
    tables,
)
from caldp_ui.coarser.outcomes import AttackResult
from caldp_ui.coarser.page_data import TreatmentData, load_data
from caldp_ui.coarser.page_state import CENSUS_BLOCK, NEWCOMER, PARTS, STATE, TABLES, Publication
from caldp_ui.parts import headline
from caldp_ui.session import jobs

_LARGE = 5_000
"""Cells from which on an attack takes more than a moment."""


def show_page(record: Publication) -> None:
    """All of the page."""
    if record.attack == TABLES:
        _show_reconstruction(record)
    elif record.attack == CENSUS_BLOCK:
        _show_census_block(record)
    else:
        _treatments(record)


def _treatments(record: Publication) -> None:
    places = frame.make_areas(wide=True)
    with places.pictures:
        data = load_data(record)
        found = _run_attack(data)
        stage = None
        if isinstance(data.domain, GridDomain):
            stage = scene.show_maps(data, found)
        else:
            tables.show(data, found)
    with places.headline:
        headline.show(attack_words.headline(data, found))
    with places.attack:
        panel.show(data, found)
    with places.controls:
        side.show(data)
    with places.details:
        details.show(data, found)
        if stage is not None:
            films.show(data, found, stage)


def _run_attack(data: TreatmentData) -> AttackResult | None:
    """The attack; one that takes long on a large map is played beside the page."""
    record = data.record
    heavy = record.attack == NEWCOMER or (record.attack == PARTS and record.moves > 2)
    if not heavy or record.moves == 0 or data.domain.k < _LARGE:
        return outcomes.run_attack(data)
    return jobs.run_automatically(
        STATE.key("play"),
        f"{data.cache_key} {record.attack} {record.moves}",
        lambda _: outcomes.run_attack(data),
        lambda job: f"The attacker is at work: {job.seconds:.0f} s so far",
    )


def _show_reconstruction(record: Publication) -> None:
    places = frame.make_areas(wide=False)
    with places.pictures:
        lines = reconstruction.load_curves(record)
        reconstruction.show(record, lines)
    with places.headline:
        headline.show(reconstruction.headline(record, lines))
    with places.attack:
        reconstruction.side(record)
    with places.controls:
        side.show_standalone(record)


def _show_census_block(record: Publication) -> None:
    places = frame.make_areas(wide=False)
    with places.headline:
        headline.show(census_block.headline(record))
    with places.pictures:
        census_block.show(record)
    with places.attack:
        census_block.side(record)
    with places.controls:
        side.show_standalone(record)
