"""Plans reach what they promise, and a little less would not."""

from collections.abc import Sequence

import numpy as np
import pytest

from caldp_core import planner
from caldp_core.errors import CaldpError
from caldp_core.limits import EPSILON_MIN
from caldp_core.mechanisms import FAMILIES, mechanism
from caldp_core.privacy import Context
from caldp_core.types import Ints
from tests.contract.checks import channel_of, single_estimates

K = 40
P = np.random.default_rng(0).dirichlet(np.ones(K))
CONTEXT = Context.of(np.arange(K) % 2, np.arange(K) % 3 > 0, 1.0)
ACCURACIES = {
    "tv": (planner.total_variation("simplex"), 0.05),
    "standard error": (planner.standard_error(4), 0.003),
}


@pytest.mark.parametrize("family", ["hadamard", "randomized-response"])
@pytest.mark.parametrize("name", ACCURACIES)
def test_people_suffice_and_fewer_do_not(name: str, family: str) -> None:
    accuracy, target = ACCURACIES[name]
    made = mechanism(CONTEXT, family)
    n = planner.people_for(made, P, planner.Goal(accuracy, target))
    assert n is not None
    assert accuracy(made, P, round(1.001 * n)) <= target < accuracy(made, P, round(0.995 * n))


@pytest.mark.parametrize("name", ACCURACIES)
def test_the_least_epsilon_suffices_and_less_does_not(name: str) -> None:
    accuracy, target = ACCURACIES[name]
    found = planner.epsilon_for(CONTEXT, "hadamard", P, 100_000, planner.Goal(accuracy, target))
    assert found is not None

    def error(epsilon: float) -> float:
        changed = Context.of(CONTEXT.blocks, CONTEXT.sensitive, epsilon)
        return accuracy(mechanism(changed, "hadamard"), P, 100_000)

    assert error(found) <= target < error(found * 0.999)


def test_epsilons_at_the_limits() -> None:
    ask, accuracy = (CONTEXT, "hadamard", P, 1000), planner.standard_error(4)
    assert planner.epsilon_for(*ask, planner.Goal(accuracy, 1e-9)) is None
    assert planner.epsilon_for(*ask, planner.Goal(accuracy, 1e9)) == EPSILON_MIN


def test_the_largest_sensitive_set() -> None:
    accuracy, order = planner.total_variation("none"), np.arange(K)[::-1]

    def largest(target: float, ranked: Sequence[int] | Ints = order) -> int | None:
        goal = planner.Goal(accuracy, target)
        ask = (CONTEXT, "randomized-response", P, 100_000)
        return planner.sensitive_for(*ask, goal, order=ranked)

    def error(size: int) -> float:
        flags = np.zeros(K, np.bool_)
        flags[order[:size]] = True
        changed = Context.of(CONTEXT.blocks, flags, CONTEXT.epsilon)
        return accuracy(mechanism(changed, "randomized-response"), P, 100_000)

    target = 0.5 * (error(0) + error(K))
    size = largest(target)
    assert size is not None
    assert 0 < size < K
    assert error(size) <= target < error(size + 1)
    assert largest(error(K)) == K
    assert largest(0.5 * error(0)) is None
    with pytest.raises(CaldpError, match="at most once"):
        largest(target, [1, 1])


@pytest.mark.parametrize("epsilon", [0.5, 6.0])
def test_the_best_family_has_the_least_error_by_its_channel(epsilon: float) -> None:
    context, n = Context.plain(7, epsilon), 1000
    p = np.random.default_rng(1).dirichlet(np.ones(7))
    advice = planner.best_family(context, p, n)
    assert set(advice.l2_squared) == set(FAMILIES)
    for name in ("hadamard", "randomized-response"):
        made = mechanism(context, name)
        exact = float((p @ channel_of(made) @ single_estimates(made) ** 2 - p**2).sum()) / n
        assert advice.l2_squared[name] == pytest.approx(exact, rel=1e-9)
    assert advice.l2_squared[advice.family] == min(advice.l2_squared.values())
    assert advice.reason.startswith(FAMILIES[advice.family].title)


def test_few_values_and_a_large_epsilon_are_for_randomized_response() -> None:
    one = planner.best_family(Context.plain(4, 5.0), np.full(4, 0.25), 100).l2_squared
    many = planner.best_family(Context.plain(2000, 1.0), np.full(2000, 1 / 2000), 100).l2_squared
    assert one["randomized-response"] < one["hadamard"]
    assert many["hadamard"] < many["randomized-response"] / 10


def test_reasons_name_ties_and_factors() -> None:
    losses = dict.fromkeys(FAMILIES, 9.0)
    first, second = list(FAMILIES)[:2]
    clear = planner._reason(list(FAMILIES), losses | {first: 3.0})
    assert "3 times as many people" in clear
    assert FAMILIES[second].title in clear
    tied = planner._reason(list(FAMILIES), losses | {first: 3.0, second: 3.1})
    assert "within 5 %" in tied


def test_unknown_formulas_are_said_so() -> None:
    made = mechanism(CONTEXT, "hadamard")
    with pytest.raises(CaldpError, match="plan with 'simplex' instead"):
        planner.total_variation("maximum-likelihood")(made, P, 100)
