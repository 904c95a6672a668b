"""Sentences of the page. Each must be true of the table beside it; none takes a side."""

import math
from collections.abc import Mapping
from typing import Final

from caldp_core.datasets import InfantDeaths
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.coarser.debate import DECISION
from caldp_ui.coarser.slot import (
    BLOCKS,
    CENTRAL,
    HIDE,
    LARGER,
    MOVED,
    NEWCOMER,
    NOTHING,
    PARTS,
    PLAIN,
    REGIONS,
    ROUND,
    SEVEN,
    TABLES,
    TWO_PLACES,
)
from caldp_ui.coarser.treated import PageData
from caldp_ui.words import formats
from caldp_ui.words.towns import place_name, towns
from caldp_ui.words.vocabulary import PLACES, VALUES, Vocabulary

TITLES: Final = {
    NOTHING: "Nothing",
    LARGER: "Larger cells",
    HIDE: "Hide small counts",
    ROUND: "Random rounding",
    CENTRAL: "Central noise",
    PLAIN: "Plain LDP",
    BLOCKS: "Blocks of noise",
}
_IN_SENTENCES: Final = {
    LARGER: "larger cells",
    HIDE: "hidden small counts",
    ROUND: "random rounding",
    CENTRAL: "central noise",
    PLAIN: "plain LDP",
    BLOCKS: "blocks of noise",
}
ATTACK_TITLES: Final = {
    TWO_PLACES: "Two places",
    PARTS: "A total and its parts",
    NEWCOMER: "Two tables, a day apart",
    MOVED: "One person who moved",
    REGIONS: "Overlapping regions",
    TABLES: "Many tables, everybody's answer",
    SEVEN: "A census block of seven people",
}
UNIT: Final = {
    TWO_PLACES: "right, of 100 times",
    PARTS: "small counts known exactly, of 100",
    NEWCOMER: "newcomers found for sure, of 100",
    MOVED: "right, of 100 times",
    REGIONS: "small counts found, of 100",
}


def nouns(what: PageData) -> Vocabulary:
    """Whether sentences speak of places or of answers."""
    return PLACES if isinstance(what.domain, GridDomain) else VALUES


def cell_name(what: PageData, cell: int) -> str:
    """What readers call a cell."""
    if isinstance(what.domain, GridDomain):
        name = place_name(what.domain, cell)
        return name.split(",")[0] if cell in towns(what.domain) else name
    return what.domain.name_of(cell)


def error(what: PageData, name: str) -> tuple[str, str]:
    """The error of a treatment as a number and what it counts."""
    return formats.per_hundred(what.by[name].errors.tv), f"of 100 {_wrong(what)}"


def _wrong(what: PageData) -> str:
    return nouns(what).wrong


def errors(what: PageData) -> str:
    """How far off the treatments are, in one sentence."""
    told = [
        f"{_IN_SENTENCES[name]} {error(what, name)[0]}"
        for name in (LARGER, what.record.office, PLAIN, BLOCKS)
        if name in what.by
    ]
    first, *rest = told
    return f"Of 100 people {_wrong(what)}: {', '.join([first, *rest])}."


def of_hundred(share: float) -> str:
    """A share of 100; all of them are 100, and not more than 99.9."""
    return "100" if share == 1.0 else formats.per_hundred(share)


def odds(what: PageData, tables: int = 1) -> str:
    """How far noise lets any attack on so many tables move odds."""
    return formats.times(math.exp(tables * what.setup.scenario.policy.plain_epsilon))


def in_short(what: PageData) -> str:
    """The same attack, or any other, on noise: one line beside the bars."""
    epsilon = what.setup.scenario.policy.plain_epsilon
    if what.record.attack == MOVED:
        return (
            f"Two tables of ε = {epsilon:g} add up: together they move odds by at most "
            f"{odds(what, 2)}; blocks promise it only within a block."
        )
    return (
        f"On noise of ε = {epsilon:g} no attack moves odds by more than {odds(what)}; blocks "
        "promise it only within a block."
    )


def bound(what: PageData) -> str:
    """What is promised against every attack, in odds."""
    epsilon = what.setup.scenario.policy.plain_epsilon
    return (
        f"With noise of ε = {epsilon:g} no attack on one table moves the odds between two "
        f"{nouns(what).units} by more than {odds(what)}: an attacker to whom both were equally "
        f"likely is right at most {formats.hundred(told_right(epsilon))} times in 100. Central "
        "noise promises it if the office is trusted, blocks only within a block. Larger cells, "
        "hiding and rounding promise no bound. Tables of several days add their ε up."
    )


def told_right(epsilon: float) -> float:
    """e^ε/(1 + e^ε)."""
    return 1.0 / (1.0 + math.exp(-epsilon))


def decision(what: PageData, name: str) -> tuple[str, ...]:
    """The row of a treatment in the table of words for a decision."""
    return tuple(told.format(times=odds(what)) for told in DECISION[name])


def cells_of(what: PageData) -> str:
    """How large the larger cells are."""
    blocks, domain = what.setup.scenario.context.blocks, what.domain
    if isinstance(domain, GridDomain) and isinstance(blocks, GridBlocks):
        high, wide = domain.rows / blocks.rows, domain.columns / blocks.columns
        return f"{high * domain.cell:.3g}° × {wide * domain.cell:.3g}°"
    if what.setup.scenario.dataset == InfantDeaths():
        return "both periods of a county together"
    return formats.count(what.setup.partition.m, "larger cell", "larger cells")


def _within(what: PageData) -> str:
    """What the noise hides people within."""
    if what.setup.scenario.dataset == InfantDeaths():
        return "within a county"
    return f"within {cells_of(what)}"


def note(what: PageData, name: str) -> str:
    """A few words on what a picture shows."""
    record = what.record
    hidden = int(what.table.hidden.sum())
    told: Mapping[str, str] = {
        NOTHING: "exact counts",
        LARGER: cells_of(what),
        HIDE: f"pink: {formats.count(hidden, 'hidden count', 'hidden counts')}",
        ROUND: f"to multiples of {record.base}",
        CENTRAL: f"ε = {what.setup.scenario.policy.plain_epsilon:g}, a trusted office",
        PLAIN: f"ε = {what.setup.scenario.policy.plain_epsilon:g}, one draw of many",
        BLOCKS: f"ε = {what.setup.scenario.policy.plain_epsilon:g}, {_within(what)}",
    }
    return told[name]
