"""Reports that somebody chooses instead of drawing: what they include, and their tally.

A server cannot tell a chosen report from an honest one, as every report that an oracle accepts may
come from any of its symbols. Who wants to raise the share of symbols t sends a report that
*includes* many of them (`oracles/supports.py`; a Hadamard report y includes the rows with H(row, y)
= +1, one of randomized response the symbol that it names).
"""

from typing import Protocol, runtime_checkable

import numpy as np

from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.oracles.supports import SupportProbabilities


@runtime_checkable
class CraftableOracles(Protocol):
    """Oracles that can craft reports; those of every registered family can.

    A crafted report for the hidden symbol t is drawn from the base distribution, given that it
    includes t: it looks like an honest one, and none adds more to p̂_t.
    """

    @property
    def probabilities(self) -> SupportProbabilities:
        """Probabilities that an honest report includes symbols."""
        ...

    @property
    def uniform_inclusion(self) -> Floats:
        """(m,) share of all reports of a block that include a given symbol."""
        ...

    def most_included(self, ranks: Ints) -> Ints | Floats:
        """Distinct ranks of targets → (m,) the most of them that one report of a block includes.

        Every block with targets has a report that includes one. Of several parts of Hadamard
        response a report includes the symbols of other parts than its own by half.
        """
        ...

    def sample_crafted(self, counts: Ints, rng: np.random.Generator) -> Ints:
        """(s,) crafted reports for each hidden symbol → (tally_size,) their tally."""
        ...
