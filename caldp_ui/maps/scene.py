"""A scenario as a scene of the stage: truth, plain LDP, this protection, and their errors.

Codes of pictures are made once for all visits.

The chooser of a place: the largest cities of a map, and the place that is chosen now.

A made-up list of places, as a reader would bring one.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import streamlit as st
from scipy.special import ndtri

from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.intervals import may_be_noise, ranges
from caldp_core.experiments.forecast import has_valid_errors
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.compute import runs
from caldp_ui.compute.runs import is_own
from caldp_ui.maps.ground import READ, home, mark_protected, readable_people, readable_picture
from caldp_ui.parts import internal, pictures
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.sharing import ReportContent
from caldp_ui.session.page_state import PageState
from caldp_ui.stage import (
    Act,
    Arrangement,
    Blob,
    Difference,
    Fact,
    Ground,
    Picture,
    Scale,
    Scene,
    encode,
    encode_errors,
    encode_levels,
    encode_mask,
    encode_people,
    nobody_below,
    scale_of,
)
from caldp_ui.stage.records import Mark
from caldp_ui.words import accuracy, policies, promise
from caldp_ui.words.formats import PLACES, place_name, towns

PLAIN: Final = "plain"
OURS: Final = "ours"
TRUTH: Final = "truth"
PAIR: Final = Arrangement((PLAIN, OURS), (TRUTH,))
"""The two estimates that the headline compares are large, the truth is small, for reference."""
_DRAW: Final = "one random result"
SQUARES: Final = "dashed squares: averages"


def scene(data: ComparisonData, land: Ground, title: str = "This protection", **more: Any) -> Scene:
    """The scene of the results of `data` on the ground `land`; `title`: of this protection.

    `more`: further fields of `Scene`, such as its actions.
    """
    setup = data.setup
    nobody = nobody_below(setup.n)
    estimates = {PLAIN: ("Plain LDP", data.plain), OURS: (title, data.ours)}
    pictures = [truth(setup)]
    read = readable_people(setup)
    differences = []
    for name, (label, result) in estimates.items():
        if result is not None:
            notes = _notes(land, setup, result, name == OURS)
            picture = _estimate(name, label, result, nobody, notes)
            pictures.append(mark_protected(picture, read, name == OURS))
            differences.append(_error_map(name, label, result, nobody))
    names = [picture.id for picture in pictures]
    if len(names) < 3:  # as long as a picture is missing, there is nothing to stand beside
        more.pop("arrangement", None)
    elif read is not None and "arrangement" in more:
        pictures.append(readable_picture(read, truth_code(setup)))
        more["arrangement"] = replace(more["arrangement"], small=(), turns=(READ, TRUTH))
    return Scene(
        land,
        tuple(pictures),
        setup.n,
        (names[-2] if len(names) > 1 else names[-1], names[-1]),
        tuple(differences),
        film_values=film_values(data.ours) if data.ours else {},
        scale=scale(setup, data.ours),
        image_name="caldp-map",
        image_lines=(policies.promise_summary(PLACES, setup), policies.setting_text(setup)),
        **shared_pictures(setup, *(name for name in estimates if name in names)),
        **more,
    )


def shared_pictures(setup: Setup, *estimates: str) -> dict[str, Any]:
    """Fields of a `Scene` on what saved pictures may show; `estimates`: ids made of reports alone.

    Of a visitor's own data nothing else is passed on unasked.
    """
    if not is_own(setup.scenario.dataset):
        return {"estimates": estimates}
    lines = (policies.setting_text(setup),)
    return {"estimates": estimates, "held_back": internal.LINE, "shared_lines": lines}


def scale(setup: Setup, result: Result | None) -> Scale:
    """The scale of a stage by the truth; a visitor's own data have it by the estimate, if any."""
    if result is not None and is_own(setup.scenario.dataset):
        return scale_of(result.first.estimate)
    return scale_of(setup.dataset.distribution)


