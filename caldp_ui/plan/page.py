"""The page: its controls, the picture with its memo, and the tabs below.

Exports: the numbers of the picture, the plan as a scenario, and Python.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics import limits
from caldp_core.basics.types import Progress
from caldp_core.domain.domains import Domain
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.blocks import (
    EverythingSensitive,
    OneBlock,
    PolygonBlocks,
    SensitiveSymbols,
    SymbolBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import VALUES
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.theme import palette
from caldp_ui.charts import show as charts
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.controls.choices import PLAIN
from caldp_ui.maps.areas import upload_areas
from caldp_ui.parts import comparison, layout, own_data, pins, sharing
from caldp_ui.plan import page_state, view
from caldp_ui.plan.page_state import STATE, Margins, Need, Plan
from caldp_ui.session import jobs, visit
from caldp_ui.session.page_state import page_button, update_scenario
from caldp_ui.shell.page import PinPage
from caldp_ui.words import formats

TEXTS: Final = read_texts(__file__)


def _share(name: str, steps: tuple[float, ...]) -> common.Slider[Plan]:
    return common.field_slider(name, steps, lambda share: f"{100 * share:g} %")


FLOOR_SLIDER: Final = _share("floor", (0.001, 0.005, 0.01, 0.02, 0.05, 0.1))
WITHIN_SLIDER: Final = _share("within", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5))
_WRONG_SLIDER: Final = _share("wrong", (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3))
_GUESSED_SLIDER: Final = common.field_slider(
    "guessed", (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), view.guessed_text
)
WITHIN_TITLE: Final = "is known to within ± (of its value)"


def floor_title(record: Plan) -> str:
    """The label of the slider of the least share that matters."""
    return f"Every {view.unit(record)} of at least (of all people)"


def goal_titles(record: Plan) -> dict[str, str]:
    """Titles of the goals that the data have, by name; short on maps, which have one more."""
    scenario = record.scenario
    titles = dict(page_state.GOALS)
    if view.nouns(record) is formats.PLACES:
        groups = page_state.regions_of(scenario, "groups")
        many = groups.plural if groups else "groups"
        titles |= {"values": "Places", "groups": many.capitalize()}
    if record.areas == page_state.NONE:
        del titles[page_state.OWN]
    if record.goal != page_state.REGIONS and not page_state.have_smaller_regions(scenario):
        del titles[page_state.REGIONS]
    return titles


def _settings(record: Plan) -> None:
    """All controls, and the odds of the chosen protection."""
    # A question is brought where its answers are counted, and comes back with its marks.
    page_button(
        TEXTS["own_question"],
        VALUES,
        part=own_data.PASTE_PART,
        icon=":material/edit_note:",
        help=TEXTS["own_question_help"],
        key=STATE.key("own-question"),
    )
    if view.nouns(record) is formats.PLACES:
        with st.expander(TEXTS["areas"], expanded=record.goal == page_state.OWN):
            upload_areas(STATE.key("areas-file"), TEXTS["areas_help"], _use_areas)
            if (brought := visit.latest_areas()) not in (page_state.NONE, record.areas):
                STATE.button("brought", "Use the areas of this visit", _use_areas, brought)
    if record.goal in page_state.RELATIVE:
        common.show(STATE, FLOOR_SLIDER, floor_title(record))
        common.show(STATE, WITHIN_SLIDER, WITHIN_TITLE, "± is the 95 % range of the estimate.")
    else:
        common.show(STATE, _WRONG_SLIDER, f"People {view.nouns(record).wrong}, at most")
    common.show(STATE, _GUESSED_SLIDER, TEXTS["guessed"], TEXTS["guessed_help"])
    with st.container(key=STATE.key("dials")):
        common.epsilon(STATE)
        common.people(STATE, runs.dataset(record.scenario).n)
    _ask_marks(record)
    known = {name: each.title for name, each in record.protections.items()}
    bound = STATE.bind("protection", record.chosen, _choose_protection, known)
    st.selectbox("Protection", list(known), format_func=known.__getitem__, **bound)
    setup = runs.setup(record.protected_scenario(record.chosen, record.epsilon))
    if shown := view.open_parts_text(setup):
        st.caption(escape_markdown(shown))
    layout.show_odds(view.nouns(record), setup)
    st.number_input(
        TEXTS["group"],
        0,
        limits.N_MAX,
        help=TEXTS["group_help"],
        **STATE.bind_held("group", record.group, lambda r, people: replace(r, group=people)),
    )
    comparison.safety_button(STATE, view.nouns(record), setup)
    titles = choices.data_sets(record.scenario.dataset)
    common.data(STATE, titles, page_state.use_data, label="Plan with data like")
    pins.pin_button(STATE, PAGE.pin_title)


def _choose_protection(record: Plan, name: str) -> Plan:
    return replace(record, protection=name)


_ASKED_MAX: Final = 40
"""Most answers of a list of which a menu asks one by one."""


def _ask_marks(record: Plan) -> None:
    """On a short list: which answers are sensitive, and which may be told apart openly."""
    domain = runs.dataset(record.scenario).domain
    if not isinstance(domain, Domain) or domain.k > _ASKED_MAX:
        return
    names = [domain.name_of(x) for x in range(domain.k)]
    context = record.scenario.context
    labels = context.blocks.build(domain)
    flags = context.sensitive.build(domain, labels)
    sensitive = [] if flags.all() else [names[x] for x in np.flatnonzero(flags).tolist()]
    apart = [names[x] for x in np.flatnonzero(labels.labels > 0).tolist()]

    def mark(before: Plan, picked: list[str]) -> Plan:
        chosen = _symbols(names, picked)
        spec = SensitiveSymbols(chosen) if chosen else EverythingSensitive()
        return _with_marks(before, sensitive=spec)

    def tell_apart(before: Plan, picked: list[str]) -> Plan:
        chosen = _symbols(names, picked)
        is_part = 0 < len(chosen) < domain.k
        return _with_marks(
            before, blocks=SymbolBlocks((",".join(chosen),)) if is_part else OneBlock()
        )

    st.multiselect(
        TEXTS["which_sensitive"],
        names,
        placeholder="all of them",
        help=TEXTS["which_sensitive_help"],
        **STATE.bind("sensitive", sensitive, mark),
    )
    st.multiselect(
        TEXTS["which_apart"],
        names,
        placeholder="none: all hide each other",
        help=TEXTS["which_apart_help"],
        **STATE.bind("apart", apart, tell_apart),
    )


def _symbols(names: Sequence[str], picked: Sequence[str]) -> tuple[str, ...]:
    """The numbers of the answers that were picked, as texts."""
    return tuple(str(x) for x, name in enumerate(names) if name in picked)


def _with_marks(record: Plan, **parts: Any) -> Plan:
    """The plan with other marks, which protect from now on."""
    scenario = record.scenario.with_context(**parts)
    marked = choices.has_marks(scenario.context)
    return replace(record, scenario=scenario, protection=choices.MARKED if marked else PLAIN)


def _use_areas(areas: PolygonBlocks) -> None:
    """Make every one of these areas the goal."""
    scenario = STATE.current().scenario.with_context(blocks=areas)
    STATE.change(lambda record: replace(record, scenario=scenario, goal=page_state.OWN))


def _need_sentence(record: Plan) -> str:
    people = view.own_need(record).people
    mark = "" if people is None else "**"
    return f"To {view.goal_text(record)} takes {mark}{view.people_text(people)}{mark}."


def _numbers(record: Plan) -> dict[str, str]:
    needed = view.own_need(record)
    setup = runs.setup(record.protected_scenario(record.chosen, record.epsilon))
    return {
        "people needed": view.rounded_people_text(needed.people),
        "goal": view.goal_text(record),
        "ε": f"{record.epsilon:g}",
        "protection": view.protection_title(record, record.chosen),
        "method": MECHANISMS[needed.method].title,
        **pins.odds_numbers(view.nouns(record), setup),
        TEXTS["guessed"]: view.guessed_text(record.guessed),
        "data": escape_markdown(setup.dataset.name),
    }


def _show_board(record: Plan) -> None:
    """Draws the headline, picture and memo as they are computed, then the pin and the tabs."""
    compute, cost = partial(_find_needs, record, STATE.pins), page_state.cost(record)
    if jobs.needs_consent(STATE.key("needs"), _cache_key(record), cost):
        values = runs.dataset(record.scenario).domain.k
        layout.show_headline(cost.headline("This plan is a lot to compute.", values))
        jobs.consent_button(STATE.key("needs"), _cache_key(record), compute)
        return
    jobs.gather_automatically(
        STATE.key("needs"),
        _cache_key(record),
        compute,
        lambda job: f"Still computing: {job.share:.0%} of the picture",
        partial(_show_points, record),
    )
    with st.container():  # always there: what follows keeps its place
        if jobs.has_result(STATE.key("needs"), _cache_key(record)):
            PAGE.show_pins(record)
    layout.tabs(STATE.key("tabs"), _TABS, record)
    if _sliders(record):
        PAGE.follow(record, STATE.pinned)


def _load_tables(record: Plan) -> page_state.NeedTables | None:
    """The needs in the tables, computed by a job beside the page; None until it is done."""
    return jobs.run_automatically(
        STATE.key("beside"),
        f"{_cache_key(record)} {record.within}",
        partial(page_state.compute_tables, record),
        lambda job: f"Methods side by side: {job.share:.0%}",
    )


def _find_needs(record: Plan, pins: Sequence[Plan], progress: Progress) -> Iterator[Need]:
    """All points of the picture; before them the needs of what is pinned go into the cache."""
    for each in pins:
        view.own_need(each, lambda _: progress(0.0))
    yield from page_state.compute_needs(record, progress)


def _cache_key(record: Plan) -> str:
    goals = [
        (runs.key(each.scenario), each.goal, each.floor, page_state.target(each))
        for each in (record, *STATE.pins)
    ]
    return f"{goals} {[each.chosen for each in (record, *STATE.pins)]}"


def _show_points(record: Plan, needs: list[Need]) -> None:
    points = dict(page_state.needs_by_protection(record, needs))
    is_waiting = sum(each.epsilon == record.epsilon for each in needs) < len(record.protections)
    layout.show_headline(
        formats.Headline(TEXTS["need_unknown"], f"Goal: {view.goal_text(record)}.")
        if is_waiting
        else view.headline(record, points)
    )
    pinned = STATE.pinned if needs else None  # its need is there before the first point
    picture = view.chart_json(record, points, pinned, palette())
    charts.show_json(picture, view.CHART, view.HEIGHT)
    estimate = page_state.estimate_title(record)
    st.caption(f"Each line shows its most accurate method, for the estimate “{estimate}”.")
    if not is_waiting:
        attack = _attack(record)
        if text := _default_estimate_text(record, points):
            st.caption(text)
        _memos(record, points, _margins(record, points), attack)
    make = partial(needs_csv, record, points)
    sharing.true_file(STATE.key("csv"), "people.csv", make, record.scenario)


def _attack(record: Plan) -> str:
    """Says which ε keeps the attacker's goal, found by a job beside the page; "" without it."""
    if record.guessed >= 1:
        return ""
    found = jobs.run_automatically(
        STATE.key("attack-job"),
        f"{_cache_key(record)} {record.chosen} {record.guessed}",
        partial(view.attack, record),
        lambda _: TEXTS["attack_waiting"],
    )
    if found is None:
        return ""
    with st.container(key=view.ATTACK):
        st.html(view.attack_html(found))
    return found.whole


