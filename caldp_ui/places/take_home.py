"""The page as one file: truth, plain LDP and this protection, along ε."""

from functools import partial

from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import rivals, runs
from caldp_ui.maps.ground import ground
from caldp_ui.maps.scene import scene
from caldp_ui.offline import maps
from caldp_ui.offline.records import Part
from caldp_ui.parts.comparison import Shown
from caldp_ui.places import films


def part(scenario: Scenario) -> Part | None:
    """The page; None where no film of it is made."""
    if not films.can_be_made(scenario):
        return None
    rival = rivals.rival(scenario)
    ours, plain = runs.result(scenario), runs.result(rival)
    what = Shown(ours.setup, plain.setup, ours, plain)
    return maps.part(
        "places",
        "Places on a map",
        "Both maps are made of randomised reports of the same people. Move ε, the privacy level.",
        films.look(scenario).elsewhere,
        scene(what, ground(what.setup, runs.map_of(what.setup.dataset), None)),
        films=(partial(films.LEVELS.film, scenario),),
    )
