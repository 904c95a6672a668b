"""Sensitive answers: what the page, its tabs and its files show is what the core computes."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from caldp_core.audit.inference import Beliefs, policy_beliefs
from caldp_core.basics.types import no_progress
from caldp_core.cli.commands import main
from caldp_core.datasets import (
    SURVEYS,
    OwnSurvey,
    OwnTable,
    Survey,
    Uniform,
    WebVisits,
    shipped,
)
from caldp_core.domain.domains import Domain
from caldp_core.domain.partitions import single_block
from caldp_core.estimation.estimators import compare_groups, quantiles
from caldp_core.experiments.questions import QuestionPlan, wrong_share
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import Hadamard, SquareWave, mechanisms_for
from caldp_core.privacy.matrix import coverage
from caldp_core.scenarios.blocks import (
    EvenRuns,
    EverythingSensitive,
    GroupBlocks,
    OneBlock,
    SensitiveSymbols,
)
from caldp_core.scenarios.policies import ContextPolicy, Distances, Line
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_ui.app.texts import escape_markdown
from caldp_ui.app.user_text import UserText
from caldp_ui.compute import runs
from caldp_ui.controls.choices import Example, LevelPreset, Preset, matching_preset
from caldp_ui.parts.comparison import ComparisonData
from caldp_ui.values import page_state, several, tabs, view
from caldp_ui.values.page_state import (
    AFFAIR,
    BEGIN,
    LINK,
    TABLES,
    TableEntry,
    ValuesState,
    domain_of,
    groups_of,
    initial_scenario,
    presets_of,
    table_of,
)
from caldp_ui.values.tabs import means_text
from caldp_ui.words import formats
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.driver import (
    FEW,
    accepted,
    checked,
    data_of,
    headline_of,
    jobs_done,
    mark,
    open_every_tab,
    open_record,
    open_values,
    query_of,
    values_page_assert_shows,
    values_page_scenario_of,
)


def test_page_begins_with_a_protection_of_all_whose_gain_is_seen() -> None:
    at = open_values()
    ours, plain = values_page_assert_shows(at, BEGIN)
    assert query_of(at) == {}
    assert 4 * ours.first.errors.tv < plain.first.errors.tv
    assert coverage(prepare(BEGIN).policy).protected.all()
    groups = data_of(at, view.KEY)["groups"]
    assert [group["name"] for group in groups] == ["no affair", "had an affair"]
    labels = data_of(at, view.KEY)["labels"]
    assert labels[:5] == labels[5:]


def test_a_range_of_a_group_is_of_shares_however_much_noise_there_is() -> None:
    few = replace(BEGIN.with_context(epsilon=0.1), n=1_000)
    for scenario in (few, replace(few, policy=ContextPolicy(OneBlock(), epsilon=0.1))):
        result = run(prepare(scenario))
        for name, flags in groups_of(domain_of(scenario)):
            share, low, high = view.group_share(result, flags)
            with naming(name):
                assert 0 <= low <= share <= high <= 1
                assert share == pytest.approx(result.first.estimate[flags].sum())


@pytest.mark.parametrize("table", thinned(TABLES, one_in=3), ids=lambda table: table.title)
def test_every_table_opens_with_its_own_protection(table: TableEntry) -> None:
    at = open_values()
    checked(at.selectbox(key="values-table").set_value(table.title).run())
    values_page_assert_shows(at, initial_scenario(table))
    checked(at.selectbox(key="values-table").set_value(TABLES[0].title).run())
    mark(at, step="undo")
    assert values_page_scenario_of(at) == initial_scenario(table)


def all_presets() -> list[tuple[TableEntry, Example]]:
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
def test_every_preset_fits_its_table_and_is_known_again(table: TableEntry, preset: Example) -> None:
    scenario = preset.apply(initial_scenario(table))
    LINK.check(ValuesState(scenario))
    setup = prepare(scenario)
    domain = setup.dataset.domain
    assert isinstance(domain, Domain)
    assert matching_preset(presets_of(table.spec, domain), scenario) == preset
    # What hands would mark is written in the same way, so that the menu knows it again.
    if isinstance(preset, Preset):
        assert page_state.spec_of(setup.sensitive) == scenario.context.sensitive
    assert Scenario.from_query(scenario.to_query()) == scenario


@pytest.mark.parametrize(
    "spec", [Survey("affairs"), Survey("income"), Survey("substances"), WebVisits()]
)
def test_a_preset_hides_the_answers_that_are_sensitive_by_the_data(
    spec: Survey | WebVisits,
) -> None:
    domain = _domain(spec)
    names = SURVEYS[spec.table].sensitive if isinstance(spec, Survey) else shipped.SENSITIVE_TOPICS
    flags = [
        {group, name} & {*names} != set()
        for group, name in zip(domain.groups, domain.names, strict=True)
    ]
    presets = [each for each in presets_of(spec, domain) if isinstance(each, Preset)]
    assert page_state.spec_of(np.array(flags)) in [each.policy.sensitive for each in presets]


def _domain(spec: Survey | WebVisits) -> Domain:
    domain = spec.load().domain
    assert isinstance(domain, Domain)
    return domain


def test_ticks_mark_answers_and_steps_take_them_back() -> None:
    at = open_values()
    mark(at, sensitive="0;5-9")
    ticked = BEGIN.with_context(sensitive=SensitiveSymbols(("0", "5-9")))
    values_page_assert_shows(at, ticked)
    mark(at, sensitive="0-9")
    values_page_assert_shows(at, BEGIN.with_context(sensitive=EverythingSensitive()))
    checked(at.select_slider(key="values-epsilon").set_value(2.0).run())
    mark(at, step="undo")
    mark(at, step="undo")
    values_page_assert_shows(at, BEGIN.with_context(epsilon=2.0))
    mark(at, step="redo")
    values_page_assert_shows(at, ticked.with_context(epsilon=2.0))
    mark(at, sensitive="")
    headline = headline_of(at)
    assert headline.startswith("Nobody is protected")


def test_answers_alone_in_their_block_are_told_apart() -> None:
    """Ticked or not, their report names them: the picture marks them as not protected."""
    for blocks, alone in ((EvenRuns(10), "0-9"), (EvenRuns(6), "4;9"), (GroupBlocks(), "")):
        scenario = BEGIN.with_context(blocks=blocks, sensitive=EverythingSensitive())
        sent = data_of(open_values(LINK.write(ValuesState(scenario))), view.KEY)
        assert sent["sensitive"] == "0-9"
        assert sent["singles"] == alone, blocks
        hidden = prepare(scenario).policy.hidden()  # type: ignore[attr-defined]
        assert sent["singles"] == ";".join(page_state.runs_of(np.flatnonzero(~hidden)))


def test_marks_that_are_none_become_a_notice() -> None:
    at = open_values()
    for wrong in ("10", "x", "3-1", "0;;2"):
        mark(at, sensitive=wrong)
        assert values_page_scenario_of(at) == BEGIN
        assert len(at.warning) == 1, wrong


def test_groups_are_marked_as_a_whole() -> None:
    at = open_record(page_state.STATE, page_state.ValuesState(AFFAIR), opens=["protection"])
    groups = at.multiselect(key="values-groups")
    assert groups.value == ["had an affair"]
    checked(groups.set_value(["no affair"]).run())
    assert values_page_scenario_of(at).context.sensitive == SensitiveSymbols(("0-4",))
    domain = _domain(Survey())
    some = np.arange(10) % 5 == 0
    assert page_state.whole_groups(domain, some) == []
    added = page_state.with_groups(domain, some, ["no affair"])
    assert added == SensitiveSymbols(("0-5",))


def test_blocks_are_chosen_by_kind() -> None:
    at = open_values()
    at.session_state["values-protection"] = True
    checked(at.run())
    kinds = at.selectbox(key="values-blocks")
    assert len(kinds.options) == 4
    checked(kinds.set_value(kinds.options[1]).run())
    values_page_assert_shows(at, BEGIN.with_context(blocks=GroupBlocks()))
    checked(at.selectbox(key="values-blocks").set_value(kinds.options[2]).run())
    checked(at.number_input(key="values-runs").set_value(5).run())
    values_page_assert_shows(at, BEGIN.with_context(blocks=EvenRuns(5)))


def test_the_first_tab_tells_what_a_report_may_make_one_believe() -> None:
    rows = tabs.belief_rows(AFFAIR)
    setup = prepare(AFFAIR)
    assert isinstance(setup.dataset.domain, Domain)
    assert [row.name for row in rows[:2]] == ["no affair", "had an affair"]
    affair = rows[1]
    assert affair.protected
    bound = policy_beliefs(setup.policy, setup.dataset.distribution, setup.sensitive)  # type: ignore[arg-type]
    assert affair.promise_beliefs == bound
    assert bound.most == pytest.approx(0.3225 * np.e / (0.3225 * np.e + 0.6775), abs=1e-4)
    for row in rows:
        assert row.channel_beliefs is not None
        assert row.promise_beliefs.least - 1e-9 <= row.channel_beliefs.least
        assert row.channel_beliefs.most <= row.promise_beliefs.most + 1e-9
    web = tabs.belief_rows(initial_scenario(next(t for t in TABLES if t.spec == WebVisits())))
    assert len(web) == 40 + tabs.ROWS_MAX
    assert web[40].protected
    assert web[40].channel_beliefs is None


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [
        (0.0, 1.0, "can be read"),
        (4e-9, 1.0, "can be read"),
        (0.11, 1.0, "at least 11 of 100"),
        (0.0, 0.48, "at most 48 of 100"),
        (0.0, 0.996, "0 to 99.6 of 100"),
        (0.0, 1 - 5e-7, "0 to more than 99.9 of 100"),
        (4e-9, 1 - 1e-9, "less than 0.01 to more than 99.9 of 100"),
        (0.11, 0.997, "11 to 99.7 of 100"),
        (0.11, 0.92, "11 to 92 of 100"),
        (0.678, 0.682, "68 of 100"),
        (4.0e-7, 4.1e-7, "4 of 10 million"),
    ],
)
def test_what_an_attacker_believes_is_read_at_both_ends(
    least: float, most: float, text: str
) -> None:
    assert tabs._beliefs_text(Beliefs((least + most) / 2, least, most)) == text


def test_methods_are_those_of_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabs, "menu_of_estimators", lambda chosen, **_: [chosen])
    setup = prepare(FEW)
    found = tabs.methods(FEW)
    # The answers are in no order, so none is for values in one.
    able = [each for each in mechanisms_for(setup.policy) if not each.in_order]
    assert [m.title for m in found] == [each.title for each in able]
    (chosen,) = (method for method in found if method.is_chosen)
    p, n = setup.dataset.distribution, setup.n
    assert chosen.l2 == pytest.approx(np.sqrt(setup.mechanism.variance(p, n).sum()))
    compared = tabs.compare_methods(FEW, no_progress)
    assert list(compared.index) == [method.title for method in found]
    assert ((compared > 0) & (compared < 1)).all(axis=None)


def test_the_sentence_tells_of_estimates_that_are_no_shares() -> None:
    few = replace(FEW.with_context(epsilon=0.01), estimator="none", n=100)
    setups = [prepare(each) for each in (few, runs.best_plain_ldp(few))]
    ours, plain = (run(setup) for setup in setups)
    assert ours.first.errors.tv > 1
    headline = view.headline(ComparisonData(setups[0], setups[1], ours, plain))
    assert f"a total variation of {formats.share(ours.first.errors.tv)}" in headline.second


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_flags_come_back_from_their_runs(flags: list[bool]) -> None:
    array = np.array(flags, dtype=np.bool_)
    domain = Domain(len(flags))
    spec = page_state.spec_of(array)
    assert isinstance(spec, EverythingSensitive) == all(flags)
    np.testing.assert_array_equal(spec.build(domain, single_block(domain)), array)


def fading_preset(name: str) -> tuple[Scenario, LevelPreset]:
    """A survey as it is shown at first, and its protection that fades."""
    table = table_of(Survey(name))
    assert table is not None
    begin = initial_scenario(table)
    (found,) = (p for p in presets_of(table.spec, domain_of(begin)) if isinstance(p, LevelPreset))
    return begin, found


@pytest.mark.parametrize("name", thinned(["income", "substances"], one_in=2))
def test_a_protection_that_fades_is_chosen_moved_and_left(name: str) -> None:
    begin, preset = fading_preset(name)
    at = open_values(LINK.write(ValuesState(begin)))
    checked(at.selectbox(key="values-preset").set_value(preset.title).run())
    scenario = preset.apply(begin)
    assert isinstance(scenario.policy, Line | Distances)
    values_page_assert_shows(at, scenario)
    checked(at.select_slider(key="values-epsilon").set_value(2.0).run())
    values_page_assert_shows(at, scenario.with_epsilon(2.0))
    assert at.selectbox(key="values-preset").value == preset.title
    assert LINK.read(query_of(at)) == ValuesState(scenario.with_epsilon(2.0))
    mark(at, sensitive="0-1")
    marked = values_page_scenario_of(at)
    assert isinstance(marked.policy, ContextPolicy)
    assert (marked.policy.sensitive, marked.policy.epsilon) == (SensitiveSymbols(("0-1",)), 2.0)
    mark(at, step="undo")
    values_page_assert_shows(at, scenario.with_epsilon(2.0))


@pytest.mark.slow
def test_every_tab_tells_of_a_scale() -> None:
    begin, preset = fading_preset("income")
    at = open_values(LINK.write(ValuesState(preset.apply(begin))))
    at.session_state["values-protection"] = True
    open_every_tab(at, "values-tabs")


def test_a_mechanism_that_cannot_keep_a_scale_gives_way_and_another_table_has_its_own() -> None:
    begin, preset = fading_preset("income")
    assert preset.apply(replace(begin, mechanism=Hadamard())).mechanism == Best()
    at = open_values(LINK.write(ValuesState(preset.apply(begin))))
    checked(at.selectbox(key="values-table").set_value(TABLES[0].title).run())
    values_page_assert_shows(at, initial_scenario(TABLES[0]))


def test_more_answers_stay_on_their_scale() -> None:
    scenario = Scenario(Uniform(20), Line(0.5), estimator="simplex-per-block", n=10_000)
    at = open_values(LINK.write(ValuesState(scenario)))
    at.session_state["values-more"] = True
    checked(at.run())
    checked(at.number_input(key="values-k").set_value(30).run())
    values_page_assert_shows(at, replace(scenario, dataset=Uniform(30)))


AGES = np.random.default_rng(3).integers(20, 70, 300).tolist()
RECORDS = "\n".join(
    ["age;smokes;colour"]
    + [f"{age};{('yes', 'no')[age % 2]};{('=1+1', 'b', 'c')[age % 3]}" for age in AGES]
)
TAB = "Several questions"


def with_tab(at: AppTest) -> AppTest:
    at.session_state["values-tabs"] = TAB
    return jobs_done(checked(at.run()))


def sentence(at: AppTest) -> str:
    return next(each.value for each in at.markdown if "If each person is asked one" in each.value)


def with_records() -> AppTest:
    """The form with the records read."""
    at = open_values()
    at.session_state["values-own"] = True
    checked(at.run())
    at.text_area(key="values-own-text").set_value(RECORDS)
    jobs_done(checked(at.button(key="values-own-show").click().run()))
    return at


def ask_more(at: AppTest, *columns: str) -> AppTest:
    """Choose the type of these columns."""
    for column in columns:
        (menu,) = (each for each in at.selectbox if each.label == column)
        jobs_done(checked(menu.set_value("question").run()))
    return at


@pytest.mark.slow
def test_what_a_quick_hand_chose_last_is_counted_before_it_is_shown() -> None:
    at = ask_more(with_records(), "colour")
    (age,) = (each for each in at.selectbox if each.label == "age")
    age.set_value("question")
    at.button(key="values-own-accept").click()  # both at once: the count was of one question
    jobs_done(checked(at.run()))
    survey = values_page_scenario_of(at).dataset
    assert isinstance(survey, OwnSurvey)
    assert len(survey.tables()) == 3
    assert not any(each.key == "values-own-accept" for each in at.button), "the form is closed"


@pytest.mark.slow
def test_columns_of_a_file_are_a_survey_whose_every_question_can_be_shown() -> None:
    at = ask_more(with_records(), "age", "colour")
    jobs_done(accepted(at, "values"))
    survey = values_page_scenario_of(at).dataset
    assert isinstance(survey, OwnSurvey)
    assert [table.title for table in survey.tables()] == ["smokes", "age", "colour"]
    titles = [f"Yours: {survey.title}: {table.title}" for table in survey.tables()]
    assert set(titles) <= set(at.selectbox(key="values-table").options)
    checked(at.selectbox(key="values-table").set_value(titles[1]).run())
    scenario = values_page_scenario_of(at)
    assert scenario.dataset.load().domain.k == len(survey.tables()[1].names)
    found = several.compare_options(scenario, 3, frozenset(), lambda _: None)
    smokes, *_ = several._questions(scenario, 3, frozenset())
    by_hand = [
        wrong_share(QuestionPlan(3, count, 1.0), smokes, 300, scenario.estimator)
        for count in (1, 3)
    ]
    assert found.errors[UserText("smokes")][:2] == tuple(by_hand)
    for way in (0, 1):
        average = np.mean([row[way] for row in found.errors.values()])
        assert formats.out_of(float(average)) in several.comparison_sentence(found)
    jobs_done(with_tab(at))
    assert several.comparison_sentence(found) in sentence(at)
    assert any("- age: mean about" in each.value for each in at.markdown)
    frame = next(each.value for each in at.dataframe if "question" in each.value.columns)
    assert "'=1+1" in set(frame["answer"])
    assert (frame["low"] <= frame["high"]).all()
    (sensitive,) = [each for each in at.multiselect if each.label == "Sensitive questions"]
    jobs_done(checked(sensitive.set_value([0, 1]).run()))
    assert " one of the 2 questions" in sentence(at)
    openly = several.compare_options(scenario, 3, frozenset({2}), lambda _: None)
    assert openly.errors[UserText("age")][0] < found.errors[UserText("age")][0]
    assert openly.errors[UserText("age")][1] < found.errors[UserText("age")][1]
    one, every, _ = openly.errors[UserText("colour")]
    assert one == every < min(found.errors[UserText("colour")][:2])


def give_survey(at: AppTest, survey: bytes) -> list[str]:
    """What the form says against that file."""
    at.session_state["values-own"] = True
    checked(at.run())
    at.file_uploader(key="values-own-file").set_value(("survey.json", survey, "text/plain"))
    jobs_done(checked(at.button(key="values-own-file-show").click().run()))
    return [each.value for each in (*at.error, *at.warning)]


@pytest.mark.slow
def test_the_survey_that_caldp_count_writes_opens_in_the_form(tmp_path: Path) -> None:
    rows, out = tmp_path / "records.csv", tmp_path / "survey.json"
    rows.write_text(RECORDS, "utf-8")
    options = [str(rows), "-o", str(out), "--question", "colour", "--question", "age"]
    assert CliRunner().invoke(main, ["count", *options]).exit_code == 0
    at = open_values()
    broken = out.read_bytes().replace(b'"counts": [', b'"counts": [5,', 1)
    before = values_page_scenario_of(at).dataset
    assert "counts must be one for each" in " ".join(give_survey(at, broken))
    assert values_page_scenario_of(at).dataset == before
    assert not give_survey(at, out.read_bytes())
    survey = values_page_scenario_of(at).dataset
    assert isinstance(survey, OwnSurvey)
    assert [table.title for table in survey.tables()] == ["colour", "age"]
    assert "If each person is asked one" in sentence(with_tab(at))


def test_numbers_go_into_steps_from_and_to_where_the_form_says() -> None:
    at = open_values()
    at.session_state["values-own"] = True
    checked(at.run())
    at.text_area(key="values-own-text").set_value("\n".join(["age", *map(str, AGES)]))
    jobs_done(checked(at.button(key="values-own-show").click().run()))
    ends = {each.label: each for each in at.number_input}
    ends["Steps to"].set_value(20)
    jobs_done(checked(ends["Steps from"].set_value(30).run()))
    assert any("to a larger one, got 30 to 20" in each.value for each in at.error)
    ends = {each.label: each for each in at.number_input}
    jobs_done(checked(ends["Steps to"].set_value(60).run()))
    beyond = sum(not 30 <= age < 60 for age in AGES)
    assert any(f"{beyond} numbers lie beyond the steps" in each.value for each in at.markdown)
    jobs_done(accepted(at, "values"))
    table = values_page_scenario_of(at).dataset
    assert isinstance(table, OwnTable)
    assert (table.names[0].split()[0], table.names[-1].split()[-1]) == ("30", "59")
    assert sum(table.counts) == len(AGES)


def test_groups_are_compared_by_the_answer_that_is_chosen() -> None:
    at = open_values()
    ours, _ = values_page_assert_shows(at, BEGIN)
    at.session_state["values-tabs"] = "Numbers"
    checked(at.run())
    found = compare_groups(ours.first.evidence)
    menu = at.selectbox(key="values-group-answer")
    for answer in (found[0].answer, found[4].answer):
        checked(menu.set_value(answer).run())
        lines = [each.sentence for each in found if each.answer == answer]
        assert "".join(f"- {escape_markdown(line)}\n" for line in lines).strip() in [
            each.value.strip() for each in at.markdown
        ]
    numbers = OwnTable(tuple(f"{age} to {age + 4}" for age in range(20, 80, 5)), (100,) * 12)
    scenario = Scenario(numbers, ContextPolicy(OneBlock()))
    (_, median, _) = quantiles(run(prepare(scenario)).first.evidence)
    assert "Median “" in median.sentence


def test_the_mean_of_numbers_is_told_with_its_range() -> None:
    assert means_text(*(run(prepare(BEGIN)),) * 2) == ""
    numbers = OwnSurvey(
        ("a",) * 3 + ("b",) * 2, ("10 to 19", "20 to 29", "30 to 39", "no", "yes"), (5, 90, 5, 9, 9)
    )
    result = run(prepare(Scenario(numbers, ContextPolicy(OneBlock()), n=10**9)))
    text = means_text(result, result)
    assert re.search(r"mean about 24.5, between 24.\d and 24.\d \(truth 24.5\)", text)
    assert "as narrow" not in text  # of three steps the square wave is randomized response
    ages = OwnTable(tuple(f"{age} to {age + 4}" for age in range(20, 80, 5)), (100,) * 12)
    usual = Scenario(ages, ContextPolicy(OneBlock()))
    text, wave = (
        means_text(*(run(prepare(replace(usual, mechanism=method))),) * 2)
        for method in (Best(), SquareWave())
    )
    assert "“The square wave” would make the range of the mean 1.9 times as narrow" in text
    assert "would" not in wave
    widths = [
        float(high) - float(low)
        for low, high in re.findall(r"tection: .*?between (\S+) and (\S+)", f"{text}\n{wave}")
    ]
    assert widths[0] > 1.5 * widths[1]


@pytest.mark.parametrize("epsilon", [0.001, 20.0])
def test_the_ends_of_the_levels_can_be_asked_or_are_told(epsilon: float) -> None:
    at = with_tab(open_values(LINK.write(ValuesState(BEGIN.with_context(epsilon=epsilon)))))
    if epsilon < 0.01:
        assert any("epsilon must be" in each.value for each in at.info)
    else:
        assert " 5 questions" in sentence(at)
