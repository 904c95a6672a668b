"""CALDP Theorem 2: where the binary mechanism errs, and that no channel of its policy beats it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.audit.adversary import error_vertex
from caldp_core.audit.pairwise import audit_channel
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.matrix import BinaryPolicy

INF = math.inf
F = Fraction
ANY = st.one_of(st.sampled_from([0.0, INF]), st.floats(1e-20, 1e4))
"""Below 1e-20 and above 1e4 the audit's own 60 digits give out; the limits are tested by hand."""


def binary(epsilon_01: float, epsilon_10: float) -> BinaryMechanism:
    return BinaryMechanism(BinaryPolicy(epsilon_01, epsilon_10))


@given(ANY, ANY)
def test_the_vertex_is_what_the_channel_errs(epsilon_01: float, epsilon_10: float) -> None:
    mechanism = binary(epsilon_01, epsilon_10)
    vertex = error_vertex(mechanism.policy)
    if sum(mechanism.flips) < 1:
        expected = (vertex.missed, vertex.false_alarm)
        np.testing.assert_allclose(mechanism.flips, expected, rtol=0, atol=2.0**-47)


def test_the_printed_vertex_is_a_slip() -> None:
    # (23) has e^{ε₂₁} − 1 twice; that point is no error of (9) unless both ε are equal.
    vertex = error_vertex(BinaryPolicy(0.5, 2.0))
    assert vertex.false_alarm == pytest.approx(math.expm1(2.0) / math.expm1(2.5), rel=1e-14)
    assert vertex.missed == pytest.approx(math.expm1(0.5) / math.expm1(2.5), rel=1e-14)
    equal = error_vertex(BinaryPolicy(1.0, 1.0))
    assert equal.missed == pytest.approx(equal.false_alarm, rel=1e-14)


def random_channel(
    rng: np.random.Generator, policy: BinaryPolicy, outputs: int
) -> list[list[Fraction]]:
    """2 × `outputs`: any channel within the policy, from likelihood ratios between its bounds.

    Every Q(y|0)/Q(y|1) lies in [e^{−ε₁₀}, e^{ε₀₁}]; weights make them average to 1 under row 1.
    A hair inside, so that the realised coins, 2^-48 inside too, still lie above.
    """
    least, most = math.exp(-policy.epsilon_10) + 1e-6, math.exp(policy.epsilon_01) - 1e-6
    low = [F(v) for v in rng.uniform(least, 1, size=outputs // 2)]
    high = [F(v) for v in rng.uniform(1, most, size=outputs - outputs // 2)]
    if rng.random() < 0.3:  # also the corners, where only Q* itself can reach
        low, high = [F(least)] * len(low), [F(most)] * len(high)
    masses = [[F(v) for v in rng.random(len(part))] for part in (low, high)]
    means = [
        sum((m * v for m, v in zip(mass, part, strict=True)), F(0)) / sum(mass)
        for mass, part in zip(masses, (low, high), strict=True)
    ]
    share = (means[1] - 1) / (means[1] - means[0])
    one = [share * m / sum(masses[0]) for m in masses[0]]
    one += [(1 - share) * m / sum(masses[1]) for m in masses[1]]
    return [[v * m for v, m in zip(low + high, one, strict=True)], one]


def information(channel: list[list[Fraction]], p1: Fraction) -> Fraction:
    """Fisher information on p₁ of one report; 1/(n·it) is the least variance (Cramér–Rao)."""
    return sum(
        ((b - a) ** 2 / (a + p1 * (b - a)) for a, b in zip(*channel, strict=True)),
        F(0),
    )


def post_processing(
    best: list[list[Fraction]], other: list[list[Fraction]]
) -> list[list[Fraction]]:
    """W with other = best·W, of 2 × 2 and 2 × m: a channel if no entry is negative (Theorem 2)."""
    (a, b), (c, d) = best
    determinant = a * d - b * c
    zero, one = other
    return [
        [(d * y0 - b * y1) / determinant for y0, y1 in zip(zero, one, strict=True)],
        [(a * y1 - c * y0) / determinant for y0, y1 in zip(zero, one, strict=True)],
    ]


@pytest.mark.parametrize("levels", [(0.2, 0.2), (1.0, 1.0), (0.3, 2.0), (3.0, 0.1), (5.0, 4.0)])
@pytest.mark.parametrize("outputs", [2, 3, 6])
def test_every_other_channel_is_made_of_this_one(levels: tuple[float, float], outputs: int) -> None:
    mechanism = binary(*levels)
    best = mechanism.exact_channel()
    rng = np.random.default_rng(outputs)
    for _ in range(100):
        other = random_channel(rng, mechanism.policy, outputs)
        assert audit_channel(other, mechanism.policy).holds
        rule = post_processing(best, other)
        assert all(sum(row) == 1 and min(row) >= 0 for row in rule)
        again = [
            [row[0] * rule[0][y] + row[1] * rule[1][y] for y in range(outputs)] for row in best
        ]
        assert again == other
        for p1 in (F(0), F(1, 5), F(1, 2), F(1)):
            assert information(other, p1) <= information(best, p1)


@pytest.mark.parametrize("p1", [0.0, 0.2, 0.5, 1.0])
def test_its_variance_is_the_least_of_all_binary_channels(p1: float) -> None:
    mechanism = binary(0.5, 1.5)
    at_best = mechanism.variance(np.array([1 - p1, p1]), 1)[1]
    assert at_best == pytest.approx(1 / float(information(mechanism.exact_channel(), F(p1))))
    rng = np.random.default_rng(9)
    for _ in range(200):
        (_, f), (g, _) = random_channel(rng, mechanism.policy, 2)
        ones = f + F(p1) * (1 - f - g)
        assert float(ones * (1 - ones) / (1 - f - g) ** 2) >= at_best


@pytest.mark.parametrize("levels", [(1.05, 1.0), (1.0, 1.05)])
def test_a_bolder_channel_is_not_made_of_this_one(levels: tuple[float, float]) -> None:
    best = binary(1.0, 1.0)
    bolder = binary(*levels).exact_channel()
    assert not audit_channel(bolder, best.policy).holds
    rule = post_processing(best.exact_channel(), bolder)
    assert min(min(row) for row in rule) < 0
