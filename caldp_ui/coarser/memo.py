"""What can be copied into a memo: the data, what each treatment costs, what the attack finds."""

from caldp_ui.coarser import attack_words, words
from caldp_ui.coarser.outcomes import NAMES, Played
from caldp_ui.coarser.slot import NOTHING
from caldp_ui.coarser.treated import PageData
from caldp_ui.words import formats


def memo(what: PageData, found: Played) -> str:
    """Paragraphs in plain words, every number of them computed here."""
    record, setup = what.record, what.setup
    wrong = words.nouns(what).wrong
    errors = "; ".join(
        f"{words.TITLES[name]} {formats.per_hundred(each.errors.tv)}"
        for name, each in what.by.items()
        if name != NOTHING
    )
    lines = [
        (
            f"Data: {setup.dataset.name}, {formats.people(setup.n)} people, larger cells: "
            f"{words.cells_of(what)}. Counts under {record.threshold:,} are hidden, numbers are "
            f"rounded to multiples of {record.base}."
        ),
        f"Of 100 people, {wrong}: {errors}.",
    ]
    if record.moves:
        told = "; ".join(
            f"{words.TITLES[name]} {words.of_hundred(each.share)}"
            for name in NAMES
            if (each := found.by[name]).share is not None
        )
        unit = words.UNIT[record.attack]
        lines.append(f"Attack “{words.ATTACK_TITLES[record.attack]}”, {unit}: {told}.")
        lines.append(attack_words.headline(what, found).sentence)
    return "\n\n".join([*lines, words.bound(what)])
