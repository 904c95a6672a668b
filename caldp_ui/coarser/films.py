"""The film of the page: the same people and treatments at every ε, sent ahead of the slider.

Made in the background; maps, bars and headline follow in the browser.
"""

from dataclasses import replace
from typing import Final

from caldp_ui.coarser import attack_words, outcomes, panel, scene
from caldp_ui.coarser.outcomes import AttackResult
from caldp_ui.coarser.page_state import (
    BLOCKS,
    NOTHING,
    PLAIN,
    STATE,
    Publication,
    TreatmentData,
    load_data,
)
from caldp_ui.compute import runs
from caldp_ui.controls.common import epsilon_slider
from caldp_ui.parts import comparison, films
from caldp_ui.parts.films import SliderFilm
from caldp_ui.stage import Stage, Step, stage

BARS = ".st-key-coarser-attacker .bars"
"""Where the bars are on the page, as a CSS selector."""


def maps(data: TreatmentData, attack_result: AttackResult | None) -> Stage:
    """The stage with the maps, which the film moves."""
    maps_scene, on_step = scene.scene(data, attack_result), films.follow_step(EPSILON)
    return stage(maps_scene, STATE.key("maps"), scene.handle_act, on_step)


def show(data: TreatmentData, attack_result: AttackResult | None, target: Stage) -> None:
    """Sends the film to the maps, now or as soon as it is made; none where it is slow."""
    if attack_result is not None and can_be_made(data):
        films.show([EPSILON.request(data.record)], target)


def can_be_made(data: TreatmentData) -> bool:
    """Whether the page has a film: its pictures are there and fast to compute."""
    return {PLAIN, BLOCKS} <= set(data.treatments) and not runs.takes_long(data.record.scenario)


def render(record: Publication) -> Step:
    """The film step of a record: maps, bars and headline."""
    data = load_data(record, comparison.load_fast_results)
    result = outcomes.run_attack(data)
    maps = scene.scene(data, result)
    bars = {BARS: panel.bars_html(data, result)}
    return replace(
        films.render_scene(maps, NOTHING, attack_words.headline(data, result), bars),
        notes={picture.id: picture.notes for picture in maps.pictures},
        labels={picture.id: picture.labels for picture in maps.pictures},
    )


def _depends_on(record: Publication) -> str:
    return f"{runs.key(record.scenario)} {replace(record, scenario=Publication().scenario)}"


EPSILON: Final = SliderFilm[Publication](
    STATE,
    scene.EPSILON,
    "Privacy level ε",
    replace(epsilon_slider(), value=lambda record: record.scenario.policy.plain_epsilon),
    render,
    _depends_on,
)
