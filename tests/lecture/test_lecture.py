"""The trusted curator, selection bit by bit, and sketches: audits, laws, exact variances."""

import itertools
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.lecture.counts import (
    BitwiseResponse,
    CentralCount,
    CountMeanSketch,
    GeometricNoise,
    HadamardSketch,
    Hashes,
    NoisyMax,
    OneHotResponse,
    even_votes,
)
from caldp_core.lecture.daily import (
    DailyMean,
    LastingRappor,
    OneBitMean,
    Phone,
    RapporCollector,
    round_by_offset,
    round_to_nearest,
)
from caldp_core.mechanisms.randomness import COIN_ONE, seeded_words
from caldp_core.privacy.context import Context
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean, assert_same_law
from tests.strategies import thinned

EPSILONS = (0.1, 1.0, 3.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_count_keeps_its_epsilon_and_a_twentieth_more_is_caught(epsilon: float) -> None:
    claimed = CentralCount(4, epsilon).policy
    assert audit_channel(CentralCount(4, epsilon).exact_channel(), claimed).holds
    assert not audit_channel(CentralCount(4, 1.05 * epsilon).exact_channel(), claimed).holds


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_noisy_maximum_keeps_its_epsilon(epsilon: float) -> None:
    claimed = NoisyMax(3, epsilon).policy(3)
    assert audit_channel(NoisyMax(3, epsilon).exact_channel(3), claimed).holds


def test_the_noisy_maximum_with_noise_for_one_count_only_is_caught() -> None:
    # A change of vote moves two counts; noise as for one of them is that of 2ε.
    claimed = NoisyMax(2, 3.0).policy(18)
    assert audit_channel(NoisyMax(2, 3.0).exact_channel(18), claimed).holds
    for wrong in (2.0, 1.05):  # few people would leave slack: it goes with the lead
        assert not audit_channel(NoisyMax(2, wrong * 3.0).exact_channel(18), claimed).holds


def test_chances_of_the_maximum_are_a_distribution_and_what_draws_give() -> None:
    mechanism = NoisyMax(4, 1.0)
    exact = mechanism.exact_chances((5, 3, 3, 0))
    assert sum(exact) == 1
    votes, draws = np.array([5, 3, 3, 0]), 20_000
    chosen = mechanism.choose(votes, draws, np.random.default_rng(5))
    expected = draws * np.array([float(q) for q in exact])
    assert_fits(np.bincount(chosen, minlength=4), expected, SIGNIFICANCE)
    wrong = NoisyMax(4, 1.1).choose(votes, draws, np.random.default_rng(5))
    with pytest.raises(AssertionError):
        assert_fits(np.bincount(wrong, minlength=4), expected, SIGNIFICANCE)


def test_noise_has_the_stated_moments_and_law() -> None:
    noise = GeometricNoise(0.7)
    a = noise.alpha
    law = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-60, 61)}
    assert noise.variance == pytest.approx(float(sum(q * z * z for z, q in law.items())))
    sums = [float(sum((q for z, q in law.items() if z <= t), Fraction(0))) for t in (-3, -1, 0, 4)]
    np.testing.assert_allclose(noise.cdf(np.array([-3, -1, 0, 4])), sums, rtol=1e-9)
    drawn = noise.draw((200_000,), np.random.default_rng(7)).astype(np.float64)
    square = np.stack([drawn, drawn**2], axis=1)
    spread = square.std(axis=0)
    assert_mean(square, np.array([0.0, noise.variance]), spread, SIGNIFICANCE)
    wrong = GeometricNoise(0.7 * 1.05).variance
    with pytest.raises(AssertionError):
        assert_mean(square, np.array([0.0, wrong]), spread, SIGNIFICANCE)


