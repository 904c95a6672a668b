"""The closure of E, and the audit of a channel at each of its entries.

Everything is decided by the core's audit in rationals; nothing here draws.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.audit.pairwise import Audit, CellAudit, audit_cells, audit_channel
from caldp_core.basics.types import Bools, Floats
from caldp_core.privacy.context import PrivacyMatrix, dense
from caldp_core.privacy.matrix import DenseMatrix, closure
from caldp_ui.matrix.candidates import Candidate
from caldp_ui.matrix.page_state import MatrixState

_TIGHT: Final = 1e-9


@dataclass(frozen=True, eq=False)
class ChannelVerdict:
    """E of named values, its closure, and a channel's audit.

    `levels`, `closure`: (k, k) in nats, 0 to ∞, row = the truth. `cells`: by pairs x ≠ x′.
    """

    names: tuple[str, ...]
    levels: Floats
    closure: Floats
    candidate: Candidate
    audit: Audit
    cells: dict[tuple[int, int], CellAudit]

    @property
    def k(self) -> int:
        """Number of values."""
        return len(self.names)

    @property
    def loose_limits(self) -> Bools:
        """(k, k) flags: entries that are looser than the others imply."""
        return self.closure < self.levels - _TIGHT

    @property
    def contradicted(self) -> Bools:
        """(k, k) flags: entries without a limit, while other entries imply one."""
        return np.isinf(self.levels) & np.isfinite(self.closure)

    @property
    def redundant_limits(self) -> Bools:
        """(k, k) flags: limits that the others imply, without which E would mean the same."""
        redundant = np.zeros((self.k, self.k), np.bool_)
        for x, z in self.cells:
            around = [
                self.closure[x, y] + self.closure[y, z] for y in range(self.k) if y not in (x, z)
            ]
            level = self.levels[x, z]
            redundant[x, z] = (
                bool(np.isfinite(level)) and min(around, default=np.inf) <= level + _TIGHT
            )
        return redundant

    @property
    def proven_values(self) -> list[int]:
        """Values that some report proves, as no other value ever sends it."""
        senders = [
            {x for x, row in enumerate(self.candidate.channel) if row[y]}
            for y in range(len(self.candidate.channel[0]))
        ]
        return sorted({x for values in senders if len(values) == 1 for x in values})

    @property
    def broken(self) -> list[CellAudit]:
        """Entries that the channel does not keep, the worst first."""
        failed = [cell for cell in self.cells.values() if not cell.holds]
        return sorted(failed, key=lambda cell: cell.leak.epsilon - cell.leak.privacy_loss)


def judge_channel(
    names: tuple[str, ...], policy: PrivacyMatrix, candidate: Candidate
) -> ChannelVerdict:
    """Audit the candidate against the policy; `CaldpError` where their shapes differ."""
    cells = audit_cells(candidate.channel, policy)
    return ChannelVerdict(
        names,
        dense(policy),
        closure(DenseMatrix.of(dense(policy))).entries,
        candidate,
        audit_channel(candidate.channel, policy),
        {(cell.leak.x, cell.leak.x_other): cell for cell in cells},
    )


@dataclass(frozen=True, eq=False)
class MatrixData:
    """Data of the page: its record, and the verdict on the record's channel."""

    record: MatrixState
    verdict: ChannelVerdict
