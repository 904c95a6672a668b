"""The maps: the truth with the estimates from noise and from blocks, or one person's reports."""

from dataclasses import replace
from typing import Final

import numpy as np

from caldp_core.basics.types import Floats
from caldp_core.domain.grid import Area
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.compute import runs
from caldp_ui.distances import words
from caldp_ui.distances.page_state import PERSON, STATE, DistanceData, PersonReports
from caldp_ui.maps.ground import home, land
from caldp_ui.maps.scene import TRUTH, error_of, estimate, scale, shared_pictures, truth
from caldp_ui.stage import (
    SCALE,
    Act,
    Action,
    Arrangement,
    Fact,
    Focus,
    Ground,
    Picture,
    Scene,
    encode,
    encode_labels,
    encode_mask,
    encode_rows,
)
from caldp_ui.stage.records import Mark
from caldp_ui.words import formats, policies
from caldp_ui.words.towns import place_name

HERE: Final = "here"
NOISE: Final = "noise"
BLOCKS: Final = "blocks"
RATE: Final = "rate"
_REPORTS: Final = 1_000_000
"""Reports of one person: the maps show chances as an expected number of a million."""
_RING: Final[tuple[Mark, ...]] = ("sensitive",)
_LINES: Final[tuple[Mark, ...]] = ("blocks", "sensitive")
_PAIR: Final = Arrangement((BLOCKS, NOISE), (TRUTH,))
"""Blocks and noise stand side by side, the truth below for reference."""
_HERE: Final = Action(
    HERE,
    "Draw the ring here",
    {
        "brush": "Click a place: the ring is drawn around it.",
        "box": "Drag a box: the ring is drawn around its middle.",
    },
)


def scene(data: DistanceData) -> Scene:
    """Scene of everybody's estimates, or of one person's reports."""
    person = data.record.show == PERSON
    name = place_name(data.domain, data.record.place)
    pictures = _person_pictures(data) if person else _everybody_pictures(data)
    names = {picture.id for picture in pictures}
    return Scene(
        _ground(data),
        pictures,
        _REPORTS if person else data.setup.n,
        (pictures[-2].id, pictures[-1].id) if len(pictures) > 1 else (TRUTH, TRUTH),
        () if person else tuple(error_of(each, _RING) for each in pictures[1:]),
        actions=(_HERE,),
        can_undo=STATE.can_undo,
        can_redo=STATE.can_redo,
        focus=_focus(data) if person else None,
        scale_title="chance of a report in a cell" if person else Scene.scale_title,
        prompt="Point at a place for the expected number per million reports of this person."
        if person
        else Scene.prompt,
        look_hint="Take the brush and click a place to draw the ring there, or choose one below.",
        mark_words={
            "sensitive": f"within ε of {name}",
            "blocks": "borders of blocks",
            "box": "",
        },
        arrangement=_PAIR if names == {TRUTH, BLOCKS, NOISE} else None,
        scale=SCALE if person else scale(data.setup, data.ours),
        film_values={RATE: data.record.rate},
        label="Privacy by distance",
        image_name="caldp-distance",
        image_lines=(words.headline(data).sentence, policies.setting_text(data.setup)),
        **shared_pictures(data.setup, *(() if person else (BLOCKS, NOISE))),
    )


def _everybody_pictures(data: DistanceData) -> tuple[Picture, ...]:
    estimates = (
        estimate(name, title, subtitle, result, marks=marks, fact=words.error_fact(result))
        for name, title, subtitle, result, marks in _estimate_rows(data)
    )
    return (truth(data.setup, _RING), *estimates)


def _estimate_rows(data: DistanceData) -> list[tuple[str, str, str, Result, tuple[Mark, ...]]]:
    """Id, title, subtitle, result and lines of blocks and noise, where the result is there."""
    rows = (
        (BLOCKS, words.blocks_title(data), data.blocks_result, data.average_km[1], _LINES),
        (NOISE, words.OURS_TITLE, data.ours, data.average_km[0], _RING),
    )
    return [
        (
            name,
            title,
            f"{words.error_subtitle(result)} · {words.displacement_text(km)}",
            result,
            marks,
        )
        for name, title, result, km, marks in rows
        if result is not None
    ]


def _person_pictures(data: DistanceData) -> tuple[Picture, ...]:
    record = data.record
    name = place_name(data.domain, record.place)
    alone = np.zeros(data.domain.k)
    alone[record.place] = 1.0
    method = MECHANISMS[data.setup.mechanism_name].title
    noise = f"{method}: {words.displacement_text(data.noise_reports.mean_km)}"
    blocks = f"randomized response in blocks: {words.displacement_text(data.block_reports.mean_km)}"
    beside = words.blocks_title(data)
    return (
        _chance_picture(TRUTH, "The person", f"truly in {name}", alone),
        _with_distance_fact(
            _chance_picture(
                BLOCKS, f"Their report: {beside.lower()}", blocks, data.block_reports.law, _LINES
            ),
            data.block_reports,
        ),
        _with_distance_fact(
            _chance_picture(
                NOISE, f"Their report: {words.OURS_TITLE.lower()}", noise, data.noise_reports.law
            ),
            data.noise_reports,
        ),
    )


def _chance_picture(
    name: str, title: str, subtitle: str, shares: Floats, marks: tuple[Mark, ...] = _RING
) -> Picture:
    alt = f"Map of the chances of one person's reports, {title}: {subtitle}."
    return Picture(name, title, subtitle, alt, encode(shares), SCALE.low, marks)


def _with_distance_fact(picture: Picture, reports: PersonReports) -> Picture:
    km = formats.measure(reports.mean_km)
    return replace(picture, fact=Fact(km.number, f"{km.unit} away on average"))


def _focus(data: DistanceData) -> Focus:
    """Area around the place that holds most reports of both kinds."""
    domain, place = data.domain, data.record.place
    (row,), (column,) = domain.row_column([place])
    reach = 2.5 * max(data.noise_reports.mean_km, data.block_reports.mean_km) + 40.0
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


def _ground(data: DistanceData) -> Ground:
    partition = data.blocks_setup.partition
    cut = partition.m > 1
    return Ground(
        data.domain,
        home(data.domain),
        **land(data.domain),
        labels=encode_labels(partition.labels) if cut else None,
        names=encode_rows([partition.names]) if cut else None,
        sensitive=encode_mask(data.ring),
    )


def handle_act(act: Act) -> None:
    """Draw the ring around the clicked place; undo and redo."""
    if STATE.undo_or_redo(act.tool):
        return
    domain = runs.map_of(runs.dataset(STATE.current().scenario))
    place = act.middle(domain)
    if place is not None:
        STATE.change(lambda record: record.with_place(place))
