"""What is pinned: another coin, as a corner of the plane and in a table of what differs."""

from typing import Final

from caldp_ui.controls.presets import fitting
from caldp_ui.parts import pins
from caldp_ui.words import told_levels
from caldp_ui.words.vocabulary import ANSWERS
from caldp_ui.yesno import words
from caldp_ui.yesno.picture import png
from caldp_ui.yesno.presets import PRESETS
from caldp_ui.yesno.shown import Shown, shown
from caldp_ui.yesno.slot import OneQuestion, question


def _title(record: OneQuestion) -> str:
    preset = fitting(PRESETS, record.scenario)
    policy = question(record.scenario)
    levels = (told_levels.level(each) for each in (policy.epsilon_10, policy.epsilon_01))
    told = "ε of yes {}, of no {}".format(*levels)
    return f"{preset.title}: {told}" if preset else told


def _numbers(what: Shown) -> dict[str, str]:
    return {
        **words.column(what.ours),
        "truth": f"{100 * what.truth:.3g} %",
        **pins.numbers_of(ANSWERS, what.ours.result),
    }


BESIDE: Final[pins.Beside[OneQuestion, Shown]] = pins.Beside(
    find=lambda record: shown(record.scenario),
    title=_title,
    said=words.in_one_line,
    numbers=_numbers,
    picture=pins.in_the_picture,
    files=lambda what: {"picture": png(what)},
)
