"""Whether the errors of a scenario mean anything: not where its data were made of its prior."""

from caldp_core.basics.errors import require
from caldp_core.experiments.run import Setup

CIRCULAR = (
    "These data were made with where people live, so their error would be too small to mean "
    'anything for an estimate that knows it; take other data, or the estimate "cascade".'
)


def is_judged(setup: Setup) -> bool:
    """False where the estimate knows what the data were made of."""
    knows = setup.scenario.estimator == "cascade-inhabitants"
    return not (knows and setup.dataset.from_inhabitants)


def require_judged(setup: Setup) -> None:
    """Raises `CaldpError` where errors mean nothing."""
    require(is_judged(setup), CIRCULAR)
