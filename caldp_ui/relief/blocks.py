"""Blocks of a map as boxes in space: where they lie, their ε, and who in them can be read."""

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
    """`heights`: (m,) ε; `protected`: (m,) share of a block's people who are protected.

    `people`: (m,) share of all people. `boxes`: (n, 4) south, north, west and east of rectangles
    that make up the blocks; `of_box`: (n,) the block of each. `descriptions`: a block's numbers in
    words.
    """

    names: tuple[str, ...]
    heights: Floats
    people: Floats
    protected: Floats
    boxes: Floats
    of_box: Ints
    descriptions: tuple[str, ...]


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
    told = tuple(
        f"{name}: ε = {epsilon:g}\n{percent(float(share))} of all people, "
        f"{percent(float(safe))} of them protected"
        for name, epsilon, share, safe in zip(
            partition.names, policy.epsilon, people, protected, strict=True
        )
    )
    return Blocks(partition.names, policy.epsilon, people, protected, boxes, of_box, told)


def _boxes(labels: Ints, domain: GridDomain) -> tuple[Floats, Ints]:
    """Rectangles of cells of one block; where there are too many, of every so many cells."""
    step = 1
    found = _rectangles(labels)
    while len(found) > BOXES_MAX:
        step += 1
        found = _rectangles(labels[step // 2 :: step, step // 2 :: step])
    at = np.array(found, dtype=np.int64)
    ends = np.minimum(at[:, 1:] * step, [domain.rows, domain.rows, domain.columns, domain.columns])
    degrees = ends * domain.cell
    degrees[:, :2] += domain.south
    degrees[:, 2:] += domain.west
    return degrees, at[:, 0]


def _rectangles(labels: Ints) -> list[tuple[int, int, int, int, int]]:
    """Block, first row, row after the last, first column, column after the last.

    Runs of one block along a row, put together over rows.
    """
    open_runs: dict[tuple[int, int, int], int] = {}
    found = []
    rows, columns = labels.shape
    for row in range(rows + 1):
        here: set[tuple[int, int, int]] = set()
        if row < rows:
            turns = np.flatnonzero(np.diff(labels[row])) + 1
            starts = [0, *turns.tolist()]
            ends = [*turns.tolist(), columns]
            here = set(zip(labels[row][starts].tolist(), starts, ends, strict=True))
        ended = [run for run in open_runs if run not in here]
        found += [(run[0], open_runs.pop(run), row, run[1], run[2]) for run in ended]
        for run in here:
            open_runs.setdefault(run, row)
    return found
