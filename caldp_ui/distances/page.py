"""The page: its controls, its tabs under the maps, and its film along ε per kilometre.

The tabs: what is promised, odds by distance, every noise, numbers, exports.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import DatasetSpec
from caldp_core.mechanisms.capabilities import report_bits
from caldp_core.mechanisms.catalogue import MECHANISMS, BestKernel
from caldp_core.scenarios.policies import CrowFlies, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory import bounds as theory
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import LIGHT, palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.distances import page_state, view
from caldp_ui.distances.page_state import STATE, title
from caldp_ui.maps.scene import map_files, move_place, place_control, report
from caldp_ui.parts import comparison, pins, sharing
from caldp_ui.parts.layout import stacked_layout, tabs
from caldp_ui.session.page_state import bind
from caldp_ui.shell.page import PinPage
from caldp_ui.words import formats
from caldp_ui.words.accuracy import terms
from caldp_ui.words.formats import PLACES, place_name, towns

TEXTS: Final = read_texts(__file__)

RATES: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
RATE: Final = common.Slider[page_state.DistanceState](
    "rate",
    lambda record: round(record.rate, 9),
    lambda record, rate: replace(record, scenario=page_state.with_rate(record.scenario, rate)),
    RATES,
    lambda rate: f"{rate:g}",
)
"""ε per kilometre."""
_VIEW_TITLES: Final = {page_state.EVERYBODY: "Everybody", page_state.PERSON: "One person's reports"}
_BLOCK_TITLES: Final = {
    page_state.SIMILAR_PRIVACY: "that hide neighbours as well, and move reports as far",
    page_state.SAME_EPSILON: "with the ε of the ring, that move reports as far",
}
_KIND_TITLES: Final = {CrowFlies: "as the crow flies", Streets: "along streets"}
_PART_TITLE: Final = "Gowalla, Philadelphia to Boston"


def _controls(record: page_state.DistanceState, data: page_state.DistanceData) -> None:
    """Show the controls and the odds; `data` may be of `record` with fallback noise."""
    with st.container(key=STATE.key("steer"), gap="small"):
        with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
            choices.menu(STATE, page_state.PRESETS)
            place_control(STATE, "Ring around", data.domain, data.record.place)
        with st.container(key=STATE.key("dials")):  # on a phone they stay on screen
            common.show(STATE, RATE, "ε per kilometre", TEXTS["rate_help"])
            common.people(STATE, data.setup.dataset.n)
        label, more = "Distance, method, blocks, data", partial(_more_controls, record)
        choices.fold(st.popover, label, STATE.key("more"), more, icon=":material/tune:")
    with st.container(key=STATE.key("risk"), gap="small"):
        choices.view_switch(STATE, "show", "Show", _VIEW_TITLES)
        with st.container(key="odds"):
            st.html(view.odds_html(data.record))
        comparison.safety_button(STATE, PLACES, data.setup)
        pins.redraw_and_pin(STATE, title, "The same promise and people, new noise.")


def _more_controls(record: page_state.DistanceState) -> None:
    scenario = record.scenario
    st.radio(
        "Distance",
        list(_KIND_TITLES),
        format_func=lambda kind: _KIND_TITLES[kind],
        horizontal=True,
        **bind(STATE, "distance", type(record.policy), page_state.with_distance_kind),
    )
    # What cannot be made for this map is listed under “Every noise”.
    names = [entry.name for entry in page_state.compatible_mechanisms(scenario)]
    feasible = [name for name in names if not infeasible_reason(scenario, name)]
    common.method(STATE, feasible, "The most accurate quick one")
    choices.of_field(
        STATE, "beside", "Compare with blocks", _BLOCK_TITLES, st.radio, help=TEXTS["blocks_help"]
    )
    spec = scenario.dataset
    title = _PART_TITLE if spec == page_state.NORTHEAST else runs.title_of(spec, runs.places())
    specs = {_PART_TITLE: page_state.NORTHEAST, **runs.places()}
    choices.by_title(STATE, "data", "Data", specs, _with_dataset, title=title)
    common.estimate(STATE)


def _with_dataset(record: page_state.DistanceState, spec: DatasetSpec) -> page_state.DistanceState:
    """The record with other data; on another map the ring is at its largest city."""
    scenario = replace(record.scenario, dataset=spec)
    chosen = replace(record, scenario=runs.with_population(scenario))
    before, after = (runs.map_of(runs.dataset(each.scenario)) for each in (record, chosen))
    if before == after:
        return chosen
    return replace(chosen, place=next(iter(towns(after)), after.k // 2))


def infeasible_reason(scenario: Scenario, name: str) -> str:
    """The core's sentence on why the mechanism of that name cannot be made; "" where it can."""
    if name == page_state.BEST_KERNEL:
        return page_state.infeasible_reason(
            runs.setup(page_state.fallback_scenario(scenario)).policy
        )
    try:
        runs.setup(replace(scenario, mechanism=MECHANISMS[name].spec()))
    except CaldpError as error:
        return str(error)
    return ""


