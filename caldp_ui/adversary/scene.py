"""The onlooker's beliefs as a scene of the stage: plain LDP, one report kept, a new one every day.

Room: adversary.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import Area, GridDomain
from caldp_ui.adversary import words
from caldp_ui.adversary.beliefs import Onlooker, Shown, region
from caldp_ui.adversary.slot import SLOT
from caldp_ui.compute import runs
from caldp_ui.places.ground import ground
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import (
    SCALE,
    Act,
    Action,
    Blob,
    Chosen,
    Fact,
    Picture,
    Scene,
    Stage,
    encode,
    stage,
)
from caldp_ui.stage.records import MARK_WORDS
from caldp_ui.words import promise

PLAIN: Final = "plain"
KEPT: Final = "kept"
OURS: Final = "ours"
DAYS: Final = "days"
EPSILON: Final = "epsilon"
"""The films over days and over ε, which the page follows."""
TITLES: Final = {
    PLAIN: "Plain LDP, new every day",
    KEPT: "This protection, one report kept",
    OURS: "This protection, new every day",
}
"""The pictures in their order."""
HERE: Final = "here"
_ALIKE: Final = 1_000_000
"""People about whom the onlooker knows the same: chances are read off the maps as people."""
_AROUND: Final = 3
"""Cells around the true place that its frame is wide: a cell alone is too small to see."""
_HERE: Final = Action(
    HERE,
    "The person is here",
    {"look": "Click where the person truly is, or choose a city beside."},
)


def maps(what: Shown, domain: GridDomain) -> Stage:
    """The stage with the three beliefs."""
    return stage(scene(what, domain), SLOT.key("maps"), do, _follow)


def scene(what: Shown, domain: GridDomain) -> Scene:
    """The scene of what the onlooker believes."""
    record = what.record
    now = after(what, record.days, domain)
    pictures = tuple(_picture(name, now[name]) for name in TITLES)
    return Scene(
        ground(what.ours.setup, domain, frame(domain, record.place)),
        pictures,
        _ALIKE,
        (KEPT, OURS),
        actions=(_HERE,),
        can_undo=SLOT.can_undo,
        can_redo=SLOT.can_redo,
        scale_title="chance that the person is there; lit: 95 % sure",
        film_at={DAYS: float(record.days), EPSILON: promise.strongest(record.scenario)},
        unpointed="Click where the person truly is. Point at a place: of a million such people, so "
        "many would be there.",
        mark_words={**MARK_WORDS, "box": "around the person's true place"},
        label="What an onlooker believes",
        image_name="caldp-onlooker",
        image_lines=(promise.in_short(what.ours.setup), words.headline(what).replace("*", "")),
    )


@dataclass(frozen=True)
class Belief:
    """What a picture shows of chances: its map, its sentence, what is lit, its large number."""

    code: Blob
    told: str
    lit_from: float
    fact: Fact


def after(what: Shown, days: int, domain: GridDomain) -> dict[str, Belief]:
    """By picture, what the onlooker believes after so many days."""
    seen = {PLAIN: (what.plain, days), KEPT: (what.ours, min(days, 1)), OURS: (what.ours, days)}
    return {name: _after(onlooker, day, domain) for name, (onlooker, day) in seen.items()}


def _after(onlooker: Onlooker, day: int, domain: GridDomain) -> Belief:
    name = f"{runs.key(onlooker.setup.scenario)} {onlooker.place} {day}"
    return _belief(name, onlooker.after[day], domain, onlooker.place)


@st.cache_resource(max_entries=256, show_spinner=False)
def _belief(name: str, _chances: Floats, _domain: GridDomain, _place: int) -> Belief:
    del name
    return belief(_chances, _domain, _place)


def belief(chances: Floats, domain: GridDomain, place: int) -> Belief:
    """The picture of (k,) chances."""
    on_truth = Fact(words.percent(float(chances[place])), "the chance put on the true place")
    return Belief(encode(chances), words.subtitle(domain, chances), lit_from(chances), on_truth)


def lit_from(beliefs: Floats) -> float:
    """Beliefs below it stay dark: lit are the places that make the onlooker 95 % sure.

    A thousandth lower, as codes round.
    """
    return max(SCALE.low, 0.999 * float(beliefs[region(beliefs)[-1]]))


def _picture(name: str, belief: Belief) -> Picture:
    told, title = belief.told, TITLES[name]
    return Picture(
        name,
        title,
        told,
        f"Map of where an onlooker believes the person to be, {title.lower()}: {told}.",
        belief.code,
        belief.lit_from,
        marks=("sensitive",) if name == PLAIN else ("blocks", "sensitive"),
        fact=belief.fact,
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


def _follow(chosen: Chosen) -> None:
    """The day or the ε that a person rests on."""
    if chosen.film == DAYS:
        SLOT.change(lambda record: replace(record, days=int(chosen.value)))
    elif chosen.film == EPSILON:
        steer(SLOT, lambda scenario: scenario.with_context(epsilon=chosen.value))


def do(act: Act) -> None:
    """Move the person to a clicked place; undo and redo."""
    if act.tool in ("undo", "redo"):
        {"undo": SLOT.undo, "redo": SLOT.redo}[act.tool]()
        return
    place = act.middle(runs.map_of(runs.dataset(SLOT.now().scenario)))
    if place is not None:
        SLOT.change(lambda record: record.at(place))
