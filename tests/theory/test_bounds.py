"""The papers' bounds against exact variances, exact channels and numerical optimisation."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats
from caldp_core.mechanisms import ContextMechanism, catalogue
from caldp_core.privacy.context import Context
from caldp_core.theory import bounds
from caldp_core.theory.bounds import Losses
from tests.theory import formulas

EPSILONS = (0.1, 0.5, 1.0, 3.0, 8.0)
FLAGS = np.array([True, False, True, False, False, True])
Formula = Callable[[Floats, Bools, int, float], Losses]


def shares(k: int, seed: int) -> list[Floats]:
    """Corners, even, and random distributions from sparse to flat."""
    rng = np.random.default_rng(seed)
    random = [rng.dirichlet(np.full(k, a)) for a in (0.01, 0.1, 1.0, 10.0) for _ in range(5)]
    return [*np.eye(k)[[0, k - 1]], np.full(k, 1 / k), *random]


def variance_tv(mechanism: ContextMechanism, p: Floats, n: int) -> float:
    """½·Σσ: by Jensen's inequality above the exact expected TV."""
    return 0.5 * float(np.sqrt(mechanism.variance(p, n)).sum())


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("k", "s"), [(3, 1), (9, 4), (40, 5), (300, 140)])
def test_proposition_4_is_above_the_error(k: int, s: int, epsilon: float) -> None:
    mechanism = catalogue.in_context(Context.high_low(np.arange(k) < s, epsilon), "hadamard")
    # ½Σσ is above the exact expected TV (Jensen), so a bound above it is above that.
    for p, n in product(shares(k, k), (10, 10**4, 10**8)):
        assert 2 * variance_tv(mechanism, p, n) <= bounds.high_low_tv_bound(k, s, n, epsilon)


