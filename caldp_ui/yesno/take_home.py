"""The page as one file: one person, one attacker and all reports, along its four sliders."""

from caldp_ui.offline import boards
from caldp_ui.offline.records import Part
from caldp_ui.yesno import films
from caldp_ui.yesno.page_state import YesNoState
from caldp_ui.yesno.side import SLIDERS

_TITLES = ("ε of yes", "ε of no", "People", "Truly yes")


def part(record: YesNoState) -> Part:
    """The page at `record` as a part of a file."""
    return boards.part(
        "yesno",
        "Yes or no",
        "One question, with yes and no protected differently. Move one slider at a time.",
        films.page(None),
        record,
        sliders=dict(zip(_TITLES, SLIDERS, strict=True)),
    )
