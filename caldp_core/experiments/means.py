"""The mean of answers that are numbers, from reports of the answers: with its 95 % interval."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.domain.answers import Domain
from caldp_core.domain.scale import scale_of
from caldp_core.experiments.run import Result
from caldp_core.mechanisms import Mechanism

_Z: Final = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Mean:
    """A mean in the units of the answers: true, estimated without bias, and its 95 % interval.

    The ends follow from the exact variance over people drawn and coins (normal approximation) and
    are cut to the scale, but never exclude the `estimate`, which may lie beyond it.
    """

    truth: float
    estimate: float
    low: float
    high: float


def mean_in(result: Result) -> Mean | None:
    """The mean from the first trial of a run; None where values are not numbers."""
    setup = result.setup
    domain = setup.dataset.domain
    values = scale_of(domain.names) if isinstance(domain, Domain) else None
    if values is None:
        return None
    p = setup.dataset.distribution
    return mean_of(setup.mechanism, p, result.first.unbiased, setup.n, values)


def mean_of(mechanism: Mechanism, p: Floats, unbiased: Floats, n: int, values: Floats) -> Mean:
    """The mean of `values`, (k,) rising, from (k,) `unbiased` shares of n people drawn from p.

    Shares need not sum to 1, so values are taken from the middle of the scale: what is missing or
    too much counts as an answer there, not as 0.
    """
    middle = 0.5 * float(values[0] + values[-1])
    centred = values - middle
    estimate = middle + float(centred @ unbiased)
    half = _Z * float(np.sqrt(max(mechanism.sum_variance(p, centred, n), 0.0)))
    low, high = np.clip((estimate - half, estimate + half), values[0], values[-1])
    return Mean(float(p @ values), estimate, min(float(low), estimate), max(float(high), estimate))
