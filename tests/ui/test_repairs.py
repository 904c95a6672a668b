"""One fake phone where each block has its own ε, and repairs on the map of 43,750 cells.

Two blocks of six places of which some are open; every chance is written out from the papers, as in
`test_fakes.py`. Of the package only the sentences are taken.

The shares that a repair begins with are computed here from the tally alone. What the cascade may
make of them is bounded: blocks keep their totals, an estimate of more than 12 standard deviations
moves by 2.06 of them at most (the normal's 2nd and 98th percentile) and by its block's scale, where
the estimates do not give the total. A share that is known exactly does not move. A repair that does
not know the target leaves there what one that knows it does, or more.
"""

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.poisoning import MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.catalogue import FAMILIES
from caldp_core.scenarios.blocks import GridBlocks, OneBlock, SensitiveSymbols
from caldp_ui.adversary import fakes
from caldp_ui.adversary.page_state import BEGIN, FAKES, KNOWS_TARGET, REPAIRS, TENTHS, AttackerState
from caldp_ui.compute.runs import with_dataset
from caldp_ui.controls.common import EPSILONS
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.readings import read
from tests.ui.test_fakes import ENDS, MANY, TWELVE, crowd, domain_of, included, numbers_of

OPEN = (4, 8, 3)
"""Two of the first block, columns 0 and 1 of 4, and one of the second."""
SENSITIVE = SensitiveSymbols(tuple(str(x) for x in range(12) if x not in OPEN))
PLACES = (0, 4, 2, 3, 10)
"""Hidden and open ones of either block."""
HIDDEN = np.array([x not in OPEN for x in range(12)])


def record_of(family: str, levels: tuple[float, float], place: int) -> AttackerState:
    scenario = with_dataset(BEGIN, TWELVE).with_context(
        blocks=GridBlocks(1, 2), sensitive=SENSITIVE, epsilon=levels
    )
    scenario = replace(scenario, mechanism=FAMILIES[family].spec(), n=MANY)
    return AttackerState(scenario, place=place, show=FAKES)


def cover(family: str, epsilon: float, size: int) -> tuple[float, float]:
    """λ and u, how often a cover answer includes a value.

    λ is the least with which a name keeps ε: max P(y | x)/(e^ε·b(y)), b the law of cover answers.
    In unary encodings that has each bit as often as another's; else it is even, and a report that
    includes a value is own/u times as likely from there as from b.
    """
    law = included(family, epsilon, size)
    if family in ("rappor", "oue"):
        u = law.other
    else:
        honest = (law.own - law.other) / (1 - law.beside)
        u = (law.own - honest) / (1 - honest)
    return law.own / (u * math.exp(epsilon)), u


def power_by_hand(
    family: str, epsilon: float, place: int, people: np.ndarray, block: np.ndarray
) -> tuple[float, float]:
    """People that the strongest report adds, and the deviation of the estimate without fakes."""
    hidden = block & HIDDEN
    size = int(hidden.sum())
    lie, u = cover(family, epsilon, size)
    if not HIDDEN[place]:
        return 1 / (1 - lie), math.sqrt(people[place] * lie / (1 - lie))
    law = included(family, epsilon, size)
    rest, named = people[hidden].sum() - people[place], people[block & ~HIDDEN].sum()
    r, gain = law.other, law.own - law.other
    # A name takes away what a cover answer adds on average.
    taken = lie * (u - r) / (1 - lie)
    openly = lie * (u * (1 - r) ** 2 + (1 - u) * r**2) + (1 - lie) * taken**2
    return law.added, math.sqrt(law.variance(people[place], rest) + named * openly / gain**2)


def to_stand_out(added: float, noise: float) -> int:
    return max(1, math.ceil(3 * noise / added))


LEVELS = ((ENDS[0], ENDS[-1]), (1.0, ENDS[0]), (ENDS[-1], 1.0))


def near(number: float, value: float) -> bool:
    """Whether a number is `value` to three digits, or as a whole one."""
    return abs(number / value - 1) < 5e-3 or abs(number - value) <= 0.51 * (value >= 100) + 1e-6


