"""The page as one file: noise that fades with distance beside blocks, along ε per kilometre."""

from caldp_ui.distances import films, scene
from caldp_ui.distances.page_state import DistanceState, load_data
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts.comparison import load_fast_results


def part(record: DistanceState) -> Part | None:
    """The page at `record` as a part of a file; None where no film of it can be made."""
    data = load_data(record, load_fast_results)
    if not films.is_possible(data):
        return None
    return maps.part(
        "distances",
        "Privacy by distance",
        "Places close by are hidden best. Move ε per kilometre.",
        scene.scene(data),
        record=record,
        films=[films.RATE_FILM],
    )
