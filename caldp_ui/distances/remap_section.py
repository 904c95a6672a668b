"""Mean displacement of reports before and after the Bayesian remap."""

from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Progress
from caldp_core.estimation.remap import identity_remap, remap
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.capabilities import ReportsSymbols
from caldp_ui.compute import runs
from caldp_ui.distances.page_state import STATE
from caldp_ui.session import jobs
from caldp_ui.words import formats

PEOPLE: Final = 20_000
"""People drawn to measure both distances, to about half a percent."""


def section(ours: Result) -> None:
    """Show one sentence, by a job; nothing if reports are no places or a share is negative."""
    has_places = isinstance(ours.setup.mechanism, ReportsSymbols)
    if not has_places or not bool((ours.first.estimate >= 0).all()):
        return
    kilometres = jobs.run_automatically(
        STATE.key("remap"),
        runs.key(ours.setup.scenario),
        partial(mean_displacements, ours),
        lambda job: f"Reading reports in the light of all others: {job.share:.0%}",
    )
    if kilometres is not None:
        st.markdown(remap_sentence(*kilometres))


def remap_sentence(before: float, after: float) -> str:
    """Both mean distances, in km, in a sentence, and that an attacker can do the same."""
    return (
        f"**Bayesian remap**: as it is sent, a report lies {formats.length(before)} from its "
        "person on "
        f"average. Read in the light of all other reports, as the place that is nearest to its "
        f"person on average, it lies **{formats.length(after)}** away. That costs no privacy: an "
        "attacker who has all reports can do the same, and the promise allows for that."
    )


@cached_by(lambda ours, *_: runs.key(ours.setup.scenario))
def mean_displacements(ours: Result, progress: Progress) -> tuple[float, float]:
    """Mean km before and after the remap by the page's estimate, of people drawn by the truth."""
    setup, domain = ours.setup, runs.map_of(ours.setup.dataset)
    moved = remap(setup.mechanism, ours.first.estimate, domain, progress)
    rng = np.random.default_rng(setup.scenario.seed)
    people = rng.choice(domain.k, PEOPLE, p=setup.dataset.distribution)
    reports = np.asarray(setup.mechanism.privatize(people, rng))
    before, after = (each.kilometres(people, reports) for each in (identity_remap(domain), moved))
    return float(before.mean()), float(after.mean())
