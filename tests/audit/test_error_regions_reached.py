"""Error regions of any pair by formula and by the channel, and the best guess of anybody."""

import math
from dataclasses import asdict
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from caldp_core.audit.adversary import claimed_region, guess_accuracy, reached_region
from caldp_core.audit.inference import best_guess
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import FAMILIES, catalogue
from caldp_core.mechanisms.direct.few_values import BinaryMechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from tests.audit.channels import best_guess_of_channel, least_weighted_error
from tests.contract.checks import naming
from tests.contract.contexts import CONTEXTS, context
from tests.products import thinned

NEARLY = 1e-9
SOME = pytest.mark.parametrize(("family", "kind"), thinned(FAMILIES, CONTEXTS, one_in=3))
OVERLAP_FAMILIES = [family for family in FAMILIES if family != "local-hashing"]
"""Families that tell how their reports overlap."""


def supports(line: Floats, weight: float) -> float:
    """Least P_FA + weight·P_MD on a line of corners."""
    return float((line[:, 0] + weight * line[:, 1]).min())


def gap_to_claim(claimed: Floats, reached: Floats) -> float:
    """How far the reached line stays above the claimed one at most, in P_MD at equal P_FA."""
    at = np.unique(np.concatenate([claimed[:, 0], reached[:, 0]]))
    lines = [np.interp(at, line[:, 0], _lowest(line)) for line in (claimed, reached)]
    return float((lines[1] - lines[0]).max())


def _lowest(line: Floats) -> Floats:
    """P_MD of each corner; of corners at one P_FA the lowest, as `interp` takes any of them."""
    return np.array([line[line[:, 0] == fa, 1].min() for fa in line[:, 0]])


@SOME
def test_the_region_reached_is_that_of_the_exact_channel(family: str, kind: str) -> None:
    """Convex regions are told by their support: min P_FA + w·P_MD, here in rationals."""
    mechanism = catalogue.in_context(context(kind, 1.0), family)
    channel = mechanism.exact_channel()
    for x, other in list(permutations(range(mechanism.k), 2))[::7]:
        line = reached_region(mechanism, x, other)
        assert (np.diff(line[:, 0]) >= 0).all()
        assert (np.diff(line[:, 1]) <= NEARLY).all()
        for weight in (Fraction(1, 9), Fraction(1, 2), Fraction(1), Fraction(5, 2), Fraction(9)):
            exact = float(least_weighted_error(channel, x, other, weight))
            with naming(f"{x} against {other}, weight {weight}"):
                assert supports(line, float(weight)) == pytest.approx(exact, abs=NEARLY)
        assert guess_accuracy(mechanism, x, other) == pytest.approx(
            1 - supports(line, 1.0) / 2, abs=NEARLY
        )
        assert gap_to_claim(claimed_region(mechanism.policy, x, other), line) >= -NEARLY


@pytest.mark.parametrize("levels", [(1.0, 1.0), (0.3, 2.0), (math.inf, 1.0), (2.0, math.inf)])
def test_theorem_2s_mechanism_touches_its_whole_region(levels: tuple[float, float]) -> None:
    policy = BinaryPolicy(*levels)
    line, claimed = reached_region(BinaryMechanism(policy), 0, 1), claimed_region(policy, 0, 1)
    assert gap_to_claim(claimed, line) == pytest.approx(0, abs=NEARLY)
    weaker = BinaryMechanism(BinaryPolicy(*(0.9 * level for level in levels)))
    assert gap_to_claim(claimed, reached_region(weaker, 0, 1)) > 0.01
    stronger = BinaryMechanism(BinaryPolicy(*(1.05 * level for level in levels)))
    line = reached_region(stronger, 0, 1)
    below = np.interp(line[1, 0], claimed[:, 0], claimed[:, 1]) - line[1, 1]
    assert below > 0.003


def test_regions_of_any_matrix() -> None:
    policy = DenseMatrix.of([[0, 1.0, math.inf], [0.5, 0, 0.0], [math.inf, 0.0, 0]])
    np.testing.assert_allclose(claimed_region(policy, 1, 2)[1], [0.5, 0.5])
    np.testing.assert_allclose(claimed_region(policy, 0, 2)[1], [0.0, 0.0])
    fa, md = claimed_region(policy, 0, 1)[1]
    # Theorem 1: the corner is where P_FA + e^{E[x′,x]}·P_MD and e^{E[x,x′]}·P_FA + P_MD are both 1.
    assert fa + math.exp(0.5) * md == pytest.approx(1)
    assert math.exp(1.0) * fa + md == pytest.approx(1)


@pytest.mark.parametrize(("family", "kind"), thinned(OVERLAP_FAMILIES, CONTEXTS, one_in=2))
def test_the_best_guess_is_that_of_the_channel(family: str, kind: str) -> None:
    for epsilon in (0.5, 1.0, 4.0):
        mechanism = catalogue.in_context(context(kind, epsilon), family)
        hidden, channel = mechanism.policy.hidden(), mechanism.exact_channel()
        for seed in range(4):
            prior = np.random.default_rng(seed).dirichlet(np.full(mechanism.k, 0.5))
            found, exact = (
                best_guess(mechanism, prior),
                best_guess_of_channel(channel, prior, hidden),
            )
            with naming(f"ε = {epsilon}, prior {seed}"):
                assert asdict(found) == pytest.approx(asdict(exact), abs=NEARLY)
                joint = prior[:, None] * np.array(channel, dtype=np.float64)
                assert found.after == pytest.approx(joint.max(axis=0).sum())
                whole = found.hidden * prior[hidden].sum() + found.others * prior[~hidden].sum()
                assert whole == pytest.approx(found.after)
                assert found.before <= found.after + NEARLY


def test_who_is_protected_is_guessed_less_often_than_who_is_not() -> None:
    even = np.full(40, 1 / 40)
    found = best_guess(
        catalogue.in_context(Context.high_low(np.arange(40) < 20, 1.0), "hadamard"), even
    )
    assert found.others > 0.4 > 4 * found.hidden
    rr = best_guess(catalogue.in_context(Context.plain(40, 1.0), "randomized-response"), even)
    assert rr.after == rr.hidden == pytest.approx(np.e / (np.e + 39))
    assert rr.others == 0.0


def test_large_maps_and_what_does_not_tell() -> None:
    rng, k = np.random.default_rng(5), 43_750
    policy = Context.of(np.arange(k) // 900, np.ones(k, np.bool_), 1.0)
    prior = rng.dirichlet(np.full(k, 0.1))
    by_block = np.array([prior[policy.blocks == j].max() for j in range(policy.m)])
    for family in OVERLAP_FAMILIES:
        found = best_guess(catalogue.in_context(policy, family), prior)
        assert by_block.sum() <= found.after <= math.e * by_block.sum()
    with pytest.raises(CaldpError, match="does not tell how its reports overlap"):
        best_guess(catalogue.in_context(Context.plain(5, 1.0), "local-hashing"), np.full(5, 0.2))
