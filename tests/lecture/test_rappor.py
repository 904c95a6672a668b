"""RAPPOR's layers: audited over several days, the permanent response kept, decoding unbiased."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools
from caldp_core.lecture.daily import LastingRappor, Phone, RapporCollector, guess_accuracy_of_laws
from caldp_core.mechanisms.randomness import seeded_words
from caldp_core.privacy.context import Context
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean

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


def test_reports_have_the_channel_s_law() -> None:
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


def test_memory_stops_the_onlooker_and_forgetting_does_not() -> None:
    mechanism = LastingRappor(32, 2, 2.0)
    most = 1 / (1 + np.exp(-2.0))
    known = mechanism.history_guess_accuracy([mechanism.law_of_permanent])
    kept = [mechanism.history_guess_accuracy([mechanism.law_memoised(m)]) for m in (1, 7, 30, 120)]
    anew = [mechanism.history_guess_accuracy([mechanism.law_redrawn(m)]) for m in (1, 7, 30, 120)]
    assert kept == sorted(kept)
    assert kept[0] == pytest.approx(anew[0], abs=1e-4)
    assert kept[-1] == pytest.approx(known, abs=2e-3)
    assert known <= most
    assert anew[2] > most
    assert anew[3] > 0.99
    changing = mechanism.history_guess_accuracy([mechanism.law_memoised(6)] * 5)
    assert known < changing <= 1 / (1 + np.exp(-10.0))


def test_no_news_is_a_coin_s_guess() -> None:
    even = np.array([0.5, 0.5])
    assert guess_accuracy_of_laws([(even, even)]) == pytest.approx(0.5)


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
        sums.append(server.tally(report, cohort)[0].ravel())
    one, other = drawn.astype(float), np.array(sums, dtype=float)
    spread = np.sqrt(one.var(axis=0) + other.var(axis=0))
    assert_mean(one - other, np.zeros(16), spread, SIGNIFICANCE)
    ratio = np.log(one.var(axis=0) / other.var(axis=0))
    assert np.abs(ratio).max() < 5.5 * np.sqrt(4 / 800)


def test_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match=r"hashes must be a whole number in \[1, 8\]"):
        LastingRappor(8, 9, 1.0)
    with pytest.raises(CaldpError, match="cannot tell 3 candidates apart"):
        RapporCollector(LastingRappor(2, 1, 1.0), ["a", "b", "c"], 1)
    with pytest.raises(CaldpError, match="use fewer bits or days"):
        LastingRappor(8, 1, 1.0).exact_channel(np.zeros((2, 8), bool), 4)
