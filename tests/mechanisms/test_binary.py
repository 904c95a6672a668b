"""The binary mechanism: its formula, its limits, its coins and its law."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.direct.few_values import BinaryMechanism, flip_thresholds
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.privacy.context import dense
from caldp_core.privacy.matrix import BinaryPolicy
from tests.audit.channels import exact_audit
from tests.contract import checks
from tests.stats import SIGNIFICANCE, assert_fits

INF = math.inf
F = Fraction
LEVELS = (0.01, 1.0, 20.0, INF)
PAIRS = list(itertools.product(LEVELS, LEVELS))
ANY = st.one_of(st.sampled_from([0.0, INF]), st.floats(1e-20, 1e4))
"""Below 1e-20 and above 1e4 the audit's own 60 digits give out; the limits are tested by hand."""
CASES = 100


def binary(epsilon_01: float, epsilon_10: float) -> BinaryMechanism:
    return BinaryMechanism(BinaryPolicy(epsilon_01, epsilon_10))


def equation_9(epsilon_01: float, epsilon_10: float) -> list[list[float]]:
    """(9) as printed, with 60 digits."""
    with localcontext() as context:
        context.prec = 60
        a, b = Decimal(epsilon_01), Decimal(epsilon_10)
        up, down = b.exp(), (-a).exp()
        rows = [[up - 1, 1 - down], [down * (up - 1), up * (1 - down)]]
        return [[float(entry / (up - down)) for entry in row] for row in rows]


def test_the_policy_protects_the_row() -> None:
    np.testing.assert_array_equal(dense(BinaryPolicy(0.5, 2.0)), [[0, 0.5], [2.0, 0]])


@given(ANY, ANY)
def test_the_channel_keeps_every_policy(epsilon_01: float, epsilon_10: float) -> None:
    mechanism = binary(epsilon_01, epsilon_10)
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@given(st.floats(0.01, 30), st.floats(0.01, 30))
def test_the_channel_is_equation_9(epsilon_01: float, epsilon_10: float) -> None:
    channel = checks.channel_of(binary(epsilon_01, epsilon_10))
    # Coins are rounded by less than 2^-48.
    np.testing.assert_allclose(channel, equation_9(epsilon_01, epsilon_10), rtol=0, atol=2.0**-47)


@given(st.floats(0.01, 10), st.floats(0.01, 10), st.sampled_from([(2, 0), (0, 2)]))
def test_no_coin_could_be_smaller(a: float, b: float, less: tuple[int, int]) -> None:
    # A coin two steps lower: 2^48 − G ≤ e^b·(F − 2) would ask e^b·(2 − δ) < 1 of a δ < 1.
    mechanism = binary(a, b)
    f, g = (
        F(whole - step, COIN_ONE)
        for whole, step in zip(flip_thresholds(mechanism.policy), less, strict=True)
    )
    assert not audit_channel([[1 - f, f], [g, 1 - g]], mechanism.policy).holds


def test_equal_levels_are_warner_and_one_infinite_level_is_mangat() -> None:
    stay = 1 / (1 + math.exp(-1.3))
    warner = checks.channel_of(binary(1.3, 1.3))
    np.testing.assert_allclose(warner, [[stay, 1 - stay], [1 - stay, stay]], rtol=1e-13)
    p = math.exp(-0.7)
    first = checks.channel_of(binary(INF, 0.7))
    np.testing.assert_allclose(first, np.array([[1 - p, p], [0, 1]]), rtol=1e-13)
    other = checks.channel_of(binary(0.7, INF))
    np.testing.assert_allclose(other, np.array([[1, 0], [p, 1 - p]]), rtol=1e-13)


@pytest.mark.parametrize(
    ("levels", "flips"),
    [
        ((INF, INF), (0, 0)),
        ((0, 0), (F(1, 2), F(1, 2))),
        ((0, INF), (0, 1)),
        ((INF, 0), (1, 0)),
        ((0, 1), (0, 1)),
        ((5e-324, 5e-324), (F(1, 2), F(1, 2))),
        ((1e308, 1e308), (F(1, COIN_ONE), F(1, COIN_ONE))),
        ((1e308, INF), (0, F(1, COIN_ONE))),
        ((2000.0, 2000.0), (F(1, COIN_ONE), F(1, COIN_ONE))),
    ],
)
def test_limits(levels: tuple[float, float], flips: tuple[F, F]) -> None:
    f, g = flips
    assert binary(*levels).exact_channel() == [[1 - f, f], [g, 1 - g]]


