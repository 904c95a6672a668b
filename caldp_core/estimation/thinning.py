"""How far off a shown estimate is, where nobody knows the truth: by thinning the noise.

The unbiased estimate is z = truth + noise, the noise nearly normal with known σ. With ω standard
normal, a = z + γσω and b = z − σω/γ are two looks at one truth from the same reports, unbiased and
uncorrelated, so that where the noise is normal they are independent (Oliveira, Lei, Tibshirani
2021; Neufeld et al. 2024). A law that was fitted to a is held against b, which shows how much too
well it thinks of itself. ω follows from the tally by a hash, so nobody can draw until it is
pleasing. docs/estimators.md says why the noise is split and not the reports. Blocks of fewer than
30 people are left to the normal approximation.
"""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints
from caldp_core.estimation.cascade_estimator import (
    EDGES,
    UNSHRUNK_ABOVE,
    Z_GRID,
    Fit,
    GridEstimates,
    NoisySymbols,
    best_fit,
    freest_law,
    likelihood,
    pooling_helps,
)
from caldp_core.estimation.estimators import PostProcess
from caldp_core.estimation.evidence import Evidence

_MIDDLES: Final = EDGES - 0.5 * np.diff(EDGES, prepend=0.0)
_GROUPS: Final = np.array([0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.5, 7.0])
"""Ends of groups of shares, in standard deviations, of which each has a law of its own."""
_FAINT: Final = 1.0
"""Standard deviations below which nobody can say whether a share is in the right place."""
_LOOKS: Final = 2
_ROUNDS: Final = 20
_UNSURE: Final = 1.25
"""Factor by which the error of what is not faint may be lower; see docs/estimators.md."""


@dataclass(frozen=True, eq=False)
class Look(Evidence):
    """Evidence whose estimate has more noise than its tally: (k,) `noise`, standard deviations."""

    noise: Floats = field(kw_only=True)

    @cached_property
    def deviation(self) -> Floats:
        """(k,) standard deviation of `unbiased`."""
        return self.noise


def thin_noise(
    evidence: Evidence, rng: np.random.Generator, gamma: float = 1.0
) -> tuple[Look, Look]:
    """Two independent looks: one to fit, pick or pool on, and one to judge that.

    Their variances are 1 + `gamma`² and 1 + 1/`gamma`² times that of the coins.
    """
    coins = np.sqrt(evidence.tied_shares.variance)
    omega = rng.normal(size=coins.size)

    def look(factor: float) -> Look:
        parts = {name: getattr(evidence, name) for name in Evidence.__dataclass_fields__}
        parts["unbiased"] = evidence.unbiased + factor * coins * omega
        noise = np.sqrt(evidence.deviation**2 + (factor * coins) ** 2)
        return Look(**parts, noise=noise)

    return look(gamma), look(-1.0 / gamma)


