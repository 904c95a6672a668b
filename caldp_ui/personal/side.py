"""Beside the maps: ε and people, the odds, who is at their own place, and the collector's guess."""

from typing import Final

import streamlit as st

from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.scenarios.policies import BACKGROUNDS
from caldp_core.scenarios.scenario import Scenario
from caldp_core.scenarios.sensitive import SensitiveAreas, SensitiveInhabited, SensitiveSpec
from caldp_ui.compute import runs, sources
from caldp_ui.controls import common, presets
from caldp_ui.parts import odds, pins
from caldp_ui.personal import pinned, words
from caldp_ui.personal.presets import PRESETS
from caldp_ui.personal.shown import Shown
from caldp_ui.personal.slot import SLOT, Personal, with_tags
from caldp_ui.session.scenarios import bind
from caldp_ui.words.vocabulary import PLACES

_SENSITIVE: Final[dict[str, SensitiveSpec]] = {
    "no place": SensitiveAreas(()),
    "in and near New York": SensitiveAreas(("+40.2,41.4,-74.8,-73.2",)),
    "thinly settled places": SensitiveInhabited(),
}
_STEP: Final = 10
"""Percentage points between the shares of a tag that can be chosen."""


def show(what: Shown) -> None:
    """All of it: what is changed most at the left, what it means at the right, the rest below."""
    record = what.record
    with st.container(key=SLOT.key("steer"), gap="small"):
        presets.menu(SLOT, PRESETS)
        dials(what.setup.dataset.n)
    with st.container(key=SLOT.key("risk"), gap="small"):
        odds.show(PLACES, what.setup)
    with st.container(key=SLOT.key("forms"), horizontal=True, gap="small"):
        pins.again(SLOT, pinned.BESIDE.title, "The same people and promise, new noise.")
        _forms(record)


def _forms(record: Personal) -> None:
    """What is closed is not drawn: every control costs each run a little."""
    forms = {
        "who": ("Who is at home", ":material/home:", _who),
        "more": ("Sensitive for all, data", ":material/tune:", _more),
    }
    for name, (title, icon, controls) in forms.items():
        form = st.popover(title, icon=icon, key=SLOT.key(name), on_change="rerun")
        if form.open:
            with form:
                controls(record)


def _who(record: Personal) -> None:
    """The collector's guess, and how many are at their own places."""
    _background(record)
    for number, share in enumerate(record.policy.shares):
        _share(record, number, share)


def dials(in_data: int | None) -> None:
    """The two that matter most; on a phone they stay on screen."""
    with st.container(key=SLOT.key("dials")):
        common.epsilon(SLOT)
        common.people(SLOT, in_data)


def _background(record: Personal) -> None:
    now = record.policy.background
    st.selectbox(
        "The collector's guess of homes",
        list(BACKGROUNDS),
        format_func=words.background,
        help="A report never says where a home is. To draw a map of everybody, the collector "
        "spreads the people at home over the places where it expects homes.",
        **bind(SLOT, "background", now, lambda s, v: with_tags(s, background=v)),
    )


def _share(record: Personal, number: int, share: float) -> None:
    """How many are at their own place of a tag; with the others at most everybody."""
    others = sum(record.policy.shares) - share
    most = int(100 * (1 - others) + 1e-9)
    percent = round(100 * share, 6)
    st.selectbox(
        f"Percent at {words.tag(number)}",
        sorted({*range(0, most + 1, _STEP), percent}),
        format_func=lambda value: f"{value:g}",
        **bind(
            SLOT,
            f"share-{number}",
            percent,
            lambda s, value: with_tags(s, shares=_with(s, number, value / 100)),
        ),
    )


def _with(scenario: Scenario, number: int, share: float) -> tuple[float, ...]:
    shares = list(Personal(scenario).policy.shares)
    shares[number] = share
    return tuple(shares)


def _more(record: Personal) -> None:
    sensitive = record.policy.sensitive
    now = next((title for title, spec in _SENSITIVE.items() if spec == sensitive), None)
    st.selectbox(
        "Sensitive for everybody",
        list(_SENSITIVE),
        placeholder="drawn on the map",
        help="Places that everybody hides, such as clinics. Draw with the box on the maps.",
        **bind(SLOT, "sensitive", now, lambda s, v: with_tags(s, sensitive=_SENSITIVE[v])),
    )
    common.data(SLOT, sources.places())
    known = mechanisms_for(runs.setup(record.scenario).policy)
    common.method(SLOT, [entry.name for entry in known])
    common.estimate(SLOT)
