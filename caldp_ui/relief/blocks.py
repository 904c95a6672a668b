"""Blocks of a map as boxes in space: their place, their ε and the share who are protected."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import Context
from caldp_ui.relief.words import percent

BOXES_MAX: Final = 4_000
"""Most boxes of a relief: each costs the browser some 200 bytes."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Names, levels, people and rectangles of the m blocks of a map.

    `heights`: (m,) ε; `people`: (m,) share of all people; `protected`: (m,) share of a block's
    people who are protected. `boxes`: (n, 4) south, north, west and east of the rectangles that
    make up the blocks, in degrees; `of_box`: (n,) block of each. `descriptions`: (m,) a block's
    numbers in words; `levels`: (m,) its ε, or "none" where nothing is hidden.
    """

    names: tuple[str, ...]
    heights: Floats
    people: Floats
    protected: Floats
    boxes: Floats
    of_box: Ints
    descriptions: tuple[str, ...]
    levels: tuple[str, ...]


def blocks_of(setup: Setup, domain: GridDomain) -> Blocks | None:
    """The blocks of a context on a map; None for other policies."""
    policy, partition = setup.policy, setup.partition
    if not isinstance(policy, Context):
        return None
    people = partition.sums(setup.dataset.distribution)
    hidden = partition.sums(np.where(policy.hidden(), setup.dataset.distribution, 0.0))
    cells = partition.sums(policy.hidden().astype(np.float64)) / partition.sizes()
    protected = np.where(people > 0, hidden / np.maximum(people, 1e-300), cells)
    boxes, of_box = _boxes(partition.labels.reshape(domain.rows, domain.columns), domain)
    hides = policy.hidden_sizes.tolist()
    levels = tuple(
        f"{epsilon:g}" if some else "none"
        for epsilon, some in zip(policy.epsilon.tolist(), hides, strict=True)
    )
    descriptions = tuple(
        f"{name}: ε = {level}\n{percent(float(share))} of all people, "
        f"{percent(float(safe))} of them protected"
        for name, level, share, safe in zip(partition.names, levels, people, protected, strict=True)
    )
    return Blocks(
        partition.names, policy.epsilon, people, protected, boxes, of_box, descriptions, levels
    )


def _boxes(labels: Ints, domain: GridDomain) -> tuple[Floats, Ints]:
    """(n, 4) rectangles in degrees and (n,) block of each, from (rows, columns) labels.

    More than `BOXES_MAX` are thinned: only every second cell, or every third and so on, counts.
    """
    step = 1
    rectangles = _rectangles(labels)
    while len(rectangles) > BOXES_MAX:
        step += 1
        rectangles = _rectangles(labels[step // 2 :: step, step // 2 :: step])
    table = np.array(rectangles, dtype=np.int64)
    ends = np.minimum(
        table[:, 1:] * step, [domain.rows, domain.rows, domain.columns, domain.columns]
    )
    degrees = ends * domain.cell
    degrees[:, :2] += domain.south
    degrees[:, 2:] += domain.west
    return degrees, table[:, 0]


def _rectangles(labels: Ints) -> list[tuple[int, int, int, int, int]]:
    """Rectangles of one block: label, first row, row after the last, first and end column.

    Runs of one block along a row, merged over rows.
    """
    open_runs: dict[tuple[int, int, int], int] = {}
    rectangles = []
    rows, columns = labels.shape
    for row in range(rows + 1):
        current_runs: set[tuple[int, int, int]] = set()
        if row < rows:
            changes = np.flatnonzero(np.diff(labels[row])) + 1
            starts = [0, *changes.tolist()]
            ends = [*changes.tolist(), columns]
            current_runs = set(zip(labels[row][starts].tolist(), starts, ends, strict=True))
        ended = [run for run in open_runs if run not in current_runs]
        rectangles += [(run[0], open_runs.pop(run), row, run[1], run[2]) for run in ended]
        for run in current_runs:
            open_runs.setdefault(run, row)
    return rectangles
