"""The numbers of the marked box: truth, estimate, and a likely range as 50 dots."""

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.experiments.regions import RegionReport, region_report
from caldp_core.experiments.run import Result
from caldp_ui.app.errors import escape_markdown
from caldp_ui.parts import icons
from caldp_ui.places import edits, words
from caldp_ui.places.page_state import STATE
from caldp_ui.words import formats, promise


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
            st.markdown(f"**In your box** · {words.describe_area(area)} · {cells}")
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
        st.caption(" ".join(words.region_sentences(report, result.setup.scenario)))
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
