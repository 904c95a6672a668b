"""Sentences of the page. Each must be true of the table beside it; none takes a side."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from caldp_core.datasets import InfantDeaths
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.coarser.debate import DECISION
from caldp_ui.coarser.page_state import (
    BLOCKS,
    CENSUS_BLOCK,
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
    TABLES,
    TWO_PLACES,
    TreatmentData,
)
from caldp_ui.words import formats
from caldp_ui.words.promise_text import right_guess_text
from caldp_ui.words.towns import place_name, towns
from caldp_ui.words.vocabulary import PLACES, VALUES, Vocabulary

TITLES: Final = {
    NOTHING: "Nothing",
    LARGER: "Larger cells",
    HIDE: "Hide small counts",
    ROUND: "Random rounding",
    CENTRAL: "Central noise",
    PLAIN: "Plain LDP",
    BLOCKS: "Noise in blocks",
}
_IN_SENTENCES: Final = {
    LARGER: "larger cells (their people spread evenly)",
    HIDE: "hidden small counts",
    ROUND: "random rounding",
    CENTRAL: "central noise",
    PLAIN: "plain LDP",
    BLOCKS: "noise in blocks",
}
ATTACK_TITLES: Final = {
    TWO_PLACES: "Two places",
    PARTS: "A total and its parts",
    NEWCOMER: "Two tables, a day apart",
    MOVED: "One person who moved",
    REGIONS: "Overlapping regions",
    TABLES: "Many tables, everybody's answer",
    CENSUS_BLOCK: "A census block of seven people",
}
UNIT: Final = {
    TWO_PLACES: "right, of 100 times",
    PARTS: "small counts known exactly, of 100",
    NEWCOMER: "newcomers found for sure, of 100",
    MOVED: "right, of 100 times",
    REGIONS: "small counts found, of 100",
}


def nouns(data: TreatmentData) -> Vocabulary:
    """The nouns of the data: places on a map, else values."""
    return PLACES if isinstance(data.domain, GridDomain) else VALUES


def cell_name(data: TreatmentData, cell: int) -> str:
    """The name of a cell for readers: a town, a place, or an answer."""
    if isinstance(data.domain, GridDomain):
        name = place_name(data.domain, cell)
        return name.split(",")[0] if cell in towns(data.domain) else name
    return data.domain.name_of(cell)


def error_and_unit(data: TreatmentData, name: str) -> tuple[str, str]:
    """The error of a treatment, and its unit: a larger cell places nobody within it."""
    unit = "wrong, if spread evenly" if name == LARGER else nouns(data).wrong
    return formats.per_hundred(data.treatments[name].errors.tv), f"of 100 {unit}"


def errors_sentence(data: TreatmentData) -> str:
    """The errors of the treatments in one sentence."""
    names = [n for n in (LARGER, data.record.office, PLAIN, BLOCKS) if n in data.treatments]
    return f"Of 100 people {nouns(data).wrong}: {list_errors(data, names)}."


def list_errors(data: TreatmentData, names: Sequence[str]) -> str:
    """The errors of the named treatments, one after the other."""
    return ", ".join(f"{_IN_SENTENCES[name]} {error_and_unit(data, name)[0]}" for name in names)


def of_hundred(share: float) -> str:
    """A share as a number of 100; 1.0 is “100”, never “more than 99.9”."""
    return "100" if share == 1.0 else formats.per_hundred(share)


def odds_text(data: TreatmentData, tables: int = 1) -> str:
    """The factor by which any attack on so many noisy tables changes the odds at most."""
    return formats.times(math.exp(tables * data.setup.scenario.policy.plain_epsilon))


def noise_sentence(data: TreatmentData) -> str:
    """The bound for any attack on noise: one line beside the bars."""
    epsilon = data.setup.scenario.policy.plain_epsilon
    if data.record.attack == MOVED:
        return (
            f"Two tables of ε = {epsilon:g} add up: together they change the odds by at most "
            f"{odds_text(data, 2)}; blocks promise it only within a block."
        )
    return (
        f"Against noise of ε = {epsilon:g} no attack changes the odds by more than "
        f"{odds_text(data)}; blocks promise it only within a block."
    )


def bound_text(data: TreatmentData) -> str:
    """The promise against every attack, in odds."""
    epsilon = data.setup.scenario.policy.plain_epsilon
    right = right_guess_text(right_probability(epsilon)).replace("*", "")
    return (
        f"With noise of ε = {epsilon:g} no attack on one table changes the odds between two "
        f"{nouns(data).units} by more than {odds_text(data)}: an attacker to whom both were "
        f"equally likely {right}. Central "
        "noise promises it if the office is trusted, blocks only within a block. Larger cells, "
        "hiding and rounding promise no bound. Tables of several days add their ε up."
    )


def right_probability(epsilon: float) -> float:
    """The most that a guess between two equally likely places is right: e^ε/(1 + e^ε)."""
    return 1.0 / (1.0 + math.exp(-epsilon))


def decision_row(data: TreatmentData, name: str) -> tuple[str, ...]:
    """The row of a treatment in the table of words for a decision."""
    return tuple(entry.format(times=odds_text(data)) for entry in DECISION[name])


def cell_size_text(data: TreatmentData) -> str:
    """The size or number of the larger cells."""
    blocks, domain = data.setup.scenario.context.blocks, data.domain
    if isinstance(domain, GridDomain) and isinstance(blocks, GridBlocks):
        high, wide = domain.rows / blocks.rows, domain.columns / blocks.columns
        return f"{high * domain.cell:.3g}° × {wide * domain.cell:.3g}°"
    if data.setup.scenario.dataset == InfantDeaths():
        return "both periods of a county together"
    return formats.count(data.setup.partition.m, "larger cell", "larger cells")


def _within(data: TreatmentData) -> str:
    """Within what the noise hides people."""
    if data.setup.scenario.dataset == InfantDeaths():
        return "within a county"
    return f"within {cell_size_text(data)}"


def picture_note(data: TreatmentData, name: str) -> str:
    """A few words on what a picture shows."""
    record = data.record
    hidden = int(data.table.hidden.sum())
    notes: Mapping[str, str] = {
        NOTHING: "exact counts",
        LARGER: cell_size_text(data),
        HIDE: f"pink: {formats.count(hidden, 'hidden count', 'hidden counts')}",
        ROUND: f"to multiples of {record.base}",
        CENTRAL: f"ε = {data.setup.scenario.policy.plain_epsilon:g}, a trusted office",
        PLAIN: f"ε = {data.setup.scenario.policy.plain_epsilon:g}, one draw of many",
        BLOCKS: f"ε = {data.setup.scenario.policy.plain_epsilon:g}, {_within(data)}",
    }
    return notes[name]
