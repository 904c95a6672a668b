"""How often the best guess of anybody's symbol is right: before, after a report, and about whom.

The best guess from report y is argmax_x π_x·Q(y|x), so it is right with probability Σ_y max_x
π_x·Q(y|x). At tens of thousands of symbols that is reckoned block by block: a clear report names
its symbol; of an oracle's reports only the likeliest symbols can be the guess, so few rows of the
channel are looked at, or none where the form of the channel is enough.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from caldp_core.audit.channels import Channel
from caldp_core.audit.inference import check_prior
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.randomness.coins import COIN_ONE
from caldp_core.mechanisms.structures import (
    BlockStructure,
    HasBlockStructure,
    HasChannelRows,
    HasExchangeableSupports,
)

_ROWS_MAX: Final = 4096
"""Most rows of a block's channel that are read."""
_CHECK_INTERVAL: Final = 4
"""Rows between checks whether more of them could change a guess."""


@dataclass(frozen=True)
class BestGuess:
    """Shares of people whose symbol is guessed right, in [0, 1].

    `before`, `after`: of all people. `hidden`, `others`: after a report, of those with a protected
    symbol and of the others, 0 where there are none.
    """

    before: float
    after: float
    hidden: float
    others: float


def best_guess_of_channel(channel: Channel, prior: Floats, hidden: Bools) -> BestGuess:
    """By the whole channel, for small ones; `prior`: (k,) shares, `hidden`: (k,) flags."""
    joint = check_prior(prior, hidden.size)[:, None] * np.array(channel, dtype=np.float64)
    right = joint.max(axis=0)
    of_hidden = float(right[hidden[joint.argmax(axis=0)]].sum())
    return _split(prior, hidden, of_hidden, float(right.sum()) - of_hidden)


def best_guess(mechanism: Mechanism, prior: Floats) -> BestGuess:
    """The best guess at any size, for families in contexts but local hashing; `prior`: (k,) shares.

    Raises `CaldpError` for other mechanisms, and where too many symbols could be the guess.
    """
    structure, of_block = _parts(mechanism)
    check_prior(prior, mechanism.k)
    hidden = np.zeros(mechanism.k, np.bool_)
    hidden[structure.hidden] = True
    blocks = structure.policy.blocks
    lends = structure.oracles.cover_threshold / COIN_ONE
    of_hidden, of_others = 0.0, float((prior * (1.0 - lends[blocks]))[~hidden].sum())
    ends = np.cumsum(structure.sizes)
    for block in np.flatnonzero(structure.sizes).tolist():
        ranks = slice(int(ends[block] - structure.sizes[block]), int(ends[block]))
        shares = prior[structure.hidden[ranks]]
        base_worth = prior[~hidden & (blocks == block)].max(initial=0.0) * float(lends[block])
        right, by_others = of_block(block, shares, base_worth)
        of_hidden += right
        of_others += by_others
    return _split(prior, hidden, of_hidden, of_others)


_OfBlock: TypeAlias = Callable[[int, Floats, float], tuple[float, float]]
"""Block, (s_j,) π of its hidden symbols and λ·π of its likeliest other → Σ_y of right guesses that
are hidden symbols, and that are the other."""


def _parts(mechanism: Mechanism) -> tuple[BlockStructure, _OfBlock]:
    if isinstance(mechanism, HasBlockStructure):
        structure = mechanism.block_structure()
        oracles = structure.oracles
        if isinstance(oracles, HasChannelRows):
            return structure, partial(_by_rows, oracles)
        if isinstance(oracles, HasExchangeableSupports):
            return structure, partial(_by_form, oracles)
    raise CaldpError(
        "This mechanism does not tell how its reports overlap; take another family in a context, "
        "or best_guess_of_channel for a small domain."
    )


def _by_form(
    oracles: HasExchangeableSupports, block: int, shares: Floats, base_worth: float
) -> tuple[float, float]:
    """By which of the likeliest symbols is the first that a report includes: i, or none at all.

    In units of the base distribution the guess is worth π_i·included, and the likeliest symbol
    π_1·excluded where the report does not include it.
    """
    form, ordered = oracles.support_form(block), -np.sort(-shares)
    without = oracles.none_included(block)
    first = np.append(without[:-1] - without[1:], without[-1])
    worth = np.append(float(form.included) * ordered, 0.0)
    worth[1:] = np.maximum(worth[1:], float(form.excluded) * ordered[0])
    hidden = worth >= base_worth
    return float((first * worth)[hidden].sum()), float(first[~hidden].sum() * base_worth)


def _by_rows(
    oracles: HasChannelRows, block: int, shares: Floats, base_worth: float
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
        if number % _CHECK_INTERVAL == 0 and share * most <= float(np.maximum(best, floor).min()):
            break
        require(
            number < _ROWS_MAX,
            f"More than {_ROWS_MAX:,} symbols of a block could be the guess; take a smaller ε.",
        )
        np.maximum(best, share * _row(oracles, block, rank)[0], out=best)
    hidden = best >= floor
    return float(best[hidden].sum()), float(floor[~hidden].sum())


def _row(oracles: HasChannelRows, block: int, rank: int) -> tuple[Floats, float]:
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
