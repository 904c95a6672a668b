"""Under the pictures: what is promised, the formula, numbers, and what can be exported."""

from collections.abc import Callable
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st

from caldp_ui.offline import offer
from caldp_ui.parts import numbers, pins, promises, sharing
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats, told_levels
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import ANSWERS
from caldp_ui.yesno import picture, take_home, words
from caldp_ui.yesno.pinned import BESIDE
from caldp_ui.yesno.shown import Shown
from caldp_ui.yesno.slot import SLOT, question

PLAIN: Final = "plain LDP (Warner's coin)"
_FORMULA: Final = r"""
f = \Pr(\text{sends yes} \mid \text{no})
  = \frac{e^{\varepsilon_\text{no}} - 1}{e^{\varepsilon_\text{no}+\varepsilon_\text{yes}} - 1},
\qquad
g = \Pr(\text{sends no} \mid \text{yes})
  = \frac{e^{\varepsilon_\text{yes}} - 1}{e^{\varepsilon_\text{no}+\varepsilon_\text{yes}} - 1}
"""


def show(what: Shown) -> None:
    """What is pinned, then the tabs, and the open one."""
    pins.show(SLOT, BESIDE, what)
    tabs(SLOT.key("tabs"), _TABS, what)


def _promise(what: Shown) -> None:
    told = told_levels.answers(question(what.ours.result.setup.scenario))
    st.markdown("\n".join(f"- {sentence}" for sentence in told))
    st.markdown(
        "Each person's own device adds this noise, so nobody who reads the report has to be "
        "trusted, not even the collector. It covers one report: asked again with new noise, the "
        "ε's add up. A report shows that someone took part, and all reports show how many people "
        "have yes."
    )
    promises.audited(SLOT, what.ours.result.setup.scenario)
    terms("ε", "local differential privacy", "context-aware")


def _formula(what: Shown) -> None:
    no, yes = what.ours.says_yes
    st.latex(_FORMULA)
    st.markdown(
        f"Here f = {formats.share(no)} and g = {formats.share(1 - yes)}. With both ε's alike this "
        "is Warner's coin. With ε of no = ∞ it is Mangat's: g = 0 and f = e^−ε. The unbiased "
        "estimate removes the noise: (share of “yes” reports − f) / (1 − f − g) = "
        f"{what.ours.estimate:.4f}. No method with these two ε's is better for any purpose: each "
        "is this one with its reports blurred further (Acharya, Bonawitz, Kairouz, Ramage, Sun "
        "2020, Theorem 2)."
    )


def _numbers(what: Shown) -> None:
    there = {"this protection": what.ours, PLAIN: what.warner}
    columns = {title: words.column(coin) for title, coin in there.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    st.markdown("**Errors of both estimates**")
    numbers.table({title: coin.result for title, coin in there.items()}, None)


def _sharing(what: Shown) -> None:
    png = picture.png(what)
    pictures = {"True shares of yes that the reports leave likely": png}
    shown = Exhibit(what.ours.result, words.in_one_line(what), pictures)
    save = partial(sharing.file, SLOT.key("png"), "picture.png", png)
    beside = {"warners-coin": what.warner.result.setup.scenario}
    sharing.section(SLOT, ANSWERS, shown, beside, save)
    offer.page(SLOT, take_home.part)


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What is promised": _promise,
    "The formula": _formula,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
