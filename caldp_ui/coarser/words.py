"""Sentences of the page. Each must be true of the table beside it; none takes a side."""

import math
from collections.abc import Mapping
from typing import Final

from caldp_core.datasets import InfantDeaths
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.protection import GridBlocks
from caldp_ui.coarser.debate import DECISION
from caldp_ui.coarser.outcomes import Outcome, Played, pair
from caldp_ui.coarser.slot import (
    BLOCKS,
    CENTRAL,
    HIDE,
    LARGER,
    NEWCOMER,
    NOTHING,
    PARTS,
    PLAIN,
    REGIONS,
    ROUND,
    SEVEN,
    TABLES,
    TWO_PLACES,
    Publication,
)
from caldp_ui.coarser.treated import PageData
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline
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
    REGIONS: "Overlapping regions",
    TABLES: "Many tables, everybody's answer",
    SEVEN: "A census block of seven people",
}
UNIT: Final = {
    TWO_PLACES: "right, of 100 times",
    PARTS: "small counts known exactly, of 100",
    NEWCOMER: "newcomers found for sure, of 100",
    REGIONS: "small counts found, of 100",
}
OFFICE_MOVE: Final = "Hide a second count"
_MOVES: Final = (
    "Subtract",
    OFFICE_MOVE,
    "Solve all sums at once",
    "Use the rule, too",
)
"""What the button of the next move says; the second is the office's."""


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


def headline(what: PageData, found: Played | None) -> Headline:
    """What the attack reads, the unprotected first; then the errors."""
    said = _attack(what, found)
    return Headline(said, errors(what), unprotected=_is_open(found))


def _is_open(found: Played | None) -> bool:
    """Whether a treatment other than nothing has people who come out for sure."""
    if found is None:
        return False
    return any(o.sure and o.share for name, o in found.by.items() if name != NOTHING)


def errors(what: PageData) -> str:
    """How far off the treatments are, in one sentence."""
    told = [
        f"{_IN_SENTENCES[name]} {error(what, name)[0]}"
        for name in (LARGER, what.record.office, PLAIN, BLOCKS)
        if name in what.by
    ]
    first, *rest = told
    return f"Of 100 people {_wrong(what)}: {', '.join([first, *rest])}."


def _attack(what: PageData, found: Played | None) -> str:
    if found is None:
        return "The attack is being computed."
    if what.record.moves == 0:
        return BEFORE[what.record.attack]
    return _SAID[what.record.attack](what, found)


BEFORE: Final = {
    TWO_PLACES: "Hide one person: in which of two places are they?",
    PARTS: "Small counts are hidden, totals are published. Do they stay hidden?",
    NEWCOMER: "One person is new today. Do two tables tell where?",
    REGIONS: "Ask for a region with a place, then without it. What is the difference?",
}


def _said_places(what: PageData, found: Played) -> str:
    here, there = (cell_name(what, cell) for cell in pair(what).tolist())
    shares = {name: _hundred(found.by[name]) for name in (HIDE, BLOCKS)}
    two = f"{here} from {there}" if len(here) + len(there) < 28 else f"the two {nouns(what).units}"
    return (
        f"With small counts hidden the attacker tells {two} {shares[HIDE]} times in 100, "
        f"with blocks of noise {shares[BLOCKS]}."
    )


def _said_parts(what: PageData, found: Played) -> str:
    assert found.found is not None
    many, out = int(what.table.primary.sum()), int(found.found.sum())
    if not many:
        return f"No count is below {what.record.threshold}, so none is hidden."
    how = (
        "come back by subtraction",
        "come back by subtraction once a second one is hidden, too",
        "follow from all sums together",
        "follow from all sums and the rule",
    )[what.record.moves - 1]
    verb = how if out != 1 else how.replace("come", "comes").replace("follow", "follows")
    return f"Of {many:,} hidden small counts {out:,} {verb}."


def _said_newcomer(what: PageData, found: Played) -> str:
    del what
    return (
        f"Of 100 newcomers {_hundred(found.by[HIDE])} are found if small counts are hidden, none "
        "for sure if there is noise."
    )


def _said_regions(what: PageData, found: Played) -> str:
    pairs = formats.count(what.record.pairs, "pair", "pairs")
    return (
        f"From {pairs} of regions come {_hundred(found.by[HIDE])} of 100 hidden counts, and "
        f"{_hundred(found.by[ROUND])} of 100 rounded ones."
    )


_SAID: Final = {
    TWO_PLACES: _said_places,
    PARTS: _said_parts,
    NEWCOMER: _said_newcomer,
    REGIONS: _said_regions,
}


def _hundred(outcome: Outcome) -> str:
    return "an unknown number of" if outcome.share is None else of_hundred(outcome.share)


def of_hundred(share: float) -> str:
    """A share of 100; all of them are 100, and not more than 99.9."""
    return "100" if share == 1.0 else formats.per_hundred(share)


def scene_of(what: PageData) -> str:
    """What the attacker knows and does, before and beside the numbers."""
    record = what.record
    if record.attack == TWO_PLACES:
        here, there = (cell_name(what, cell) for cell in pair(what).tolist())
        return (
            "The attacker knows everybody else's place, and that this person is in "
            f"**{here}** or in **{there}**."
        )
    if record.attack == PARTS:
        return _parts_told(record)
    if record.attack == NEWCOMER:
        return (
            "The table is published today and tomorrow; in between **one person arrives**. The "
            "attacker knows nobody, and compares the two tables."
        )
    return (
        "The attacker asks for large regions with a small place and for the same without it, "
        f"**{formats.count(record.pairs, 'pair', 'pairs')}** of them. Rounding is drawn anew."
    )


def _parts_told(record: Publication) -> str:
    rule = f"1 to {record.threshold - 1}" if record.threshold > 2 else "1"
    return (
        f"Counts from {rule} are hidden; the totals of all larger cells are published.",
        "The attacker **subtracts** the published counts from each total.",
        "The office **hides a second count** wherever one alone was hidden.",
        "The attacker **solves all sums at once** (a linear program): no count is below 0.",
        f"The attacker also **uses the rule**: a count hidden as small is from {rule}.",
    )[record.moves]


def next_move(record: Publication) -> str | None:
    """What the button of the next move says; None after the last."""
    if record.moves >= record.last_move:
        return None
    return _MOVES[record.moves] if record.attack == PARTS else "Attack"


def odds(what: PageData) -> str:
    """How far noise lets any attack move odds."""
    return formats.times(math.exp(what.setup.scenario.policy.plain_epsilon))


def in_short(what: PageData) -> str:
    """The same attack, or any other, on noise: one line beside the bars."""
    epsilon = what.setup.scenario.policy.plain_epsilon
    return (
        f"On noise of ε = {epsilon:g} no attack moves odds by more than {odds(what)}; blocks "
        "promise it only within a block."
    )


def bound(what: PageData) -> str:
    """What is promised against every attack, in odds."""
    epsilon = what.setup.scenario.policy.plain_epsilon
    return (
        f"With noise of ε = {epsilon:g} no attack, this one or another, moves the odds between two "
        f"{nouns(what).units} by more than {odds(what)}: an attacker to whom both were equally "
        f"likely is right at most {formats.hundred(told_right(epsilon))} times in 100. Central "
        "noise promises it if the office is trusted, blocks only within a block. Larger cells, "
        "hiding and rounding promise no bound."
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
