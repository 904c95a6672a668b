"""Controls beside the maps: ε, people, shares at own places, the collector's guess; the odds."""

from typing import Final

import streamlit as st

from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.scenarios.blocks import SensitiveAreas, SensitiveInhabited, SensitiveSpec
from caldp_core.scenarios.policies import BACKGROUNDS
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs, sources
from caldp_ui.controls import common, presets
from caldp_ui.parts import odds, pins
from caldp_ui.personal import pin_view, words
from caldp_ui.personal.page_state import STATE, PersonalData, PersonalState, with_tags
from caldp_ui.personal.pin_view import PRESETS
from caldp_ui.session.scenarios import bind
from caldp_ui.words.vocabulary import PLACES

_SENSITIVE: Final[dict[str, SensitiveSpec]] = {
    "no place": SensitiveAreas(()),
    "in and near New York": SensitiveAreas(("+40.2,41.4,-74.8,-73.2",)),
    "thinly settled places": SensitiveInhabited(),
}
_STEP: Final = 10
"""Percentage points between two choices of a tag's share."""


def show(data: PersonalData) -> None:
    """Show the main controls at the left, the odds at the right, and the other forms below."""
    record = data.record
    with st.container(key=STATE.key("steer"), gap="small"):
        presets.menu(STATE, PRESETS)
        main_controls(data.setup.dataset.n)
    with st.container(key=STATE.key("risk"), gap="small"):
        odds.show(PLACES, data.setup)
    with st.container(key=STATE.key("forms"), horizontal=True, gap="small"):
        pins.redraw_and_pin(
            STATE, pin_view.PIN_VIEW.title, "The same people and promise, new noise."
        )
        _forms(record)


def _forms(record: PersonalState) -> None:
    """Show the forms as popovers; a closed one is not drawn, as every control costs each run."""
    forms = {
        "who": ("Who is at home", ":material/home:", _people_controls),
        "more": ("Sensitive for all, data", ":material/tune:", _more_controls),
    }
    for name, (title, icon, controls) in forms.items():
        form = st.popover(title, icon=icon, key=STATE.key(name), on_change="rerun")
        if form.open:
            with form:
                controls(record)


def _people_controls(record: PersonalState) -> None:
    """Show the controls of the collector's guess, and of the shares at own places."""
    _background_control(record)
    for number, share in enumerate(record.policy.shares):
        _share_control(record, number, share)


def main_controls(people_in_data: int | None) -> None:
    """Show the controls of ε and people; on a phone they stay on screen."""
    with st.container(key=STATE.key("dials")):
        common.epsilon(STATE)
        common.people(STATE, people_in_data)


def _background_control(record: PersonalState) -> None:
    current = record.policy.background
    st.selectbox(
        "The collector's guess of homes",
        list(BACKGROUNDS),
        format_func=words.background_text,
        help="A report never says where a home is. To draw a map of everybody, the collector "
        "spreads the people at home over the places where it expects homes.",
        **bind(STATE, "background", current, lambda s, v: with_tags(s, background=v)),
    )


def _share_control(record: PersonalState, number: int, share: float) -> None:
    """Show the choice of a tag's share; all shares together are at most 1."""
    others = sum(record.policy.shares) - share
    most = int(100 * (1 - others) + 1e-9)
    percent = round(100 * share, 6)
    st.selectbox(
        f"Percent at {words.tag_name(number)}",
        sorted({*range(0, most + 1, _STEP), percent}),
        format_func=lambda value: f"{value:g}",
        **bind(
            STATE,
            f"share-{number}",
            percent,
            lambda s, value: with_tags(s, shares=_with_share(s, number, value / 100)),
        ),
    )


def _with_share(scenario: Scenario, number: int, share: float) -> tuple[float, ...]:
    shares = list(PersonalState(scenario).policy.shares)
    shares[number] = share
    return tuple(shares)


def _more_controls(record: PersonalState) -> None:
    sensitive = record.policy.sensitive
    current = next((title for title, spec in _SENSITIVE.items() if spec == sensitive), None)
    st.selectbox(
        "Sensitive for everybody",
        list(_SENSITIVE),
        placeholder="drawn on the map",
        help="Places that everybody hides, such as clinics. Draw with the box on the maps.",
        **bind(STATE, "sensitive", current, lambda s, v: with_tags(s, sensitive=_SENSITIVE[v])),
    )
    common.data(STATE, sources.places())
    compatible = mechanisms_for(runs.setup(record.scenario).policy)
    common.method(STATE, [entry.name for entry in compatible])
    common.estimate(STATE)