def test_the_error_is_that_of_the_lecture_whatever_n_is() -> None:
    rng = np.random.default_rng(2)
    for n in (1_000, 10**9):
        error = np.abs(CentralCount(n, 0.1).publish(n // 2, 4_000, rng) - n // 2)
        assert abs(error.mean() - 10) < 1


def test_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match="epsilon must be a number in"):
        GeometricNoise(0.0)
    with pytest.raises(CaldpError, match=r"yes must be a whole number in \[0, 10\], got 11"):
        CentralCount(10, 1.0).publish(11, 1, np.random.default_rng(1))
    with pytest.raises(CaldpError, match="d must be a whole number"):
        NoisyMax(1, 1.0)


@pytest.mark.parametrize("d", [2, 4, 8])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_bit_by_bit_keeps_epsilon_and_a_twentieth_more_is_caught(d: int, epsilon: float) -> None:
    claimed = Context.plain(d, epsilon)
    assert audit_channel(BitwiseResponse(d, epsilon).exact_channel(), claimed).holds
    assert not audit_channel(BitwiseResponse(d, 1.05 * epsilon).exact_channel(), claimed).holds


def test_whole_epsilon_on_every_bit_is_caught() -> None:
    unsplit = BitwiseResponse(8, 3 * 1.0)
    assert not audit_channel(unsplit.exact_channel(), Context.plain(8, 1.0)).holds
    # One bit for each item with ε a bit, as notes may have it: two bits change, so it is 2ε.
    for factor, holds in ((1.0, True), (1.05, False), (2.0, False)):
        hot = OneHotResponse(4, factor).mechanism
        assert audit_channel(hot.exact_channel(), Context.plain(4, 1.0)).holds == holds


def test_one_hot_tallies_have_the_law_of_the_catalogue_s() -> None:
    hot, votes, rng = OneHotResponse(4, 1.0), np.array([60, 0, 30, 110]), np.random.default_rng(8)
    theirs = np.stack([hot.mechanism.sample_tally(votes, rng).counts[:4] for _ in range(2_000)])
    ours = hot.sample_tally(votes, rng, 2_000)
    assert_same_law(ours.astype(np.float64), theirs.astype(np.float64), SIGNIFICANCE)
    other = hot.sample_tally(votes[::-1].copy(), rng, 2_000)
    with pytest.raises(AssertionError):
        assert_same_law(other.astype(np.float64), theirs.astype(np.float64), SIGNIFICANCE)


def test_drawn_tallies_have_mean_and_variance_of_reports() -> None:
    mechanism, votes = BitwiseResponse(8, 1.5), np.array([50, 10, 0, 40, 0, 3, 7, 90])
    p, ones = float(mechanism.truth), votes @ mechanism.bits_of(np.arange(8))
    mean = ones * p + (200 - ones) * (1 - p)
    spread = np.full(3, np.sqrt(200 * p * (1 - p)))
    tallies = mechanism.sample_tally(votes, np.random.default_rng(4), 4_000).astype(np.float64)
    assert_mean(tallies, mean, spread, SIGNIFICANCE)
    squares = (tallies - mean) ** 2
    assert_mean(squares, spread**2, squares.std(axis=0), SIGNIFICANCE)
    with pytest.raises(AssertionError):
        assert_mean(squares, 1.2 * spread**2, squares.std(axis=0), SIGNIFICANCE)


def test_the_majority_of_every_bit_need_not_be_the_favourite() -> None:
    """The lecture's example: the favourite's last bit is 0, most people's is 1."""
    votes = np.array([40, 30, 0, 30]) * 10**6
    mechanism = BitwiseResponse(4, 20.0)
    tallies = mechanism.sample_tally(votes, np.random.default_rng(1), 50)
    assert np.argmax(votes) == 0
    assert (mechanism.winner(tallies, votes.sum()) == 1).all()
    # And it can be an item that nobody voted for at all.
    none = np.zeros(8, np.int64)
    none[[0b011, 0b101, 0b110]] = 34 * 10**6, 33 * 10**6, 33 * 10**6
    mechanism = BitwiseResponse(8, 20.0)
    won = mechanism.winner(mechanism.sample_tally(none, np.random.default_rng(1), 50), none.sum())
    assert (won == 0b111).all()
    assert none[0b111] == 0


def test_chances_of_few_are_those_of_every_report_that_they_may_send() -> None:
    """By writing out all that the voters may send, with its chance, and holding the election."""
    votes = even_votes(5, 4, 2)
    assert votes.tolist() == [1, 1, 0, 3]
    mechanism = BitwiseResponse(4, 1.5)
    rows = np.repeat(np.array(mechanism.exact_channel(), np.float64), votes, axis=0)
    sent = np.array(list(product(range(4), repeat=5)))
    chances = rows[np.arange(5), sent].prod(axis=1)
    assert chances.sum() == pytest.approx(1.0)
    sums = np.stack([mechanism.bits_of(each).sum(axis=0) for each in sent])
    right = float(chances[mechanism.winner(sums, 5) == 3].sum())
    assert float(mechanism.chance(2, 5)) == pytest.approx(right, rel=1e-9)

    hot, votes = OneHotResponse(3, 1.5), even_votes(4, 3, 1)
    assert votes.tolist() == [1, 1, 2]
    sent = np.array(list(product((0, 1), repeat=12))).reshape(-1, 4, 3)
    is_own = np.repeat(np.eye(3, dtype=np.bool_), votes, axis=0)
    ones = np.where(is_own, hot.theta, hot.stray)
    chances = np.where(sent == 1, ones, 1 - ones).prod(axis=(1, 2))
    sums = sent.sum(axis=1)
    right = float(chances[sums[:, 2] > sums[:, :2].max(axis=1)].sum())
    assert float(hot.chance(1, 4)) == pytest.approx(right, rel=1e-9)


@pytest.mark.parametrize("d", [1, 3, 2**21])
def test_bad_sizes_are_told(d: int) -> None:
    with pytest.raises(CaldpError, match="d must be a"):
        BitwiseResponse(d, 1.0)


TABLE = Hashes(np.array([[0, 1, 3], [2, 2, 0]]), 4)
"""Two functions of three values; the second sends two of them to one cell."""
KINDS = [CountMeanSketch, HadamardSketch]
PEOPLE = np.array([60, 0, 25, 15])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0])
def test_reports_keep_epsilon_and_a_twentieth_more_is_caught(
    kind: type[CountMeanSketch] | type[HadamardSketch], epsilon: float
) -> None:
    claimed = Context.plain(3, epsilon)
    channel = kind(TABLE, epsilon).exact_channel()
    assert all(sum(row) == 1 for row in channel)
    assert audit_channel(channel, claimed).holds
    assert not audit_channel(kind(TABLE, 1.05 * epsilon).exact_channel(), claimed).holds


