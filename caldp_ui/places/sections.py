"""The picture parts of the map page: three maps, a box's numbers, error curves, columns in 3-D.

Room: charts on pages.
"""

import numpy as np
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import Area, GridDomain
from caldp_core.experiments.regions import RegionReport
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import as_text
from caldp_ui.app.theme import palette
from caldp_ui.charts import curves as charts
from caldp_ui.compute import runs as compute
from caldp_ui.compute.runs import Comparison
from caldp_ui.parts import readout, repetition
from caldp_ui.places import drawing, mapkey, maps, view3d, words
from caldp_ui.places.slot import SLOT
from caldp_ui.words import formats, promise
from caldp_ui.words.glossary import terms

_CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "autoScale2d"]}
_STILL = {"staticPlot": True}
_PLAIN_MAP = {**_CONFIG, "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"]}


def upper_maps(comparison: Comparison, domain: GridDomain) -> None:
    """Truth and estimate side by side, under the one colour scale of all maps."""
    with st.container(gap="xsmall"):
        st.html(mapkey.html(mapkey.entries(comparison.setup, domain, SLOT.now().region)))
        st.plotly_chart(
            maps.legend(palette()),
            key="legend",
            config=_STILL,
            alt="Colour scale of all three maps: share of all people in a cell, from 1 in a "
            "million to 1 in 100, logarithmic.",
        )
    upper_left, upper_right = st.columns(2)
    with upper_left.container(gap="xsmall"):
        _truth(comparison, domain)
    with upper_right.container(gap="xsmall"):
        _estimate(comparison, domain)


def lower_maps(comparison: Comparison, domain: GridDomain) -> None:
    """The error's map, and the error curve beside it."""
    lower_left, lower_right = st.columns(2)
    with lower_left:
        _error(comparison, domain)
        readout.two_errors(SLOT, comparison)
        readout.which_estimate(comparison.setup.scenario)
    with lower_right:
        error_curve(comparison)


def _truth(comparison: Comparison, domain: GridDomain) -> None:
    setup = comparison.setup
    truth, estimate = setup.dataset.distribution, comparison.outcome.estimate
    layers = [
        *maps.veil_layer(setup.sensitive, domain),
        *maps.outline_layer(domain),
        *maps.block_layer(setup.partition, domain),
        *maps.sensitive_layer(setup.sensitive, domain),
        *maps.region_layer(SLOT.now().region),
        maps.marker_layer(setup.partition, domain, truth, estimate),
    ]
    st.markdown("**Truth** · drag a box here")
    by_finger = st.toggle("A finger draws here (off: it scrolls the page)", key="by-finger")
    with st.container(key="drawn-on" if by_finger else "scrolled-over"):
        st.plotly_chart(
            maps.map_figure(truth, domain, layers),
            key=drawing.MAP,
            on_select=drawing.dragged(domain),
            selection_mode="box",
            config=_CONFIG,
            alt=f"Map of where people truly are ({setup.dataset.name}), with the borders of "
            f"{formats.exactly(setup.partition.m)} blocks and of the sensitive set.",
        )


def _estimate(comparison: Comparison, domain: GridDomain) -> None:
    setup, estimate = comparison.setup, comparison.outcome.estimate
    st.markdown("**Estimate** · from randomised reports only")
    _still_map(
        "map-estimate",
        estimate,
        comparison,
        domain,
        f"Map of the estimate from the reports of {formats.people(setup.n)} people; its total "
        f"variation from the truth is {formats.share(comparison.outcome.errors.tv)}.",
    )


def _error(comparison: Comparison, domain: GridDomain) -> None:
    off = np.abs(comparison.outcome.estimate - comparison.setup.dataset.distribution)
    st.markdown("**Error** · how far off each cell is, up or down")
    _still_map(
        "map-error",
        off,
        comparison,
        domain,
        "Map of the absolute difference between estimate and truth in each cell, on the same "
        f"colour scale; all differences add up to {formats.share(float(off.sum()))}.",
    )


