"""What an attacker believes of one person after reports, at any number of symbols.

`adversary.py` decides in rationals for small channels; here floats do, through what mechanisms
offer (`mechanisms/capabilities.py`), so that 43,750 symbols take milliseconds. CALDP = Acharya,
Bonawitz, Kairouz, Ramage, Sun 2020.
"""

from collections.abc import Iterable

import numpy as np

from caldp_core.basics.errors import (
    check_distribution,
    check_number,
    check_symbols,
    check_whole,
    require,
)
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.base import Mechanism, Tally
from caldp_core.mechanisms.capabilities import (
    AddsTags,
    SupportTally,
    block_totals,
    channel_products,
    one_report,
    symbol_partition_of,
)
from caldp_core.privacy.context import PrivacyMatrix


def likelihood(mechanism: Mechanism, report: Tally) -> Floats:
    """(k,) chance Q(y|x) of one report y from each symbol x, up to a factor common to all x.

    `report`: the tally of that one report. Raises `CaldpError` for other tallies, and for
    mechanisms that offer neither products with their channel nor counts of supports.
    """
    require(report.n == 1, f"A report's tally has n = 1, this one has n = {report.n}.")
    if isinstance(mechanism, AddsTags):
        return mechanism.mean_over_tags(likelihood(mechanism.after_pre_processing(), report))
    supports = one_report(mechanism, report)
    if supports is not None:
        return _of_supports(mechanism, supports, block_totals(mechanism, report)[0])
    products = channel_products(mechanism)
    require(
        products is not None,
        "This mechanism does not say how likely a report is; take another of the catalogue's.",
    )
    assert products is not None
    return np.maximum(products.apply_transpose(report.counts.astype(np.float64)), 0.0)


def _of_supports(mechanism: Mechanism, report: SupportTally, blocks: Ints) -> Floats:
    """In units of the base distribution: a/u for symbols included, (1 − a)/(1 − u) for others.

    Such channels have that form (`SupportForm`), with a and u of `SupportProbabilities`. A
    symbol that is not hidden sends the base with λ, or names itself.
    """
    partition, prob = symbol_partition_of(mechanism), report.probabilities
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
    lends = 1.0 - partition.clear_share[sent]
    result[partition.clear] = np.where(blocks[partition.clear] == sent, lends, 0.0)
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
    if isinstance(mechanism, AddsTags):
        common = mechanism.after_pre_processing()
        return mechanism.without_tags(
            posterior_after_reports(common, mechanism.shares_with_tags(prior), reports), prior
        )
    weight = prior
    for report in reports:
        weight = weight * likelihood(mechanism, report)
        most = float(weight.max())
        require(
            most > 0.0,
            "These reports are impossible under this prior; take reports of one symbol that it "
            "allows.",
        )
        weight /= most
    return np.asarray(weight / weight.sum())


def check_prior(prior: Floats, k: int) -> Floats:
    """The prior, if it is (k,) shares that sum to 1; else `CaldpError`."""
    return check_distribution("prior", prior, k, within=1e-9)


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
    each = [check_whole("reports", m, 0, 10**9) for m in reports]
    (symbol,) = check_symbols("x", [x], policy.k)
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
    level = check_number("level", level, 1e-12, 1.0)
    total = float(posterior.sum())
    # All that are less likely than this are together less than what may be left out.
    some = np.flatnonzero(posterior > (1.0 - level) * total / posterior.size)
    order = some[np.argsort(-posterior[some], kind="stable")]
    reached = np.cumsum(posterior[order])
    return order[: int(np.searchsorted(reached, level * total - 1e-12)) + 1]