def test_all_of_epsilon_on_every_bit_is_caught() -> None:
    unsplit = CountMeanSketch(TABLE, 2.0).exact_channel()
    assert not audit_channel(unsplit, Context.plain(3, 1.0)).holds


def estimates(kind: type[CountMeanSketch] | type[HadamardSketch], draws: int) -> Floats:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(draws):
        sketch = kind(Hashes.random(4, 3, 4, rng), 2.0)
        found.append(sketch.estimate(sketch.sample_tally(PEOPLE, rng)))  # type: ignore[arg-type]
    return np.array(found)


@pytest.mark.parametrize("kind", thinned(KINDS, one_in=2))
@pytest.mark.slow
def test_estimates_are_unbiased_over_functions_with_the_stated_variance(
    kind: type[CountMeanSketch] | type[HadamardSketch],
) -> None:
    found = estimates(kind, 4_000)
    variance = kind(Hashes.random(4, 3, 4, np.random.default_rng(2)), 2.0).variance(PEOPLE)
    assert_mean(found, PEOPLE.astype(float), np.sqrt(variance), SIGNIFICANCE)
    squares = (found - PEOPLE) ** 2
    assert_mean(squares, variance, squares.std(axis=0), SIGNIFICANCE)
    wrong = kind(Hashes.random(4, 3, 4, np.random.default_rng(2)), 2.0 * 0.9).variance(PEOPLE)
    with pytest.raises(AssertionError):
        assert_mean(squares, wrong, squares.std(axis=0), SIGNIFICANCE)
    with pytest.raises(AssertionError):
        assert_mean(found, PEOPLE + 0.2 * np.sqrt(variance), np.sqrt(variance), SIGNIFICANCE)


