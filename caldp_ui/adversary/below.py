"""Under the maps: the promise, day by day, two candidates, numbers, and exports.

Exports: the attacker's beliefs day by day, and Python that computes them again.
"""

from collections.abc import Callable
from typing import Final

import pandas as pd
import streamlit as st

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.adversary import candidates, figures, take_home, words
from caldp_ui.adversary.beliefs import Attacker, BeliefData, likely_area
from caldp_ui.adversary.page_state import DAYS_MAX, STATE
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import exports
from caldp_ui.offline import offer
from caldp_ui.parts import promises, sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.words import formats
from caldp_ui.words.glossary import terms
from caldp_ui.words.vocabulary import PLACES

_SNIPPET: Final = """import numpy as np

from caldp_core import Scenario, prepare
from caldp_core.audit.inference import posterior_after_reports

scenario = {scenario}
place, days = {place}, {days}
setup = prepare(scenario)
mechanism, p = setup.mechanism, setup.dataset.distribution
belief = (1 - 1e-3) * p + 1e-3 / p.size
print(0, belief[place])
coins = np.random.SeedSequence((scenario.seed, place)).spawn(days)
for day, seed in enumerate(coins, start=1):
    report = mechanism.privatize(np.array([place]), np.random.default_rng(seed))
    belief = posterior_after_reports(mechanism, belief, [mechanism.tally(report)])
    print(day, belief[place])
"""


def csv_of(data: BeliefData) -> bytes:
    """One row a day with a fresh report: chances of the true place, in [0, 1]."""
    rows = [
        {
            "reports": day,
            "this protection": data.ours.chance_of_truth(day),
            "plain LDP": data.plain.chance_of_truth(day),
            "at most, by the promise": data.ours.limits[day],
        }
        for day in range(len(data.ours.beliefs))
    ]
    return exports.csv(rows)


def snippet(data: BeliefData) -> str:
    """Python that prints the chances of the true place under this protection, day by day."""
    return _SNIPPET.format(
        scenario=exports.literal(data.ours.setup.scenario), place=data.record.place, days=DAYS_MAX
    )


def show(data: BeliefData) -> None:
    """Draw the tabs and the content of the open one."""
    tabs(STATE.key("tabs"), _TABS, data)


def _days(data: BeliefData) -> None:
    st.markdown(words.REPEATS)
    show_chart(figures.limits(data, palette()), STATE.key("days-chart"), words.alt_limits(data))
    st.caption(
        "The solid line is one person and one draw of noise. The limits hold for every draw and "
        "every method that keeps ε: CALDP Proposition 3 for each pair of places, summed."
    )


def _promise(data: BeliefData) -> None:
    promises.shield(PLACES, data.ours.setup)
    promises.not_promised(PLACES, data.ours.setup)
    st.markdown(words.prior_text(data))
    terms("ε", "block")


def _numbers(data: BeliefData) -> None:
    attackers = {"plain LDP": data.plain, "this protection": data.ours}
    columns = {title: attacker_numbers(attacker, data) for title, attacker in attackers.items()}
    st.table(pd.DataFrame(columns).rename_axis("number"))
    if data.pair is not None:
        test = candidates.error_lines(data.ours, data.pair.rival)
        st.markdown(
            "Between the two candidates, the best guess from one report is right "
            f"**{formats.hundred(test.right)}** times in 100, on average over all "
            "reports that could be sent (exact, from the channel)."
        )


def attacker_numbers(attacker: Attacker, data: BeliefData) -> dict[str, str]:
    """Rows of the table of numbers for one attacker."""
    days, setup = data.record.days, attacker.setup
    beliefs = attacker.beliefs[days]
    return {
        "chance of the true place, before any report": formats.share(attacker.chance_of_truth(0)),
        "after a fresh report every day": formats.share(attacker.chance_of_truth(days)),
        "at most, by ε": formats.share(attacker.limits[days]),
        "after one stored report": formats.share(attacker.chance_of_truth(min(days, 1))),
        "at most then, by ε": formats.share(attacker.limits[min(days, 1)]),
        "chance of the best guess": formats.share(float(beliefs.max())),
        "places in the 95 % likely area": formats.integer(likely_area(beliefs).size),
        "method": MECHANISMS[setup.mechanism_name].title,
    }


def _sharing(data: BeliefData) -> None:
    exported: dict[str, sharing.File] = {
        "days.csv": csv_of(data),
        "scenario.json": exports.scenario_json(data.ours.setup.scenario),
        f"{sharing.PLAIN}.json": exports.scenario_json(data.plain.setup.scenario),
    }
    sharing.export_digits(
        STATE,
        "day by day, with a fresh report each",
        exported,
        snippet(data),
        data.record.scenario,
    )
    offer.offer_page(STATE, take_home.one_person)


_TABS: Final[dict[str, Callable[[BeliefData], None]]] = {
    "What is promised": _promise,  # as on all pages; the chart takes longer than the maps
    "Day by day": _days,
    "Two candidates": candidates.show,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
