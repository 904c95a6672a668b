"""Maps of places: their ground, ready protections, and the scene that compares estimates.

Codes of pictures are made once for all visits.

The ground is made once for all visits; what does not change is not sent again by the stage. Who is
not protected: a hatch, labels with numbers, and a map of who can be read.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypedDict

import numpy as np
import streamlit as st
from scipy.special import ndtri

from caldp_core import datasets
from caldp_core.basics.cache import cached, cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Ints
from caldp_core.datasets.base_map import City
from caldp_core.domain.domains import US_GRID, Area, GridDomain
from caldp_core.estimation.intervals import may_be_noise, ranges
from caldp_core.experiments.forecast import has_valid_errors
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import BlocksSpec, GridBlocks, HexagonBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.user_text import UserText
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.controls.choices import Preset, blocks_of, cells_along, read_presets
from caldp_ui.parts import pack
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.sharing import ReportContent
from caldp_ui.session.page_state import PageState
from caldp_ui.stage import records
from caldp_ui.stage.component import Act
from caldp_ui.words import accuracy, formats, policies, promise

_US: Final = Area(24.55, 49.75, -125.2, -66.6)
"""The least that the button "fit" shows of the United States: wide frames have more sea."""


def ground(setup: Setup, domain: GridDomain, box: Area | None) -> records.Ground:
    """The ground of a scenario, with the marked box."""
    return replace(_ground(setup, domain), box=box)


def _areas(setup: Setup, domain: GridDomain) -> Hashable:
    context = setup.scenario.context
    return context.blocks, context.sensitive, domain


@cached_by(_areas)
def _ground(setup: Setup, domain: GridDomain) -> records.Ground:
    blocks = setup.partition.labels, setup.partition.names
    under = bare_ground(domain, *blocks, setup.sensitive, ~protected(setup))
    return replace(under, cities=land(domain, pack.named_points(setup))["cities"])


def bare_ground(
    domain: GridDomain,
    labels: Ints | None = None,
    names: Sequence[str] = (),
    marked: Bools | None = None,
    open_to_all: Bools | None = None,
) -> records.Ground:
    """The land under (k,) `labels` of blocks with their names, if there are several.

    `marked`, `open_to_all`: (k,) cells that are outlined, unless all are, and hatched.
    """
    cut = labels is not None and int(labels.max()) > 0
    some = marked is not None and bool(marked.any()) and not marked.all()
    hatched = open_to_all is not None and bool(open_to_all.any())
    return records.Ground(
        domain,
        home(domain),
        **land(domain),
        labels=records.encode_labels(labels) if labels is not None and cut else None,
        names=records.encode_rows([names]) if names and cut else None,
        sensitive=records.encode_mask(marked) if marked is not None and some else None,
        open=records.encode_mask(open_to_all) if open_to_all is not None and hatched else None,
    )


def protected(setup: Setup) -> Bools:
    """(k,) True for places whose people hide among others by the policy."""
    if isinstance(setup.policy, Context):
        return setup.policy.hidden()
    return np.ones(setup.dataset.domain.k, np.bool_)


def home(domain: GridDomain) -> Area:
    """The area that the stage shows at first."""
    return _US if domain == US_GRID else domain.area


class Land(TypedDict):
    """Fields of `Ground` that depend on the map alone."""

    outline: records.Blob
    land: records.Blob
    cities: records.Blob


@cached
def land(domain: GridDomain, points: tuple[City, ...] = ()) -> Land:
    """Borders, land, and `points` before cities of the part of the Earth that the map shows."""
    under = datasets.base_map(domain)
    named = (*points, *under.cities)
    rows = ((c.name, c.region, c.latitude, c.longitude, c.population) for c in named)
    return {
        "outline": records.encode_lines(*under.outline),
        "land": records.encode_lines(*under.land),
        "cities": records.encode_rows(rows),
    }


READ: Final = "read"
_EXACT: Final = 1e-12
"""Rounding error that sums of shares may have."""


@dataclass(frozen=True)
class Readable:
    """How many people are protected and how many are not, in words; a place of the protected ones.

    `corner`: the south-east of the protected places, if they are a small part of the map.
    """

    safe: str
    open: str
    corner: tuple[float, float] | None
    people: str = "people"


@cached
def readable_people(setup: Setup) -> Readable | None:
    """Who can be read under this scenario; None where everybody is protected."""
    share = promise.protected_share(setup)
    if share > 1.0 - _EXACT:
        return None
    safe, read = formats.out_of_few(share), formats.out_of_few(1.0 - share)
    return Readable(safe, read, _corner(setup), promise.of_data(formats.PLACES, setup).people)


def _corner(setup: Setup) -> tuple[float, float] | None:
    domain, mask = setup.dataset.domain, protected(setup)
    if not isinstance(domain, GridDomain) or not mask.any():
        return None
    rows, columns = domain.row_column(np.flatnonzero(mask))
    wide, high = np.ptp(columns) + 1, np.ptp(rows) + 1
    if wide * high > domain.k / 10:
        return None
    south = domain.south + domain.cell * int(rows.min())
    return south, domain.west + domain.cell * (int(columns.max()) + 1)


def mark_protected(picture: records.Picture, read: Readable | None, ours: bool) -> records.Picture:
    """The map of an estimate with who is protected on it; `ours`: by the page's protection."""
    if read is None:
        return picture
    if not ours:
        return replace(
            picture, labels=(records.Label("Protected", "all 100 of 100 people", "safe"),)
        )
    labels = [records.Label("Not protected: can be read", f"{read.open} {read.people}", "open")]
    if read.safe != "0 of 100":
        labels.append(records.Label("Protected", f"{read.safe} {read.people}", "safe", read.corner))
    alt = f"{picture.alt} Hatched places are not protected: {read.open} {read.people} can be read."
    notes = ("", picture.notes[1])
    marks = (*picture.marks, "open")
    return replace(picture, labels=tuple(labels), alt=alt, notes=notes, marks=marks)


