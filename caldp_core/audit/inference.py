"""What an attacker believes of one person after reports, at any number of symbols.

`adversary.py` decides in rationals for small channels; here floats do, so that 43,750 symbols take
milliseconds. CALDP = Acharya, Bonawitz, Kairouz, Ramage, Sun 2020.

The best guess from report y is argmax_x π_x·Q(y|x), right with probability Σ_y max_x π_x·Q(y|x):
block by block a clear report names its symbol; of an oracle's reports only the likeliest symbols
can be the guess, so few rows of the channel are looked at, or none where its form is enough.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.audit.pairwise import Channel
from caldp_core.basics import errors
from caldp_core.basics.types import Bools, Floats, Ints, sums_by
from caldp_core.mechanisms import capabilities
from caldp_core.mechanisms.base import Mechanism, Tally
from caldp_core.mechanisms.randomness import COIN_ONE
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.matrix import coverage


def likelihood(mechanism: Mechanism, report: Tally) -> Floats:
    """(k,) chance Q(y|x) of one report y from each symbol x, up to a factor common to all x.

    `report`: the tally of that one report. Raises `CaldpError` for other tallies, and for
    mechanisms that offer neither products with their channel nor counts of supports.
    """
    errors.require(report.n == 1, f"A report's tally has n = 1, this one has n = {report.n}.")
    if isinstance(mechanism, capabilities.AddsTags):
        return mechanism.mean_over_tags(likelihood(mechanism.after_pre_processing(), report))
    supports = capabilities.one_report(mechanism, report)
    if supports is not None:
        return _of_supports(mechanism, supports, capabilities.block_totals(mechanism, report)[0])
    products = capabilities.channel_products(mechanism)
    if products is None:
        raise errors.CaldpError(
            "This mechanism does not say how likely a report is; take another of the catalogue's."
        )
    return np.maximum(products.apply_transpose(report.counts.astype(np.float64)), 0.0)


def naming_chances(mechanism: Mechanism) -> Floats:
    """(k,) chance that one report of each symbol names it, as no other symbol sends that report.

    Of a place as such where tags stand for people's own. Raises `CaldpError` for mechanisms without
    a `SymbolPartition` whose channel is too large to be written out.
    """
    if isinstance(mechanism, capabilities.AddsTags):
        return naming_chances(mechanism.after_pre_processing())[: mechanism.k]
    if isinstance(mechanism, capabilities.HasSymbolPartition):
        found, chances = mechanism.symbol_partition, np.zeros(mechanism.k)
        of_block = np.where(found.sizes > 0, found.clear_share, 1.0)
        chances[found.clear] = of_block[mechanism.blocks[found.clear]]
        return chances
    rows = np.array(mechanism.exact_channel(), np.float64)
    return np.asarray(rows[:, (rows > 0).sum(axis=0) == 1].sum(axis=1))


def readable_share(mechanism: Mechanism, policy: PrivacyMatrix, people: Floats) -> float:
    """Share, in [0, 1], of the people whom nothing protects that one report of theirs names.

    `people`: (k,) people by symbol, in any unit; 0 where everybody is protected.
    """
    left = np.where(coverage(policy).protected, 0.0, people)
    if not left.any():
        return 0.0
    return float(left @ naming_chances(mechanism) / left.sum())


def _of_supports(mechanism: Mechanism, report: capabilities.SupportTally, blocks: Ints) -> Floats:
    """In units of the base distribution: a/u for symbols included, (1 − a)/(1 − u) for others.

    Such channels have that form (`SupportForm`), with a and u of `SupportProbabilities`. A
    symbol that is not hidden sends the base with λ, or names itself.
    """
    partition, prob = capabilities.symbol_partition_of(mechanism), report.probabilities
    result = np.zeros(mechanism.k)
    if report.named.any():
        result[partition.clear[report.named > 0]] = 1.0
        return result
    (sent,) = np.flatnonzero(report.sent)
    own, base = float(prob.own[sent]), float(prob.base[sent])
    of_block = blocks[partition.hidden] == sent
    excluded = (1.0 - own) / (1.0 - base) if base < 1.0 else 0.0
    factors = np.where(report.included > 0, own / base, excluded)
    result[partition.hidden] = np.where(of_block, factors, 0.0)
    cover_probability = 1.0 - partition.clear_share[sent]
    result[partition.clear] = np.where(blocks[partition.clear] == sent, cover_probability, 0.0)
    return result


def posterior_after_reports(
    mechanism: Mechanism, prior: Floats, reports: Iterable[Tally]
) -> Floats:
    """(k,) posterior after independent reports about one person whose symbol does not change.

    `prior`: (k,) shares that sum to 1. A report that is sent again (memoised noise) adds nothing
    new: pass it once. Nor does it change whether a symbol is the person's own and reported by
    a tag, which `likelihood` of a single report averages over. Raises `CaldpError` for another
    prior, and for reports that together are impossible under it.
    """
    prior = check_prior(prior, mechanism.k)
    if isinstance(mechanism, capabilities.AddsTags):
        common = mechanism.after_pre_processing()
        return mechanism.without_tags(
            posterior_after_reports(common, mechanism.shares_with_tags(prior), reports), prior
        )
    weight = prior
    for report in reports:
        weight = weight * likelihood(mechanism, report)
        most = float(weight.max())
        errors.require(
            most > 0.0,
            "These reports are impossible under this prior; take reports of one symbol that it "
            "allows.",
        )
        weight /= most
    return np.asarray(weight / weight.sum())


def check_prior(prior: Floats, k: int) -> Floats:
    """The prior, if it is (k,) shares that sum to 1; else `CaldpError`."""
    return errors.check_distribution("prior", prior, k, within=1e-9)


def max_posterior(policy: PrivacyMatrix, prior: Floats, x: int, reports: int = 1) -> float:
    """Highest posterior of x after m = `reports` reports under any mechanism that keeps the policy.

    E adds up over reports (CALDP Prop. 2), and Proposition 3 holds for every pair, so that
    p_x′ ≥ e^{−m·E[x, x′]}·p_x·π_x′/π_x; summed over all x′, p_x ≤ 1/Σ_x′ e^{−m·E[x, x′]}·π_x′/π_x.
    """
    return max_posteriors(policy, prior, x, [reports])[0]


def max_posteriors(
    policy: PrivacyMatrix, prior: Floats, x: int, reports: Iterable[int]
) -> list[float]:
    """`max_posterior` for each of several numbers of `reports`, in their order."""
    prior = check_prior(prior, policy.k)
    each = [errors.check_whole("reports", m, 0, 10**9) for m in reports]
    (symbol,) = errors.check_symbols("x", [x], policy.k)
    known = float(prior[symbol])
    between = policy.between(np.full(policy.k, symbol), np.arange(policy.k))
    levels, level_of = np.unique(between, return_inverse=True)
    shares = np.bincount(level_of, prior)

    def most(m: int) -> float:
        if m == 0 or known == 0.0:
            return known
        return known / float((np.exp(-m * levels) * shares).sum())

    return [most(m) for m in each]


def credible_set(posterior: Floats, level: float = 0.95) -> Ints:
    """The fewest symbols that together have probability `level`, the likeliest first.

    `posterior`: (k,); `level`: in (0, 1]; raises `CaldpError` otherwise.
    """
    level = errors.check_number("level", level, 1e-12, 1.0)
    total = float(posterior.sum())
    # All that are less likely than this are together less than what may be left out.
    some = np.flatnonzero(posterior > (1.0 - level) * total / posterior.size)
    order = some[np.argsort(-posterior[some], kind="stable")]
    reached = np.cumsum(posterior[order])
    return order[: int(np.searchsorted(reached, level * total - 1e-12)) + 1]


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
    errors.require(
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


_ROWS_MAX: Final = 4096
"""Most rows of a block's channel that are read."""


