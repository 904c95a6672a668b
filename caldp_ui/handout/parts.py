"""The parts of the lesson that are pages: the maps, the answers and the attacker."""

from dataclasses import replace

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary import take_home as attacker_page
from caldp_ui.adversary.page_state import AttackerState
from caldp_ui.handout import questions
from caldp_ui.maps.presets import BEGIN as MAP
from caldp_ui.offline.records import Part
from caldp_ui.places import take_home as places_page
from caldp_ui.values.page import PAGE as ANSWERS_PAGE
from caldp_ui.values.page_state import BEGIN as ANSWERS
from caldp_ui.values.page_state import ValuesState


def page_parts() -> list[Part]:
    """Maps, answers and attacker, as their pages begin."""
    return [maps(MAP), answers(ANSWERS), attacker(AttackerState())]


def maps(scenario: Scenario) -> Part:
    """Part with the maps of the truth, plain LDP and this protection, along ε."""
    part = places_page.part(scenario)
    assert part is not None  # one ε, and a map of a moment
    return replace(
        part,
        aim="say what ε does to a map and to an attacker, and what blocks save.",
        home="Protect only what is sensitive, and the map gets sharper.",
        questions=questions.of_maps,
    )


def answers(scenario: Scenario) -> Part:
    """Part with the share of each answer, along the sensitive set and along ε."""
    part = ANSWERS_PAGE.part(ValuesState(scenario))
    assert part is not None
    return replace(
        part,
        moves=part.moves[:2],
        aim="say who is not protected, and what that gains for the others' estimates.",
        home="What is harmless need not pay for what is sensitive.",
        questions=questions.of_answers,
    )


def attacker(record: AttackerState) -> Part:
    """Part with the attacker's belief about one person, day by day."""
    part = attacker_page.one_person(record)
    return replace(
        part,
        moves=part.moves[:1],
        aim="tell what one report promises from what thirty of them do.",
        home="Reports about one place add up, unless the phone stores its noise.",
        questions=questions.of_attacker,
    )
