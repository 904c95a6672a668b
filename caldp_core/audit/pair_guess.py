"""How often the best guess between two symbols is right after a report, at any size."""

import numpy as np

from caldp_core.basics.errors import check_number, check_symbols, require
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.base import Mechanism, Tally
from caldp_core.mechanisms.capabilities import (
    block_totals,
    channel_products,
    one_report,
    symbol_partition_of,
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
    products = channel_products(mechanism)
    if products is None:
        return _inclusions(mechanism, pair)
    return np.stack([products.apply(_unit_counts(mechanism.k, each)) for each in pair.tolist()])


def _unit_counts(k: int, symbol: int) -> Floats:
    row = np.zeros(k)
    row[symbol] = 1.0
    return row


def _inclusions(mechanism: Mechanism, pair: Ints) -> Floats:
    """(2, outcomes) chances of what a report says of the two symbols, from each of them.

    By `SupportProbabilities`: which hidden ones it includes, or which of the others it names.
    """
    partition, blocks = (
        symbol_partition_of(mechanism),
        block_totals(mechanism, _example_tally(mechanism, pair))[0],
    )
    if blocks[pair[0]] != blocks[pair[1]]:
        return np.eye(2)  # no report hides the block
    supports = one_report(mechanism, _example_tally(mechanism, pair))
    require(
        supports is not None,
        "This mechanism does not say how likely a report is; take another of the catalogue's.",
    )
    assert supports is not None
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
