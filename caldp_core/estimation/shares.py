"""Shares of people from a tally, by the name of an estimator, and their intervals.

The short way for programs that have a mechanism and a tally; `Evidence` is the long one.
"""

from caldp_core.basics.types import Floats
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation import intervals as score
from caldp_core.estimation.estimators import estimator as named
from caldp_core.estimation.evidence import Evidence, default_estimator
from caldp_core.estimation.intervals import Intervals
from caldp_core.mechanisms import Mechanism, Tally


def estimate(
    mechanism: Mechanism,
    tally: Tally,
    estimator: str = default_estimator(),
    domain: Domain | GridDomain | None = None,
) -> Floats:
    """(k,) shares by the named estimator; "none" is the unbiased one, which may be negative.

    `domain`: says which values are neighbours, as a cascade needs to be as good as in a run.
    Raises `CaldpError` for an unknown name, and for a tally that another mechanism made.
    """
    return named(estimator).apply(Evidence.of(mechanism, tally, domain=domain))


def intervals(
    mechanism: Mechanism, tally: Tally, level: float = 0.95, shares: Floats | None = None
) -> Intervals:
    """(k,) ranges in [0, 1], each of which holds its true share with probability `level`.

    They belong to the unbiased estimate, see `caldp_core.estimation.intervals`. `shares`: (k,)
    estimates to stand beside them, which they then include; those of the highest shares hold on
    average as well. `level`: in [0.5, 1 − 10^-12]. Raises `CaldpError` otherwise, and for a tally
    that another mechanism made.
    """
    evidence = Evidence.of(mechanism, tally)
    if shares is None:
        return score.intervals(evidence, level)
    return score.ranges(evidence, shares, level)
