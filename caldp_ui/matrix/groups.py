"""Groups of values by their names: “North: home” and “North: work” are of the group North."""

from collections.abc import Sequence

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.designed.design import form_of_groups

_MARK = ":"


def groups_of(names: Sequence[str]) -> dict[str, Floats]:
    """(k,) flags, 0 or 1, by group; empty without two groups, or without two values in one."""
    labels = [name.partition(_MARK)[0].strip() if _MARK in name else name for name in names]
    kinds = list(dict.fromkeys(labels))
    if not 1 < len(kinds) < len(names):
        return {}
    return {kind: np.array([label == kind for label in labels], np.float64) for kind in kinds}


def form(names: Sequence[str]) -> Floats:
    """(k, k) Ω of the errors of the groups' sums."""
    return form_of_groups(list(groups_of(names).values()))


def error(found: Mechanism, names: Sequence[str]) -> float:
    """Σ n·Var of the groups' sums where all values are equally common."""
    even = np.full(found.k, 1.0 / found.k)
    return sum(found.sum_variance(even, flags, 1) for flags in groups_of(names).values())
