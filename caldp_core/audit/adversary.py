"""What an adversary can infer from a report: error regions of tests, and posteriors.

CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from caldp_core.audit.channels import Channel, check_rows, outputs_of
from caldp_core.audit.pairwise import finite_pairs
from caldp_core.basics.errors import check_whole, require
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.powers import exp_below
from caldp_core.privacy.context import PrivacyMatrix
from caldp_core.privacy.matrix import BinaryPolicy


@dataclass(frozen=True)
class ErrorVertex:
    """The corner of the region of errors that a test of "0 or 1?" can have, each in [0, 1].

    `false_alarm`: Pr(guess 0 | symbol 1). `missed`: Pr(guess 1 | symbol 0).
    """

    false_alarm: float
    missed: float


def error_vertex(policy: BinaryPolicy) -> ErrorVertex:
    """The third vertex of Theorem 2's proof (eq. (23)); the others are (1, 0) and (0, 1).

    (23) prints e^{ε₁₀} − 1 in both coordinates; the proof's last lines have the right one:
    ((e^{ε₁₀} − 1), (e^{ε₀₁} − 1))/(e^{ε₀₁+ε₁₀} − 1). Written with e^{−ε}, so that nothing
    overflows; both ε = 0 is the guess by a fair coin.
    """
    a, b = policy.epsilon_01, policy.epsilon_10
    if a == b == 0:
        return ErrorVertex(0.5, 0.5)
    both = math.expm1(-(a + b))
    missed = math.exp(-b) * (math.expm1(-a) / both)
    return ErrorVertex(math.exp(-a) * (math.expm1(-b) / both), missed)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What one report does to a prior. (k,) `prior` and `posterior`, rationals that sum to 1."""

    policy: PrivacyMatrix
    prior: tuple[Fraction, ...]
    posterior: tuple[Fraction, ...]

    def odds(self, x: int, other: int) -> Fraction | None:
        """Posterior odds of x against x′; None where x′ has become impossible."""
        return self.posterior[x] / self.posterior[other] if self.posterior[other] else None

    def keeps_policy(self) -> bool:
        """CALDP Proposition 3, decided exactly: all odds are at most e^{E[x, x′]}·prior odds."""
        prior, posterior = self.prior, self.posterior
        return all(
            posterior[x] * prior[other] <= exp_below(level) * prior[x] * posterior[other]
            for x, other, level in finite_pairs(self.policy)
        )


def max_guess_accuracy(epsilon: float, reports: int = 1) -> float:
    """Most that an even guess between two symbols can become right, in [0.5, 1]: e^{mε}/(1+e^{mε}).

    For a pair whose E is `epsilon` both ways, a prior of 50:50 and m = `reports` independent
    reports about it: E adds up over reports (CALDP Prop. 2), and the odds change by at most e^{mε}
    (Prop. 3). No rule of any adversary does better.
    """
    return 1.0 / (1.0 + math.exp(-reports * epsilon))


def max_record_guess_accuracy(epsilon: float, reports: int) -> float:
    """Most that an even guess between two records can become right, in [0.5, 1].

    For records whose answers to each of `reports` questions have E = `epsilon`, each answer in one
    independent report. Any such reports are those of as many randomized responses, processed
    (Kairouz, Oh, Viswanath 2015, Theorem 3.3), of which the better guess is what most of them say:
    less than `max_guess_accuracy(epsilon, reports)` where there are several.
    """
    reports = check_whole("reports", reports, 1, OWN_QUESTIONS_MAX)
    right = 1.0 / (1.0 + math.exp(-epsilon))
    law = [
        math.comb(reports, i) * right**i * (1.0 - right) ** (reports - i)
        for i in range(reports + 1)
    ]
    more = sum(law[reports // 2 + 1 :])
    return more + (0.5 * law[reports // 2] if reports % 2 == 0 else 0.0)


def posterior(
    channel: Channel, policy: PrivacyMatrix, prior: Sequence[Fraction], output: int
) -> Posterior:
    """The posterior of somebody with this prior who has seen this output (Bayes).

    `prior`: (k,) rationals that sum to 1. Raises `CaldpError` for another one, for an output that
    is none of the channel's, and for one that this prior gives probability 0.
    """
    check_rows(channel, policy)
    require(
        len(prior) == len(channel) and sum(prior) == 1 and min(prior) >= 0,
        f"prior must be {len(channel)} probabilities that sum to 1.",
    )
    y = check_whole("output", output, 0, outputs_of(channel) - 1)
    joint = [Fraction(p) * row[y] for p, row in zip(prior, channel, strict=True)]
    probability = sum(joint, Fraction(0))
    require(
        probability > 0,
        f"Output {y} has probability 0 under this prior; take one that can be seen.",
    )
    return Posterior(
        policy, tuple(map(Fraction, prior)), tuple(each / probability for each in joint)
    )


def error_rates(
    channel: Channel, x: int, other: int, says_x: Callable[[int], bool]
) -> tuple[Fraction, Fraction]:
    """(P_FA, P_MD) of the rule that says x on the outputs where `says_x`, else x′ (Theorem 1).

    P_FA = Pr(says x | x′), P_MD = Pr(says x′ | x).
    """
    guess = [says_x(y) for y in range(outputs_of(channel))]
    false_alarm = sum((q for q, yes in zip(channel[other], guess, strict=True) if yes), Fraction(0))
    missed = sum((q for q, yes in zip(channel[x], guess, strict=True) if not yes), Fraction(0))
    return false_alarm, missed


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
