"""The maps of the page: the stage with its drawing tools and films, and the marked box.

The numbers of the marked box: truth, estimate, and a likely range as 50 dots.

Sentences of the map page: a box and notes on its numbers.
"""

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.regions import RegionReport, region_report
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import PAIR, scene
from caldp_ui.parts import icons, pins
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.places import edits, films, pin_view
from caldp_ui.places.page_state import STATE
from caldp_ui.session.scenarios import update_scenario
from caldp_ui.stage import Stage, StepChoice, stage
from caldp_ui.words import formats, promise


def region_sentences(report: RegionReport, scenario: Scenario) -> list[str]:
    """Notes on a region's numbers: an estimate below 0, whole blocks, the sum of its cells."""
    sentences = []
    if round(report.estimate) < 0:
        sentences.append(
            "An estimate below 0: noise outweighs the people here. It is not cut off at 0, so that "
            "it is right on average."
        )
    if report.exact_blocks:
        sentences.append(
            f"{formats.count(report.exact_blocks, 'block lies', 'blocks lie')} in the box as a "
            "whole. No block hides how many people it holds, so they add no privacy noise."
        )
    estimator = ESTIMATORS[scenario.estimator]
    sentences.append(
        "The cells of the map of this protection add up to "
        f"{formats.people(report.processed_estimate)} here: "
        f"they show “{estimator.title}”, {estimator.sentence}. The estimate above is made for the "
        "box as a whole and is right on average."
    )
    return sentences


def describe_area(area: Area) -> str:
    """A box in words."""
    edges = (area.south, area.west, area.north, area.east)
    cell = 0.2 if all(abs(10 * edge - round(10 * edge)) < 1e-6 for edge in edges) else 0.02
    corner = formats.degrees(area.south, area.west, cell)
    return f"{corner} to {formats.degrees(area.north, area.east, cell)}"


def show(area: Area, result: Result, domain: GridDomain) -> None:
    """The box's numbers under the maps."""
    try:
        report = region_report(result.setup, result.first, domain.area_mask(area))
    except CaldpError as error:
        st.info(escape_markdown(str(error)))
        return
    cells = formats.count(report.cells, "cell", "cells")
    with st.container(border=True, key=STATE.key("region")):
        left, right = st.columns([1.2, 1], gap="medium")
        with left:
            st.markdown(f"**In your box** · {describe_area(area)} · {cells}")
            _numbers(report, promise.counted(result.setup.scenario)[1])
        with right:
            st.html(icons.dotplot(report.estimate, report.half_width, _dots_text(report)))
            st.caption(_dots_text(report))
        if report.is_lost_in_noise:
            st.warning(
                "Too small to tell: the error to expect here is larger than the number of people "
                "itself. Mark a larger region, or let go of some secrecy.",
                icon=":material/blur_on:",
            )
        st.caption(" ".join(region_sentences(report, result.setup.scenario)))
        st.button(
            "Unmark",
            icon=":material/close:",
            key=STATE.key("unmark"),
            on_click=edits.mark_region,
            args=(None,),
        )


def _numbers(report: RegionReport, counted: str) -> None:
    with st.container(key=STATE.key("region-numbers"), horizontal=True):
        st.metric(f"True number of {counted}", formats.people(report.truth))
        st.metric("Estimate from the reports", formats.people(report.estimate))
        st.metric(
            "95 % range",
            f"{formats.people(report.low)} – {formats.people(report.high)}",
        )


def _dots_text(report: RegionReport) -> str:
    if report.half_width <= 0:
        return "Known exactly: nothing in this box is hidden."
    low, high = formats.people(report.low), formats.people(report.high)
    return (
        f"In 95 of 100 collections the range from {low} to {high} holds the true number. Between "
        f"two neighbouring dots it is in 1 of {icons.DOTS}."
    )


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
            show(record.region, data.ours, domain)
    pins.show(STATE, pin_view.PIN_VIEW, data)
    if data.ours is not None and data.plain is not None:
        films.show(data.ours.setup.scenario, maps_stage)
