"""How well shares of whole groups come out: states of a map, topics, brackets of an income.

Blocks that lie in a group as a whole are known but for who the people are, as no context hides how
many people a block has; only the rest of the group is uncertain. Reports are independent and alike,
so that every variance falls with the number of people exactly.
"""

import math
from statistics import NormalDist
from typing import Final

import numpy as np

from caldp_core.basics.errors import require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats, Ints, Progress, no_progress, sums_by
from caldp_core.mechanisms import Mechanism
from caldp_core.privacy.context import Context

_Z: Final = NormalDist().inv_cdf(0.975)


def group_margins(
    mechanism: Mechanism,
    p: Floats,
    labels: Ints,
    *,
    floor: float = 0.0,
    progress: Progress = no_progress,
) -> Floats:
    """(g,) half the width of each group's 95 % range of its share, for one person; NaN for none.

    That of n people is less by √n. `labels`: (k,) the group of each symbol, 0 … g−1; groups below a
    share `floor`, and those of nobody, are left out. By exact variances and the normal law.
    """
    blocks = (
        mechanism.policy.blocks if isinstance(mechanism.policy, Context) else np.zeros_like(labels)
    )
    sizes, shares = np.bincount(blocks), sums_by(labels, p, int(labels.max()) + 1)
    margins = np.full(shares.size, np.nan)
    for group in np.flatnonzero((shares > 0) & (shares >= floor)).tolist():
        progress(group / shares.size)
        inside = labels == group
        whole = np.bincount(blocks[inside], minlength=sizes.size) == sizes
        rest = inside & ~whole[blocks]
        part, share = float(p[rest].sum()), float(shares[group])
        noise = mechanism.sum_variance(p, rest.astype(np.float64), 1) if rest.any() else 0.0
        variance = noise - part * (1.0 - part) + share * (1.0 - share)
        margins[group] = _Z * math.sqrt(max(variance, 0.0))
    return margins


def people_for_groups(
    mechanism: Mechanism,
    p: Floats,
    labels: Ints,
    *,
    floor: float,
    within: float,
    progress: Progress = no_progress,
) -> int | None:
    """Least n whose range of every group of a share `floor` is ± `within` of its share or less.

    `floor`, `within`: in (0, 1]. None if 10^12 people do not suffice; raises `CaldpError` where no
    group is so large.
    """
    require(0 < floor <= 1, f"floor must be above 0 and at most 1, got {floor}.")
    require(0 < within <= 1, f"within must be above 0 and at most 1, got {within}.")
    shares = sums_by(labels, p, int(labels.max()) + 1)
    require(
        float(shares.max()) >= floor,
        f"No group has a share of {floor:g} of the people; the largest has "
        f"{float(shares.max()):.3g}. Take a smaller floor.",
    )
    margins = group_margins(mechanism, p, labels, floor=floor, progress=progress)
    with np.errstate(divide="ignore", invalid="ignore"):
        worst = float(np.nanmax(margins / shares))
    people = math.ceil((worst / within) ** 2)
    return max(people, 1) if people <= N_MAX else None
