"""Errors over sizes of cells, computed once for all visits: of a scenario and of plain LDP."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Progress
from caldp_core.experiments.cell_errors import CellErrors, mean_cell_errors
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import plain_ldp, runs

_TRIALS = 4


@dataclass(frozen=True)
class CellErrorCurves:
    """Errors by size of cells, the smallest first: with this protection, and with plain LDP."""

    ours: tuple[CellErrors, ...]
    plain: tuple[CellErrors, ...]


def key(scenarios: Sequence[Scenario]) -> str:
    """The cache key of the scenarios, one for each size."""
    return " ".join(runs.key(each) for each in scenarios)


@cached_by(lambda sizes, _: key(sizes))
def errors_by_cell_size(scenarios: Sequence[Scenario], progress: Progress) -> CellErrorCurves:
    """The mean errors of a few runs for each size; sizes whose runs take long are left out."""
    both = [(each, plain_ldp.best_plain_ldp(each)) for each in scenarios]
    quick = [pair for pair in both if not any(runs.takes_long(each) for each in pair)]
    ours = mean_cell_errors(
        [partial(runs.setup, one) for one, _ in quick],
        _TRIALS,
        lambda share: progress(share / 2),
    )
    plain = mean_cell_errors(
        [partial(runs.setup, other) for _, other in quick],
        _TRIALS,
        lambda share: progress(0.5 + share / 2),
    )
    return CellErrorCurves(ours, plain)
