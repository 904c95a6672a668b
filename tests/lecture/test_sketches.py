"""Sketches: audited exactly; unbiased over their functions, with the stated variance."""

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.lecture.sketches import CountMeanSketch, HadamardSketch, Hashes
from caldp_core.privacy.context import Context
from tests.products import thinned
from tests.stats import SIGNIFICANCE, assert_fits, assert_mean

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


def test_bits_of_a_report() -> None:
    assert CountMeanSketch(TABLE, 1.0).bits == 4 + 1
    assert HadamardSketch(TABLE, 1.0).bits == 1 + 2 + 1


def test_with_one_function_values_that_share_a_cell_stay_together_at_any_n() -> None:
    table = Hashes(np.array([[0, 0, 1]]), 4)
    sketch, people = CountMeanSketch(table, 1.0), np.array([600, 0, 400]) * 10**9
    found = sketch.estimate(sketch.sample_tally(people, np.random.default_rng(4)))
    assert found[1] == pytest.approx(found[0])
    assert found[1] / people.sum() > 0.4


def test_bad_input_is_told() -> None:
    with pytest.raises(CaldpError, match="m must be a power of two, got 3"):
        HadamardSketch(Hashes(np.zeros((1, 2), np.int64), 3), 1.0)
    with pytest.raises(CaldpError, match="use fewer cells or functions"):
        CountMeanSketch(Hashes.random(4, 4, 16, np.random.default_rng(1)), 1.0).exact_channel()
    with pytest.raises(CaldpError, match="functions must be a whole number"):
        Hashes.random(4, 0, 4, np.random.default_rng(1))
