"""SciPy's optimiser on the simplex: what our own maximisers are held against."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from caldp_core.basics.types import Floats


def least_on_simplex(
    loss: Callable[[Floats], float],
    k: int,
    slopes: Callable[[Floats], Floats] | None = None,
    floor: float = 0.0,
) -> Any:
    """SciPy's result for the (k,) shares, none below `floor`, with the least loss."""
    total: Any = {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like}
    return minimize(
        loss,
        np.full(k, 1 / k),
        jac=slopes,
        bounds=[(floor, 1.0)] * k,
        constraints=total,
        method="SLSQP",
        options={"ftol": 1e-14 if slopes else 1e-13, "maxiter": 1000},
    )
