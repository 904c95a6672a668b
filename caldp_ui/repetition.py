"""Repeat the scenario many times beside the page, and compare with what is expected.

Room: what is read. The only long work of the map page; it has a progress bar and a cancel.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.experiments.run import Result, Setup, run
from caldp_ui import compute, formats, jobs
from caldp_ui.compute import Comparison

RUNS: Final = 100
_HELD: Final = "repetition"


@dataclass(frozen=True)
class Repeated:
    """TV over all runs: least, mean and most, for this protection and for plain LDP."""

    ours: tuple[float, float, float]
    plain: tuple[float, float, float]


def section(comparison: Comparison) -> None:
    """The button, then the progress, then the result."""
    # Whatever outcome is shown, the same runs tell of its scenario.
    name = compute.key(replace(comparison.setup.scenario, seed=0))
    job: jobs.Job[Repeated] | None = st.session_state.get(_HELD)
    if job is not None and job.name != name:
        job.cancel()
        job = st.session_state[_HELD] = None
    if job is None or (job.done and job.result() is None):
        st.button(
            f"Repeat it {RUNS} times",
            icon=":material/repeat:",
            on_click=_start,
            args=(name, comparison),
            help="Runs this scenario again and again, with other coins each time, and compares "
            "the errors with what is expected.",
        )
    elif job.done:
        _show(job, comparison)
    else:
        _watch()


def _start(name: str, comparison: Comparison) -> None:
    ours, plain = comparison.ours.setup, comparison.plain.setup
    st.session_state[_HELD] = jobs.launch(name, lambda progress: _repeat(ours, plain, progress))


def _repeat(ours: Setup, plain: Setup, progress: Progress) -> Repeated:
    many = replace(ours, scenario=replace(ours.scenario, trials=RUNS))
    first = run(many, lambda share: progress(share / 2))
    other = replace(plain, scenario=replace(plain.scenario, trials=RUNS))
    second = run(other, lambda share: progress(0.5 + share / 2))
    return Repeated(_spread(first), _spread(second))


def _spread(result: Result) -> tuple[float, float, float]:
    tv = np.array([errors.tv for errors in result.errors])
    return float(tv.min()), float(tv.mean()), float(tv.max())


@st.fragment(run_every=0.4)
def _watch() -> None:
    job: jobs.Job[Repeated] | None = st.session_state.get(_HELD)
    if job is None or job.done:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, text=f"Run {round(job.share * 2 * RUNS)} of {2 * RUNS}")
        st.button("Cancel", icon=":material/stop:", on_click=job.cancel, key="cancel-repetition")


def _show(job: jobs.Job[Repeated], comparison: Comparison) -> None:
    repeated = job.result()
    assert repeated is not None
    ours = _range(repeated.ours) + _expected(comparison.ours)
    plain = _range(repeated.plain) + _expected(comparison.plain)
    st.markdown(f"In {RUNS} runs each: this protection {ours}; plain LDP {plain}.")


def _expected(result: Result) -> str:
    expected = compute.expected(result.setup.scenario)
    return "" if expected is None else f", expected {formats.share(expected.tv)}"


def _range(spread: tuple[float, float, float]) -> str:
    low, middle, high = (formats.share(value) for value in spread)
    return f"**{middle}** ({low} to {high})"
