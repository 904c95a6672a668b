"""The page of sensitive values: what it shows is what the core computes, whatever is marked."""

from typing import Any

import numpy as np
import pytest

from caldp_core.datasets import SURVEYS, Survey, WebVisits
from caldp_core.domain.answers import Domain
from caldp_core.experiments.run import prepare
from caldp_core.privacy.coverage import coverage
from caldp_core.scenarios.blocks import EvenRuns, EverythingSensitive, GroupBlocks, SensitiveSymbols
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import exports
from caldp_ui.controls.choices import Example, Preset, matching_preset
from caldp_ui.values import page_state as answers
from caldp_ui.values import view as chart
from caldp_ui.values.page_state import (
    AFFAIR,
    BEGIN,
    LINK,
    TABLES,
    Table,
    ValuesState,
    initial_scenario,
    presets_of,
)
from tests.ui.driver import assert_exported, checked, data_of, headline_of, open_record, query_of
from tests.ui.values_page import FEW, assert_shows, mark, open_values, scenario_of


def test_page_begins_with_a_protection_of_all_whose_gain_is_seen() -> None:
    at = open_values()
    ours, plain = assert_shows(at, BEGIN)
    assert query_of(at) == {}
    assert 4 * ours.first.errors.tv < plain.first.errors.tv
    assert coverage(prepare(BEGIN).policy).protected.all()
    groups = data_of(at, chart.KEY)["groups"]
    assert [group["name"] for group in groups] == ["no affair", "had an affair"]
    labels = data_of(at, chart.KEY)["labels"]
    assert labels[:5] == labels[5:]


def test_what_is_exported_gives_the_same_digits_on_the_command_line(tmp_path: Any) -> None:
    at = open_values()
    ours, _ = assert_shows(at, BEGIN)
    assert_exported(tmp_path, ours)
    rows = exports.estimate_csv(ours).decode().splitlines()
    columns = "number,answer,group,block,estimated share,estimated people"
    assert rows[0] == f"{columns},low,high,level,relative error,may be noise"
    assert rows[1].startswith("0,very poor marriage; no affair,no affair,block 1,")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
def test_every_table_opens_with_its_own_protection(table: Table) -> None:
    at = open_values()
    checked(at.selectbox(key="values-table").set_value(table.title).run())
    assert_shows(at, initial_scenario(table))
    checked(at.selectbox(key="values-table").set_value(TABLES[0].title).run())
    mark(at, step="undo")
    assert scenario_of(at) == initial_scenario(table)


def all_presets() -> list[tuple[Table, Example]]:
    found = []
    for table in TABLES:
        domain = table.spec.load().domain
        assert isinstance(domain, Domain)
        found += [(table, preset) for preset in presets_of(table.spec, domain)]
    return found


@pytest.mark.parametrize(
    ("table", "preset"),
    all_presets(),
    ids=[f"{table.title}: {preset.title}" for table, preset in all_presets()],
)
def test_every_preset_fits_its_table_and_is_known_again(table: Table, preset: Example) -> None:
    scenario = preset.apply(initial_scenario(table))
    LINK.check(ValuesState(scenario))
    setup = prepare(scenario)
    domain = setup.dataset.domain
    assert isinstance(domain, Domain)
    assert matching_preset(presets_of(table.spec, domain), scenario) == preset
    # What hands would mark is written in the same way, so that the menu knows it again.
    if isinstance(preset, Preset):
        assert answers.spec_of(setup.sensitive) == scenario.context.sensitive
    assert Scenario.from_query(scenario.to_query()) == scenario


@pytest.mark.parametrize(
    "spec", [Survey("affairs"), Survey("income"), Survey("substances"), WebVisits()]
)
def test_a_preset_hides_the_answers_that_are_sensitive_by_the_data(
    spec: Survey | WebVisits,
) -> None:
    domain = _domain(spec)
    names = SURVEYS[spec.table].sensitive if isinstance(spec, Survey) else spec.delicate_topics()
    flags = [
        {group, name} & {*names} != set()
        for group, name in zip(domain.groups, domain.names, strict=True)
    ]
    presets = [each for each in presets_of(spec, domain) if isinstance(each, Preset)]
    assert answers.spec_of(np.array(flags)) in [each.policy.sensitive for each in presets]