def test_the_second_term_of_17_as_printed_is_not_a_bound() -> None:
    # A million people, one sensitive value: the error of 299 values in the clear is above.
    k, s, n, epsilon = 300, 1, 10**6, 3.0
    mechanism = catalogue.in_context(Context.high_low(np.arange(k) < s, epsilon), "hadamard")
    p = np.where(np.arange(k) < s, 0.0, 1 / (k - s))
    c = 1 / np.tanh(epsilon / 2)
    # A normal's E|p̂−p| = √(2/π)·σ, good here: about 3,000 reports a value.
    error = np.sqrt(2 / np.pi) * variance_tv(mechanism, p, n)
    printed = np.sqrt(3 * s**2 * c**2 / n) + np.sqrt(c) * k / n
    assert printed < error < bounds.high_low_tv_bound(k, s, n, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sizes", [[2], [5, 3, 1], [16] * 4, [2, 60, 7]])
def test_proposition_5_is_above_the_error(sizes: list[int], epsilon: float) -> None:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    mechanism = catalogue.in_context(Context.block_structured(labels, epsilon), "hadamard")
    for p, n in product(shares(labels.size, 7), (10, 10**4, 10**8)):
        assert 2 * variance_tv(mechanism, p, n) <= bounds.block_tv_bound(sizes, n, epsilon)


def test_proposition_5_is_not_far_off() -> None:
    # Must fail: a twentieth of the bounds is no bound, where all people are in the largest block.
    mechanism = catalogue.in_context(Context.plain(60, 0.5), "hadamard")
    p = np.full(60, 1 / 60)
    assert variance_tv(mechanism, p, 100) > bounds.block_tv_bound([60], 100, 0.5) / 20


@pytest.mark.parametrize("sizes", [[64], [64] * 4, [200, 30, 5]])
def test_people_needed_for_a_bound_grow_like_the_rate(sizes: list[int]) -> None:
    # n at which (20) equals α, over Theorem 4's rate: a constant but for ε's own order.
    for alpha, epsilon in ((0.3, 0.01), (0.1, 0.01), (0.1, 0.02)):
        n = float(np.square(sizes).sum()) / (alpha * epsilon) ** 2
        assert bounds.block_tv_bound(sizes, 1, epsilon) / np.sqrt(n) == pytest.approx(
            alpha * 4 * np.sqrt(3), rel=1e-3
        )


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_proposition_4_of_uldp_is_the_exact_variance(epsilon: float) -> None:
    mechanism = catalogue.in_context(Context.high_low(FLAGS, epsilon), "randomized-response")
    for p in shares(FLAGS.size, 3):
        variance = mechanism.variance(p, 1000)
        ours = bounds.urr_losses(p, FLAGS, 1000, epsilon)
        assert ours.l2_squared == pytest.approx(variance.sum(), rel=1e-8, abs=1e-12)
        normal = np.sqrt(2 / np.pi) * np.sqrt(np.maximum(variance, 0)).sum()
        assert ours.l1 == pytest.approx(normal, rel=1e-6, abs=1e-7)
        # Must fail: another ε by 1 %, where there is noise at all.
        off = bounds.urr_losses(p, FLAGS, 1000, 1.01 * epsilon)
        assert off.l2_squared != pytest.approx(variance.sum(), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_proposition_7_of_uldp_is_the_variance_of_its_bits(epsilon: float) -> None:
    # Each report's bit x is one coin; p̂_x is its mean, shifted and scaled to be unbiased.
    theta = 1 / (1 + np.exp(-epsilon / 2))
    d1, d2 = 1 - theta, np.exp(-epsilon / 2)
    for p in shares(FLAGS.size, 4):
        bit = np.where(FLAGS, p * theta + (1 - p) * d1, p * (1 - d2))
        scale = np.where(FLAGS, theta - d1, 1 - d2)
        variance = bit * (1 - bit) / scale**2 / 1000
        ours = formulas.urap_losses(p, FLAGS, 1000, epsilon)
        assert ours.l2_squared == pytest.approx(variance.sum(), rel=1e-9, abs=1e-12)
        normal = np.sqrt(2 / np.pi) * np.sqrt(np.maximum(variance, 0)).sum()
        assert ours.l1 == pytest.approx(normal, rel=1e-6, abs=1e-7)


def maximum(formula: Formula, flags: Bools, epsilon: float, loss: str) -> float:
    """The largest loss that an optimiser finds, from several starts."""
    k = flags.size

    def below(weights: Floats) -> float:
        p = np.square(weights) / max(float(np.square(weights).sum()), 1e-12)
        return -float(getattr(formula(p, flags, 1, epsilon), loss))

    rng = np.random.default_rng(5)
    starts = [np.sqrt(rng.dirichlet(np.ones(k))) for _ in range(6)]
    return max(-minimize(below, start, method="BFGS").fun for start in starts)


@pytest.mark.parametrize("loss", ["l1", "l2_squared"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.3, 1.5, 3.0, 8.0])
def test_propositions_5_and_6_are_the_worst_cases(epsilon: float, loss: str) -> None:
    # |X_N| = 3: Proposition 5 ends at ln 4 = 1.386.
    worst = formulas.urr_worst(FLAGS, epsilon)
    assert worst.sum() == pytest.approx(1)
    assert worst.min() >= 0
    ours = float(getattr(bounds.urr_losses(worst, FLAGS, 1, epsilon), loss))
    assert ours == pytest.approx(maximum(bounds.urr_losses, FLAGS, epsilon, loss), rel=1e-6)
    uniform_on_sensitive = FLAGS / FLAGS.sum()
    other = bounds.urr_losses(uniform_on_sensitive, FLAGS, 1, epsilon)
    assert float(getattr(other, loss)) < ours * (1 - 1e-6)


@pytest.mark.parametrize("loss", ["l1", "l2_squared"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.8])
def test_proposition_8_is_the_worst_case(epsilon: float, loss: str) -> None:
    # |X_N| = 3: it ends at 2·ln 2.5 = 1.833.
    worst = formulas.urap_worst(FLAGS, epsilon)
    ours = float(getattr(formulas.urap_losses(worst, FLAGS, 1, epsilon), loss))
    assert ours == pytest.approx(maximum(formulas.urap_losses, FLAGS, epsilon, loss), rel=1e-6)


def test_proposition_8_ends_where_it_says() -> None:
    with pytest.raises(CaldpError, match="at most 2·ln"):
        formulas.urap_worst(FLAGS, 1.9)
    uniform = ~FLAGS / 3
    ours = formulas.urap_losses(uniform, FLAGS, 1, 2.2).l2_squared
    assert ours < maximum(formulas.urap_losses, FLAGS, 2.2, "l2_squared") * (1 - 1e-6)


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: bounds.high_low_tv_bound(3, 1, 0, 1.0), "n must be"),
    (lambda: bounds.high_low_tv_bound(3, 4, 10, 1.0), "s must be"),
    (lambda: bounds.high_low_tv_bound(3, 1, 10, 0.0), "epsilon must be"),
    (lambda: bounds.block_tv_bound([2], 0, 1.0), "n must be"),
    (lambda: bounds.block_tv_bound([], 10, 1.0), "sizes must be"),
    (lambda: bounds.urr_losses(np.full(6, 1 / 6), FLAGS, 0, 1.0), "n must be"),
    (lambda: bounds.urr_losses(np.full(6, 1 / 6), FLAGS, 10, 1000.0), "epsilon must be"),
    (lambda: bounds.urr_losses(np.full(5, 1 / 5), FLAGS, 10, 1.0), "one flag for each"),
]


@pytest.mark.parametrize(("use", "words"), WRONG)
def test_what_is_not_positive_is_refused_in_words(use: Callable[[], object], words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        use()