def readable_picture(read: Readable, code: records.Blob) -> records.Picture:
    """Where people truly are, in two colours: who can be read, and who is protected."""
    return records.Picture(
        READ,
        "Who can be read",
        f"{read.open} {read.people}",
        f"Map of where people truly are: {read.open} can be read, {read.safe} are protected.",
        code,
        marks=("sensitive",),
        colours="open",
    )


PLAIN: Final = "plain"
OURS: Final = "ours"
TRUTH: Final = "truth"
PAIR: Final = records.Arrangement((PLAIN, OURS), (TRUTH,))
"""The two estimates that the headline compares are large, the truth is small, for reference."""
_DRAW: Final = "one random result"


def scene(
    data: ComparisonData, land: records.Ground, title: str = "This protection", **more: Any
) -> records.Scene:
    """The scene of the results of `data` on the ground `land`; `title`: of this protection.

    `more`: further fields of `Scene`, such as its actions.
    """
    setup = data.setup
    estimates = {PLAIN: ("Plain LDP", data.plain), OURS: (title, data.ours)}
    pictures = [truth(setup)]
    read = readable_people(setup)
    differences = []
    for name, (label, result) in estimates.items():
        if result is not None:
            notes = _notes(land, setup, name == OURS)
            picture = _estimate(name, label, result, notes)
            pictures.append(mark_protected(picture, read, name == OURS))
            alt = f"Map of how far {label} is from the truth in each cell: {picture.subtitle}."
            off = error_of(picture, ("sensitive",))
            differences.append(replace(off, title=f"{label} is off by", alt=alt))
    names = [picture.id for picture in pictures]
    if len(names) < 3:  # as long as a picture is missing, there is nothing to stand beside
        more.pop("arrangement", None)
    elif read is not None and "arrangement" in more:
        pictures.append(readable_picture(read, truth_code(setup)))
        more["arrangement"] = replace(more["arrangement"], small=(), turns=(READ, TRUTH))
    return records.Scene(
        land,
        tuple(pictures),
        setup.n,
        (names[-2] if len(names) > 1 else names[-1], names[-1]),
        tuple(differences),
        film_values=film_values(data.ours) if data.ours else {},
        scale=scale(setup, data.ours),
        image_name="caldp-map",
        image_lines=image_lines(setup),
        **shared_pictures(setup, *(name for name in estimates if name in names)),
        **more,
    )


def image_lines(setup: Setup) -> tuple[str, ...]:
    """The lines under a saved picture of maps: the promise and the setting."""
    return policies.promise_summary(formats.PLACES, setup), policies.setting_text(setup)


def shared_pictures(setup: Setup, *estimates: str) -> dict[str, Any]:
    """Fields of a `Scene` on what saved pictures may show; `estimates`: ids made of reports alone.

    Of a visitor's own data nothing else is passed on unasked.
    """
    if not runs.is_own(setup.scenario.dataset):
        return {"estimates": estimates}
    lines = (policies.setting_text(setup),)
    return {"estimates": estimates, "held_back": pack.LINE, "shared_lines": lines}


def scale(setup: Setup, result: Result | None) -> records.Scale:
    """The scale of a stage by the truth; a visitor's own data have it by the estimate, if any."""
    if result is not None and runs.is_own(setup.scenario.dataset):
        return records.scale_of(result.first.estimate)
    return _true_scale(setup)


@cached_by(lambda setup: runs.data_key(setup.scenario))
def _true_scale(setup: Setup) -> records.Scale:
    return records.scale_of(setup.dataset.distribution)