@pytest.mark.parametrize("levels", [(0, 0), (0, 1.0), (1.0, 0), (0, INF), (1e-15, 1e-15)])
def test_where_nothing_can_be_learned_the_estimate_refuses(levels: tuple[float, float]) -> None:
    mechanism = binary(*levels)
    rows = mechanism.exact_channel()
    assert rows[0] == rows[1]
    tally = mechanism.tally(mechanism.privatize([0, 1, 1], np.random.default_rng(0)))
    with pytest.raises(CaldpError, match="Nothing can be learned"):
        mechanism.estimate(tally)
    with pytest.raises(CaldpError, match="Nothing can be learned"):
        mechanism.variance(np.array([0.5, 0.5]), 10)


@pytest.mark.parametrize("levels", PAIRS)
def test_estimate_and_variance_are_the_channel_s(levels: tuple[float, float]) -> None:
    mechanism = binary(*levels)
    checks.check_unbiased(mechanism)
    checks.check_variance(mechanism)


@pytest.mark.parametrize("levels", PAIRS)
def test_reports_follow_the_channel(levels: tuple[float, float]) -> None:
    checks.check_privatize(binary(*levels))


PEOPLE = np.array([70, 40])
DRAWS = 10_000


def law_of_ones(mechanism: BinaryMechanism) -> Floats:
    """(111,) exact law of how many of `PEOPLE` report 1, from the channel."""
    channel = checks.channel_of(mechanism)
    laws = [binom.pmf(np.arange(n + 1), n, q) for n, q in zip(PEOPLE, channel[:, 1], strict=True)]
    return np.convolve(*laws)


def check_tallies(mechanism: BinaryMechanism, drawn_by: BinaryMechanism) -> None:
    """Sampled tallies have the law that the channel's convolution says.

    Swapped coins at (0.3, 3): f = 0.013 and g = 0.73 change places, so the mean number of ones
    moves from 12 to 90; a coin for 5 % more ε moves g by 0.01, hence the mean by 0.3 against a
    standard error of 0.03: rejected by ten of them.
    """
    rng = np.random.default_rng(11)
    tallies = [drawn_by.sample_tally(PEOPLE, rng) for _ in range(DRAWS)]
    assert {tally.n for tally in tallies} == {110}
    ones = np.array([tally.counts for tally in tallies])
    assert (ones.sum(axis=1) == 110).all()
    observed = np.bincount(ones[:, 1], minlength=111)
    assert_fits(observed, DRAWS * law_of_ones(mechanism), SIGNIFICANCE / CASES)


@pytest.mark.parametrize("levels", [(0.3, 3.0), (1.0, 1.0), (INF, 1.0), (0.5, INF), (0.0, 0.0)])
def test_sampled_tallies_have_the_law_of_reports(levels: tuple[float, float]) -> None:
    check_tallies(binary(*levels), binary(*levels))


def test_tallies_of_a_wrong_coin_are_rejected() -> None:
    for wrong in (binary(3.0, 0.3), binary(0.3 * 1.05, 3.0 * 1.05)):
        with pytest.raises(AssertionError):
            check_tallies(binary(0.3, 3.0), wrong)


def test_the_tally_of_a_trillion_people() -> None:
    mechanism = binary(0.5, 2.0)
    people = np.array([3 * 10**11, 7 * 10**11])
    tally = mechanism.sample_tally(people, np.random.default_rng(2))
    assert tally.counts.sum() == tally.n == 10**12
    spread = math.sqrt(mechanism.variance(people / 10**12, 10**12)[0])
    # Beyond 6 standard deviations once in 10^9.
    assert abs(mechanism.estimate(tally)[0] - 0.3) < 6 * spread < 1e-4


def test_a_client_draws_from_the_operating_system() -> None:
    mechanism = binary(INF, INF)
    assert [int(mechanism.client_report(x)[0]) for x in (0, 1)] == [0, 1]


@pytest.mark.parametrize("wrong", [-0.1, math.nan, "1", True])
def test_levels_that_are_none(wrong: object) -> None:
    with pytest.raises(CaldpError, match="epsilon_10 must be a number"):
        BinaryPolicy(1.0, wrong)  # type: ignore[arg-type]


def test_tallies_of_other_coins_do_not_mix() -> None:
    one, other = binary(1.0, 2.0), binary(2.0, 1.0)
    tally = one.tally(np.array([0, 1]))
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(tally)
    with pytest.raises(CaldpError, match="different mechanisms"):
        tally + other.tally(np.array([0, 1]))
    with pytest.raises(CaldpError, match="no reports"):
        one.estimate(one.tally(np.array([], np.int64)))
    with pytest.raises(CaldpError, match=r"reports must hold symbols in \[0, 1\]"):
        one.tally(np.array([2]))


def test_the_audit_finds_what_the_coin_claims() -> None:
    worst = exact_audit(binary(0.4, 0.9)).worst
    assert worst is not None
    assert worst.privacy_loss == pytest.approx(worst.epsilon, rel=1e-12)
