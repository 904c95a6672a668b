"""How far each estimated share can be trusted: columns for tables and files."""

from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import may_be_noise
from caldp_core.estimation.ranges import ranges

LEVEL: Final = 0.95


def margins(evidence: Evidence, shares: Floats, level: float = LEVEL) -> dict[str, list[object]]:
    """Columns for (k,) estimated `shares`, each of k entries.

    `low` and `high` hold the true share with probability `level`, each row by itself, and include
    the estimate (see `ranges`). `relative error`: half of that range over the share, "" where that
    is 0. `may be noise`: "no" where somebody surely has the value; with probability `level` that is
    so of all rows that say "no" together (see `may_be_noise`), whichever of them one looks at.
    """
    ends, noise = ranges(evidence, shares, level), may_be_noise(evidence, level)
    half = (ends.high - ends.low) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(shares > 0, half / shares, np.inf)
    return {
        "low": ends.low.tolist(),
        "high": ends.high.tolist(),
        "level": [level] * shares.size,
        "relative error": ["" if value == np.inf else value for value in relative.tolist()],
        "may be noise": ["yes" if maybe else "no" for maybe in noise.tolist()],
    }
