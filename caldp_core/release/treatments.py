"""What is published of the counts, by the treatment of the settings: numbers, and what they are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from caldp_core.basics.errors import count_text, require
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.release import noise
from caldp_core.release.cells import Cells
from caldp_core.release.counting import Counted
from caldp_core.release.hiding import hide_small
from caldp_core.release.rounding import round_table
from caldp_core.release.settings import (
    CentralNoise,
    HiddenCounts,
    LargerCells,
    RandomRounding,
    Settings,
)
from caldp_core.treatments.suppression import Margins

HIDDEN: Final = "hidden"
EXACT: Final = "exact"
NOISY: Final = "noisy"
ROUNDED: Final = "rounded"


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is ready before a coin is thrown; `draw` makes the numbers of `cells`, once.

    `small`: of hidden counts how many must be hidden by themselves; a true number, for the officer.
    """

    cells: Cells
    draw: Callable[[], "Numbers"]
    small: int = 0


@dataclass(frozen=True, eq=False)
class Numbers:
    """(N,) cells, totals and the total of everybody, as published; `words`: (N,) what each is.

    A hidden number is −1 in `values`. `facts`: numbers about all of them, by name, for sentences.
    """

    values: Ints
    words: tuple[str, ...]
    facts: dict[str, Any]


def prepare(
    settings: Settings,
    cells: Cells,
    counted: Counted,
    order_of: Callable[[int], Ints],
    progress: Progress = no_progress,
) -> Prepared:
    """All of a release that needs no coins; raises `CaldpError` where nothing may be published.

    `order_of`: a secret order of so many numbers, by the office's key. `progress` may raise
    `Cancelled`: nothing is counted yet.
    """
    threshold, most, people = settings.threshold, settings.list.most, counted.people
    require(
        people >= threshold,
        f"The list has fewer than {count_text(threshold, 'person', 'people')}; such a list is not "
        "released.",
    )
    treatment, has_elsewhere = settings.treatment, settings.list.unit != "table"
    if isinstance(treatment, HiddenCounts | LargerCells):
        # It needs no coins, so that what is refused is refused before anything is counted.
        counts = counted.draw_counts()
        if isinstance(treatment, LargerCells):
            cells, counts = _larger(cells, counts)
        cells = cells.with_elsewhere() if has_elsewhere else cells
        margins = cells.margins()
        order = order_of(margins.always.size)
        table = hide_small(counts, margins, threshold, order, progress)
        words = tuple(np.where(table.numbers < 0, HIDDEN, EXACT).tolist())
        hidden = Numbers(table.numbers, words, {})
        return Prepared(cells, lambda: hidden, int(table.marks.sum()))
    cells = cells.with_elsewhere() if has_elsewhere else cells
    margins = cells.margins()
    if isinstance(treatment, CentralNoise):
        noise.check_installed()
        epsilon, exact = treatment.epsilon, people if most == 1 else None
        return Prepared(
            cells, lambda: _add_noise(counted.draw_counts(), margins, most, epsilon, exact)
        )
    base = treatment.base
    return Prepared(cells, lambda: _round(counted.draw_counts(), margins, base))


def facts_without_numbers(settings: Settings) -> dict[str, Any]:
    """The facts that hold before anything is drawn, for a draft of the record."""
    treatment = settings.treatment
    if isinstance(treatment, CentralNoise):
        epsilon, most = treatment.epsilon, settings.list.most
        width = noise.half_width(epsilon, most)
        return {"epsilon": epsilon, "scale": 2 * most / epsilon, "off_at_most": width}
    if isinstance(treatment, RandomRounding):
        return {"base": treatment.base, "off_at_most": treatment.base - 1}
    return {}


def _larger(cells: Cells, counts: Ints) -> tuple[Cells, Ints]:
    """The larger cells, and their counts; that of everybody else stays the last."""
    larger = cells.larger()
    groups = cells.hierarchies[0][0].groups
    sums = np.bincount(groups, counts[: groups.size], len(larger.names)).astype(np.int64)
    return larger, np.append(sums, counts[groups.size :])


def _round(counts: Ints, margins: Margins, base: int) -> Numbers:
    values = round_table(counts, margins, base)
    return Numbers(values, (ROUNDED,) * values.size, {"base": base, "off_at_most": base - 1})


def _add_noise(
    counts: Ints, margins: Margins, most: int, epsilon: float, exact: int | None
) -> Numbers:
    noisy = noise.add_noise(counts, most, epsilon)
    values = margins.numbers(noisy.counts)
    words = [NOISY] * counts.size + [f"sum of {NOISY} cells"] * (values.size - counts.size)
    if exact is not None:
        # Neighbours are lists of equal length: the number of people is public, and only it.
        values[-1], words[-1] = exact, EXACT
    width = noise.half_width(noisy.epsilon, most)
    facts = {"epsilon": noisy.epsilon, "scale": noisy.scale, "off_at_most": width}
    return Numbers(values, tuple(words), facts)
