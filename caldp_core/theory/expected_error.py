"""Expected error of an estimate: the normal approximation where it holds, else trials.

The error is the total variation, or any other, by trials alone. For any estimator and any mechanism
that can draw a tally and estimate from it. Trials draw people, the tally of their
reports and the estimate, as a run does, but with coins that no run has. Two forecasts with one seed
draw the same people and start from the same coins, so that neighbours on a curve differ by less
than their standard errors. Where rare values matter, every second trial has some, and counts as
often as they come (`strata`). Where people are drawn, the part of the error that goes with what is
known of the unbiased estimate is set right (`control_variates`): of two values that is nearly all
of it, and trials alone would be off by 5 to 10 %.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.counted import count_text
from caldp_core.basics.limits import TRIALS_MAX
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.estimators import PostProcess, estimator
from caldp_core.estimation.evidence import Evidence, Options
from caldp_core.mechanisms import Mechanism
from caldp_core.theory.control_variates import Controls
from caldp_core.theory.normal_approximation import approximation
from caldp_core.theory.strata import FixedPeople, Stratum, strata

Loss: TypeAlias = Callable[[Floats, Floats], float]
"""An error ≥ 0 of two (k,) vectors: true shares, estimate."""
NORMAL: Final = "normal approximation"
_ROUNDING: Final = 1e-12
"""An error below it is rounding: the estimate is the truth."""
_CERTAIN: Final = 4.0
"""Standard errors by which an error is off, so that more trials would hardly change the answer."""
_ALIKE: Final = 1e-9
"""Relative: errors of trials that differ by no more are one, but for rounding."""


@dataclass(frozen=True)
class Forecast:
    """Expected error of an estimate, without running the scenario.

    `error`: the expectation, of the total variation where no other error was asked for.
    `deviation`: standard deviation over repetitions. `standard_error`: of `error`, as far as it
    comes from the number of trials; 0 for the normal approximation. `method`: "normal
    approximation" or "simulated, N trials".
    """

    error: float
    deviation: float
    standard_error: float
    method: str


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
    def plan(cls, k: int, target: float | None) -> "Budget":
        """Whether an error is at most `target`: to 0.5 % of the mean where it is near."""
        return cls(
            _between(8, 200_000 // k, 64), _between(64, 20_000_000 // k, 2048), 0.005, target
        )

    def is_enough(self, trials: int, result: Forecast) -> bool:
        """Whether no more trials are needed after so many."""
        far = self.target is not None and abs(result.error - self.target) > (
            _CERTAIN * result.standard_error
        )
        return trials >= self.most or far or result.standard_error <= self.close * result.error


def _between(low: int, value: int, high: int) -> int:
    return min(max(low, value), high)


def approximated_error(
    mechanism: Mechanism, p: Floats, n: int, name: str, *, people: Ints | None = None
) -> Forecast | None:
    """The normal approximation of `expected_error`, None where it does not hold."""
    result = approximation(mechanism, p, n, people is None, estimator(name).apply)
    return None if result is None else Forecast(result.tv, result.deviation, 0.0, NORMAL)


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
    where trials are needed and the tally of so many people cannot be drawn.
    """
    forecast = None if loss else approximated_error(mechanism, p, n, name, people=people)
    if forecast is not None:
        return forecast
    samples: list[Stratum] = strata(p, n) if people is None else [FixedPeople(people)]
    controls = Controls.of(mechanism, p, n) if people is None else Controls.none(p)
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
        # A run's trials are children 0 … TRIALS_MAX − 1 of the same seed.
        root = np.random.SeedSequence(self.seed, spawn_key=(TRIALS_MAX,))
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
                return Forecast(0.0, 0.0, 0.0, result.method)
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
        error, rest = self.controls.corrected(mean, off)
        return Forecast(
            error, deviation, rest, f"simulated, {count_text(len(off), 'trial', 'trials')}"
        )

    def _row(self, stratum: Stratum, seeds: np.random.SeedSequence) -> Floats:
        """(1 + controls,) the error of one trial and its controls."""
        people_rng, coins = (np.random.default_rng(child) for child in seeds.spawn(2))
        tally = self.mechanism.sample_tally(stratum.people(people_rng), coins)
        evidence = Evidence.of(self.mechanism, tally, domain=self.domain, options=self.options)
        error = self.loss(self.p, self.post_process(evidence))
        return np.array([error, *self.controls.observed(evidence.unbiased)])


def _tv(truth: Floats, estimate: Floats) -> float:
    return 0.5 * float(np.abs(estimate - truth).sum())
