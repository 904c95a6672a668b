"""Design of the best noise; planar noise is shown until it is there.

A design takes a second, or ten where steps are small, and is stored in a file.
"""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms.kernels.design import Kernel, Steps
from caldp_core.mechanisms.kernels.mechanism import check_map, kernel_for, read_kernel
from caldp_core.mechanisms.specs import BestKernel
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.distances.page_state import STATE, DistanceState, fallback_scenario
from caldp_ui.session import jobs

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
        and _design_by_job(Steps.of(_require_euclidean(policy))) is None
    ):
        return fallback
    return record


def with_fallback_noise(record: DistanceState) -> DistanceState:
    """The record; with planar noise if its own is not designed yet. Starts no job."""
    if not isinstance(record.scenario.mechanism, BestKernel):
        return record
    fallback = replace(record, scenario=fallback_scenario(record.scenario))
    return record if designed_kernel(runs.setup(fallback.scenario).policy) is not None else fallback


def _design_by_job(steps: Steps) -> Kernel | None:
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
        return _stored_kernel(Steps.of(policy))
    except CaldpError:
        return None


@cached
def _stored_kernel(steps: Steps) -> Kernel:
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
