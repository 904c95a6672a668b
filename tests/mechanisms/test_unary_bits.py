"""Coins drawn 64 at a time, bit by bit."""

import numpy as np
import pytest
from scipy.stats import chi2

from caldp_core.basics.types import Words, WordSource
from caldp_core.mechanisms.oracles.supports import random_lanes
from caldp_core.mechanisms.randomness import COIN_BITS, COIN_ONE, seeded_words
from tests.stats import SIGNIFICANCE


def lanes_of(numbers: list[int]) -> WordSource:
    """Words that hand 64 lanes these 48-bit numbers, from the highest bit down, a bit a call."""
    place = iter(range(COIN_BITS - 1, -1, -1))

    def words(n: int) -> Words:
        assert n == 1
        bit = next(place)
        return np.array([sum((u >> bit & 1) << lane for lane, u in enumerate(numbers))], np.uint64)

    return words


@pytest.mark.parametrize(
    "threshold",
    [
        0,
        1,
        255,
        256,
        1 << 40,
        (1 << 40) + 1,
        1 << 47,
        COIN_ONE - 1,
        0xB3_5A01_77F0_00,
        0x123456789ABC,
    ],
)
def test_a_lane_is_one_if_its_number_is_below_the_threshold(threshold: int) -> None:
    rng = np.random.default_rng(1)
    near = [threshold + d for d in (-257, -256, -2, -1, 0, 1, 2, 256, 257)]
    numbers = [u for u in near if 0 <= u < COIN_ONE]
    # Numbers that leave the threshold at each bit, so that every round decides some lane.
    numbers += [threshold ^ (1 << place) for place in range(COIN_BITS)]
    numbers += rng.integers(0, COIN_ONE, 64 - len(numbers)).tolist()
    drawn = int(random_lanes(1, threshold, lanes_of(numbers))[0])
    assert [drawn >> lane & 1 for lane in range(64)] == [int(u < threshold) for u in numbers]


def test_lanes_are_independent_coins() -> None:
    """Four lanes of each of two neighbouring words have the law of eight coins (χ² on 255).

    Words that are left out of a round must come back to their own place. A coin off by 0.003 of
    0.27 adds 8·1,000,000·0.003²/(0.27·0.73) = 365 to a mean of 255; the limit is 378, and the
    deviation of the sum √(2·255 + 4·365) = 44: power 1 − 2e-8.
    """
    threshold, words = round(0.27 * COIN_ONE), 2_000_000
    drawn = random_lanes(words, threshold, seeded_words(np.random.default_rng(2))).reshape(-1, 2)
    code = (drawn[:, 0] & np.uint64(15)) | (drawn[:, 1] >> np.uint64(60) << np.uint64(4))
    observed = np.bincount(code.astype(np.int64), minlength=256)
    ones = np.bitwise_count(np.arange(256)).astype(np.float64)

    def statistic(chance: float) -> float:
        expected = words / 2 * chance**ones * (1 - chance) ** (8 - ones)
        return float(((observed - expected) ** 2 / expected).sum())

    limit = float(chi2.isf(SIGNIFICANCE, 255))
    assert statistic(threshold / COIN_ONE) <= limit
    assert statistic(0.273) > limit
