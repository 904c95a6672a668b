"""The maps of the page: the stage with what hands may do, its films, and the marked box."""

import streamlit as st

from caldp_core.domain.grid import GridDomain
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import PAIR, scene
from caldp_ui.parts import pins
from caldp_ui.parts.comparison import Shown
from caldp_ui.places import edits, films, pinned, region
from caldp_ui.places.slot import SLOT
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import Chosen, Stage, stage

STAGE = SLOT.key("maps")


def maps(what: Shown, domain: GridDomain) -> Stage:
    """The stage of the page's scenario."""
    return stage(
        scene(
            what,
            ground(what.setup, domain, SLOT.now().region),
            actions=edits.actions(what.setup),
            can_undo=SLOT.can_undo,
            can_redo=SLOT.can_redo,
            arrangement=PAIR,
        ),
        STAGE,
        edits.do,
        _follow,
    )


def _follow(chosen: Chosen) -> None:
    """The step of a film that a person rests on becomes the page's scenario."""
    if chosen.film == "epsilon":
        steer(SLOT, lambda s: s.with_context(epsilon=chosen.value))


def after(what: Shown, domain: GridDomain, on: Stage) -> None:
    """What comes after the pictures: the marked box, the pinned scenario, and films."""
    record = SLOT.now()
    with st.container():  # always there: what follows keeps its place
        if record.region is not None and what.ours is not None:
            region.show(record.region, what.ours, domain)
    pins.show(SLOT, pinned.BESIDE, what)
    if what.ours is not None and what.plain is not None:
        films.show(what.ours.setup.scenario, on)
