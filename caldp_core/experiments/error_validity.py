"""Whether the errors of a scenario mean anything: not where its data were made of its prior."""

from typing import Final

from caldp_core.basics.errors import require
from caldp_core.estimation.evidence import KNOWING_MAP
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import Setup

CIRCULAR: Final = (
    "These data were made with where people live, so their error would be too small to mean "
    'anything for an estimate that knows it; take other data, or the estimate "cascade".'
)
SAME: Final = (
    "The public map says of these data what they are, so their error would be too small to mean "
    'anything for an estimate that knows it; take another map, or the estimate "cascade".'
)
_SAME: Final = 1e-3
"""Share of people by which a map may differ from the data and be one with them: rounding."""


def invalid_error_reason(setup: Setup) -> str:
    """Why errors mean nothing, as the estimate knows what the data were made of; else empty."""
    name, prior = setup.scenario.estimator, setup.options.prior
    if name == "cascade-inhabitants" and setup.dataset.from_inhabitants:
        return CIRCULAR
    if name == KNOWING_MAP and prior is not None:
        same = total_variation(setup.dataset.distribution, prior) <= _SAME
        return SAME if same else ""
    return ""


def has_valid_errors(setup: Setup) -> bool:
    """False where the estimate knows what the data were made of."""
    return not invalid_error_reason(setup)


def require_valid_errors(setup: Setup) -> None:
    """Raises `CaldpError` where errors mean nothing."""
    reason = invalid_error_reason(setup)
    require(not reason, reason)
