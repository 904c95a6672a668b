"""Designs where some values need no protection: rows of E that are all ∞, and uneven people."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.catalogue import FAMILIES, mechanism
from caldp_core.mechanisms.designed.columns import ColumnScore, clear_columns, climb
from caldp_core.mechanisms.designed.design import Design, DesignedMechanism, design
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import DenseMatrix
from tests.audit.channels import exact_audit
from tests.designs import INF

FEW = 1
"""Entries of extreme rays: so few that columns are always searched for."""


def by_rows(levels: list[float]) -> Floats:
    """E[x, x′] = `levels`[x] for every x′ ≠ x."""
    rows = np.repeat(np.array(levels)[:, None], len(levels), axis=1)
    np.fill_diagonal(rows, 0.0)
    return rows


def total(family: str, policy: Context, prior: Floats) -> float:
    return float(mechanism(policy, family).variance(prior, 1).sum())


SOME_OPEN = [0.5 + 0.1 * i for i in range(18)] + [INF] * 2
MANY_OPEN = [1.0] * 16 + [INF] * 4


@pytest.mark.parametrize(
    ("levels", "prior"),
    [
        (SOME_OPEN, 1 / np.arange(1, 21)),
        pytest.param(MANY_OPEN, np.arange(1.0, 21), marks=pytest.mark.thorough),
        pytest.param(MANY_OPEN, np.arange(20.0, 0, -1), marks=pytest.mark.thorough),
    ],
)
def test_beside_open_values_the_design_beats_every_family(
    levels: list[float], prior: Floats
) -> None:
    made = design(DenseMatrix.of(by_rows(levels)), prior)
    exact_audit(DesignedMechanism(made))
    least = Context.high_low(np.isfinite(levels), min(levels))
    best = min(total(family, least, made.prior) for family in FAMILIES)
    assert made.loss < best
    assert 0 < made.gap < 0.15


@st.composite
def problems(draw: st.DrawFn) -> tuple[Floats, Floats, Floats]:
    """E, prior and weights: some values open to all, or to some, or mixed levels."""
    k = draw(st.integers(3, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["own level", "one level", "open rows", "open pairs", "wide"]))
    is_open = rng.random(k) < 0.4
    if kind == "own level":
        levels = by_rows(np.where(is_open, INF, rng.uniform(0.1, 3, k)).tolist())
    elif kind == "one level":
        levels = by_rows(np.where(is_open, INF, rng.choice([0.05, 1.0, 5.0])).tolist())
    else:
        high = 1.3 if kind != "wide" else 3.0
        levels = np.exp(rng.uniform(-1.6, high, (k, k)))
        away = rng.random((k, k)) < 0.5 if kind == "open pairs" else is_open[:, None]
        levels = np.where(away, INF, levels)
    np.fill_diagonal(levels, 0.0)
    return levels, rng.dirichlet(np.full(k, 0.5)) + 1e-4, rng.uniform(0.2, 5, k)


def assert_holds(levels: Floats, prior: Floats, weights: Floats) -> Design:
    """Found by search, the design keeps E, and is as good as where all rays are looked at."""
    policy = DenseMatrix.of(levels)
    searched, best = design(policy, prior, weights, entries=FEW), design(policy, prior, weights)
    exact_audit(DesignedMechanism(searched))
    assert searched.loss <= best.loss * 1.005
    assert searched.bound <= best.loss * (1 + 1e-9)
    return searched


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_search_finds_what_all_rays_give(problem: tuple[Floats, Floats, Floats]) -> None:
    assert_holds(*problem)


@pytest.mark.thorough
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_search_finds_what_all_rays_give_in_many(
    problem: tuple[Floats, Floats, Floats],
) -> None:
    assert_holds(*problem)


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_climb_keep_every_ratio_and_reach_zero(seed: int) -> None:
    """Beside open values entries fall by many orders; none may leave E by more than rounding."""
    rng = np.random.default_rng(seed)
    levels = by_rows([1.0] * 8 + [INF] * 3)
    k = len(levels)
    quadratic = np.diag(np.where(np.arange(k) < 8, 1.0, 50.0))
    worth = ColumnScore(quadratic, rng.normal(size=k), rng.dirichlet(np.full(k, 10.0)))
    start = np.exp(rng.uniform(-0.5, 0.5, (200, k)))
    start[:, 8:] *= np.exp(rng.uniform(0, 6, (200, 3)))
    v = climb(start, levels, worth, rng)
    zeros = clear_columns(v, levels, worth)
    for columns in (v, zeros):
        assert (columns.max(axis=1) > 0).all()
        over = columns[:, :8, None] > np.exp(1.0) * (1 + 1e-12) * columns[:, None, :]
        assert not over.any()
    assert (worth(v) >= worth(start) - 1e-6).all()
    assert (zeros == 0).sum() > (v == 0).sum()


def test_a_bound_above_the_loss_is_refused_not_hidden() -> None:
    made = design(Context.plain(4, 1.0))
    assert 0 <= made.gap < 1e-4
    with pytest.raises(CaldpError, match="on the loss of every channel is wrong"):
        Design(
            made.policy, made.prior, made.weights, made.channel, made.loss, 1.001 * made.loss, True
        )
