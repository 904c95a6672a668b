"""The best noise for a distance on the paper's map: its design, its tallies, and its displacement.

Displacements are compared with the proved bound, below which no mechanism is.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.figures import Bar, Figure, measure_time
from benchmarks.sizes import Sizes
from caldp_core.basics.types import Ints
from caldp_core.datasets import Gowalla
from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms.direct.planar import product_displacement
from caldp_core.mechanisms.kernels.design import Steps, design
from caldp_core.mechanisms.kernels.mechanism import BestKernel
from caldp_core.privacy.distance import EuclideanMetric


def figures(sizes: Sizes) -> Iterator[Figure]:
    """ε = 1 within so many kilometres."""
    dataset = Gowalla().load()
    assert isinstance(dataset.domain, GridDomain)
    counts = np.random.default_rng(1).multinomial(
        min(sizes.people, dataset.n or sizes.people), dataset.distribution
    )
    for km in sizes.kernel_km:
        policy = EuclideanMetric.per_km(dataset.domain, 1.0 / km)
        yield from _of_map(policy, f"{km:g} km", counts, sizes)


def _of_map(policy: EuclideanMetric, within: str, counts: Ints, sizes: Sizes) -> Iterator[Figure]:
    steps = Steps.of(policy)
    yield measure_time(
        f"best noise designed, {within}", "s", lambda _: design(steps), 1, Bar("≤", 60)
    )
    kernel = design(steps)
    product = product_displacement(policy.epsilon_row, policy.epsilon_column)
    for name, displacement, bar in (
        ("best noise", kernel.displacement, Bar("≤", 1.0001)),
        ("planar noise", kernel.planar, None),
        ("noise along both axes", product, None),
    ):
        over = displacement / kernel.bound
        work = f"displacement over the bound, {within}, {name}"
        yield Figure.of(work, "×", [over], bar, f"{100 * (over - 1):.4f} % over")
    yield measure_time(
        f"best noise, tally of {counts.sum():,} people, {within}",
        "ms",
        _sample(BestKernel(policy, kernel), counts),
        sizes.repeats,
        Bar("≤", 200),
    )


def _sample(mechanism: BestKernel, counts: Ints) -> Callable[[int], object]:
    return lambda run: mechanism.sample_tally(counts, np.random.default_rng(run))
