"""The page as one file: the curves, and where the reader is on them."""

from caldp_ui.curves import films
from caldp_ui.curves.page_state import Curves
from caldp_ui.offline import boards
from caldp_ui.offline.records import Part

_TITLES = {"epsilon": "Privacy level ε", "people": "People"}


def part(record: Curves) -> Part:
    """The page as a part of an offline file."""
    return boards.part(
        "curves",
        "Compare methods",
        "Lines: expected error. Bands: 90 of 100 outcomes. Move the slider.",
        films.page(None),
        record,
        sliders={_TITLES[slider.name]: slider for slider in films.sliders(record)},
    )
