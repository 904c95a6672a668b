"""The film of the page: the same people and treatments at every ε, sent ahead of the slider.

Made in the background; maps, bars and headline follow in the browser.
"""

from dataclasses import replace
from typing import Final

from caldp_ui.coarser import attack_words, outcomes, panel, scene
from caldp_ui.coarser.outcomes import Played
from caldp_ui.coarser.slot import BLOCKS, NOTHING, PLAIN, SLOT, Publication
from caldp_ui.coarser.treated import PageData, find
from caldp_ui.compute import runs
from caldp_ui.controls.common import along_epsilon
from caldp_ui.parts import comparison, films
from caldp_ui.parts.films import Along
from caldp_ui.stage import Stage, Step

BARS = ".st-key-coarser-attacker .bars"
"""Where the bars are on the page, as a CSS selector."""


def show(what: PageData, found: Played | None, on: Stage) -> None:
    """Bring the film to the stage, now or as soon as it is made; none of what takes long."""
    if found is not None and can_be_made(what):
        films.show([EPSILON.asked(what.record)], on)


def can_be_made(what: PageData) -> bool:
    """Whether its pictures are there and take no longer than a moment."""
    return {PLAIN, BLOCKS} <= set(what.by) and not runs.takes_long(what.record.scenario)


def look(record: Publication) -> Step:
    """What the page shows of a record."""
    what = find(record, comparison.at_once)
    found = outcomes.played(what)
    seen = scene.scene(what, found)
    bars = {BARS: panel.bars(what, found)}
    return replace(
        films.look_of(seen, NOTHING, attack_words.headline(what, found), bars),
        notes={picture.id: picture.notes for picture in seen.pictures},
        labels={picture.id: picture.labels for picture in seen.pictures},
    )


def _rests_on(record: Publication) -> str:
    return f"{runs.key(record.scenario)} {replace(record, scenario=Publication().scenario)}"


EPSILON: Final = Along[Publication](
    SLOT,
    scene.EPSILON,
    "Privacy level ε",
    replace(along_epsilon(), value=lambda record: record.scenario.policy.plain_epsilon),
    look,
    _rests_on,
)
