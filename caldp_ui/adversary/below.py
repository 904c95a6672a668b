"""Under the maps: what is promised, day by day, numbers, and the link.

Room: adversary.
"""

from collections.abc import Callable
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.adversary import candidates, figures, files, words
from caldp_ui.adversary.beliefs import Onlooker, Shown, region
from caldp_ui.adversary.slot import SLOT
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import exports
from caldp_ui.parts import hand_on, promises
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import PLACES


def show(what: Shown) -> None:
    """The tabs, and the open one."""
    tabs(SLOT.key("tabs"), _TABS, what)


def _days(what: Shown) -> None:
    st.markdown(words.REPEATS)
    alt = words.alt_days(what.ours, what.plain)
    show_chart(figures.days(what, palette()), SLOT.key("days-chart"), alt)
    st.caption(
        "One person and one draw of coins. The dotted lines hold for every draw and "
        "every mechanism of this promise: Proposition 3 for each pair of places, summed."
    )


def _promise(what: Shown) -> None:
    promises.shield(PLACES, what.ours.setup)
    promises.not_promised(PLACES, what.ours.setup)
    st.markdown(
        "**What the onlooker knows before**: how many people are where, and nothing of this one. "
        "A thousandth of that is spread over all places, as nobody rules a place out. Whoever "
        "knows more begins elsewhere, but no report shifts their odds by more than the promise."
    )
    terms("ε", "block")


def _numbers(what: Shown) -> None:
    there = {"plain LDP": what.plain, "this protection": what.ours}
    columns = {title: column(onlooker, what) for title, onlooker in there.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    if what.pair is not None:
        test = candidates.lines_of(what.ours, what.pair.rival)
        st.markdown(
            f"Between the two candidates, the best guess from one report is right "
            f"**{formats.hundred(test.right)}** of 100 times on average over all "
            "reports that could be sent (exact, from the channel)."
        )


def column(onlooker: Onlooker, what: Shown) -> dict[str, str]:
    """The numbers of one onlooker."""
    days, setup = what.record.days, onlooker.setup
    beliefs = onlooker.after[days]
    return {
        "put on the true place, before": formats.share(onlooker.on_truth(0)),
        "after a new report every day": formats.share(onlooker.on_truth(days)),
        "the most that the promise allows": formats.share(onlooker.most[days]),
        "after a report that is kept": formats.share(onlooker.on_truth(min(days, 1))),
        "the most that the promise allows then": formats.share(onlooker.most[min(days, 1)]),
        "put on the best guess": formats.share(float(beliefs.max())),
        "places that make the onlooker 95 % sure": formats.exactly(region(beliefs).size),
        "method": MECHANISMS[setup.mechanism_name].title,
    }


def _hand_on(what: Shown) -> None:
    made: dict[str, hand_on.File] = {
        "days.csv": files.csv_of(what),
        "scenario.json": exports.scenario_json(what.ours.setup.scenario),
        f"{hand_on.PLAIN}.json": exports.scenario_json(what.plain.setup.scenario),
    }
    hand_on.digits(SLOT, "day by day, with a new report each", made, files.snippet(what))


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "What is promised": _promise,  # as on all pages; the chart takes longer than the maps
    "Day by day": _days,
    "Two candidates": candidates.show,
    "Numbers": _numbers,
    "Hand it on": _hand_on,
}
