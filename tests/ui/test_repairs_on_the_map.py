"""What *Fake phones* says is left after a repair by the cascade, on the map of 43,750 cells.

The shares that a repair begins with are computed here from the tally alone. What the cascade may
make of them is bounded: blocks keep their totals, an estimate of more than 12 standard deviations
moves by 2.06 of them at most (the normal's 2nd and 98th percentile) and by its block's scale, where
the estimates do not give the total. A share that is known exactly does not move. A repair that does
not know the target leaves there what one that knows it does, or more.
"""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.poisoning import MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.catalogue import FAMILIES
from caldp_ui.adversary import fakes
from caldp_ui.adversary.page_state import BEGIN, FAKES, KNOWS_TARGET, REPAIRS, TENTHS, AttackerState
from caldp_ui.controls.common import EPSILONS
from tests.contract.checks import naming
from tests.ui.readings import read
from tests.ui.test_fakes_claims import domain_of, included

SURE = 12.5
REACH = 2.06


def record_of(family: str, epsilon: float, **fixed: Any) -> AttackerState:
    scenario = replace(BEGIN.with_context(epsilon=epsilon), mechanism=FAMILIES[family].spec())
    assert scenario.estimator == "cascade"
    return AttackerState(scenario, show=FAKES, **fixed)


def cleaned(
    data: fakes.PoisonedEstimate, family: str, epsilon: float, knows: str, share: float
) -> tuple[Floats, Floats, Floats]:
    """(k,) shares less what fakes are thought to have added, (k,) deviations, (m,) block shares.

    The deviations are of the number of reports that include a place, whoever sent them.
    """
    counts, n = np.asarray(data.evidence.tally.counts, float), data.evidence.tally.n
    blocks: Ints = np.asarray(data.evidence.blocks)
    sizes = np.bincount(blocks)
    order, reports = np.argsort(blocks, kind="stable"), counts[blocks.size :]
    estimate, deviation = np.zeros(blocks.size), np.zeros(blocks.size)
    added, own = np.zeros(blocks.size), blocks == blocks[data.place]
    for number in range(sizes.size):
        at = order[blocks[order] == number]
        law, includes = included(family, epsilon), counts[: blocks.size]
        hits = includes[np.flatnonzero(blocks[order] == number)]
        gain = law.own - law.other
        estimate[at] = (hits - law.other * reports[number]) / gain / n
        here = np.clip(estimate[at] * n, 0, reports[number])
        noise = here * law.own * (1 - law.own)
        noise += (reports[number] - here) * law.other * (1 - law.other)
        deviation[at] = np.sqrt(noise) / gain / n
        if own[at[0]]:
            added[at], added[data.place] = law.added_beside, law.added
    shares = reports / n
    if knows == KNOWS_TARGET:
        shares = np.maximum(shares - share * (np.arange(sizes.size) == blocks[data.place]), 0)
        shares /= shares.sum()
    else:
        added = np.where(estimate > 0, added.sum() / (estimate > 0).sum(), 0.0)
    return (estimate - share * added) / (1 - share), deviation / (1 - share), shares


@pytest.mark.parametrize("epsilon", [EPSILONS[0], 1.0, EPSILONS[-1]])
@pytest.mark.parametrize("family", ["oue", pytest.param("rappor", marks=pytest.mark.thorough)])
def test_what_the_cascade_makes_of_a_repair_is_within_its_bounds(
    family: str, epsilon: float
) -> None:
    settings = product((TENTHS[1], TENTHS[-1]), (MAXIMAL_GAIN, RANDOM_ITEMS), REPAIRS)
    for tenths, attack, knows in settings:
        record = record_of(family, epsilon, tenths=tenths, attack=attack, repair=knows)
        data = fakes.run_attack(record)
        found, blocks = data.repaired(knows).shares, np.asarray(data.evidence.blocks)
        clean, deviation, totals = cleaned(data, family, epsilon, knows, data.share)
        sure = clean > SURE * deviation
        line = fakes.headline(data, domain_of(record), record)
        with naming(f"{tenths}, {attack}, {knows}: {line.second}"):
            text = line.second.partition(" puts ")[2].removesuffix(" there.")
            _, number = fakes.counts_at_target(data, record)
            assert read(f"{text} of {number}").holds(float(found[data.place]))
            assert found.min() >= 0
            np.testing.assert_allclose(np.bincount(blocks, found), totals, atol=1e-12)
            alone = (np.bincount(blocks) == 1)[blocks]
            np.testing.assert_allclose(found[alone], totals[blocks[alone]], atol=1e-12)
            assert sure.sum() >= (1 if epsilon < 1 else 70)
            if knows != KNOWS_TARGET:  # a total that the estimates miss by far moves them all
                at, known = data.place, data.repaired(KNOWS_TARGET).shares
                most = data.estimate_with_fakes[at] / (1 - data.share) + REACH * deviation[at]
                assert attack != MAXIMAL_GAIN or known[at] - REACH * deviation[at] <= found[at]
                assert found[at] <= min(most, totals[blocks[at]]) + 1e-12
                continue
            low, high = (clean[sure] + sign * REACH * deviation[sure] for sign in (-1, 1))
            scale_least, scale_most = np.zeros(totals.size), np.full(totals.size, np.inf)
            np.maximum.at(scale_least, blocks[sure], (found[sure] - 1e-9) / high)
            np.minimum.at(scale_most, blocks[sure], (found[sure] + 1e-9) / low)
            assert (scale_least <= scale_most).all()
            if (attack, knows) == (MAXIMAL_GAIN, KNOWS_TARGET):
                assert ((scale_least <= 1) & (scale_most >= 1)).all()
                wrong = cleaned(data, family, epsilon, knows, 1.1 * data.share)[0][data.place]
                off = abs(found[data.place] - wrong) > 3 * deviation[data.place]
                assert off or epsilon < 1 or tenths == TENTHS[1]
