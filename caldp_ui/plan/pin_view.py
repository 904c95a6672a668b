"""The pinned plan: a point of the picture, and a table of what differs."""

from typing import Final

from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.parts import pins
from caldp_ui.plan import people_needed, words
from caldp_ui.plan.page_state import Plan
from caldp_ui.plan.people_needed import Need


def need(record: Plan) -> Need:
    """The need of the record's own protection at its ε."""
    return people_needed.compute_need(
        record, record.protection, record.protected_scenario(record.protection, record.epsilon)
    )


def _title(record: Plan) -> str:
    return f"{words.protection_title(record, record.protection)}, ε = {record.epsilon:g}"


def _need_sentence(record: Plan) -> str:
    people = need(record).people
    number = "more than 1 trillion people" if people is None else f"**{words.people_text(people)}**"
    return f"To {words.goal_text(record)} takes {number}."


def _numbers(record: Plan) -> dict[str, str]:
    needed = need(record)
    setup = runs.setup(record.protected_scenario(record.protection, record.epsilon))
    return {
        "people needed": _people_text(needed),
        "goal": words.goal_text(record),
        "ε": f"{record.epsilon:g}",
        "protection": words.protection_title(record, record.protection),
        "method": MECHANISMS[needed.method].title,
        **pins.odds_numbers(words.nouns(record), setup),
        "data": escape_markdown(setup.dataset.name),
    }


def _people_text(needed: Need) -> str:
    return (
        "more than 1 trillion"
        if needed.people is None
        else words.rounded_people_text(needed.people)
    )


PIN_VIEW: Final[pins.PinView[Plan, Plan]] = pins.PinView(
    load=lambda record: record,
    title=_title,
    describe=_need_sentence,
    numbers=_numbers,
    picture=pins.skip_picture,
    scenario=lambda record: record.protected_scenario(record.protection, record.epsilon),
)
