"""Design of the best noise; planar noise is shown until it is there.

A design takes a second, or ten where steps are small, and is stored in a file.

Mean displacement of reports before and after the Bayesian remap.
"""

from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.estimation.remap import identity_remap, remap
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.capabilities import ReportsSymbols
from caldp_core.mechanisms.kernels.design import Kernel, StepLevels
from caldp_core.mechanisms.kernels.mechanism import check_map, kernel_for, read_kernel
from caldp_core.mechanisms.specs import BestKernel
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.distances.page_state import (
    STATE,
    DistanceState,
    fallback_scenario,
)
from caldp_ui.session import jobs
from caldp_ui.words import formats

BEST_KERNEL: Final = "best-kernel"
"""Name of the best noise in the catalogue."""
_FALLBACK_TEXT: Final = "Until then: planar geometric noise."


def design_noise(record: DistanceState) -> DistanceState:
    """The record; with planar noise until its own is designed by a job, whose progress is drawn."""
    if not isinstance(record.scenario.mechanism, BestKernel):
        return record
    fallback = replace(record, scenario=fallback_scenario(record.scenario))
    policy = runs.setup(fallback.scenario).policy
    reason = infeasible_reason(policy)
    if reason:
        st.warning(escape_markdown(f"{reason} Planar geometric noise is shown here."))
        return fallback
    if (
        designed_kernel(policy) is None
        and _design_by_job(StepLevels.of(_require_euclidean(policy))) is None
    ):
        return fallback
    return record


def with_fallback_noise(record: DistanceState) -> DistanceState:
    """The record; with planar noise if its own is not designed yet. Starts no job."""
    if not isinstance(record.scenario.mechanism, BestKernel):
        return record
    fallback = replace(record, scenario=fallback_scenario(record.scenario))
    return record if designed_kernel(runs.setup(fallback.scenario).policy) is not None else fallback


def _design_by_job(steps: StepLevels) -> Kernel | None:
    return jobs.run_automatically(
        STATE.key("design"),
        f"{steps}",
        lambda progress: kernel_for(steps, progress),
        lambda job: f"Designing the best noise: {job.seconds:.0f} s. {_FALLBACK_TEXT}",
    )


def designed_kernel(policy: PrivacyMatrix) -> Kernel | None:
    """The best noise for a policy with its proof; None where it was not designed yet."""
    if not isinstance(policy, EuclideanMetric):
        return None
    try:
        return _stored_kernel(StepLevels.of(policy))
    except CaldpError:
        return None


@cached
def _stored_kernel(steps: StepLevels) -> Kernel:
    """The design on file. Raises `CaldpError` where there is none, as errors are not cached."""
    kernel = read_kernel(steps)
    if kernel is None:
        raise CaldpError("Not designed yet.")
    return kernel


def infeasible_reason(policy: PrivacyMatrix) -> str:
    """Why the best noise can't be designed for a policy; "" where it can."""
    try:
        check_map(_require_euclidean(policy))
    except CaldpError as error:
        return str(error)
    return ""


def _require_euclidean(policy: PrivacyMatrix) -> EuclideanMetric:
    if not isinstance(policy, EuclideanMetric):
        raise CaldpError("The best noise is designed for distances as the crow flies only.")
    return policy


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
