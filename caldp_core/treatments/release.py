"""A published table as its reader sees it."""

from dataclasses import dataclass

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.types import Bools, Floats, Ints, read_only


@dataclass(frozen=True, eq=False)
class Release:
    """A reader's estimate from a published table, in people.

    `estimate`: (k,) people in each cell, as the reader would guess them; they add up to about
    everybody. `hidden`: (k,) True where the cell has no number of its own. Both are read-only.
    """

    estimate: Floats
    hidden: Bools

    def __post_init__(self) -> None:
        require(
            self.estimate.ndim == 1 and self.estimate.shape == self.hidden.shape,
            "estimate and hidden must be one number and one flag for each cell, got shapes "
            f"{self.estimate.shape} and {self.hidden.shape}.",
        )
        read_only(self.estimate)
        read_only(self.hidden)

    @property
    def shares(self) -> Floats:
        """(k,) shares of all people; 0 for all where nobody is left."""
        total = float(self.estimate.sum())
        return self.estimate / total if total > 0 else np.zeros_like(self.estimate)


def exact_release(counts: Ints) -> Release:
    """The release of (k,) counts as they are: nothing is done to them."""
    return Release(counts.astype(np.float64), np.zeros(counts.size, np.bool_))
