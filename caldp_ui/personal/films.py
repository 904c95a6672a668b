"""The film of the page: the same people and coins at every ε.

Made in the background; the browser plays it alone.
"""

from typing import Final

from caldp_ui.compute import runs
from caldp_ui.controls.common import epsilon_slider
from caldp_ui.maps.scene import TRUTH
from caldp_ui.parts import films, odds
from caldp_ui.parts.films import SliderFilm
from caldp_ui.personal import scene, words
from caldp_ui.personal.page_state import STATE, PersonalData, PersonalState, load_fast_data
from caldp_ui.stage import Stage, Step, stage
from caldp_ui.words.vocabulary import PLACES


def maps(data: PersonalData) -> Stage:
    """Show the maps of the truth and of each way, which the film moves."""
    return stage(
        scene.scene(data), STATE.key("maps"), scene.handle_act, films.follow_step(EPSILON_FILM)
    )


def show(data: PersonalData, target: Stage) -> None:
    """Send the film to the maps, now or once it is made; none where pictures take long."""
    if is_possible(data):
        films.show([EPSILON_FILM.request(data.record)], target)


def is_possible(data: PersonalData) -> bool:
    """Whether a film can be made: results are there and take no longer than a moment."""
    is_there = data.ours is not None and data.plain is not None
    return is_there and not runs.takes_long(data.record.scenario)


def render(record: PersonalState) -> Step:
    """The maps, headline and odds of a record, as one step of a film."""
    data = load_fast_data(record)
    risk = {odds.PLACE: odds.html(PLACES, data.setup)}
    return films.render_scene(scene.scene(data), TRUTH, words.headline(data), risk)


EPSILON_FILM: Final = SliderFilm[PersonalState](
    STATE,
    scene.EPSILON,
    "Privacy level ε",
    epsilon_slider(),
    render,
    lambda record: runs.key(record.scenario),
)
