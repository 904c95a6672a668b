"""What an adversary can infer from a report: error regions of tests, guesses and posteriors.

CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020. A test looks at one report and says x or x′;
its errors are P_FA = Pr(says x | x′) and P_MD = Pr(says x′ | x). Theorem 1 bounds them by the
region of E[x, x′] = a and E[x′, x] = b; the corner of that region in Theorem 2's proof, eq. (23),
has the least sum of both errors. With both symbols equally likely beforehand that leaves

    ½·(1 + (e^a − 1)(e^b − 1)/(e^{a+b} − 1)),

which is e^a/(1 + e^a) for a = b, and 1 − e^{−a}/2 where only x is protected (b = ∞).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.audit.pairwise import Channel, check_rows, outputs_of
from caldp_core.basics.errors import CaldpError, check_number, check_symbols, check_whole, require
from caldp_core.basics.limits import OWN_QUESTIONS_MAX
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms import capabilities
from caldp_core.mechanisms.base import Mechanism, Tally
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix, dense
from caldp_core.privacy.distance import DistanceMetric, EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, closure


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
) -> tuple[Fraction, ...]:
    """(k,) the posterior of somebody with this prior who has seen this output (Bayes).

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
    return tuple(each / probability for each in joint)


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


@dataclass(frozen=True)
class PairOdds:
    """Most that an even guess between two symbols becomes right, each in [0.5, 1].

    `both_ways`: over all pairs of which each symbol is protected against the other; `one_way`: over
    all pairs of which just one is. None if there is none.
    """

    both_ways: float | None
    one_way: float | None

    @property
    def protected(self) -> bool:
        """Whether any symbol is protected at all."""
        return self.both_ways is not None or self.one_way is not None

    @property
    def largest(self) -> float:
        """The larger one: over all pairs that a protected symbol is in. 1 without any."""
        return max((each for each in (self.both_ways, self.one_way) if each), default=1.0)


def even_guess(forward: ArrayLike, backward: ArrayLike, reports: int = 1) -> Floats:
    """The module's formula for `forward` = E[x, x′] and `backward` = E[x′, x], in [0, ∞] nats.

    Levels of any shapes that fit each other → floats in [0.5, 1] of their common shape. After m =
    `reports` independent reports both levels are m times as large (CALDP Proposition 2). Raises
    `CaldpError` for a level below 0 and for fewer reports than one.
    """
    many = check_whole("reports", reports, 1, 10**9)
    a, b = (many * np.asarray(level, dtype=np.float64) for level in (forward, backward))
    require(bool((a >= 0).all() and (b >= 0).all()), "Levels of a promise must be in [0, inf].")
    both = -np.expm1(-(a + b))
    # Both levels 0: the two symbols have one law, and the guess stays even.
    difference = np.divide(
        np.expm1(-a) * np.expm1(-b), both, out=np.zeros(np.shape(both)), where=both > 0
    )
    return np.asarray(0.5 * (1.0 + difference))


@singledispatch
def pair_odds(policy: PrivacyMatrix, reports: int = 1) -> PairOdds:
    """The largest chance over the pairs that the protected symbols of a policy are in.

    A symbol x is protected against x′ where E[x, x′] is finite. Pairs without any bound are in no
    promise and not counted. Contexts of any size; other policies by their shortest-path closure,
    which they imply. Raises `CaldpError` where `dense` does.
    """
    return _of_table(closure(policy).entries, reports)


@pair_odds.register
def _of_distance_table(policy: DistanceMetric, reports: int = 1) -> PairOdds:
    # Distances keep the triangle inequality: they are their own closure.
    return _of_table(dense(policy), reports)


def _of_table(levels: Floats, reports: int) -> PairOdds:
    first, second = np.triu_indices(len(levels), 1)
    return _largest(levels[first, second], levels[second, first], reports)


@pair_odds.register
def _of_context(policy: Context, reports: int = 1) -> PairOdds:
    sensitive = np.bincount(policy.blocks[policy.sensitive], minlength=policy.m)
    others = policy.block_sizes() - sensitive
    within = policy.epsilon[sensitive >= 2]
    beside = policy.epsilon[(sensitive >= 1) & (others >= 1)]
    forward = np.concatenate([within, beside])
    backward = np.concatenate([within, np.full(beside.size, np.inf)])
    return _largest(forward, backward, reports)


@pair_odds.register
def _of_tags(policy: PersonalPolicy, reports: int = 1) -> PairOdds:
    return _of_context(policy.with_tags(), reports)


@pair_odds.register(GridMetric)
@pair_odds.register(EuclideanMetric)
def _of_distances(policy: GridMetric | EuclideanMetric, reports: int = 1) -> PairOdds:
    """The odds of the two cells that are farthest apart, opposite corners."""
    if policy.k == 1:
        return PairOdds(None, None)
    level = policy.between([0], [policy.k - 1])
    return _largest(level, level, reports)


def _largest(forward: Floats, backward: Floats, reports: int) -> PairOdds:
    chances = even_guess(forward, backward, reports)
    forward_finite, backward_finite = np.isfinite(forward), np.isfinite(backward)

    def largest(pairs: Floats) -> float | None:
        return float(pairs.max()) if pairs.size else None

    return PairOdds(
        largest(chances[forward_finite & backward_finite]),
        largest(chances[forward_finite ^ backward_finite]),
    )


