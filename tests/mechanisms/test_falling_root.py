"""Roots in brackets, against scipy's one at a time."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

from caldp_core.basics.types import Floats
from caldp_core.estimation.composite_likelihood import falling_root


@pytest.mark.parametrize("start", [-9.0, 0.0, 0.3, 9.0])
def test_roots_of_many_curves_at_once(start: float) -> None:
    curves: list[tuple[Callable[[float], float], Callable[[float], float]]] = [
        (lambda x: 0.7 - x, lambda x: -1.0),
        (lambda x: np.exp(-50 * x) - 1e-3, lambda x: -50 * np.exp(-50 * x)),
        (lambda x: -np.arctan(40 * (x - 0.9)), lambda x: -40 / (1 + 1600 * (x - 0.9) ** 2)),
        (lambda x: max(0.25 - x, 0.0) - 1e-4 * x, lambda x: -float(x < 0.25) - 1e-4),
        (lambda x: 0.1 - x**9, lambda x: -9 * x**8),
        (lambda x: 0.2 - np.cbrt(x - 0.5), lambda x: -np.inf),
    ]

    def curve(x: Floats) -> tuple[Floats, Floats]:
        pairs = list(zip(curves, x, strict=True))
        return np.array([f(at) for (f, _), at in pairs]), np.array([g(at) for (_, g), at in pairs])

    m = len(curves)
    found = falling_root(curve, np.zeros(m), np.ones(m), np.full(m, start), np.zeros(m))
    awaited = [brentq(f, 0, 1, xtol=1e-15) for f, _ in curves]
    np.testing.assert_allclose(found, awaited, rtol=1e-12, atol=1e-12)
