"""Beside the maps: ε and people, the odds, who is at their own place, and the collector's guess.

Room: personal.
"""

from typing import Final

import streamlit as st

from caldp_core.audit.adversary import guessed_right
from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.scenarios.policies import BACKGROUNDS
from caldp_core.scenarios.protection import SensitiveAreas, SensitiveInhabited, SensitiveSpec
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs, sources
from caldp_ui.controls import common, presets
from caldp_ui.parts import icons, pins
from caldp_ui.personal import words
from caldp_ui.personal.presets import PRESETS
from caldp_ui.personal.shown import Shown
from caldp_ui.personal.slot import SLOT, Personal, with_tags
from caldp_ui.session.scenarios import bind
from caldp_ui.words import formats, promise
from caldp_ui.words.glossary import DEFINITIONS
from caldp_ui.words.strength import strength

_SENSITIVE: Final[dict[str, SensitiveSpec]] = {
    "no place": SensitiveAreas(()),
    "in and near New York": SensitiveAreas(("+40.2,41.4,-74.8,-73.2",)),
    "thinly settled places": SensitiveInhabited(),
}
_STEP: Final = 10
"""Percent points between the shares of a tag that can be chosen."""


def show(what: Shown) -> None:
    """All of it."""
    dials(what.record, what.setup.dataset.n)
    odds(what)
    controls(what)


def dials(record: Personal, in_data: int | None) -> None:
    """The two that matter most; on a phone they stay on screen."""
    with st.container(key=SLOT.key("dials")):
        epsilon = record.policy.epsilon
        st.select_slider(
            "Privacy level ε",
            sorted({*common.EPSILONS, epsilon}),
            format_func=lambda e: f"{e:g}",
            help=f"{DEFINITIONS['ε']} {promise.examples()}",
            **bind(SLOT, "epsilon", epsilon, lambda s, v: with_tags(s, epsilon=float(v))),
        )
        common.people(SLOT, in_data)


ODDS: Final = f".st-key-{SLOT.key('odds')} .odds"
"""Where the odds are on the page, as a CSS selector: films change them, too."""


def odds(what: Shown) -> None:
    """100 people for whom it was 50:50 whether they are at home."""
    with st.container(key=SLOT.key("odds")):
        st.html(odds_html(what.record))


def odds_html(record: Personal) -> str:
    """The same as HTML, for films."""
    share = guessed_right(record.policy.epsilon)
    best = formats.hundred(share)
    title = f"100 small figures, {best} of them filled: at home."
    return (
        f'<div class="odds {strength(share).word}">'
        f"{icons.people_array(round(100 * share), title)}"
        f"<p><strong>{best} of 100</strong> at most are at home, of those for whom it was "
        "50:50 and who sent the same report</p></div>"
    )


def controls(what: Shown) -> None:
    """The guess, the ready stories, who is where, another outcome, and the rest."""
    record = what.record
    _background(record)
    presets.picker(SLOT, PRESETS)
    with st.container(horizontal=True, gap="small"):
        for number, share in enumerate(record.policy.shares):
            _share(record, number, share)
    pins.again(SLOT, "The same people and promise; other coins.")
    common.folded(SLOT, "Sensitive for all, data, method", lambda: _more(record))


def _background(record: Personal) -> None:
    now = record.policy.background
    st.selectbox(
        "The collector takes own places to be …",
        list(BACKGROUNDS),
        format_func=words.background,
        help="A report never says where a home is. To draw a map of everybody, the collector "
        "spreads the people at home over the places where it takes homes to be.",
        **bind(SLOT, "background", now, lambda s, v: with_tags(s, background=v)),
    )


def _share(record: Personal, number: int, share: float) -> None:
    """How many are at their own place of a tag; with the others at most everybody."""
    others = sum(record.policy.shares) - share
    most = int(100 * (1 - others) + 1e-9)
    percent = round(100 * share, 6)
    st.selectbox(
        f"Of 100, at {words.tag(number)}",
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
        help="Places that everybody hides, such as clinics. Draw with the tool Box on the maps.",
        **bind(SLOT, "sensitive", now, lambda s, v: with_tags(s, sensitive=_SENSITIVE[v])),
    )
    common.data(SLOT, sources.places())
    known = mechanisms_for(runs.setup(record.scenario).policy)
    common.method(SLOT, [entry.name for entry in known])
    common.estimate(SLOT)
