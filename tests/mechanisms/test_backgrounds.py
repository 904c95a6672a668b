"""Backgrounds: where the people behind a tag are, by whatever the collector knows."""

import math

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms.personalised import (
    known_background,
    population_background,
    uniform_background,
)

SENSITIVE = np.array([1, 0, 0, 0, 1, 0], dtype=np.bool_)


def test_backgrounds() -> None:
    open_symbols = ~SENSITIVE
    even = [0, 0.25, 0.25, 0.25, 0, 0.25]
    np.testing.assert_allclose(uniform_background(2, open_symbols), [even, even])
    np.testing.assert_allclose(
        population_background(1, [9, 1, 2, 3, 9, 4], open_symbols), [[0, 0.1, 0.2, 0.3, 0, 0.4]]
    )
    np.testing.assert_array_equal(known_background([[0.5, 0.5]]), [[0.5, 0.5]])


@pytest.mark.parametrize("table", [[0.5, 0.5], [[0.5, 0.4]], [[1.5, -0.5]], [[math.nan, 1.0]]])
def test_backgrounds_that_are_none(table: object) -> None:
    with pytest.raises(CaldpError, match="background must"):
        known_background(table)  # type: ignore[arg-type]
