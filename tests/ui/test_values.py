"""The page of sensitive values: what it shows is what the core computes, whatever is marked."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from caldp_core.audit.beliefs import promised
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.cli.commands import main
from caldp_core.datasets import Gowalla, Survey, WebVisits, Zipf
from caldp_core.domain.grid import Domain
from caldp_core.domain.partitions import whole
from caldp_core.estimation.intervals import intervals
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result, prepare, run
from caldp_core.mechanisms.catalogue import mechanisms_for
from caldp_core.scenarios.protection import (
    EvenRuns,
    EverythingSensitive,
    GroupBlocks,
    OneBlock,
    SensitiveSymbols,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import VALUES
from caldp_ui.compute import exports, rivals
from caldp_ui.controls.presets import Preset, fitting
from caldp_ui.parts.comparison import Shown
from caldp_ui.values import answers, chart, figures, listed, marks, picture, words
from caldp_ui.values.slot import BEGIN, Values, ValuesLink, begin_with
from caldp_ui.values.tables import TABLES, Table, presets_of
from caldp_ui.words import formats
from tests.ui.driver import APP, checked, container, query_of, scene_of, trigger

FEW = replace(BEGIN, dataset=Zipf(4), n=1_000).with_context(
    blocks=OneBlock(), sensitive=SensitiveSymbols(("0-1",))
)
ROUNDED = 1e-4
"""The browser is sent five digits."""


def open_values(query: dict[str, str] | None = None) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in (query or {}).items():
        at.query_params[name] = value
    at.switch_page(VALUES)
    return checked(at.run())


def scenario_of(at: AppTest) -> Scenario:
    held: Values = at.session_state["values/slot"].record
    return held.scenario


def mark(at: AppTest, **told: Any) -> AppTest:
    return trigger(at, [{"event": "act", "value": told}], chart.KEY)


def assert_shows(at: AppTest, scenario: Scenario) -> tuple[Result, Result]:
    """The picture, the sentence and the link are those of a fresh run of the core."""
    assert scenario_of(at) == scenario
    ours, plain = (run(prepare(each)) for each in (scenario, rivals.rival(scenario)))
    sent = scene_of(at, chart.KEY)
    np.testing.assert_allclose(sent["truth"], ours.setup.dataset.distribution, rtol=ROUNDED)
    for name, result in (("ours", ours), ("plain", plain)):
        ends = intervals(result.first.evidence)
        for found, wanted in zip(
            sent[name], (result.first.estimate, ends.low, ends.high), strict=True
        ):
            np.testing.assert_allclose(found, wanted, rtol=ROUNDED, atol=1e-12)
    assert sent["marked"] == ";".join(marks.runs_of(np.flatnonzero(ours.setup.sensitive)))
    (said,) = (item.value for item in container(at, "headline").markdown)
    for result in (ours, plain):
        assert f"**{formats.out_of(result.first.errors.tv)}" in said
    query = query_of(at)
    assert ValuesLink().read(query) == Values(scenario)
    return ours, plain


def test_the_page_begins_with_an_affair_that_is_sensitive() -> None:
    at = open_values()
    ours, plain = assert_shows(at, BEGIN)
    assert query_of(at) == {}
    assert ours.first.errors.tv < plain.first.errors.tv
    groups = scene_of(at, chart.KEY)["groups"]
    assert [group["name"] for group in groups] == ["no affair", "had an affair"]
    labels = scene_of(at, chart.KEY)["labels"]
    assert labels[:5] == labels[5:]


def test_what_is_exported_gives_the_same_digits_on_the_command_line(tmp_path: Any) -> None:
    at = open_values()
    path = tmp_path / "scenario.json"
    path.write_text(exports.scenario_json(scenario_of(at)), encoding="utf-8")
    done = CliRunner().invoke(main, ["run", str(path)])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)["errors"]["tv"]["mean"]
    ours, _ = assert_shows(at, BEGIN)
    assert told == ours.first.errors.tv
    rows = exports.estimate_csv(ours).decode().splitlines()
    assert rows[0] == "symbol,value,group,block,share,people"
    assert rows[1].startswith("0,very poor marriage; no affair,no affair,everything,")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.title)
def test_every_table_opens_with_its_own_protection(table: Table) -> None:
    at = open_values()
    checked(at.selectbox(key="values-table").set_value(table.title).run())
    assert_shows(at, begin_with(table))
    checked(at.selectbox(key="values-table").set_value(TABLES[0].title).run())
    mark(at, step="undo")
    assert scenario_of(at) == begin_with(table)


def all_presets() -> list[tuple[Table, Preset]]:
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
def test_every_preset_fits_its_table_and_is_known_again(table: Table, preset: Preset) -> None:
    scenario = preset.apply(begin_with(table))
    ValuesLink().check(Values(scenario))
    setup = prepare(scenario)
    domain = setup.dataset.domain
    assert isinstance(domain, Domain)
    assert fitting(presets_of(table.spec, domain), scenario) == preset
    # What hands would mark is written in the same way, so that the menu knows it again.
    assert marks.spec_of(setup.sensitive) == scenario.context.sensitive
    assert Scenario.from_query(scenario.to_query()) == scenario


def test_blocks_of_surveys_hold_answers_that_differ_in_what_they_hide() -> None:
    for table, hides in (("affairs", "affair"), ("vote", "vote")):
        presets = presets_of(Survey(table), _domain(Survey(table)))
        preset = next(p for p in presets if p.title.startswith(f"Hide the {hides}, not"))
        domain = _domain(Survey(table))
        blocks = preset.blocks.build(domain)
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
    mark(at, marked="0;5-9")
    ticked = BEGIN.with_context(sensitive=SensitiveSymbols(("0", "5-9")))
    assert_shows(at, ticked)
    mark(at, marked="0-9")
    assert_shows(at, BEGIN.with_context(sensitive=EverythingSensitive()))
    checked(at.select_slider(key="values-epsilon").set_value(2.0).run())
    mark(at, step="undo")
    mark(at, step="undo")
    assert_shows(at, BEGIN.with_context(epsilon=2.0))
    mark(at, step="redo")
    assert_shows(at, ticked.with_context(epsilon=2.0))
    mark(at, marked="")
    said = container(at, "headline").markdown[0].value
    assert "nobody is protected" in said


@pytest.mark.parametrize("told", ["10", "x", "3-1", "0;;2"])
def test_marks_that_are_none_become_a_notice(told: str) -> None:
    at = mark(open_values(), marked=told)
    assert scenario_of(at) == BEGIN
    assert len(at.warning) == 1


def test_groups_are_marked_as_a_whole() -> None:
    at = open_values()
    at.session_state["values-protection"] = True
    checked(at.run())
    groups = at.multiselect(key="values-groups")
    assert groups.value == ["had an affair"]
    checked(groups.set_value(["no affair"]).run())
    assert scenario_of(at).context.sensitive == SensitiveSymbols(("0-4",))
    domain = _domain(Survey())
    some = np.arange(10) % 5 == 0
    assert marks.whole_groups(domain, some) == []
    added = marks.with_groups(domain, some, ["no affair"])
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


@pytest.mark.parametrize(
    "query",
    [
        {"v": "2", "dataset": "gowalla"},
        {"v": "2", "dataset": "survey", "dataset.table": "wages"},
        {"v": "2", "dataset": "survey", "blocks": "one", "sensitive": "symbols",
         "sensitive.runs": "0-10"},
        {"v": "2", "dataset": "survey", "policy": "line"},
        {"v": "2", "dataset": "zipf", "dataset.k": "3000", "n": "10", "blocks": "one"},
    ],
)  # fmt: skip
def test_links_that_cannot_be_shown_start_afresh(query: dict[str, str]) -> None:
    at = open_values(query)
    assert scenario_of(at) == BEGIN
    assert len(at.warning) == 1


def test_a_link_opens_what_was_shown() -> None:
    scenario = FEW.with_context(epsilon=3.0)
    at = open_values(ValuesLink().write(Values(scenario)))
    assert_shows(at, scenario)


@pytest.mark.parametrize("tab", ["What is promised", "Methods", "Numbers", "Hand it on"])
def test_every_tab_can_be_drawn(tab: str) -> None:
    at = open_values(ValuesLink().write(Values(FEW)))
    at.session_state["values-tabs"] = tab
    checked(at.run())
    assert not at.error


def test_the_first_tab_tells_what_a_report_may_make_one_believe() -> None:
    rows = figures.learned(BEGIN)
    setup = prepare(BEGIN)
    assert isinstance(setup.dataset.domain, Domain)
    assert [row.name for row in rows[:2]] == ["no affair", "had an affair"]
    affair = rows[1]
    assert affair.sensitive
    bound = promised(setup.policy, setup.dataset.distribution, setup.sensitive)  # type: ignore[arg-type]
    assert affair.promised == bound
    assert bound.most == pytest.approx(0.3225 * np.e / (0.3225 * np.e + 0.6775), abs=1e-4)
    for row in rows:
        assert row.reached is not None
        assert row.promised.least - 1e-9 <= row.reached.least
        assert row.reached.most <= row.promised.most + 1e-9
    web = figures.learned(begin_with(next(t for t in TABLES if t.spec == WebVisits())))
    assert len(web) == 40 + figures.LISTED
    assert web[40].sensitive
    assert web[40].reached is None


def test_methods_are_those_of_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "menu_of_estimators", lambda chosen: [chosen])
    setup = prepare(FEW)
    found = figures.methods(FEW)
    assert [m.title for m in found] == [e.title for e in mechanisms_for(setup.policy)]
    (chosen,) = (method for method in found if method.chosen)
    p, n = setup.dataset.distribution, setup.n
    assert chosen.l2 == pytest.approx(np.sqrt(setup.mechanism.variance(p, n).sum()))
    compared = figures.compared(FEW, no_progress)
    assert compared.methods == tuple(method.title for method in found)
    assert all(tv is not None and 0 < tv < 1 for row in compared.tv for tv in row)


def test_the_table_holds_the_picture_s_numbers_and_wider_ranges_for_all() -> None:
    ours, plain = (run(prepare(each)) for each in (BEGIN, rivals.rival(BEGIN)))
    frame = listed.frame(ours, plain)
    np.testing.assert_allclose(frame["this"], 100 * ours.first.estimate)
    for who in ("this", "plain"):
        assert (frame[f"{who} all low"] <= frame[f"{who} low"]).all()
        assert (frame[f"{who} all high"] >= frame[f"{who} high"]).all()
        assert (frame[f"{who} all high"] > frame[f"{who} high"]).any()


def test_shares_of_groups_are_those_of_regions() -> None:
    result = run(prepare(BEGIN))
    affair = result.setup.sensitive
    found = answers.group_share(result, affair)
    report = region_report(result.setup, result.first, affair)
    assert found.low * result.setup.n == pytest.approx(report.low)
    assert found.estimate == pytest.approx(result.first.estimate[affair].sum())


def test_the_sentence_tells_of_estimates_that_are_no_shares() -> None:
    few = replace(FEW.with_context(epsilon=0.01), estimator="none", n=100)
    setups = [prepare(each) for each in (few, rivals.rival(few))]
    ours, plain = (run(setup) for setup in setups)
    assert ours.first.errors.tv > 1
    told = words.headline(Shown(setups[0], setups[1], ours, plain))
    assert f"error of **{formats.share(ours.first.errors.tv)}**" in told


def test_the_picture_to_take_along_is_a_png_that_marks_change() -> None:
    scenarios = (FEW, FEW.with_context(sensitive=EverythingSensitive()))
    pngs = [picture.png(run(prepare(s)), run(prepare(rivals.rival(s)))) for s in scenarios]
    assert all(png.startswith(b"\x89PNG") for png in pngs)
    assert pngs[0] != pngs[1]


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_flags_come_back_from_their_runs(flags: list[bool]) -> None:
    array = np.array(flags, dtype=np.bool_)
    domain = Domain(len(flags))
    spec = marks.spec_of(array)
    assert isinstance(spec, EverythingSensitive) == all(flags)
    np.testing.assert_array_equal(spec.build(domain, whole(domain)), array)


def test_data_with_a_map_are_not_for_this_page() -> None:
    with pytest.raises(CaldpError, match="places are on the page"):
        ValuesLink().check(Values(Scenario(dataset=Gowalla())))