def _notes(land: Ground, setup: Setup, result: Result, in_blocks: bool) -> tuple[str, str]:
    """Notes in a map's lower corners: its lines, of blocks or squares of averages; the draw."""
    squares = pooling_levels(result) is not None
    if land.labels is None or not in_blocks:
        return "", f"{SQUARES} · {_DRAW}" if squares else _DRAW
    if squares:
        return f"solid: blocks, {SQUARES}", _DRAW
    blocks = setup.scenario.context.blocks
    if not isinstance(blocks, GridBlocks):
        return "lines: borders of blocks", _DRAW
    rows, columns = land.domain.rows / blocks.rows, land.domain.columns / blocks.columns
    size = f"{rows * land.domain.cell:.3g}° × {columns * land.domain.cell:.3g}°"
    return f"lines: blocks of {size}", _DRAW


def film_values(ours: Result) -> Mapping[str, float]:
    """By film, the value of the step that the scene shows."""
    scenario = ours.setup.scenario  # a setup alone is the same for all seeds
    return {"epsilon": promise.largest_epsilon(scenario), "draws": float(scenario.seed)}


def error_id(name: str) -> str:
    """The id of the error map of the picture of that name."""
    return f"off-{name}"


def subtitle(result: Result) -> str:
    """The error of a picture, and the method by which it was made."""
    error = accuracy.tv_in_words(PLACES, result.first.errors.tv)
    if not has_valid_errors(result.setup):
        error = "error unknown: the data were made with the prior"
    method = MECHANISMS[result.setup.mechanism_name].title
    return f"{error} · {method}{policies.describe_parameters(result.setup.scenario.mechanism)}"


def error_fact(result: Result) -> Fact:
    """The error of a result as a fact, for large type."""
    if not has_valid_errors(result.setup):
        return Fact("–", "not judged: data made with the prior")
    number, text = accuracy.wrong_of_hundred(PLACES, result.first.errors.tv)
    return Fact(number, text)


def _whole_key(result: Result) -> str:
    return runs.key(result.setup.scenario)


@cached_by(_whole_key)
def estimate_code(result: Result) -> Blob:
    """The estimate as the browser reads it."""
    return encode_people(result.first.estimate, result.setup.n)


@cached_by(_whole_key)
def pooling_levels(result: Result) -> Blob | None:
    """How far cells were pooled for the estimate; None where every cell has its own number."""
    levels = result.first.levels
    return None if levels is None else encode_levels(levels)


@cached_by(lambda setup: runs.data_key(setup.scenario))
def truth_code(setup: Setup) -> Blob:
    """Where people truly are, as the browser reads it: the same whatever is protected."""
    return encode(setup.dataset.distribution)


def truth(setup: Setup, marks: tuple[Mark, ...] = ()) -> Picture:
    """The map of where people truly are."""
    return Picture(
        TRUTH,
        "Truth",
        f"{promise.population(setup)}, shown for demonstration only",
        f"Map of where people truly are: {setup.dataset.name}.",
        truth_code(setup),
        marks=marks,
    )


def estimate(
    name: str, title: str, caption: str, result: Result, *, marks: tuple[Mark, ...], fact: Fact
) -> Picture:
    """The map of an estimate; `caption`: its subtitle, `fact`: its error in large type."""
    alt = f"Map of the estimate, {title}: {caption}."
    nobody = nobody_below(result.setup.n)
    blob, levels = estimate_code(result), pooling_levels(result)
    notes = ("", SQUARES if levels else "")
    return Picture(name, title, caption, alt, blob, nobody, marks, fact, notes=notes, pooled=levels)


def error_of(picture: Picture, marks: tuple[Mark, ...]) -> Difference:
    """The map of how far a picture of an estimate is from the truth in each cell."""
    return Difference(
        error_id(picture.id),
        f"{picture.title}: error",
        picture.subtitle,
        f"Map of the error of this estimate in each cell: {picture.subtitle}.",
        picture.id,
        TRUTH,
        picture.nobody,
        marks,
        picture.fact,
    )


def _estimate(
    name: str, title: str, result: Result, nobody: float, notes: tuple[str, str]
) -> Picture:
    caption = subtitle(result)
    return Picture(
        name,
        title,
        caption,
        f"Map of the estimate from randomised reports, {title}: {caption}.",
        estimate_code(result),
        nobody,
        ("sensitive",) if name == PLAIN else ("blocks", "sensitive"),
        error_fact(result),
        _spread(result) if name == OURS else None,
        notes,
        pooled=pooling_levels(result),
        certain=_certain(result) if name == OURS else None,
    )


