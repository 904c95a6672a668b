"""Theory against the exact channel, and people for an error against their closed form."""

import numpy as np
import pytest

from caldp_core.basics.limits import N_MAX
from caldp_core.mechanisms import catalogue
from caldp_core.theory.expected_error import variance_given_people
from caldp_core.theory.planner import people_needed
from tests.contract.checks import EXACT, channel_of, single_estimates
from tests.contract.contexts import CONTEXTS, context

FAMILIES = ("hadamard", "randomized-response", "oue")
"""One of each form of tally: variances of all families are held to the channel elsewhere."""


@pytest.mark.parametrize("kind", CONTEXTS)
@pytest.mark.parametrize("family", FAMILIES)
def test_variance_given_people_is_that_of_the_channel(family: str, kind: str) -> None:
    mechanism = catalogue.in_context(context(kind, 1.0), family)
    channel, single = channel_of(mechanism), single_estimates(mechanism)
    n = 1000
    people = np.random.default_rng(1).multinomial(n, np.full(mechanism.k, 1 / mechanism.k))
    of_one = channel @ single**2 - np.eye(mechanism.k)
    exact = people @ of_one / n**2
    ours = variance_given_people(mechanism, people / n, n)
    np.testing.assert_allclose(ours, exact, rtol=0, atol=EXACT * (of_one.max() + 1) / n)


@pytest.mark.parametrize("target", [1.0, 0.5, 0.01, 1e-4, 2e-6])
def test_people_needed_is_the_least_number(target: float) -> None:
    needed = people_needed(lambda n: n**-0.5, target)
    assert needed is not None
    assert needed == pytest.approx(target**-2, rel=0.002)
    assert needed >= 1


def test_people_needed_knows_too_little_and_too_much() -> None:
    assert people_needed(lambda n: 0.3, 0.2) is None
    assert people_needed(lambda n: 0.0, 0.2) == 1
    assert people_needed(lambda n: 1.0 if n < N_MAX else 0.0, 0.5) == pytest.approx(
        N_MAX, rel=0.002
    )
