"""Numbers in steps under plain LDP: the best method of any values beside the square wave."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from benchmarks.figures import Figure
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Floats
from caldp_core.estimation.shares import estimate
from caldp_core.experiments.questions import plain_mechanism_maker
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.specs import SquareWave

_STEPS: Final = 32
_EPSILONS: Final = (0.5, 1.0, 2.0)
_DRAWS: Final = 15
_METHODS: Final[dict[str, tuple[Callable[[int], Callable[[float], Mechanism]], str]]] = {
    "the best of any values, projected": (plain_mechanism_maker, "simplex"),
    "square wave, smoothed": (lambda k: plain_mechanism_maker(k, SquareWave()), "smoothed"),
    "square wave, likelihood": (
        lambda k: plain_mechanism_maker(k, SquareWave()),
        "maximum-likelihood",
    ),
}


def figures(sizes: Sizes) -> Iterator[Figure]:
    """For shapes, ε and methods: Wasserstein distance, people under a wrong number, mean's error.

    In % of the scale, of people, and of the scale.
    """
    n = sizes.surveyed
    for shape, p in _shapes().items():
        for epsilon in _EPSILONS:
            for title, (maker, name) in _METHODS.items():
                mechanism, rngs = maker(_STEPS)(epsilon), map(np.random.default_rng, range(_DRAWS))
                tallies = [mechanism.sample_tally(rng.multinomial(n, p), rng) for rng in rngs]
                estimates = [estimate(mechanism, tally, name) for tally in tallies]
                work = f"{shape}, {n:,} people, ε = {epsilon:g}: {title}"
                for error, error_of in _ERRORS.items():
                    errors = [error_of(each, p) for each in estimates]
                    yield Figure.of(f"{work}, {error}", "%", errors)


def _shapes() -> dict[str, Floats]:
    x = (np.arange(_STEPS) + 0.5) / _STEPS
    shapes = {
        "ages": np.exp(-0.5 * np.square((x - 0.4) / 0.2)),
        "incomes": x**1.5 * np.exp(-10 * x),
        "two peaks": np.exp(-np.square((x - 0.25) / 0.03)) + np.exp(-np.square((x - 0.8) / 0.02)),
    }
    return {name: weights / weights.sum() for name, weights in shapes.items()}


_ERRORS: Final[dict[str, Callable[[Floats, Floats], float]]] = {
    "distance": lambda estimate, p: 100 * float(np.abs(np.cumsum(estimate - p)).sum()) / _STEPS,
    "wrong": lambda estimate, p: 50 * float(np.abs(estimate - p).sum()),
    "mean": lambda estimate, p: 100 * abs(float((estimate - p) @ np.arange(_STEPS))) / _STEPS,
}
