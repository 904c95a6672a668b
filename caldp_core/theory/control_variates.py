"""Control variates: what is known of the unbiased estimate takes chance out of few trials.

Of W, the unbiased estimate of p, the expectation of |W − p|² is known exactly, by its variance, and
that of ½|W − p|₁ is Σσ_x/√(2π) where each W_x rests on so many reports that it is nearly normal;
so is that of W moved to the sum 1. All go with the total variation after whatever estimator, the
last the more the fewer values there are: of two it mostly is the error. A trial's error less its
regression on them has the same mean and, of few values, a hundredth of the variance.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.mechanisms import Mechanism
from caldp_core.privacy.context import Context
from caldp_core.theory.normal_approximation import rests_on_few_reports

_MOVED_MOST: Final = 64
"""Values up to which their variances are computed one by one."""
_FEW_MOST: Final = 0.01
"""Part of Σσ that may come from estimates that rest on few reports."""


@dataclass(frozen=True, eq=False)
class Controls:
    """(k,) `mean` of the unbiased estimate, and the (controls,) expectations of `observed`."""

    mean: Floats
    expected: Floats

    @classmethod
    def none(cls, p: Floats) -> "Controls":
        """Trials alone."""
        return cls(p, np.empty(0))

    @classmethod
    def of(cls, mechanism: Mechanism, p: Floats, n: int) -> "Controls":
        """For n people drawn from p; none where the exact variance is not known."""
        if not hasattr(mechanism, "variance"):
            return cls.none(p)
        # Own places are spread by a background, which may be wrong.
        biased = getattr(mechanism, "expected_estimate", None)
        mean = p if biased is None else biased(p)
        variance = np.maximum(mechanism.variance(p, n), 0.0)
        expected = [float(variance.sum())]
        if isinstance(mechanism.policy, Context):
            few = rests_on_few_reports(mechanism, p, n, variance)
            sigma = np.sqrt(variance)
            if sigma @ few <= _FEW_MOST * sigma.sum():
                expected.append(float(sigma.sum()) / math.sqrt(2 * math.pi))
                if p.size <= _MOVED_MOST:
                    moved = np.eye(p.size) - 1 / p.size
                    spread = sum(math.sqrt(mechanism.sum_variance(p, w, n)) for w in moved)
                    expected.append(spread / math.sqrt(2 * math.pi))
        return cls(mean, np.array(expected))

    def observed(self, unbiased: Floats) -> Floats:
        """(controls,) of a trial's (k,) unbiased estimate."""
        off = unbiased - self.mean
        lengths = [off @ off, 0.5 * np.abs(off).sum(), 0.5 * np.abs(off - off.mean()).sum()]
        return np.array(lengths[: self.expected.size])

    def corrected(self, mean: Floats, off: Floats) -> tuple[float, float]:
        """The mean of the error with its controls at their expectation, and its standard error.

        (1 + controls,) `mean` of trials, the error first; `off`: (trials, 1 + controls) deviations,
        scaled so that the sum of their squares is the variance of the mean.
        """
        error, others = off[:, 0], off[:, 1:]
        scale = np.sqrt((others**2).sum(axis=0))
        slope = np.linalg.lstsq(others / np.maximum(scale, 1e-300), error, rcond=1e-9)[0]
        slope = np.where(scale > 0, slope / np.maximum(scale, 1e-300), 0.0)
        rest = error - others @ slope
        freedom = max(1.0, len(off) - 1.0 - slope.size) / max(1.0, len(off) - 1.0)
        moved = float(mean[0] - slope @ (mean[1:] - self.expected))
        return max(moved, 0.0), float(np.sqrt(rest @ rest / freedom))
