"""One scale for maps that compare, and one of its own for a map that it would leave one colour."""

import numpy as np
import pytest

from caldp_core.datasets import Gowalla
from caldp_ui.stage import SCALE, scale_of


def test_the_whole_country_has_the_common_scale() -> None:
    assert scale_of(Gowalla().load().distribution) is SCALE


@pytest.mark.parametrize("largest", [0.9, 0.2, 0.031, 1.0])
def test_a_small_map_has_a_scale_that_ends_just_above_its_largest_cell(largest: float) -> None:
    cells = 100
    shares = np.full(cells, (1 - largest) / (cells - 1))
    shares[7] = largest
    scale = scale_of(shares) if largest < 1 else scale_of(np.array([0.0, 1.0]))
    assert scale is not SCALE
    assert largest * (1 - 1e-9) <= scale.high <= 2.5 * largest
    assert [share for share, _ in scale.ticks] == [scale.low, scale.high]
    for share, label in scale.ticks:
        assert abs(int(label.removeprefix("1 in ").replace(",", "")) * share - 1) < 0.01
