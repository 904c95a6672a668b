"""Taking an assumed share of fake reports out of an estimate again.

The idea of LDPRecover (Sun, Ye, Hu, Duan, Wo, Xu, Yang 2024): what was tallied is a mixture (1 −
β)·honest + β·fake; subtract what the fakes are thought to have added, and take the nearest
distribution. All rests on two guesses, β and what a fake report adds. Here it is done block by
block, as contexts do not hide how many reports come from each.

What it misses. Fakes that follow the coins send honest reports, and no guess fits them. With a
right β but no idea of the target, a place keeps β·(a − A/d)/(1 − β) of its gain β·a, where A/d is
the part of the fakes' total A that the repair takes from each of d places. With a right guess of
the target, but fewer fakes than assumed, an honest place loses what nobody had added.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_number, require
from caldp_core.basics.types import Floats
from caldp_core.estimation.estimators import ESTIMATORS, EstimatorEntry
from caldp_core.estimation.evidence import Evidence

_OF_SHARES: Final = ("cascade", "cascade-inhabitants", "cascade-map")


@dataclass(frozen=True, eq=False)
class FakesGuess:
    """What a fake report is thought to do.

    `added`: (k,) what it adds to n·p̂ on average; `blocks`: (m,) how likely it is from each block,
    sum 1.
    """

    added: Floats
    blocks: Floats


def even_fakes(evidence: Evidence, total: float) -> FakesGuess:
    """LDPRecover's guess without knowledge of the target: alike for all positive estimates.

    `total`: what a fake report adds to n·Σ p̂. Fakes come from blocks as all reports do.
    """
    positive = evidence.unbiased > 0
    added = np.where(positive, total / max(int(positive.sum()), 1), 0.0)
    return FakesGuess(added, evidence.block_shares)


def fakes_from_block(evidence: Evidence, place: int, added: Floats) -> FakesGuess:
    """Guess that every fake report comes from the block of `place`; `added`: (k,)."""
    blocks = np.zeros(evidence.block_shares.size)
    blocks[evidence.blocks[place]] = 1.0
    return FakesGuess(added, blocks)


def subtract_fakes(unbiased: Floats, fakes: float, added: Floats) -> Floats:
    """(k,) (p̂ − β·added)/(1 − β), unbiased for the honest people if both guesses are right.

    `unbiased`: (k,) estimate from all reports; `fakes`: assumed β in [0, 0.5]; `added`: (k,) what a
    fake report is thought to add to n·p̂. Raises `CaldpError` for others.
    """
    beta = check_number("fakes", fakes, 0.0, 0.5)
    require(
        added.shape == unbiased.shape,
        f"added must have one entry for each of the {unbiased.size} shares, got {added.size}.",
    )
    return np.asarray((unbiased - beta * added) / (1.0 - beta))


def remove_fakes(evidence: Evidence, fakes: float, guess: FakesGuess) -> Evidence:
    """The evidence of honest people, if both guesses are right; for estimators of shares alone.

    `fakes`: assumed β in [0, 0.5]. A block's share is the observed one less its fakes, at least 0.
    The tally stays that of all reports. Raises `CaldpError` as `subtract_fakes` does.
    """
    totals = np.maximum(subtract_fakes(evidence.block_shares, fakes, guess.blocks), 0.0)
    return replace(
        evidence,
        unbiased=subtract_fakes(evidence.unbiased, fakes, guess.added),
        block_shares=totals / totals.sum(),
        n=round(evidence.n * (1.0 - fakes)),
    )


def recover_shares(
    evidence: Evidence, fakes: float, guess: FakesGuess, name: str = "simplex-per-block"
) -> Floats:
    """(k,) shares of the honest people by a cascade, if one is named, else the nearest ones.

    Other estimators look at the reports themselves, which no repair takes out.
    """
    return recovery_estimator(name).apply(remove_fakes(evidence, fakes, guess))


def recovery_estimator(name: str) -> EstimatorEntry:
    """The estimator that `recover_shares` uses where another of that name is asked for."""
    return ESTIMATORS[name if name in _OF_SHARES else "simplex-per-block"]
