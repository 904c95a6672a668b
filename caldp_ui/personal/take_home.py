"""The page as one file: ways to protect one's own places, along ε."""

from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.personal import films, scene
from caldp_ui.personal.page_state import PersonalState, load_fast_data


def part(record: PersonalState) -> Part | None:
    """The page at `record` as a part of a file; None where no film of it can be made."""
    data = load_fast_data(record)
    if not films.is_possible(data):
        return None
    return maps.part(
        "personal",
        "Home and work",
        "Everybody hides their own places. Move ε, the privacy level.",
        scene.scene(data),
        record=record,
        films=[films.EPSILON_FILM],
    )
