"""The page: the attack, settings of the treatments, the pictures, and the tabs below them.

Attacks on one table are played under all treatments, with pictures in thirds and the attack at the
lower right; two attacks stand alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from caldp_core.basics.types import Progress
from caldp_core.datasets import PERIODS, InfantDeaths, OwnPlaces, OwnTable
from caldp_core.datasets.files.answers import CountedAnswers, count_answers
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.domain.domains import GridDomain
from caldp_core.scenarios.scenario import Scenario
from caldp_core.treatments.release import BOX
from caldp_ui.app.navigation import DESK, PLAN
from caldp_ui.app.texts import read_texts
from caldp_ui.app.theme import Palette, palette
from caldp_ui.charts import show as drawing
from caldp_ui.coarser import alone, packs, page_state, view
from caldp_ui.coarser.outcomes import TreatmentData, TreatmentResult, candidate_cells, load_data
from caldp_ui.coarser.page_state import STATE, AttackExample, Publication, with_data
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.maps import areas
from caldp_ui.maps.scene import home, move_place, place_control
from caldp_ui.parts import comparison, layout, own_data, pack, pins, sharing
from caldp_ui.parts import layout as markup
from caldp_ui.parts.sharing import ReportContent
from caldp_ui.shell.page import PinPage, View
from caldp_ui.stage.component import Act
from caldp_ui.stage.records import nobody_below
from caldp_ui.words import formats
from caldp_ui.words.accuracy import terms

TEXTS: Final = read_texts(__file__)


def _make_areas(wide: bool) -> tuple[DeltaGenerator, ...]:
    """Containers of headline, attack, pictures, controls and details, to be filled in any order.

    `wide`: five pictures in thirds; else one beside the attack.
    """
    headline, _ = layout.title_row(STATE)
    kind = "five" if wide else "two"
    with st.container(key=STATE.key("thirds")), st.container(key=STATE.key(kind)):
        parts = [st.container(key=STATE.key(n)) for n in ("attacker", "pictures", "controls")]
    return headline, *parts, st.container()


def _attack_menu(record: Publication) -> None:
    """The menu of attacks."""
    st.selectbox(
        "Attack",
        list(page_state.ATTACKS),
        format_func=view.ATTACK_TITLES.__getitem__,
        label_visibility="collapsed",
        **STATE.bind("attack", record.attack, lambda r, name: r.with_attack(name)),
    )


def _attack_panel(shown: View, data: TreatmentData) -> None:
    """The panel of an attack on the table: its menu, sentence, bars and moves."""
    record = data.record
    with st.container(key=STATE.key("which"), horizontal=True, gap="small"):
        _attack_menu(record)
        if record.attack in page_state.PAIR_ATTACKS and isinstance(data.domain, GridDomain):
            place_control(STATE, "Where the person is", data.domain, int(candidate_cells(data)[0]))
    with st.container(key=STATE.key("knows")):
        st.markdown(view.attacker_knowledge_text(data))
    for bars in shown.texts.values():
        st.html(bars)
    with st.container(key=STATE.key("moves"), horizontal=True, gap="small"):
        label = view.next_move_label(record)
        if label is not None:
            icon = "shield" if label == view.OFFICE_MOVE else "play_arrow"
            move = partial(STATE.change, lambda r: replace(r, moves=min(r.moves + 1, r.last_move)))
            STATE.button("move", label, move, icon=icon, type="primary")
        else:
            again = partial(STATE.change, lambda r: r.with_attack(r.attack))
            STATE.button("restart", "Start again", again, icon="replay")
        _settings(data)


def _settings(data: TreatmentData) -> None:
    """What the reader may change about the attack."""
    record = data.record
    if record.attack == page_state.PARTS:
        titles = {each: view.TOTALS[each] for each in page_state.total_choices(data.domain)}
        choices.of_field(STATE, "totals", "Totals beside it", titles, label_visibility="collapsed")
    elif record.attack in page_state.PAIR_ATTACKS:
        choices.view_switch(STATE, "far", "The other place", _OTHER_PLACES)
    elif record.attack == page_state.REGIONS:
        # The sentence above says it: the panel fits a projector.
        common.show(STATE, _PAIRS, "Pairs of regions", label_visibility="collapsed")


_OTHER_PLACES: Final = {False: "Same block", True: "Other block"}
_PAIRS: Final = common.field_slider("pairs", page_state.PAIRS)
_BASE: Final = common.field_slider("base", page_state.BASES)
_THRESHOLD: Final = common.field_slider("threshold", page_state.THRESHOLDS, formats.integer)


def _controls(data: TreatmentData) -> None:
    """The controls of attacks on one table."""
    record = data.record
    with st.container(key=STATE.key("settings")):
        sizes = page_state.block_choices(data.domain)
        blocks = data.setup.scenario.context.blocks
        choices.by_title(
            STATE,
            "cells",
            "Larger cells and blocks" if isinstance(data.domain, GridDomain) else "Larger cells",
            sizes,
            page_state.with_blocks,
            title=next((title for title, partition in sizes.items() if partition == blocks), None),
            placeholder=view.cell_size_text(data),
            help=TEXTS["cells_help"],
        )
        titles = {name: view.TITLES[name] for name in page_state.OFFICE_TREATMENTS}
        choices.of_field(STATE, "office", "Third picture", titles)
        if record.office == page_state.ROUND:
            common.show(STATE, _BASE, "Round to")
        elif record.office == page_state.HIDE:
            common.show(STATE, _THRESHOLD, "Hide counts under")
        if record.scenario.dataset == InfantDeaths():
            choices.of_field(STATE, "period", "Drawn", dict(enumerate(PERIODS)))
        common.epsilon(STATE)
    with st.container(key=STATE.key("forms"), horizontal=True, gap="small"):
        _example_menu(record)
        own_data.popover(STATE, _FORM)
        pins.redraw_and_pin(STATE, PAGE.pin_title, "The same people and treatments, new noise.")
        common.button(STATE)
    comparison.epsilon_button(STATE, record.scenario.policy.plain_epsilon)


def _example_menu(record: Publication) -> None:
    """The menu of examples, and of this visit's own data."""
    own = choices.own_data_sets(record.scenario.dataset).items()
    examples = [
        *page_state.EXAMPLES,
        *(AttackExample(title, spec, Publication().attack) for title, spec in own),
    ]
    choices.by_title(
        STATE,
        "preset",
        "Example",
        {each.title: each for each in examples},
        lambda r, example: example.apply(r),
        title=next((each.title for each in examples if each.fits(record)), None),
        label_visibility="collapsed",
    )


