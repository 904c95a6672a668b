"""The page as one file: truth, plain LDP and this protection, along ε."""

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import plain_ldp, runs
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import scene
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.places import films


def part(scenario: Scenario) -> Part | None:
    """The page as a part of an offline file; None where no film of it is made."""
    if not films.is_possible(scenario):
        return None
    rival = plain_ldp.best_plain_ldp(scenario)
    ours, plain = runs.result(scenario), runs.result(rival)
    data = ComparisonData(ours.setup, plain.setup, ours, plain)
    return maps.part(
        "places",
        "Places on a map",
        "Both maps are made of randomised reports of the same people. Move ε, the privacy level.",
        scene(data, ground(data.setup, runs.map_of(data.setup.dataset), None)),
        record=scenario,
        films=[films.EPSILON_FILM],
    )
