"""Several questions on the page of sensitive answers: a file's own, or so many like one."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from caldp_core.cli.commands import main
from caldp_core.datasets import OwnSurvey, OwnTable
from caldp_core.experiments.questions import QuestionPlan, wrong_share
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import SquareWave
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_ui.values import several
from caldp_ui.values.page_state import BEGIN, LINK, ValuesState
from caldp_ui.values.tabs import means_text
from caldp_ui.words import formats
from tests.ui.driver import accepted, checked, jobs_done
from tests.ui.values_page import open_values, scenario_of

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


def test_what_a_quick_hand_chose_last_is_counted_before_it_is_shown() -> None:
    at = ask_more(with_records(), "colour")
    (age,) = (each for each in at.selectbox if each.label == "age")
    age.set_value("question")
    at.button(key="values-own-accept").click()  # both at once: the count was of one question
    jobs_done(checked(at.run()))
    survey = scenario_of(at).dataset
    assert isinstance(survey, OwnSurvey)
    assert len(survey.tables()) == 3
    assert not any(each.key == "values-own-accept" for each in at.button), "the form is closed"


def test_columns_of_a_file_are_a_survey_whose_every_question_can_be_shown() -> None:
    at = ask_more(with_records(), "age", "colour")
    jobs_done(accepted(at, "values"))
    survey = scenario_of(at).dataset
    assert isinstance(survey, OwnSurvey)
    assert [table.title for table in survey.tables()] == ["smokes", "age", "colour"]
    titles = [f"Yours: {survey.title}: {table.title}" for table in survey.tables()]
    assert set(titles) <= set(at.selectbox(key="values-table").options)
    checked(at.selectbox(key="values-table").set_value(titles[1]).run())
    scenario = scenario_of(at)
    assert scenario.dataset.load().domain.k == len(survey.tables()[1].names)
    found = several.compare_options(scenario, 3, frozenset(), lambda _: None)
    smokes, *_ = several._questions(scenario, 3, frozenset())
    by_hand = [
        wrong_share(QuestionPlan(3, count, 1.0), smokes, 300, scenario.estimator)
        for count in (1, 3)
    ]
    assert found.errors["smokes"][:2] == tuple(by_hand)
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
    assert openly.errors["age"][0] < found.errors["age"][0]
    assert openly.errors["age"][1] < found.errors["age"][1]
    one, every, _ = openly.errors["colour"]
    assert one == every < min(found.errors["colour"][:2])


def give_survey(at: AppTest, survey: bytes) -> list[str]:
    """What the form says against that file."""
    at.session_state["values-own"] = True
    checked(at.run())
    at.file_uploader(key="values-own-file").set_value(("survey.json", survey, "text/plain"))
    jobs_done(checked(at.button(key="values-own-file-show").click().run()))
    return [each.value for each in (*at.error, *at.warning)]


def test_the_survey_that_caldp_count_writes_opens_in_the_form(tmp_path: Path) -> None:
    rows, out = tmp_path / "records.csv", tmp_path / "survey.json"
    rows.write_text(RECORDS, "utf-8")
    options = [str(rows), "-o", str(out), "--question", "colour", "--question", "age"]
    assert CliRunner().invoke(main, ["count", *options]).exit_code == 0
    at = open_values()
    broken = out.read_bytes().replace(b'"counts": [', b'"counts": [5,', 1)
    before = scenario_of(at).dataset
    assert "counts must be one for each" in " ".join(give_survey(at, broken))
    assert scenario_of(at).dataset == before
    assert not give_survey(at, out.read_bytes())
    survey = scenario_of(at).dataset
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
    table = scenario_of(at).dataset
    assert isinstance(table, OwnTable)
    assert (table.names[0].split()[0], table.names[-1].split()[-1]) == ("30", "59")
    assert sum(table.counts) == len(AGES)


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
