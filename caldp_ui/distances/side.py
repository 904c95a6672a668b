"""Controls beside the maps: ε per kilometre, people, view and place; the odds by distance."""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import DatasetSpec
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.policies import CrowFlies, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs, sources
from caldp_ui.controls import common, presets
from caldp_ui.controls.common import Slider
from caldp_ui.distances import best_noise, pin_view, words
from caldp_ui.distances.page_state import (
    EVERYBODY,
    NORTHEAST,
    PERSON,
    SAME_EPSILON,
    SIMILAR_PRIVACY,
    STATE,
    DistanceData,
    DistanceState,
    compatible_mechanisms,
    fallback_scenario,
    with_distance_kind,
    with_rate,
)
from caldp_ui.distances.pin_view import PRESETS
from caldp_ui.maps import scene
from caldp_ui.parts import icons, pins
from caldp_ui.parts.odds import emphasis_html
from caldp_ui.session.scenarios import bind
from caldp_ui.words import formats
from caldp_ui.words.formats import strength
from caldp_ui.words.promise_text import right_guess_text
from caldp_ui.words.towns import towns

RATES: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
RATE: Final = Slider[DistanceState](
    "rate",
    lambda record: round(record.rate, 9),
    lambda record, rate: replace(record, scenario=with_rate(record.scenario, rate)),
    RATES,
    lambda rate: f"{rate:g}",
)
"""ε per kilometre."""
_VIEW_TITLES: Final = {EVERYBODY: "Everybody", PERSON: "One person's reports"}
_BLOCK_TITLES: Final = {
    SIMILAR_PRIVACY: "that hide neighbours as well, and move reports as far",
    SAME_EPSILON: "with the ε of the ring, that move reports as far",
}
_KIND_TITLES: Final = {CrowFlies: "as the crow flies", Streets: "along streets"}
_PART_TITLE: Final = "Gowalla, Philadelphia to Boston"


def show(record: DistanceState, data: DistanceData) -> None:
    """Show the controls and the odds; `data` may be of `record` with fallback noise."""
    with st.container(key=STATE.key("steer"), gap="small"):
        with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
            presets.menu(STATE, PRESETS)
            scene.place_control(STATE, "Ring around", data.domain, data.record.place)
        main_controls(data.setup.dataset.n)
        more = st.popover(
            "Distance, method, blocks, data",
            icon=":material/tune:",
            key=STATE.key("more"),
            on_change="rerun",
        )
        if more.open:
            with more:
                _more_controls(record)
    with st.container(key=STATE.key("risk"), gap="small"):
        common.view_switch(
            "Show",
            _VIEW_TITLES,
            STATE.bind("show", record.show, lambda r, v: replace(r, show=v)),
        )
        show_odds(data)
        pins.redraw_and_pin(
            STATE, pin_view.PIN_VIEW.title, "The same promise and people, new noise."
        )


def main_controls(people_in_data: int | None) -> None:
    """Show the controls of ε per kilometre and people; on a phone they stay on screen."""
    with st.container(key=STATE.key("dials")):
        common.show(
            STATE,
            RATE,
            "ε per kilometre",
            "How fast privacy fades: an attacker's odds between two places change by at most "
            "e^(this times the kilometres between them).",
        )
        common.people(STATE, people_in_data)


ODDS_SELECTOR: Final = ".st-key-odds .by-ring"
"""CSS selector of the odds on the page: films change them, too."""


def show_odds(data: DistanceData) -> None:
    """Show right guesses of 100 at the ring's distance, and at some others."""
    with st.container(key="odds"):
        st.html(odds_html(data.record))


def odds_html(record: DistanceState) -> str:
    """HTML of the odds, as `show_odds` shows them."""
    share = max_guess_accuracy(record.policy.epsilon)
    title = f"100 small figures, {formats.hundred(share)} of them filled: right guesses."
    sentence = (
        "An attacker who must choose between two equally likely places "
        f"**{formats.length(record.policy.km)}** apart {right_guess_text(share)}."
    )
    rows = "".join(
        f"<div><dt>{formats.length(each)}</dt><dd>{words.odds_text(record, each)}</dd></div>"
        for each in words.ODDS_DISTANCES
    )
    return (
        f'<div class="by-ring"><div class="odds {strength(share).word}">'
        f"{icons.people_array(round(100 * share), title)}"
        f"<p>{emphasis_html(sentence)} Right guesses of 100, by distance:</p></div>"
        f'<dl class="by-distance">{rows}</dl></div>'
    )


def _more_controls(record: DistanceState) -> None:
    scenario = record.scenario
    st.radio(
        "Distance",
        list(_KIND_TITLES),
        format_func=lambda kind: _KIND_TITLES[kind],
        horizontal=True,
        **bind(STATE, "distance", type(record.policy), with_distance_kind),
    )
    # What cannot be made for this map is listed under “Every noise”.
    feasible = [
        entry.name for entry in compatible_mechanisms(scenario) if is_feasible(scenario, entry.name)
    ]
    common.method(STATE, feasible, "The most accurate quick one")
    st.radio(
        "Compare with blocks",
        list(_BLOCK_TITLES),
        format_func=_BLOCK_TITLES.__getitem__,
        help="Blocks have two numbers, how large and which ε. Here ε is that of two neighbouring "
        "places, or that of two places a ring's radius apart; then the blocks are as large as it "
        "takes for a report to lie as far off, on average, as with the noise.",
        **STATE.bind("beside", record.beside, lambda r, v: replace(r, beside=v)),
    )
    st.selectbox(
        "Data",
        list(_data_sets()),
        **STATE.bind("data", _dataset_title(scenario.dataset), _with_dataset),
    )
    common.estimate(STATE)


def _data_sets() -> dict[str, DatasetSpec]:
    return {_PART_TITLE: NORTHEAST, **sources.places()}


def _dataset_title(spec: DatasetSpec) -> str:
    return _PART_TITLE if spec == NORTHEAST else sources.title_of(spec, sources.places())


def _with_dataset(record: DistanceState, title: str) -> DistanceState:
    """The record with the data of that title; on another map the ring is at its largest city."""
    scenario = replace(record.scenario, dataset=_data_sets()[title])
    chosen = replace(record, scenario=sources.with_population(scenario))
    before, after = (runs.map_of(runs.dataset(each.scenario)) for each in (record, chosen))
    if before == after:
        return chosen
    return chosen.with_place(next(iter(towns(after)), after.k // 2))


def is_feasible(scenario: Scenario, name: str) -> bool:
    """Whether the mechanism of that name can be made for the scenario's map and distance."""
    return infeasible_reason(scenario, name) == ""


def infeasible_reason(scenario: Scenario, name: str) -> str:
    """The core's sentence on why the mechanism of that name cannot be made; "" where it can."""
    if name == best_noise.BEST_KERNEL:
        return best_noise.infeasible_reason(runs.setup(fallback_scenario(scenario)).policy)
    try:
        runs.setup(replace(scenario, mechanism=MECHANISMS[name].spec()))
    except CaldpError as error:
        return str(error)
    return ""
