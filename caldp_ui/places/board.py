"""The maps of the page: the stage with its drawing tools and films, and the marked box."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import PAIR, scene
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.places import edits, films, pin_view, region
from caldp_ui.places.page_state import STATE
from caldp_ui.session.scenarios import update_scenario
from caldp_ui.stage import Stage, StepChoice, stage

STAGE_KEY = STATE.key("maps")


def maps(data: ComparisonData, domain: GridDomain) -> Stage:
    """The stage of the page's scenario."""
    return stage(
        scene(
            data,
            ground(data.setup, domain, STATE.current().region),
            actions=edits.actions(data.setup),
            can_undo=STATE.can_undo,
            can_redo=STATE.can_redo,
            arrangement=PAIR,
        ),
        STAGE_KEY,
        edits.handle_act,
        _apply_film_step,
    )


def _apply_film_step(chosen: StepChoice) -> None:
    """Applies the film step that a person stops at to the page's scenario."""
    if chosen.film == "epsilon":
        update_scenario(STATE, lambda s: s.with_context(epsilon=chosen.value))


def show_details(data: ComparisonData, domain: GridDomain, maps_stage: Stage) -> None:
    """The details below the maps: the marked box, the pinned scenario, and the films."""
    record = STATE.current()
    with st.container():  # always there: what follows keeps its place
        if record.region is not None and data.ours is not None:
            region.show(record.region, data.ours, domain)
    pins.show(STATE, pin_view.PIN_VIEW, data)
    if data.ours is not None and data.plain is not None:
        films.show(data.ours.setup.scenario, maps_stage)