def _default_estimate_text(record: Plan, points: view.Points) -> str:
    """How the default estimate does at this plan, by a job beside the page; "" until it is done.

    And where there is none: for goals by a formula, until all points are, or as no ε is enough.
    """
    if record.goal in page_state.RELATIVE or view.sufficient_epsilon(record, points) is None:
        return ""
    setup = view.setup_at(record, view.plan_level(record, points))
    found = jobs.run_automatically(
        STATE.key("default"),
        runs.key(setup.scenario),
        partial(page_state.measure_estimates, setup),
        lambda job: f"The default estimate at this plan: {job.share:.0%}",
    )
    return "" if found is None else view.default_estimate_text(record, setup, *found)


def _margins(record: Plan, points: view.Points) -> Margins | None:
    """Margins of every group at the memo's ε, by a job beside the page; None until it is done."""
    setup = view.setup_at(record, view.plan_level(record, points))
    return jobs.run_automatically(
        STATE.key("margins"),
        f"{runs.key(setup.scenario)} {record.goal} {hash(record.areas)}",
        partial(page_state.margins_of, setup, record.goal, areas=record.areas),
        lambda job: f"Margins of every {view.unit_of_margins(record)}: {job.share:.0%}",
    )


def _memos(record: Plan, points: view.Points, margins: Margins | None, attack: str) -> None:
    """The texts for a memo, in plain words and for those who build it, with the margins' file."""
    texts = {
        "For a memo": view.plain_memo(record, points, margins, attack),
        "For the technical part": view.technical_memo(record, points),
    }
    for column, (heading, text) in zip(st.columns(2), texts.items(), strict=True):
        if text:
            column.markdown(f"**{heading}**")
            marked = sharing.true_text(text, record.scenario)
            column.code(marked, language=None, wrap_lines=True)
    if margins is not None:
        name = f"{view.unit_of_margins(record)}-margins.csv"
        make, key = partial(margins_csv, margins), STATE.key("margins-csv")
        sharing.true_file(key, name, make, record.scenario)


