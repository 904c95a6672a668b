"""Numbers in steps under plain LDP: our best method beside the square wave with smoothed EM.

Square wave and EMS: Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li, Estimating Numerical Distributions
under Local Differential Privacy, SIGMOD 2020, sections 5.2 to 5.5.
"""

import math
from collections.abc import Iterator
from statistics import median
from typing import Final

import numpy as np

from benchmarks.figures import Figure, Runs
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Floats
from caldp_core.estimation.shares import estimate
from caldp_core.experiments.questions import hidden_whole

_STEPS: Final = 32
_EPSILONS: Final = (0.5, 1.0, 2.0)
_DRAWS: Final = 5
_ROUNDS: Final = 10_000
_STOP: Final = 1e-3
"""Rise of the log-likelihood, by e^ε, at which EMS stops (section 5.5)."""


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Per shape, ε and way: distance (Wasserstein) and error of the mean, in % of the scale."""
    n = sizes.surveyed
    for shape, p in _shapes().items():
        for epsilon in _EPSILONS:
            for title, way in (("ours", _ours), ("square wave, EMS", _square_wave)):
                found = [way(p, n, epsilon, np.random.default_rng(s)) for s in range(_DRAWS)]
                work = f"{shape}, {n:,} people, ε = {epsilon:g}: {title}"
                yield _figure(f"{work}, distance", [_distance(each, p) for each in found])
                yield _figure(f"{work}, mean", [_off_mean(each, p) for each in found])


def _figure(work: str, errors: list[float]) -> Figure:
    return Figure(work, "%", Runs(min(errors), median(errors), len(errors)))


def _shapes() -> dict[str, Floats]:
    x = (np.arange(_STEPS) + 0.5) / _STEPS
    made = {
        "ages": np.exp(-0.5 * np.square((x - 0.4) / 0.2)),
        "incomes": x**1.5 * np.exp(-10 * x),
        "two peaks": np.exp(-np.square((x - 0.25) / 0.03)) + np.exp(-np.square((x - 0.8) / 0.02)),
    }
    return {name: weights / weights.sum() for name, weights in made.items()}


def _distance(found: Floats, p: Floats) -> float:
    return 100 * float(np.abs(np.cumsum(found - p)).sum()) / _STEPS


def _off_mean(found: Floats, p: Floats) -> float:
    return 100 * abs(float((found - p) @ np.arange(_STEPS))) / _STEPS


def _ours(p: Floats, n: int, epsilon: float, rng: np.random.Generator) -> Floats:
    mechanism = hidden_whole(_STEPS)(epsilon)
    tally = mechanism.sample_tally(rng.multinomial(n, p), rng)
    return estimate(mechanism, tally, "simplex")


def _square_wave(p: Floats, n: int, epsilon: float, rng: np.random.Generator) -> Floats:
    """Reports in as many steps as answers, over the scale and the wave's width beyond it."""
    channel = _wave(epsilon)
    people = rng.multinomial(n, p)
    reports = sum(rng.multinomial(count, row) for count, row in zip(people, channel, strict=True))
    return _smoothed(np.asarray(reports, np.float64), channel, epsilon)


def _wave(epsilon: float) -> Floats:
    """(steps, steps) channel: density e^ε as high within b of the answer's step as elsewhere."""
    e = math.exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    q = 1 / (2 * b * e + 1)
    ends = np.linspace(-b, 1 + b, _STEPS + 1)
    fine = (np.arange(_STEPS * 16) + 0.5) / (_STEPS * 16)
    near = np.diff(np.clip(ends, fine[:, None] - b, fine[:, None] + b), axis=1)
    rows = q * np.diff(ends) + q * (e - 1) * near
    return np.asarray(rows.reshape(_STEPS, 16, _STEPS).mean(axis=1))


def _smoothed(reports: Floats, channel: Floats, epsilon: float) -> Floats:
    """EM, and after each round the binomial smoothing of (1, 2, 1)/4."""
    p, before = np.full(_STEPS, 1.0 / _STEPS), -math.inf
    for _ in range(_ROUNDS):
        expected = p @ channel
        p = p * (channel @ (reports / expected)) / reports.sum()
        padded = np.pad(p, 1, mode="edge")
        p = 0.25 * padded[:-2] + 0.5 * p + 0.25 * padded[2:]
        p /= p.sum()
        now = float(reports @ np.log(p @ channel))
        if abs(now - before) < _STOP * math.exp(epsilon):
            break
        before = now
    return p
