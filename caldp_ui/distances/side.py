"""The controls: ε per kilometre and people, the odds by distance, what is shown, and where."""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.audit.adversary import guessed_right
from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import DatasetSpec
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.distances import CrowFlies, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs, sources
from caldp_ui.controls import common, presets, slider
from caldp_ui.controls.slider import Slider
from caldp_ui.distances import designing, pinned, words
from caldp_ui.distances.presets import PRESETS
from caldp_ui.distances.shown import Shown
from caldp_ui.distances.slot import (
    AS_FAR,
    AS_NEAR,
    EVERYBODY,
    PART,
    PERSON,
    SLOT,
    Far,
    keeping,
    measured,
    per_km,
    standing_in,
)
from caldp_ui.maps import choice
from caldp_ui.parts import icons, pins
from caldp_ui.session.scenarios import bind
from caldp_ui.words import formats
from caldp_ui.words.strength import strength
from caldp_ui.words.towns import towns

RATES: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
RATE: Final = Slider[Far](
    "rate",
    lambda record: round(record.rate, 9),
    lambda record, rate: replace(record, scenario=per_km(record.scenario, rate)),
    RATES,
    lambda rate: f"{rate:g}",
)
"""ε per kilometre."""
_SHOWS: Final = {EVERYBODY: "Everybody", PERSON: "One person's reports"}
_BESIDE: Final = {
    AS_NEAR: "that hide neighbours as well, and move reports as far",
    AS_FAR: "with the ε of the ring, that move reports as far",
}
_KINDS: Final = {CrowFlies: "as the crow flies", Streets: "along streets"}
_PART_TITLE: Final = "Gowalla, Philadelphia to Boston"


def show(record: Far, what: Shown) -> None:
    """All of it; `record`: what was asked for, of which `what` may show a stand-in."""
    with st.container(key=SLOT.key("steer"), gap="small"):
        with st.container(key=SLOT.key("which"), horizontal=True, gap="small"):
            presets.menu(SLOT, PRESETS)
            choice.place(SLOT, "Ring around", what.domain, what.record.place)
        dials(what.setup.dataset.n)
        more = st.popover(
            "Distance, method, blocks, data",
            icon=":material/tune:",
            key=SLOT.key("more"),
            on_change="rerun",
        )
        if more.open:
            with more:
                _more(record)
    with st.container(key=SLOT.key("risk"), gap="small"):
        common.views(
            "Show",
            _SHOWS,
            SLOT.bind("show", record.show, lambda r, v: replace(r, show=v)),
        )
        odds(what)
        pins.again(SLOT, pinned.BESIDE.title, "The same promise and people, new noise.")


def dials(in_data: int | None) -> None:
    """The two that matter most; on a phone they stay on screen."""
    with st.container(key=SLOT.key("dials")):
        slider.show(
            SLOT,
            RATE,
            "ε per kilometre",
            "How fast privacy fades: an attacker's odds between two places change by at most "
            "e^(this times the kilometres between them).",
        )
        common.people(SLOT, in_data)


ODDS: Final = ".st-key-odds .by-ring"
"""Where the odds are on the page, as a CSS selector: films change them, too."""


def odds(what: Shown) -> None:
    """100 people at the ring, and how many are guessed right at some other distances."""
    with st.container(key="odds"):
        st.html(odds_html(what.record))


def odds_html(record: Far) -> str:
    """The same as HTML, for films."""
    share = guessed_right(record.policy.epsilon)
    best = formats.hundred(share)
    title = f"100 small figures, {best} of them filled: right guesses."
    rows = "".join(
        f"<div><dt>{words.km(each)}</dt><dd>{words.odds_at(record, each)}</dd></div>"
        for each in words.ODDS_AT
    )
    return (
        f'<div class="by-ring"><div class="odds {strength(share).word}">'
        f"{icons.people_array(round(100 * share), title)}"
        "<p>An attacker who must choose between two equally likely places "
        f"<em>{words.km(record.policy.km)}</em> apart is right at most "
        f"<em>{best} times in 100</em>. By distance:</p></div>"
        f'<dl class="by-distance">{rows}</dl></div>'
    )


def _more(record: Far) -> None:
    scenario = record.scenario
    st.radio(
        "Distance",
        list(_KINDS),
        format_func=lambda kind: _KINDS[kind],
        horizontal=True,
        **bind(SLOT, "distance", type(record.policy), measured),
    )
    # What cannot be made for this map is listed under “Every noise”.
    able = [entry.name for entry in keeping(scenario) if makes(scenario, entry.name)]
    common.method(SLOT, able, "The most accurate quick one")
    st.radio(
        "Compare with blocks",
        list(_BESIDE),
        format_func=_BESIDE.__getitem__,
        help="Blocks have two numbers, how large and which ε. Here ε is that of two neighbouring "
        "places, or that of two places a ring's radius apart; then the blocks are as large as it "
        "takes for a report to lie as far off, on average, as with the noise.",
        **SLOT.bind("beside", record.beside, lambda r, v: replace(r, beside=v)),
    )
    st.selectbox(
        "Data",
        list(_data_sets()),
        **SLOT.bind("data", _title_of(scenario.dataset), _with_data),
    )
    common.estimate(SLOT)


def _data_sets() -> dict[str, DatasetSpec]:
    return {_PART_TITLE: PART, **sources.places()}


def _title_of(spec: DatasetSpec) -> str:
    return _PART_TITLE if spec == PART else sources.title_of(spec, sources.places())


def _with_data(record: Far, title: str) -> Far:
    """The record with other data; on another map, around its largest city."""
    scenario = replace(record.scenario, dataset=_data_sets()[title])
    chosen = replace(record, scenario=sources.peopled(scenario))
    before, after = (runs.map_of(runs.dataset(each.scenario)) for each in (record, chosen))
    if before == after:
        return chosen
    return chosen.at(next(iter(towns(after)), after.k // 2))


def makes(scenario: Scenario, name: str) -> bool:
    """Whether the mechanism of that name can be made for the scenario's map and distance."""
    return why_not(scenario, name) == ""


def why_not(scenario: Scenario, name: str) -> str:
    """The core's sentence where it cannot; else empty."""
    if name == designing.KERNEL:
        return designing.why_not(runs.setup(standing_in(scenario)).policy)
    try:
        runs.setup(replace(scenario, mechanism=MECHANISMS[name].spec()))
    except CaldpError as error:
        return str(error)
    return ""
