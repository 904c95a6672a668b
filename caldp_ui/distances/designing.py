"""The best noise has to be designed first: planar noise stands for it until it is.

A design takes a second, or ten where steps are small, and is kept in a file.
"""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms.kernels.design import Kernel
from caldp_core.mechanisms.kernels.files import kernel_for, on_file
from caldp_core.mechanisms.kernels.lattice import Steps
from caldp_core.mechanisms.kernels.mechanism import check_map
from caldp_core.mechanisms.specs import BestKernel
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric
from caldp_ui.app.errors import as_text
from caldp_ui.compute import runs
from caldp_ui.distances.slot import SLOT, Far, standing_in
from caldp_ui.session import jobs

KERNEL: Final = "best-kernel"
"""Its name in the catalogue."""
_INSTEAD: Final = "Until then: planar geometric noise."


def made(record: Far) -> Far:
    """The record; until its noise is designed, with planar noise, and the progress drawn here."""
    if not isinstance(record.scenario.mechanism, BestKernel):
        return record
    instead = replace(record, scenario=standing_in(record.scenario))
    policy = runs.setup(instead.scenario).policy
    why = why_not(policy)
    if why:
        st.warning(as_text(f"{why} Planar geometric noise is shown here."))
        return instead
    if kernel(policy) is None and _by_job(Steps.of(_map(policy))) is None:
        return instead
    return record


def or_stand_in(record: Far) -> Far:
    """The record; with planar noise if its own is not designed yet."""
    if not isinstance(record.scenario.mechanism, BestKernel):
        return record
    instead = replace(record, scenario=standing_in(record.scenario))
    return record if kernel(runs.setup(instead.scenario).policy) is not None else instead


def _by_job(steps: Steps) -> Kernel | None:
    return jobs.started(
        SLOT.key("design"),
        f"{steps}",
        lambda progress: kernel_for(steps, progress),
        lambda job: f"Designing the best noise: {job.seconds:.0f} s. {_INSTEAD}",
    )


def kernel(policy: PrivacyMatrix) -> Kernel | None:
    """The best noise for a map with its proof; None where it was not designed yet."""
    if not isinstance(policy, EuclideanMetric):
        return None
    try:
        return _kept(Steps.of(policy))
    except CaldpError:
        return None


@cached
def _kept(steps: Steps) -> Kernel:
    """What is on file. Raises where nothing is, as errors are not kept."""
    found = on_file(steps)
    if found is None:
        raise CaldpError("Not designed yet.")
    return found


def why_not(policy: PrivacyMatrix) -> str:
    """Why the best noise can't be designed for this map; else empty."""
    try:
        check_map(_map(policy))
    except CaldpError as error:
        return str(error)
    return ""


def _map(policy: PrivacyMatrix) -> EuclideanMetric:
    if not isinstance(policy, EuclideanMetric):
        raise CaldpError("The best noise is designed for distances as the crow flies only.")
    return policy
