"""An attacker's success as a goal of a plan, and what asking people again costs and brings."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from caldp_core.audit.inference import best_guess, easiest_guess
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import no_progress
from caldp_core.cli.commands import main
from caldp_core.collect.device import REPETITIONS
from caldp_core.datasets import Uniform
from caldp_core.experiments.forecast import epsilon_against_guesses, forecast
from caldp_core.experiments.run import prepare
from caldp_core.theory.expected_error import Budget
from caldp_core.theory.planner import relative_error
from caldp_ui.app.theme import LIGHT
from caldp_ui.controls.choices import PLAIN
from caldp_ui.plan import page_state, view
from caldp_ui.plan.page_state import GOALS, LINK, STATE, Plan
from caldp_ui.words import formats
from tests.ui.driver import checked, jobs_done, open_record, page_record
from tests.ui.test_plan import PLAN, STRIPS, people_all_over


def test_an_attacker_s_success_is_a_goal_from_the_slider_to_the_sentence(tmp_path: Path) -> None:
    """The numbers are those of the command, which reads the scenario of the plan, and of the core.

    Also in the memo, the link and the file; the sentence stands where films change it.
    """
    at = open_record(STATE, replace(PLAN, protection=PLAIN))
    assert not [each for each in at.get("html") if "attacker guesses" in each.proto.body]
    checked(at.select_slider(key="plan-guessed").set_value(0.05).run())
    record = page_record(at, STATE)
    assert record == replace(PLAN, protection=PLAIN, guessed=0.05)
    assert LINK.read(LINK.write(record)) == record
    jobs_done(at)
    stated = view.attack(record)
    assert view.attack_html(stated) in [each.proto.body for each in at.get("html")]
    assert stated.whole in at.code[0].value
    scenario = record.protected_scenario(PLAIN, 1.0)
    (tmp_path / "scenario.json").write_text(scenario.to_json(), "utf-8")
    words = ["plan", str(tmp_path / "scenario.json"), "--right", "0.05"]
    printed = json.loads(CliRunner().invoke(main, words).stdout)
    level = stated.figures["epsilon"]
    assert printed["epsilon"] == epsilon_against_guesses(prepare(scenario), 0.05) == level
    there = prepare(record.protected_scenario(PLAIN, level))
    p = there.dataset.distribution
    assert printed["expected"]["tv"] == forecast(there).error
    error = relative_error(record.floor)(there.mechanism, p, 1_000_000)
    assert stated.figures["error"] == pytest.approx(error, rel=1e-12)
    assert easiest_guess(there.mechanism) <= 0.05
    knowing = best_guess(there.mechanism, p).after
    assert stated.figures["knowing"] == pytest.approx(knowing, rel=1e-9)
    reached = view.goal_text(record, float(f"{error:.2g}"))
    for text in (
        f"Up to ε = {level:g}, an attacker guesses at most 1 in 20 of the protected people right",
        f"With 1 million people that ε is enough to {reached}, ",
        "not to the 10 % that you ask for",
        f"One who knows how common each answer is in these data guesses {formats.out_of(knowing)}",
    ):
        assert text in stated.whole
    shown = view.view(record, None, LIGHT)
    assert shown.texts[".st-key-plan-attack p"] == view.attack_html(stated)
    assert set(view.view(PLAN, None, LIGHT).texts) == set(shown.texts) - {".st-key-plan-attack p"}


@pytest.mark.parametrize("goal", GOALS)
def test_the_accuracy_at_the_attacker_s_epsilon_is_the_goal_s_own(
    goal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The people that the goal needs at that ε reach it there; a tenth of them do not."""
    monkeypatch.setattr(page_state, "BUDGET", Budget(16, 256, 0.01))  # 4 trials are 9 % off
    scenario = replace(people_all_over("46,50,6,10"), estimator="none")
    record = Plan(scenario.with_context(blocks=STRIPS), goal, 0.05, 0.1, 0.2, 0.5, PLAIN)
    level = view.attack(record).figures["epsilon"]
    need = page_state.compute_need(record, PLAIN, record.protected_scenario(PLAIN, level))
    assert need.people is not None
    for people, enough in ((1.02 * need.people, True), (0.1 * need.people, False)):
        n = math.ceil(people)
        stated = view.attack(replace(record, scenario=replace(record.scenario, n=n)))
        assert (stated.figures["error"] <= page_state.target(record)) is enough
        assert ("which is as well as you ask" in stated.second + stated.sentence) is enough


def test_who_is_not_protected_against_the_attacker_comes_first() -> None:
    """And no ε, every ε and nobody are one sentence each."""
    some = view.attack(replace(PLAN, protection="sensitive", guessed=0.5))
    assert some.unprotected
    assert some.sentence.startswith("Only 20 of 100 people are protected; ")
    assert some.second.startswith("Up to ε = ")
    never = view.attack(replace(PLAN, guessed=0.05))  # blocks of four or five answers
    assert never.whole == (
        "No ε keeps an attacker's right guesses to 1 in 20 of the protected people: even without a "
        "report a guess among the protected answers in one block can be right for 1 in 4."
    )
    assert not never.figures
    few = replace(PLAN.scenario, dataset=Uniform(2))
    all_levels = replace(PLAN, scenario=few, protection=PLAIN, guessed=0.99999999999)
    assert "Up to ε = 20, the largest that there is, an attacker" in view.attack(all_levels).whole
    for guessed in (0.0, 1.5):
        with pytest.raises(CaldpError, match="guessed"):
            LINK.check(replace(PLAN, guessed=guessed))
    assert [view.guessed_text(share) for share in (1.0, 0.05, 0.3)] == [
        "no limit",
        "1 in 20",
        "1 in 3.33",
    ]


def test_plans_of_repetition_say_what_the_account_of_their_protocols_says(tmp_path: Path) -> None:
    record = replace(PLAN, protection="blocks")
    scenario = record.protected_scenario("blocks", 1.0)
    found = page_state.repetitions(prepare(scenario), no_progress)
    (tmp_path / "scenario.json").write_text(scenario.to_json(), "utf-8")
    (tmp_path / "made").mkdir()
    for kind in found:
        output = str(tmp_path / "made" / f"{kind}.json")
        words = ["protocol", str(tmp_path / "scenario.json"), "--repeat", kind, "-o", output]
        assert CliRunner().invoke(main, words).exit_code == 0
    asked = ["account", str(tmp_path / "made"), "--people", "1000000", "--json"]
    listed = json.loads(CliRunner().invoke(main, asked).stdout)["protocols"]
    assert (
        {each["plan"]["kind"]: each for each in listed}.keys() == found.keys() == REPETITIONS.keys()
    )
    for each in listed:
        stated = found[each["plan"]["kind"]]
        assert stated is not None
        for part in ("value", "change", "accuracy"):
            assert each[part] == getattr(stated, part)
    at = jobs_done(open_record(STATE, record))
    at.session_state["plan-tabs"] = "Asked again"
    (table,) = jobs_done(at.run()).table
    cells = [list(view.repetition_cells(each).values()) for each in found.values()]
    assert table.value.to_numpy().tolist() == cells
    assert not at.exception


def test_row_of_a_plan_that_the_method_lacks_says_so() -> None:
    plain = page_state.repetitions(prepare(PLAN.protected_scenario(PLAIN, 1.0)), no_progress)
    assert [kind for kind, each in plain.items() if each is None] == ["noisy-memo"]
    assert [*view.repetition_cells(None).values()] == ["not with this method", "", "", ""]
