"""The pinned record: the numbers of the same treatments with other settings."""

from typing import Final

from caldp_ui.coarser import outcomes, words
from caldp_ui.coarser.page_state import CENSUS_BLOCK, TABLES, Publication, TreatmentData, load_data
from caldp_ui.parts import comparison, pins
from caldp_ui.words import formats


def title(record: Publication) -> str:
    """The title of a pinned record."""
    epsilon = record.scenario.policy.plain_epsilon
    setting = f"under {record.threshold:,} hidden, ε = {epsilon:g}"
    return f"{words.ATTACK_TITLES[record.attack]}, {setting}"


def numbers(data: TreatmentData) -> dict[str, str]:
    """Errors of all treatments, and what the attack finds."""
    errors = {
        f"of 100 people wrong: {words.TITLES[name]}": formats.per_hundred(each.errors.tv)
        for name, each in data.treatments.items()
    }
    if data.record.attack in (TABLES, CENSUS_BLOCK):
        return errors
    result = outcomes.run_attack(data)
    unit = words.UNIT[data.record.attack]
    return errors | {
        f"{unit}: {words.TITLES[name]}": words.of_hundred(each.share)
        for name, each in result.outcomes.items()
        if each.share is not None
    }


PIN_VIEW: Final[pins.PinView[Publication, TreatmentData]] = pins.PinView(
    load=lambda record: load_data(record, comparison.load_fast_results),
    title=title,
    describe=words.errors_sentence,
    numbers=numbers,
    picture=pins.skip_picture,
)
