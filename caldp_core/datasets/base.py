"""What a dataset is to the rest of the package: a domain and how people are spread over it.

A *spec* (frozen; numbers, texts, tuples of them) says which data is meant and can be a cache key,
part of a scenario file or of a link; `load()` turns it into a `Dataset`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from caldp_core.basics.errors import count_text, require
from caldp_core.basics.types import (
    EqualByFields,
    Floats,
    Ints,
    Progress,
    counts_by,
    no_progress,
    read_only,
)
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.partitions import LargerCells


@dataclass(frozen=True, eq=False)
class FineMap(EqualByFields):
    """The small cells of a map of larger cells: how `cells` combine them, and their (k,) shares."""

    cells: LargerCells
    distribution: Floats

    @property
    def even_distribution(self) -> Floats:
        """(k,) shares if in each larger cell people were spread evenly."""
        return self.cells.spread_evenly(self.cells.sums(self.distribution))


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(EqualByFields):
    """People over a domain.

    `distribution`: (k,) floats, sums to 1. `counts`: (k,) whole people per symbol where the data
    are real people, None where there is only a distribution to draw people from.
    `from_inhabitants`: whether it was made from where people live, so that it can't show how good
    that is as a prior.
    `name` and `note` are shown to readers: what this is and where it comes from. `fine_map`: of
    maps of cells that were put together, the small ones.
    """

    name: str
    note: str
    domain: Domain | GridDomain
    distribution: Floats
    counts: Ints | None = None
    fine_map: FineMap | None = None
    from_inhabitants: bool = False

    def __repr__(self) -> str:
        people = "" if self.n is None else f", {count_text(self.n, 'person', 'people')}"
        return f"<Dataset: {self.name}, {self.domain.k:,} values{people}>"

    @cached_property
    def n(self) -> int | None:
        """Number of people in the data, None for a pure distribution."""
        return None if self.counts is None else int(self.counts.sum())


def from_counts(name: str, note: str, domain: Domain | GridDomain, counts: Ints) -> Dataset:
    """A dataset of real people; `counts`: (k,) int64 ≥ 0. Raises `CaldpError` if there are none."""
    total = int(counts.sum())
    require(total > 0, f"{name} holds nobody in the chosen area; choose a larger one.")
    distribution = read_only(counts / total)
    return Dataset(name, note, domain, distribution, read_only(counts.astype(np.int64)))


def from_weights(name: str, note: str, domain: Domain | GridDomain, weights: Floats) -> Dataset:
    """A dataset to draw people from; `weights`: (k,) floats ≥ 0, not all 0."""
    return Dataset(name, note, domain, read_only(weights / weights.sum()))


def with_larger_cells(dataset: Dataset, together: int) -> Dataset:
    """The dataset on larger cells, each `together` by `together` small ones; 1 changes nothing.

    Raises `CaldpError` where they can't be.
    """
    if together == 1 or not isinstance(dataset.domain, GridDomain):
        return dataset
    cells = LargerCells(dataset.domain, together)
    counts = dataset.counts
    return Dataset(
        dataset.name,
        f"{dataset.note} Cells are put together {together} by {together}, to {cells.grid.cell:g}°.",
        cells.grid,
        read_only(cells.sums(dataset.distribution)),
        None
        if counts is None
        else read_only(counts_by(cells.larger_cell_of, counts, cells.grid.k)),
        FineMap(cells, dataset.distribution),
    )


class DatasetSpec(Protocol):
    """Says which data is meant; every field is a number, a text or a tuple of them."""

    def load(self, progress: Progress = no_progress) -> Dataset:
        """Read or make the data; `progress` gets the finished share and may raise to cancel."""
        ...
