"""The page as one file: how many people a goal needs, along its sliders."""

from caldp_ui.controls.common import Slider
from caldp_ui.offline import boards
from caldp_ui.offline.records import Part
from caldp_ui.plan import films, side
from caldp_ui.plan.page_state import RELATIVE, Plan


def part(record: Plan) -> Part | None:
    """The page; None for a goal whose points take trials."""
    if record.goal not in RELATIVE:
        return None
    epsilon, people, within, floor = films.sliders(record)
    titled: dict[str, Slider[Plan]] = {
        side.floor_title(record): floor,
        side.WITHIN_TITLE: within,
        "Privacy level ε": epsilon,
        "People": people,
    }
    return boards.part(
        "plan",
        "Plan a survey",
        "From the accuracy that one needs to people and ε. Move one slider at a time.",
        films.page(None),
        record,
        sliders=titled,
    )