@dataclass(frozen=True)
class BestGuess:
    """Shares of people whose symbol is guessed right, in [0, 1].

    `before`, `after`: of all people. `hidden`, `others`: after a report, of those with a protected
    symbol and of the others, 0 for an empty group.
    """

    before: float
    after: float
    hidden: float
    others: float


def best_guess(mechanism: Mechanism, prior: Floats) -> BestGuess:
    """The best guess at any size, for families in contexts but local hashing; `prior`: (k,) shares.

    Raises `CaldpError` for other mechanisms, and where too many symbols could be the guess.
    """
    parts = _parts(mechanism)
    if parts is None:
        raise errors.CaldpError(
            "This mechanism does not tell how its reports overlap; take another family in a "
            "context."
        )
    structure, of_block = parts
    check_prior(prior, mechanism.k)
    hidden = np.zeros(mechanism.k, np.bool_)
    hidden[structure.hidden] = True
    blocks = structure.policy.blocks
    cover_probability = structure.oracles.cover_threshold / COIN_ONE
    of_hidden, of_others = 0.0, float((prior * (1.0 - cover_probability[blocks]))[~hidden].sum())
    ends = np.cumsum(structure.sizes)
    for block in np.flatnonzero(structure.sizes).tolist():
        ranks = slice(int(ends[block] - structure.sizes[block]), int(ends[block]))
        shares = prior[structure.hidden[ranks]]
        base_worth = prior[~hidden & (blocks == block)].max(initial=0.0) * float(
            cover_probability[block]
        )
        right, by_others = of_block(block, shares, base_worth)
        of_hidden += right
        of_others += by_others
    return _split(prior, hidden, of_hidden, of_others)


