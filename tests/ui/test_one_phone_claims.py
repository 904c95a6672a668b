"""What one fake phone can do where each block has its own ε, and at places that are not sensitive.

Two blocks of six places of which some are open; every chance is written out from the papers, as in
`test_fakes_claims.py`. Of the package only the sentences are taken.
"""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from caldp_core.mechanisms.catalogue import FAMILIES
from caldp_core.scenarios.blocks import GridBlocks, OneBlock, SensitiveSymbols
from caldp_ui.adversary import fakes
from caldp_ui.adversary.page_state import BEGIN, FAKES, AttackerState
from caldp_ui.compute.runs import with_dataset
from tests.contract.checks import naming
from tests.ui.test_fakes_claims import (
    ENDS,
    MANY,
    TWELVE,
    crowd,
    domain_of,
    included,
    numbers_of,
)

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