def _still_map(
    key: str, shares: Floats, comparison: Comparison, domain: GridDomain, alt: str
) -> None:
    setup = comparison.setup
    layers = [
        *maps.outline_layer(domain),
        *maps.sensitive_layer(setup.sensitive, domain),
        *maps.region_layer(SLOT.now().region),
        maps.marker_layer(
            setup.partition, domain, setup.dataset.distribution, comparison.outcome.estimate
        ),
    ]
    figure = maps.map_figure(shares, domain, layers, maps.nobody_below(setup.n))
    figure.update_layout(dragmode=False)
    st.plotly_chart(figure, key=key, config=_PLAIN_MAP, alt=alt)


def region(comparison: Comparison, domain: GridDomain) -> None:
    """The numbers of the marked box, if there is one."""
    area = SLOT.now().region
    if area is None:
        return
    try:
        report = compute.region(comparison, domain.inside(area))
    except CaldpError as error:
        st.info(as_text(str(error)))
        return
    _region_numbers(area, report, comparison.setup.scenario)


def _region_numbers(area: Area, report: RegionReport, scenario: Scenario) -> None:
    cells = "1 cell" if report.cells == 1 else f"{formats.exactly(report.cells)} cells"
    with st.container(border=True, key="region"):
        st.markdown(f"**In your box** · {words.describe(area)} · {cells}")
        with st.container(key="region-numbers", horizontal=True):
            st.metric("True number of people", formats.people(report.truth))
            st.metric("Estimate from the reports", formats.people(report.estimate))
            st.metric(
                "Likely range (95 of 100 times)",
                f"{formats.people(report.low)} – {formats.people(report.high)}",
            )
        if report.is_lost_in_noise:
            st.warning(
                "Too small to tell: the error to expect here is larger than the number of people "
                "itself. Mark a larger region, or let go of some secrecy.",
                icon=":material/blur_on:",
            )
        st.caption(" ".join(words.of_region(report, scenario)))
        st.button("Unmark", icon=":material/close:", on_click=drawing.mark, args=(None,))


def error_curve(comparison: Comparison) -> None:
    """Error against ε or against people, this protection beside plain LDP."""
    setup = comparison.setup
    scenario = setup.scenario
    if compute.expected(scenario) is None:
        st.info("No error curve: it takes long trials here. Repeated runs measure it.")
        repetition.section(SLOT.key("repetition"), comparison)
        return
    now = (comparison.ours.first.errors.tv, comparison.plain.first.errors.tv)
    what = st.segmented_control(
        "**Error** against …",
        ("ε", "number of people"),
        default="ε",
        required=True,
        key="curve-against",
    )
    if what == "ε":
        curve_of, present, abscissa = (
            compute.epsilon_curve,
            promise.strongest(scenario),
            charts.AGAINST_EPSILON,
        )
    else:
        curve_of, present, abscissa = (
            compute.people_curve,
            float(setup.n),
            charts.AGAINST_PEOPLE,
        )
    ours, plain = curve_of(scenario), curve_of(scenario.plain())
    figure = charts.error_curves((ours, now[0]), (plain, now[1]), present, abscissa, palette())
    st.plotly_chart(
        figure,
        key="curve",
        config=_CONFIG,
        alt=f"Expected error against {what}: this protection solid, plain LDP dashed, with bands "
        f"that hold 90 of 100 outcomes. At the present setting {formats.share(now[0])} against "
        f"{formats.share(now[1])}.",
    )
    st.caption(
        "Lines: to expect. Bands: 90 of 100 outcomes. Points: this very outcome. "
        "Dotted: where you are."
    )
    repetition.section(SLOT.key("repetition"), comparison)
    terms("sampling error", "estimator")


def columns_in_3d(comparison: Comparison, domain: GridDomain) -> None:
    """Blocks as columns."""
    st.caption(
        "Each column is a block (or a tile of the map, where blocks are too few or too many): "
        "height is the estimated number of people, colour the share of them in the wrong cell. "
        "Drag to move, with the right button or Ctrl to turn, scroll to zoom."
    )
    st.plotly_chart(
        view3d.legend(palette()),
        key="legend-3d",
        config=_STILL,
        alt="Colours of the columns: from pale blue, nobody in the wrong cell, to orange, all.",
    )
    with st.container(key="columns-3d"):
        st.pydeck_chart(
            view3d.columns_deck(comparison, domain),
            height=460,
            key="deck",
            alt=view3d.in_words(comparison, domain),
        )
