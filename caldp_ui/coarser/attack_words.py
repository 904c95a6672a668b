"""What an attack is called, what the attacker knows, and what came out, in sentences."""

from typing import Final

from caldp_ui.coarser import words
from caldp_ui.coarser.outcomes import Outcome, Played, pair
from caldp_ui.coarser.slot import (
    BLOCKS,
    HIDE,
    MOVED,
    NEWCOMER,
    NOTHING,
    PARTS,
    REGIONS,
    ROUND,
    TWO_PLACES,
    Publication,
)
from caldp_ui.coarser.treated import PageData
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

OFFICE_MOVE: Final = "Hide a second count"
_MOVES: Final = (
    "Subtract",
    OFFICE_MOVE,
    "Solve all sums at once",
    "Use the rule, too",
)
"""What the button of the next move says; the second is the office's."""


def headline(what: PageData, found: Played | None) -> Headline:
    """What the attack reads, the unprotected first; then the errors."""
    return Headline(_attack(what, found), words.errors(what), unprotected=_is_open(found))


def _is_open(found: Played | None) -> bool:
    """Whether a treatment other than nothing has people who come out for sure."""
    if found is None:
        return False
    return any(o.sure and o.share for name, o in found.by.items() if name != NOTHING)


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
    MOVED: "One person moved between two tables. Which way?",
    REGIONS: "Ask for a region with a place, then without it. What is the difference?",
}


def _said_places(what: PageData, found: Played) -> str:
    here, there = (words.cell_name(what, cell) for cell in pair(what).tolist())
    shares = {name: _hundred(found.by[name]) for name in (HIDE, BLOCKS)}
    two = (
        f"{here} from {there}"
        if len(here) + len(there) < 28
        else f"the two {words.nouns(what).units}"
    )
    return (
        f"With small counts hidden the attacker tells {two} {shares[HIDE]} times in 100, "
        f"with blocks of noise {shares[BLOCKS]}."
    )


def _said_moved(what: PageData, found: Played) -> str:
    del what
    shares = {name: _hundred(found.by[name]) for name in (HIDE, BLOCKS)}
    return (
        f"With small counts hidden the attacker tells which way the person moved {shares[HIDE]} "
        f"times in 100, with blocks of noise {shares[BLOCKS]}."
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
    people = f", with {formats.count(found.people, 'person', 'people')}" if out else ""
    return f"Of {many:,} hidden small counts {out:,} {verb}{people}."


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
    MOVED: _said_moved,
    REGIONS: _said_regions,
}


def _hundred(outcome: Outcome) -> str:
    return "an unknown number of" if outcome.share is None else words.of_hundred(outcome.share)


def scene_of(what: PageData) -> str:
    """What the attacker knows and does, before and beside the numbers."""
    record = what.record
    if record.attack == TWO_PLACES:
        here, there = (words.cell_name(what, cell) for cell in pair(what).tolist())
        return (
            f"The attacker knows everybody else's {words.nouns(what).unit}, and that this person "
            f"is in **{here}** or in **{there}**."
        )
    if record.attack == MOVED:
        here, there = (words.cell_name(what, cell) for cell in pair(what).tolist())
        return (
            f"One day this person is in **{here}**, the other in **{there}**. Two tables: which "
            "way did they go?"
        )
    if record.attack == PARTS:
        return _parts_told(record)
    if record.attack == NEWCOMER:
        return (
            "**One person arrives** between two tables, a day apart. The attacker knows these "
            "tables alone."
        )
    return (
        f"**{formats.count(record.pairs, 'pair', 'pairs')}** of large regions, with a small place "
        "and without it, each rounded anew."
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
