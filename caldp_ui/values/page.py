"""The page: its controls, the picture, and the tabs below."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.datasets import DatasetSpec, OwnSurvey, OwnTable
from caldp_core.datasets.files import answers
from caldp_core.datasets.files.layout_detection import DetectedFile, Layout
from caldp_core.datasets.files.numbers import NumberSteps, width_choices
from caldp_core.domain.domains import Domain
from caldp_core.experiments.run import Result, Setup
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import BlocksSpec, EvenRuns, GroupBlocks, OneBlock, SymbolBlocks
from caldp_core.scenarios.policies import ContextPolicy, Line
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.texts import escape_markdown, read_texts
from caldp_ui.app.theme import palette
from caldp_ui.compute import runs
from caldp_ui.controls import choices, common
from caldp_ui.parts import comparison, own_data, pins, sharing
from caldp_ui.parts import layout as markup
from caldp_ui.parts.pack import areas_of_table, by_areas
from caldp_ui.session import visit
from caldp_ui.session.page_state import bind, bind_held, page_button, scenario_query
from caldp_ui.shell.page import PinPage
from caldp_ui.values import page_state, several, view
from caldp_ui.values import tabs as below
from caldp_ui.values.page_state import K_MAX, STATE, SYNTHETIC, TABLES, ValuesState
from caldp_ui.words import accuracy, formats, policies, promise

TEXTS: Final = read_texts(__file__)

CountedData: TypeAlias = answers.CountedAnswers | answers.CountedQuestions
_NO_STEPS: Final = 0.0
"""Stands for no steps: each number is its own answer."""


def _ask_layout(key: own_data.Key, contents: DetectedFile, layout: Layout) -> Layout:
    """Asks what a row is, and of a single question for the steps that bin its numbers."""
    layout = own_data.ask_rows(key, contents, layout)
    if layout.others or layout.crossed:
        return layout
    width, steps = _ask_width(key, contents, layout), None
    if width is not None:
        least, largest = (
            place.number_input(
                f"Steps {name}",
                value=None,
                placeholder=f"{without} number",
                help=TEXTS["end_help"],
                key=key(f"steps-{name}"),
            )
            for place, name, without in zip(
                st.columns(2), ("from", "to"), ("the least", "the largest"), strict=True
            )
        )
        steps = NumberSteps(width, least, largest)
    return replace(layout, steps=steps)


def _ask_width(key: own_data.Key, contents: DetectedFile, layout: Layout) -> float | None:
    """Asks for the width of the steps; None for no steps."""
    if layout.answer is None or not contents.is_numeric(layout.answer):
        return None
    cells = answers.counted_cells(contents, layout, layout.answer)
    offered = [_NO_STEPS, *width_choices(cells, layout.mark or ".")]
    guess = answers.step_width(contents, layout, layout.answer)
    if len(offered) == 1:
        return None
    picked = st.selectbox(
        "Numbers are put together in steps of",
        offered,
        index=offered.index(guess or _NO_STEPS),
        format_func=lambda width: f"{width:,.10g}" if width else "none: each number by itself",
        help=TEXTS["width_help"],
        key=key(f"step-{layout.answer}-{layout.mark}"),
    )
    return picked or None


def _count_rows(
    contents: DetectedFile, layout: Layout, title: str, progress: Progress
) -> CountedData:
    count: Callable[..., CountedData] = (
        answers.count_questions if layout.others else answers.count_answers
    )
    return count(contents, layout, title, progress)


def _people_count(counts: CountedData) -> int:
    """The number of people; of a survey, those who answered its most answered question."""
    if isinstance(counts, answers.CountedQuestions):
        return max(sum(table.counts) for table in counts.survey.tables())
    return sum(counts.table.counts)


def _out_of_range_text(counts: CountedData) -> str:
    """How many numbers lie beyond the steps, and how many people are not on the map."""
    if isinstance(counts, answers.CountedQuestions):
        return ""
    if counts.off_map:
        return f" {formats.count(counts.off_map, 'person is', 'people are')} not on the map."
    if not counts.clamped_rows:
        return ""
    rows = formats.count(counts.clamped_rows, "number lies", "numbers lie")
    return f" {rows} beyond the steps: counted in the first or last step."


def _apply_counts(scenario: Scenario, counts: CountedData) -> Scenario:
    spec = counts.survey if isinstance(counts, answers.CountedQuestions) else counts.table
    table = page_state.table_of(spec)
    assert table is not None  # uploaded data always are one
    return page_state.switch_table(scenario, table)


def _next_step(counts: CountedData) -> str:
    if isinstance(counts, answers.CountedQuestions):
        return TEXTS["first_question"]
    return "All answers are hidden at first. Untick what is harmless, and see what that saves."


def _hidden_choices(counts: CountedData) -> dict[str, Callable[[Scenario], Scenario]]:
    """Protections of a table with groups: of answer and group, or of the answer within groups."""
    if isinstance(counts, answers.CountedQuestions) or not counts.table.groups:
        return {}
    return {
        "the answer and the group": lambda scenario: scenario,
        "the answer; the group is open": lambda scenario: scenario.with_context(
            blocks=GroupBlocks()
        ),
    }


FORM: Final[own_data.Form[CountedData]] = own_data.Form(
    "Your own table of answers",
    TEXTS["form_rows"],
    "Table",
    TEXTS["form_example"],
    "Conditions (made up)",
    OwnTable.title,
    ("answer", "question", "crossed", "people", "weight", "group", "person-id"),
    ("answer",),
    lambda seen: seen.answers,
    _count_rows,
    _people_count,
    _apply_counts,
    _next_step,
    _ask_layout,
    _out_of_range_text,
    ("degrees", "split"),
    _hidden_choices,
)
_K_MIN: Final = 2


def _questions(spec: DatasetSpec) -> list[DatasetSpec]:
    """The tables of a visitor's own data: each question of a survey is one."""
    if isinstance(spec, OwnSurvey):
        return [replace(spec, selected=at) for at in range(len(spec.tables()))]
    return [spec] if isinstance(spec, OwnTable) else []


