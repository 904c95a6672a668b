"""The page: its controls, its maps and films, the tabs below them, and its guided tour."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.domain.domains import US_GRID, Area, GridDomain
from caldp_core.experiments.forecast import has_valid_errors, invalid_error_reason
from caldp_core.experiments.regions import cell_errors, number_of_boxes, region_report
from caldp_core.experiments.run import Result, Setup
from caldp_core.scenarios.blocks import GridBlocks, OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import escape_markdown, read_texts, read_toml
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.maps import areas
from caldp_ui.maps.scene import BEGIN, map_files, presets_of, readable_people, report, title
from caldp_ui.offline import document
from caldp_ui.parts import comparison, layout, pack, pins, sharing
from caldp_ui.parts.comparison import BLOCKS, EPSILON, PEOPLE, SENSITIVE, ComparisonData
from caldp_ui.places import controls, page_state, view
from caldp_ui.places.page_state import STATE, PlacesState, load_data
from caldp_ui.relief import view as relief
from caldp_ui.session import jobs
from caldp_ui.session.page_state import bind_held, redraw_noise, update_scenario
from caldp_ui.shell.page import PinPage
from caldp_ui.stage.records import Film, Step
from caldp_ui.words import accuracy, formats, promise

TEXTS: Final = read_texts(__file__)


def _controls(data: ComparisonData) -> None:
    """All controls of the page at the left, the odds for a person at the right."""
    setup = data.setup
    domain = runs.finest_map_of(setup.dataset)
    with st.container(key=STATE.key("steer"), gap="small"):
        choices.menu(STATE, presets_of(domain))
        with st.container(key=STATE.key("dials"), gap="small"):
            common.epsilon(STATE)
            common.people(STATE, setup.dataset.n)
        with st.container(key=STATE.key("forms"), horizontal=True, gap="xsmall"):
            _forms(data, domain)
    with st.container(key=STATE.key("risk"), gap="small"):
        layout.show_odds(formats.PLACES, setup)
        comparison.safety_button(STATE, formats.PLACES, setup)
        pins.redraw_and_pin(STATE, PAGE.pin_title)


def _forms(data: ComparisonData, domain: GridDomain) -> None:
    """The forms behind buttons; closed ones are not drawn, as every control costs each run."""
    setup, scenario = data.setup, data.setup.scenario

    def protection() -> None:
        controls.protection_controls(scenario, domain)
        STATE.button(
            "clear",
            "Clear the drawing",
            STATE.change,
            page_state.without_drawing,
            icon="delete",
            disabled=page_state.without_drawing(STATE.current()) == STATE.current(),
            help="What was protected before the drawing is protected again.",
        )

    def more() -> None:
        controls.data_control()
        _cell_controls(data)
        common.method(STATE)
        common.estimate(STATE)

    label, icon = _protection_label(setup), ":material/tune:"
    choices.fold(st.popover, label, STATE.key("protection"), protection, icon=icon)
    icon = ":material/database:"
    choices.fold(st.popover, "Data, cells", STATE.key("more"), more, icon=icon)
    view.popover()


def _protection_label(setup: Setup) -> str:
    """The label of the protection form; it stays while the form is open, which else would close."""
    key, is_open = STATE.key("protection-label"), st.session_state.get(STATE.key("protection"))
    if key not in st.session_state or not is_open:
        everybody = readable_people(setup) is None
        st.session_state[key] = "What is protected" if everybody else "Protect more places"
    return str(st.session_state[key])


def _cell_controls(data: ComparisonData) -> None:
    """The slider of the cell size with both errors below it, and the extent of the map."""
    scenario, fine = data.setup.scenario, runs.finest_map_of(data.setup.dataset)
    steps = page_state.merge_factors(scenario)
    if page_state.merge_factor(scenario.dataset) is not None and len(steps) > 1:
        slider = common.Slider[PlacesState](
            "cells",
            lambda record: page_state.merge_factor(record.scenario.dataset) or 1,
            lambda record, times: replace(
                record, scenario=page_state.with_merge_factor(record.scenario, int(times))
            ),
            steps,
            lambda times: accuracy.cell_size_text(round(times * fine.cell, 9)),
        )
        common.show(STATE, slider, "Cell size", TEXTS["cells_help"])
    if data.ours is not None and has_valid_errors(data.setup):
        errors = cell_errors(data.setup, data.ours.first.estimate)
        st.caption(accuracy.cell_error_text(errors, fine.cell))
    st.caption(accuracy.cell_area_text(runs.map_of(data.setup.dataset)))
    _part_controls(data)


def _part_controls(data: ComparisonData) -> None:
    whole = page_state.full_map(data.setup.scenario.dataset)
    if whole is None:
        return
    now = runs.finest_map_of(data.setup.dataset).area
    st.text_input(
        "Part of the map: south, north, west, east",
        help="In degrees. Or take the tool “Box” on the maps, “Show only this part”, and drag.",
        **bind_held(STATE, "part", str(now), lambda s, text: page_state.crop(s, Area.parse(text))),
    )
    STATE.button(
        "whole",
        "Show the whole map",
        lambda: update_scenario(STATE, lambda s: page_state.crop(s, whole.area)),
        icon="zoom_out_map",
        disabled=now == whole.area,
    )


def _cell_sizes(data: ComparisonData) -> None:
    """The errors at every cell size, for this protection and plain LDP."""
    scenario = data.setup.scenario
    if not has_valid_errors(data.setup):
        st.info(invalid_error_reason(data.setup))
        return
    if page_state.merge_factor(scenario.dataset) is None:
        st.info(TEXTS["snap_cells"])
        return
    sizes = [
        page_state.with_merge_factor(scenario, times)
        for times in page_state.merge_factors(scenario)
    ]
    curves = jobs.run_automatically(
        STATE.key("cell-sizes"),
        runs.cells_key(sizes),
        lambda progress: runs.errors_by_cell_size(sizes, progress),
        lambda job: f"Computing the errors of every size of cells: {job.share:.0%}",
    )
    if curves is not None and curves.ours:
        finest = runs.finest_map_of(data.setup.dataset).cell
        st.markdown(view.cell_sizes_sentence(curves, finest))
        now = (page_state.merge_factor(scenario.dataset) or 1) * finest
        st.html(view.cell_sizes_html(curves, now, finest))
        st.caption(TEXTS["cell_sizes_notes"])
    elif curves is not None:
        st.info("There is nothing to compare here: with each size a run would take long.")


def _show_region(area: Area, result: Result, domain: GridDomain) -> None:
    """The box's numbers under the maps."""
    try:
        report = region_report(result.setup, result.first, domain.area_mask(area))
    except CaldpError as error:
        st.info(escape_markdown(str(error)))
        return
    cells = formats.count(report.cells, "cell", "cells")
    with st.container(border=True, key=STATE.key("region")):
        left, right = st.columns([1.2, 1], gap="medium")
        with left:
            st.markdown(f"**In your box** · {view.describe_area(area)} · {cells}")
            # The box may have been picked from all others by what the map shows.
            ends = report.ends(number_of_boxes(domain))
            with st.container(key=STATE.key("region-numbers"), horizontal=True):
                counted = promise.counted(result.setup.scenario)[1]
                st.metric(f"True number of {counted}", formats.people(report.truth))
                st.metric("Estimate from the reports", formats.people(report.estimate))
                st.metric("95 % range", " – ".join(map(formats.people, ends)))
        with right:
            st.html(layout.dotplot(report.estimate, report.half_width, view.dots_text(report)))
            st.caption(view.dots_text(report))
        if report.is_lost_in_noise:
            st.warning(TEXTS["too_small"], icon=":material/blur_on:")
        st.caption(" ".join(view.region_sentences(report, result.setup.scenario)))
        STATE.button("unmark", "Unmark", page_state.mark_region, None, icon="close")