def test_sums_of_signs_have_the_channel_s_law() -> None:
    sketch, draws = HadamardSketch(TABLE, 2.0), 3_000
    rng = np.random.default_rng(3)
    # One person of value 2: exactly one sum is ±1.
    counts = np.zeros((2, 4, 2), np.int64)
    for _ in range(draws):
        sums, _ = sketch.sample_tally(np.array([0, 0, 1]), rng)
        row, entry = np.argwhere(sums)[0]
        counts[row, entry, int(sums[row, entry] < 0)] += 1
    for x, fits in ((2, True), (0, False)):
        expected = draws * np.array([float(q) for q in sketch.exact_channel()[x]])
        if fits:
            assert_fits(counts.ravel(), expected, SIGNIFICANCE)
        else:
            with pytest.raises(AssertionError):
                assert_fits(counts.ravel(), expected, SIGNIFICANCE)


def test_sketches_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match="m must be a power of two, got 3"):
        HadamardSketch(Hashes(np.zeros((1, 2), np.int64), 3), 1.0)
    with pytest.raises(CaldpError, match="use fewer cells or functions"):
        CountMeanSketch(Hashes.random(4, 4, 16, np.random.default_rng(1)), 1.0).exact_channel()
    with pytest.raises(CaldpError, match="functions must be a whole number"):
        Hashes.random(4, 0, 4, np.random.default_rng(1))


TWO = np.array([[True, False], [False, True]])
"""Two values with one bit each, in a Bloom filter of two bits."""
FOUR = np.array([[True, True, False, False], [False, False, True, True]])


def words(seed: int) -> Any:
    return seeded_words(np.random.default_rng(seed))


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
@pytest.mark.parametrize("days", [1, 2, 4])
def test_all_days_together_keep_epsilon(epsilon: float, days: int) -> None:
    channel = LastingRappor(2, 1, epsilon).exact_channel(TWO, days)
    assert audit_channel(channel, Context.plain(2, epsilon)).holds


def test_two_hashes_share_epsilon() -> None:
    channel = LastingRappor(4, 2, 2.0).exact_channel(FOUR, 3)
    assert audit_channel(channel, Context.plain(2, 2.0)).holds


def test_the_permanent_bits_themselves_keep_epsilon_and_a_twentieth_more_is_caught() -> None:
    for wrong, holds in ((1.0, True), (1.05, False)):
        kept = LastingRappor(2, 1, wrong * 2.0).keep_probability
        rows = [[kept if a else 1 - kept, 1 - kept if a else kept] for a in (True, False)]
        both = [
            [p * q for p in row for q in other] for row, other in zip(rows, rows[::-1], strict=True)
        ]
        assert audit_channel(both, Context.plain(2, 2.0)).holds == holds


def test_one_day_keeps_theorem_2_s_epsilon_and_no_less() -> None:
    mechanism = LastingRappor(4, 2, 3.0)
    channel = mechanism.exact_channel(FOUR, 1)
    day = mechanism.epsilon_one_day
    assert audit_channel(channel, Context.plain(2, day + 1e-9)).holds
    assert not audit_channel(channel, Context.plain(2, day - 1e-9)).holds
    assert day < 3.0


def test_drawing_the_permanent_response_anew_is_caught() -> None:
    mechanism = LastingRappor(2, 1, 2.0)
    redrawn = mechanism.redrawn_channel(TWO, 4)
    assert not audit_channel(redrawn, Context.plain(2, 2.0)).holds
    assert mechanism.redrawn_channel(TWO, 1) == mechanism.exact_channel(TWO, 1)


