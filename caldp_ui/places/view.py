"""What the page shows of a record: its headline, maps, marked box, areas, and the public prior."""

from dataclasses import dataclass, replace
from html import escape
from typing import Final, TypeAlias

import numpy as np
import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Progress
from caldp_core.datasets import OwnPlaces, OwnTable
from caldp_core.datasets.base_map import population_shares
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.maps import CELLS, FINE_CELLS, MapRequest
from caldp_core.datasets.files.places import (
    CountedMap,
    CountedPlaces,
    count_places,
    count_published_map,
)
from caldp_core.datasets.public_map import PublicMap
from caldp_core.domain.domains import Area, GridDomain
from caldp_core.estimation.cascade_estimator import pooling_helps
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.estimation.evidence import KNOWING_MAP
from caldp_core.estimation.public_prior import prior_effect
from caldp_core.experiments.forecast import has_valid_errors, invalid_error_reason
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.regions import CellErrors, RegionReport
from caldp_core.experiments.run import Result
from caldp_core.scenarios import blocks
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import VALUES
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.user_text import UserText
from caldp_ui.compute import runs
from caldp_ui.compute.runs import CellErrorCurves
from caldp_ui.maps import areas
from caldp_ui.maps.scene import (
    EXAMPLE,
    OURS,
    PAIR,
    PLAIN,
    TRUTH,
    error_fact,
    error_id,
    estimate_code,
    ground,
    home,
    image_lines,
    pooling_levels,
    scene,
    subtitle,
)
from caldp_ui.parts import layout, own_data, pack, sharing
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.parts.layout import SENTENCE, headline_html
from caldp_ui.places import controls, page_state
from caldp_ui.places.page_state import STATE, PlacesData, PlacesState, full_map
from caldp_ui.session import page_state as session_page_state
from caldp_ui.session import visit
from caldp_ui.session.jobs import run_page
from caldp_ui.shell.page import View
from caldp_ui.stage.records import Ground, Scene, Step, nobody_below
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.formats import PLACES, Headline, place_name


def region_sentences(report: RegionReport, scenario: Scenario) -> list[str]:
    """Notes on a region's numbers: its range, one below 0, whole blocks, the sum of its cells."""
    sentences = []
    if report.half_width > 0:
        sentences.append(TEXTS["box_range"])
    if round(report.estimate) < 0:
        sentences.append(TEXTS["below_zero"])
    if report.exact_blocks:
        blocks = formats.count(report.exact_blocks, "block lies", "blocks lie")
        sentences.append(TEXTS["exact_blocks"].format(blocks=blocks))
    used, people = ESTIMATORS[scenario.estimator], formats.people(report.processed_estimate)
    return [*sentences, TEXTS["sum_of_cells"].format(people=people, estimator=used)]


def describe_area(area: Area) -> str:
    """A box in words."""
    edges = (area.south, area.west, area.north, area.east)
    cell = 0.2 if all(abs(10 * edge - round(10 * edge)) < 1e-6 for edge in edges) else 0.02
    corner = formats.degrees(area.south, area.west, cell)
    return f"{corner} to {formats.degrees(area.north, area.east, cell)}"


def dots_text(report: RegionReport) -> str:
    """What the dots of the range of a box mean."""
    if report.half_width <= 0:
        return "Known exactly: nothing in this box is hidden."
    low, high = formats.people(report.low), formats.people(report.high)
    return TEXTS["dots"].format(low=low, high=high, dots=layout.DOTS)


def cell_sizes_sentence(ladder: CellErrorCurves, finest: float) -> str:
    """The size of cells that comes closest to the truth, for this protection and plain LDP.

    `finest`: side of the smallest cells in degrees.
    """
    ours, plain = (min(each, key=lambda e: e.both) for each in (ladder.ours, ladder.plain))
    return (
        f"With this protection, cells of **{accuracy.cell_size_text(ours.cell)}** come closest to "
        f"where people truly are: {formats.of_hundred(ours.both)} in the wrong cell of "
        f"{finest:g}°. With plain LDP it is cells of **{accuracy.cell_size_text(plain.cell)}**: "
        f"{formats.of_hundred(plain.both)}."
    )