def _promise(data: ComparisonData) -> None:
    comparison.shield(formats.PLACES, data.setup)
    comparison.not_promised(formats.PLACES, data.setup)
    dataset = data.setup.dataset
    st.caption(f"Data: **{escape_markdown(dataset.name)}**. {escape_markdown(dataset.note)}")


def _curves(data: ComparisonData) -> None:
    comparison.curves_section(STATE, _CURVE_CHOICES, data)
    accuracy.terms("sampling error", "estimator")


def _relief(data: ComparisonData) -> None:
    results = {"Plain LDP": data.plain, "This protection": data.ours}
    relief.show(STATE, data.setup, runs.map_of(data.setup.dataset), results)


def _numbers(data: ComparisonData) -> None:
    pins.section(STATE, data)
    comparison.table(data.setup)


def _sharing(data: ComparisonData) -> None:
    content, other_scenarios = None, {}
    if data.ours is not None and data.plain is not None:
        other_scenarios = {sharing.PLAIN: data.plain.setup.scenario}
        errors = (data.ours.first.errors.tv, data.plain.first.errors.tv)
        nouns = promise.of_data(formats.PLACES, data.setup)
        sentence = accuracy.error_sentence(nouns, *errors)
        sentence = invalid_error_reason(data.setup) or sentence
        results = {"Plain LDP": data.plain, "This protection": data.ours}
        by_area = pack.by_areas(data.ours, areas.chosen_areas(data.setup))
        content = report(data.ours, sentence, results, by_area)
    sharing.section(STATE, formats.PLACES, content, other_scenarios, sharing.show_map_save_hint)
    document.offer_page(STATE, lambda record: PAGE.part(replace(record, region=None)))


