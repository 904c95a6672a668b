"""The exponential mechanism: its leak formula against exact channels, its scale, draws, shares."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caldp_core.audit.pairwise import audit_channel
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.direct.few_values import (
    ExponentialMechanism,
    half_scale,
    largest_scale,
    privacy_losses,
)
from caldp_core.privacy.distance import DistanceMetric
from tests import sampled
from tests.audit.channels import exact_audit
from tests.contract import checks


def line(k: int) -> Floats:
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)


def ring(k: int) -> Floats:
    return np.minimum(line(k), k - line(k))


def points(k: int, seed: int = 0) -> Floats:
    places = np.random.default_rng(seed).normal(size=(k, 2))
    return np.linalg.norm(places[:, None] - places, axis=-1)


def star(k: int) -> Floats:
    """One hub at distance 1 of everybody, all others 2 apart: normalisers differ most."""
    table = np.full((k, k), 2.0)
    table[0] = table[:, 0] = 1.0
    np.fill_diagonal(table, 0.0)
    return table


TABLES = {
    "line": line(6),
    "ring": ring(6),
    "points": points(7),
    "star": star(8),
    "one": line(1),
    "twins": points(4)[np.ix_([0, 1, 1, 3], [0, 1, 1, 3])],
}
TABLE = pytest.mark.parametrize("name", list(TABLES))
INVERTIBLE = pytest.mark.parametrize("name", ["line", "ring", "points", "star", "one"])


def exponential(name: str, epsilon: float = 1.0, **more: Any) -> ExponentialMechanism:
    return ExponentialMechanism(DistanceMetric.of(TABLES[name], epsilon), **more)


@settings(deadline=None)
@given(
    st.sampled_from(list(TABLES)),
    st.floats(1e-3, 50.0),
    st.sampled_from([half_scale, largest_scale]),
)
def test_the_channel_keeps_the_metric(name: str, epsilon: float, scale: Any) -> None:
    mechanism = exponential(name, epsilon, scale=scale)
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@TABLE
def test_the_leak_is_what_the_formula_says(name: str) -> None:
    mechanism = exponential(name, 1.3)
    channel = checks.channel_of(mechanism)
    ratios = np.log(channel[:, None, :] / channel[None, :, :]).max(axis=-1)
    formula = privacy_losses(mechanism.policy.distances, mechanism.scale)
    np.testing.assert_allclose(formula, ratios, rtol=0, atol=1e-12)


def test_how_much_the_largest_scale_gains() -> None:
    def share(table: Floats) -> float:
        return largest_scale(DistanceMetric.of(table, 1.0))

    # No normaliser varies on a ring, so all of ε is used; elsewhere between a half and all.
    assert share(ring(8)) == pytest.approx(1.0, abs=1e-8)
    assert 0.5 < share(star(50)) < share(line(20)) < 1.0


@pytest.mark.parametrize("name", ["line", "ring", "points", "star"])
def test_a_larger_scale_would_leak(name: str) -> None:
    policy = DistanceMetric.of(TABLES[name], 1.0)
    worst = exact_audit(ExponentialMechanism(policy)).worst
    assert worst is not None
    assert worst.privacy_loss == pytest.approx(worst.epsilon, rel=1e-6)
    bolder = ExponentialMechanism(policy, scale=lambda p: 1.05 * largest_scale(p))
    assert not audit_channel(bolder.exact_channel(), policy).holds


@INVERTIBLE
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_estimate_and_variance_are_the_channel_s(name: str, epsilon: float) -> None:
    mechanism = exponential(name, epsilon)
    checks.check_unbiased(mechanism)
    checks.check_variance(mechanism)


@TABLE
def test_reports_follow_the_channel(name: str) -> None:
    checks.check_privatize(exponential(name))


def check_sampled(mechanism: ExponentialMechanism, drawn_by: ExponentialMechanism) -> None:
    """About 5,000 people: a scale 10 % off moves 2 % of some 600 reports of a cell.

    That is a third of a spread; 1/45 of one is found.
    """
    people = 500 * (1 + np.arange(mechanism.k) % 3)
    sampled.check_sampled(mechanism, drawn_by, people, cases=10)


@TABLE
def test_sampled_tallies_have_the_law_of_reports(name: str) -> None:
    check_sampled(exponential(name), exponential(name))


def test_tallies_of_a_wrong_scale_are_rejected() -> None:
    with pytest.raises(AssertionError):
        check_sampled(exponential("line"), exponential("line", 1.1))


def test_what_is_refused() -> None:
    twins = exponential("twins")
    with pytest.raises(CaldpError, match="can't be estimated"):
        twins.estimate(twins.tally([0, 1]))
    with pytest.raises(CaldpError, match="fewer symbols"):
        ExponentialMechanism(DistanceMetric.of(line(500), 1.0))
    with pytest.raises(CaldpError, match="choose another epsilon"):
        exponential("line", 1e6)
    one, other = exponential("line"), exponential("ring")
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(one.tally([0]))
    assert one.client_report(2).shape == (1,)
    assert math.isclose(one.channel.sum(), 6.0)