_TOLERANCE: Final = 1e-9


def cell_sizes_html(ladder: CellErrorCurves, now: float, finest: float) -> str:
    """A table of the errors at each size of cells; `now`, `finest`: sides in degrees."""
    rows = "".join(
        _row_html(ours, plain, abs(ours.cell - now) < finest / 2, ladder)
        for ours, plain in zip(ladder.ours, ladder.plain, strict=True)
    )
    heads = ("cells of", "blur", "noise", "together", "noise, plain LDP", "together, plain LDP")
    head = "".join(f"<th scope=col>{escape(each)}</th>" for each in heads)
    return f'<table class="ladder"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row_html(ours: CellErrors, plain: CellErrors, is_now: bool, ladder: CellErrorCurves) -> str:
    least = (min(each.both for each in rows) + _TOLERANCE for rows in (ladder.ours, ladder.plain))
    best = [each.both <= most for each, most in zip((ours, plain), least, strict=True)]
    here = " (now)" if is_now else ""
    return (
        f"<tr{' class=now' if is_now else ''}><th "
        f"scope=row>{accuracy.cell_size_text(ours.cell)}{here}</th>"
        f"{_bar_html(ours.blur, 'blur')}{_bar_html(ours.noise, 'noise')}"
        f"{_bar_html(ours.both, 'both', best[0])}"
        f"{_bar_html(plain.noise, 'noise')}{_bar_html(plain.both, 'both', best[1])}</tr>"
    )


def _bar_html(tv: float, kind: str, best: bool = False) -> str:
    number = f"<b>{formats.per_hundred(tv)}</b> least" if best else formats.per_hundred(tv)
    return f'<td class="{kind}" style="--of:{min(tv, 1.0):.3f}"><i></i><span>{number}</span></td>'


def headline(data: ComparisonData) -> Headline:
    """Who is not protected, if anybody; the error of this protection and of plain LDP."""
    tvs = (None if each is None else each.first.errors.tv for each in (data.ours, data.plain))
    return accuracy.headline(PLACES, data.setup, *tvs)


def one_line_summary(data: ComparisonData) -> str:
    """What is protected, and the error of the map."""
    has_error = data.ours is not None and has_valid_errors(data.setup)
    tv = data.ours.first.errors.tv if has_error and data.ours is not None else None
    nouns = promise.of_data(PLACES, data.setup)
    error = accuracy.error_sentence(nouns, tv, None)
    return f"{policies.promise_summary(PLACES, data.setup)} {error}"


def view(data: PlacesData, pinned: PlacesData | None, _: object) -> View:
    """The headline, the odds, and the maps to look at; those of a pin are called so."""
    return _view(data, scene(data, _ground(data), *(["Pinned"] if data is pinned else [])))


def view_to_draw_on(data: PlacesData) -> View:
    """The view with the tools of its maps."""
    return _view(
        data, scene(data, _ground(data), actions=page_state.actions(data.setup), arrangement=PAIR)
    )


def _view(data: PlacesData, maps: Scene) -> View:
    risk = {layout.PLACE: layout.odds_html(PLACES, data.setup)}
    return View(headline(data), texts=risk, scene=maps, still=TRUTH)


def _ground(data: PlacesData) -> Ground:
    return ground(data.setup, runs.map_of(data.setup.dataset), data.region)


def render(record: PlacesState) -> Step:
    """What moves along ε: maps, errors, headline and odds."""
    scenario = record.scenario
    ours, plain = runs.result(scenario), runs.result(runs.best_plain_ldp(scenario))
    step = render_outcome(ours, plain)
    odds, lines = layout.odds_html(PLACES, ours.setup), image_lines(ours.setup)
    return replace(
        step,
        replacements={**step.replacements, layout.PLACE: odds},
        image_lines=lines,
        shared_lines=lines[1:],
    )


