"""Two candidates: the errors that a test of them can have, claimed and reached; then anybody.

Exact, from the channel; cached for all visits.
"""

from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from caldp_core.audit.adversary import claimed_region, reached_region
from caldp_core.audit.inference import BestGuess, best_guess
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary import figures, words
from caldp_ui.adversary.beliefs import Attacker, BeliefData
from caldp_ui.adversary.page_state import LIKELIEST, STATE
from caldp_ui.app.theme import palette
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import plain_ldp, runs
from caldp_ui.maps.scene import cities
from caldp_ui.parts import icons
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import strength
from caldp_ui.words.towns import place_name
from caldp_ui.words.vocabulary import PLACES

EPSILON_MAX: Final = 3.0
"""Largest ε at which the best guess of anybody's place is computed within a second."""


@dataclass(frozen=True, eq=False)
class ErrorLines:
    """A test of the true place against another one by one report.

    `claimed`: (3, 2) and `reached`: (v, 2) corners (P_FA, P_MD) of the least errors that the policy
    allows, and that this channel has.
    """

    claimed: Floats
    reached: Floats

    @property
    def most(self) -> float:
        """Largest chance of a right guess from 50:50 that the policy allows, in [0.5, 1]."""
        return _right(self.claimed)

    @property
    def right(self) -> float:
        """Chance that the best guess from 50:50 is right with this channel, in [0.5, 1]."""
        return _right(self.reached)


def _right(line: Floats) -> float:
    return 1.0 - float(line.sum(axis=1).min()) / 2.0


def _key_without_seed(scenario: Scenario) -> str:
    return runs.key(replace(scenario, seed=0))


@cached_by(lambda ours, other: (_key_without_seed(ours.setup.scenario), ours.place, other))
def error_lines(ours: Attacker, other: int) -> ErrorLines:
    """Compute the test of the attacker's true place against the symbol `other`."""
    setup, x = ours.setup, ours.place
    return ErrorLines(
        claimed_region(setup.policy, x, other), reached_region(setup.mechanism, x, other)
    )


def guess_anyone(scenario: Scenario) -> BestGuess | None:
    """The best guess of anybody's place from one report; None where that takes long or is unknown.

    The prior is how many people are where.
    """
    if promise.largest_epsilon(scenario) > EPSILON_MAX:
        return None
    return _guess_anyone(scenario)


@cached_by(_key_without_seed)
def _guess_anyone(scenario: Scenario) -> BestGuess | None:
    setup = runs.setup(scenario)
    try:
        return best_guess(setup.mechanism, setup.dataset.distribution)
    except CaldpError:
        return None


def show(data: BeliefData) -> None:
    """Draw the tab “Two candidates”."""
    domain = runs.map_of(data.ours.setup.dataset)
    other = other_candidate(data)
    _choice(data, domain, other)
    if data.pair is not None:
        st.markdown(words.candidates(domain, data, data.pair))
    if other is None:
        st.markdown(words.no_pair(domain, data.record.place))
    else:
        _pair(data, domain, other)
    st.markdown("**Guessing anybody's place**")
    scenario = data.record.scenario
    plain = guess_anyone(plain_ldp.best_plain_ldp(scenario))
    block = promise.block_name(PLACES, scenario)
    st.markdown(words.guess_sentence(guess_anyone(scenario), plain, block))


def other_candidate(data: BeliefData) -> int | None:
    """The place to test the true one against: the chosen, or the likeliest it hides among."""
    record = data.record
    if record.other not in (LIKELIEST, record.place):
        return record.other
    return data.pair.rival if data.pair else None


def _choice(data: BeliefData, domain: GridDomain, other: int | None) -> None:
    also = () if other is None else (other,)
    places = [cell for cell in cities(domain, *also) if cell != data.record.place]
    st.selectbox(
        "The other candidate",
        places,
        format_func=lambda cell: place_name(domain, cell),
        width=320,
        help="At first the likeliest other place that the true one hides among.",
        **STATE.bind("other", other, lambda r, v: replace(r, other=int(v))),
    )


def _pair(data: BeliefData, domain: GridDomain, other: int) -> None:
    test = error_lines(data.ours, other)
    here, there = (
        place_name(domain, place).partition(",")[0] for place in (data.record.place, other)
    )
    chart, people = st.columns([1.2, 1], gap="large")
    with chart:
        st.markdown(f"**One report: was it sent from {here} or {there}?**")
        alt = words.alt_regions(test.right, test.most, here, there)
        chart_figure = figures.regions(test.claimed, test.reached, (here, there), palette())
        show_chart(chart_figure, STATE.key("regions"), alt)
    with people:
        st.html("".join(_guesses(test, here, there)))
        st.caption(words.REGIONS)


def _guesses(test: ErrorLines, here: str, there: str) -> list[str]:
    cases = {
        "without a report": 0.5,
        "from one report of this method": test.right,
        "at most, by ε": test.most,
    }
    rows = []
    for when, share in cases.items():
        number = formats.hundred(share)
        title = f"100 small figures, {number} of them filled: guessed right {when}."
        rows.append(
            f'<div class="odds {strength(share).word}">'
            f"{icons.people_array(round(100 * share), title)}"
            f"<p><strong>{number} of 100</strong> people, equally likely in <em>{here}</em> or "
            f"<em>{there}</em>, are guessed right {when}</p></div>"
        )
    return rows
