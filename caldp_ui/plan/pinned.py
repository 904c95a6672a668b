"""What is pinned: another plan, as a point of the picture and in a table of what differs."""

from typing import Final

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.app.errors import as_text
from caldp_ui.compute import runs
from caldp_ui.parts import pins
from caldp_ui.plan import words, work
from caldp_ui.plan.slot import Plan
from caldp_ui.plan.work import Need


def need(record: Plan) -> Need:
    """What the record's own protection needs at its ε."""
    return work.need(record, record.protection, record.under(record.protection, record.epsilon))


def _title(record: Plan) -> str:
    return f"{words.title(record, record.protection)}, ε = {record.epsilon:g}"


def _said(record: Plan) -> str:
    people = need(record).people
    told = "more than 1 trillion people" if people is None else f"**{words.about(people)} people**"
    return f"To {words.goal(record)} takes {told}."


def _numbers(record: Plan) -> dict[str, str]:
    found = need(record)
    setup = runs.setup(record.under(record.protection, record.epsilon))
    return {
        "people needed": _needed(found),
        "goal": words.goal(record),
        "ε": f"{record.epsilon:g}",
        "protection": words.title(record, record.protection),
        "method": MECHANISMS[found.method].title,
        **pins.odds_of(words.nouns(record), setup),
        "data": as_text(setup.dataset.name),
    }


def _needed(found: Need) -> str:
    return "more than 1 trillion" if found.people is None else words.about(found.people)


BESIDE: Final[pins.Beside[Plan, Plan]] = pins.Beside(
    find=lambda record: record,
    title=_title,
    said=_said,
    numbers=_numbers,
    picture=pins.in_the_picture,
    scenario=lambda record: record.under(record.protection, record.epsilon),
)