def _data_of(counts: CountedPlaces | CountedAnswers) -> OwnPlaces | OwnTable:
    return counts.places if isinstance(counts, CountedPlaces) else counts.table


def _count_rows(
    file_layout: DetectedFile, layout: Layout, title: str, progress: Progress
) -> CountedPlaces | CountedAnswers:
    """A list of places where columns are latitude and longitude, else a table of answers."""
    if layout.latitude is not None and layout.longitude is not None:
        return count_places(file_layout, layout, title, progress)
    return count_answers(file_layout, layout, title, progress)


_FORM: Final = own_data.Form(
    "Your own table or list of places",
    TEXTS["form_rows"],
    "Table",
    TEXTS["form_example"],
    "Conditions in two regions (made up)",
    OwnTable.title,
    ("latitude", "longitude", "answer", "crossed", "people", "weight", "group", "person-id"),
    (),
    lambda seen: seen.places if seen.has_places else seen.answers,
    _count_rows,
    lambda counts: runs.dataset(Scenario(dataset=_data_of(counts))).n or 0,
    lambda scenario, counts: with_data(Publication(scenario), _data_of(counts)).scenario,
    lambda _: "The larger cells are a start: choose others below the pictures.",
    own_data.ask_rows,
    unoffered=("questions",),
)


def _export_buttons(data: TreatmentData) -> None:
    """The hint for saving the maps, and the button for the file of tables."""
    if isinstance(data.domain, GridDomain):
        sharing.show_map_save_hint()
    tables, scenario = partial(view.tables_csv, data), data.record.scenario
    sharing.true_file(STATE.key("tables-csv"), "treatments.csv", tables, scenario)


def _treatments(data: TreatmentData) -> pd.DataFrame:
    rows = view.treatment_rows(data)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("treatment")


def _decision(data: TreatmentData) -> None:
    st.table(_treatments(data))
    st.markdown(view.bound_text(data))
    # What is compared here is a rehearsal: what leaves is made elsewhere, by who holds the truth.
    with st.container(horizontal=True, gap="medium"):
        st.page_link(DESK, label="I hold the list: release it", icon=":material/lock:")
        st.page_link(PLAN, label="I will ask people: plan a survey", icon=":material/calculate:")
    terms("ε", "local differential privacy", "context-aware", "total variation")


