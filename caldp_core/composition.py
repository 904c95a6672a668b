"""What context-aware LDP withstands, as things to check: CALDP's Propositions 1–3 and Theorem 1.

Room: audits' neighbour. Small channels in rationals (rows of output probabilities, as
`Mechanism.exact_channel` gives them) go in; channels, odds and verdicts come out. A verdict
compares with a rational just below e^ε, so rounding never hides a leak.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from caldp_core.audit import finite_pairs, power_below
from caldp_core.errors import check_whole, require
from caldp_core.limits import EXACT_MAX_ENTRIES
from caldp_core.privacy import PrivacyMatrix
from caldp_core.types import Bools

Channel: TypeAlias = Sequence[Sequence[Fraction]]
"""k rows of output probabilities."""


def release_both(first: Channel, second: Channel) -> list[list[Fraction]]:
    """The channel of two independent releases about one x; column y₁·outputs₂ + y₂."""
    return release_adaptively(first, [second] * _outputs(first))


def release_adaptively(first: Channel, seconds: Sequence[Channel]) -> list[list[Fraction]]:
    """The channel of two releases of which the second, seconds[y₁], is chosen by the first's y₁.

    CALDP Proposition 2: within E₁ + E₂ if `first` is within E₁ and each of `seconds` within E₂.
    All seconds have one number of outputs; column y₁·outputs₂ + y₂. Raises `CaldpError`.
    """
    outputs = _outputs(first)
    widths = {_outputs(second) for second in seconds}
    require(
        len(seconds) == outputs
        and len(widths) == 1
        and all(len(second) == len(first) for second in seconds),
        f"A second release needs a channel of {len(first)} rows, all of one length, for each of "
        f"the first's {outputs} outputs.",
    )
    _check_size(len(first) * outputs * widths.pop())
    return [
        [q * r for q, second in zip(row, seconds, strict=True) for r in second[x]]
        for x, row in enumerate(first)
    ]


def post_process(channel: Channel, rule: Channel) -> list[list[Fraction]]:
    """Q·W: reports y are replaced by z with probability rule[y][z] (CALDP Proposition 1).

    `rule`: a row for each output of the channel, each a distribution. Raises `CaldpError`.
    """
    outputs, columns = _outputs(channel), _outputs(rule)
    require(
        len(rule) == outputs and all(sum(row) == 1 and min(row) >= 0 for row in rule),
        f"A rule for this channel needs {outputs} rows, each of probabilities that sum to 1.",
    )
    _check_size(len(channel) * columns)
    return [
        [sum((q * to[z] for q, to in zip(row, rule, strict=True)), Fraction(0))
         for z in range(columns)]
        for row in channel
    ]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Belief:
    """What one report does to a prior. (k,) `prior` and `posterior`, rationals that sum to 1.

    `policy`: the E whose bound `odds_bound` tells.
    """

    policy: PrivacyMatrix
    prior: tuple[Fraction, ...]
    posterior: tuple[Fraction, ...]

    def odds(self, x: int, other: int) -> Fraction | None:
        """Posterior odds of x against x′; None where x′ has become impossible."""
        return self.posterior[x] / self.posterior[other] if self.posterior[other] else None

    def odds_bound(self, x: int, other: int) -> float:
        """CALDP Proposition 3: e^{E[x, x′]}·prior odds, the most that `odds` may be; ∞ if E is.

        A prior that rules out x′ bounds nothing: ∞. Rounded, so it decides nothing.
        """
        level = float(self.policy.between([x], [other])[0])
        if not self.prior[other] or np.isinf(level):
            return float("inf")
        return float(np.exp(level)) * float(self.prior[x] / self.prior[other])

    def within(self) -> bool:
        """Whether all posterior odds keep Proposition 3's bound, decided exactly."""
        prior, posterior = self.prior, self.posterior
        return all(
            posterior[x] * prior[other] <= power_below(level) * prior[x] * posterior[other]
            for x, other, level in finite_pairs(self.policy)
        )


def belief(
    channel: Channel, policy: PrivacyMatrix, prior: Sequence[Fraction], output: int
) -> Belief:
    """What a person of this prior believes once they have seen this output (Bayes).

    `prior`: (k,) rationals that sum to 1. Raises `CaldpError` for another one, for an output that
    is none of the channel's, and for one that this prior gives probability 0.
    """
    _check_policy(channel, policy)
    require(
        len(prior) == len(channel) and sum(prior) == 1 and min(prior) >= 0,
        f"prior must be {len(channel)} probabilities that sum to 1.",
    )
    y = check_whole("output", output, 0, _outputs(channel) - 1)
    joint = [Fraction(p) * row[y] for p, row in zip(prior, channel, strict=True)]
    seen = sum(joint, Fraction(0))
    require(seen > 0, f"Output {y} has probability 0 under this prior; take one that can be seen.")
    return Belief(policy, tuple(map(Fraction, prior)), tuple(each / seen for each in joint))


def error_rates(
    channel: Channel, x: int, other: int, says_x: Callable[[int], bool]
) -> tuple[Fraction, Fraction]:
    """(P_FA, P_MD) of the rule that says x on the outputs where `says_x`, else x′ (Theorem 1).

    P_FA = Pr(says x | x′), P_MD = Pr(says x′ | x).
    """
    guess = [says_x(y) for y in range(_outputs(channel))]
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
    _check_policy(channel, policy)
    return all(
        least_weighted_error(channel, x, other, power_below(level)) >= 1
        for other, x, level in finite_pairs(policy)
    )


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
        """Both."""
        return self.reveals and self.protects


def uldp(channel: Channel, sensitive: Bools, protected: Bools, epsilon: float) -> UldpVerdict:
    """Whether a channel provides (X_S, Y_P, ε)-ULDP (Murakami, Kawamoto 2019, Definition 2).

    `sensitive`: (k,) X_S. `protected`: (outputs,) Y_P. More than high-low LDP twice over: (5)
    binds inputs that are not sensitive as well, and (4) high-low LDP does not ask for.
    Raises `CaldpError` if shapes don't fit.
    """
    columns = list(zip(*channel, strict=True))
    require(
        len(sensitive) == len(channel) and len(protected) == len(columns),
        f"This channel needs {len(channel)} sensitive flags and {len(columns)} protected ones.",
    )
    power = power_below(epsilon)
    clear = [column for column, hides in zip(columns, protected, strict=True) if not hides]
    hidden = [column for column, hides in zip(columns, protected, strict=True) if hides]
    senders = [[x for x, q in enumerate(column) if q > 0] for column in clear]
    return UldpVerdict(
        reveals=all(len(xs) == 1 and not sensitive[xs[0]] for xs in senders),
        protects=all(max(column) <= power * min(column) for column in hidden),
    )


def _outputs(channel: Channel) -> int:
    lengths = {len(row) for row in channel}
    require(len(lengths) == 1, "A channel needs at least one row, and all of one length.")
    return lengths.pop()


def _check_policy(channel: Channel, policy: PrivacyMatrix) -> None:
    require(
        len(channel) == policy.k,
        f"A channel for this policy needs {policy.k} rows, got {len(channel)}.",
    )


def _check_size(entries: int) -> None:
    require(
        entries <= EXACT_MAX_ENTRIES,
        f"A channel in rationals may have at most {EXACT_MAX_ENTRIES:,} entries, this one would "
        f"have {entries:,}; use smaller channels.",
    )
