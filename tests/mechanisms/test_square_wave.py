"""The square wave: its width, its promise to the last unit, its draws; and EMS after it."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import US_GRID
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.maximum_likelihood import (
    ReportLikelihood,
    maximum_likelihood,
    smoothed_likelihood,
)
from caldp_core.experiments.questions import plain_mechanism_maker
from caldp_core.mechanisms import mechanism
from caldp_core.mechanisms.catalogue import Oue
from caldp_core.mechanisms.direct.few_values import WHOLE, SquareWaveMechanism, Wave, half_width
from caldp_core.privacy.context import Context
from tests.audit.channels import exact_audit
from tests.contract import checks
from tests.contract.contexts import CONTEXTS, context

STEPS = np.arange(24.0)
HILL = np.exp(-0.5 * np.square((STEPS - 9) / 4.0))
HILL /= HILL.sum()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_width_has_the_largest_information(epsilon: float) -> None:
    """Section 5.3: log((2b + 1)/(2be^ε + 1)) + 2bεe^ε/(2be^ε + 1), b a share of the scale."""
    power = np.exp(epsilon)

    def loss(b: float) -> float:
        near = 2 * b * power
        return -float(np.log((2 * b + 1) / (near + 1)) + near * epsilon / (near + 1))

    best = minimize_scalar(loss, bounds=(0.0, 2.0), method="bounded", options={"xatol": 1e-9}).x
    assert half_width(10**6, epsilon) == pytest.approx(10**6 * best, abs=20)


@pytest.mark.parametrize("kind", CONTEXTS)
def test_the_contract_in_every_context(kind: str) -> None:
    for epsilon in (0.01, 1.0, 20.0):
        made = SquareWaveMechanism(context(kind, epsilon))
        for check in (checks.check_rows, checks.check_audit, checks.check_unbiased):
            check(made)
        checks.check_tight(made)  # type: ignore[arg-type]
        checks.check_variance(made)


def test_a_unit_more_would_break_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    """As high as e^ε allows: all near reports a 2^-60 of themselves higher are too high."""
    made = SquareWaveMechanism(Context.plain(9, 1.0))
    assert exact_audit(made).holds
    right = Wave.of

    def bolder(size: int, epsilon: float) -> Wave:
        wave = right(size, epsilon)
        less = wave.low >> 60
        more, spare = divmod(WHOLE - (size - 1) * (wave.low - less), 2 * wave.half + 1)
        return replace(wave, low=wave.low - less, high=more, spare=spare)

    monkeypatch.setattr(Wave, "of", bolder)
    wrong = SquareWaveMechanism(Context.plain(9, 1.0))
    checks.check_rows(wrong)
    assert not exact_audit(wrong).holds


def test_a_window_that_is_off_by_one_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The channel is what the module says, and reports follow the channel."""
    made = SquareWaveMechanism(Context.plain(6, 1.0))
    checks.check_privatize(made)
    b = half_width(6, 1.0)
    for x, row in enumerate(made.exact_channel()):
        high = [y for y, chance in enumerate(row) if chance > 2 * min(row)]
        assert high == list(range(x, x + 2 * b + 1))
    right = SquareWaveMechanism._reports
    monkeypatch.setattr(
        SquareWaveMechanism,
        "_reports",
        lambda self, x, words: right(self, np.minimum(x + 1, 5), words),
    )
    with pytest.raises(AssertionError):
        checks.check_privatize(made)


def test_both_ways_to_a_tally_have_one_law() -> None:
    checks.check_one_law(SquareWaveMechanism(Context.plain(24, 1.0)), HILL)


def test_blocks_are_told_and_scales_are_their_own() -> None:
    made = SquareWaveMechanism(context("one ε per block", 1.0))
    people = np.arange(1, made.k + 1)
    tally = made.sample_tally(people, np.random.default_rng(1))
    blocks = np.bincount(made.blocks, people)
    assert made.block_counts(tally).tolist() == blocks.tolist()
    whole = SquareWaveMechanism(Context.plain(3, 0.5)).exact_channel()
    of_block = [row[: len(whole[0])] for row in SquareWaveMechanism(
        Context.block_structured([0, 0, 0, 1, 1], 0.5)
    ).exact_channel()[:3]]  # fmt: skip
    assert of_block == whole
    assert all(isinstance(chance, Fraction) for chance in whole[0])