def guess_accuracy(mechanism: Mechanism, x: int, other: int, chance: float = 0.5) -> float:
    """How often the best guess between two symbols is right after one report, in [0.5, 1].

    Σ_y max(w·Q(y|x), (1 − w)·Q(y|x′)), w = `chance` of x before; for w = ½ it is (1 + TV)/2. Exact
    at any size: by two rows of the channel, or, where reports are sets of hidden symbols, by which
    of the two a report includes.
    """
    return guess_accuracy_of_rows(pair_rows(mechanism, x, other), chance)


def guess_accuracy_of_rows(rows: Floats, chance: float = 0.5) -> float:
    """How often the best guess is right, by (2, outcomes) rows of a channel.

    `chance`: of the first symbol before, in [0, 1]; raises `CaldpError` otherwise.
    """
    w = check_number("chance", chance, 0.0, 1.0)
    return float(np.maximum(w * rows[0], (1.0 - w) * rows[1]).sum())


def pair_rows(mechanism: Mechanism, x: int, other: int) -> Floats:
    """(2, outcomes) two rows of the channel; outputs with one likelihood ratio may be one outcome.

    Raises `CaldpError` for mechanisms that do not say how likely a report is.
    """
    pair = check_symbols("x and other", [x, other], mechanism.k)
    products = capabilities.channel_products(mechanism)
    if products is None:
        return _inclusions(mechanism, pair)
    rows = (pair[:, None] == np.arange(mechanism.k)).astype(np.float64)
    return np.stack([products.apply(row) for row in rows])


def _inclusions(mechanism: Mechanism, pair: Ints) -> Floats:
    """(2, outcomes) chances of what a report says of the two symbols, from each of them.

    By `SupportProbabilities`: which hidden ones it includes, or which of the others it names.
    """
    partition, blocks = (
        capabilities.symbol_partition_of(mechanism),
        capabilities.block_totals(mechanism, _example_tally(mechanism, pair))[0],
    )
    if blocks[pair[0]] != blocks[pair[1]]:
        return np.eye(2)  # no report hides the block
    supports = capabilities.one_report(mechanism, _example_tally(mechanism, pair))
    if supports is None:
        raise CaldpError(
            "This mechanism does not say how likely a report is; take another of the catalogue's."
        )
    prob, j = supports.probabilities, int(blocks[pair[0]])
    names = float(partition.clear_share[j])
    open_ones = np.isin(pair, partition.clear)
    if open_ones.all():
        return np.array([[1.0 - names, names, 0.0], [1.0 - names, 0.0, names]])
    if open_ones.any():
        hidden = np.array([prob.own[j], 1.0 - prob.own[j], 0.0])
        base = np.array([prob.base[j], 1.0 - prob.base[j]]) * (1.0 - names)
        rows = np.stack([hidden, np.append(base, names)])
        return rows[::-1] if open_ones[0] else rows
    both = float(prob.own_pair[j])
    own, other = float(prob.own[j]) - both, float(prob.other[j]) - both
    none = 1.0 - both - own - other
    return np.array([[both, own, other, none], [both, other, own, none]])


def _example_tally(mechanism: Mechanism, pair: Ints) -> Tally:
    """The tally of any report of the first one: its probabilities are those of all."""
    return mechanism.tally(mechanism.client_report(int(pair[0])))


_ALIKE = 1e-9
"""Outputs whose likelihood ratios are this close are taken for one: thresholds are in 2^-48ths."""


def claimed_region(policy: PrivacyMatrix, x: int, other: int) -> Floats:
    """(3, 2) corners (P_FA, P_MD) of the least errors that E allows for x against x′.

    From (0, 1) over the vertex of Theorem 2's proof to (1, 0): below this line no test of any
    mechanism that keeps E can be. Any E, also 0 and ∞, and different ones both ways.
    """
    forward, backward = (float(policy.between([a], [b])[0]) for a, b in ((x, other), (other, x)))
    vertex = error_vertex(BinaryPolicy(forward, backward))
    return np.array([[0.0, 1.0], [vertex.false_alarm, vertex.missed], [1.0, 0.0]])


def reached_region(mechanism: Mechanism, x: int, other: int) -> Floats:
    """(v, 2) corners (P_FA, P_MD) of the least errors that tests of this mechanism's reports have.

    Neyman and Pearson: say x on the outputs with the largest Q(y|x)/Q(y|x′) first. Exact at any
    size for mechanisms that `pair_rows` has rows for; it touches the claimed line at the vertex
    only if no privacy is wasted there.
    """
    rows = pair_rows(mechanism, x, other)
    own, theirs = rows[:, rows.sum(axis=0) > 0]
    share = own / (own + theirs)
    order = np.argsort(-share, kind="stable")
    new = np.diff(share[order], prepend=2.0) < -_ALIKE
    group = np.cumsum(new) - 1
    says_x = np.stack([np.bincount(group, weights=part[order]) for part in (theirs, own)])
    done = np.cumsum(says_x, axis=1)
    false_alarm = np.concatenate([[0.0], done[0]])
    missed = np.concatenate([[1.0], 1.0 - done[1]])
    return np.asarray(np.clip(np.stack([false_alarm, missed], axis=1), 0.0, 1.0))
