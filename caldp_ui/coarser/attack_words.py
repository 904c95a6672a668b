"""Sentences on an attack: what the attacker knows, the next move, and the outcome."""

from dataclasses import replace
from typing import Final

from caldp_ui.coarser import words
from caldp_ui.coarser.outcomes import AttackResult, Outcome, candidate_cells, disclosed_counts
from caldp_ui.coarser.page_state import (
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
    TreatmentData,
)
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

OFFICE_MOVE: Final = "Hide a second count"
_MOVES: Final = (
    "Subtract",
    OFFICE_MOVE,
    "Solve all sums at once",
    "Use the marks, too",
    "Use all of the rule",
)
"""Labels of the button of the next move; the second move is the office's."""


def headline(data: TreatmentData, attack_result: AttackResult | None) -> Headline:
    """What the attack finds; then the errors."""
    return Headline(
        _attack(data, attack_result),
        words.errors_sentence(data),
        unprotected=_has_certain_disclosure(attack_result),
    )


def _has_certain_disclosure(attack_result: AttackResult | None) -> bool:
    """Whether a treatment other than `NOTHING` lets the attack find anything for sure."""
    if attack_result is None:
        return False
    return any(o.sure and o.share for name, o in attack_result.outcomes.items() if name != NOTHING)


def _attack(data: TreatmentData, attack_result: AttackResult | None) -> str:
    if attack_result is None:
        return "The attack is being computed."
    if data.record.moves == 0:
        return OPENING_SENTENCES[data.record.attack]
    return _SENTENCES[data.record.attack](data, attack_result)


OPENING_SENTENCES: Final = {
    TWO_PLACES: "Hide one person: in which of two places are they?",
    PARTS: "Small counts are hidden, totals are published. Do they stay hidden?",
    NEWCOMER: "One person is new today. Do two tables tell where?",
    MOVED: "One person moved between two tables. Which way?",
    REGIONS: "Ask for a region with a place, then without it. What is the difference?",
}


def _describe_places(data: TreatmentData, attack_result: AttackResult) -> str:
    here, there = (words.cell_name(data, cell) for cell in candidate_cells(data).tolist())
    shares = {name: _hundred(attack_result.outcomes[name]) for name in (HIDE, BLOCKS)}
    pair = (
        f"{here} or {there}"
        if len(here) + len(there) < 28
        else f"the two {words.nouns(data).units}"
    )
    return (
        f"With small counts hidden, the attacker is right about {pair} {shares[HIDE]} times in "
        f"100, with noise in blocks {shares[BLOCKS]}."
    )


def _describe_moved(data: TreatmentData, attack_result: AttackResult) -> str:
    del data
    shares = {name: _hundred(attack_result.outcomes[name]) for name in (HIDE, BLOCKS)}
    return (
        f"With small counts hidden, the attacker is right about the person's way {shares[HIDE]} "
        f"times in 100, with noise in blocks {shares[BLOCKS]}."
    )


def _describe_parts(data: TreatmentData, attack_result: AttackResult) -> str:
    assert attack_result.disclosed_cells is not None
    hidden, disclosed = int(data.table.primary.sum()), int(attack_result.disclosed_cells.sum())
    if not hidden:
        return f"No count is below {data.record.threshold}, so none is hidden."
    how = (
        "by subtraction",
        "by subtraction once a second one is hidden, too",
        "from all sums together",
        "from all sums and the marks of small counts",
        "from all sums and all of the rule",
    )[data.record.moves - 1]
    if not disclosed:
        return f"The attacker works out none of {hidden:,} hidden small counts {how}."
    people = formats.count(attack_result.disclosed_people, "person", "people")
    return (
        f"The attacker works out {disclosed:,} of {hidden:,} hidden small counts, of {people}, "
        f"{how}."
    )


def _describe_newcomer(data: TreatmentData, attack_result: AttackResult) -> str:
    del data
    return (
        f"Of 100 newcomers {_hundred(attack_result.outcomes[HIDE])} are found if small counts are "
        "hidden, none "
        "for sure if there is noise."
    )


def _describe_regions(data: TreatmentData, attack_result: AttackResult) -> str:
    pairs = formats.count(data.record.pairs, "pair", "pairs")
    return (
        f"{pairs} of regions reveal {_hundred(attack_result.outcomes[HIDE])} of 100 hidden counts, "
        f"and {_hundred(attack_result.outcomes[ROUND])} of 100 rounded ones."
    )


_SENTENCES: Final = {
    TWO_PLACES: _describe_places,
    PARTS: _describe_parts,
    NEWCOMER: _describe_newcomer,
    MOVED: _describe_moved,
    REGIONS: _describe_regions,
}


def _hundred(outcome: Outcome) -> str:
    return "an unknown number of" if outcome.share is None else words.of_hundred(outcome.share)


def attacker_knowledge_text(data: TreatmentData) -> str:
    """What the attacker knows and does, in a sentence or two beside the numbers."""
    record = data.record
    if record.attack == TWO_PLACES:
        here, there = (words.cell_name(data, cell) for cell in candidate_cells(data).tolist())
        return (
            f"The attacker knows everybody else's {words.nouns(data).unit}, and that this person "
            f"is in **{here}** or in **{there}**."
        )
    if record.attack == MOVED:
        here, there = (words.cell_name(data, cell) for cell in candidate_cells(data).tolist())
        return (
            f"One day this person is in **{here}**, the other in **{there}**. Two tables: which "
            "way did they go?"
        )
    if record.attack == PARTS:
        return _parts_move_text(data)
    if record.attack == NEWCOMER:
        return (
            "**One person arrives** between two tables, a day apart. The attacker knows these "
            "tables and the office's rule, nobody's place."
        )
    return (
        f"**{formats.count(record.pairs, 'pair', 'pairs')}** of large regions, with a small place "
        "and without it, each rounded anew."
    )


def _parts_move_text(data: TreatmentData) -> str:
    record = data.record
    rule = f"1 to {record.threshold - 1}" if record.threshold > 2 else "1"
    if record.moves == record.last_move:
        marks = replace(data, record=replace(record, moves=record.moves - 1))
        return (
            "The attacker **uses all of the rule**: a second hidden count has no mark, so it is 0 "
            f"or at least {record.threshold:,}. With the marks alone "
            f"{int(disclosed_counts(marks).sum()):,} came out."
        )
    return (
        f"Counts from {rule} are hidden; the totals of all larger cells are published.",
        "The attacker **subtracts** the published counts from each total.",
        "The office **hides a second count** wherever one alone was hidden.",
        "The attacker **solves all sums at once** (a linear program): no count is below 0.",
        f"The attacker also **uses the marks** of small counts: each is from {rule}.",
    )[record.moves]


def next_move_label(record: Publication) -> str | None:
    """The label of the button of the next move; None after the last."""
    if record.moves >= record.last_move:
        return None
    return _MOVES[record.moves] if record.attack == PARTS else "Attack"