def _controls(setup: Setup) -> None:
    """All controls; the two that matter most come first."""
    scenario = setup.scenario
    with st.container(key=STATE.key("dials")):
        common.epsilon(STATE)
        common.people(STATE, setup.dataset.n)
    markup.show_odds(formats.ANSWERS, setup)
    comparison.safety_button(STATE, formats.ANSWERS, setup)
    if isinstance(scenario.policy, ContextPolicy):
        marks = {"protection": choices.MARKED} if choices.has_marks(scenario.policy) else {}
        query = scenario_query(scenario) | marks
        look = {"key": STATE.key("plan"), "help": TEXTS["plan_help"]}
        page_button("Plan a survey with this question", "pages/plan.py", query, **look)
    preset = choices.menu(
        STATE, page_state.presets_of(scenario.dataset, page_state.domain_of(scenario))
    )
    if preset:
        st.caption(preset.sentence)
    pins.redraw_and_pin(STATE, _title)
    key, draw = STATE.key("protection"), partial(_protection, setup, scenario)
    choices.fold(st.expander, "What is protected", key, draw)
    key, more = STATE.key("more"), partial(_more, setup)
    choices.fold(st.expander, "Data, method, estimate", key, more)


def _more(setup: Setup) -> None:
    dataset = setup.scenario.dataset
    if isinstance(dataset, SYNTHETIC):
        st.number_input(
            "Number of answers", _K_MIN, K_MAX, **bind_held(STATE, "k", dataset.k, _with_size)
        )
    common.method(STATE)
    common.estimate(STATE)
    st.caption(f"**{escape_markdown(setup.dataset.name)}**. {escape_markdown(setup.dataset.note)}")


def _protection(setup: Setup, scenario: Scenario) -> None:
    if isinstance(scenario.policy, ContextPolicy):
        _groups(setup, page_state.domain_of(scenario))
        _blocks(scenario, page_state.domain_of(scenario))
    else:
        st.caption(TEXTS["fading_hint"])


