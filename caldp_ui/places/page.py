"""The page: its controls, its maps and films, the tabs below them, and its guided tour."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.experiments.forecast import has_valid_errors, invalid_error_reason
from caldp_core.experiments.regions import RegionReport, cell_errors, number_of_boxes, region_report
from caldp_core.experiments.run import Result, Setup
from caldp_core.scenarios.blocks import GridBlocks, OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.compute import runs
from caldp_ui.compute.runs import CellErrorCurves
from caldp_ui.controls import choices, common
from caldp_ui.controls.common import epsilon_slider
from caldp_ui.maps.ground import readable_people
from caldp_ui.maps.presets import presets_of, title
from caldp_ui.maps.scene import map_files, report
from caldp_ui.offline import document
from caldp_ui.parts import comparison, markup, pins, promises, safety, sharing
from caldp_ui.parts.comparison import ComparisonData, load_fast_results
from caldp_ui.parts.films import FilmRequest, SliderFilm
from caldp_ui.parts.layout import stacked_layout, tabs
from caldp_ui.places import controls, page_state, prior, view
from caldp_ui.places.page_state import STATE, PlacesState, load_data
from caldp_ui.relief import view as relief
from caldp_ui.session import jobs
from caldp_ui.session import page_state as handover
from caldp_ui.session.record_link import bind, bind_text, redraw_noise, update_scenario
from caldp_ui.shell.page import PinPage
from caldp_ui.stage import Film
from caldp_ui.words import accuracy, formats, promise
from caldp_ui.words.formats import PLACES
from caldp_ui.words.glossary import terms

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
        markup.show_odds(PLACES, setup)
        safety.of_setup(STATE, PLACES, setup)
        pins.redraw_and_pin(STATE, PAGE.pin_title)


def _forms(data: ComparisonData, domain: GridDomain) -> None:
    """The forms behind buttons; closed ones are not drawn, as every control costs each run."""
    setup, scenario = data.setup, data.setup.scenario

    def protection() -> None:
        controls.protection_controls(scenario, domain)
        _clear_button(scenario)

    def more() -> None:
        controls.data_control()
        _cell_controls(data)
        common.method(STATE)
        common.estimate(STATE)

    label, icon = _protection_label(setup), ":material/tune:"
    choices.fold(st.popover, label, STATE.key("protection"), protection, icon=icon)
    icon = ":material/database:"
    choices.fold(st.popover, "Data, cells", STATE.key("more"), more, icon=icon)
    prior.popover()


def _protection_label(setup: Setup) -> str:
    """The label of the protection form; it stays while the form is open, which else would close."""
    key, is_open = STATE.key("protection-label"), st.session_state.get(STATE.key("protection"))
    if key not in st.session_state or not is_open:
        everybody = readable_people(setup) is None
        st.session_state[key] = "What is protected" if everybody else "Protect more places"
    return str(st.session_state[key])


def _clear_button(scenario: Scenario) -> None:
    st.button(
        "Clear the drawing",
        icon=":material/delete:",
        key=STATE.key("clear"),
        disabled=not page_state.has_drawing(scenario) and STATE.current().region is None,
        on_click=STATE.change,
        args=(page_state.without_drawing,),
        help="What was protected before the drawing is protected again.",
    )


def _cell_controls(data: ComparisonData) -> None:
    """The slider of the cell size with both errors below it, and the extent of the map."""
    scenario, fine = data.setup.scenario, runs.finest_map_of(data.setup.dataset)
    steps = page_state.merge_factors(scenario)
    if page_state.merge_factor(scenario.dataset) is not None and len(steps) > 1:
        st.select_slider(
            "Fewer, larger cells: a side of …",
            steps,
            format_func=lambda times: accuracy.cell_size_text(round(times * fine.cell, 9)),
            help=TEXTS["cells_help"],
            **bind(
                STATE,
                "cells",
                page_state.merge_factor(scenario.dataset),
                page_state.with_merge_factor,
            ),
        )
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
        **bind_text(STATE, "part", str(now), lambda s, text: page_state.crop(s, Area.parse(text))),
    )
    st.button(
        "Show the whole map",
        icon=":material/zoom_out_map:",
        key=STATE.key("whole"),
        disabled=now == whole.area,
        on_click=lambda: update_scenario(STATE, lambda s: page_state.crop(s, whole.area)),
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
        _show_cell_sizes(curves, scenario, runs.finest_map_of(data.setup.dataset).cell)
    elif curves is not None:
        st.info("There is nothing to compare here: with each size a run would take long.")


def _show_cell_sizes(ladder: CellErrorCurves, scenario: Scenario, finest: float) -> None:
    st.markdown(view.cell_sizes_sentence(ladder, finest))
    now = (page_state.merge_factor(scenario.dataset) or 1) * finest
    st.html(view.cell_sizes_html(ladder, now, finest))
    st.caption(TEXTS["cell_sizes_notes"])


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
            _region_numbers(report, ends, promise.counted(result.setup.scenario)[1])
        with right:
            st.html(markup.dotplot(report.estimate, report.half_width, view.dots_text(report)))
            st.caption(view.dots_text(report))
        if report.is_lost_in_noise:
            st.warning(TEXTS["too_small"], icon=":material/blur_on:")
        st.caption(" ".join(view.region_sentences(report, result.setup.scenario)))
        st.button(
            "Unmark",
            icon=":material/close:",
            key=STATE.key("unmark"),
            on_click=page_state.mark_region,
            args=(None,),
        )


def _region_numbers(report: RegionReport, ends: tuple[float, float], counted: str) -> None:
    with st.container(key=STATE.key("region-numbers"), horizontal=True):
        st.metric(f"True number of {counted}", formats.people(report.truth))
        st.metric("Estimate from the reports", formats.people(report.estimate))
        st.metric("95 % range", " – ".join(map(formats.people, ends)))


def _promise(data: ComparisonData) -> None:
    promises.shield(PLACES, data.setup)
    promises.not_promised(PLACES, data.setup)
    dataset = data.setup.dataset
    st.caption(f"Data: **{escape_markdown(dataset.name)}**. {escape_markdown(dataset.note)}")


def _curves(data: ComparisonData) -> None:
    comparison.curves_section(STATE, _CURVE_CHOICES, data)
    terms("sampling error", "estimator")


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
        sentence = accuracy.error_sentence(PLACES, *errors)
        sentence = invalid_error_reason(data.setup) or sentence
        results = {"Plain LDP": data.plain, "This protection": data.ours}
        content = report(data.ours, sentence, results)
    sharing.section(STATE, PLACES, content, other_scenarios, sharing.show_map_save_hint)
    document.offer_page(STATE, lambda record: PAGE.part(replace(record, region=None)))


_CURVE_CHOICES: Final = (
    comparison.EPSILON,
    comparison.PEOPLE,
    comparison.BLOCKS,
    comparison.SENSITIVE,
)
_TABS: Final[dict[str, Callable[[ComparisonData], None]]] = {
    "What is promised": _promise,
    "Error curves": _curves,
    "Cell size": _cell_sizes,
    "Relief": _relief,
    "Public prior": prior.section,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def _films(record: PlacesState) -> list[SliderFilm[PlacesState]]:
    """The film along ε, where the scenario has one ε and its pictures are fast to compute."""
    scenario = record.scenario
    both = (scenario, runs.best_plain_ldp(scenario))
    slow = isinstance(scenario.context.epsilon, tuple) or any(map(runs.takes_long, both))
    return [] if slow else [EPSILON_FILM]


PAGE: Final = PinPage(
    state=STATE,
    title="Places on a map",
    task="Both maps are made of randomised reports of the same people. Move ε, the privacy level.",
    load=lambda record: load_data(record, load_fast_results),
    view=view.view,
    films=_films,
    pin_title=lambda record: title(record.scenario),
    align=lambda record: replace(record, region=STATE.current().region),
    describe=view.one_line_summary,
    numbers=lambda data: pins.result_numbers(PLACES, data.ours),
    images=lambda data: map_files({"plain-ldp": data.plain, "this-protection": data.ours}),
)
EPSILON_FILM: Final = SliderFilm[PlacesState](
    STATE,
    "epsilon",
    "Privacy level ε",
    replace(epsilon_slider(), value=lambda record: promise.largest_epsilon(record.scenario)),
    view.render,
    lambda record: runs.key(record.scenario),
)
DRAW_COUNT: Final = 20
_PER_SECOND: Final = 2.0


def _draws_film(scenario: Scenario, progress: Progress) -> Film:
    steps = []
    for number in range(DRAW_COUNT):
        progress(number / DRAW_COUNT)
        at = replace(scenario, seed=number + 1)
        ours, plain = runs.uncached_result(at), runs.uncached_result(runs.best_plain_ldp(at))
        label = f"draw {number + 1}"
        steps.append(
            replace(view.render_outcome(ours, plain), label=label, value=float(number + 1))
        )
    film_steps = tuple(steps)
    return Film(
        "draws",
        "New noise",
        film_steps,
        False,
        _PER_SECOND,
        loops=True,
        place=1,
        beside=STATE.key("another"),
    )


_STEP: Final = "step"
"""Session key of the step of the tour: a strip above the maps does it, no window over them."""


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
    is_open = _current_step() is not None
    if domain != US_GRID and not is_open:
        return
    st.button(
        "End the tour" if is_open else "Tour",
        icon=":material/tour:",
        type="tertiary",
        key=STATE.key("tour"),
        on_click=_set_step,
        args=(None if is_open else 0,),
    )


def _show_tour() -> None:
    """Draws the step if the tour is on; its container is there in any case, for the layout."""
    if handover.take_part(STATE.page, "tour"):
        _set_step(0)
    number = _current_step()
    with st.container():
        if number is not None:
            _show_tour_step(number)


def _show_tour_step(number: int) -> None:
    step = TOUR[number]
    with st.container(border=True, key=STATE.key("strip"), horizontal=True):
        st.markdown(f"**{number + 1} of {len(TOUR)} · {step.title}.** {step.text}")
        with st.container(horizontal=True, width="content", gap="xsmall"):
            st.button(step.label, key=STATE.key("show-me"), type="primary", on_click=step.show)
            last = number + 1 == len(TOUR)
            st.button(
                "Done" if last else "Next",
                key=STATE.key("next-step"),
                on_click=_set_step,
                args=(None if last else number + 1,),
            )


def _current_step() -> int | None:
    at: int | None = st.session_state.get(STATE.key(_STEP))
    return at


def _set_step(number: int | None) -> None:
    st.session_state[STATE.key(_STEP)] = number


def show(record: PlacesState) -> None:
    """Show the page at a record."""
    setup = runs.setup(record.scenario)
    domain = runs.map_of(setup.dataset)
    controls.warn_of_areas(setup)
    _show_tour()
    page = stacked_layout(STATE)
    with page.main:
        data = load_data(record)
        shown = view.view_to_draw_on(data)
        maps = PAGE.show_maps(shown, page_state.handle_act, EPSILON_FILM)
    page.show_headline(shown.headline)
    with page.side:
        _controls(data)
    with page.below:
        with st.container():  # always there: what follows keeps its place
            if record.region is not None and data.ours is not None:
                _show_region(record.region, data.ours, domain)
        PAGE.show_pins(data, shown)
        if data.ours is not None and data.plain is not None:
            scenario, key = record.scenario, STATE.key("film-draws")
            name = f"{runs.key(replace(scenario, seed=0))} draws"
            draws = FilmRequest(key, name, partial(_draws_film, scenario))
            PAGE.send_films(record, maps, draws)
        tabs(STATE.key("tabs"), _TABS, data)
        _tour_button(runs.finest_map_of(setup.dataset))
    promises.drawer("places")
