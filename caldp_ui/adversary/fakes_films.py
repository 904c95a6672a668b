"""Fake phones as films over ε and over how many there are: the same people and coins at each step.

Made in the background, shared by all visits; the browser plays them alone.
"""

from dataclasses import replace
from typing import Final

from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import fakes, fakes_scene, fakes_words
from caldp_ui.adversary.fakes import PoisonedEstimate
from caldp_ui.adversary.page_state import STATE, TENTHS, AttackerState
from caldp_ui.adversary.scene import handle_action
from caldp_ui.compute import runs
from caldp_ui.controls.common import Slider, epsilon_slider
from caldp_ui.parts import films, headline
from caldp_ui.parts.films import SliderFilm
from caldp_ui.stage import Stage, Step, stage


def maps(data: PoisonedEstimate, domain: GridDomain, record: AttackerState) -> Stage:
    """Draw the stage with the three maps, which the films move."""
    whole, on_step = (
        fakes_scene.scene(data, domain, record),
        films.follow_step(OVER_EPSILON, OVER_TENTHS),
    )
    return stage(whole, STATE.key("maps"), handle_action, on_step)


def slider_films(record: AttackerState) -> list[SliderFilm[AttackerState]]:
    """Films over ε and fake phones; none over ε where the context has several."""
    many = isinstance(record.scenario.context.epsilon, tuple)
    return [OVER_TENTHS] if many else [OVER_EPSILON, OVER_TENTHS]


def render(record: AttackerState) -> Step:
    """Render one step of a film: the maps, the headline and one phone's power."""
    data, domain = fakes.run_attack(record), runs.map_of(runs.dataset(record.scenario))
    record_headline = fakes_words.headline(data, domain, record)
    power = {fakes_words.POWER: headline.as_html(fakes_words.one_phone(record, domain))}
    scene = fakes_scene.scene(data, domain, record)
    return films.render_scene(scene, fakes_scene.TRUTH, record_headline, power)


def _depends_on(record: AttackerState) -> str:
    settings = f"{record.place} {record.tenths} {record.attack} {record.repair}"
    return f"{runs.key(record.scenario)} {settings}"


MANY: Final = Slider[AttackerState](
    "tenths",
    lambda record: record.tenths,
    lambda record, tenths: replace(record, tenths=int(tenths)),
    TENTHS,
    lambda tenths: fakes_words.share(int(tenths)),
)
OVER_EPSILON: Final = SliderFilm[AttackerState](
    STATE, fakes_scene.EPSILON, "Privacy level ε", epsilon_slider(), render, _depends_on
)
OVER_TENTHS: Final = SliderFilm[AttackerState](
    STATE, fakes_scene.TENTHS, "Fake phones", MANY, render, _depends_on, "{} fake".format, place=1
)
