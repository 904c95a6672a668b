"""Products of vectors with the channel of a family in a context."""

from typing import Protocol, runtime_checkable

import numpy as np

from caldp_core.basics.types import Floats, Ints, sums_by
from caldp_core.mechanisms.capabilities import SymbolPartition


@runtime_checkable
class OracleProducts(Protocol):
    """Oracles whose tally is the histogram of its reports, with products by its channel Q."""

    def apply(self, p: Floats, base: Floats) -> Floats:
        """Q p: (s,) hidden shares and (m,) shares of base reports → (cells,) law of the cells."""
        ...

    def apply_transpose(self, weights: Floats) -> tuple[Floats, Floats]:
        """Qᵀ w: (cells,) weights → (s,) mean over a hidden symbol's reports, and (m,) base's."""
        ...


class ContextProducts:
    """`ChannelProducts` of a family in a context: its oracles' `cells`, then reports in the clear.

    `blocks`: (k,) labels.
    """

    def __init__(
        self, oracles: OracleProducts, cells: int, blocks: Ints, cover: SymbolPartition
    ) -> None:
        self._oracles, self._cells, self._k = oracles, cells, blocks.size
        self._hidden, self._clear = cover.hidden, cover.clear
        self._block, self._m = blocks[cover.clear], cover.sizes.size
        self._open = cover.clear_share

    def apply(self, p: Floats) -> Floats:
        """(k,) shares → (cells + clear,) law of the reports."""
        clear = p[self._clear]
        base = (1.0 - self._open) * sums_by(self._block, clear, self._m)
        cells = self._oracles.apply(p[self._hidden], base)
        return np.concatenate([cells, self._open[self._block] * clear])

    def apply_transpose(self, weights: Floats) -> Floats:
        """(cells + clear,) weights → (k,) their mean over each symbol's reports."""
        result = np.empty(self._k)
        result[self._hidden], base = self._oracles.apply_transpose(weights[: self._cells])
        share = self._open[self._block]
        result[self._clear] = share * weights[self._cells :] + (1.0 - share) * base[self._block]
        return result