def test_a_phone_draws_the_permanent_response_of_a_value_once() -> None:
    phone = Phone(LastingRappor(64, 2, 2.0), words(1))
    first = phone.report("a")
    kept = phone.permanent_bits["a"].copy()
    reports = np.array([phone.report("a") for _ in range(2_000)])
    np.testing.assert_array_equal(phone.permanent_bits["a"], kept)
    assert not (reports == first).all()  # the daily layer is drawn anew
    # Its reports average to ¾ and ¼ by the permanent bits, whatever the Bloom filter is.
    mean = np.where(kept, 0.75, 0.25)
    assert_mean(reports.astype(float), mean, np.full(64, np.sqrt(3 / 16)), SIGNIFICANCE)
    phone.report("b")
    assert list(phone.permanent_bits) == ["a", "b"]
    np.testing.assert_array_equal(phone.permanent_bits["a"], kept)


class Forgetful(Phone):
    """A phone with the mistake that the test is for."""

    def report(self, value: str) -> Bools:
        self.permanent_bits.clear()
        return super().report(value)


def test_a_phone_that_forgets_is_told_from_one_that_does_not() -> None:
    phone = Forgetful(LastingRappor(64, 2, 2.0), words(1))
    phone.report("a")
    kept = phone.permanent_bits["a"].copy()
    reports = np.array([phone.report("a") for _ in range(2_000)])
    spread = np.full(64, np.sqrt(3 / 16))
    with pytest.raises(AssertionError):
        assert_mean(reports.astype(float), np.where(kept, 0.75, 0.25), spread, SIGNIFICANCE)


def test_daily_reports_have_the_channel_s_law() -> None:
    mechanism, n = LastingRappor(2, 1, 1.5), 40_000
    source = words(2)
    permanent = mechanism.permanent(np.broadcast_to(TWO[0], (n, 2)), source)
    sent = np.stack([mechanism.daily(permanent, source) for _ in range(2)])
    # Columns go bit by bit, and in each bit day by day.
    column = (sent.transpose(1, 2, 0).reshape(n, 4) @ np.array([8, 4, 2, 1])).astype(int)
    row = mechanism.exact_channel(TWO, 2)[0]
    expected = n * np.array([float(q) for q in row])
    assert_fits(np.bincount(column, minlength=16), expected, SIGNIFICANCE)
    wrong = n * np.array([float(q) for q in LastingRappor(2, 1, 1.7).exact_channel(TWO, 2)[0]])
    with pytest.raises(AssertionError):
        assert_fits(np.bincount(column, minlength=16), wrong, SIGNIFICANCE)


def best_guess(channel: list[list[Fraction]]) -> float:
    """Right from 50:50: half of the sum of the larger probabilities."""
    return float(sum(max(p, q) for p, q in zip(*channel, strict=True)) / 2)


@pytest.mark.parametrize("days", [1, 3, 4])
def test_what_an_onlooker_learns_is_what_the_channel_says(days: int) -> None:
    mechanism = LastingRappor(2, 1, 3.0)
    kept, redrawn = mechanism.law_memoised(days), mechanism.law_redrawn(days)
    for law, channel in ((kept, mechanism.exact_channel), (redrawn, mechanism.redrawn_channel)):
        exact = best_guess(channel(TWO, days))
        assert mechanism.history_guess_accuracy([law]) == pytest.approx(exact, abs=2.0**-11)


