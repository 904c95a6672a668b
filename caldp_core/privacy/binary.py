"""The policy of one yes-or-no question: two symbols, an ε each way."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.errors import check_number, check_symbols
from caldp_core.basics.types import Floats


@dataclass(frozen=True)
class BinaryPolicy:
    """E of two symbols: E[0, 1] = `epsilon_01`, E[1, 0] = `epsilon_10`, each in [0, ∞] nats.

    Raises `CaldpError` for anything else.
    """

    epsilon_01: float
    epsilon_10: float

    def __post_init__(self) -> None:
        for name in ("epsilon_01", "epsilon_10"):
            check_number(name, getattr(self, name), 0.0, math.inf)

    @property
    def k(self) -> int:
        """Domain size."""
        return 2

    def between(self, x: ArrayLike, x_other: ArrayLike) -> Floats:
        """E[x, x′] pair by pair: (n,) and (n,) symbols → (n,) nats (see `PrivacyMatrix`)."""
        left, right = check_symbols("x", x, 2), check_symbols("x_other", x_other, 2)
        toward = np.where(left == 0, self.epsilon_01, self.epsilon_10)
        return np.where(left == right, 0.0, toward)