def test_blocks_of_surveys_hold_answers_that_differ_in_what_they_hide() -> None:
    for table, hides in (("affairs", "affair"), ("vote", "vote")):
        presets = presets_of(Survey(table), _domain(Survey(table)))
        preset = next(p for p in presets if p.title.startswith(f"Hide the {hides}, not"))
        domain = _domain(Survey(table))
        assert isinstance(preset, Preset)
        blocks = preset.policy.blocks.build(domain)
        for j in range(blocks.m):
            inside = [domain.name_of(x) for x in np.flatnonzero(blocks.labels == j).tolist()]
            assert len({name.split("; ")[0] for name in inside}) == 1
            assert len({name.split("; ")[1] for name in inside}) == 2


def _domain(spec: Survey | WebVisits) -> Domain:
    domain = spec.load().domain
    assert isinstance(domain, Domain)
    return domain


def test_ticks_mark_answers_and_steps_take_them_back() -> None:
    at = open_values()
    mark(at, sensitive="0;5-9")
    ticked = BEGIN.with_context(sensitive=SensitiveSymbols(("0", "5-9")))
    assert_shows(at, ticked)
    mark(at, sensitive="0-9")
    assert_shows(at, BEGIN.with_context(sensitive=EverythingSensitive()))
    checked(at.select_slider(key="values-epsilon").set_value(2.0).run())
    mark(at, step="undo")
    mark(at, step="undo")
    assert_shows(at, BEGIN.with_context(epsilon=2.0))
    mark(at, step="redo")
    assert_shows(at, ticked.with_context(epsilon=2.0))
    mark(at, sensitive="")
    headline = headline_of(at)
    assert headline.startswith("Nobody is protected")


def test_answers_alone_in_their_block_are_told_apart() -> None:
    """Ticked or not, their report names them: the picture marks them as not protected."""
    for blocks, alone in ((EvenRuns(10), "0-9"), (EvenRuns(6), "4;9"), (GroupBlocks(), "")):
        scenario = BEGIN.with_context(blocks=blocks, sensitive=EverythingSensitive())
        sent = data_of(open_values(LINK.write(ValuesState(scenario))), chart.KEY)
        assert sent["sensitive"] == "0-9"
        assert sent["singles"] == alone, blocks
        hidden = prepare(scenario).policy.hidden()  # type: ignore[attr-defined]
        assert sent["singles"] == ";".join(answers.runs_of(np.flatnonzero(~hidden)))


@pytest.mark.parametrize("runs", ["10", "x", "3-1", "0;;2"])
def test_marks_that_are_none_become_a_notice(runs: str) -> None:
    at = mark(open_values(), sensitive=runs)
    assert scenario_of(at) == BEGIN
    assert len(at.warning) == 1


def test_groups_are_marked_as_a_whole() -> None:
    at = open_record(answers.STATE, answers.ValuesState(AFFAIR), opens=["protection"])
    groups = at.multiselect(key="values-groups")
    assert groups.value == ["had an affair"]
    checked(groups.set_value(["no affair"]).run())
    assert scenario_of(at).context.sensitive == SensitiveSymbols(("0-4",))
    domain = _domain(Survey())
    some = np.arange(10) % 5 == 0
    assert answers.whole_groups(domain, some) == []
    added = answers.with_groups(domain, some, ["no affair"])
    assert added == SensitiveSymbols(("0-5",))


def test_blocks_are_chosen_by_kind() -> None:
    at = open_values()
    at.session_state["values-protection"] = True
    checked(at.run())
    kinds = at.selectbox(key="values-blocks")
    assert len(kinds.options) == 4
    checked(kinds.set_value(kinds.options[1]).run())
    assert_shows(at, BEGIN.with_context(blocks=GroupBlocks()))
    checked(at.selectbox(key="values-blocks").set_value(kinds.options[2]).run())
    checked(at.number_input(key="values-runs").set_value(5).run())
    assert_shows(at, BEGIN.with_context(blocks=EvenRuns(5)))


def test_a_link_opens_what_was_shown() -> None:
    scenario = FEW.with_context(epsilon=3.0)
    at = open_values(LINK.write(ValuesState(scenario)))
    assert_shows(at, scenario)
