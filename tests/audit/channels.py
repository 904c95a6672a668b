"""Second routes of the audits, on small channels in rationals."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from caldp_core.audit.inference import BestGuess, check_prior
from caldp_core.audit.pairwise import (
    Audit,
    Channel,
    audit_channel,
    check_rows,
    finite_pairs,
    outputs_of,
)
from caldp_core.basics.errors import require, require_exact
from caldp_core.basics.powers import exp_below
from caldp_core.basics.types import Bools, Floats
from caldp_core.mechanisms.base import Mechanism
from caldp_core.privacy.context import PrivacyMatrix


def least_weighted_error(channel: Channel, x: int, other: int, weight: Fraction) -> Fraction:
    """min of P_FA + weight·P_MD over all decision rules, random ones too.

    Each output is decided by itself: Σ_y min(Q(y|x′), weight·Q(y|x)).
    """
    pairs = zip(channel[other], channel[x], strict=True)
    return sum((min(q, weight * p) for q, p in pairs), Fraction(0))


def within_error_region(channel: Channel, policy: PrivacyMatrix) -> bool:
    """CALDP Theorem 1: P_FA + e^{E[x′,x]}·P_MD ≥ 1 for all x ≠ x′ and all decision rules.

    (8) is (7) with x and x′ swapped. For rows that are distributions this says the same as the
    audit, by another way.
    """
    check_rows(channel, policy)
    return all(
        least_weighted_error(channel, x, other, exp_below(level)) >= 1
        for other, x, level in finite_pairs(policy)
    )


def exact_audit(mechanism: Mechanism) -> Audit:
    """Check a mechanism's exact channel against its policy (CALDP Definition 2).

    Raises `CaldpError` where the domain is too large for a channel in rationals. Takes about
    a microsecond for each pair of symbols and output.
    """
    return audit_channel(mechanism.exact_channel(), mechanism.policy)


def post_process(channel: Channel, rule: Channel) -> list[list[Fraction]]:
    """Q·W: reports y are replaced by z with probability rule[y][z] (CALDP Proposition 1).

    `rule`: a row for each output of the channel, each a distribution. Raises `CaldpError`.
    """
    outputs, columns = outputs_of(channel), outputs_of(rule)
    require(
        len(rule) == outputs and all(sum(row) == 1 and min(row) >= 0 for row in rule),
        f"A rule for this channel needs {outputs} rows, each of probabilities that sum to 1.",
    )
    require_exact(len(channel) * columns, "use smaller channels")
    return [
        [sum((q * to[z] for q, to in zip(row, rule, strict=True)), Fraction(0))
         for z in range(columns)]
        for row in channel
    ]  # fmt: skip


@dataclass(frozen=True)
class UldpVerdict:
    """ULDP Definition 2, property by property.

    `reveals`: each output that is not protected comes from one input only, not a sensitive one
    (4). `protects`: on protected outputs all inputs, whichever x and x′, stay within e^ε (5).
    """

    reveals: bool
    protects: bool

    @property
    def holds(self) -> bool:
        """Whether both properties hold."""
        return self.reveals and self.protects


def uldp(channel: Channel, sensitive: Bools, protected: Bools, epsilon: float) -> UldpVerdict:
    """Whether a channel provides (X_S, Y_P, ε)-ULDP (Murakami, Kawamoto 2019, Definition 2).

    `sensitive`: (k,) X_S. `protected`: (outputs,) Y_P. Stricter than high-low LDP in two
    points: (5) also binds inputs that are not sensitive, and high-low LDP has no (4).
    Raises `CaldpError` if shapes don't fit.
    """
    columns = list(zip(*channel, strict=True))
    require(
        len(sensitive) == len(channel) and len(protected) == len(columns),
        f"This channel needs {len(channel)} sensitive flags and {len(columns)} protected ones.",
    )
    power = exp_below(epsilon)
    clear = [column for column, hides in zip(columns, protected, strict=True) if not hides]
    hidden = [column for column, hides in zip(columns, protected, strict=True) if hides]
    senders = [[x for x, q in enumerate(column) if q > 0] for column in clear]
    return UldpVerdict(
        reveals=all(len(xs) == 1 and not sensitive[xs[0]] for xs in senders),
        protects=all(max(column) <= power * min(column) for column in hidden),
    )


def best_guess_of_channel(channel: Channel, prior: Floats, hidden: Bools) -> BestGuess:
    """By the whole channel, for small ones; `prior`: (k,) shares, `hidden`: (k,) flags."""
    joint = check_prior(prior, hidden.size)[:, None] * np.array(channel, dtype=np.float64)
    right = joint.max(axis=0)
    of_hidden = float(right[hidden[joint.argmax(axis=0)]].sum())
    of_all, of_others = float(prior[hidden].sum()), float(right.sum()) - of_hidden

    def part(of_group: float, whole: float) -> float:
        return of_group / whole if whole > 1e-12 else 0.0

    return BestGuess(
        before=float(prior.max()),
        after=of_hidden + of_others,
        hidden=part(of_hidden, of_all),
        others=part(of_others, 1.0 - of_all),
    )