def test_too_many_steps_are_refused_in_a_sentence() -> None:
    with pytest.raises(CaldpError, match="take wider steps"):
        SquareWaveMechanism(Context.plain(2_000, 1.0))


def test_sums_along_the_scale_are_told_better_and_single_shares_worse() -> None:
    wave, best = mechanism(Context.plain(24, 1.0), "square-wave"), plain_mechanism_maker(24)(1.0)
    assert 6 * wave.sum_variance(HILL, STEPS - 11.5, 1) < best.sum_variance(HILL, STEPS - 11.5, 1)
    assert wave.variance(HILL, 1).sum() > 5 * best.variance(HILL, 1).sum()


def off(found: np.ndarray) -> float:
    """Share of people under the wrong number."""
    return 0.5 * float(np.abs(found - HILL).sum())


def test_smoothing_finds_what_is_smooth() -> None:
    made, rng = SquareWaveMechanism(Context.plain(24, 1.0)), np.random.default_rng(5)
    tallies = [made.sample_tally(rng.multinomial(5_000, HILL), rng) for _ in range(8)]
    found = [Evidence.of(made, tally) for tally in tallies]
    ems, em = (
        [off(way(each)) for each in found] for way in (smoothed_likelihood, maximum_likelihood)
    )
    assert np.mean(ems) < 0.15
    assert np.mean(em) > 2 * np.mean(ems)
    one = smoothed_likelihood(found[0])
    assert (one >= 0).all()
    assert one.sum() == pytest.approx(1.0)


def test_it_ends_where_a_round_of_em_and_smoothing_changes_nothing() -> None:
    """By the definition in a matrix of weights, written out: (1, 2, 1)/4, ends kept."""
    made = SquareWaveMechanism(Context.plain(24, 2.0))
    tally = made.sample_tally((10**6 * HILL).astype(np.int64), np.random.default_rng(2))
    found = smoothed_likelihood(Evidence.of(made, tally))
    weights = 0.5 * np.eye(24) + 0.25 * (np.eye(24, k=1) + np.eye(24, k=-1))
    weights[0, 0] = weights[-1, -1] = 0.75
    likelihood = ReportLikelihood(made.channel_products(), tally.counts / tally.n, tally.n)
    _, slopes = likelihood.slopes(found)
    np.testing.assert_allclose(weights @ (found * slopes), found, atol=2e-5)
    assert not np.allclose(found * slopes, found, atol=2e-5)  # EM alone would go on


def test_borders_of_blocks_and_values_in_the_clear_are_not_smoothed() -> None:
    blocks, flags = np.repeat([0, 1], 6), np.arange(12) != 8
    made = SquareWaveMechanism(Context.of(blocks, flags, 4.0))
    people = np.where(blocks == 0, 1000, 0)
    people[8] = 60_000
    evidence = Evidence.of(made, made.sample_tally(people, np.random.default_rng(3)))
    found = smoothed_likelihood(evidence)
    assert found[:6].sum() == pytest.approx(6 / 66, abs=1e-6)
    assert found[8] == pytest.approx(60 / 66, abs=0.005)


def test_what_has_no_order_or_no_histogram_is_refused() -> None:
    made = SquareWaveMechanism(Context.plain(3, 1.0))
    tally = made.sample_tally([5, 6, 7], np.random.default_rng(0))
    with pytest.raises(CaldpError, match="values in an order"):
        smoothed_likelihood(Evidence.of(made, tally, domain=US_GRID))
    sets = Oue().make(Context.plain(3, 1.0))
    with pytest.raises(CaldpError, match="use the estimator 'simplex'"):
        smoothed_likelihood(
            Evidence.of(sets, sets.sample_tally([5, 6, 7], np.random.default_rng(0)))
        )
