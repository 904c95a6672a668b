"""Under the pictures: what is promised, the formula, numbers, and what can be taken along.

Room: yesno.
"""

from collections.abc import Callable
from typing import Final

import pandas as pd
import streamlit as st

from caldp_ui.app import addresses
from caldp_ui.parts import hand_on, numbers, promises
from caldp_ui.parts.record import Exhibit
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats, told_levels
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import ANSWERS
from caldp_ui.yesno import picture, words
from caldp_ui.yesno.shown import Coin, Shown
from caldp_ui.yesno.slot import SLOT, question

_FORMULA: Final = r"""
f = \Pr(\text{sends yes} \mid \text{no})
  = \frac{e^{\varepsilon_\text{no}} - 1}{e^{\varepsilon_\text{no}+\varepsilon_\text{yes}} - 1},
\qquad
g = \Pr(\text{sends no} \mid \text{yes})
  = \frac{e^{\varepsilon_\text{yes}} - 1}{e^{\varepsilon_\text{no}+\varepsilon_\text{yes}} - 1}
"""


def show(what: Shown) -> None:
    """The tabs, and the open one."""
    tabs(SLOT.key("tabs"), _TABS, what)


def _promise(what: Shown) -> None:
    told = told_levels.answers(question(what.ours.result.setup.scenario))
    st.markdown("\n".join(f"- {sentence}" for sentence in told))
    st.markdown(
        "It is each person's own coin that keeps this, from everybody who sees the report, the "
        "collector included. It covers one report: asked again, with a new coin, the ε's add up. "
        "Not hidden: that someone took part, and how many people have yes."
    )
    promises.audited(SLOT, what.ours.result.setup.scenario)
    terms("ε", "local differential privacy", "context-aware")


def _formula(what: Shown) -> None:
    no, yes = what.ours.says_yes
    st.latex(_FORMULA)
    st.markdown(
        f"Here f = {formats.share(no)} and g = {formats.share(1 - yes)}. Both ε's alike: Warner's "
        "coin. ε of no → ∞: g = 0 and f = e^−ε, Mangat's. The unbiased estimate takes the coin "
        f"back out: (share of “yes” reports − f) / (1 − f − g) = {what.ours.estimate:.4f}. No "
        "mechanism that keeps the two ε's is better for any purpose: each is this one with its "
        "reports blurred further (Acharya, Bonawitz, Kairouz, Ramage, Sun 2020, Theorem 2)."
    )


def _numbers(what: Shown) -> None:
    there = {"this protection": what.ours, "Warner's coin": what.warner}
    columns = {title: _column(coin) for title, coin in there.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    st.markdown("**The same as distances between shares**")
    numbers.table({title: coin.result for title, coin in there.items()}, None)


def _column(coin: Coin) -> dict[str, str]:
    policy = question(coin.result.setup.scenario)
    after = [
        "nobody sends it" if right is None else words.of_hundred(right)
        for right in coin.right_after
    ]
    return {
        "ε of yes": told_levels.level(policy.epsilon_10),
        "ε of no": told_levels.level(policy.epsilon_01),
        "with yes, send yes": words.of_hundred(coin.says_yes[1]),
        "with no, send yes": words.of_hundred(coin.says_yes[0]),
        "right after “yes”, from 50:50": after[1],
        "right after “no”, from 50:50": after[0],
        "unbiased estimate of yes": f"{100 * coin.estimate:.2f} %",
        "95 % range": f"{100 * coin.low:.2f} to {100 * coin.high:.2f} %",
        "standard error (exact)": f"{100 * coin.deviation:.2f} points",
    }


def _hand_on(what: Shown) -> None:
    left, right = st.columns(2, gap="large")
    query = SLOT.codec.write(SLOT.now())
    with left:
        hand_on.link(query)
    with right:
        shown = Exhibit(
            what.ours.result,
            words.headline(what),
            {"Shares of yes that the reports leave likely": picture.png(what)},
            addresses.here(query),
        )
        hand_on.record_page(SLOT, ANSWERS, shown)
        beside = {"warners-coin": what.warner.result.setup.scenario}
        hand_on.files(SLOT, what.ours.result, beside)
        hand_on.code(what.ours.result)


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What is promised": _promise,
    "The formula": _formula,
    "Numbers": _numbers,
    "Hand it on": _hand_on,
}
