"""The paper's experiments, whole: Table 1 and Figure 2 of CALDP §7.

Room: benchmarks.
"""

from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.figures import Bar, Figure, timed
from benchmarks.sizes import Sizes
from caldp_core.datasets import DatasetSpec, Geometric, PermutedGeometric, Uniform, Zipf
from caldp_core.experiments.reproduce import table_1
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import BlocksSpec, EvenRuns, OneBlock
from caldp_core.scenarios.scenario import Scenario

_K: Final = 1000
_DISTRIBUTIONS: Final[tuple[DatasetSpec, ...]] = (
    Uniform(_K),
    Geometric(_K),
    PermutedGeometric(_K),
    Zipf(_K),
)
_CURVES: Final[tuple[BlocksSpec, ...]] = (OneBlock(), *map(EvenRuns, (10, 20, 50, 100)))


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Both, from scenarios to errors, making of data and mechanisms included."""
    yield timed(
        f"Table 1, 4 columns × {sizes.table_runs} runs",
        "s",
        lambda seed: table_1(sizes.table_runs, seed),
        sizes.long_repeats,
        Bar("≤", 20),
    )
    points = f"{len(_DISTRIBUTIONS)} × {len(_CURVES)} × {sizes.figure_sizes}"
    yield timed(
        f"Figure 2, {points} points × {sizes.figure_runs} runs",
        "s",
        _figure_2(sizes),
        sizes.long_repeats,
        Bar("≤", 10),
    )


def _figure_2(sizes: Sizes) -> Callable[[int], object]:
    def action(seed: int) -> None:
        for dataset in _DISTRIBUTIONS:
            for blocks in _CURVES:
                for i in range(sizes.figure_sizes):
                    n, trials = 1000 * 2**i, sizes.figure_runs
                    run(
                        prepare(
                            Scenario(
                                dataset,
                                policy=ContextPolicy(blocks=blocks),
                                n=n,
                                trials=trials,
                                seed=seed,
                            )
                        )
                    )

    return action
