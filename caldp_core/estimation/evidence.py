"""The input of an estimator: the tally of one run, what follows from it, and public knowledge.

Everything here comes from reports alone, or is public; nobody's true symbol does.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np

from caldp_core.basics import types as arrays
from caldp_core.basics.errors import check_number, require
from caldp_core.basics.limits import FALSE_SHARE_MAX, FALSE_SHARE_MIN
from caldp_core.domain.domains import Domain, GridDomain
from caldp_core.domain.partitions import tile_trees
from caldp_core.estimation.cascade import Cascade, cascade
from caldp_core.estimation.projection import TiedShares, block_thresholds
from caldp_core.mechanisms.base import Mechanism, Tally, check_mechanism
from caldp_core.mechanisms.capabilities import HasClearCounts, block_totals

USUAL: Final = "cascade"
KNOWING_MAP: Final = "cascade-map"
"""Name of the estimator that knows a public map."""
Q_ON_MAPS: Final = 0.2
"""q of the cascade on maps by default: a smaller one spreads the soft edges of towns around."""
Q_OF_VALUES: Final = 0.05
"""q of the cascade for other values; see "When to change q" in docs/estimators.md."""


@dataclass(frozen=True, eq=False)
class Options(arrays.EqualByFields):
    """`prior`: (k,) shares of people by what is public, for "cascade-map", or None.

    `false_share`: q of the cascade, of what it keeps on a level the share that may be noise, in
    [0.001, 0.5]; None: 0.2 on maps, else 0.05. Raises `CaldpError` for any other.
    """

    prior: arrays.Floats | None = None
    false_share: float | None = None

    def __post_init__(self) -> None:
        check_false_share(self.false_share)


EstimatorName: TypeAlias = Literal[
    "simplex",
    "simplex-per-block",
    "cascade",
    "cascade-inhabitants",
    "cascade-map",
    "mixture",
    "chosen",
    "significance-threshold",
    "maximum-likelihood",
    "smoothed",
    "none",
]
"""Names of the estimators, so that type checkers find a misspelt one."""


def default_estimator(prior: arrays.Floats | None = None) -> EstimatorName:
    """Name of the estimator where none is chosen, equal for runs, collections, programs and pages.

    `prior`: (k,) shares by a public map that is taken for known, or None.
    """
    return USUAL if prior is None else KNOWING_MAP


def default_false_share(domain: Domain | GridDomain | None) -> float:
    """q of the cascade by default."""
    return Q_ON_MAPS if isinstance(domain, GridDomain) else Q_OF_VALUES


def check_false_share(q: float | None) -> float | None:
    """Return q of the cascade if it is one or None, or raise `CaldpError`."""
    if q is None:
        return None
    return check_number("false_share (q of the cascade)", q, FALSE_SHARE_MIN, FALSE_SHARE_MAX)


@dataclass(frozen=True, eq=False)
class ClearShares(arrays.EqualByFields):
    """What reports in the clear say almost exactly, which no estimator may move.

    `hidden`: (k,) flags of all other symbols. `shares`: (k,) of the symbols in the clear, 0 for
    hidden ones. `left`: (m,) shares of blocks that remain for their hidden symbols, at least 0.
    """

    hidden: arrays.Bools
    shares: arrays.Floats
    left: arrays.Floats

    @classmethod
    def of(cls, evidence: "Evidence") -> "ClearShares":
        """By their own reports; scaled to a block's total where they exceed it or fill it alone.

        Such a block without a single report that names a symbol is spread evenly.
        """
        mechanism, blocks, totals = evidence.mechanism, evidence.blocks, evidence.block_shares
        hidden = np.ones(blocks.size, np.bool_)
        if isinstance(mechanism, HasClearCounts):
            hidden[mechanism.symbol_partition.clear] = False
        shares = np.where(hidden, 0.0, np.maximum(evidence.unbiased, 0.0))
        sums = arrays.sums_by(blocks, shares, totals.size)
        alone = np.bincount(blocks, weights=hidden, minlength=totals.size) == 0
        unnamed = alone & (sums == 0)
        shares[unnamed[blocks]] = 1.0
        sums = np.where(unnamed, np.bincount(blocks, minlength=totals.size), sums)
        part = np.divide(totals, sums, out=np.ones(totals.size), where=alone | (sums > totals))
        return cls(hidden, shares * part[blocks], np.maximum(totals - part * sums, 0.0))


@dataclass(frozen=True, eq=False)
class Evidence(arrays.EqualByFields):
    """Everything that post-processing can use. Build it with `Evidence.of`.

    `unbiased`: (k,) unbiased shares, may be negative. `blocks`: (k,) labels in [0, m).
    `block_shares`: (m,) observed shares of blocks, exact for these people, sum 1; a mechanism
    without blocks has one of everything. `n`: people. `mechanism`, `tally`: their source. `domain`:
    which symbols are neighbours, None where that is not known. `options`: what estimators know
    beside the reports. `progress`: called with the finished share of an estimator that takes long;
    it may raise `Cancelled`.
    """

    unbiased: arrays.Floats
    blocks: arrays.Ints
    block_shares: arrays.Floats
    n: int
    mechanism: Mechanism
    tally: Tally
    progress: arrays.Progress = arrays.no_progress
    domain: Domain | GridDomain | None = None
    options: Options = Options()
    __repr__ = arrays.short_repr

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        tally: Tally,
        progress: arrays.Progress = arrays.no_progress,
        domain: Domain | GridDomain | None = None,
        options: Options = Options(),
    ) -> "Evidence":
        """The evidence in one tally; raises `CaldpError` if another mechanism made it."""
        check_mechanism("A tally is read by the mechanism that made it", mechanism)
        unbiased = mechanism.estimate(tally)
        require(
            domain is None or getattr(domain, "k", 0) == mechanism.k,
            f"domain must be a Domain of the mechanism's {mechanism.k:,} values, got {domain!r}.",
        )
        blocks, people = block_totals(mechanism, tally)
        return cls(
            unbiased=arrays.read_only(unbiased),
            blocks=blocks,
            block_shares=arrays.read_only(people / tally.n),
            n=tally.n,
            mechanism=mechanism,
            tally=tally,
            progress=progress,
            domain=domain,
            options=options,
        )

    @cached_property
    def plausible(self) -> arrays.Floats:
        """(k,) nearest shares ≥ 0 that keep each block's observed total and what is in the clear.

        Only hidden symbols give way: one shift for all would spread their noise over shares that
        are known almost exactly.
        """
        clear = self.clear
        # An excluded symbol lies below the thresholds of all blocks that have hidden ones.
        excluded = float(self.unbiased.min()) - float(clear.left.max()) - 1.0
        estimate = np.where(clear.hidden, self.unbiased, excluded)
        tau = block_thresholds(estimate, self.blocks, clear.left)
        nearest = np.maximum(estimate - tau[self.blocks], 0.0)
        return arrays.read_only(np.where(clear.hidden, nearest, clear.shares))

    @cached_property
    def clear(self) -> ClearShares:
        """What reports in the clear say, and what that leaves for hidden symbols."""
        return ClearShares.of(self)

    @cached_property
    def deviation(self) -> arrays.Floats:
        """(k,) plug-in standard deviation σ̂ of `unbiased`: the exact formula at `plausible`.

        Over data and coins. Where the data are fixed it is an upper bound.
        """
        return arrays.read_only(
            np.sqrt(np.maximum(self.mechanism.variance(self.plausible, self.n), 0.0))
        )

    @cached_property
    def tied_shares(self) -> TiedShares:
        """Shares tied to the blocks' totals, and the noise that this leaves."""
        return TiedShares.of(self)

    @cached_property
    def cascade_pooling(self) -> Cascade:
        """The cascade over tiles of neighbouring symbols; without a domain nothing pools."""
        labels = self.tied_shares.blocks
        cuts = () if self.domain is None else tile_trees(self.domain, labels)
        return cascade(self.tied_shares, cuts, self.false_share)

    @property
    def false_share(self) -> float:
        """q of the cascade: the one that was chosen, or the one that suits the domain."""
        chosen = self.options.false_share
        return default_false_share(self.domain) if chosen is None else chosen
