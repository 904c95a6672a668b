"""Runs that take longer than a slider may: a button starts them beside the page.

Room: compute. A family or estimator says from how many symbols in one block it is slow. Cancelling
gives the page back at once; a draw that cannot be interrupted ends unseen.
"""

from typing import Final

import streamlit as st

from caldp_core.estimation import ESTIMATORS
from caldp_core.mechanisms import FAMILIES
from caldp_core.scenario import Scenario
from caldp_core.types import Progress
from caldp_ui import compute, jobs
from caldp_ui.compute import Comparison

_HELD: Final = "slow-run"


def is_slow(scenario: Scenario) -> bool:
    """True if this scenario, or plain LDP on the same people, takes more than a second."""
    largest = compute.dataset(scenario).domain.k  # plain LDP has everything in one block
    slow_from = min(FAMILIES[scenario.family].slow_from, ESTIMATORS[scenario.estimator].slow_from)
    return largest >= slow_from


def comparison(scenario: Scenario) -> Comparison:
    """The comparison; while a slow one is not there yet, its button or progress, and no more."""
    if not is_slow(scenario):
        return compute.compare(scenario)
    name = compute.key(scenario)
    job = _job_of(name)
    found = job.result() if job is not None and job.done else None
    if found is None:
        if job is None or job.done:
            _offer(scenario, name)
        else:
            _watch()
        st.stop()
    return found


def _job_of(name: str) -> jobs.Job[Comparison] | None:
    """The run of the scenario of that name; one of another scenario is ended."""
    job: jobs.Job[Comparison] | None = st.session_state.get(_HELD)
    if job is not None and job.name != name:
        job.cancel()
        job = st.session_state[_HELD] = None
    return job


def _offer(scenario: Scenario, name: str) -> None:
    method = FAMILIES[scenario.family].title
    estimate = ESTIMATORS[scenario.estimator].title
    st.info(
        f"{method} with “{estimate}” takes some seconds for so many places.",
        icon=":material/hourglass:",
    )
    st.button("Run it", key="run-slow", type="primary", on_click=_start, args=(scenario, name))


def _start(scenario: Scenario, name: str) -> None:
    pair = compute.pair_of(scenario)

    def work(progress: Progress) -> Comparison:
        return compute.compare_setups(*pair, progress)

    st.session_state[_HELD] = jobs.launch(name, work)


@st.fragment(run_every=0.4)
def _watch() -> None:
    job: jobs.Job[Comparison] | None = st.session_state.get(_HELD)
    if job is None or job.done:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, text="Drawing reports and estimating …")
        st.button("Cancel", icon=":material/stop:", on_click=job.cancel, key="cancel-slow")
