"""Yes or no: the page shows what the core computes, and its pictures draw those numbers."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import error_vertex
from caldp_core.datasets import YesOrNo
from caldp_core.experiments.run import prepare, run
from caldp_core.privacy.binary import BinaryPolicy
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.navigation import YES_OR_NO
from caldp_ui.app.theme import LIGHT
from caldp_ui.yesno import figures, presets, words
from caldp_ui.yesno.shown import people_warner_needs, shown, warner
from caldp_ui.yesno.slot import BEGIN, OneQuestion, QuestionLink
from tests.ui.driver import APP, checked, container, query_of

INF = math.inf


def opened(scenario: Scenario = BEGIN, **query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in {**QuestionLink().write(OneQuestion(scenario)), **query}.items():
        at.query_params[name] = value
    return checked(at.switch_page(YES_OR_NO).run())


def scenario_of(at: AppTest) -> Scenario:
    record: OneQuestion = at.session_state["yesno/slot"].record
    return record.scenario


def assert_shows(at: AppTest, scenario: Scenario) -> None:
    """Sentence, icons and link are those of a fresh run of the core."""
    assert scenario_of(at) == scenario
    assert not at.error
    ours = run(prepare(scenario))
    (said,) = (item.value for item in container(at, "headline").markdown)
    assert said == words.headline(shown(scenario))
    f, g = ours.setup.mechanism.exact_channel()[0][1], ours.setup.mechanism.exact_channel()[1][0]
    (html,) = (each.proto.body for each in container(at, "yesno-coin").get("html"))
    yes, no = html.split("</div></div>")[0].split("role")[1:2], html.split("role")[2]
    assert yes[0].count("<i>") == round(100 * float(1 - g))
    assert no.count("<i>") == round(100 * float(f))
    assert Scenario.from_query(query_of(at)) == scenario if query_of(at) else scenario == BEGIN


def test_opens_with_the_default_and_each_preset() -> None:
    at = opened()
    assert_shows(at, BEGIN)
    assert query_of(at) == {}
    for preset in presets.PRESETS:
        checked(at.selectbox(key="yesno-preset").set_value(preset.title).run())
        assert_shows(at, replace(BEGIN, policy=preset.policy))


def test_every_control_changes_what_it_names_and_undo_takes_it_back() -> None:
    at = opened()
    checked(at.select_slider(key="yesno-epsilon_10").set_value(0.5).run())
    checked(at.select_slider(key="yesno-epsilon_01").set_value(INF).run())
    checked(at.select_slider(key="yesno-people").set_value(10_000).run())
    checked(at.select_slider(key="yesno-share").set_value(0.05).run())
    checked(at.button(key="yesno-another").click().run())
    expected = Scenario(YesOrNo(0.05), BinaryQuestion(INF, 0.5), n=10_000, seed=2)
    assert_shows(at, expected)
    checked(at.button(key="yesno-undo").click().run())
    assert_shows(at, replace(expected, seed=1))


def test_a_link_opens_as_it_was_and_every_tab_shows() -> None:
    scenario = Scenario(YesOrNo(0.35), BinaryQuestion(0.7, 2.5), n=500, seed=9)
    at = opened(scenario)
    assert_shows(at, scenario)
    for tab in ("The formula", "Numbers", "Hand it on"):
        at.session_state["yesno-tabs"] = tab
        checked(at.run())
        assert not at.error


def points(figure: Any, name: str) -> tuple[float, float]:
    trace = next(t for t in figure.data if t.name == name)
    return trace.x[0], trace.y[0]


@pytest.mark.parametrize("policy", [each.policy for each in presets.PRESETS])
def test_the_mechanism_is_drawn_at_the_corner_of_its_region(policy: BinaryQuestion) -> None:
    what = shown(replace(BEGIN, policy=policy))
    figure = figures.plane(what, None, LIGHT)
    corner = error_vertex(BinaryPolicy(policy.epsilon_01, policy.epsilon_10))
    expected = (100 * corner.false_alarm, 100 * corner.missed)
    assert points(figure, "this") == pytest.approx(expected, abs=1e-9)
    assert (figure.data[0].x[1], figure.data[0].y[1]) == pytest.approx(expected)


def test_warner_is_the_stricter_level_both_ways_and_needs_more_people() -> None:
    mangat = replace(BEGIN, policy=BinaryQuestion(INF, 1.0))
    assert warner(mangat).policy == BinaryQuestion(1.0, 1.0)
    what = shown(mangat)
    p, f, c = what.truth, math.exp(-1.0), (math.e + 1) / (math.e - 1)
    said_yes, coin = p + (1 - p) * f, (p * math.e + 1 - p) / (math.e + 1)
    by_hand = coin * (1 - coin) * c**2 / (said_yes * (1 - said_yes) / (1 - f) ** 2)
    assert people_warner_needs(what) == pytest.approx(by_hand, rel=1e-9)
    assert people_warner_needs(shown(warner(mangat))) == pytest.approx(1.0)


def test_fifty_dots_are_drawn_where_the_reports_leave_the_truth_likely() -> None:
    what = shown(BEGIN)
    figure = figures.likely(what, LIGHT)
    for trace, coin in zip(figure.data, (what.ours, what.warner), strict=True):
        low, high = figure.layout.xaxis.range
        column = (high - low) / 26
        assert len(trace.x) == 50
        assert np.abs(np.asarray(trace.x) - 100 * coin.dots).max() <= column / 2 + 1e-9
        stacked = {(round(x, 6), round(y, 6)) for x, y in zip(trace.x, trace.y, strict=True)}
        assert len(stacked) == 50  # no dot hides another
        assert coin.low < what.truth < coin.high