def _notes(land: records.Ground, setup: Setup, in_blocks: bool) -> tuple[str, str]:
    """Notes in a map's lower corners: its lines of blocks; the draw."""
    if land.labels is None or not in_blocks:
        return "", _DRAW
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
    nouns = promise.of_data(formats.PLACES, result.setup)
    error = accuracy.tv_in_words(nouns, result.first.errors.tv)
    if not has_valid_errors(result.setup):
        error = "error unknown: the data were made with the prior"
    method = MECHANISMS[result.setup.mechanism_name].title
    return f"{error} · {method}{policies.describe_parameters(result.setup.scenario.mechanism)}"


def error_fact(result: Result) -> records.Fact:
    """The error of a result as a fact, for large type."""
    if not has_valid_errors(result.setup):
        return records.Fact("–", "not judged: data made with the prior")
    # The headline above says how large a place is; here phones have room for one line.
    nouns = replace(promise.of_data(formats.PLACES, result.setup), wrong=formats.PLACES.wrong)
    number, text = accuracy.wrong_of_hundred(nouns, result.first.errors.tv)
    return records.Fact(number, text)


def _whole_key(result: Result) -> str:
    return runs.key(result.setup.scenario)


@cached_by(_whole_key)
def estimate_code(result: Result) -> records.Blob:
    """The estimate as the browser reads it."""
    return records.encode_people(result.first.estimate, result.setup.n)


@cached_by(_whole_key)
def pooling_levels(result: Result) -> records.Blob | None:
    """How far cells were pooled for the estimate; None where every cell has its own number."""
    levels = result.first.levels
    return None if levels is None else records.encode_levels(levels)


@cached_by(lambda setup: runs.data_key(setup.scenario))
def truth_code(setup: Setup) -> records.Blob:
    """Where people truly are, as the browser reads it: the same whatever is protected."""
    return records.encode(setup.dataset.distribution)


def truth(setup: Setup, marks: tuple[records.Mark, ...] = ()) -> records.Picture:
    """The map of where people truly are."""
    return records.Picture(
        TRUTH,
        "Truth",
        f"{promise.population(setup)}, shown for demonstration only",
        f"Map of where people truly are: {UserText(setup.dataset.name).plain}.",
        truth_code(setup),
        marks=marks,
    )


def estimate(
    name: str,
    title: str,
    caption: str,
    result: Result,
    *,
    marks: tuple[records.Mark, ...],
    fact: records.Fact,
) -> records.Picture:
    """The map of an estimate; `caption`: its subtitle, `fact`: its error in large type."""
    alt = f"Map of the estimate, {title}: {caption}."
    nobody = records.nobody_below(result.setup.n)
    blob, levels = estimate_code(result), pooling_levels(result)
    return records.Picture(name, title, caption, alt, blob, nobody, marks, fact, pooled=levels)