def _error_map(name: str, title: str, result: Result, nobody: float) -> Difference:
    caption = subtitle(result)
    return Difference(
        error_id(name),
        f"{title} is off by",
        caption,
        f"Map of how far {title} is from the truth in each cell: {caption}.",
        name,
        TRUTH,
        nobody,
        ("sensitive",),
        error_fact(result),
    )


@cached_by(_whole_key)
def _certain(result: Result) -> Blob | None:
    """Cells where somebody surely is; None where the variance of shares is not known."""
    try:
        return encode_mask(~may_be_noise(result.first.evidence))
    except CaldpError:
        return None


@cached_by(_whole_key)
def _spread(result: Result) -> Blob | None:
    """Each cell's range as a standard error of its share; None where ranges are not known.

    Of the longer side, as the browser draws both alike; rounded up to quarters of a doubling, as
    most bytes of finer ones would be noise.
    """
    shares = result.first.estimate
    try:
        ends = ranges(result.first.evidence, shares)
    except CaldpError:
        return None
    half = np.maximum(ends.high - shares, shares - ends.low)
    with np.errstate(divide="ignore"):
        error = np.exp2(np.ceil(4 * np.log2(half / float(ndtri((1 + ends.level) / 2)))) / 4)
    return encode_errors(error)


_NAMED_MAX: Final = 200
"""Cities in the list."""


def cities(domain: GridDomain, *extra: int) -> list[int]:
    """The cells of the largest cities, after those of `extra` that are not among them."""
    named = list(towns(domain))[:_NAMED_MAX]
    return [*(cell for cell in extra if cell not in named), *named]


def place_control(state: PageState[Any], label: str, domain: GridDomain, current: int) -> None:
    """The menu of the record's place, now the cell `current`; a click on a map chooses it, too."""
    cells = cities(domain, current)
    st.selectbox(
        label,
        cells,
        format_func=lambda cell: place_name(domain, cell),
        label_visibility="collapsed",
        **state.bind("place", current, lambda record, at: replace(record, place=int(at)), cells),
    )


def map_files(results: Mapping[str, Result | None]) -> dict[str, bytes]:
    """Pictures of the maps of results, by name, and of the truth that they share."""
    ready = {name: result for name, result in results.items() if result is not None}
    if not ready:
        return {}
    setup = next(iter(ready.values())).setup
    shares = {name: result.first.estimate for name, result in ready.items()}
    domain, truth = runs.map_of(setup.dataset), {"truth": setup.dataset.distribution}
    return pictures.maps({**truth, **shares}, domain, home(domain), setup.n)


def report(
    ours: Result | None, sentence: str, results: Mapping[str, Result | None]
) -> ReportContent | None:
    """The record's content: pictures of the truth and of `results` by their titles."""
    if ours is None:
        return None
    files = map_files(results)
    return ReportContent(ours, sentence, files, {"Truth": files.pop("truth")})


def move_place(state: PageState[Any], act: Act) -> None:
    """Move the record's place to a clicked cell, or apply an undo or a redo."""
    place = act.middle(runs.map_of(runs.dataset(state.current().scenario)))
    if not state.undo_or_redo(act.tool) and place is not None:
        state.change(lambda record: replace(record, place=place))


_CENTRES: Final = np.array([[48.137, 11.575], [48.25, 11.43], [48.06, 11.72]])
_SPREAD: Final = np.array([[0.035, 0.05], [0.012, 0.018], [0.012, 0.018]])
_SHARES: Final = (0.7, 0.15, 0.15)
"""Of a town and two beside it: latitude and longitude, their spread, both in degrees, and size."""


def _made_up() -> str:
    """People in and around a large town, always the same."""
    rng = np.random.default_rng(1)
    near = rng.choice(len(_SHARES), 400, p=_SHARES)
    places = _CENTRES[near] + _SPREAD[near] * rng.standard_normal((400, 2))
    people = rng.geometric(1 / 30, 400)
    rows = (f"{lat:.3f},{lon:.3f},{n}" for (lat, lon), n in zip(places, people, strict=True))
    return "\n".join(("latitude,longitude,people", *rows))


EXAMPLE: Final = _made_up()
"""Lines of latitude, longitude and people below a line that names them."""
