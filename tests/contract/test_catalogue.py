"""What is in the catalogue keeps the policies that it says it takes, on small examples of each."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.mechanisms import FAMILIES, Mechanism
from caldp_core.mechanisms.catalogue import MECHANISMS, MechanismEntry, mechanisms_for
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from tests.contract import checks
from tests.contract.contexts import context

_RING: Final = np.minimum((d := np.abs(np.subtract.outer(range(5), range(5)))), 5 - d)
POLICIES: Final[dict[str, PrivacyMatrix]] = {
    "context": context("blocks and sensitive set", 1.0),
    "binary": BinaryPolicy(0.5, 2.0),
    "steps": GridMetric(2, 3, 0.7, 0.4),
    "crow": EuclideanMetric(2, 3, 0.7, 0.4),
    "ring": DistanceMetric.of(_RING, 0.8),
    "matrix": DenseMatrix.of([[0.0, 1, 2, 9], [0.5, 0, 1, 1], [1.0, 1, 0, np.inf], [3.0, 1, 1, 0]]),
}
PAIRS: Final = [
    pytest.param(policy, entry, id=f"{kind}, {entry.name}")
    for kind, policy in POLICIES.items()
    for entry in mechanisms_for(policy)
]
EVERY: Final = pytest.mark.parametrize(("policy", "entry"), PAIRS)


@EVERY
def test_the_promise_that_was_asked_for_is_kept(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    channel = entry.make(policy).exact_channel()
    assert audit_channel(channel, policy).holds
    # The audit can say no: something is sent that is not allowed at half of every level.
    assert not audit_channel(channel, Halved(policy)).holds


class Halved:
    """Half of every finite level."""

    def __init__(self, policy: PrivacyMatrix) -> None:
        self._policy = policy
        self.k = policy.k

    def between(self, x: Any, x_other: Any) -> Any:
        return self._policy.between(x, x_other) / 2


@EVERY
@pytest.mark.parametrize(
    "check", [checks.check_rows, checks.check_audit, checks.check_unbiased, checks.check_variance]
)
def test_what_every_mechanism_owes(
    policy: PrivacyMatrix, entry: MechanismEntry, check: Callable[[Mechanism], None]
) -> None:
    check(entry.make(policy))


@EVERY
def test_two_ways_to_a_tally_are_of_one_size(policy: PrivacyMatrix, entry: MechanismEntry) -> None:
    mechanism, rng = entry.make(policy), np.random.default_rng(3)
    people = np.arange(1, policy.k + 1)
    sampled = mechanism.sample_tally(people, rng)
    sent = mechanism.tally(mechanism.privatize(np.repeat(np.arange(policy.k), people), rng))
    assert (sampled + sent).n == 2 * people.sum()
    assert mechanism.tally(mechanism.client_report(0)).n == 1


def test_every_entry_is_tried_and_told_apart() -> None:
    assert {entry.name for policy in POLICIES.values() for entry in mechanisms_for(policy)} == set(
        MECHANISMS
    )
    assert all(entry.name == name for name, entry in MECHANISMS.items())
    for words in ("title", "sentence"):
        assert len({getattr(entry, words) for entry in MECHANISMS.values()}) == len(MECHANISMS)


def test_all_families_serve_contexts_and_nothing_else() -> None:
    able = [entry.name for entry in mechanisms_for(Context.plain(3, 1.0))]
    assert able[: len(FAMILIES)] == list(FAMILIES)
    assert set(able) - set(FAMILIES) == {"published-urap", "square-wave"}


def test_unknown_kinds_of_policies_have_no_mechanism() -> None:
    assert mechanisms_for(Halved(BinaryPolicy(1.0, 1.0))) == []