def _promise(data: page_state.DistanceData) -> None:
    comparison.bullets(view.promise_sentences(data))
    comparison.listed("What is *not* promised", view.not_promised_sentences(data))
    comparison.audit_section(STATE, data.record.scenario)
    st.markdown(f"**The blocks** · {view.describe_blocks(data)}")
    st.latex(r"Q(y \mid x) \le e^{\varepsilon \cdot d(x, x')} \, Q(y \mid x')")
    st.caption(TEXTS["source"])
    terms("ε", "context-aware", "geo-indistinguishability", "total variation")


def _odds(data: page_state.DistanceData) -> None:
    texts = [f"{km}: {right}" for km, right in view.odds_by_distance(data.record).items()]
    alt = TEXTS["odds_alt"].format(odds=", ".join(texts))
    show_chart(view.odds_figure(data, palette()), STATE.key("odds-chart"), alt)
    st.caption(TEXTS["odds_notes"].format(place=place_name(data.domain, data.record.place)))


def _noise_table(data: page_state.DistanceData) -> None:
    """Show the mechanisms that keep this kind of distance, and why some cannot be made here."""
    scenario = data.record.scenario
    rows = {}
    missing = dict.fromkeys(("a report lies away by", "names its own cell", "bits per report"), "–")
    for entry in page_state.compatible_mechanisms(scenario):
        reason = _missing_reason(data, entry.name)
        chosen = " (shown)" if entry.name == data.setup.mechanism_name else ""
        rows[f"{entry.title}{chosen}"] = (
            missing | {"here": reason} if reason else _row(data, entry.name)
        )
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("mechanism"))
    proof = view.kernel_proof_text(data, page_state.designed_kernel(data.setup.policy))
    if proof:
        st.markdown(f":material/verified: {proof}")
    st.caption(TEXTS["noise_notes"].format(place=place_name(data.domain, data.record.place)))


def _missing_reason(data: page_state.DistanceData, name: str) -> str:
    """Why a mechanism can't be shown; "" where it can."""
    reason = infeasible_reason(data.record.scenario, name)
    if reason:
        return f"no: {reason}"
    if name == page_state.BEST_KERNEL and page_state.designed_kernel(data.setup.policy) is None:
        return "not yet: it is designed, in seconds, once you choose it as the noise"
    return ""


def _row(data: page_state.DistanceData, name: str) -> dict[str, str]:
    setup = runs.setup(replace(data.record.scenario, mechanism=MECHANISMS[name].spec()))
    place = data.record.place
    law = theory.report_distribution(setup.mechanism, place)
    return {
        "a report lies away by": formats.length(float(law @ data.domain.km_from(place))),
        "names its own cell": f"{formats.out_of(float(law[place]))} reports",
        "bits per report": formats.integer(report_bits(setup.mechanism)),
        "here": "yes",
    }


