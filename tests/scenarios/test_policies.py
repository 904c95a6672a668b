"""Policies made for datasets: the levels that were asked for, or one sentence why not."""

import math

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Cities, Uniform, Zipf
from caldp_core.domain.grid import KM_PER_DEGREE, US_GRID
from caldp_core.privacy.context import dense
from caldp_core.scenarios.blocks import EvenRuns, SensitiveSymbols
from caldp_core.scenarios.policies import (
    BinaryQuestion,
    ContextPolicy,
    CrowFlies,
    Distances,
    Line,
    MatrixPolicy,
    PersonalTags,
    PolicySpec,
    Streets,
)
from caldp_core.scenarios.scenario import SLOTS

CITIES, FIVE, TWO = Cities().load(), Zipf(5).load(), Uniform(2).load()


@pytest.mark.parametrize("spec", [Streets(2.0, 40.0), CrowFlies(2.0, 40.0)])
def test_places_within_the_distance_are_within_epsilon(spec: Streets | CrowFlies) -> None:
    """On the map's southern edge, where cells are widest: never more than ε, and nearly ε."""
    made = spec.build(CITIES)
    cell_km = US_GRID.cell * KM_PER_DEGREE
    north = made.policy.between([0], [US_GRID.columns])[0]
    assert north == pytest.approx(2.0 * cell_km / 40.0, rel=1e-12)
    east = made.policy.between([0], [1])[0]
    assert east < 2.0 * cell_km * math.cos(math.radians(25.0)) / 40.0
    diagonal = made.policy.between([0], [US_GRID.columns + 1])[0]
    both = north + east if isinstance(spec, Streets) else math.hypot(north, east)
    assert diagonal == pytest.approx(both, rel=1e-12)
    assert made.partition.m == 1
    assert made.sensitive.all()


def test_few_values_have_the_levels_that_were_written() -> None:
    np.testing.assert_allclose(Line(0.5).build(FIVE).policy.between([0, 3], [4, 2]), [2.0, 0.5])
    table = ((0.0, 2.0), (2.0, 0.0))
    np.testing.assert_array_equal(dense(Distances(table, 0.5).build(TWO).policy), [[0, 1], [1, 0]])
    levels = ((0.0, math.inf), (0.25, 0.0))
    np.testing.assert_array_equal(dense(MatrixPolicy(levels).build(TWO).policy), levels)
    np.testing.assert_array_equal(dense(BinaryQuestion(math.inf, 0.25).build(TWO).policy), levels)


def test_contexts_are_their_blocks_flags_and_levels() -> None:
    made = ContextPolicy(EvenRuns(2), SensitiveSymbols(("1",)), (0.5, 2.0)).build(FIVE)
    np.testing.assert_array_equal(made.policy.between([1, 1, 0], [2, 3, 1]), [0.5, np.inf, np.inf])


@pytest.mark.parametrize("background", ["uniform", "truth", "population"])
def test_backgrounds_leave_out_what_is_sensitive_for_all(background: str) -> None:
    spec = PersonalTags(SensitiveSymbols(("0-9",)), (0.3, 0.2), background)
    data = CITIES if background == "population" else FIVE
    if background != "population":
        spec = PersonalTags(SensitiveSymbols(("0",)), (0.3, 0.2), background)
    policy = spec.build(data).policy
    rows = policy.background  # type: ignore[attr-defined]
    assert rows.shape == (2, data.domain.k)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    assert not rows[:, policy.sensitive].any()  # type: ignore[attr-defined]
    if background == "truth":
        np.testing.assert_allclose(rows[0, 1:], data.distribution[1:] / data.distribution[1:].sum())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Streets(), "Distances in kilometres need a map"),
        (CrowFlies(), "Distances in kilometres need a map"),
        (Distances(((0.0, 1.0), (1.0, 0.0))), "made for 2 values, Zipf"),
        (MatrixPolicy(((0.0,),)), "made for 1 values, Zipf"),
        (BinaryQuestion(), "made for 2 values"),
        (PersonalTags(background="population"), "known for the map of the United States"),
        (PersonalTags(SensitiveSymbols(("0-4",))), "must be positive where a symbol"),
    ],
)
def test_what_does_not_fit_the_data_is_one_sentence(spec: PolicySpec, words: str) -> None:
    with pytest.raises(CaldpError, match=words):
        spec.build(FIVE)


def test_steps_out_of_range_are_one_sentence() -> None:
    with pytest.raises(CaldpError, match="A step to the next cell must be worth"):
        Streets(0.001, 20_000.0).build(CITIES)


def test_each_kind_says_what_it_makes() -> None:
    table = ((0.0, 1.0), (1.0, 0.0))
    made = {
        "context": ContextPolicy(EvenRuns(2)).build(TWO),
        "streets": Streets().build(CITIES),
        "crow-flies": CrowFlies().build(CITIES),
        "line": Line().build(TWO),
        "distances": Distances(table).build(TWO),
        "binary": BinaryQuestion().build(TWO),
        "matrix": MatrixPolicy(table).build(TWO),
        "personal-tags": PersonalTags().build(TWO),
    }
    assert set(made) == set(SLOTS["policy"][1])
    for kind, protection in made.items():
        assert type(protection.policy) is SLOTS["policy"][1][kind].matrix  # type: ignore[attr-defined]
        assert protection.policy.k == protection.partition.labels.size
