"""Whole populations at once: the tally drawn from its exact law, and the estimate from it.

The time should not grow with the number of people.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.figures import Bar, Figure, measure_time, ratio
from benchmarks.people import contexts
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Ints
from caldp_core.datasets import Gowalla
from caldp_core.mechanisms import ContextMechanism

_FROM = 10**6


def figures(sizes: Sizes) -> Iterator[Figure]:
    """sample_tally + estimate for each n and context, and more people against 10^6."""
    dataset = Gowalla().load()
    for name, mechanism in contexts(dataset):
        done = {}
        for n in sizes.populations:
            counts = np.random.default_rng(1).multinomial(n, dataset.distribution)
            done[n] = measure_time(
                f"sampled tally and estimate, n = {n:.0e}, {name}",
                "ms",
                _sample(mechanism, counts),
                sizes.repeats,
                Bar("≤", 60),
            )
            yield done[n]
        for n in sizes.populations:
            if n > _FROM:
                work = f"n = {n:.0e} / n = {_FROM:.0e}, {name}"
                yield ratio(work, done[n], done[_FROM], Bar("≤", 2))


def _sample(mechanism: ContextMechanism, counts: Ints) -> Callable[[int], object]:
    return lambda run: mechanism.estimate(
        mechanism.sample_tally(counts, np.random.default_rng(run))
    )
