"""The page at every step of its sliders, so that the browser follows a hand.

The noise is the same at every step.
"""

from caldp_ui.parts import films
from caldp_ui.parts.films import Page
from caldp_ui.yesno import board
from caldp_ui.yesno.shown import Shown, shown
from caldp_ui.yesno.side import SLIDERS
from caldp_ui.yesno.slot import SLOT, OneQuestion


def show(record: OneQuestion, pinned: Shown | None) -> None:
    """Have the browser follow all sliders; what is `pinned` stays in the plane."""
    films.follow(page(pinned), record, SLIDERS)


def page(pinned: Shown | None) -> Page[OneQuestion]:
    """The page as a function of its record."""
    return Page(
        SLOT,
        lambda record, colours: board.look(shown(record.scenario), pinned, colours),
        rests_on=repr(SLOT.pinned),
    )