def _errors(data: TreatmentData) -> None:
    small = f"of {formats.count(max(data.record.threshold - 1, 1), 'person', 'people')} or fewer"
    box = f"box of {BOX} × {BOX} cells" if isinstance(data.domain, GridDomain) else "larger cell"
    rows = {
        view.TITLES[name]: {
            f"of 100 people {view.nouns(data).wrong}": formats.per_hundred(each.errors.tv),
            "mean error of a cell, people": formats.digits(each.errors.cell),
            f"mean error of a cell {small}": formats.digits(each.errors.small),
            "of 100 such cells more than half wrong": formats.per_hundred(each.errors.small_lost),
            f"of 100 people in the wrong {box}": formats.per_hundred(each.errors.box),
        }
        for name, each in data.treatments.items()
    }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("treatment"))
    st.caption(TEXTS["error_notes"])


def _debate(data: TreatmentData) -> None:
    del data
    columns = st.columns(2, gap="large")
    for place, (title, sides) in zip(columns, view.SIDES.items(), strict=True):
        with place:
            comparison.listed(title, (f"{claim} ({source})" for claim, source in sides))
    offices = (f"{claim} ({source})" for claim, source in view.OFFICES)
    comparison.listed("Who does what", offices)


def _promise(data: TreatmentData) -> None:
    st.markdown(TEXTS["trust_notes"])
    comparison.audit_section(STATE, data.record.scenario)
    terms("ε", "context-aware")


def _sharing(data: TreatmentData) -> None:
    content, ours = None, data.results.get(page_state.BLOCKS)
    if ours is not None:
        noise = {name: data.treatments[name] for name in data.results}
        office = {name: each for name, each in data.treatments.items() if name not in noise}
        true, estimates = _pictures(data, office), _pictures(data, noise)
        table = _treatments(data).to_html(index_names=False)
        found = packs.by_area(data, page_state.BLOCKS, areas.chosen_areas(data.setup))
        content = ReportContent(ours, _summary_text(data), estimates, true, found, table)
    other_scenarios = {sharing.PLAIN: runs.best_plain_ldp(data.record.scenario)}
    if runs.is_own(data.record.scenario.dataset):
        _rehearsal_files(data)
    sharing.section(
        STATE, view.nouns(data), content, other_scenarios, lambda: _export_buttons(data)
    )
    PAGE.offer()


_PICKED: Final = f"{STATE.page}/treatment"
"""The session key of the treatment that is chosen in either tab."""


def _pick_treatment(data: TreatmentData, label: str) -> str:
    """The menu of treatments, noise first."""
    names = [name for name in list(data.treatments)[::-1] if name != page_state.NOTHING]
    held, key = st.session_state.get(_PICKED), STATE.key("picked")
    at = names.index(held) if held in names else 0
    picked = st.selectbox(label, names, at, view.TITLES.__getitem__, key=key)
    st.session_state[_PICKED] = picked
    return picked


def _by_area(data: TreatmentData) -> None:
    """A treatment by areas, with ranges or bounds."""
    areas.open_section()
    name, found = _pick_treatment(data, "Treatment"), areas.chosen_areas(data.setup)
    note = view.table_text(data, name)
    shown = packs.by_area(data, name, found)
    setup = sharing.estimated_setup(data.setup, data.treatments[name].release.shares)
    areas.section(STATE, setup, shown, note)


