"""Yes or no: the page shows what the core computes, and its pictures draw those numbers."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import error_vertex
from caldp_core.datasets import YesOrNo
from caldp_core.experiments.run import prepare, run
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import Goal, people_for, standard_error
from caldp_ui.app.navigation import YES_OR_NO
from caldp_ui.app.theme import LIGHT
from caldp_ui.words import formats
from caldp_ui.yesno import page_state, view
from caldp_ui.yesno.page_state import (
    BEGIN,
    STATE,
    YesNoState,
    load_coin,
    load_data,
    warner_people_factor,
    warner_scenario,
)
from tests.ui.driver import (
    checked,
    container,
    data_of,
    headline_of,
    open_page,
    open_record,
    page_record,
    query_of,
)
from tests.ui.readings import full_people

INF = math.inf


def assert_shows(at: AppTest, scenario: Scenario) -> None:
    """Sentence, icons and link are those of a fresh run of the core."""
    assert page_record(at, STATE).scenario == scenario
    assert not at.error
    ours = run(prepare(scenario))
    headline = headline_of(at)
    assert headline == view.headline(load_data(scenario)).whole
    (no, f), (g, yes) = (map(float, row) for row in ours.setup.mechanism.exact_channel())
    assert icons(at, "yesno-sends") == [round(100 * share) for share in (yes, f)]
    right = (yes / (yes + f), no / (no + g))
    assert icons(at, "yesno-reads") == [round(100 * share) for share in right]
    assert Scenario.from_query(query_of(at)) == scenario if query_of(at) else scenario == BEGIN


def icons(at: AppTest, key: str) -> list[int]:
    """How many people of each array in that panel are full."""
    return full_people("".join(each.proto.body for each in container(at, key).get("html")))


def test_opens_with_the_default_and_each_preset() -> None:
    at = open_record(STATE)
    assert_shows(at, BEGIN)
    assert query_of(at) == {}
    for preset in page_state.PRESETS:
        checked(at.selectbox(key="yesno-preset").set_value(preset.title).run())
        assert_shows(at, replace(BEGIN, policy=preset.policy))


def test_every_control_changes_what_it_names_and_undo_takes_it_back() -> None:
    at = open_record(STATE)
    checked(at.select_slider(key="yesno-epsilon_10").set_value(0.5).run())
    checked(at.select_slider(key="yesno-epsilon_01").set_value(INF).run())
    checked(at.select_slider(key="yesno-people").set_value(10_000).run())
    checked(at.select_slider(key="yesno-share").set_value(0.05).run())
    checked(at.button(key="yesno-another").click().run())
    expected = Scenario(YesOrNo(0.05), BinaryQuestion(INF, 0.5), n=10_000, seed=2)
    assert_shows(at, expected)
    checked(at.button(key="yesno-undo").click().run())
    assert_shows(at, replace(expected, seed=1))


def test_a_link_opens_as_it_was() -> None:
    scenario = Scenario(YesOrNo(0.35), BinaryQuestion(0.7, 2.5), n=500, seed=9)
    at = open_record(STATE, YesNoState(scenario))
    assert_shows(at, scenario)


@pytest.mark.parametrize("policy", [each.policy for each in page_state.PRESETS])
def test_the_mechanism_is_drawn_at_the_corner_of_its_region(policy: BinaryQuestion) -> None:
    data = load_data(replace(BEGIN, policy=policy))
    drawn = view.plane_svg(data, None, LIGHT, "")
    corner = error_vertex(BinaryPolicy(policy.epsilon_01, policy.epsilon_10))
    x, y = view.PLANE.to_pixel(100 * corner.false_alarm, 100 * corner.missed)
    ends = [view.PLANE.to_pixel(0, 100), view.PLANE.to_pixel(100, 0)]
    (first, last) = (f"{across},{down}" for across, down in ends)
    assert f'd="M{first}L{x},{y}L{last}"' in drawn
    assert re.search(rf'<path d="M{x},{y}m[^"]*" style="fill:{LIGHT.ours}', drawn)


def test_a_drawing_has_its_numbers_where_its_axes_say() -> None:
    """Two routes to a place: the numbers of the axis, and the mark itself."""
    data = load_data(BEGIN)
    frame = view.make_frame(view.dot_rows(data, None, LIGHT), data.truth)
    left, top, right, bottom = frame.box
    assert frame.to_pixel(frame.x[0], frame.y[0]) == (left, bottom)
    assert frame.to_pixel(frame.x[1], frame.y[1]) == (right, top)
    drawn = view.dot_plot_svg(data, None, LIGHT)
    found = re.findall(r'<text x="([\d.]+)"[^>]*>([\d.]+) %<', drawn)
    assert len(found) >= 3
    assert [float(place) for place, _ in found] == [
        frame.to_pixel(float(number), 0)[0] for _, number in found
    ]
    (truth,) = re.findall(r'<text x="([\d.]+)"[^>]*>truth: 20 %<', drawn)
    assert float(truth) == frame.to_pixel(20, 0)[0]


def test_warner_is_the_stricter_level_both_ways_and_needs_more_people() -> None:
    mangat = replace(BEGIN, policy=BinaryQuestion(INF, 1.0))
    assert warner_scenario(mangat).policy == BinaryQuestion(1.0, 1.0)
    data = load_data(mangat)
    p, f, c = data.truth, math.exp(-1.0), (math.e + 1) / (math.e - 1)
    yes_rate, coin = p + (1 - p) * f, (p * math.e + 1 - p) / (math.e + 1)
    by_hand = coin * (1 - coin) * c**2 / (yes_rate * (1 - yes_rate) / (1 - f) ** 2)
    assert warner_people_factor(data) == pytest.approx(by_hand, rel=1e-9)
    assert warner_people_factor(load_data(warner_scenario(mangat))) == pytest.approx(1.0)


def test_between_two_marks_lies_the_truth_in_1_of_50_surveys() -> None:
    """What the legend says: no belief about one survey, but how often ranges hold the truth."""
    ranks, spread = [], []
    for seed in range(400):
        coin = load_coin(replace(BEGIN, seed=seed))
        truth = float(coin.result.setup.dataset.distribution[1])
        ranks.append(int((coin.dots < truth).sum()))
        half = coin.dots.mean() + 0.5 * (coin.dots - coin.dots.mean())  # ranges too narrow by half
        spread.append(int((half < truth).sum()))
    air = 6 * np.sqrt(0.25 / 400)
    for rank in (10, 25, 40):
        assert abs(np.mean(np.array(ranks) < rank) - rank / 50) <= air
    outside = np.mean([rank in (0, 50) for rank in ranks])
    assert outside <= 0.02 + 6 * np.sqrt(0.02 / 400)
    assert np.mean([rank in (0, 50) for rank in spread]) > 0.02 + 6 * np.sqrt(0.02 / 400)
    assert "between two marks: the truth in 1 of 50" in view.dot_plot_svg(
        load_data(BEGIN), None, LIGHT
    )


@pytest.mark.parametrize("pinned", [None, replace(BEGIN, policy=BinaryQuestion(2.0, 0.5))])
def test_fifty_dots_are_drawn_where_the_reports_leave_the_truth_likely(
    pinned: Scenario | None,
) -> None:
    data, kept = load_data(BEGIN), load_data(pinned) if pinned else None
    heaps = view.dot_rows(data, kept, LIGHT)
    assert [heap.coin for heap in heaps] == [data.ours, data.warner, *([kept.ours] if kept else [])]
    frame = view.make_frame(heaps, data.truth)
    low, high = frame.x
    column = (high - low) / 26
    drawn = view.dot_plot_svg(data, kept, LIGHT)
    for marks, heap in zip(view.dot_positions(heaps, frame), heaps, strict=True):
        coin = heap.coin
        x = np.array([across for across, _ in marks])
        assert np.abs(x - 100 * coin.dots).max() <= column / 2 + 1e-9
        stacked = {(round(across, 6), round(up, 6)) for across, up in marks}
        assert len(stacked) == 50  # no mark hides another
        assert coin.low < data.truth < coin.high
        assert all("M{},{}m".format(*frame.to_pixel(*mark)) in drawn for mark in marks)
        ends = [frame.to_pixel(100 * end, 0)[0] for end in (coin.low, coin.high)]
        assert all(f"L{ends[1]},{frame.to_pixel(0, base)[1]}" in drawn for base in [_base(marks)])
        assert f"{100 * coin.low:.1f} to {100 * coin.high:.1f} %" in drawn


def _base(marks: list[tuple[float, float]]) -> float:
    """The line that a heap stands on."""
    return min(up for _, up in marks) // 1.42 * 1.42


def test_who_is_not_protected_comes_first() -> None:
    for policy, start in (
        (BinaryQuestion(INF, 1.0), "80 of 100 people are not protected"),
        (BinaryQuestion(1.0, INF), "20 of 100 people are not protected"),
        (BinaryQuestion(INF, INF), "Nobody is protected"),
    ):
        made = view.headline(load_data(replace(BEGIN, policy=policy)))
        assert made.unprotected
        assert made.sentence.startswith(start)
    assert not view.headline(load_data(BEGIN)).unprotected


def test_a_narrow_range_has_two_different_ends() -> None:
    """From a billion reports "20.0 to 20.0 %" would be no range."""
    data = load_data(replace(BEGIN, n=10**9))
    text = formats.percent_range(data.ours.low, data.ours.high)
    low, _, high = text.removesuffix(" %").partition(" to ")
    assert float(low) < 100 * data.truth < float(high)
    assert text in view.headline(data).sentence


def test_link_with_a_larger_epsilon_than_controls_have_is_refused_in_a_sentence() -> None:
    for policy in (BinaryQuestion(1e8, 1.0), BinaryQuestion(1.0, 20.5)):
        at = open_page(YES_OR_NO, replace(BEGIN, policy=policy).to_query())
        (sentence,) = (each.value for each in at.error)
        assert "must be at most 20, or ∞ for no protection" in sentence
        assert page_record(at, STATE).scenario == BEGIN
    at = open_page(YES_OR_NO, replace(BEGIN, policy=BinaryQuestion(20.0, INF)).to_query())
    assert not at.error


def test_one_epsilon_for_both_is_warners_coin() -> None:
    at = open_record(STATE)
    checked(at.button(key="yesno-equal").click().run())
    assert_shows(at, replace(BEGIN, policy=BinaryQuestion(1.0, 1.0)))
    assert at.button(key="yesno-equal").disabled


def test_the_plane_is_drawn_once_it_is_opened() -> None:
    at = open_record(STATE)
    at.session_state["yesno-errors"] = True
    checked(at.run())
    _, drawn = data_of(at, "yesno-plane-drawing")
    data = load_data(BEGIN)
    assert drawn == view.plane_svg(data, None, LIGHT, view.alt_plane(data, None))


@pytest.mark.parametrize("epsilon", [0.1, 0.3])
def test_a_range_of_all_shares_is_said_to_say_nothing_and_how_many_would(epsilon: float) -> None:
    """By the planner, and by Warner's formula: a yes is sent with f = p·x + q·(1 − x)."""
    setting = replace(page_state.with_levels(BEGIN, epsilon_01=epsilon, epsilon_10=epsilon), n=100)
    coins = [load_data(replace(setting, seed=seed)) for seed in range(12)]
    for data in coins:
        sentence = view.headline(data).sentence
        if (data.ours.low, data.ours.high) != (0.0, 1.0):
            assert sentence.startswith("From 100 reports we estimate that "), sentence
            continue
        mechanism = data.ours.result.setup.mechanism
        goal = Goal(standard_error(1), 0.1 / 1.959964)
        planned = people_for(mechanism, [1 - data.truth, data.truth], goal)
        kept = 1 / (1 + math.exp(-epsilon))
        sends = kept * data.truth + (1 - kept) * (1 - data.truth)
        by_hand = sends * (1 - sends) * (1.959964 / (0.1 * (2 * kept - 1))) ** 2
        said = re.fullmatch(
            r"100 reports say nothing yet with this coin: for ± 10 percentage points it takes "
            r"about ([\d,]+)\.",
            sentence,
        )
        assert said, sentence
        number = int(said[1].replace(",", ""))
        assert number == pytest.approx(planned, rel=2e-3)
        assert number == pytest.approx(by_hand, rel=2e-3)
        assert number != pytest.approx(by_hand / 1.05, rel=2e-3)
    whole = [(data.ours.low, data.ours.high) == (0.0, 1.0) for data in coins]
    assert any(whole) or epsilon > 0.1
    assert not all(whole) or epsilon == 0.1
