"""Tabs under the pictures: what is promised, the formula, numbers, share and export.

The page as one file: one person, one attacker and all reports, along its four sliders.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_ui.offline import boards, offer
from caldp_ui.offline.records import Part
from caldp_ui.parts import numbers, pins, promises, sharing
from caldp_ui.parts.record import ReportContent
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats, promise_levels
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import ANSWERS
from caldp_ui.yesno import films, picture, words
from caldp_ui.yesno.page_state import STATE, YesNoData, YesNoState, yes_no_policy
from caldp_ui.yesno.pin_view import PIN_VIEW
from caldp_ui.yesno.side import SLIDERS

_TITLES = ("ε of yes", "ε of no", "People", "Truly yes")


def part(record: YesNoState) -> Part:
    """The page at `record` as a part of a file."""
    return boards.part(
        "yesno",
        "Yes or no",
        "One question, with yes and no protected differently. Move one slider at a time.",
        films.page(None),
        record,
        sliders=dict(zip(_TITLES, SLIDERS, strict=True)),
    )


PLAIN: Final = "plain LDP (Warner's coin)"
_FORMULA: Final = r"""
f = \Pr(\text{sends yes} \mid \text{no})
  = \frac{e^{\varepsilon_\text{no}} - 1}{e^{\varepsilon_\text{no}+\varepsilon_\text{yes}} - 1},
\qquad
g = \Pr(\text{sends no} \mid \text{yes})
  = \frac{e^{\varepsilon_\text{yes}} - 1}{e^{\varepsilon_\text{no}+\varepsilon_\text{yes}} - 1}
"""


def show(data: YesNoData) -> None:
    """Show what is pinned, then the tabs and the content of the open one."""
    pins.show(STATE, PIN_VIEW, data)
    tabs(STATE.key("tabs"), _TABS, data)


def _promise(data: YesNoData) -> None:
    promises.bullets(promise_levels.answers(yes_no_policy(data.ours.result.setup.scenario)))
    st.markdown(
        "Each person's own device adds this noise, so nobody who reads the report has to be "
        "trusted, not even the collector. It covers one report: asked again with new noise, the "
        "ε's add up. A report shows that someone took part, and all reports show how many people "
        "have yes."
    )
    promises.audit_section(STATE, data.ours.result.setup.scenario)
    terms("ε", "local differential privacy", "context-aware")


def _formula(data: YesNoData) -> None:
    no, yes = data.ours.yes_probabilities
    st.latex(_FORMULA)
    st.markdown(
        f"Here f = {formats.share(no)} and g = {formats.share(1 - yes)}. With both ε's alike this "
        "is Warner's coin. With ε of no = ∞ it is Mangat's: g = 0 and f = e^−ε. The unbiased "
        "estimate removes the noise: (share of “yes” reports − f) / (1 − f − g) = "
        f"{data.ours.result.first.unbiased[1]:.4f}. No method with these two ε's is better for any "
        "purpose: each is this one with its reports blurred further (Acharya, Bonawitz, Kairouz, "
        "Ramage, Sun 2020, Theorem 2)."
    )


def _numbers(data: YesNoData) -> None:
    coins = {"this protection": data.ours, PLAIN: data.warner}
    columns = {title: words.coin_numbers(coin) for title, coin in coins.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    st.markdown("**Errors of both estimates**")
    numbers.table({title: coin.result for title, coin in coins.items()}, None)


def _sharing(data: YesNoData) -> None:
    png = picture.png(data)
    pictures = {"95 % ranges of the share of yes": png}
    report = ReportContent(data.ours.result, words.one_line_summary(data), pictures)
    save = partial(sharing.file_button, STATE.key("png"), "picture.png", png)
    others = {"warners-coin": data.warner.result.setup.scenario}
    sharing.section(STATE, ANSWERS, report, others, save)
    offer.offer_page(STATE, part)


_TABS: Final[dict[str, Callable[[YesNoData], None]]] = {
    "What is promised": _promise,
    "The formula": _formula,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