def render_outcome(ours: Result, plain: Result) -> Step:
    """What moves with new noise: maps, errors and headline."""
    pair = {PLAIN: plain, OURS: ours}
    sentence = headline(ComparisonData(ours.setup, plain.setup, ours, plain))
    named = pair | {error_id(name): result for name, result in pair.items()}
    return Step(
        codes={name: estimate_code(result) for name, result in pair.items()},
        subtitles={name: subtitle(result) for name, result in named.items()},
        facts={name: error_fact(result) for name, result in named.items()},
        pooled={name: levels for name, r in pair.items() if (levels := pooling_levels(r))},
        replacements={SENTENCE: headline_html(sentence)},
        headline=sentence,
    )


TEXTS: Final = read_texts(__file__)


def area_section(data: ComparisonData) -> None:
    """The menu of areas, the map, the table, and the files."""
    areas.open_section()
    found, setup = pack.by_areas(data.ours, areas.chosen_areas(data.setup)), data.setup
    if data.ours is not None:
        setup = sharing.estimated_setup(setup, data.ours.first.estimate)
    areas.section(STATE, setup, found, sharing.open_counts_text(setup))


INHABITANTS_ESTIMATOR: Final = "cascade-inhabitants"
_EXAMPLES: Final = 3


def prior_section(data: ComparisonData) -> None:
    """The offer of a prior, or how much of the picture it has made."""
    scenario = data.setup.scenario
    if scenario.estimator not in (INHABITANTS_ESTIMATOR, KNOWING_MAP):
        st.markdown(TEXTS["prior_offer"])
    elif data.ours is None:
        st.info("The numbers come once the picture is there.")
    elif not pooling_helps(data.ours.setup.mechanism):
        st.markdown("Blocks are so small here that the prior changes nothing.")
    else:
        _show(data.ours)
    with st.container(horizontal=True):
        if scenario.estimator != INHABITANTS_ESTIMATOR:
            _estimator_button(
                "Use where people live", "location_city", "use-prior", INHABITANTS_ESTIMATOR
            )
        if isinstance(scenario.prior, PublicMap) and scenario.estimator != KNOWING_MAP:
            title = escape_markdown(scenario.prior.title)
            _estimator_button(f"Use “{title}”", "history", "use-map", KNOWING_MAP)
        STATE.button("bring", "Use my file", _bring, icon="upload_file")
        if scenario.estimator in (INHABITANTS_ESTIMATOR, KNOWING_MAP):
            _estimator_button("Use reports alone", "block", "use-none", Scenario().estimator)
    st.caption(TEXTS["prior_file"])


def _estimator_button(label: str, icon: str, name: str, estimator: str) -> None:
    """A button that sets the estimator; runs the page, as a tab alone would leave the maps."""

    def use() -> None:
        session_page_state.update_scenario(STATE, lambda s: replace(s, estimator=estimator))
        run_page()

    STATE.button(name, label, use, icon=icon)


def _bring() -> None:
    st.session_state[_PRIOR_KEY] = True
    session_page_state.open_part(STATE.page, "own")
    run_page()


def public_prior(ours: Result) -> tuple[UserText, Floats]:
    """The prior of the estimate: its name for readers, and (k,) shares."""
    scenario = ours.setup.scenario
    if scenario.estimator == KNOWING_MAP and isinstance(scenario.prior, PublicMap):
        prior = ours.setup.options.prior
        assert prior is not None  # the setup's check sees to it
        return UserText(f"“{UserText(scenario.prior.title).raw}”"), prior
    return UserText("Where people live"), population_shares(runs.map_of(ours.setup.dataset))


