"""Expected error of an estimate: the normal approximation where it holds, else trials.

docs/derivations.md, “The expected error of an estimate”, has the derivation.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, count_text
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress, sums_by
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.estimation.cascade_estimator import cascade_estimate, pooling_helps
from caldp_core.estimation.estimators import (
    PostProcess,
    estimator,
    simplex,
    simplex_per_block,
    unprocessed,
)
from caldp_core.estimation.evidence import Evidence, Options
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.randomness import generators, seed_sequence
from caldp_core.privacy.context import Context


def variance_given_people(mechanism: Mechanism, p: Floats, n: int) -> Floats:
    """(k,) exact variance of the unbiased estimate over the coins alone, the people held fixed.

    Var = E[Var(· | people)] + Var(E[· | people]), and the second is the sampling error
    p_x(1−p_x)/n. `p`: (k,) shares of these people.
    """
    sampling = p * (1.0 - p) / n
    return np.maximum(mechanism.variance(p, n) - sampling, 0.0)


PEOPLE_LEAST: Final = 10_000
"""Fewer people are simulated, which costs little."""
SPREAD_MOST: Final = 0.03
"""Most that the deviation may be of the mean: about 500 equally common values have that."""
POSITIVE_LEAST: Final = 50
"""Expected number of positive shares from which their total moves the threshold but little."""
REPORTS_LEAST: Final = 32
"""Reports from which an estimate is nearly normal."""
HIDDEN_LEAST: Final = 4
"""Hidden values of a block from which the noise of one tells little of that of another."""
FEW_MOST: Final = 0.2
"""Part of the error that may come from estimates that rest on fewer reports or values."""

_FORECAST: Final = 1
"""The purpose of a forecast's trials, which are others than those of a run by the same seed."""
NORMAL: Final = "normal approximation"
_ROUNDS: Final = 100
_EXCESS_TOLERANCE: Final = 1e-10
_SIGMA_LEAST: Final = 1e-18
"""Stands for 0, so that a certain value is a very narrow normal instead of a special case."""


@dataclass(frozen=True)
class Forecast:
    """Expected error of an estimate, without running the scenario.

    `error`: the expectation, of the total variation where no other error was asked for.
    `deviation`: standard deviation over repetitions. `standard_error`: of `error`, as far as it
    comes from the number of trials; 0 for the normal approximation. `trials`: how many; 0 for it.
    """

    error: float
    deviation: float
    standard_error: float
    trials: int

    @property
    def method(self) -> str:
        """How it was found, in words for readers: "simulated, 64 trials", for example."""
        if self.trials == 0:
            return NORMAL
        return f"simulated, {count_text(self.trials, 'trial', 'trials')}"


@dataclass(frozen=True, eq=False)
class NormalErrors:
    """|S_x − p_x|/2 of values that are normals of their own; (g,) arrays, one entry a kind.

    `mean`: expectations. `slope`: of the regression on W_x. `rest`: variance of what that leaves.
    `positive`: probability of a share above 0.
    """

    mean: Floats
    slope: Floats
    rest: Floats
    positive: Floats


