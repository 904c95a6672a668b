"""The page as one file: all treatments and the attack as far as it was played, along ε."""

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import films, outcomes, scene
from caldp_ui.coarser.page_state import CENSUS_BLOCK, TABLES, Publication, load_data
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts import comparison


def part(record: Publication) -> Part | None:
    """The page as a part of an offline file; None without a map, or where a film takes long."""
    if record.attack in (CENSUS_BLOCK, TABLES):
        return None
    data = load_data(record, comparison.load_fast_results)
    if not isinstance(data.domain, GridDomain) or not films.can_be_made(data):
        return None
    return maps.part(
        "coarser",
        "Noise, coarser, or nothing?",
        "The same people under each treatment, and how many an attacker finds. Move ε: only the "
        "treatments with noise change.",
        scene.scene(data, outcomes.run_attack(data)),
        record=record,
        films=[films.EPSILON],
    )
