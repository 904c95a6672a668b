"""The input of an estimator: the tally of one run and what follows from it.

Everything here comes from reports alone; nobody's true symbol does.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.short_repr import short_repr
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, read_only
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import GridDomain
from caldp_core.domain.neighbours import tile_trees
from caldp_core.estimation.cascade import Cascade, cascade
from caldp_core.estimation.options import Options
from caldp_core.estimation.projection import block_thresholds
from caldp_core.estimation.tied_shares import TiedShares
from caldp_core.mechanisms import Mechanism, Tally
from caldp_core.mechanisms.capabilities import block_totals


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that post-processing can use. Build it with `Evidence.of`.

    `unbiased`: (k,) unbiased shares, may be negative. `blocks`: (k,) labels in [0, m).
    `block_shares`: (m,) observed shares of blocks, exact for these people, sum 1; a mechanism
    without blocks has one of everything. `n`: people. `mechanism`, `tally`: their source. `domain`:
    which symbols are neighbours, None where that is not known. `options`: what estimators know
    beside the reports. `progress`: called with the finished share of an estimator that takes long;
    it may raise `Cancelled`.
    """

    unbiased: Floats
    blocks: Ints
    block_shares: Floats
    n: int
    mechanism: Mechanism
    tally: Tally
    progress: Progress = no_progress
    domain: Domain | GridDomain | None = None
    options: Options = Options()
    __repr__ = short_repr

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        tally: Tally,
        progress: Progress = no_progress,
        domain: Domain | GridDomain | None = None,
        options: Options = Options(),  # noqa: B008 — frozen
    ) -> "Evidence":
        """The evidence in one tally; raises `CaldpError` if another mechanism made it."""
        require(
            hasattr(mechanism, "sample_tally"),
            f"A tally is read by the mechanism that made it, got one of type "
            f"{type(mechanism).__name__}; make one with mechanism(policy, name).",
        )
        unbiased = mechanism.estimate(tally)
        blocks, people = block_totals(mechanism, tally)
        return cls(
            unbiased=read_only(unbiased),
            blocks=blocks,
            block_shares=read_only(people / tally.n),
            n=tally.n,
            mechanism=mechanism,
            tally=tally,
            progress=progress,
            domain=domain,
            options=options,
        )

    @cached_property
    def plausible(self) -> Floats:
        """(k,) nearest non-negative shares that keep each block's observed total."""
        tau = block_thresholds(self.unbiased, self.blocks, self.block_shares)
        return read_only(np.maximum(self.unbiased - tau[self.blocks], 0.0))

    @cached_property
    def deviation(self) -> Floats:
        """(k,) plug-in standard deviation σ̂ of `unbiased`: the exact formula at `plausible`.

        Over data and coins. Where the data are fixed it is an upper bound.
        """
        return read_only(np.sqrt(np.maximum(self.mechanism.variance(self.plausible, self.n), 0.0)))

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
        """q of the cascade."""
        return self.options.false_share_on(self.domain)
