"""The text for a memo: the data, the error of each treatment, and what the attack finds."""

from caldp_ui.coarser import attack_words, words
from caldp_ui.coarser.outcomes import TREATMENT_NAMES, AttackResult
from caldp_ui.coarser.page_data import TreatmentData
from caldp_ui.coarser.page_state import NOTHING
from caldp_ui.words import promise


def memo(data: TreatmentData, attack_result: AttackResult) -> str:
    """Paragraphs in plain words, every number of them computed here."""
    record, setup = data.record, data.setup
    errors = words.list_errors(data, [name for name in data.treatments if name != NOTHING])
    lines = [
        (
            f"Data: {setup.dataset.name}, {promise.population(setup)}, larger cells: "
            f"{words.cell_size_text(data)}. Counts under {record.threshold:,} are hidden, numbers "
            "are "
            f"rounded to multiples of {record.base}."
        ),
        f"Of 100 people {words.nouns(data).wrong}: {errors}.",
    ]
    if record.moves:
        shares = "; ".join(
            f"{words.TITLES[name]} {words.of_hundred(each.share)}"
            for name in TREATMENT_NAMES
            if (each := attack_result.outcomes[name]).share is not None
        )
        unit = words.UNIT[record.attack]
        lines.append(f"Attack “{words.ATTACK_TITLES[record.attack]}”, {unit}: {shares}.")
        lines.append(attack_words.headline(data, attack_result).sentence)
    return "\n\n".join([*lines, words.bound_text(data)])