def _rehearsal_files(data: TreatmentData) -> None:
    """The files of a treatment that was rehearsed, all internal."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        picked = _pick_treatment(data, "Files of")
        make = partial(packs.files_of, data, picked, areas.chosen_areas(data.setup))
        name, scenario = f"{picked}-{pack.PACK_NAME}", data.record.scenario
        sharing.rehearsal_pack(STATE.key("treatment"), name, make, scenario)
    st.caption(view.table_text(data, picked))


def _summary_text(data: TreatmentData) -> str:
    """The attack, as far as it has been played, the errors and what is promised."""
    attack = [view.headline(data).sentence] if data.record.moves else []
    return " ".join([*attack, view.errors_sentence(data), view.bound_text(data)])


def _pictures(data: TreatmentData, some: Mapping[str, TreatmentResult]) -> dict[str, bytes]:
    if not isinstance(data.domain, GridDomain):
        return {}
    shares = {view.TITLES[name]: each.release.shares for name, each in some.items()}
    return pack.maps(shares, data.domain, home(data.domain), nobody_below(data.setup.n))


_TABS: Final[dict[str, Callable[[TreatmentData], None]]] = {
    "Words for a decision": _decision,
    "By area": _by_area,
    "All errors": _errors,
    "For and against": _debate,
    "What is promised": _promise,
    "Share and export": _sharing,
}


def _handle_act(act: Act) -> None:
    """Moves the person to a clicked cell where the attack is on one, undo and redo."""
    if act.action in {"", view.PERSON}:
        move_place(STATE, act)


def _view(data: TreatmentData, _: object, colours: Palette) -> View:
    """The headline, the bars, and the maps or drawings of all treatments."""
    first, bars = view.headline(data), {view.BARS: view.bars_html(data)}
    if not isinstance(data.domain, GridDomain):
        return View(first, {_DRAWN: view.tables_html(data, colours)}, bars)
    return View(first, texts=bars, scene=view.scene(data), still=page_state.NOTHING)


def _films(record: Publication) -> list[pins.SliderFilm[Publication]]:
    """The film along ε: none of an attack that stands alone, without a map, or where it is slow."""
    if record.attack in page_state.ALONE or runs.takes_long(record.scenario):
        return []
    data = load_data(record, comparison.load_fast_results)
    noise = {page_state.PLAIN, page_state.BLOCKS}
    is_there = isinstance(data.domain, GridDomain) and noise <= data.results.keys()
    return [EPSILON_FILM] if is_there else []


def _pinned_numbers(data: TreatmentData) -> dict[str, str]:
    """Errors of all treatments, and what the attack finds."""
    rows = view.treatment_rows(data)
    return {
        f"{column}: {title}": row[column]
        for column in list(next(iter(rows.values())))[:2]
        for title, row in rows.items()
        if row[column]
    }


PAGE: Final = PinPage(
    state=STATE,
    load=lambda record: load_data(record, comparison.load_fast_results),
    view=_view,
    films=_films,
    pin_title=view.pin_title,
    describe=view.errors_sentence,
    numbers=_pinned_numbers,
)
EPSILON_FILM: Final = pins.SliderFilm[Publication](
    STATE,
    view.EPSILON,
    "Privacy level ε",
    replace(common.epsilon_slider(), value=lambda record: record.scenario.policy.plain_epsilon),
    PAGE.render,
    lambda at: f"{runs.key(at.scenario)} {replace(at, scenario=Publication().scenario)}",
)
_DRAWN: Final = STATE.key("drawn")


def show(record: Publication) -> None:
    """Show the page of the record's attack."""
    if record.attack in page_state.ALONE:
        headline, attack, picture, controls, _ = _make_areas(wide=False)
        of_tables = record.attack == page_state.TABLES
        with picture:
            first = (alone.show_tables if of_tables else alone.show_block)(record)
        with headline:
            markup.show_headline(first)
        with attack:
            _attack_menu(record)
            alone.tables_side() if of_tables else alone.block_side(record)
        with controls:
            with st.container(key=STATE.key("settings")):
                if of_tables:
                    common.epsilon(STATE)
                    common.show(STATE, _BASE, "Round to")
            with st.container(key=STATE.key("forms"), horizontal=True, gap="small"):
                _example_menu(record)
                common.redraw_button(STATE, "Other people and other tables of the same kind.")
                common.button(STATE)
            with st.container(key=STATE.key("share")):
                sharing.drawer(STATE.key("share-drawer"), lambda: sharing.show_link(STATE))
    else:
        _show_treatments(record)
    comparison.drawer("coarser")


def _show_treatments(record: Publication) -> None:
    headline, attack, pictures_area, controls, details = _make_areas(wide=True)
    maps = None
    with pictures_area:
        data = load_data(record)
        shown = PAGE.view(data, None, palette())
        if shown.scene is None:
            drawing.show_drawing(shown.pictures[_DRAWN], _DRAWN, None)
        else:
            maps = PAGE.show_maps(shown, _handle_act, EPSILON_FILM)
    with headline:
        markup.show_headline(shown.headline)
    with attack:
        _attack_panel(shown, data)
    with controls:
        _controls(data)
    with details:
        PAGE.show_pins(data)
        markup.tabs(STATE.key("tabs"), _TABS, data)
        if maps is not None:
            PAGE.send_films(record, maps)
