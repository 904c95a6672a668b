"""What is pinned: the numbers of the same treatments with other settings."""

from typing import Final

from caldp_ui.coarser import outcomes, words
from caldp_ui.coarser.slot import SEVEN, TABLES, Publication
from caldp_ui.coarser.treated import PageData, find
from caldp_ui.parts import comparison, pins
from caldp_ui.words import formats


def title(record: Publication) -> str:
    """What a pinned record is called."""
    epsilon = record.scenario.policy.plain_epsilon
    told = f"under {record.threshold:,} hidden, ε = {epsilon:g}"
    return f"{words.ATTACK_TITLES[record.attack]}, {told}"


def numbers(what: PageData) -> dict[str, str]:
    """Errors of all treatments, and what the attack finds."""
    told = {
        f"of 100 people wrong: {words.TITLES[name]}": formats.per_hundred(each.errors.tv)
        for name, each in what.by.items()
    }
    if what.record.attack in (TABLES, SEVEN):
        return told
    found = outcomes.played(what)
    unit = words.UNIT[what.record.attack]
    return told | {
        f"{unit}: {words.TITLES[name]}": words.of_hundred(each.share)
        for name, each in found.by.items()
        if each.share is not None
    }


BESIDE: Final[pins.Beside[Publication, PageData]] = pins.Beside(
    find=lambda record: find(record, comparison.at_once),
    title=title,
    said=words.errors,
    numbers=numbers,
    picture=pins.in_the_picture,
)