def generator_of(evidence: Evidence) -> np.random.Generator:
    """Coins that follow from the tally, the same for everybody who has it."""
    digest = hashlib.blake2b(evidence.tally.counts.tobytes(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


@dataclass(frozen=True)
class ErrorEstimate:
    """Share of people in the wrong cell or under the wrong value, in [0, 1], and its range.

    `faint`: share of people who are shown where a share is below its noise. How many of them are in
    the wrong place no report tells, so the range is for none to all of them, while `share` takes
    them to be spread as those whom reports tell apart. The total variation is Σ max(x − p, 0), at
    most the faint x and all Σ|x − p| of the others, and at least half of that.
    """

    share: float
    low: float
    high: float
    faint: float


def estimated_error(evidence: Evidence, estimate: PostProcess) -> ErrorEstimate | None:
    """The total variation to the people who took part, for the shares that `estimate` makes.

    None where symbols are too few to say how shares spread, or share their noise, and where shares
    are negative.
    """
    shares = estimate(evidence)
    if not pooling_helps(evidence.mechanism) or shares.min() < 0.0:
        return None
    noisy, fit = best_fit(evidence)
    if not noisy.at.size:
        return None
    errors, rng = _expected_errors(noisy, fit, shares), generator_of(evidence)
    if not fit.is_free:
        looks = (thin_noise(evidence, rng) for _ in range(_LOOKS))
        errors *= np.mean([_optimism(*each, estimate) for each in looks])
    here = shares[noisy.at]
    faint = here < _FAINT * noisy.deviation
    bright = float(errors[~faint].sum() + _errors_elsewhere(evidence, noisy, shares))
    lost = float(here[faint].sum())
    high = min(lost + 2.0 * bright, 1.0)
    share = min(0.5 * (bright + min(float(errors[faint].sum()), 2.0 * lost)), high)
    return ErrorEstimate(share, 0.5 * bright / _UNSURE, high, lost)


def _errors_elsewhere(evidence: Evidence, noisy: NoisySymbols, shares: Floats) -> float:
    """Sum of expected errors of symbols for which nothing is expected: their noise alone."""
    tied = evidence.tied_shares
    others = tied.deviations > 0
    others[noisy.at] = False
    deviation = tied.deviations[others]
    return float((deviation * _of_normal((tied.estimate - shares)[others] / deviation)).sum())


def _of_normal(shift: Floats) -> Floats:
    """E|d + N| for (n,) shifts d and N standard normal."""
    density = np.exp(-0.5 * shift**2) / np.sqrt(2.0 * np.pi)
    return np.asarray(2.0 * density + shift * (2.0 * scipy.special.ndtr(shift) - 1.0))


def _posteriors(noisy: NoisySymbols, fit: Fit) -> tuple[Floats, Ints]:
    """(t, u) different laws of shares once estimates are seen, and (n,) which is each symbol's."""
    pairs, which = np.unique(fit.rows * Z_GRID.size + noisy.seen.nearest, return_inverse=True)
    rows, place = np.divmod(pairs, Z_GRID.size)
    laws = likelihood()[place] * fit.prior[rows]
    return laws / laws.sum(axis=1, keepdims=True), which


def _mean_errors(laws: Floats, which: Ints, shares: Floats) -> Floats:
    """(n,) E|x − u| of (n,) shares x, u from the (t, u) `laws`, of which each has one."""
    reached = np.cumsum(laws, axis=1)
    moment = np.cumsum(laws * _MIDDLES, axis=1)
    upto = np.searchsorted(_MIDDLES, shares, side="right") - 1
    some = upto >= 0
    below = np.where(some, reached[which, upto], 0.0)
    part = np.where(some, moment[which, upto], 0.0)
    return np.asarray(shares * (2.0 * below - 1.0) + moment[which, -1] - 2.0 * part)


def _expected_errors(noisy: NoisySymbols, fit: Fit, shares: Floats) -> Floats:
    """(n,) errors that the fitted law expects of (k,) shares at the noisy symbols."""
    x, far = shares[noisy.at] / noisy.deviation, noisy.seen.far
    errors = _mean_errors(*_posteriors(noisy, fit), x)
    errors[far] = _of_normal(noisy.seen.z[far] - x[far])
    return errors * noisy.deviation


def _optimism(fitted: Look, judge: Look, estimate: PostProcess) -> float:
    """Error of the fitted look's shares as the other look has it, over what its law expects.

    Shares of about one size have a law of their own, which begins with what the fitted look
    expects and is fitted to the other one.
    """
    noisy, fit = best_fit(fitted)
    shares = estimate(fitted)
    expected = _expected_errors(noisy, fit, shares)
    tied = judge.tied_shares
    seen = GridEstimates.of(tied.estimate[noisy.at] / np.maximum(tied.deviations[noisy.at], 1e-300))
    x = shares[noisy.at] / noisy.deviation
    group = np.digitize(x, _GROUPS)
    group[noisy.seen.far] = _GROUPS.size + 1
    laws, which = _posteriors(noisy, fit)
    found = expected.copy()
    for each in range(_GROUPS.size + 1):
        members = np.flatnonzero((group == each) & (seen.z < UNSHRUNK_ABOVE))
        if members.size:
            numbers = np.bincount(which[members], minlength=len(laws))
            counts = np.bincount(seen.nearest[members], minlength=Z_GRID.size)
            law = freest_law(counts, numbers @ laws / members.size, _ROUNDS)
            one = np.zeros(members.size, np.int64)
            found[members] = _mean_errors(law[None], one, x[members]) * noisy.deviation[members]
    return float(found.sum() / expected.sum())
