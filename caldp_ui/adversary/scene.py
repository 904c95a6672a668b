"""The onlooker's beliefs as a scene of the stage: before, after plain LDP, after this protection.

Room: adversary.
"""

from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import Area, GridDomain
from caldp_ui.adversary import words
from caldp_ui.adversary.beliefs import Shown
from caldp_ui.adversary.slot import SLOT
from caldp_ui.compute import runs
from caldp_ui.places.ground import ground
from caldp_ui.stage import SCALE, Act, Action, Fact, Picture, Scene, Stage, encode, stage
from caldp_ui.stage.records import MARK_WORDS
from caldp_ui.words import promise

HERE: Final = "here"
_ALIKE: Final = 1_000_000
"""People about whom the onlooker knows the same: chances are read off the maps as people."""
_AROUND: Final = 3
"""Cells around the true place that its frame is wide: a cell alone is too small to see."""
_HERE: Final = Action(
    HERE,
    "The person is here",
    {
        "brush": "Click a place: the person is there, all the time.",
        "box": "Drag a box: the person is in its middle, all the time.",
    },
)


def maps(what: Shown, domain: GridDomain) -> Stage:
    """The stage with the three beliefs."""
    return stage(scene(what, domain), SLOT.key("maps"), do)


def scene(what: Shown, domain: GridDomain) -> Scene:
    """The scene of what the onlooker believes."""
    record, seen = what.record, what.reports
    pictures = (
        _belief("before", "Before any report", what.ours.after[0], domain, record.place),
        _belief("plain", "After plain LDP", what.plain.after[seen], domain, record.place),
        _belief("ours", "After this protection", what.ours.after[seen], domain, record.place),
    )
    return Scene(
        ground(what.ours.setup, domain, frame(domain, record.place)),
        pictures,
        _ALIKE,
        ("before", "ours"),
        actions=(_HERE,),
        can_undo=SLOT.can_undo,
        can_redo=SLOT.can_redo,
        scale_title="chance that the person is there",
        look_hint="Take the brush and click where the person truly is; or choose a city beside.",
        unpointed="Point at a place: of a million such people, so many would be there.",
        mark_words={**MARK_WORDS, "box": "around the person's true place"},
        label="What an onlooker believes",
        image_name="caldp-onlooker",
        image_lines=(promise.in_short(what.ours.setup), words.headline(what).replace("*", "")),
    )


def _belief(name: str, title: str, beliefs: Floats, domain: GridDomain, place: int) -> Picture:
    told = words.subtitle(domain, beliefs)
    return Picture(
        name,
        title,
        told,
        f"Map of where an onlooker believes the person to be, {title.lower()}: {told}.",
        encode(beliefs),
        SCALE.low,
        marks=("blocks", "sensitive") if name == "ours" else ("sensitive",),
        fact=Fact(words.percent(float(beliefs[place])), "the chance put on the true place"),
    )


def frame(domain: GridDomain, place: int, around: int = _AROUND) -> Area:
    """The place's cell and so many around it, in degrees."""
    (row,), (column,) = domain.place([place])
    low = np.maximum(np.array([row, column]) - around, 0)
    high = np.minimum(np.array([row, column]) + around + 1, [domain.rows, domain.columns])
    (south, west), (north, east) = low * domain.cell, high * domain.cell
    return Area(
        round(domain.south + float(south), 6),
        round(domain.south + float(north), 6),
        round(domain.west + float(west), 6),
        round(domain.west + float(east), 6),
    )


def do(act: Act) -> None:
    """Move the person to a clicked place or the middle of a box; undo and redo."""
    if act.tool in ("undo", "redo"):
        {"undo": SLOT.undo, "redo": SLOT.redo}[act.tool]()
        return
    place = act.middle(runs.map_of(runs.dataset(SLOT.now().scenario)))
    if place is not None:
        SLOT.change(lambda record: record.at(place))
