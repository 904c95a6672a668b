"""Uniform subsets as packed bits: how they are drawn."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.types import WordSource
from caldp_core.mechanisms.oracles import subset_selection as subsets
from caldp_core.mechanisms.oracles.subset_selection import random_subsets
from caldp_core.mechanisms.oracles.supports import full_mask, unpack_bits
from caldp_core.mechanisms.randomness import seeded_words
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean

SAMPLERS = 10
"""Statistical tests of samplers in this file, at most."""


def check_uniform(size: int, omega: int, forced: int) -> None:
    """Every possible subset equally often, no other one ever."""
    words = seeded_words(np.random.default_rng(1))
    n = 100_000
    rows = random_subsets(size, omega, np.full(n, forced), words)
    counts = np.bincount(rows[:, 0].astype(np.int64), minlength=1 << size)
    expected = np.zeros(1 << size)
    for subset in combinations(range(size), omega):
        if forced < 0 or forced in subset:
            expected[sum(1 << place for place in subset)] = 1
    assert_fits(counts, expected * n / expected.sum(), SIGNIFICANCE / SAMPLERS)


COINS = [(0, 0), (1, 1), (2, 1), (2, 3), (5, 11), (1, 2)]
"""Rows that start empty, from fair and unfair coins, and full."""


@pytest.mark.parametrize("coin", COINS)
@pytest.mark.parametrize("forced", [-1, 0, 3, 6])
def test_subsets_are_uniform_whatever_they_start_from(
    coin: tuple[int, int], forced: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subsets, "best_coin", lambda size, omega: coin)
    for omega in (1, 3, 6):
        check_uniform(7, omega, forced)


def test_a_forced_bit_that_may_be_cleared_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "best_coin", lambda size, omega: (2, 3))
    right = subsets._toggle

    def forgetful(rows: Any, size: int, flips: Any, words: WordSource) -> None:
        nobody = np.full_like(flips.spared, -1)
        right(rows, size, subsets._Flips(flips.at, flips.times, nobody, flips.value), words)

    check_uniform(7, 3, 2)
    monkeypatch.setattr(subsets, "_toggle", forgetful)
    with pytest.raises(AssertionError):
        check_uniform(7, 3, 2)


@pytest.mark.parametrize(("size", "omega"), [(64, 17), (65, 1), (100, 27), (130, 64)])
def test_pairs_of_bits_in_several_words(size: int, omega: int) -> None:
    """Inclusions and pairs; 40,000 rows know a pair's probability ≈ 1/14 to 1.8 % of itself."""
    rng = np.random.default_rng(2)
    rows = random_subsets(size, omega, np.full(40_000, -1), seeded_words(rng))
    bits = unpack_bits(rows)[:, :size].astype(np.float64)
    assert (bits.sum(axis=1) == omega).all()
    assert not rows[:, -1:][rows[:, -1:] & ~full_mask(size)[-1:] != 0].any()
    one, two = omega / size, omega * (omega - 1) / (size * (size - 1))
    pairs = (bits.T @ bits / 40_000)[np.triu_indices(size, 1)]
    assert_mean(bits, np.full(size, one), np.full(size, (one * (1 - one)) ** 0.5), SIGNIFICANCE)
    limit = 6.5 * (two * (1 - two) / 40_000) ** 0.5  # 8,385 pairs: p < 8,385·8e-11 < 1e-6.
    assert np.abs(pairs - two).max() <= limit
