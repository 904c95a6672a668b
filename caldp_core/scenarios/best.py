"""The default mechanism: the one with the least error that is quick enough.

The choice is made when a scenario is prepared, from the policy alone. Never from the private data,
or the choice itself would leak.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import N_MAX
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import people_max, report_bits
from caldp_core.mechanisms.catalogue import MECHANISMS, mechanisms_for
from caldp_core.mechanisms.specs import MechanismSpec, TakesShare
from caldp_core.privacy.context import Context, PrivacyMatrix

_VARIANCE_TOLERANCE: Final = 1.01
"""Nobody sees 1 % of variance, but a report of 1,000 bits where 17 do is dear."""
_PACKET: Final = 8 * 1280
"""Bits that any network carries in one piece (RFC 8200)."""
_LONGER_REPORT_GAIN: Final = 1.08
"""A longer report has to be more accurate by this factor of variance: 4 % of the error."""


@dataclass(frozen=True)
class Best:
    """The mechanism of the catalogue with the least total variance if all values are alike.

    Among those within 1 % of the least, the one with the shortest reports, and where reports do not
    fit into one packet of 1,280 bytes, one within 8 % whose reports do. Where only some values are
    hidden, families that can be are also made for that share of the people.
    """

    def make(self, policy: PrivacyMatrix) -> Mechanism:
        """See `MechanismSpec.make`."""
        return choose_mechanism(self, policy).mechanism


@dataclass(frozen=True, eq=False)
class ChosenMechanism:
    """A `mechanism` made for a policy by its `spec`, and its `name` in the catalogue."""

    name: str
    spec: MechanismSpec
    mechanism: Mechanism


def choose_mechanism(spec: MechanismSpec, policy: PrivacyMatrix) -> ChosenMechanism:
    """The mechanism that this spec stands for, made for a policy.

    Raises `CaldpError` where it does not keep such policies, and where sizes do not fit.
    """
    suitable = mechanisms_for(policy)
    require(
        bool(suitable),
        "No mechanism of the catalogue keeps such a policy; write it as a context, a distance, a "
        "yes-or-no question or a matrix.",
    )
    if isinstance(spec, Best):
        return _least_error(policy)
    entry = next(entry for entry in MECHANISMS.values() if entry.spec is type(spec))
    require(
        entry in suitable,
        f"{entry.title} does not keep such a policy; choose one of "
        f"{', '.join(entry.name for entry in suitable)}, or best.",
    )
    return ChosenMechanism(entry.name, spec, spec.make(policy))


def _least_error(policy: PrivacyMatrix) -> ChosenMechanism:
    """By the exact Σ Var(p̂_x) at p_x = 1/k, over what is quick here; then by the reports' bits."""
    smaller, times = _two_of_a_kind(policy)
    even = np.full(smaller.k, 1.0 / policy.k)
    losses = []
    for name, spec in _fast_mechanisms(policy):
        try:
            mechanism = spec.make(smaller)
            # A tally that costs more the more people there are is not quick for everybody.
            if people_max(mechanism) == N_MAX:
                loss = float(mechanism.variance(even, 1) @ times)
                # The widest block is there, so a report is as long but for the block's number.
                worth = _LONGER_REPORT_GAIN if report_bits(mechanism) > _PACKET else 1.0
                losses.append((worth * loss, ChosenMechanism(name, spec, mechanism)))
        except CaldpError:  # too large for it or for its variance, or nothing to be learned
            continue
    require(
        bool(losses),
        "No mechanism of the catalogue can be compared for this policy; choose one by name.",
    )
    least = min(loss for loss, _ in losses)
    close = [choice for loss, choice in losses if loss <= _VARIANCE_TOLERANCE * least]
    if smaller is not policy:
        close = [replace(choice, mechanism=choice.spec.make(policy)) for choice in close]
    return min(close, key=lambda choice: report_bits(choice.mechanism))


def _two_of_a_kind(policy: PrivacyMatrix) -> tuple[PrivacyMatrix, Floats]:
    """A context with two blocks of each kind at most, and how often each symbol is to be counted.

    What is learned of a block depends on its symbols, how many of them are hidden, and its ε
    alone. One would do, but that some mechanisms are for a single block. Other policies stay.
    """
    if not isinstance(policy, Context):
        return policy, np.ones(policy.k)
    kinds = np.stack([policy.block_sizes(), policy.hidden_sizes, policy.epsilon])
    _, kind, number = np.unique(kinds, axis=1, return_inverse=True, return_counts=True)
    order = np.argsort(kind, kind="stable")
    turn = np.empty(policy.m, np.int64)  # of each block among those of its kind
    turn[order] = np.arange(policy.m) - np.searchsorted(kind[order], kind[order])
    kept = turn < 2
    symbols = kept[policy.blocks]
    label = np.cumsum(kept) - 1
    smaller = Context.of(
        label[policy.blocks[symbols]], policy.sensitive[symbols], policy.epsilon[kept]
    )
    times = number[kind] / np.minimum(number[kind], 2)
    return smaller, times[policy.blocks[symbols]]


def _fast_mechanisms(policy: PrivacyMatrix) -> Iterator[tuple[str, MechanismSpec]]:
    largest = _largest_block(policy)
    for entry in mechanisms_for(policy):
        if largest < min(entry.slow_from, entry.slow_to_make_from) and not entry.in_order:
            yield from ((entry.name, spec) for spec in _settings(entry.spec(), policy))


def _settings(spec: MechanismSpec, policy: PrivacyMatrix) -> Iterator[MechanismSpec]:
    """The spec, and made for the share of hidden symbols where some, not all, are hidden."""
    yield spec
    if isinstance(policy, Context) and isinstance(spec, TakesShare):
        hidden = policy.hidden()
        beside = np.isin(policy.blocks, policy.blocks[hidden])
        if hidden.any() and hidden.sum() < beside.sum():
            yield spec.for_share(float(f"{hidden.sum() / beside.sum():.3g}"))


def _largest_block(policy: PrivacyMatrix) -> int:
    """Most symbols that hide among each other."""
    if not isinstance(policy, Context):
        return policy.k
    return int(policy.hidden_sizes.max(initial=0))
