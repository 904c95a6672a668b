"""Runs that take longer than a slider may: a button starts them beside the page.

Room: parts. A family or estimator says from how many symbols in one block it is slow; a family,
how many people's reports it can draw. A cancel gives the page back at once; a draw that cannot be
interrupted ends unseen. What is promised is shown without a run.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms import FAMILIES
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs as compute
from caldp_ui.compute.runs import Comparison
from caldp_ui.parts import readout
from caldp_ui.session import jobs
from caldp_ui.session.scenarios import S, steer
from caldp_ui.session.slot import Slot
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import Vocabulary


def is_slow(scenario: Scenario) -> bool:
    """True if this scenario, or plain LDP on the same people, takes more than a second."""
    largest = compute.dataset(scenario).domain.k  # plain LDP has everything in one block
    slow_from = min(FAMILIES[scenario.family].slow_from, ESTIMATORS[scenario.estimator].slow_from)
    return largest >= slow_from


def most_people(scenario: Scenario) -> int:
    """The most people whose reports can be drawn, for this protection and for plain LDP."""
    return min(setup.mechanism.oracles.n_max for setup in compute.pair_of(scenario))


def comparison(slot: Slot[S], nouns: Vocabulary) -> Comparison:
    """The comparison; where it is not there yet, how to get it and what is promised, no more."""
    scenario = slot.now().scenario
    most = most_people(scenario)
    if compute.setup(scenario).n > most:
        _too_many(slot, most)
        _end_with_promise(nouns, scenario)
    if not is_slow(scenario):
        return compute.compare(scenario)
    found = jobs.offered(
        slot.key("slow"), compute.key(scenario), _work(scenario), _offer(scenario), told
    )
    if found is None:
        _end_with_promise(nouns, scenario)
    return found


def _end_with_promise(nouns: Vocabulary, scenario: Scenario) -> NoReturn:
    setup = compute.setup(scenario)
    readout.shield(nouns, setup)
    readout.promise(nouns, setup)
    st.stop()


def _too_many(slot: Slot[S], most: int) -> None:
    scenario = slot.now().scenario
    st.error(
        f"{FAMILIES[scenario.family].title} cannot be run here for "
        f"{formats.exactly(compute.setup(scenario).n)} people: with so many places every report "
        f"is drawn by itself, for at most {formats.exactly(most)} people (plain LDP runs beside "
        "it, on the same people). Take fewer people or another method.",
        icon=":material/error:",
    )
    fewer = 10 ** (len(str(most)) - 1)  # the slider's steps are powers of ten
    st.button(
        f"Use {formats.exactly(fewer)} people",
        key=slot.key("fewer-people"),
        type="primary",
        on_click=lambda: steer(slot, lambda s: replace(s, n=fewer)),
    )


def _offer(scenario: Scenario) -> jobs.Offer:
    method = FAMILIES[scenario.family].title
    estimate = ESTIMATORS[scenario.estimator].title
    return jobs.Offer(
        "Run it",
        ":material/hourglass:",
        f"{method} with “{estimate}” takes longer for so many places: from a few seconds to a "
        "minute or more, mostly for plain LDP, which hides everybody among all of them.",
        "primary",
    )


def _work(scenario: Scenario) -> Callable[[Progress], Comparison]:
    pair = compute.pair_of(scenario)

    def work(progress: Progress) -> Comparison:
        return compute.compare_setups(*pair, progress)

    return work


def told(job: jobs.Job[Comparison]) -> str:
    """What a run is at, and for how long: a single draw has no share to tell."""
    if job.is_waiting:
        return "Waiting for other runs on this server to end …"
    step = "1 of 2: this protection" if job.share < 0.5 else "2 of 2: plain LDP, same people"
    return f"{step} · {job.seconds:.0f} s so far"
