"""The film of the page: the same people and treatments at every ε, sent ahead of the slider.

Made in the background; maps, bars and headline follow in the browser.
"""

from dataclasses import replace

from caldp_core.basics.types import Progress
from caldp_ui.coarser import attack_words, outcomes, panel, scene
from caldp_ui.coarser.outcomes import Played
from caldp_ui.coarser.slot import BLOCKS, NOTHING, PLAIN, SLOT, Publication
from caldp_ui.coarser.treated import PageData, find
from caldp_ui.compute import runs
from caldp_ui.controls.common import EPSILONS
from caldp_ui.parts import comparison, films, headline
from caldp_ui.stage import Film, Stage, Step, project

BARS = ".st-key-coarser-attacker .bars"
"""Where the bars are on the page, as a CSS selector."""


def show(what: PageData, found: Played | None, on: Stage) -> None:
    """Bring the film to the stage, now or as soon as it is made; none of what takes long."""
    record = what.record
    if found is None or not can_be_made(what):
        return
    alike = replace(record, scenario=record.scenario.with_epsilon(EPSILONS[0]))
    name = f"{runs.key(alike.scenario)} {replace(alike, scenario=Publication().scenario)}"
    made = films.film(SLOT.key("film"), name, lambda progress: over_epsilon(record, progress))
    if made is not None:
        project([made], on)


def can_be_made(what: PageData) -> bool:
    """Whether its pictures are there and take no longer than a moment."""
    return {PLAIN, BLOCKS} <= set(what.by) and not runs.takes_long(what.record.scenario)


def over_epsilon(record: Publication, progress: Progress) -> Film:
    """Every ε of the page's slider."""

    def step(epsilon: float) -> Step:
        at = replace(record, scenario=record.scenario.with_epsilon(epsilon))
        what = find(at, comparison.at_once)
        found = outcomes.played(what)
        seen = scene.scene(what, found)
        made = films.step_of(seen, f"ε = {epsilon:g}", epsilon, NOTHING)
        beside = {
            headline.SENTENCE: headline.html(attack_words.headline(what, found)),
            BARS: panel.bars(what, found),
        }
        notes = {picture.id: picture.notes for picture in seen.pictures}
        labels = {picture.id: picture.labels for picture in seen.pictures}
        return replace(made, reading=f"{epsilon:g}", elsewhere=beside, notes=notes, labels=labels)

    made = films.steps(EPSILONS, record.scenario.policy.plain_epsilon, step, progress)
    return Film(scene.EPSILON, "Privacy level ε", made, dial=SLOT.key("epsilon"))
