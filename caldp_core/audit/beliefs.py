"""What an attacker may believe after one report: by the policy alone, and by a channel.

CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020.
"""

from dataclasses import dataclass

import numpy as np

from caldp_core.audit.channels import Channel
from caldp_core.audit.inference import max_posterior
from caldp_core.basics.errors import require
from caldp_core.basics.types import Bools, Floats, sums_by
from caldp_core.privacy.context import Context, PrivacyMatrix


@dataclass(frozen=True)
class Beliefs:
    """Chance that a person's value is in a group: `before` any report, and the range after one.

    All in [0, 1], `least` ≤ `before` ≤ `most`.
    """

    before: float
    least: float
    most: float


def policy_beliefs(context: Context, prior: Floats, group: Bools) -> Beliefs:
    """The range that the policy alone allows, whatever mechanism keeps it.

    `prior`: (k,) shares that sum to 1, what the attacker believed before; `group`: (k,) flags.
    CALDP Proposition 3, summed over the pairs of a value of the group and another of its block:
    the odds of the group within a block grow by e^ε at most if all its values there are hidden.
    Nothing bounds a value that is not hidden, nor which block a person is in.
    """
    before = float(prior[group].sum())
    return Beliefs(
        before,
        1.0 - _max_belief(context, prior, ~group),
        max(before, _max_belief(context, prior, group)),
    )


def policy_beliefs_of_value(policy: PrivacyMatrix, prior: Floats, x: int) -> Beliefs:
    """The range that any policy allows for the value x: Proposition 3 for each pair, summed.

    `prior`: (k,) shares that sum to 1. The chance of x is at most π_x/Σ_x′ e^{−E[x, x′]}·π_x′ and
    at least π_x/Σ_x′ e^{E[x′, x]}·π_x′.
    """
    others = np.arange(policy.k)
    some = prior > 0
    before, most = float(prior[x]), max_posterior(policy, prior, x)
    with np.errstate(over="ignore"):
        factors = np.exp(policy.between(others, np.full(policy.k, x)))
    return Beliefs(before, before / float(factors[some] @ prior[some]) if before else 0.0, most)


def _max_belief(context: Context, prior: Floats, group: Bools) -> float:
    """Highest posterior of the group over all blocks; 0 where nobody can be in the group."""
    inside = sums_by(context.blocks, np.where(group, prior, 0.0), context.m)
    outside = sums_by(context.blocks, np.where(group, 0.0, prior), context.m)
    bare = np.where(group & ~context.hidden(), prior, 0.0)
    some = inside > 0
    odds = np.exp(-context.epsilon[some]) * outside[some] / inside[some]
    free = sums_by(context.blocks, bare, context.m)[some] > 0
    return float(np.where(free, 1.0, 1.0 / (1.0 + odds)).max(initial=0.0))


def channel_beliefs(channel: Channel, prior: Floats, groups: Bools) -> list[Beliefs]:
    """The range that this very channel's reports lead to (Bayes), for each of (g, k) `groups`.

    `prior`: (k,) shares that sum to 1. Reports that nobody of this prior sends are left out. Raises
    `CaldpError` for another number of shares.
    """
    require(
        len(channel) == prior.size,
        f"prior must have one share for each of the {len(channel)} values, got {prior.size}.",
    )
    joint = np.array(channel, dtype=np.float64) * prior[:, None]
    marginal = joint.sum(axis=0)
    possible = marginal > 0
    posterior = groups.astype(np.float64) @ joint[:, possible] / marginal[possible]
    before = groups @ prior
    return [
        Beliefs(float(b), float(row.min()), float(row.max()))
        for b, row in zip(before, posterior, strict=True)
    ]
