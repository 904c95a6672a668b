"""The one-bit mean: audited, exact variance, and phones that remember."""

import itertools

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.lecture.daily import (
    DailyMean,
    OneBitMean,
    coins_used,
    round_by_offset,
    round_to_nearest,
)
from caldp_core.mechanisms.randomness import COIN_ONE, seeded_words
from caldp_core.privacy.context import Context
from tests.lecture.phones import Phones
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_one_bit_keeps_epsilon_and_a_twentieth_more_is_caught(epsilon: float) -> None:
    claimed = Context.plain(6, epsilon)
    assert audit_channel(OneBitMean(5, epsilon).exact_channel(), claimed).holds
    assert not audit_channel(OneBitMean(5, 1.05 * epsilon).exact_channel(), claimed).holds


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_number_that_stays_keeps_epsilon_for_ever_if_it_is_remembered(width: int) -> None:
    daily, claimed = DailyMean(OneBitMean(4, 1.0), width), Context.plain(5, 1.0)
    constant = [[x] * 3 for x in range(5)]
    assert audit_channel(daily.exact_channel(constant), claimed).holds
    assert not audit_channel(daily.forgetful_channel(constant), claimed).holds
    # Fresh bits add up, to 3ε and no less.
    fresh = daily.forgetful_channel(constant)
    assert audit_channel(fresh, Context.plain(5, 3.0)).holds
    assert not audit_channel(fresh, Context.plain(5, 2.9)).holds


def test_that_a_number_changed_is_not_hidden() -> None:
    """What the page says: a bit that changes proves another bucket, at any ε."""
    daily = DailyMean(OneBitMean(4, 0.1), 4)
    moved, stayed = daily.exact_channel([[0, 4], [0, 0]])
    assert moved[1] > 0
    assert stayed[1] == 0


def test_the_estimate_is_unbiased_with_the_stated_variance() -> None:
    mechanism, people = OneBitMean(10, 1.0), np.array([40, 0, 0, 30, 0, 0, 0, 100, 0, 0, 30])
    n, rng = int(people.sum()), np.random.default_rng(1)
    mean = people @ np.arange(11) / n
    found = np.array(
        [mechanism.estimate(mechanism.sample_ones(people, rng), n) for _ in range(8_000)]
    )
    spread = np.array(np.sqrt(mechanism.variance(people)))
    assert_mean(found, np.array(mean), spread, SIGNIFICANCE)
    squares = (found - mean) ** 2
    assert_mean(squares, spread**2, np.array(squares.std()), SIGNIFICANCE)
    for wrong in (0.95, 1.05):
        with pytest.raises(AssertionError):
            assert_mean(squares, wrong**2 * spread**2, np.array(squares.std()), SIGNIFICANCE)


def test_drawn_sums_are_those_of_phones() -> None:
    mechanism, people = OneBitMean(4, 2.0), np.array([3, 1, 0, 2, 2])
    x, rng = np.repeat(np.arange(5), people), np.random.default_rng(2)
    one_by_one = (
        mechanism.privatize(np.tile(x, 6_000), seeded_words(rng)).reshape(-1, 8).sum(axis=1)
    )
    law = np.ones(1)
    for chance in (mechanism.chances[x] / COIN_ONE).tolist():
        law = np.convolve(law, [1 - chance, chance])
    drawn = np.array([mechanism.sample_ones(people, rng) for _ in range(6_000)])
    for sums in (one_by_one, drawn):
        assert_fits(np.bincount(sums, minlength=9), 6_000 * law, SIGNIFICANCE)
    with pytest.raises(AssertionError):
        assert_fits(np.bincount(drawn + 1, minlength=9)[:9], 6_000 * law, SIGNIFICANCE)


@pytest.mark.parametrize("width", [1, 3, 12])
def test_rounding_by_offset_is_right_on_average_and_nearest_is_not(width: int) -> None:
    x = np.arange(13)
    rounded = np.array([round_by_offset(x, np.full(13, a), width) for a in range(width)])
    np.testing.assert_allclose(rounded.mean(axis=0), x)
    assert set(np.unique(rounded)) <= set(range(0, 13, width))
    assert np.abs(round_to_nearest(x, width) - x).max() == width // 2
    assert (round_to_nearest(x, width) % width == 0).all()


@pytest.mark.parametrize("width", [1, 5, 20])
def test_any_bucket_is_as_accurate_on_one_day_as_none(width: int) -> None:
    """The paper's main result: over the offsets the law of the bit is that of the exact number."""
    mechanism = OneBitMean(20, 1.0)
    daily = DailyMean(mechanism, width)
    sent = daily.exact_channel([[x] for x in range(21)])
    for row, exact in zip(sent, mechanism.exact_channel(), strict=True):
        # Each whole threshold is rounded down by less than one in 2^48.
        assert abs(row[1] - exact[1]) < 2.0**-47


def test_phones_remember_and_draw_no_bit_twice() -> None:
    daily, n = DailyMean(OneBitMean(20, 1.0), 5), 3_000
    rng = np.random.default_rng(3)
    phones, x = Phones(daily, n, seeded_words(rng)), rng.integers(0, 21, n)
    first, offset = phones.report(x).copy(), phones.offset.copy()
    bits = phones.bits.copy()
    assert ((phones.bits >= 0).sum(axis=1) == 1).all()
    for _ in range(20):
        np.testing.assert_array_equal(phones.report(x), first)
    np.testing.assert_array_equal(phones.bits, bits)
    np.testing.assert_array_equal(phones.offset, offset)
    phones.report(20 - x)
    assert (phones.bits[bits >= 0] == bits[bits >= 0]).all()
    moved = round_by_offset(20 - x, offset, 5) != round_by_offset(x, offset, 5)
    np.testing.assert_array_equal((phones.bits >= 0).sum(axis=1), 1 + moved)


def test_coins_used_are_the_bits_that_phones_have_drawn() -> None:
    daily, rng = DailyMean(OneBitMean(40, 1.0), 4), np.random.default_rng(4)
    numbers = rng.integers(0, 41, (200, 9))
    phones = Phones(daily, 200, seeded_words(rng))
    for day in range(9):
        phones.report(numbers[:, day])
    drawn = (phones.bits >= 0).sum(axis=1)
    np.testing.assert_array_equal(coins_used(numbers, phones.offset, 4), drawn)
    assert coins_used(numbers, phones.offset, 4).max() > 1


def test_sequences_have_the_law_of_phones() -> None:
    daily = DailyMean(OneBitMean(4, 1.5), 2)
    walk, n = [1, 3, 2], 40_000
    phones = Phones(daily, n, seeded_words(np.random.default_rng(5)))
    sent = np.stack([phones.report(np.full(n, x)) for x in walk], axis=1)
    counts = np.bincount(sent @ np.array([4, 2, 1]), minlength=8)
    (row,) = daily.exact_channel([walk])
    assert sum(row) == 1
    assert_fits(counts, n * np.array([float(q) for q in row]), SIGNIFICANCE)
    (fresh,) = daily.forgetful_channel([walk])
    with pytest.raises(AssertionError):
        assert_fits(counts, n * np.array([float(q) for q in fresh]), SIGNIFICANCE)


def test_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match="width must divide 20, got 3"):
        DailyMean(OneBitMean(20, 1.0), 3)
    for values in itertools.product(("x",), (0, 2**21)):
        with pytest.raises(CaldpError, match="most must be a whole number"):
            OneBitMean(values[1], 1.0)
