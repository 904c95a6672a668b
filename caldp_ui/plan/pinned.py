"""What is pinned: another plan, as a point of the picture and in a table of what differs.

Room: plan.
"""

from typing import Final

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.app.errors import as_text
from caldp_ui.compute import runs
from caldp_ui.parts import pins
from caldp_ui.plan import words, work
from caldp_ui.plan.slot import Plan
from caldp_ui.plan.work import Need
from caldp_ui.words import formats, promise


def need(record: Plan) -> Need:
    """What the record's own protection needs at its ε."""
    return work.need(record, record.protection, record.under(record.protection, record.epsilon))


def _title(record: Plan) -> str:
    return f"{words.title(record, record.protection)}, ε = {record.epsilon:g}"


def _said(record: Plan) -> str:
    people = need(record).people
    told = "more people than 10¹²" if people is None else f"**{words.about(people)} people**"
    return f"To {words.goal(record)} takes {told}."


def _numbers(record: Plan) -> dict[str, str]:
    found = need(record)
    setup = runs.setup(record.under(record.protection, record.epsilon))
    return {
        "people needed": "over 10¹²" if found.people is None else words.about(found.people),
        "goal": words.goal(record),
        "ε": f"{record.epsilon:g}",
        "protection": words.title(record, record.protection),
        "method": MECHANISMS[found.method].title,
        "guessed right from 50:50, of 100": formats.hundred(promise.chance(setup)),
        "people protected": formats.out_of(promise.protected_share(setup)),
        "data": as_text(setup.dataset.name),
    }


BESIDE: Final[pins.Beside[Plan, Plan]] = pins.Beside(
    find=lambda record: record,
    title=_title,
    said=_said,
    numbers=_numbers,
    picture=pins.in_the_picture,
)
