"""What follows from E alone, and what a channel does to each of its entries.

Room: matrix. Everything is decided by the core's audit in rationals; nothing here draws.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.audit.pairwise import Audit, CellAudit, audit_cells, audit_channel
from caldp_core.basics.types import Bools, Floats
from caldp_core.privacy.context import PrivacyMatrix, dense
from caldp_core.privacy.matrix import DenseMatrix, closure
from caldp_ui.matrix.candidates import Candidate
from caldp_ui.matrix.slot import Table

_TIGHT: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Verdict:
    """E of named values, its closure, and a channel's audit.

    `levels`, `closed`: (k, k). `cells`: by pairs x ≠ x′.
    """

    names: tuple[str, ...]
    levels: Floats
    closed: Floats
    candidate: Candidate
    audit: Audit
    cells: dict[tuple[int, int], CellAudit]

    @property
    def k(self) -> int:
        """Number of values."""
        return len(self.names)

    @property
    def loose(self) -> Bools:
        """(k, k) entries below which other entries lead."""
        return self.closed < self.levels - _TIGHT

    @property
    def contradicted(self) -> Bools:
        """(k, k) entries that say "no promise", while other entries promise something."""
        return np.isinf(self.levels) & np.isfinite(self.closed)

    @property
    def broken(self) -> list[CellAudit]:
        """Entries that the channel does not keep, the worst first."""
        failed = [cell for cell in self.cells.values() if not cell.holds]
        return sorted(failed, key=lambda cell: cell.leak.epsilon - cell.leak.privacy_loss)


def judged(names: tuple[str, ...], policy: PrivacyMatrix, candidate: Candidate) -> Verdict:
    """Hold the candidate against the policy; `CaldpError` where their shapes differ."""
    cells = audit_cells(candidate.channel, policy)
    return Verdict(
        names,
        dense(policy),
        closure(DenseMatrix.of(dense(policy))).entries,
        candidate,
        audit_channel(candidate.channel, policy),
        {(cell.leak.x, cell.leak.x_other): cell for cell in cells},
    )


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page shows: its record, and the verdict on the record's channel."""

    record: Table
    verdict: Verdict
