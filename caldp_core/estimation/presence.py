"""Whether anybody has a value at all: an exact test, for any number of people.

If nobody has a hidden symbol, each report of its block's oracle includes it with one probability π,
so the number that do is binomial, and no approximation is needed for the far tail by which one of
tens of thousands of symbols is judged.
"""

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints, counts_by
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.capabilities import (
    HasClearCounts,
    SymbolPartition,
    block_totals,
    channel_products,
    support_tally,
)


def absence_probability(evidence: Evidence, partition: SymbolPartition, at: Ints) -> Floats:
    """(t,) probability of the observed reports or more, if nobody had the hidden symbols `at`.

    `at`: (t,) places in `partition.hidden`. 0 for a lone hidden symbol, and where reports include
    symbols in other ways. Z, what a report adds to n·p̂, is a or −b, so that π = b/(a + b). Exact
    but where cover reports include a symbol more often than others' do, as in subset selection
    beside open values: there the reports that this adds on average are taken off.
    """
    mechanism = evidence.mechanism
    if channel_products(mechanism) is None and support_tally(mechanism, evidence.tally) is None:
        return np.zeros(at.size)
    block, symbols = evidence.blocks[partition.hidden[at]], partition.hidden[at]
    own, other, _ = squares(evidence, partition)
    step = np.sqrt((own - other) ** 2 + 4.0 * other)
    loss = 0.5 * (step - own + other)
    sent = np.maximum(_sent(evidence, partition), 1)[block]
    included = (evidence.n * evidence.unbiased[symbols] + sent * loss[block]) / step[block]
    some = np.clip(included, 1.0, sent)
    tail = scipy.special.betainc(some, sent - some + 1.0, (loss / step)[block])
    return np.where(partition.sizes[block] > 1, tail, 0.0)


def _sent(evidence: Evidence, partition: SymbolPartition) -> Ints:
    """(m,) reports of each block that name no symbol."""
    blocks, people = block_totals(evidence.mechanism, evidence.tally)
    assert isinstance(evidence.mechanism, HasClearCounts)
    named = evidence.mechanism.clear_counts(evidence.tally)
    return people - counts_by(blocks[partition.clear], named, people.size)


def squares(evidence: Evidence, partition: SymbolPartition) -> tuple[Floats, Floats, Floats]:
    """(m,) each: E[Z²] from x itself, from another hidden symbol, and from one that is not hidden.

    Z is what a report adds to n·p̂_x. Read off the exact variance, E[Z²] − p_x² for one person,
    where one symbol has all of a block; all hidden symbols of a block are alike. Where no symbol is
    hidden nobody asks for them.
    """
    mechanism, sizes = evidence.mechanism, partition.sizes
    first = np.cumsum(sizes) - sizes
    some, more = sizes > 0, sizes > 1
    x = partition.hidden[first[some]]
    beside = partition.hidden[first[more] + 1]
    _, place = np.unique(evidence.blocks[partition.clear], return_index=True)
    from_x, from_clear = square_from(mechanism, x), square_from(mechanism, partition.clear[place])
    own, other, clear = np.ones(sizes.size), np.zeros(sizes.size), np.zeros(sizes.size)
    own[some], clear[some] = from_x[x], from_clear[x]
    # Beside a lone hidden symbol all others are in the clear.
    other[some] = clear[some]
    other[more] = from_x[beside]
    return own, other, clear


def square_from(mechanism: Mechanism, symbols: Ints) -> Floats:
    """(k,) E[Z_x²] of the reports of `symbols`, at most one of each block."""
    share = np.zeros(mechanism.k)
    share[symbols] = 1.0
    return np.asarray(mechanism.variance(share, 1) + share**2)