def _groups(setup: Setup, domain: Domain) -> None:
    """Whole groups by name; single answers are marked on the picture."""
    names = list(dict.fromkeys(domain.groups))
    if not names:
        st.caption("Single answers are marked on the picture.")
        return
    st.multiselect(
        "Sensitive groups",
        names,
        placeholder="no whole group",
        help="Single answers are marked on the picture. Taking a group out takes out all of it.",
        **bind(
            STATE,
            "groups",
            page_state.whole_groups(domain, setup.sensitive),
            lambda s, picked: s.with_context(
                sensitive=page_state.with_groups(domain, setup.sensitive, picked)
            ),
        ),
    )


_ONE_BLOCK: Final = "All answers hide each other"
_GROUP_BLOCKS: Final = "Groups: answers of one group hide each other"
_EVEN_RUNS: Final = "Neighbours hide each other"
_TABLE_BLOCKS: Final = "Blocks of this table"


def _block_kinds(scenario: Scenario, domain: Domain) -> dict[str, BlocksSpec]:
    """Blocks that fit the answers, by what readers call them."""
    own = [
        preset.policy.blocks
        for preset in page_state.presets_of(scenario.dataset, domain)
        if isinstance(preset, choices.Preset) and isinstance(preset.policy.blocks, SymbolBlocks)
    ]
    blocks = scenario.context.blocks
    kinds: dict[str, BlocksSpec] = {_ONE_BLOCK: OneBlock()}
    if domain.groups:
        kinds[_GROUP_BLOCKS] = GroupBlocks()
    kinds[_EVEN_RUNS] = blocks if isinstance(blocks, EvenRuns) else EvenRuns(max(1, domain.k // 5))
    if isinstance(blocks, SymbolBlocks) or own:
        kinds[_TABLE_BLOCKS] = blocks if isinstance(blocks, SymbolBlocks) else own[0]
    return kinds


def _blocks(scenario: Scenario, domain: Domain) -> None:
    blocks, kinds = scenario.context.blocks, _block_kinds(scenario, domain)
    choices.by_title(
        STATE,
        "blocks",
        "Hide people among",
        kinds,
        lambda r, spec: replace(r, scenario=r.scenario.with_context(blocks=spec)),
        title=next((title for title, spec in kinds.items() if spec == blocks), None),
        help=TEXTS["blocks_help"],
    )
    if isinstance(blocks, EvenRuns):
        st.number_input(
            "Number of blocks",
            1,
            domain.k,
            **bind_held(
                STATE, "runs", blocks.blocks, lambda s, m: s.with_context(blocks=EvenRuns(m))
            ),
        )


def _with_size(scenario: Scenario, k: int) -> Scenario:
    """The made-up data with k answers, under the first protection for that number."""
    dataset = scenario.dataset
    assert isinstance(dataset, SYNTHETIC)
    sized = replace(scenario, dataset=replace(dataset, k=k))
    return sized if isinstance(scenario.policy, Line) else page_state.first_preset(sized)


def _title(record: ValuesState) -> str:
    scenario = record.scenario
    table = page_state.table_of(scenario.dataset)
    preset = choices.matching_preset(
        page_state.presets_of(scenario.dataset, page_state.domain_of(scenario)), scenario
    )
    level = policies.level_text(runs.setup(scenario))
    name = f"{escape_markdown(table.title)}, " if table else ""
    return f"{name}{preset.title if preset else 'own protection'}, {level}"


def _files(data: comparison.ComparisonData) -> dict[str, bytes]:
    if data.ours is None or data.plain is None:
        return {}
    return {"picture": view.png(data.ours, data.plain)}


def _promise(data: comparison.ComparisonData) -> None:
    comparison.shield(formats.ANSWERS, data.setup)
    comparison.not_promised(formats.ANSWERS, data.setup)


def _curves(data: comparison.ComparisonData) -> None:
    offered = _CURVE_CHOICES if isinstance(data.setup.policy, Context) else _ANY_POLICY_CURVES
    comparison.curves_section(STATE, offered, data)


def _sharing(data: comparison.ComparisonData) -> None:
    content, other_scenarios = None, {}
    if data.ours is not None and data.plain is not None:
        other_scenarios = {sharing.PLAIN: data.plain.setup.scenario}
        nouns = promise.of_data(formats.ANSWERS, data.setup)
        errors = (data.ours.first.errors.tv, data.plain.first.errors.tv)
        sentence = accuracy.error_sentence(nouns, *errors)
        content = _report_content(data.ours, data.plain, sentence)
    sharing.section(STATE, formats.ANSWERS, content, other_scenarios, partial(_save_pictures, data))
    PAGE.offer()


def _report_content(ours: Result, plain: Result, sentence: str) -> sharing.ReportContent:
    """The record's content; of a visitor's own data one picture has no truth."""
    true = {"Truth, plain LDP, this protection": view.png(ours, plain)}
    estimates = {}
    if runs.is_own(ours.setup.scenario.dataset):
        estimates = {"Plain LDP, this protection": view.estimates_png(ours, plain)}
    found = by_areas(ours, areas_of_table(ours.setup))
    return sharing.ReportContent(ours, sentence, estimates, true, found)


def _save_pictures(data: comparison.ComparisonData) -> None:
    """The button for the picture."""
    ours, plain = data.ours, data.plain
    assert ours is not None  # the content is made of it
    assert plain is not None
    scenario = ours.setup.scenario
    sharing.true_file(STATE.key("png"), "picture.png", view.png(ours, plain), scenario)


_ANY_POLICY_CURVES: Final = (comparison.EPSILON, comparison.PEOPLE)
_CURVE_CHOICES: Final = (
    replace(
        comparison.SENSITIVE,
        title="number of sensitive answers",
        x_axis={"title": "sensitive answers: yours first, then others in random order"},
    ),
    *_ANY_POLICY_CURVES,
)
_TABS: Final[dict[str, Callable[[comparison.ComparisonData], None]]] = {
    "What an attacker learns": below.show_beliefs,
    "What is promised": _promise,
    "Several questions": several.show,
    "Methods": below.show_methods,
    "Error curves": _curves,
    "Numbers": below.show_numbers,
    "Share and export": _sharing,
}
PAGE: Final = PinPage(
    state=STATE,
    name="answers",
    load=lambda record: comparison.load_fast_results(STATE, record.scenario),
    view=view.view,
    films=view.slider_films,
    pin_title=_title,
    describe=lambda data: view.headline(data).whole,
    numbers=lambda data: pins.result_numbers(formats.ANSWERS, data.ours),
    images=_files,
)


def show(record: ValuesState) -> None:
    """Show the page at a record."""
    page = markup.column_layout(STATE)
    with page.title:
        own = record.scenario.dataset
        table = page_state.table_of(own)
        specs = [*visit.kept_datasets().values(), own]  # those uploaded in this visit
        uploaded = [page_state.table_of(spec) for each in specs for spec in _questions(each)]
        choices.by_title(
            STATE,
            "table",
            "Data",
            {each.title: each for each in (*TABLES, *uploaded) if each is not None},
            lambda record, t: replace(record, scenario=page_state.switch_table(record.scenario, t)),
            title=table.title if table else None,
            help=table.question if table else None,
        )
        own_data.popover(STATE, FORM)
    with page.main:
        data = comparison.load_results(STATE, record.scenario)
        shown = PAGE.view(data, PAGE.pinned_data(), palette())
        view.show_areas(data)
        view.show(shown)
    page.show_headline(shown.headline)
    with page.side:
        _controls(data.setup)
    PAGE.show_pins(data)
    markup.tabs(STATE.key("tabs"), _TABS, data)
    comparison.drawer("values")
    ready = data.ours is not None and data.plain is not None
    view.send_frames([film.request(record) for film in PAGE.films(record)] if ready else [])
