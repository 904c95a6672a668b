"""Runs that take longer than a slider may: a button starts them beside the page.

Room: compute. A family or estimator says from how many symbols in one block it is slow; a family,
how many people's reports it can draw. A cancel gives the page back at once; a draw that cannot be
interrupted ends unseen. What is promised is shown without a run.
"""

from dataclasses import replace
from typing import Final, NoReturn

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.offers import cover_of, people_max
from caldp_core.scenarios.scenario import Scenario
from caldp_ui import compute, formats, jobs, readout, state
from caldp_ui.compute import Comparison

_HELD: Final = "slow-run"


def is_slow(scenario: Scenario) -> bool:
    """True if this scenario, or plain LDP on the same people, takes more than a second."""
    estimate = ESTIMATORS[scenario.estimator].slow_from
    return any(
        int(cover_of(setup.mechanism).sizes.max(initial=0))
        >= min(MECHANISMS[setup.mechanism_name].slow_from, estimate)
        for setup in compute.pair_of(scenario)
    )


def most_people(scenario: Scenario) -> int:
    """The most people whose reports can be drawn, for this protection and for plain LDP."""
    return min(people_max(setup.mechanism) for setup in compute.pair_of(scenario))


def comparison(scenario: Scenario) -> Comparison:
    """The comparison; where it is not there yet, how to get it and what is promised, no more."""
    most = most_people(scenario)
    if compute.setup(scenario).n > most:
        _too_many(scenario, most)
        _end_with_promise(scenario)
    if not is_slow(scenario):
        return compute.compare(scenario)
    name = compute.key(scenario)
    job = _job_of(name)
    if job is not None and not job.done:
        _watch()
        _end_with_promise(scenario)
    found = None if job is None else job.result()
    if found is None:
        _offer(scenario, name)
        _end_with_promise(scenario)
    return found


def _end_with_promise(scenario: Scenario) -> NoReturn:
    setup = compute.setup(scenario)
    readout.shield(setup)
    readout.promise(setup)
    st.stop()


def _job_of(name: str) -> jobs.Job[Comparison] | None:
    """The run of the scenario of that name; one of another scenario is ended."""
    job: jobs.Job[Comparison] | None = st.session_state.get(_HELD)
    if job is not None and job.name != name:
        job.cancel()
        job = st.session_state[_HELD] = None
    return job


def _too_many(scenario: Scenario, most: int) -> None:
    st.error(
        f"{_title(scenario)} cannot be run here for "
        f"{formats.exactly(compute.setup(scenario).n)} people: with so many places every report "
        f"is drawn by itself, for at most {formats.exactly(most)} people (plain LDP runs beside "
        "it, on the same people). Take fewer people or another method.",
        icon=":material/error:",
    )
    fewer = 10 ** (len(str(most)) - 1)  # the slider's steps are powers of ten
    st.button(
        f"Use {formats.exactly(fewer)} people",
        key="fewer-people",
        type="primary",
        on_click=lambda: state.change(lambda s: replace(s, n=fewer)),
    )


def _title(scenario: Scenario) -> str:
    return MECHANISMS[compute.setup(scenario).mechanism_name].title


def _offer(scenario: Scenario, name: str) -> None:
    method = _title(scenario)
    estimate = ESTIMATORS[scenario.estimator].title
    st.info(
        f"{method} with “{estimate}” takes longer for so many places: from a few seconds to a "
        "minute or more, mostly for plain LDP, which hides everybody among all of them.",
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
        st.progress(job.share, text=told(job))
        st.button("Cancel", icon=":material/stop:", on_click=job.cancel, key="cancel-slow")


def told(job: jobs.Job[Comparison]) -> str:
    """What a run is at, and for how long: a single draw has no share to tell."""
    if job.is_waiting:
        return "Waiting for other runs on this server to end …"
    step = "1 of 2: this protection" if job.share < 0.5 else "2 of 2: plain LDP, same people"
    return f"{step} · {job.seconds:.0f} s so far"