def _show(ours: Result) -> None:
    domain = runs.map_of(ours.setup.dataset)
    shift = prior_effect(ours.first.evidence, ours.first.estimate)
    name, prior = public_prior(ours)
    st.markdown(prior_share_text(shift, name.markdown))
    source = (
        " (GeoNames)"
        if ours.setup.scenario.estimator == INHABITANTS_ESTIMATOR
        else ", the public map"
    )
    shares = {f"{name.plain}{source}": prior}
    if shift.any():
        shares["More people because of it"] = np.maximum(shift, 0.0)
        shares["Fewer people because of it"] = np.maximum(-shift, 0.0)
    images = pack.maps(shares, domain, home(domain), nobody_below(ours.setup.n))
    for column, (title, png) in zip(st.columns(3), images.items(), strict=False):
        column.image(png, caption=escape_markdown(title))
    st.markdown(escape_markdown(judgement_text(ours, shift, domain)))


def prior_share_text(shift: Floats, name: str) -> str:
    """The share of people whom a prior moves, by its (k,) `shift` of shares; `name`: its name."""
    if not shift.any():
        return f"{name} does not fit these reports; it is **left alone**: nobody is moved."
    number = formats.of_hundred(0.5 * float(np.abs(shift).sum()))
    cause = "because of towns" if name == "Where people live" else f"because of {name}"
    return f"**{number} people are where they are on this map {cause}, not of reports.**"


def judgement_text(ours: Result, shift: Floats, domain: GridDomain) -> str:
    """The error with the prior, without it and of it alone, and where it misleads most.

    `shift`: (k,) shares that the prior adds.
    """
    reason = invalid_error_reason(ours.setup)
    if reason:
        return reason
    truth, estimate = ours.setup.dataset.distribution, ours.first.estimate
    errors = [
        formats.per_hundred(total_variation(truth, each))
        for each in (estimate, estimate - shift, public_prior(ours)[1])
    ]
    worse = np.abs(estimate - truth) - np.abs(estimate - shift - truth)
    worst = np.argsort(-worse)[:_EXAMPLES]
    named = "; ".join(place_name(domain, int(x)) for x in worst if worse[x] > 0)
    misled = f" It misleads most at {named}." if named else ""
    return TEXTS["prior_errors"].format(*errors, misled=misled)


CountedData: TypeAlias = CountedPlaces | CountedMap | CountedAnswers
_PRIOR_KEY: Final = f"{STATE.page}/own-as"
"""The session key that says that the form was opened for a public map."""
_AREAS_KEY: Final = f"{STATE.page}/own-areas"
"""The session key of a table of areas, which the page of answers shows."""
_NEAR_KEY: Final = f"{STATE.page}/own-near"
"""The session key of the points near which people are protected; None: everybody is."""
_NEAR_CELLS: Final = 2**18
"""Most cells of a map that is made for people near points: 50 km × 50 km in cells of 110 m."""
_AS_DATA: Final = "the people to be protected, on a map of their own"
_AS_PRIOR: Final = "what is public already: an earlier map of these places"


@dataclass(frozen=True)
class _CurrentMap(MapRequest):
    """A request to count a public map on the page's own map."""


def popover() -> None:
    """The button, and the form that it opens; a table of areas is shown on the page of answers."""
    own_data.popover(STATE, _FORM)
    table = st.session_state.pop(_AREAS_KEY, None)
    if table is not None:
        query = visit.query(Scenario(dataset=table).plain())
        st.switch_page(VALUES, query_params=query)


def _next_step(counts: CountedData) -> str:
    if isinstance(counts, CountedAnswers):
        return "Areas are answers: tick those that are sensitive, or click them on the map."
    if isinstance(counts, CountedMap):
        return "The estimate takes the file for known: “Public prior” below says how much that is."
    next_step = TEXTS["next_near"] if st.session_state.get(_NEAR_KEY) else TEXTS["next"]
    return f"Counted in cells of {counts.places.cell:g}°. {next_step}"