def _methods(record: Plan) -> None:
    """People by method and protection, the fewest marked."""
    tables = _load_tables(record)
    table = [] if tables is None else tables.methods
    known = [n.people for _, row in table for n in row.values() if n.people]
    if not known:
        return
    st.markdown(
        f"**Which method and protection needs the fewest people**, at ε = {record.epsilon:g}"
    )
    columns = {
        view.protection_title(record, name): {
            title: _cell(row.get(name), table) for title, row in table
        }
        for name in record.protections
    }
    st.table(pd.DataFrame(columns).rename_axis("method"))
    unit, percent = view.nouns(record).unit, f"{100 * record.within:g}"
    goal = "" if record.goal == "values" else TEXTS["methods_goal"]
    st.caption(f"{TEXTS['method_notes']}{goal.format(unit=unit, percent=percent)}.")


def _cell(need: Need | None, table: list[tuple[str, dict[str, Need]]]) -> str:
    if need is None:
        return "takes too long"
    if need.people is None:
        return view.rounded_people_text(None)
    rows = [row.get(need.protection) for _, row in table]
    least = min(row.people for row in rows if row and row.people)
    return view.rounded_people_text(need.people) + (" ✓" if need.people <= 1.005 * least else "")


def _deployments(record: Plan) -> None:
    """Each published ε: odds after one report, a day and a month, and people needed here."""
    tables = _load_tables(record)
    if tables is None:
        return
    st.markdown("Published deployments of local DP, and what their ε would mean for your survey.")
    rows = {}
    for each, plain in zip(page_state.DEPLOYMENTS, tables.deployments, strict=True):
        rows[each.title] = {
            "ε per report": f"{each.epsilon:.3g}",
            "right guesses of 100, one report": formats.hundred(max_guess_accuracy(each.epsilon)),
            "after a day": each.describe_right_guesses(1),
            "after 30 days": each.describe_right_guesses(30),
            "people for your goal, plain LDP": view.rounded_people_text(plain.people),
            "source": each.source,
            "checked against": each.verification,
        }
    st.table(pd.DataFrame(rows).T.rename_axis("deployment"))
    st.caption(TEXTS["deployment_notes"])
    columns = st.columns(len(page_state.DEPLOYMENTS))
    for column, each in zip(columns, page_state.DEPLOYMENTS, strict=True):
        label, key = f"Use ε = {each.epsilon:.3g}", STATE.key(f"use-{each.title}")
        column.button(label, key=key, help=each.title, on_click=_use_epsilon, args=(each.epsilon,))