def _numbers(data: page_state.DistanceData) -> None:
    results = {
        "this protection": data.ours,
        view.blocks_title(data).lower(): data.blocks_result,
        "plain LDP": data.plain,
    }
    if not pins.table(results):
        return
    st.markdown(
        f"**Reports from {place_name(data.domain, data.record.place)}** lie "
        f"{formats.length(data.noise_reports.mean_km)} away on average, and "
        f"{formats.length(data.block_reports.mean_km)} away with the blocks. "
        f"{view.describe_blocks(data)}"
    )
    if data.ours is not None:
        page_state.section(data.ours)
    odds = {km: f"{right} of 100" for km, right in view.odds_by_distance(data.record).items()}
    row = "right guesses between two equally likely places so far apart, at most"
    st.table(pd.DataFrame([odds], index=pd.Index([row], name="odds")))


def _sharing(data: page_state.DistanceData) -> None:
    results = {view.blocks_title(data): data.blocks_result, view.OURS_TITLE: data.ours}
    others = {
        "blocks-beside": page_state.blocks_scenario(data.record),
        sharing.PLAIN: runs.best_plain_ldp(data.record.scenario),
    }
    content = report(data.ours, view.result_text(data), results)
    sharing.section(STATE, PLACES, content, others, sharing.show_map_save_hint)
    PAGE.offer()


_TABS: Final[dict[str, Callable[[page_state.DistanceData], None]]] = {
    "What is promised": _promise,
    "Odds by distance": _odds,
    "Every noise": _noise_table,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def _films(record: page_state.DistanceState) -> list[pins.SliderFilm[page_state.DistanceState]]:
    """The film along ε, where its pictures are fast and no step needs a design."""
    if isinstance(record.scenario.mechanism, BestKernel):
        return []
    ours = comparison.result_if_fast(record.scenario)
    beside = comparison.result_if_fast(page_state.blocks_scenario(record))
    return [] if ours is None or beside is None else [RATE_FILM]


def _pinned_numbers(data: page_state.DistanceData) -> dict[str, str]:
    errors = pins.result_numbers(PLACES, data.ours)
    if not errors:
        return {}
    odds = {
        f"right guesses of 100, at most, at {km}": right
        for km, right in view.odds_by_distance(data.record).items()
    }
    reports = {
        "reports from": place_name(data.domain, data.record.place),
        "a report lies away by": formats.length(data.noise_reports.mean_km),
    }
    return {**odds, **reports, **errors}


PAGE: Final = PinPage(
    state=STATE,
    load=lambda record: page_state.load_data(
        page_state.with_fallback_noise(record), comparison.load_fast_results
    ),
    view=view.view,
    films=_films,
    pin_title=title,
    align=lambda record: replace(record, show=STATE.current().show),
    describe=lambda data: view.headline(data).sentence,
    numbers=_pinned_numbers,
    images=lambda data: map_files({"in-blocks": data.blocks_result, "this-noise": data.ours}),
)
RATE_FILM: Final = pins.SliderFilm(
    STATE,
    view.RATE,
    "ε per kilometre",
    RATE,
    PAGE.render,
    lambda at: f"{runs.key(at.scenario)} {at.show} {at.beside} {at.place}",
    "ε = {} per kilometre".format,
    hides=("blocks", "sensitive"),  # the ring and the blocks beside have another size at every step
)


def show(record: page_state.DistanceState) -> None:
    """Show the page at a record."""
    page = stacked_layout(STATE)
    with page.main:
        data = page_state.load_data(page_state.design_noise(record))
        shown = PAGE.view(data, None, LIGHT)
        maps = PAGE.show_maps(shown, partial(move_place, STATE), RATE_FILM)
    page.show_headline(shown.headline)
    with page.side:
        _controls(record, data)
    with page.below:
        PAGE.show_pins(data, shown)
        tabs(STATE.key("tabs"), _TABS, data)
        PAGE.send_films(data.record, maps)
    comparison.drawer("distances")