_CURVE_CHOICES: Final = (EPSILON, PEOPLE, BLOCKS, SENSITIVE)
_TABS: Final[dict[str, Callable[[ComparisonData], None]]] = {
    "What is promised": _promise,
    "Error curves": _curves,
    "By area": view.area_section,
    "Cell size": _cell_sizes,
    "Relief": _relief,
    "Public prior": view.prior_section,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def _films(record: PlacesState) -> list[pins.SliderFilm[PlacesState]]:
    """The film along ε, where the scenario has one ε and its pictures are fast to compute."""
    scenario = record.scenario
    both = (scenario, runs.best_plain_ldp(scenario))
    slow = isinstance(scenario.context.epsilon, tuple) or any(map(runs.takes_long, both))
    return [] if slow else [EPSILON_FILM]


PAGE: Final = PinPage(
    state=STATE,
    load=lambda record: load_data(record, comparison.load_fast_results),
    view=view.view,
    films=_films,
    pin_title=lambda record: title(record.scenario),
    align=lambda record: replace(record, region=STATE.current().region),
    describe=view.one_line_summary,
    numbers=lambda data: pins.result_numbers(formats.PLACES, data.ours),
    images=lambda data: map_files({"plain-ldp": data.plain, "this-protection": data.ours}),
)
EPSILON_FILM: Final = pins.SliderFilm[PlacesState](
    STATE,
    "epsilon",
    "Privacy level ε",
    replace(common.epsilon_slider(), value=lambda record: promise.largest_epsilon(record.scenario)),
    view.render,
    lambda record: runs.key(record.scenario),
)
_PER_SECOND: Final = 2.0


def _render_draw(record: PlacesState) -> Step:
    pair = record.scenario, runs.best_plain_ldp(record.scenario)
    return view.render_outcome(*map(runs.uncached_result, pair))


DRAWS_FILM: Final = pins.SliderFilm[PlacesState](
    STATE,
    "draws",
    "New noise",
    replace(common.field_slider("scenario.seed", range(BEGIN.seed + 1, BEGIN.seed + 21)), name=""),
    _render_draw,
    lambda record: runs.law_key(record.scenario),
    "draw {}".format,
    place=1,
)
"""Its steps are seeds, so that the one on which a reader stops is the page's, and in its link."""


def _draws_request(record: PlacesState) -> list[pins.FilmRequest]:
    """The film of new noise, once a reader has drawn any: it is a megabyte, and seconds of work."""
    if record.scenario.seed == BEGIN.seed:
        return []
    request = DRAWS_FILM.request(record)
    return [replace(request, make=partial(_draws_film, record))]


def _draws_film(record: PlacesState, progress: Progress) -> Film:
    film, beside = DRAWS_FILM.film(record, progress), STATE.key("another")
    return replace(film, per_second=_PER_SECOND, loops=True, beside=beside)


_STEP: Final = STATE.key("step")
"""Session key of the tour's step, in a strip above the maps, and of the scenario it began with."""


@dataclass(frozen=True)
class TourStep:
    """A step of the tour: what to see, and a button that does it."""

    title: str
    text: str
    label: str
    show: Callable[[], None]


def _context_change(**context: Any) -> Callable[[], None]:
    """A change of `blocks` or `epsilon`."""
    return lambda: update_scenario(STATE, lambda s: s.with_context(**context))


_TOUR_ACTS: Final = (
    lambda: redraw_noise(STATE),
    _context_change(epsilon=0.2),
    _context_change(blocks=OneBlock()),
    _context_change(blocks=GridBlocks(25, 35)),
    _context_change(epsilon=1.0),
)
TOUR: Final = tuple(
    TourStep(**texts, show=act)
    for texts, act in zip(read_toml(__file__, "tour.toml")["steps"], _TOUR_ACTS, strict=True)
)


def _tour_button(domain: GridDomain) -> None:
    """Opens the strip, or closes it; on the paper's map, whose blocks it shows."""
    is_open = st.session_state.get(_STEP) is not None
    if domain != US_GRID and not is_open:
        return
    label, step = ("End the tour", None) if is_open else ("Tour", 0)
    STATE.button("tour", label, _set_step, step, icon="tour", type="tertiary")


def _show_tour_step(number: int, begun: Scenario | None) -> None:
    """Draw the step; `begun`: its first scenario, until the reader does what it asks for."""
    step, waits = TOUR[number], begun == STATE.current().scenario
    with st.container(border=True, key=STATE.key("strip"), horizontal=True):
        st.markdown(f"**{number + 1} of {len(TOUR)} · {step.title}.** {step.text}")
        with st.container(horizontal=True, width="content", gap="xsmall"):
            STATE.button("show-me", step.label, _do_step, number, type="primary")
            label, after = ("Done", None) if step is TOUR[-1] else ("Next", number + 1)
            first = f"First: {step.label}" if waits else None
            STATE.button("next-step", label, _set_step, after, disabled=waits, help=first)


def _do_step(number: int) -> None:
    TOUR[number].show()
    st.session_state[_STEP] = number, None


def _set_step(number: int | None) -> None:
    st.session_state[_STEP] = None if number is None else (number, STATE.current().scenario)


def show(record: PlacesState) -> None:
    """Show the page at a record."""
    setup = runs.setup(record.scenario)
    domain = runs.map_of(setup.dataset)
    with st.container():  # always there, so that what follows keeps its place
        controls.warn_of_areas(setup)
        if st.session_state.get(_STEP) is not None:
            _show_tour_step(*st.session_state[_STEP])
    page = layout.stacked_layout(STATE)
    with page.main:
        data = load_data(record)
        shown = view.view_to_draw_on(data)
        are_there = data.ours is not None and data.plain is not None
        along = EPSILON_FILM, DRAWS_FILM
        maps = PAGE.show_maps(shown, page_state.handle_act, *along, filmed=are_there)
    page.show_headline(shown.headline)
    with page.side:
        _controls(data)
    with page.below:
        with st.container():  # always there: what follows keeps its place
            if record.region is not None and data.ours is not None:
                _show_region(record.region, data.ours, domain)
        PAGE.show_pins(data, shown)
        if are_there:
            PAGE.send_films(record, maps, *_draws_request(record))
        layout.tabs(STATE.key("tabs"), _TABS, data)
        _tour_button(runs.finest_map_of(setup.dataset))
    comparison.drawer("places")
