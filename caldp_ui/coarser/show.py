"""The page's two kinds: attacks on one table under all treatments, and two that stand alone.

The layout of the page: pictures in thirds, the attack at the lower right, controls below.
"""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import (
    attack_words,
    census_block,
    details,
    films,
    outcomes,
    panel,
    reconstruction,
    side,
    tables,
)
from caldp_ui.coarser.outcomes import AttackResult
from caldp_ui.coarser.page_state import (
    CENSUS_BLOCK,
    NEWCOMER,
    PARTS,
    STATE,
    TABLES,
    Publication,
    TreatmentData,
    load_data,
)
from caldp_ui.parts import headline, layout
from caldp_ui.session import jobs


@dataclass(frozen=True)
class PageAreas:
    """The parts of the page, to be filled in any order."""

    headline: DeltaGenerator
    pictures: DeltaGenerator
    attack: DeltaGenerator
    controls: DeltaGenerator
    details: DeltaGenerator


def make_areas(wide: bool) -> PageAreas:
    """Lays out the page. `wide`: five pictures in thirds; else one beside the attack."""
    headline, _ = layout.title_row(STATE)
    kind = "five" if wide else "two"
    with st.container(key=STATE.key("thirds")), st.container(key=STATE.key(kind)):
        pictures = st.container(key=STATE.key("pictures"))
        attack = st.container(key=STATE.key("attacker"))
        controls = st.container(key=STATE.key("controls"))
    return PageAreas(headline, pictures, attack, controls, st.container())


_LARGE = 5_000
"""Cells from which on an attack takes more than a moment."""


def show_page(record: Publication) -> None:
    """Draws the page of the record's attack."""
    if record.attack == TABLES:
        _show_reconstruction(record)
    elif record.attack == CENSUS_BLOCK:
        _show_census_block(record)
    else:
        _treatments(record)


def _treatments(record: Publication) -> None:
    areas = make_areas(wide=True)
    with areas.pictures:
        data = load_data(record)
        result = _run_attack(data)
        stage = None
        if isinstance(data.domain, GridDomain):
            stage = films.maps(data, result)
        else:
            tables.show(data, result)
    with areas.headline:
        headline.show(attack_words.headline(data, result))
    with areas.attack:
        panel.show(data, result)
    with areas.controls:
        side.show(data)
    with areas.details:
        details.show(data, result)
        if stage is not None:
            films.show(data, result, stage)


def _run_attack(data: TreatmentData) -> AttackResult | None:
    """The attack; one that is slow on a large map runs as a job beside the page."""
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
    areas = make_areas(wide=False)
    with areas.pictures:
        lines = reconstruction.load_curves(record)
        reconstruction.show(record, lines)
    with areas.headline:
        headline.show(reconstruction.headline(record, lines))
    with areas.attack:
        reconstruction.side(record)
    with areas.controls:
        side.show_standalone(record)


def _show_census_block(record: Publication) -> None:
    areas = make_areas(wide=False)
    with areas.headline:
        headline.show(census_block.headline(record))
    with areas.pictures:
        census_block.show(record)
    with areas.attack:
        census_block.side(record)
    with areas.controls:
        side.show_standalone(record)
