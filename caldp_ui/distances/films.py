"""The film of the page: the same people and coins at every ε per kilometre.

Made in the background; the browser plays it alone.
"""

from typing import Final

from caldp_core.mechanisms.specs import BestKernel
from caldp_ui.compute import runs
from caldp_ui.distances import scene, side, words
from caldp_ui.distances.page_state import STATE, DistanceData, DistanceState, load_data
from caldp_ui.maps.scene import TRUTH
from caldp_ui.parts import films
from caldp_ui.parts.comparison import load_fast_results
from caldp_ui.parts.films import SliderFilm
from caldp_ui.stage import Stage, Step, stage


def maps(data: DistanceData) -> Stage:
    """Show the maps, which the film moves."""
    return stage(
        scene.scene(data), STATE.key("maps"), scene.handle_act, films.follow_step(RATE_FILM)
    )


def show(data: DistanceData, target: Stage) -> None:
    """Send the film to the maps, now or once it is made; none where pictures take long."""
    if is_possible(data):
        films.show([RATE_FILM.request(data.record)], target)


def is_possible(data: DistanceData) -> bool:
    """Whether a film can be made: results are there and fast, and no step needs a design."""
    scenario = data.record.scenario
    is_there = data.ours is not None and data.blocks_result is not None
    is_quick = not runs.takes_long(scenario) and not isinstance(scenario.mechanism, BestKernel)
    return is_there and is_quick


def render(record: DistanceState) -> Step:
    """The maps, headline and odds of a record, as one step of a film."""
    data = load_data(record, load_fast_results)
    odds = {side.ODDS_SELECTOR: side.odds_html(record)}
    return films.render_scene(scene.scene(data), TRUTH, words.headline(data), odds)


def _depends_on(record: DistanceState) -> str:
    return f"{runs.key(record.scenario)} {record.show} {record.beside} {record.place}"


RATE_FILM: Final = SliderFilm(
    STATE,
    scene.RATE,
    "ε per kilometre",
    side.RATE,
    render,
    _depends_on,
    "ε = {} per kilometre".format,
    hides=("blocks", "sensitive"),  # the ring and the blocks beside have another size at every step
)