def error_of(picture: records.Picture, marks: tuple[records.Mark, ...]) -> records.Difference:
    """The map of how far a picture of an estimate is from the truth in each cell."""
    return records.Difference(
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


def _estimate(name: str, title: str, result: Result, notes: tuple[str, str]) -> records.Picture:
    caption, fact = subtitle(result), error_fact(result)
    marks: tuple[records.Mark, ...] = ("sensitive",) if name == PLAIN else ("blocks", "sensitive")
    picture = estimate(name, title, caption, result, marks=marks, fact=fact)
    alt = f"Map of the estimate from randomised reports, {title}: {caption}."
    error = _spread(result) if name == OURS else None
    certain, doubt = _certain(result)
    notes = notes[0], notes[1] + doubt
    return replace(picture, alt=alt, notes=notes, error=error, certain=certain)


@cached_by(_whole_key)
def _certain(result: Result) -> tuple[records.Blob | None, str]:
    """Cells where somebody surely is, None without variances; and a note where there are none."""
    try:
        certain = ~may_be_noise(result.first.evidence)
    except CaldpError:
        return None, ""
    return records.encode_mask(certain), "" if certain.any() else ": bright cells may be noise"


@cached_by(_whole_key)
def _spread(result: Result) -> records.Blob | None:
    """Each cell's range as a standard error of its share; None where ranges are not known.

    Of the longer side, as the browser draws both in the same way; rounded up to quarters of a
    doubling, as most bytes of finer ones would be noise.
    """
    shares = result.first.estimate
    try:
        ends = ranges(result.first.evidence, shares)
    except CaldpError:
        return None
    half = np.maximum(ends.high - shares, shares - ends.low)
    with np.errstate(divide="ignore"):
        error = np.exp2(np.ceil(4 * np.log2(half / float(ndtri((1 + ends.level) / 2)))) / 4)
    return records.encode_errors(error)


_NAMED_MAX: Final = 200
"""Cities in the list."""


def cities(domain: GridDomain, *extra: int) -> list[int]:
    """The cells of the largest cities, after those of `extra` that are not among them."""
    named = list(formats.towns(domain))[:_NAMED_MAX]
    return [*(cell for cell in extra if cell not in named), *named]


def place_control(state: PageState[Any], label: str, domain: GridDomain, current: int) -> None:
    """The menu of the record's place, now the cell `current`; a click on a map chooses it, too."""
    cells = cities(domain, current)
    st.selectbox(
        label,
        cells,
        format_func=lambda cell: formats.place_name(domain, cell),
        label_visibility="collapsed",
        **state.bind("place", current, lambda record, at: replace(record, place=int(at)), cells),
    )


def map_files(results: Mapping[str, Result | None]) -> dict[str, bytes]:
    """Pictures of the maps of results, by name, and of the truth that they share."""
    ready = {name: result for name, result in results.items() if result is not None}
    if not ready:
        return {}
    setup = [*ready.values()][-1].setup
    shares = {name: result.first.estimate for name, result in ready.items()}
    domain, truth = runs.map_of(setup.dataset), {"truth": setup.dataset.distribution}
    maps = pack.maps({**truth, **shares}, domain, home(domain), records.nobody_below(setup.n))
    setups = {"truth": setup} | {name: result.setup for name, result in ready.items()}
    return {
        name: pack.captioned(png, [policies.setting_text(setups[name])])
        for name, png in maps.items()
    }


def report(
    ours: Result | None,
    sentence: str,
    results: Mapping[str, Result | None],
    by_area: pack.AreaResult | None = None,
) -> ReportContent | None:
    """The record's content: pictures of the truth and of `results` by their titles."""
    if ours is None:
        return None
    files = map_files(results)
    return ReportContent(ours, sentence, files, {"Truth": files.pop("truth")}, by_area)


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


BEGIN: Final = Scenario()
_PLAIN, _NONE_SENSITIVE, _COUNTRIES, _REGIONS = read_presets(__file__, "every_map", Preset)
_GRID, *_OTHERS = read_presets(__file__, "paper", Preset)
PRESETS: Final = (_GRID, _PLAIN, *_OTHERS, _NONE_SENSITIVE)


def initial_blocks(spec: BlocksSpec, domain: GridDomain) -> BlocksSpec:
    """Blocks of the same kind to begin with, in the sizes that the map wants."""
    if isinstance(spec, GridBlocks):
        return blocks_of(domain)
    return hexagons_of(domain) if isinstance(spec, HexagonBlocks) else spec


def hexagons_of(domain: GridDomain) -> HexagonBlocks:
    """Hexagons to begin with: in the middle of the sizes that a map has."""
    sizes = datasets.hexagon_resolutions(domain)
    return HexagonBlocks(sizes[len(sizes) // 2]) if sizes else HexagonBlocks()


def hexagon_size(resolution: int) -> str:
    """The distance across a hexagon, as text in km or m."""
    return f"about {formats.length(datasets.hexagon_km(resolution))}"


def presets_of(domain: GridDomain) -> tuple[Preset, ...]:
    """The ready protections of a map: states, cities and numbers of inhabitants are the paper's."""
    return PRESETS if domain == US_GRID else _other_map_presets(domain)


@cached
def _other_map_presets(domain: GridDomain) -> tuple[Preset, ...]:
    side, hexagons = f"{cells_along(domain) * domain.cell:g}°", hexagons_of(domain)
    of_hexagons = Preset(
        f"Hexagons of {hexagon_size(hexagons.resolution)}",
        "Hide where in a hexagon someone is, not which; they are about equally large everywhere.",
        ContextPolicy(hexagons),
    )
    return (
        Preset(
            f"Blocks of about {side}",
            f"Hide where in a block of about {side} × {side} someone is, not which block.",
            ContextPolicy(blocks_of(domain)),
        ),
        _PLAIN,
        *([_COUNTRIES] if len(datasets.country_labels(domain)[1]) > 1 else []),
        *([_REGIONS] if len(datasets.region_labels(domain)[1]) > 1 else []),
        *([of_hexagons] if datasets.hexagon_resolutions(domain) else []),
        _NONE_SENSITIVE,
    )


def matching_preset(scenario: Scenario) -> Preset | None:
    """The preset that the scenario shows, if it is one."""
    domain = runs.finest_map_of(runs.dataset(scenario))
    return choices.matching_preset(presets_of(domain), scenario)


def title(scenario: Scenario) -> str:
    """A title for a scenario, in a few words."""
    preset = matching_preset(scenario)
    level = policies.level_text(runs.setup(scenario))
    return f"{preset.title if preset else 'own protection'}, {level}"