def _use_epsilon(epsilon: float) -> None:
    update_scenario(STATE, methodcaller("with_epsilon", epsilon))
    jobs.run_page()  # a press in a tab draws the tab alone


def _asked_again(record: Plan) -> None:
    """What each plan of repetition costs and brings if people are asked daily for a year."""
    setup = runs.setup(record.protected_scenario(record.chosen, record.epsilon))
    found = jobs.run_automatically(
        STATE.key("again"),
        runs.key(setup.scenario),
        partial(page_state.repetitions, setup),
        lambda job: f"Plans of repetition: {job.share:.0%}",
    )
    if found is None:
        return
    st.markdown(TEXTS["again"].format(people=formats.counted(setup.n, "person", "people")))
    names = view.REPETITION["rows"]
    rows = {names[kind]: view.repetition_cells(each) for kind, each in found.items()}
    st.table(pd.DataFrame(rows).T.rename_axis("what a device sends"))
    st.caption(TEXTS["again_notes"].format(level=record.epsilon))


def _sliders(record: Plan) -> dict[str, common.Slider[Plan]]:
    """By title the sliders that the browser follows; none for a goal whose points take trials."""
    if record.goal not in page_state.RELATIVE:
        return {}
    return {
        floor_title(record): FLOOR_SLIDER,
        WITHIN_TITLE: WITHIN_SLIDER,
        "Privacy level ε": common.epsilon_slider(),
        "People": common.people_slider(runs.dataset(record.scenario).n),
    }


