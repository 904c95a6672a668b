"""Errors over sizes of cells, computed once for all visits: of a scenario and of plain LDP."""

from collections.abc import Sequence
from dataclasses import dataclass

from caldp_core.basics.cache import cached
from caldp_core.basics.types import Progress
from caldp_core.experiments.cell_errors import CellErrors, over_cells
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import rivals, runs

_TRIALS = 4


@dataclass(frozen=True)
class Ladder:
    """Errors by size of cells, the smallest first: with this protection, and with plain LDP."""

    ours: tuple[CellErrors, ...]
    plain: tuple[CellErrors, ...]


def key(sizes: Sequence[Scenario]) -> str:
    """What stands for the scenarios, one for each size."""
    return " ".join(runs.key(each) for each in sizes)


def ladder(sizes: Sequence[Scenario], progress: Progress) -> Ladder:
    """The mean errors of a few runs for each size; sizes whose runs take long are left out."""
    return _ladder(key(sizes), tuple(sizes), progress)


@cached
def _ladder(text: str, _sizes: tuple[Scenario, ...], _progress: Progress) -> Ladder:
    del text
    both = [(each, rivals.rival(each)) for each in _sizes]
    quick = [pair for pair in both if not any(runs.takes_long(each) for each in pair)]
    ours = over_cells(
        [lambda s=one: runs.setup(s) for one, _ in quick],  # type: ignore[misc]
        _TRIALS,
        lambda share: _progress(share / 2),
    )
    plain = over_cells(
        [lambda s=other: runs.setup(s) for _, other in quick],  # type: ignore[misc]
        _TRIALS,
        lambda share: _progress(0.5 + share / 2),
    )
    return Ladder(ours, plain)