def test_decoding_is_unbiased_with_the_stated_variance() -> None:
    mechanism, people = LastingRappor(16, 2, 4.0), np.array([500, 300, 0, 200])
    server, rng = RapporCollector(mechanism, ["a", "b", "c", "d"], 4), np.random.default_rng(3)
    found = np.stack([server.estimate(server.sample_tally(people, rng)) for _ in range(2_000)])
    variance = server.variance(people)
    assert_mean(found, people.astype(float), np.sqrt(variance), SIGNIFICANCE)
    squares = (found - people) ** 2
    assert_mean(squares, variance, squares.std(axis=0), SIGNIFICANCE)
    for wrong in (0.8, 1.2):
        with pytest.raises(AssertionError):
            assert_mean(squares, wrong * variance, squares.std(axis=0), SIGNIFICANCE)
    with pytest.raises(AssertionError):
        assert_mean(found, people + 0.2 * np.sqrt(variance), np.sqrt(variance), SIGNIFICANCE)


def test_the_drawn_tally_is_that_of_phones() -> None:
    mechanism, people = LastingRappor(8, 2, 4.0), np.array([200, 100])
    server, rng = RapporCollector(mechanism, ["a", "b"], 2), np.random.default_rng(4)
    drawn = np.stack([server.sample_tally(people, rng)[0].ravel() for _ in range(800)])
    value = np.repeat([0, 1], people)
    sums = []
    for _ in range(800):
        cohort = rng.integers(0, 2, 300)
        bloom = server.blooms[cohort, value]
        source = seeded_words(rng)
        report = mechanism.daily(mechanism.permanent(bloom, source), source)
        by_cohort = np.zeros((2, 8))
        np.add.at(by_cohort, cohort, report)
        sums.append(by_cohort.ravel())
    one, other = drawn.astype(float), np.array(sums)
    spread = np.sqrt(one.var(axis=0) + other.var(axis=0))
    assert_mean(one - other, np.zeros(16), spread, SIGNIFICANCE)
    ratio = np.log(one.var(axis=0) / other.var(axis=0))
    assert np.abs(ratio).max() < 5.5 * np.sqrt(4 / 800)


def test_daily_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match=r"hashes must be a whole number in \[1, 8\]"):
        LastingRappor(8, 9, 1.0)
    with pytest.raises(CaldpError, match="cannot tell 3 candidates apart"):
        RapporCollector(LastingRappor(2, 1, 1.0), ["a", "b", "c"], 1)
    with pytest.raises(CaldpError, match="use fewer bits or days"):
        LastingRappor(8, 1, 1.0).exact_channel(np.zeros((2, 8), bool), 4)


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
    law = np.ones(1)
    for chance in (mechanism.chances[x] / COIN_ONE).tolist():
        law = np.convolve(law, [1 - chance, chance])
    drawn = np.array([mechanism.sample_ones(people, rng) for _ in range(6_000)])
    assert_fits(np.bincount(drawn, minlength=9), 6_000 * law, SIGNIFICANCE)
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


def test_sequences_have_the_law_of_phones() -> None:
    daily = DailyMean(OneBitMean(4, 1.5), 2)
    walk, n = [1, 3, 2], 40_000
    rng = np.random.default_rng(5)
    offset, kept = rng.integers(0, daily.width, n), rng.random((n, 5))  # one coin a multiple
    chances = daily.mean.chances / COIN_ONE
    at = np.stack([round_by_offset(np.full(n, x), offset, daily.width) for x in walk], axis=1)
    sent = np.take_along_axis(kept, at, axis=1) < chances[at]
    counts = np.bincount(sent @ np.array([4, 2, 1]), minlength=8)
    (row,) = daily.exact_channel([walk])
    assert sum(row) == 1
    assert_fits(counts, n * np.array([float(q) for q in row]), SIGNIFICANCE)
    (fresh,) = daily.forgetful_channel([walk])
    with pytest.raises(AssertionError):
        assert_fits(counts, n * np.array([float(q) for q in fresh]), SIGNIFICANCE)


def test_one_bit_mean_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match="width must divide 20, got 3"):
        DailyMean(OneBitMean(20, 1.0), 3)
    for values in itertools.product(("x",), (0, 2**21)):
        with pytest.raises(CaldpError, match="most must be a whole number"):
            OneBitMean(values[1], 1.0)