def _ask_layout(key: own_data.Key, file: DetectedFile, layout: Layout) -> Layout | None:
    """Asks what the places are; of people's, also the cell size and the part of the Earth."""
    if layout.areas:
        st.caption("An area is one value, without cells: it opens on “Sensitive answers”.")
        return layout
    picked = st.radio(
        "These places are …",
        (_AS_DATA, _AS_PRIOR),
        index=int(st.session_state.get(_PRIOR_KEY, False)),
        key=key("as"),
    )
    if picked == _AS_PRIOR:
        st.caption("Counted on the map that is shown now. It never says what these people do.")
        shown = STATE.current().scenario.dataset
        grid = full_map(shown) or runs.finest_map_of(shown.load())
        return replace(layout, wanted=_CurrentMap(grid.cell, grid.area), person=None)
    return _ask_cells(key, own_data.ask_rows(key, file, layout))


def _ask_cells(key: own_data.Key, layout: Layout) -> Layout | None:
    """Asks who is protected, for the cell size and for the part of the Earth."""
    try:
        near = st.session_state[_NEAR_KEY] = controls.ask_near(key)
        request = _ask_map(key, near is not None)
    except CaldpError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        return None
    return replace(layout, wanted=request) if near is None or near.points else None


def _ask_map(key: own_data.Key, near_points: bool) -> MapRequest:
    """Asks for the cells and the part of the Earth; by default both follow from the places.

    For people near points cells are as small as fits. Raises `CaldpError` for an unknown part.
    """
    left, right = st.columns([2, 3])
    cell = left.selectbox(
        "Cells of …",
        (*FINE_CELLS, *CELLS),
        index=None,
        format_func=accuracy.cell_size_text,
        placeholder="110 m, or what fits" if near_points else "chosen for me",
        key=key("cell"),
        help="Counts that were made before keep their cells. Larger ones can be had later.",
    )
    text = right.text_input(
        "Part of the Earth: south, north, west, east",
        placeholder="all places of the file",
        key=key("extent"),
    )
    request = MapRequest(cell, Area.parse(text) if text.strip() else None)
    fine = replace(request, sides=(*FINE_CELLS, *CELLS), most=_NEAR_CELLS)
    return fine if near_points else request


def _count_rows(
    contents: DetectedFile, layout: Layout, title: str, progress: Progress
) -> CountedData:
    if layout.areas:
        named = OwnTable.title if title == OwnPlaces.title else title
        return count_answers(contents, layout, named, progress)
    request = layout.wanted
    if not isinstance(request, _CurrentMap):
        return count_places(contents, layout, title, progress)
    assert request.extent is not None
    assert request.cell is not None
    grid = GridDomain.from_area(request.extent, request.cell)
    return count_published_map(contents, layout, title, grid, progress)


def _people_count(counts: CountedData) -> int:
    if isinstance(counts, CountedAnswers):
        return sum(counts.table.counts)
    return counts.people if isinstance(counts, CountedMap) else int(counts.places.counts().sum())


def _apply_counts(scenario: Scenario, counts: CountedData) -> Scenario:
    st.session_state.pop(_PRIOR_KEY, None)
    if isinstance(counts, CountedAnswers):
        st.session_state[_AREAS_KEY] = counts.table
        return scenario
    if isinstance(counts, CountedMap):
        return replace(scenario, estimator=KNOWING_MAP, prior=counts.published)
    near = st.session_state.get(_NEAR_KEY)
    after = controls.with_dataset(scenario, counts.places)
    return after.with_context(blocks=blocks.OneBlock(), sensitive=near) if near else after


_FORM: Final[own_data.Form[CountedData]] = own_data.Form(
    "Your own list of places",
    "A row for each place: **latitude, longitude** in degrees, and perhaps how many people.",
    "Places",
    EXAMPLE,
    "Munich (made up)",
    OwnPlaces.title,
    ("latitude", "longitude", "people", "weight", "person-id"),
    ("latitude", "longitude"),
    lambda seen: seen.places,
    _count_rows,
    _people_count,
    _apply_counts,
    _next_step,
    _ask_layout,
)
