"""The attacker's beliefs as a scene of the stage: fresh reports, one stored report, plain LDP."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached_by
from caldp_core.basics.types import Floats
from caldp_core.domain.grid import Area, GridDomain
from caldp_ui.adversary import words
from caldp_ui.adversary.beliefs import Attacker, BeliefData, likely_area
from caldp_ui.adversary.page_state import STATE
from caldp_ui.compute import runs
from caldp_ui.maps.ground import ground, home
from caldp_ui.maps.scene import shared_pictures
from caldp_ui.stage import (
    SCALE,
    Act,
    Action,
    Arrangement,
    Blob,
    Fact,
    Focus,
    Picture,
    Scale,
    Scene,
    encode,
)
from caldp_ui.stage.records import MARK_WORDS
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.vocabulary import PLACES

PLAIN: Final = "plain"
STORED: Final = "kept"
OURS: Final = "ours"
DAYS: Final = "days"
EPSILON: Final = "epsilon"
"""The films over days and over ε, which the page follows."""
TITLES: Final = {
    OURS: "This protection, fresh reports",
    STORED: "One stored report",
    PLAIN: "Plain LDP, fresh reports",
}
"""The pictures in their order: the large one first."""
HERE: Final = "here"
CHANCES: Final = Scale(1e-4, 1.0, ((1e-4, "1 in 10,000"), (1e-2, "1 in 100"), (1.0, "1 in 1")))
"""The scale of chances; certainty is brightest."""
_ALIKE: Final = 1_000_000
"""People about whom the attacker knows the same: chances are read off the maps as people."""
_AROUND: Final = 3
"""Cells around the true place that its frame is wide: a cell alone is too small to see."""
_NOTE: Final = "bright: 95 % likely area · click to move the true place"
_HERE: Final = Action(
    HERE,
    "The person is here",
    {"look": "Click where the person truly is, or choose a city below."},
)


def editable(data: BeliefData, domain: GridDomain) -> Scene:
    """Build the scene of the three beliefs in which the person can be moved."""
    return replace(
        scene(data, domain),
        actions=(_HERE,),
        can_undo=STATE.can_undo,
        can_redo=STATE.can_redo,
        prompt="Click where the person truly is. Point at a place for the expected number per "
        "million such people.",
    )


def scene(data: BeliefData, domain: GridDomain) -> Scene:
    """Build the scene of the three beliefs."""
    record = data.record
    now = after(data, record.days, domain)
    pictures = tuple(_picture(name, now[name]) for name in TITLES)
    return Scene(
        ground(data.ours.setup, domain, frame(domain, record.place)),
        pictures,
        _ALIKE,
        (STORED, OURS),
        focus=_focus(data, domain),
        arrangement=Arrangement((OURS,), (STORED, PLAIN)),
        scale=CHANCES,
        scale_title="chance in a cell:",
        film_values={DAYS: float(record.days), EPSILON: promise.largest_epsilon(record.scenario)},
        prompt="Point at a place for the expected number per million such people.",
        mark_words={**MARK_WORDS, "box": "true place"},
        label="What an attacker learns",
        image_name="caldp-attacker",
        image_lines=(
            policies.promise_summary(PLACES, data.ours.setup),
            words.headline(data).sentence,
            policies.setting_text(data.ours.setup),
        ),
        **shared_pictures(data.ours.setup),
    )


@dataclass(frozen=True)
class BeliefPicture:
    """One belief as a picture.

    `code`: the encoded map; `lit_from`: chance below which cells stay dark; `fact`: its large
    number.
    """

    code: Blob
    subtitle: str
    lit_from: float
    fact: Fact


def after(data: BeliefData, days: int, domain: GridDomain) -> dict[str, BeliefPicture]:
    """The beliefs after so many days, by picture name."""
    sources = {
        PLAIN: (data.plain, days),
        STORED: (data.ours, min(days, 1)),
        OURS: (data.ours, days),
    }
    return {name: _belief_after(attacker, day, domain) for name, (attacker, day) in sources.items()}


@cached_by(lambda attacker, day, *_: (runs.key(attacker.setup.scenario), attacker.place, day))
def _belief_after(attacker: Attacker, day: int, domain: GridDomain) -> BeliefPicture:
    return belief(attacker.beliefs[day], domain, attacker.place)


def belief(chances: Floats, domain: GridDomain, place: int) -> BeliefPicture:
    """Build the picture of (k,) chances."""
    on_truth = Fact(formats.percent(float(chances[place])), "chance of the true place")
    return BeliefPicture(
        encode(chances), words.subtitle(domain, chances), lit_from(chances), on_truth
    )


def lit_from(beliefs: Floats) -> float:
    """Chance from which cells are bright: the least within the 95 % likely area.

    A thousandth lower, as codes round.
    """
    return max(SCALE.low, 0.999 * float(beliefs[likely_area(beliefs)[-1]]))


def _picture(name: str, belief: BeliefPicture) -> Picture:
    subtitle, title = belief.subtitle, TITLES[name]
    return Picture(
        name,
        title,
        subtitle,
        f"Map of where the attacker expects the person, {title[0].lower()}{title[1:]}: "
        f"{belief.fact.number} {belief.fact.text}; {subtitle}.",
        belief.code,
        belief.lit_from,
        marks=("sensitive",) if name == PLAIN else ("blocks", "sensitive"),
        fact=belief.fact,
        notes=("", _NOTE if name == OURS else ""),
    )


def _focus(data: BeliefData, domain: GridDomain) -> Focus:
    """Where the maps zoom to: the block of the true place."""
    labels = data.ours.setup.partition.labels
    block = int(labels[data.record.place])
    rows, columns = domain.row_column(np.flatnonzero(labels == block))
    south, north = (domain.south + domain.cell * edge for edge in (rows.min(), rows.max() + 1))
    west, east = (domain.west + domain.cell * edge for edge in (columns.min(), columns.max() + 1))
    whole = labels.size == rows.size
    area = home(domain) if whole else Area(float(south), float(north), float(west), float(east))
    return Focus(area, 1 + block + 100_000 * int(labels.max()))


def frame(domain: GridDomain, place: int, around: int = _AROUND) -> Area:
    """The place's cell and `around` cells on each side, in degrees."""
    (row,), (column,) = domain.row_column([place])
    low = np.maximum(np.array([row, column]) - around, 0)
    high = np.minimum(np.array([row, column]) + around + 1, [domain.rows, domain.columns])
    (south, west), (north, east) = low * domain.cell, high * domain.cell
    return Area(
        round(domain.south + float(south), 6),
        round(domain.south + float(north), 6),
        round(domain.west + float(west), 6),
        round(domain.west + float(east), 6),
    )


def handle_action(act: Act) -> None:
    """Move the person to a clicked place; undo and redo."""
    if STATE.undo_or_redo(act.tool):
        return
    place = act.middle(runs.map_of(runs.dataset(STATE.current().scenario)))
    if place is not None:
        STATE.change(lambda record: record.with_place(place))
