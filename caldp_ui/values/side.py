"""Beside the picture: the table, ε, people, the odds, the protection and the method."""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.datasets import DatasetSpec, OwnSurvey, OwnTable
from caldp_core.domain.answers import Domain
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import BlocksSpec, EvenRuns, GroupBlocks, OneBlock, SymbolBlocks
from caldp_core.scenarios.policies import ContextPolicy, Line
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.controls import common, presets
from caldp_ui.controls.presets import Preset
from caldp_ui.parts import odds, pins
from caldp_ui.session import visitor_data
from caldp_ui.session.scenarios import bind
from caldp_ui.values import answers, pin_view, upload
from caldp_ui.values.page_state import K_MAX, STATE, domain_of, first_preset, switch_table
from caldp_ui.values.tables import SYNTHETIC, TABLES, Table, presets_of, table_of
from caldp_ui.words.vocabulary import ANSWERS

_K_MIN: Final = 2


def table_picker() -> None:
    """The menu of tables, and the upload of one's own."""
    table = table_of(STATE.current().scenario.dataset)
    titles = _by_title()
    st.selectbox(
        "Data",
        list(titles),
        help=table.question if table else None,
        **bind(STATE, "table", table and table.title, lambda s, t: switch_table(s, titles[t])),
    )
    upload.popover()


def _by_title() -> dict[str, Table]:
    """All tables by title: those shipped, and those uploaded in this visit."""
    specs = [*visitor_data.kept_datasets().values(), STATE.current().scenario.dataset]
    uploaded = [table_of(spec) for each in specs for spec in _questions(each)]
    return {table.title: table for table in (*TABLES, *uploaded) if table is not None}


def _questions(spec: DatasetSpec) -> list[DatasetSpec]:
    """The tables of a visitor's own data: each question of a survey is one."""
    if isinstance(spec, OwnSurvey):
        return [replace(spec, selected=at) for at in range(len(spec.tables()))]
    return [spec] if isinstance(spec, OwnTable) else []


def show(setup: Setup) -> None:
    """All controls; the two that matter most come first."""
    scenario = setup.scenario
    with st.container(key=STATE.key("dials")):
        common.epsilon(STATE)
        common.people(STATE, setup.dataset.n)
    odds.show(ANSWERS, setup)
    presets.picker(STATE, presets_of(scenario.dataset, domain_of(scenario)))
    pins.redraw_and_pin(STATE, pin_view.PIN_VIEW.title)
    # A closed expander is not drawn: every control costs each run a little.
    protection = st.expander("What is protected", key=STATE.key("protection"), on_change="rerun")
    if protection.open:
        with protection:
            _protection(setup, scenario)
    common.advanced_controls(STATE, "Data, method, estimate", lambda: _more(setup))


def _more(setup: Setup) -> None:
    _size(setup.scenario)
    common.method(STATE)
    common.estimate(STATE)
    st.caption(f"**{escape_markdown(setup.dataset.name)}**. {escape_markdown(setup.dataset.note)}")


def _protection(setup: Setup, scenario: Scenario) -> None:
    if isinstance(scenario.policy, ContextPolicy):
        _groups(setup, domain_of(scenario))
        _blocks(scenario, domain_of(scenario))
    else:
        st.caption(
            "Every answer is protected, best from near ones. Tick an answer, or choose another "
            "example, to choose which answers are sensitive."
        )


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
            answers.whole_groups(domain, setup.sensitive),
            lambda s, picked: s.with_context(
                sensitive=answers.with_groups(domain, setup.sensitive, picked)
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
        preset.blocks
        for preset in presets_of(scenario.dataset, domain)
        if isinstance(preset, Preset) and isinstance(preset.blocks, SymbolBlocks)
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
    st.selectbox(
        "Hide people among",
        list(kinds),
        help="Answers of one block hide each other. A report shows the block of an answer, but "
        "not which of its answers it is. Smaller blocks: more accurate, less hidden.",
        **bind(
            STATE,
            "blocks",
            next((title for title, spec in kinds.items() if spec == blocks), None),
            lambda s, title: s.with_context(blocks=kinds[title]),
        ),
    )
    if isinstance(blocks, EvenRuns):
        st.number_input(
            "Number of blocks",
            1,
            domain.k,
            **bind(STATE, "runs", blocks.blocks, lambda s, m: s.with_context(blocks=EvenRuns(m))),
        )


def _size(scenario: Scenario) -> None:
    """The number of answers, where the data are made up."""
    dataset = scenario.dataset
    if isinstance(dataset, SYNTHETIC):
        st.number_input(
            "Number of answers",
            _K_MIN,
            K_MAX,
            **bind(STATE, "k", dataset.k, _with_size),
        )


def _with_size(scenario: Scenario, k: int) -> Scenario:
    """The made-up data with k answers, under the first protection that comes with so many."""
    dataset = scenario.dataset
    assert isinstance(dataset, SYNTHETIC)
    sized = replace(scenario, dataset=replace(dataset, k=k))
    return sized if isinstance(scenario.policy, Line) else first_preset(sized)