def _sharing(record: Plan) -> None:
    """Link, file and code."""
    with sharing.link_columns(STATE):
        if not jobs.has_result(STATE.key("needs"), _cache_key(record)):
            st.info("Files and code come once the whole picture is there.")
            return
        planned = planned_scenario(record)
        if planned is None:
            st.info("No number of people is enough for this goal, so there are no files.")
            return
        st.markdown("**The planned survey** · its people, its protection and the best method")
        sharing.true_file(STATE.key("json"), runs.FILE, planned.to_json(), planned)
        st.code(runs.command(planned), language="bash")
        if record.guessed < 1:
            st.code(f"caldp plan {runs.FILE} --right {record.guessed:g}", language="bash")
        sharing.python(snippet(record))
        PAGE.offer()


def planned_scenario(record: Plan) -> Scenario | None:
    """The protection at the reader's ε with as many people as it needs; None where none do."""
    chosen = record.protected_scenario(record.chosen, record.epsilon)
    people = view.own_need(record).people
    return None if people is None else replace(chosen, n=people)


def snippet(record: Plan) -> str:
    """Python that prints the headline's number of people, unrounded, and the attacker's ε."""
    chosen = replace(record.protected_scenario(record.chosen, record.epsilon), seed=0)
    regions, target = record.regions, page_state.target(record)
    if record.goal in page_state.OF_REGIONS:
        code = TEXTS["groups_code"]
    elif record.goal == "values":
        code = TEXTS["values_code"]
    else:
        code = TEXTS["overall_code"]
    if record.guessed < 1:
        code += TEXTS["attack_code"]
    return code.format(
        scenario=runs.literal(chosen),
        spec="" if regions is None else type(regions.spec).__name__,
        areas="" if regions is None else repr(regions.spec),
        floor=record.floor,
        target=target,
        estimator=chosen.estimator,
        budget=page_state.BUDGET,
        simulated=not runs.takes_long(chosen),
        guessed=record.guessed,
    )


def margins_csv(margins: Margins) -> bytes:
    """One row per region, group or answer: its share and half its 95 % range."""
    return runs.csv(
        {
            "name": margins.names,
            "share": margins.shares,
            "margin": margins.margins,
            "level": 0.95,
            "relative margin": margins.margins / margins.shares,
        }
    )


def needs_csv(record: Plan, points: Mapping[str, Sequence[Need]]) -> bytes:
    """One row per point of the picture."""
    known = [need for needs in points.values() for need in needs]
    return runs.csv(
        {
            "protection": [view.protection_title(record, need.protection) for need in known],
            "epsilon": [need.epsilon for need in known],
            "people": [need.people for need in known],
            "method": [MECHANISMS[need.method].title for need in known],
        }
    )


_TABS: Final[dict[str, Callable[[Plan], None]]] = {
    "Which method": _methods,
    "What others' ε would mean here": _deployments,
    "Asked again": _asked_again,
    "Share and export": _sharing,
}
PAGE: Final = PinPage(
    state=STATE,
    load=lambda record: record,
    view=view.view,
    sliders=_sliders,
    pin_title=lambda record: (
        f"{view.protection_title(record, record.chosen)}, ε = {record.epsilon:g}"
    ),
    describe=_need_sentence,
    numbers=_numbers,
    scenario=lambda record: record.protected_scenario(record.chosen, record.epsilon),
)


def show(record: Plan) -> None:
    """Show the page at a record."""
    page = layout.column_layout(STATE)
    with page.title:
        goals = goal_titles(record)
        choices.view_switch(STATE, "goal", "What must be known", goals)
    with page.side:
        _settings(record)
    with page.main.container(key=STATE.key("board")):
        _show_board(record)
    comparison.drawer("plan")
