"""Central noise by OpenDP: the discrete Laplace mechanism, once, by coins of the operating system.

Neighbours are lists of equal length in which one person's answers are others: the person leaves m
cells at most and enters as many, so that the counts change by 2m in sum (L1), and the scale of the
noise is 2m/ε. Sources: Ghosh, Roughgarden, Sundararajan 2009; Canonne, Kamath, Steinke 2020, whose
sampler OpenDP has. OpenDP's generator is seeded by the operating system.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.extras import explain_missing
from caldp_core.basics.types import Ints

_STEPS: Final = 16
"""Most steps to the next float by which a scale is raised, so that ε is never exceeded."""


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """(k,) counts with noise; `epsilon`: what the library promises, at most what was asked for."""

    counts: Ints
    scale: float
    epsilon: float


def check_installed() -> None:
    """Raise `CaldpError`, which says what to install, without OpenDP."""
    with explain_missing("Central noise"):
        import opendp  # noqa: F401


def add_noise(counts: Ints, most: int, epsilon: float) -> NoisyCounts:
    """Noise of one release on (k,) counts; `most`: cells that one person is in at most.

    Raises `CaldpError` without OpenDP.
    """
    with explain_missing("Central noise"):
        import opendp.prelude as dp
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = 2 * most / epsilon
    for _ in range(_STEPS):
        mechanism = dp.m.make_laplace(*space, scale=scale)
        promised = float(mechanism.map(2 * most))  # type: ignore[no-untyped-call]
        if promised <= epsilon:
            noisy = np.array(mechanism(counts.tolist()), np.int64)
            return NoisyCounts(noisy, scale, promised)
        # Rounded up, 2m/scale may be a hair above ε: 3.0000000000000004 for 3.
        scale = math.nextafter(scale, math.inf)
    require(False, f"OpenDP promises ε = {promised}, more than {epsilon}; take another ε.")
    raise AssertionError


def half_width(epsilon: float, most: int) -> int:
    """The least w such that 95 of 100 noisy counts are off by at most w.

    By P(|Z| > w) = 2α^(w + 1)/(1 + α) of the discrete Laplace law with α = e^(−ε/2m).
    """
    alpha = math.exp(-epsilon / (2 * most))
    return max(0, math.ceil(math.log(0.05 * (1 + alpha) / 2) / math.log(alpha)) - 1)
