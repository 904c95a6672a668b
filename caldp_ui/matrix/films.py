"""The board and its sentence, seen ahead while a hand moves the level of an example.

A channel that takes designing is not made ahead.
"""

from typing import Final

from caldp_core.basics.limits import EPSILON_MAX
from caldp_ui.app.theme import Palette
from caldp_ui.controls.common import EPSILONS
from caldp_ui.controls.slider import Slider
from caldp_ui.matrix import board, candidates, words
from caldp_ui.matrix.slot import DESIGNS, SLOT, Table
from caldp_ui.matrix.verdict import judged
from caldp_ui.parts import films, headline
from caldp_ui.parts.films import Page
from caldp_ui.stage import Step

OFF: Final = SLOT.key("off")
EPSILON: Final = Slider[Table](
    "epsilon",
    lambda record: record.epsilon,
    lambda record, level: record.ready(record.template, float(level)),
    # A line's last value is five steps from its first.
    tuple(level for level in EPSILONS if 5 * level <= EPSILON_MAX),
    lambda level: f"{level:g}",
)


def show(record: Table) -> None:
    """Have the browser follow the slider."""
    films.follow(PAGE, record, sliders(record))


def sliders(record: Table) -> list[Slider[Table]]:
    """Those that can be followed."""
    return [EPSILON] if record.template and record.channel not in DESIGNS else []


def look(record: Table, colours: Palette) -> Step:
    """What the page shows of a record; levels have their colours in either theme."""
    del colours
    found = candidates.at_hand(record)
    what, off = judged(record.names, record.matrix, found), headline.as_html(words.off(found))
    return films.seen(
        words.headline(what),
        {board.KEY: board.told(what)},
        {f".st-key-{OFF} p": off},
    )


PAGE: Final = Page(SLOT, look)
