"""Expected errors with few people and many symbols against simulation and exact laws."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, poisson, skellam

from caldp_core.basics.types import Floats
from caldp_core.datasets import Dataset, DatasetSpec
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.forecast import expectation
from caldp_core.experiments.run import Setup, draw_people, prepare
from caldp_core.mechanisms import mechanism
from caldp_core.mechanisms.specs import RandomizedResponse
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import (
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveInhabited,
    SensitiveSpec,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.discrete_laws import Counts, Differences, WholeLaw, tails_of
from caldp_core.theory.expected_error import ExpectedError, expected_error, normals
from caldp_core.theory.laws_of_estimates import estimates_of
from caldp_core.theory.variance import variance_given_people

NOTHING, INHABITED = SensitiveAreas(()), SensitiveInhabited()
CITY = SensitiveAreas(("+40.4,41.2,-74.4,-73.6",))
"""New York, 16 of the 43,750 cells."""
ONE, GRID = OneBlock(), GridBlocks()
WHOLE = ("simplex", "clip", "none")
"""With one block, the projection per block is the same as that of the whole."""
ALL = (*WHOLE, "simplex-per-block")


def scenario(
    blocks: OneBlock | GridBlocks, sensitive: SensitiveSpec, n: int | None, epsilon: float = 1.0
) -> Scenario:
    return Scenario(policy=ContextPolicy(blocks=blocks, sensitive=sensitive, epsilon=epsilon), n=n)


CASES = {
    # Where WHOLE stands with blocks, hidden symbols have few people: there the mean after the
    # projection per block is 2 to 6 % off, as expected_error.py says.
    "nothing sensitive, 10^3": (scenario(ONE, NOTHING, 1000), WHOLE),
    "nothing sensitive, 10^4": (scenario(ONE, NOTHING, 10**4), WHOLE),
    "a city, 10^3": (scenario(ONE, CITY, 1000), WHOLE),
    "a city, 10^4": (scenario(ONE, CITY, 10**4), WHOLE),
    "a city, blocks, 10^3": (scenario(GRID, CITY, 1000), ALL),
    "a city, blocks, 10^4": (scenario(GRID, CITY, 10**4), ALL),
    "a city, own people": (scenario(ONE, CITY, None), WHOLE),
    "inhabited, 10^3": (scenario(ONE, INHABITED, 1000), WHOLE),
    "inhabited, 10^4": (scenario(ONE, INHABITED, 10**4), WHOLE),
    "inhabited, own people": (scenario(ONE, INHABITED, None), WHOLE),
    "inhabited, blocks, 10^3": (scenario(GRID, INHABITED, 1000), WHOLE),
    "inhabited, blocks, 10^4": (scenario(GRID, INHABITED, 10**4), WHOLE),
    "inhabited, blocks, own people": (scenario(GRID, INHABITED, None), ALL),
    "plain, blocks": (scenario(GRID, EverythingSensitive(), 1000), WHOLE),
    "inhabited, blocks, randomized response": (
        replace(scenario(GRID, INHABITED, 1000, 5.0), mechanism=RandomizedResponse()),
        ALL,
    ),
}
RUNS = 100
"""A run spreads by 2 to 4 %, in a city by 10 %, so the mean is known to 0.4 % or 1 % and the
deviation to 7 %. As in test_theory.py means have to agree within 3 % and deviations within 25 %:
three standard errors or more, and the rest for the approximation."""
OUTLIERS = ("inhabited, 10^3", "simplex")
"""The error is 0.9997 in nearly every run; one run in fifty, with less, makes the deviation."""


@cache
def dataset(spec: DatasetSpec) -> Dataset:
    return spec.load()


def set_up(asked: Scenario) -> Setup:
    return prepare(asked, load=lambda s, _: dataset(s.dataset))


@cache
def prepared(name: str) -> Setup:
    return set_up(CASES[name][0])


@cache
def simulated(name: str) -> dict[str, tuple[float, float]]:
    """Mean and deviation of the TV after each estimator."""
    setup, rng = prepared(name), np.random.default_rng(12)
    truth = setup.dataset.distribution
    found: dict[str, list[float]] = {estimator: [] for estimator in CASES[name][1]}
    for _ in range(RUNS):
        people = draw_people(setup, rng)
        seen = Evidence.of(setup.mechanism, setup.mechanism.sample_tally(people, rng))
        for estimator, errors in found.items():
            shown = ESTIMATORS[estimator].apply(seen)
            errors.append(0.5 * float(np.abs(shown - truth).sum()))
    return {e: (float(np.mean(tv)), float(np.std(tv, ddof=1))) for e, tv in found.items()}


def expected(name: str, estimator: str) -> ExpectedError:
    setup = prepared(name)
    found = expectation(replace(setup, scenario=replace(setup.scenario, estimator=estimator)))
    assert found is not None
    return found


@pytest.mark.parametrize("name", CASES)
def test_few_people_err_as_in_simulation(name: str) -> None:
    for estimator, (mean, deviation) in simulated(name).items():
        ours = expected(name, estimator)
        assert ours.tv == pytest.approx(mean, rel=0.03), estimator
        if (name, estimator) != OUTLIERS:
            assert ours.deviation == pytest.approx(deviation, rel=0.25), estimator


@pytest.mark.parametrize("estimator", WHOLE)
def test_normals_are_found_to_be_wrong(estimator: str) -> None:
    # They are off by 6 % after clipping, by 56 % unprocessed.
    name = "nothing sensitive, 10^3"
    setup = prepared(name)
    p = setup.dataset.distribution
    variance = setup.mechanism.variance(p, setup.n)
    wrong = expected_error(normals(p, variance, setup.mechanism.policy.blocks), estimator)
    assert wrong is not None
    assert wrong.tv != pytest.approx(simulated(name)[estimator][0], rel=0.03)


@pytest.mark.parametrize("estimator", WHOLE)
def test_a_forgotten_lambda_is_found(estimator: str) -> None:
    # λ = 0.54 at ε = 1: with it, a report in the clear counts for more than two people.
    name = "a city, 10^3"
    nobody = prepared("nothing sensitive, 10^3")
    p = nobody.dataset.distribution
    laws = estimates_of(nobody.mechanism, p, nobody.mechanism.variance(p, nobody.n), nobody.n)
    wrong = expected_error(laws, estimator)
    assert wrong is not None
    assert wrong.tv != pytest.approx(simulated(name)[estimator][0], rel=0.03)


def test_own_people_in_the_clear_have_no_error() -> None:
    setup = set_up(scenario(ONE, NOTHING, None))
    for estimator in ALL:
        changed = replace(setup, scenario=replace(setup.scenario, estimator=estimator))
        found = expectation(changed)
        assert found is not None
        assert found.tv == pytest.approx(0.0, abs=1e-9)
        assert found.deviation == pytest.approx(0.0, abs=1.5e-8)


@pytest.mark.parametrize("drawn", [True, False], ids=["people drawn", "people fixed"])
@pytest.mark.parametrize("n", [10, 60])
def test_the_unprocessed_error_is_exactly_that_of_binomials(n: int, drawn: bool) -> None:
    base = prepared("a city, 10^3").mechanism.policy
    p = np.array([0.5, 0.3, 0.2, 0.0])
    # The fourth symbol alone is hidden: the others are in the clear with probability 1 − λ.
    small = type(base).of(np.zeros(4, np.int64), np.array([False, False, False, True]), 1.0)
    made = mechanism(small, "hadamard")
    stay = made.clear_share[0]
    variance = made.variance(p, n) if drawn else variance_given_people(made, p, n)
    laws = estimates_of(made, p, variance, n)
    shift = laws.p
    up = laws.above(shift, np.zeros(laws.p.size))[1]
    for share, ours in zip(laws.p, up, strict=True):
        if share > 0:
            trials, success = (n, share * stay) if drawn else (round(n * share), stay)
            u = np.arange(trials + 1)
            away = u / (n * stay) - share
            exact = float(binom.pmf(u, trials, success) @ np.maximum(away, 0.0))
            assert ours == pytest.approx(exact, rel=1e-8)


def moments(law: WholeLaw, cut: float) -> list[Floats]:
    """Of 0.3·(U − E U) above a cut."""
    size = law.mean.size
    ours = np.zeros((3, size))
    at = np.full(size, cut)
    for part in tails_of(np.arange(size), np.zeros(size), np.full(size, 0.3), law):
        ours[:, part.groups] = part.above(np.zeros(part.groups.size), at[part.groups])
    return list(ours)


@pytest.mark.parametrize("cut", [-0.95, 0.0, 0.4, 3.1])
def test_tails_are_those_of_known_laws(cut: float) -> None:
    mean, variance = np.array([0.02, 0.7, 3.0, 9.0]), np.array([0.05, 0.9, 3.5, 15.0])
    kinds = (
        (Counts(mean, np.zeros(4)), poisson(mean)),
        (
            Counts(np.array([0.1, 1.8, 9.5, 30.0]), np.array([0.1, 0.9, 0.95, 0.6])),
            binom(np.array([1, 2, 10, 50]), np.array([0.1, 0.9, 0.95, 0.6])),
        ),
        (Differences(mean, variance), skellam((variance + mean) / 2, (variance - mean) / 2)),
    )
    u = np.arange(-120, 121)[:, None]
    for law, exact in kinds:
        away = 0.3 * (u - law.mean)
        kept = np.where(away > cut, exact.pmf(u), 0.0)
        for power, ours in enumerate(moments(law, cut)):
            np.testing.assert_allclose(ours, (kept * away**power).sum(axis=0), atol=1e-7)
