"""The page: three panels with arrows, its controls, and the tabs below.

One person sends, an attacker reads one report, the server reads all. Each panel has its picture,
and its own controls at its foot.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_ui.app.navigation import ADVERSARY
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts import show as drawing
from caldp_ui.controls import choices, common
from caldp_ui.parts import comparison, layout, pins, sharing
from caldp_ui.shell.page import PinPage, View
from caldp_ui.words import formats, policies
from caldp_ui.words.accuracy import terms
from caldp_ui.yesno import page_state, view
from caldp_ui.yesno import page_state as state

TEXTS: Final = read_texts(__file__)

_LEVELS: Final = (*common.EPSILONS, math.inf)
_PEOPLE: Final = (100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000, 10**9)
_SHARES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


_EPSILON_YES: Final = common.field_slider("scenario.policy.epsilon_10", _LEVELS, policies.level)
_EPSILON_NO: Final = common.field_slider("scenario.policy.epsilon_01", _LEVELS, policies.level)
_PEOPLE_SLIDER: Final[common.Slider[state.YesNoState]] = common.Slider(
    "people",
    lambda record: record.scenario.n or _PEOPLE[0],
    lambda record, n: state.YesNoState(replace(record.scenario, n=int(n))),
    _PEOPLE,
    formats.people,
)
_SHARE_SLIDER: Final = common.field_slider(
    "scenario.dataset.yes", _SHARES, lambda share: f"{100 * share:.3g} %", "share"
)
SLIDERS: Final = {
    "ε of yes": _EPSILON_YES,
    "ε of no": _EPSILON_NO,
    "People": _PEOPLE_SLIDER,
    "Truly yes": _SHARE_SLIDER,
}


def _level_buttons() -> None:
    """Show the buttons for one ε for both answers, and for undo."""
    policy = state.yes_no_policy(state.STATE.current().scenario)
    with st.container(horizontal=True, gap="xsmall"):
        state.STATE.button(
            "equal",
            "One ε for both (Warner)",
            state.STATE.change,
            _with_smaller_epsilon,
            icon="link",
            disabled=policy.epsilon_01 == policy.epsilon_10,
            help="Protects both answers with the smaller of the two ε's.",
        )
        common.button(state.STATE)


def _with_smaller_epsilon(record: state.YesNoState) -> state.YesNoState:
    policy = state.yes_no_policy(record.scenario)
    least = min(policy.epsilon_01, policy.epsilon_10)
    return state.YesNoState(state.with_levels(record.scenario, epsilon_01=least, epsilon_10=least))


def _panels(shown: View, data: state.YesNoData, pinned: state.YesNoData | None) -> None:
    """Show the three panels; `pinned` is drawn in the plane, too."""
    with st.container(key=state.STATE.key("steps")):
        with st.container(key=state.STATE.key("sends")):
            st.html(view.title_html(1, "One person sends a noisy answer"))
            st.html(shown.texts[view.SENDER])
            with st.container(key=state.STATE.key("dials"), horizontal=True):
                common.show(
                    state.STATE, _EPSILON_YES, "ε of yes", TEXTS["level_help"].format(answer="yes")
                )
                common.show(
                    state.STATE, _EPSILON_NO, "ε of no", TEXTS["level_help"].format(answer="no")
                )
            _level_buttons()
        with st.container(key=state.STATE.key("reads")):
            st.html(view.title_html(2, "An attacker reads one report"))
            st.html(shown.texts[view.READER])
            with st.container(key=state.STATE.key("adds-up")):
                st.markdown("Asked again with new noise, the odds add up.")
                st.page_link(ADVERSARY, label="What an attacker learns")
                comparison.safety_button(state.STATE, formats.ANSWERS, data.ours.result.setup)
            _show_plane(data, pinned)
        with st.container(key=state.STATE.key("many")):
            st.html(shown.texts[view.SERVER])
            with st.container(key=state.STATE.key("likely")):
                drawing.show_drawing(shown.pictures[view.LIKELY], view.LIKELY, None)
            with st.container(key=state.STATE.key("crowd"), horizontal=True):
                common.show(state.STATE, _PEOPLE_SLIDER, "People")
                common.show(state.STATE, _SHARE_SLIDER, "Truly yes", TEXTS["share_help"])
            same = "The same protection, with other people and new noise."
            pins.redraw_and_pin(state.STATE, page_state.title, same)


def _show_plane(data: state.YesNoData, pinned: state.YesNoData | None) -> None:
    """Show the plane of both errors in a popover; it is drawn only while that is open."""

    def plane() -> None:
        alt = view.alt_plane(data, pinned)
        with st.container(key=state.STATE.key("plane")):
            st.markdown("**Two errors of an attacker** who takes each report at its word")
            svg = view.plane_svg(data, pinned, palette(), alt)
            drawing.show_drawing(svg, state.STATE.key("plane-drawing"), view.HEIGHT)

    label, icon = "Both errors on one plane", ":material/show_chart:"
    choices.fold(st.popover, label, state.STATE.key("errors"), plane, icon=icon)


PLAIN: Final = "plain LDP (Warner's coin)"


def _promise(data: state.YesNoData) -> None:
    comparison.bullets(policies.answers(state.yes_no_policy(data.ours.result.setup.scenario)))
    st.markdown(TEXTS["promise_notes"])
    comparison.audit_section(state.STATE, data.ours.result.setup.scenario)
    terms("ε", "local differential privacy", "context-aware")


def _formula(data: state.YesNoData) -> None:
    no, yes = data.ours.yes_probabilities
    st.latex(TEXTS["formula"])
    st.markdown(
        TEXTS["formula_notes"].format(
            no=formats.share(no),
            yes=formats.share(1 - yes),
            estimate=data.ours.result.first.unbiased[1],
        )
    )


def _numbers(data: state.YesNoData) -> None:
    coins = {"this protection": data.ours, PLAIN: data.warner}
    columns = {title: view.coin_numbers(coin) for title, coin in coins.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    st.markdown("**Errors of both estimates**")
    pins.table({title: coin.result for title, coin in coins.items()})


def _sharing(data: state.YesNoData) -> None:
    png = view.png(data)
    pictures = {"95 % ranges of the share of yes": png}
    report = sharing.ReportContent(data.ours.result, view.headline(data).whole, pictures)
    save = partial(sharing.file_button, state.STATE.key("png"), "picture.png", png)
    others = {"warners-coin": data.warner.result.setup.scenario}
    sharing.section(state.STATE, formats.ANSWERS, report, others, save)
    PAGE.offer()


_TABS: Final[dict[str, Callable[[state.YesNoData], None]]] = {
    "What is promised": _promise,
    "The formula": _formula,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def _pinned_numbers(data: state.YesNoData) -> dict[str, str]:
    return {
        **view.coin_numbers(data.ours),
        "truth": f"{100 * data.truth:.3g} %",
        **pins.result_numbers(formats.ANSWERS, data.ours.result),
    }


PAGE: Final = PinPage(
    state=state.STATE,
    load=lambda record: page_state.load_data(record.scenario),
    view=view.view,
    sliders=lambda record: SLIDERS,  # noqa: ARG005
    pin_title=page_state.title,
    describe=lambda data: view.headline(data).whole,
    numbers=_pinned_numbers,
    images=lambda data: {"picture": view.png(data)},
)


def show(record: state.YesNoState) -> None:
    """Show the page at a record."""
    headline_area, switch = layout.title_row(state.STATE)
    with switch:
        question = choices.matching_preset(state.PRESETS, record.scenario)
        sentence = question.sentence if question else None
        choices.menu(state.STATE, state.PRESETS, label_visibility="visible", help=sentence)
    data, pinned = PAGE.load(record), PAGE.pinned_data()
    shown = PAGE.view(data, pinned, palette())
    with headline_area:
        layout.show_headline(shown.headline)
    _panels(shown, data, pinned)
    PAGE.show_pins(data)
    layout.tabs(state.STATE.key("tabs"), _TABS, data)
    comparison.drawer("yesno")
    PAGE.follow(record, state.STATE.pinned)