def easiest_guess(mechanism: Mechanism) -> float:
    """Share in [0, 1] of people with a hidden symbol whose symbol is guessed right from one report.

    In the block where it is the largest, 0 if nothing is hidden. To the attacker all hidden symbols
    of a block are equally likely before: (1/s) Σ_y max_x Q(y|x). Where that is too many rows, what
    any channel allows, 1/(1 + (s−1)·e^−ε), which randomized response reaches. Without blocks all
    protected symbols are one. Families that offer no more than their channel are read entry by
    entry; raises `CaldpError` where it is too large to be written out, and for personal tags.
    """
    parts = _parts(mechanism)
    if parts is None:
        return _easiest_by_entries(mechanism)
    structure, of_block = parts
    kinds = zip(structure.sizes.tolist(), structure.policy.epsilon.tolist(), strict=True)

    def right(block: int, size: int, level: float) -> float:
        try:
            return of_block(block, np.full(size, 1 / size), 0.0)[0]
        except errors.CaldpError:
            return 1 / (1 + (size - 1) * math.exp(-level))

    blocks = {kind: block for block, kind in enumerate(kinds) if kind[0]}
    return max((right(block, *kind) for kind, block in blocks.items()), default=0.0)


_OfBlock: TypeAlias = Callable[[int, Floats, float], tuple[float, float]]
"""Block, (s_j,) π of its hidden symbols and λ·π of its likeliest other → Σ_y of right guesses that
are hidden symbols, and that are the other."""


def _parts(mechanism: Mechanism) -> tuple[capabilities.BlockStructure, _OfBlock] | None:
    if isinstance(mechanism, capabilities.HasBlockStructure):
        structure = mechanism.block_structure()
        oracles = structure.oracles
        if isinstance(oracles, capabilities.HasJointSupports):
            return structure, partial(_by_form, oracles)
        if isinstance(oracles, capabilities.HasChannelRows):
            return structure, partial(_by_rows, oracles)
    return None


def _easiest_by_entries(mechanism: Mechanism) -> float:
    errors.require(
        not isinstance(mechanism, capabilities.AddsTags),
        "How often a guess is right is not known with personal tags; take a policy without them.",
    )
    policy, rows = mechanism.policy, np.array(mechanism.exact_channel(), np.float64)
    protected = coverage(policy).protected
    blocks = policy.blocks if isinstance(policy, Context) else np.zeros(policy.k, np.int64)
    groups = (rows[protected & (blocks == block)] for block in np.unique(blocks[protected]))
    return max((float(group.max(axis=0).sum()) / len(group) for group in groups), default=0.0)


def _by_form(
    oracles: capabilities.HasJointSupports, block: int, shares: Floats, base_worth: float
) -> tuple[float, float]:
    """By which of the likeliest symbols is the first that a report includes: i, or none at all.

    In units of the base distribution the guess is worth π_i·included, and the likeliest symbol
    π_1·excluded where the report does not include it. Symbols that are worth less are left out.
    """
    prob, order = oracles.probabilities, np.argsort(-shares, kind="stable")
    own, base = float(prob.own[block]), float(prob.base[block])
    excluded = (1.0 - own) / (1.0 - base) if base < 1.0 else 0.0
    worth, least = own / base * shares[order], excluded * float(shares.max())
    some = order[: max(1, np.count_nonzero(worth > least))]
    without = oracles.none_included(block, some)
    first = np.append(without[:-1] - without[1:], without[-1])
    worth = np.append(worth[: some.size], least)
    hidden = worth >= base_worth
    return float((first * worth)[hidden].sum()), float(first[~hidden].sum() * base_worth)


def _by_rows(
    oracles: capabilities.HasChannelRows, block: int, shares: Floats, base_worth: float
) -> tuple[float, float]:
    """By rows of the channel, those of the likeliest symbols first.

    A symbol later in the order can only be the guess where π_x·max Q is above the best
    so far.
    """
    order: Ints = np.argsort(-shares, kind="stable")
    base, most = _row(oracles, block, shares.size)
    best, floor = np.zeros(base.size), base_worth * base
    for number, rank in enumerate(order.tolist()):
        share = float(shares[rank])
        if share * most <= float(np.maximum(best, floor).min()):
            break
        errors.require(
            number < _ROWS_MAX,
            f"More than {_ROWS_MAX:,} symbols of a block could be the guess; take a smaller ε.",
        )
        np.maximum(best, share * _row(oracles, block, rank)[0], out=best)
    hidden = best >= floor
    return float(best[hidden].sum()), float(floor[~hidden].sum())


def _row(oracles: capabilities.HasChannelRows, block: int, rank: int) -> tuple[Floats, float]:
    """(columns,) one row, and an upper bound on the entries of the block."""
    rows = oracles.channel_rows(block, rank, rank + 1)
    values = np.array([float(Fraction(int(v), rows.denominator)) for v in rows.values])
    return values[rows.codes[0]], float(values.max())


def _split(prior: Floats, hidden: Bools, of_hidden: float, of_others: float) -> BestGuess:
    of_all = float(prior[hidden].sum())

    def part(right: float, whole: float) -> float:
        return right / whole if whole > 1e-12 else 0.0

    return BestGuess(
        before=float(prior.max()),
        after=of_hidden + of_others,
        hidden=part(of_hidden, of_all),
        others=part(of_others, 1.0 - of_all),
    )