@dataclass(frozen=True, eq=False)
class Kinds:
    """Like values as one kind each: (g,) share `p`, deviation `sigma`, number of values `times`.

    `kind`: (k,) kind of each value.
    """

    p: Floats
    sigma: Floats
    times: Floats
    kind: Ints

    @classmethod
    def of(cls, p: Floats, variance: Floats) -> "Kinds":
        """(k,) shares and variances gathered."""
        order = np.lexsort((variance, p))
        keys = np.stack([p, variance])[:, order]
        new = np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
        kind = np.empty(p.size, np.int64)
        kind[order] = np.cumsum(new) - 1
        at = order[new]
        sigma = np.maximum(np.sqrt(np.maximum(variance[at], 0.0)), _SIGMA_LEAST)
        return cls(p[at], sigma, np.bincount(kind).astype(np.float64), kind)

    def moments_above(self, cut: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Moments 0, 1 and 2 of max(W − cut, 0)."""
        z = (cut - self.p) / self.sigma
        tail = scipy.special.ndtr(-z)
        bell = np.exp(-0.5 * np.minimum(z * z, 1e4)) / np.sqrt(2.0 * np.pi)
        first = (self.p - cut) * tail + self.sigma * bell
        return tail, first, (self.p - cut) * first + self.sigma**2 * tail


def _unprocessed(kinds: Kinds) -> NormalErrors:
    """S = W: half of a folded normal."""
    none = np.zeros_like(kinds.p)
    half = kinds.sigma / np.sqrt(2.0 * np.pi)
    return NormalErrors(half, none, kinds.sigma**2 / 4.0 - half**2, none + 1.0)


def _projected(kinds: Kinds) -> NormalErrors:
    """S = max(W − τ, 0): a total too large by δ raises τ by δ over the number of positive ones."""
    tau = 0.0
    # Newton's steps from the left: the total is convex and falling in τ, so none overshoots.
    for _ in range(_ROUNDS):
        chances, first, _square = kinds.moments_above(tau)
        excess = float(kinds.times @ first) - 1.0
        if excess <= _EXCESS_TOLERANCE:
            break
        tau += excess / float(kinds.times @ chances)
    positive, larger = kinds.moments_above(tau)[0], kinds.moments_above(tau + kinds.p)[0]
    wobble = 0.5 * float(kinds.times @ (positive - 2.0 * larger))
    return _shares(kinds, tau, wobble / float(kinds.times @ positive))


def _shares(kinds: Kinds, tau: float, wobble: float) -> NormalErrors:
    """Errors of S = max(W − τ, 0); `wobble`: rise of the error with 1 more of their total.

    ½|S − p| + wobble·S = (S − p)⁺ + (wobble − ½)·S + ½p, and Cov(max(W − c, 0), W)/σ² is the
    probability that W is above c (Stein's lemma).
    """
    low0, low1, low2 = kinds.moments_above(tau)
    high0, high1, high2 = kinds.moments_above(tau + kinds.p)
    part = wobble - 0.5
    square = part**2 * low2 + 2.0 * part * (high2 + kinds.p * high1) + high2
    slope = part * low0 + high0
    rest = square - (part * low1 + high1) ** 2 - (slope * kinds.sigma) ** 2
    return NormalErrors(high1 - 0.5 * low1 + 0.5 * kinds.p, slope, np.maximum(rest, 0.0), low0)


_FORMULAS: Final[dict[PostProcess, Callable[[Kinds], NormalErrors]]] = {
    unprocessed: _unprocessed,
    simplex: _projected,
}


def normal_error(name: str, mechanism: Mechanism, p: Floats, n: int) -> float:
    """What `expected_error` is near, or an equal part above or below at any n: normals' error."""
    formula = _FORMULAS.get(estimator(name).apply, _projected)
    kinds = Kinds.of(p, mechanism.variance(p, n))
    return float(kinds.times @ formula(kinds).mean)


def approximated_error(
    mechanism: Mechanism, p: Floats, n: int, name: str, *, people: Ints | None = None
) -> Forecast | None:
    """The normal approximation of `expected_error`, None where it does not hold.

    It is taken for policies that are contexts, where estimates of different values are nearly
    uncorrelated, from `PEOPLE_LEAST` people on, if the deviation is at most `SPREAD_MOST` of the
    mean, `POSITIVE_LEAST` shares are expected above 0, and at most `FEW_MOST` of the error comes
    from values whose estimates rest on few reports.
    """
    policy, post_process = mechanism.policy, estimator(name).apply
    if n < PEOPLE_LEAST or not isinstance(policy, Context):
        return None
    formula = _formula(post_process, mechanism, policy)
    if formula is None:
        return None
    variance = mechanism.variance(p, n)
    conditional = variance if people is None else variance_given_people(mechanism, p, n)
    kinds = Kinds.of(p, conditional)
    errors = formula(kinds)
    tv = float(kinds.times @ errors.mean)
    slope = errors.slope[kinds.kind]
    linear = mechanism.sum_variance(p, slope, n)
    if people is not None:
        linear -= (float(p @ slope**2) - float(p @ slope) ** 2) / n
    deviation = float(np.sqrt(float(kinds.times @ errors.rest) + max(linear, 0.0)))
    few = float(errors.mean[kinds.kind] @ _rests_on_few(mechanism, policy, p, n, variance))
    many = deviation <= SPREAD_MOST * tv and float(kinds.times @ errors.positive) >= POSITIVE_LEAST
    return Forecast(tv, deviation, 0.0, 0) if many and few <= FEW_MOST * tv else None


def _formula(
    post_process: PostProcess, mechanism: Mechanism, policy: Context
) -> Callable[[Kinds], NormalErrors] | None:
    """None where no formula is known; in one block the nearest shares are the projection.

    Nor is one known where hidden values alone give way to the others' shares.
    """
    if symbol_partition_of(mechanism).clear.size and post_process is not unprocessed:
        return None
    nearest = post_process is simplex_per_block or (
        post_process is cascade_estimate and not pooling_helps(mechanism)
    )
    return _projected if nearest and policy.m == 1 else _FORMULAS.get(post_process)


def _rests_on_few(
    mechanism: Mechanism, policy: Context, p: Floats, n: int, variance: Floats
) -> Bools:
    """(k,) whether an estimate is far from a normal of its own.

    That is one of few reports, and one of a block with few hidden values, whose noise is of one
    piece.
    """
    hidden = policy.hidden()
    alone = np.bincount(policy.blocks, weights=hidden, minlength=policy.m) < HIDDEN_LEAST
    few = rests_on_few_reports(mechanism, p, n, variance)
    return few | (hidden & alone[policy.blocks])


def rests_on_few_reports(mechanism: Mechanism, p: Floats, n: int, variance: Floats) -> Bools:
    """(k,) whether a context's estimate is far from normal: of few people, or with a skewness.

    Above 1/√REPORTS_LEAST. As p_x moves and the block's hidden share does not, n·Var_x =
    A + B·p_x − p_x². A + B·p_x is the noise, B what one report more adds to it, and its skewness
    B/√(n·(A + B·p_x)).
    """
    policy = mechanism.policy
    assert isinstance(policy, Context)
    noise, gain = n * variance + p**2, _gains(mechanism, policy, p, n, variance)
    people = n * sums_by(policy.blocks, p, policy.m)
    skewed = n * noise < REPORTS_LEAST * gain**2
    return np.asarray(skewed | (people < REPORTS_LEAST)[policy.blocks])


def _gains(mechanism: Mechanism, policy: Context, p: Floats, n: int, variance: Floats) -> Floats:
    """(k,) B of `_rests_on_few`, by moving share from every second value of a kind to the next.

    Values of a block are of two kinds, hidden or not. Where a value is left over, B is taken as 1.
    """
    hidden = policy.hidden()
    order = np.lexsort((hidden, policy.blocks))
    kind = (2 * policy.blocks + hidden)[order]
    new = np.concatenate([[True], kind[1:] != kind[:-1]])
    odd = (np.arange(kind.size) - np.flatnonzero(new)[np.cumsum(new) - 1]) % 2 == 1
    moved = np.zeros(kind.size)
    moved[order] = np.concatenate([odd[1:], [False]]).astype(np.float64) - odd
    gain = n * moved * (mechanism.variance(p + moved, n) - variance) + 2.0 * p + moved
    return np.where(moved == 0.0, 1.0, gain)


_MOVED_MOST: Final = 64
"""Values up to which their variances are computed one by one."""
_FEW_MOST: Final = 0.01
"""Part of Σσ that may come from estimates that rest on few reports."""
_FREEDOM_LEAST: Final = 4
"""Degrees of freedom for each control: with none left any error would seem certain."""


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
        """For n people drawn from p."""
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

    def corrected(self, mean: Floats, off: Floats, trials: int) -> tuple[float, float]:
        """The mean of the error with its controls at their expectation, and its standard error.

        (1 + controls,) `mean` of trials, the error first; `off`: (trials, 1 + controls) deviations,
        scaled so that the sum of their squares is the variance of the mean. `trials`: of the
        stratum with the fewest. The first controls are used, as many as trials give slopes for.
        """
        freedom = max(1, trials - 1)
        used = min(self.expected.size, freedom // _FREEDOM_LEAST)
        error, others = off[:, 0], off[:, 1 : 1 + used]
        missed = mean[1 : 1 + used] - self.expected[:used]
        scale = np.maximum(np.sqrt((others**2).sum(axis=0)), 1e-300)
        inverse = np.linalg.pinv(others / scale, rcond=1e-9)
        slope = inverse @ error
        rest = error - others @ (slope / scale)
        # That the slopes are estimates, too, counts the more the further the controls have missed.
        slopes = ((missed / scale) @ inverse) ** 2
        inflation = freedom / (freedom - used) * (1 + slopes.sum() / freedom)
        moved = float(mean[0] - (missed / scale) @ slope)
        return max(moved, 0.0), float(np.sqrt(rest @ rest * inflation))


_RARE: Final = 1.0
"""People expected at most with all rare values together."""
_RARE_ERROR_SHARE: Final = 0.01
"""Share of the error of a census of as many people from which rare values' share matters."""


@dataclass(frozen=True, eq=False)
class Stratum:
    """One way that people may come out: its probability, and a draw of (k,) counts of them."""

    weight: float
    people: Callable[[np.random.Generator], Ints]


def _with_rare(n: int, p: Floats, rare: Bools, some: float, rng: np.random.Generator) -> Ints:
    """n people drawn from (k,) shares `p`, given that one or more have a value of (k,) `rare`.

    `some`: the probability of that. First carrier of a rare value, other carriers, then everybody
    else.
    """
    share, rest = float(p[rare].sum()), p[~rare]
    # Inversion: the first is the t-th of n with probability (1 − share)^(t−1)·share/some.
    first = math.ceil(math.log1p(-some * rng.random()) / math.log1p(-share))
    carriers = 1 + int(rng.binomial(n - min(max(first, 1), n), share))
    counts = np.zeros(p.size, np.int64)
    counts[rare] = rng.multinomial(carriers, p[rare] / share)
    counts[~rare] = rng.multinomial(n - carriers, rest / rest.sum())
    return counts


def strata(p: Floats, n: int) -> list[Stratum]:
    """All ways in which n people drawn from (k,) shares p may come out: one, or two with rare ones.

    Two where rare values' share would be missed: it is the part of the total variation between
    shares and a census of n people that trials without them leave out.
    """
    rare = _rare(p, n)
    share = float(p[rare].sum())
    census = 0.5 * float(np.minimum(2 * p, np.sqrt(2 * p * (1 - p) / (np.pi * n))).sum())
    rest = np.where(rare, 0.0, p)
    # Of one person every value is rare, and nothing is left beside them.
    if share <= _RARE_ERROR_SHARE * census or not rest.any():
        return [Stratum(1.0, lambda rng: rng.multinomial(n, p))]
    some = -math.expm1(n * math.log1p(-share))
    rest /= rest.sum()
    return [
        Stratum(1 - some, lambda rng: rng.multinomial(n, rest)),
        Stratum(some, partial(_with_rare, n, p, rare, some)),
    ]


def _rare(p: Floats, n: int) -> Bools:
    """(k,) the smallest positive shares, as many as `_RARE` people are expected with at most."""
    order = np.argsort(p, kind="stable")
    rare = np.empty(p.size, np.bool_)
    rare[order] = n * np.cumsum(p[order]) <= _RARE
    return rare & (p > 0)


Loss: TypeAlias = Callable[[Floats, Floats], float]
"""An error ≥ 0 of two (k,) vectors: true shares, estimate."""
_ROUNDING: Final = 1e-12
"""An error below it is rounding: the estimate is the truth."""
_CERTAIN: Final = 4.0
"""Standard errors by which an error is off, so that more trials would hardly change the answer."""
_ALIKE: Final = 1e-9
"""Relative: errors of trials that differ by no more are one, but for rounding."""


@dataclass(frozen=True)
class Budget:
    """Trials of a forecast: `least`, doubled until the standard error is below `close` of the mean.

    At most `most`. They end earlier where the error is off `target` by `_CERTAIN` standard errors.
    """

    least: int
    most: int
    close: float
    target: float | None = None

    @classmethod
    def single(cls, k: int) -> "Budget":
        """For one forecast: 1 % of the mean, or a thousand trials of small domains."""
        return cls(_between(32, 1_000_000 // k, 128), _between(128, 20_000_000 // k, 1024), 0.01)

    @classmethod
    def quick(cls, k: int) -> "Budget":
        """For one point of a curve: 3 % of the mean, with about a tenth of the trials."""
        return cls(_between(4, 200_000 // k, 32), _between(8, 2_000_000 // k, 256), 0.03)

    @classmethod
    def plan(cls, k: int) -> "Budget":
        """Whether an error is at most a target: to 0.5 % of the mean where it is near."""
        return cls(_between(8, 400_000 // k, 16), _between(64, 20_000_000 // k, 2048), 0.005)

    def is_enough(self, trials: int, result: Forecast) -> bool:
        """Whether no more trials are needed after this number of `trials`."""
        far = self.target is not None and abs(result.error - self.target) > (
            _CERTAIN * result.standard_error
        )
        return trials >= self.most or far or result.standard_error <= self.close * result.error


def _between(low: int, value: int, high: int) -> int:
    return min(max(low, value), high)


def expected_error(
    mechanism: Mechanism,
    p: Floats,
    n: int,
    name: str,
    *,
    people: Ints | None = None,
    domain: Domain | GridDomain | None = None,
    options: Options = Options(),  # noqa: B008 — frozen
    seed: int = 0,
    budget: Budget | None = None,
    progress: Progress = no_progress,
    loss: Loss | None = None,
) -> Forecast:
    """Expected error of the named estimator's shares from the reports of n people.

    `p`: (k,) true shares. `people`: (k,) counts, n in all, if everybody is known; None draws n
    from p. `domain`, `options`: neighbourhoods and settings for estimators that use them.
    `budget`: of trials, by default `Budget.single`. `loss`: the error, the total variation if None.
    Raises `CaldpError` for an unknown estimator, for one that does not go with the mechanism, and
    where trials are needed and the tally of that number of people cannot be drawn.
    """
    forecast = None if loss else approximated_error(mechanism, p, n, name, people=people)
    if forecast is not None:
        return forecast
    samples = strata(p, n) if people is None else [Stratum(1.0, lambda _rng: people)]
    controls = Controls.none(p)
    with suppress(CaldpError):  # no exact variance at this size: trials alone
        controls = Controls.of(mechanism, p, n) if people is None else controls
    trials = _Trials(
        mechanism, p, samples, estimator(name).apply, domain, options, seed, loss or _tv, controls
    )
    return trials.forecast(budget or Budget.single(p.size), progress)


@dataclass(frozen=True, eq=False)
class _Trials:
    mechanism: Mechanism
    p: Floats
    strata: list[Stratum]
    post_process: PostProcess
    domain: Domain | GridDomain | None
    options: Options
    seed: int
    loss: Loss
    controls: Controls

    def forecast(self, budget: Budget, progress: Progress) -> Forecast:
        root = seed_sequence(self.seed, _FORECAST)
        rows: list[Floats] = []
        upto = max(budget.least, 2 * len(self.strata))
        while True:
            for seeds in root.spawn(upto - len(rows)):
                stratum = self.strata[len(rows) % len(self.strata)]
                rows.append(self._row(stratum, seeds))
                progress(min(len(rows) / budget.most, 1.0))
            parts = [np.array(rows[i :: len(self.strata)]) for i in range(len(self.strata))]
            result = self._of(parts)
            if max(float(part[:, 0].mean()) for part in parts) < _ROUNDING:
                return Forecast(0.0, 0.0, 0.0, result.trials)
            # Trials that all agree may just have missed rare values.
            alike = any(np.ptp(part[:, 0]) <= _ALIKE * result.error for part in parts)
            if upto >= budget.most or (budget.is_enough(upto, result) and not alike):
                return result
            upto = min(2 * upto, budget.most)

    def _of(self, parts: list[Floats]) -> Forecast:
        """The forecast from trials that alternate between strata, each counted by its weight.

        `parts`: a (trials, 1 + controls) array a stratum. What the controls explain of the error is
        taken at what they are expected to be.
        """
        weights = np.array([stratum.weight for stratum in self.strata])
        means = np.array([part.mean(axis=0) for part in parts])
        variances = np.array([part[:, 0].var(ddof=1) for part in parts])
        mean = weights @ means
        deviation = float(np.sqrt(weights @ (variances + (means[:, 0] - mean[0]) ** 2)))
        off = np.concatenate(
            [
                weight * (part - own) / np.sqrt(len(part) * (len(part) - 1.0))
                for weight, part, own in zip(weights, parts, means, strict=True)
            ]
        )
        error, rest = self.controls.corrected(mean, off, min(map(len, parts)))
        return Forecast(error, deviation, rest, len(off))

    def _row(self, stratum: Stratum, seeds: np.random.SeedSequence) -> Floats:
        """(1 + controls,) the error of one trial and its controls."""
        people_rng, coins = generators(seeds, 2)
        tally = self.mechanism.sample_tally(stratum.people(people_rng), coins)
        evidence = Evidence.of(self.mechanism, tally, domain=self.domain, options=self.options)
        error = self.loss(self.p, self.post_process(evidence))
        return np.array([error, *self.controls.observed(evidence.unbiased)])


def _tv(truth: Floats, estimate: Floats) -> float:
    return 0.5 * float(np.abs(estimate - truth).sum())
