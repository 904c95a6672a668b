"""How far each estimated share can be trusted: columns for tables and files."""

from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import intervals

LEVEL: Final = 0.95


def margins(evidence: Evidence, shares: Floats, level: float = LEVEL) -> dict[str, list[object]]:
    """Columns for (k,) estimated `shares`, each of k entries.

    `low` and `high` hold the true share with probability `level` (see `intervals`: they belong to
    the unbiased estimate). `relative error`: half of that range over the share, "" where that is 0.
    `may be noise`: "yes" where the range begins at 0, so that noise alone can give the estimate.
    """
    ends = intervals(evidence, level)
    half = (ends.high - ends.low) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(shares > 0, half / shares, np.inf)
    return {
        "low": ends.low.tolist(),
        "high": ends.high.tolist(),
        "level": [level] * shares.size,
        "relative error": ["" if value == np.inf else value for value in relative.tolist()],
        "may be noise": ["yes" if low <= 0 else "no" for low in ends.low.tolist()],
    }
