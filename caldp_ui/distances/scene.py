"""The maps: where people are, and what noise and blocks make of it; or one person's reports."""

from dataclasses import replace
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.domain.area import Area
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.compute import runs
from caldp_ui.distances import words
from caldp_ui.distances.shown import Reports, Shown
from caldp_ui.distances.slot import PERSON, SLOT, per_km
from caldp_ui.maps.ground import home, land
from caldp_ui.maps.scene import TRUTH, error_of, estimate, truth
from caldp_ui.session.scenarios import steer
from caldp_ui.stage import (
    SCALE,
    Act,
    Action,
    Arrangement,
    Chosen,
    Fact,
    Focus,
    Ground,
    Picture,
    Scene,
    Stage,
    encode,
    encode_labels,
    encode_mask,
    encode_rows,
    scale_of,
    stage,
)
from caldp_ui.stage.records import Mark
from caldp_ui.words import policies
from caldp_ui.words.towns import place_name

HERE: Final = "here"
NOISE: Final = "noise"
BLOCKS: Final = "blocks"
RATE: Final = "rate"
_MILLION: Final = 1_000_000
"""Reports of one person's place: chances are read off the maps as so many of a million."""
_RING: Final[tuple[Mark, ...]] = ("sensitive",)
_LINES: Final[tuple[Mark, ...]] = ("blocks", "sensitive")
_PAIR: Final = Arrangement((BLOCKS, NOISE), (TRUTH,))
"""What is compared stands beside each other, the truth is for reference."""
_HERE: Final = Action(
    HERE,
    "Draw the ring here",
    {
        "brush": "Click a place: the ring is drawn around it.",
        "box": "Drag a box: the ring is drawn around its middle.",
    },
)


def maps(what: Shown) -> Stage:
    """The stage."""
    return stage(scene(what), SLOT.key("maps"), do, _follow)


def _follow(chosen: Chosen) -> None:
    """The step of the film that a person rests on becomes the page's scenario."""
    if chosen.film == RATE:
        steer(SLOT, lambda s: per_km(s, chosen.value))


def scene(what: Shown) -> Scene:
    """Everybody's estimate, or one person's reports."""
    person = what.record.show == PERSON
    name = place_name(what.domain, what.record.place)
    pictures = _person(what) if person else _everybody(what)
    names = {picture.id for picture in pictures}
    return Scene(
        _ground(what),
        pictures,
        _MILLION if person else what.setup.n,
        (pictures[-2].id, pictures[-1].id) if len(pictures) > 1 else (TRUTH, TRUTH),
        () if person else tuple(error_of(each, _RING) for each in pictures[1:]),
        actions=(_HERE,),
        can_undo=SLOT.can_undo,
        can_redo=SLOT.can_redo,
        focus=_focus(what) if person else None,
        scale_title="chance of a report in a cell" if person else Scene.scale_title,
        unpointed="Point at a place for the expected number per million reports of this person."
        if person
        else Scene.unpointed,
        look_hint="Take the brush and click a place to draw the ring there, or choose one below.",
        mark_words={
            "sensitive": f"about as likely as {name}",
            "blocks": "borders of blocks",
            "box": "",
        },
        arrangement=_PAIR if names == {TRUTH, BLOCKS, NOISE} else None,
        scale=SCALE if person else scale_of(what.setup.dataset.distribution),
        film_at={RATE: what.record.rate},
        label="Privacy by distance",
        image_name="caldp-distance",
        image_lines=(words.headline(what).sentence, policies.setting(what.setup)),
    )


def _everybody(what: Shown) -> tuple[Picture, ...]:
    estimates = (
        estimate(name, title, told, result, marks=marks, fact=words.error(result))
        for name, title, told, result, marks in _estimates(what)
    )
    return (truth(what.setup, _RING), *estimates)


def _estimates(what: Shown) -> list[tuple[str, str, str, Result, tuple[Mark, ...]]]:
    """What is there of both: id, title, subtitle, result, lines."""
    there = (
        (BLOCKS, words.blocks_title(what), what.blocks, what.typical[1], _LINES),
        (NOISE, "Noise that fades with distance", what.ours, what.typical[0], _RING),
    )
    return [
        (name, title, f"{words.off(result)} · {words.moved(km)}", result, marks)
        for name, title, result, km, marks in there
        if result is not None
    ]


def _person(what: Shown) -> tuple[Picture, ...]:
    record = what.record
    name = place_name(what.domain, record.place)
    alone = np.zeros(what.domain.k)
    alone[record.place] = 1.0
    method = MECHANISMS[what.setup.mechanism_name].title
    noise = f"{method}: {words.moved(what.noise.km)}"
    blocks = f"randomized response in blocks: {words.moved(what.in_blocks.km)}"
    beside = words.blocks_title(what)
    return (
        _chances(TRUTH, "The person", f"truly in {name}", alone),
        _off_by(
            _chances(BLOCKS, f"Their report: {beside.lower()}", blocks, what.in_blocks.law, _LINES),
            what.in_blocks,
        ),
        _off_by(_chances(NOISE, "Their report: noise", noise, what.noise.law), what.noise),
    )


def _chances(
    name: str, title: str, told: str, shares: Floats, marks: tuple[Mark, ...] = _RING
) -> Picture:
    alt = f"Map of the chances of one person's reports, {title}: {told}."
    return Picture(name, title, told, alt, encode(shares), SCALE.low, marks)


def _off_by(picture: Picture, reports: Reports) -> Picture:
    number, _, unit = words.km(reports.km).rpartition(" ")
    return replace(picture, fact=Fact(number, f"{unit} away on average"))


def _focus(what: Shown) -> Focus:
    """A box around the place that holds most reports of both kinds."""
    domain, place = what.domain, what.record.place
    (row,), (column,) = domain.place([place])
    reach = 2.5 * max(what.noise.km, what.in_blocks.km) + 40.0
    north = reach / 111.195
    latitude, longitude = float(domain.latitudes()[row]), float(domain.longitudes()[column])
    east = north / max(float(np.cos(np.radians(latitude))), 0.1)
    area = Area(
        max(latitude - north, -90.0),
        min(latitude + north, 90.0),
        max(longitude - east, min(domain.west, -180.0)),
        min(longitude + east, max(domain.area.east, 180.0)),
    )
    return Focus(area, place * 100_000 + round(reach))


def _ground(what: Shown) -> Ground:
    partition = what.blocks_setup.partition
    cut = partition.m > 1
    return Ground(
        what.domain,
        home(what.domain),
        **land(what.domain),
        labels=encode_labels(partition.labels) if cut else None,
        names=encode_rows([partition.names]) if cut else None,
        sensitive=encode_mask(what.ring),
    )


def do(act: Act) -> None:
    """Look from another place; undo and redo."""
    if SLOT.take_step(act.tool):
        return
    domain = runs.map_of(runs.dataset(SLOT.now().scenario))
    place = act.middle(domain)
    if place is not None:
        SLOT.change(lambda record: record.at(place))
