"""The paper's experiments, whole: Table 1 and Figure 2 of CALDP §7."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.figures import Bar, Figure, measure_time
from benchmarks.sizes import Sizes
from caldp_core.experiments.interleaved_runs import run_in_processes, run_interleaved
from caldp_core.experiments.reproduce import (
    LINES,
    PANELS,
    PAPER,
    SIZES,
    figure_2_points,
    table_1,
)


def figures(sizes: Sizes) -> Iterator[Figure]:
    """Seconds of both, from scenarios to errors, with the making of data and mechanisms."""
    yield measure_time(
        f"Table 1, 4 columns × {sizes.table_runs} runs",
        "s",
        lambda seed: table_1(sizes.table_runs, seed, run_all=run_in_processes),
        sizes.long_repeats,
        Bar("≤", 15),
    )
    points = f"{len(PANELS)} × {len(LINES)} × {sizes.figure_sizes}"
    yield measure_time(
        f"Figure 2, {points} points × {sizes.figure_runs} runs",
        "s",
        _figure_2(sizes),
        sizes.long_repeats,
        Bar("≤", 10),
    )


def _figure_2(sizes: Sizes) -> Callable[[int], object]:
    kept = SIZES[: sizes.figure_sizes]

    def action(seed: int) -> None:
        points = figure_2_points(sizes.figure_runs, replace(PAPER, seed=seed))
        for _ in run_interleaved([point.scenario for point in points if point.scenario.n in kept]):
            pass

    return action
