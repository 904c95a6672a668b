"""The page at every step of its sliders, so that the browser follows them by itself.

The noise is the same at every step.
"""

from caldp_ui.parts import films
from caldp_ui.parts.films import ChartPage
from caldp_ui.yesno import board
from caldp_ui.yesno.page_state import STATE, YesNoData, YesNoState, load_data
from caldp_ui.yesno.side import SLIDERS


def show(record: YesNoState, pinned: YesNoData | None) -> None:
    """Have the browser follow all sliders; `pinned` stays in the plane."""
    films.follow_sliders(page(pinned), record, SLIDERS)


def page(pinned: YesNoData | None) -> ChartPage[YesNoState]:
    """The page as a function of its record, beside `pinned`."""
    return ChartPage(
        STATE,
        lambda record, colours: board.render(load_data(record.scenario), pinned, colours),
        depends_on=repr(STATE.pinned),
    )