@pytest.mark.parametrize("family", FAMILIES)
def test_one_phone_in_blocks_of_their_own_levels_and_at_open_places(family: str) -> None:
    for levels, place in product(LEVELS, PLACES):
        record = record_of(family, levels, place)
        people, blocks = crowd(record)
        epsilon, block = levels[blocks[place]], blocks == blocks[place]
        added, noise = power_by_hand(family, epsilon, place, people, block)
        said = fakes.one_phone(record, domain_of(record)).partition(" in ")
        with naming(f"{family}, {levels}, {place}: {''.join(said)}"):
            found = numbers_of(said[0])[-1][1], numbers_of(said[2])[-1][1]
            assert near(found[0], added)
            assert not near(found[0], 1.1 * added)
            assert near(found[1], to_stand_out(added, noise))
            other = power_by_hand(family, levels[1 - blocks[place]], place, people, block)
            if max(added, other[0]) > 1.1 * min(added, other[0]):
                assert not near(found[0], other[0])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_block_is_compared_with_one_of_all_places_at_its_own_level(family: str) -> None:
    """With the same sensitive places: nothing else is different."""
    for levels, place in product(LEVELS, PLACES):
        record = record_of(family, levels, place)
        people, blocks = crowd(record)
        epsilon, block = levels[blocks[place]], blocks == blocks[place]
        here = power_by_hand(family, epsilon, place, people, block)
        whole = power_by_hand(family, epsilon, place, people, np.ones(12, np.bool_))
        said = fakes.describe_block_effect(fakes.compute_powers(record.scenario, place), "block")
        needed = [to_stand_out(*each) for each in (here, whole)]
        with naming(f"{family}, {levels}, {place}: {said}"):
            shown = [number for _, number in numbers_of(said)]
            expected = [here[0], whole[0], here[1], whole[1], *needed]
            pairs = zip(shown, expected, strict=True)
            assert all(near(*pair) or round(pair[1]) == pair[0] for pair in pairs)
            assert ("So fewer" in said) == (needed[0] < needed[1])
            assert ("as much as" in said) == (f"{here[0]:.3g}" == f"{whole[0]:.3g}")
            wrong = power_by_hand(family, min(levels), place, people, np.ones(12, np.bool_))
            assert epsilon == min(levels) or not near(shown[1], wrong[0])


def test_a_scenario_of_one_block_is_compared_with_nothing() -> None:
    scenario = with_dataset(BEGIN, TWELVE).with_context(blocks=OneBlock(), sensitive=SENSITIVE)
    for place in (0, OPEN[0]):
        said = fakes.describe_block_effect(fakes.compute_powers(scenario, place), "map")
        assert said.startswith("Everything is one block here")


SURE = 12.5
REACH = 2.06


def map_record_of(family: str, epsilon: float, **fixed: Any) -> AttackerState:
    scenario = replace(BEGIN.with_context(epsilon=epsilon), mechanism=FAMILIES[family].spec())
    assert scenario.estimator == "cascade"
    return AttackerState(scenario, show=FAKES, **fixed)


def cleaned(
    data: fakes.PoisonedEstimate, family: str, epsilon: float, knows: str, share: float
) -> tuple[Floats, Floats, Floats]:
    """(k,) shares less what fakes are thought to have added, (k,) deviations, (m,) block shares.

    The deviations are of the number of reports that include a place, from any person.
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "epsilon"), thinned(["oue", "rappor"], [1.0, EPSILONS[0], EPSILONS[-1]], one_in=6)
)
def test_what_the_cascade_makes_of_a_repair_is_within_its_bounds(
    family: str, epsilon: float
) -> None:
    settings = product((TENTHS[1], TENTHS[-1]), (MAXIMAL_GAIN, RANDOM_ITEMS), REPAIRS)
    for tenths, attack, knows in settings:
        record = map_record_of(family, epsilon, tenths=tenths, attack=attack, repair=knows)
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
