"""Pages before and after a collection: plans reach their goal, results are those of reports.

An attacker's success may be the goal, and people may be asked again."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.inference import best_guess, easiest_guess
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress, no_progress
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.device import REPETITIONS, Memo, NoisyMemo, Once
from caldp_core.collect.device import Budget as DeviceBudget
from caldp_core.collect.estimate import Results, Tallies, made_up_week, read_collection
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import Gowalla, OwnPlaces, Uniform, Zipf
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.evidence import default_estimator
from caldp_core.estimation.intervals import every_look, one_look
from caldp_core.experiments.forecast import epsilon_against_guesses, forecast
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import prepare, run
from caldp_core.lecture.daily import LastingRappor
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import EvenRuns, OneBlock, PolygonBlocks, RegionBlocks
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import Budget, Forecast
from caldp_core.theory.mixing import epsilons_after_mixing
from caldp_core.theory.planner import relative_error
from caldp_ui.app import navigation
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.controls.choices import NAMES, PLAIN
from caldp_ui.plan import page_state, view
from caldp_ui.plan.page import goal_titles
from caldp_ui.plan.page_state import (
    DEPLOYMENTS,
    GOALS,
    LINK,
    STATE,
    Need,
    Plan,
    epsilon_for,
    have_smaller_regions,
    margins_of,
    regions_of,
)
from caldp_ui.results import page
from caldp_ui.results import view as results_view
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import VALUES
from tests.collect.protocols import SPECS, labelled, many, planned, protocol_in
from tests.collect.test_estimate import MONDAY, PROTOCOL, TUESDAY
from tests.servers import PATIENCE
from tests.ui.driver import (
    checked,
    headline_of,
    jobs_done,
    open_page,
    open_record,
    page_record,
    query_of,
)
from tests.ui.readings import drawn, read

DEPLOYED = "What others' ε would mean here"
PLAN = Plan()


@pytest.fixture(scope="module")
def plan_page() -> AppTest:
    return jobs_done(open_record(STATE))


def test_the_headline_the_picture_and_the_memos_say_the_needs(plan_page: AppTest) -> None:
    points = page_state.needs_by_protection(PLAN, list(page_state.compute_needs(PLAN, no_progress)))
    headline = view.headline(PLAN, points)
    assert headline_of(plan_page) == f"{headline.sentence} {headline.second}"
    enough = view.sufficient_epsilon(PLAN, points)
    assert headline.figures["epsilon"] == enough
    assert enough == epsilon_for(points["blocks"], 1_000_000)
    right = formats.hundred(max_guess_accuracy(enough or 0.0))
    assert f"is right at most {right} times in 100" in headline.second
    ours = next(n for n in points["blocks"] if n.epsilon == PLAN.epsilon)
    plain = next(n for n in points[PLAIN] if n.epsilon == PLAN.epsilon)
    assert ours.people is not None
    assert plain.people is not None
    plain_words, technical = (each.value for each in plan_page.code[:2])
    setup = view.setup_at(PLAN, view.plan_level(PLAN, points))
    margins = margins_of(setup, PLAN.goal, no_progress)
    assert plain_words == view.plain_memo(PLAN, points, margins)
    for name, margin in zip(margins.names, margins.margins.tolist(), strict=True):
        assert f"to ± {formats.digits(100 * margin)} " in plain_words
        assert f"for “{name}”" in plain_words
    flags = np.array(setup.dataset.domain.groups) == margins.names[0]  # type: ignore[union-attr]
    region = region_report(setup, run(setup).first, flags)
    assert region.half_width / setup.n == pytest.approx(margins.margins[0], rel=1e-6)
    half = next(n.people for n in points["blocks"] if n.epsilon == 0.5)
    right_then = formats.hundred(max_guess_accuracy(0.5))
    assert (
        f"The same accuracy takes {view.rounded_people_text(half or 0)} people at ε = 0.5, "
        in plain_words
    )
    assert f"The attacker is then right at most {right_then}, " in plain_words
    assert not any(entry.title.lower() in plain_words.lower() for entry in MECHANISMS.values())
    assert headline.sentence in plain_words
    assert "shows which block someone is in" in plain_words
    assert technical == view.technical_memo(PLAN, points)
    figure = drawn(view.figure(PLAN, points, None, LIGHT))
    written = [text.strip() for each in figure.data if each.mode == "text" for text in each.text]
    for people in (ours.people, plain.people):
        assert view.rounded_people_text(people) in technical
        assert view.rounded_people_text(people) in written
    assert f"{formats.times(plain.people / ours.people)} as many" in written
    assert {view.protection_title(PLAN, name) for name in NAMES} <= set(written)
    assert {"you: ε = 1", "you: 1 million"} <= set(written)


def test_the_people_of_the_headline_are_enough_and_the_unprotected_come_first() -> None:
    for name in ("blocks", PLAIN, "sensitive"):
        record = replace(PLAN, protection=name)
        points = page_state.needs_by_protection(
            record, list(page_state.compute_needs(record, no_progress))
        )
        headline = view.headline(record, points)
        level = headline.figures["epsilon"]
        assert f"With 1 million people you need ε ≈ {level:g} to know every" in headline.whole
        scenario = record.protected_scenario(name, level)
        assert headline.unprotected == (name == "sensitive")
        if headline.unprotected:  # at the ε of the headline, not at the reader's
            of = [promise.protected_share, promise.readable_share]
            covered, readable = (share(prepare(scenario)) for share in of)
            first = (
                f"Only {formats.out_of(covered)} people are protected; at ε = {level:g} one report "
                f"reveals the answer of {formats.out_of(readable * (1 - covered))} people."
            )
            assert headline.sentence == first
            assert view.plain_memo(record, points, None).startswith(f"{first} With 1 million ")


def test_people_back_to_epsilon() -> None:
    points = [Need(PLAIN, e, round(1000 / e**2), "hadamard") for e in (0.1, 1.0, 10.0)]
    assert epsilon_for(points, 1000) == pytest.approx(1.0)
    assert epsilon_for(points, 100_000) == pytest.approx(0.1)
    assert epsilon_for(points, 4000) == pytest.approx(0.5)
    assert epsilon_for(points, 3990) == 0.51  # 0.5006, rounded up
    assert epsilon_for(points, 9) is None


def test_overall_needs_are_simulated_with_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_state, "BUDGET", Budget(16, 16, 0.01))
    scenario = replace(PLAN.scenario, dataset=Uniform(12))
    record = replace(PLAN, scenario=scenario, goal="overall", wrong=0.1)
    few = page_state.compute_need(record, PLAIN, record.protected_scenario(PLAIN, 1.0)).people
    strict = replace(record, wrong=0.05)
    many = page_state.compute_need(strict, PLAIN, strict.protected_scenario(PLAIN, 1.0)).people
    assert few is not None
    assert many is not None
    assert 3 < many / few < 5  # half the error, four times the people


def test_every_group_is_a_goal_where_there_are_groups() -> None:
    at = open_record(STATE)
    checked(at.segmented_control(key="plan-goal").set_value("groups").run())
    assert page_record(at, STATE).goal == "groups"
    assert "know every group with at least 1 % of people" in headline_of(jobs_done(at))
    record = replace(PLAN, goal="groups", protection="more-blocks")
    with pytest.raises(CaldpError, match="come in no groups"):
        LINK.check(replace(record, scenario=replace(record.scenario, dataset=Uniform(12))))
    with pytest.raises(CaldpError, match="No group here has 90 %"):
        LINK.check(replace(record, floor=0.9))
    assert "regions" not in at.segmented_control(key="plan-goal").options


def people_all_over(area: str) -> Scenario:
    """Planned with a map of 4 × 4 cells of 1°."""
    cells = " ".join(f"{cell}:100" for cell in range(16))
    return replace(PLAN.scenario, dataset=OwnPlaces(cells, area, 1.0))


@pytest.mark.parametrize(
    ("scenario", "one", "smaller"),
    [
        (Scenario(), "state", True),
        (people_all_over("46,50,6,10"), "country", True),  # the upper Rhine
        (people_all_over("-18,-14,-54,-50"), "region", False),  # Mato Grosso and Goiás
        (people_all_over("-40,-36,-30,-26"), None, False),  # the South Atlantic
    ],
)
def test_regions_are_a_goal_of_their_own_where_there_are_countries(
    scenario: Scenario, one: str | None, smaller: bool
) -> None:
    found = regions_of(scenario, "groups")
    assert (found.singular if found else None) == one
    assert have_smaller_regions(scenario) is smaller
    if smaller:
        regions = regions_of(scenario, "regions")
        assert regions is not None
        names = RegionBlocks().build(runs.dataset(scenario).domain).names
        assert (regions.singular, regions.partition.names) == ("region", names)
    goals = goal_titles(replace(PLAN, scenario=scenario))
    left_out = {"areas"} if smaller else {"areas", "regions"}
    assert tuple(goals) == tuple(goal for goal in GOALS if goal not in left_out)
    assert goals["values"] == "Places"
    assert goals["groups"] == (found.plural.capitalize() if found else "Groups")


def test_regions_of_countries_are_a_goal_that_a_link_holds() -> None:
    record = replace(PLAN, scenario=people_all_over("46,50,6,10"), goal="regions", floor=0.05)
    LINK.check(record)
    assert LINK.read(LINK.write(record)) == record
    setup = prepare(record.protected_scenario(PLAIN, 1.0))
    regions, countries = (
        margins_of(setup, goal, no_progress).names for goal in ("regions", "groups")
    )
    assert {"Grand Est, France", "Baden-Württemberg, Germany"} <= set(regions)
    assert "Switzerland" in countries
    assert "know every region with at least 5 % of people" in view.goal_text(record)


STRIPS = PolygonBlocks(("West", "East"), ("46,6 46,8 50,8 50,6", "46,8 46,10 50,10 50,8"))


def test_areas_of_a_file_are_a_goal_that_a_link_holds() -> None:
    """The protection is not made of them."""
    scenario = people_all_over("46,50,6,10").with_context(blocks=STRIPS)
    record = replace(PLAN, scenario=scenario, goal="areas", protection="more-blocks")
    LINK.check(record)
    assert LINK.read(LINK.write(record)) == record
    plain = record.protected_scenario(PLAIN, 1.0)
    assert plain.context.blocks == OneBlock()
    margins = margins_of(prepare(plain), "areas", no_progress, STRIPS)
    assert sorted(margins.names) == ["East", "West"]
    assert "know every area with at least 1 % of people" in view.goal_text(record)
    assert goal_titles(record)["areas"] == "My areas"
    with pytest.raises(CaldpError, match="a file of areas"):
        LINK.check(replace(record, scenario=people_all_over("46,50,6,10")))


@pytest.mark.slow
def test_areas_of_the_visit_become_the_goal_at_a_click() -> None:
    coast = replace(PLAN.scenario, dataset=Gowalla("39.8,42.6,-77.2,-71"))
    at = open_record(STATE, replace(PLAN, scenario=coast))
    assert "plan-brought" not in [each.key for each in at.button]
    halves = replace(
        STRIPS, polygons=("39,-78 39,-74 43,-74 43,-78", "39,-74 39,-70 43,-70 43,-74")
    )
    at.session_state["own-areas"] = {"halves": halves}
    checked(checked(at.run()).button(key="plan-brought").click().run())
    found = page_record(at, STATE)
    assert (found.goal, found.areas) == ("areas", halves)
    assert "know every area" in headline_of(jobs_done(at))


def test_controls_and_a_deployments_epsilon() -> None:
    at = open_record(STATE)
    at.session_state["plan-tabs"] = DEPLOYED
    jobs_done(at.run())
    checked(at.button(key=f"plan-use-{DEPLOYMENTS[1].title}").click().run())
    assert page_record(at, STATE).epsilon == DEPLOYMENTS[1].epsilon == 4.0
    checked(at.select_slider(key="plan-within").set_value(0.2).run())
    checked(at.selectbox(key="plan-protection").set_value(PLAIN).run())
    assert query_of(at) == {"v": "2", **LINK.write(page_record(at, STATE))}
    assert LINK.read(query_of(at)) == page_record(at, STATE)
    assert page_record(at, STATE).within == 0.2
    for job in ("needs", "beside"):
        at.session_state[f"plan-{job}/job"].cancel()


def test_tables_of_a_large_map_are_made_beside_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, beside = Event(), page_state.compute_tables

    def long(record: Plan, progress: Progress) -> page_state.NeedTables:
        assert go_on.wait(PATIENCE)
        return beside(record, progress)

    monkeypatch.setattr(page_state, "compute_tables", long)
    at = open_record(STATE)
    assert "plan-beside-cancel" in [button.key for button in at.button]
    assert not at.table
    go_on.set()
    (methods,) = jobs_done(at).table
    at.session_state["plan-tabs"] = DEPLOYED
    (deployed,) = jobs_done(at.run()).table
    assert set(methods.value.columns) == {view.protection_title(PLAN, name) for name in NAMES}
    assert list(deployed.value.index) == [each.title for each in DEPLOYMENTS]


def test_files_and_code_wait_for_the_whole_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, needs = Event(), page_state.compute_needs

    def long(record: Plan, progress: Progress) -> Iterator[Need]:
        assert go_on.wait(PATIENCE)
        yield from needs(record, progress)

    monkeypatch.setattr(page_state, "compute_needs", long)
    at = open_page("pages/plan.py", state={"plan-tabs": "Share and export"})
    assert "plan-home-start" not in [button.key for button in at.button]
    go_on.set()
    assert "plan-home-start" in [button.key for button in jobs_done(at).button]


def test_deployments_add_up_unless_one_copy_is_kept() -> None:
    for each in DEPLOYMENTS:
        month = each.epsilon_after(30)
        assert month == (each.epsilon_limit or 30 * each.epsilon * (each.reports_a_day or 0))
    browser, source = DEPLOYMENTS[-2:]
    # As the paper prints them.
    assert browser.epsilon == pytest.approx(0.5343, abs=1e-4)
    assert browser.epsilon_limit == pytest.approx(2.0433, abs=1e-4)
    # By the classroom's RAPPOR, whose p and q are those of the browser's source.
    twice = LastingRappor(128, 2, 4 * math.log(3))
    assert source.epsilon == pytest.approx(twice.epsilon_one_day, abs=1e-9)
    assert source.epsilon_limit == pytest.approx(twice.epsilon)
    assert all(each.verification for each in DEPLOYMENTS)


def test_what_is_read_off_between_points_waits_for_all_of_them() -> None:
    found = list(page_state.compute_needs(Plan(), no_progress))
    whole = view.headline(Plan(), page_state.needs_by_protection(Plan(), found))
    part = view.headline(Plan(), page_state.needs_by_protection(Plan(), found[: 2 * len(NAMES)]))
    assert "ε ≈" in whole.sentence
    assert part.sentence.startswith("At ε = 1 you need ")
    assert "ε ≈" not in part.sentence


def test_people_that_are_too_few_or_more_than_enough_are_told_so() -> None:
    """The picture named an ε where no line met their level."""

    def sentence_for(people: int) -> str:
        record = replace(PLAN, scenario=replace(PLAN.scenario, n=people))
        needs = page_state.needs_by_protection(
            record, list(page_state.compute_needs(record, no_progress))
        )
        assert "is enough" not in str(drawn(view.figure(record, needs, None, LIGHT)))
        return view.headline(record, needs).sentence

    assert sentence_for(1_000).startswith("With 1,000 people no ε up to 8 is enough to ")
    assert sentence_for(10**12).startswith("With 1 trillion people even ε = 0.1 is enough to ")


@pytest.mark.parametrize(("default", "said"), [(0.9, True), (1.0, True), (1.1, False)])
def test_the_default_estimate_is_said_to_be_as_good_only_where_it_is_measured_so(
    default: float, said: bool
) -> None:
    record = Plan(goal="overall")
    setup = view.setup_at(record, 1.0)
    planned = Forecast(0.05, 0.01, 0.001, 16)
    text = view.default_estimate_text(
        record, setup, planned, replace(planned, error=0.05 * default)
    )
    assert ("at least as good" in text) == said
    assert f"puts {formats.out_of(0.05 * default)} people under the wrong answer" in text
    assert f"the one of this plan {formats.out_of(0.05)}" in text
    assert view.default_estimate_text(record, setup, planned, None) == ""


@pytest.mark.thorough
def test_the_page_names_the_estimate_of_the_plan_and_measures_the_default_beside_it() -> None:
    plan = Plan(replace(PLAN.scenario, dataset=Uniform(12)), goal="overall")
    at = jobs_done(open_record(STATE, plan))
    captions = [each.value for each in at.caption]
    assert any("for the estimate “Nearest distribution" in each for each in captions), captions
    (measured,) = [each for each in captions if each.startswith("Measured with")]
    level, *errors = re.findall(r"ε = ([\d.]+)|puts (.+?) people|this plan (.+?)[:.]", measured)
    setup = view.setup_at(plan, float(level[0]))
    for (_, *parts), name in zip(errors, (default_estimator(), "simplex"), strict=True):
        (said,) = filter(None, parts)
        # By the core's own forecast, with trials of its own: both are within 10 % of the truth.
        found = forecast(runs.setup(replace(setup.scenario, estimator=name, seed=3))).error
        assert 0.9 * read(said).low <= found <= 1.1 * read(said).high


@pytest.fixture(scope="module")
def on_a_map() -> Results:
    """Two blocks of eight cells each, of which one has no sensitive place."""
    grid = GridDomain(30.0, -100.0, 0.2, 2, 8)
    policy = Context.of([0] * 8 + [1] * 8, [True] * 8 + [False] * 8, [1.0, 1.0])
    protocol = Protocol("", grid, ("south", "north"), planned(policy, SPECS["hadamard"]))
    tally = protocol.mechanism.sample_tally(np.arange(16) * 10, np.random.default_rng(3))
    return Tallies.of(protocol, (("all", CollectedTally(protocol.fingerprint, tally)),)).results(
        0.95
    )


def texts(at: AppTest) -> str:
    return " ".join(each.value for each in (*at.markdown, *at.caption, *at.get("html")))


def html_text(at: AppTest) -> str:
    return unescape(" ".join(each.proto.body for each in at.get("html")))


def bring(at: AppTest, files: list[tuple[str, bytes]]) -> AppTest:
    at.session_state["results-own"] = True
    checked(at.run())
    chosen: Any = [(*file, "application/json") for file in files]
    at.file_uploader(key="results-files").set_value(chosen)
    checked(at.button(key="results-show").click().run())
    return jobs_done(at)


def test_the_example_is_there_and_follows_its_settings() -> None:
    at = open_page(navigation.RESULTS)
    right = made_up_week().results(0.95)
    headline = results_view.headline(right, is_example=True)
    assert headline.sentence in html_text(at)
    assert results_view.MADE_UP in headline.second
    assert "8,000" in html_text(at)
    assert "40 of another question" in texts(at)
    checked(at.select_slider(key="results-level").set_value(0.999).run())
    wide = made_up_week().results(0.999)
    assert formats.percent_range(wide.low[7], wide.high[7]) in html_text(at)
    assert formats.percent_range(right.low[7], right.high[7]) not in html_text(at)
    checked(at.select_slider(key="results-times").set_value(30).run())
    assert query_of(at) == {"level": "0.999", "times": "30"}


def test_while_reports_come_ranges_hold_at_every_look() -> None:
    at = open_page(navigation.RESULTS)
    assert "at all looks together" not in texts(at)
    checked(at.toggle(key="results-running").set_value(True).run())
    once, always = (made_up_week().results(0.95, looks) for looks in (one_look, every_look))
    assert formats.percent_range(always.low[7], always.high[7]) in html_text(at)
    assert formats.percent_range(once.low[7], once.high[7]) not in html_text(at)
    assert "95 times in 100, at all looks together" in html_text(at)
    assert query_of(at) == {"running": "1"}


def test_own_files_stay_in_the_visit_and_bad_ones_are_told_in_a_sentence() -> None:
    at = bring(open_page(navigation.RESULTS), [*PROTOCOL, MONDAY, TUESDAY])
    own = read_collection([*PROTOCOL, MONDAY, TUESDAY]).results(0.95)
    assert results_view.headline(own, is_example=False).second in html_text(at)
    assert "18,000" in html_text(at)
    assert not query_of(at)
    bring(at, [*PROTOCOL, MONDAY, ("again.tally.json", MONDAY[1])])
    (error,) = [each.value for each in at.error]
    assert "would count twice" in error
    assert results_view.headline(made_up_week().results(0.95), is_example=True).second in html_text(
        at
    )
    bring(at, [*PROTOCOL, MONDAY])
    assert "24,000" in texts(at)
    checked(at.button(key="results-example").click().run())
    assert "8,000" in html_text(at)


def test_few_reports_are_said_to_say_nothing() -> None:
    protocol = labelled("randomized-response", ("no", "yes"), epsilon=0.5)
    counts = protocol.mechanism.tally(np.repeat([0, 1], (2, 3)))
    tally = CollectedTally(protocol.fingerprint, counts)
    results = Tallies.of(protocol, (("day", tally),)).results(0.95)
    sentence = results_view.headline(results, is_example=False).sentence
    assert sentence.startswith("5 reports say nothing yet about")


def test_what_mixing_leaves_is_said_as_the_core_has_it() -> None:
    results = made_up_week().results(0.95)
    (block,) = results.record["privacy"]["if_mixed"]["blocks"]  # type: ignore[index]
    (sentence,) = [each for each in results_view.promise_sentences(results) if "mixed" in each]
    before, hidden, beside_open = (
        formats.digits(block[name])
        for name in ("epsilon_of_one_report", "epsilon", "epsilon_beside_open")
    )
    assert (
        f"ε between two protected answers falls from {before} to {hidden}, and between a protected "
        f"and an open answer falls from {before} to {beside_open}. "
    ) in sentence
    scenario = Scenario(Zipf(10), ContextPolicy(blocks=EvenRuns(2)), n=10_000)
    setup = prepare(scenario)
    crowd = round(10_000 * setup.dataset.distribution.reshape(2, 5).sum(axis=1).max())
    found = epsilons_after_mixing(setup.mechanism, np.array([crowd, crowd]))
    assert found is not None
    text = promise.scenario_text(VALUES, setup)
    assert f"{crowd:,} reports of the block" in text
    assert f"from 1 to {formats.digits(found.hidden[0])}. " in text
    alone = promise.describe_mixing(VALUES, 1.0, (0.9999, math.nan), "the 1 report")
    assert "ε between two protected values stays at 1. " in alone


def test_mixing_begins_at_the_epsilon_of_the_block_that_is_named() -> None:
    policy = Context.of([0] * 4 + [1] * 4, [True] * 8, [0.5, 2.0])
    protocol = protocol_in(policy, SPECS["randomized-response"])
    many, few = [90] * 4, [9] * 4
    for people, block, level in ((many + few, "block 0", "0.5"), (few + many, "block 1", "2")):
        tally = protocol.mechanism.sample_tally(np.array(people), np.random.default_rng(4))
        found = Tallies.of(protocol, (("all", CollectedTally(protocol.fingerprint, tally)),))
        (sentence,) = [
            each for each in results_view.promise_sentences(found.results(0.95)) if "mixed" in each
        ]
        assert f"360 reports of the block “{block}”" in sentence
        assert f"from {level} to " in sentence


def test_maps_and_files_are_of_the_estimate(on_a_map: Results) -> None:
    scene = results_view.scene(on_a_map)
    assert [picture.id for picture in scene.pictures] == ["estimate", "least"]
    assert scene.people == on_a_map.reports
    assert isinstance(on_a_map.protocol.domain, GridDomain)
    assert set(page.export_files(on_a_map)) == {"estimate.csv", "estimate.geojson", "record.json"}
    protocol = labelled("oue", ("a", "b"))
    plain = made_up_week().results(0.95)
    assert "estimate.geojson" not in page.export_files(plain)
    assert protocol.coverage.protected.all()


def test_the_check_of_counts_is_said_as_the_record_has_it() -> None:
    protocol = many("randomized-response", 50)
    mechanism = protocol.mechanism
    honest = mechanism.privatize(np.arange(20_000) % 50, np.random.default_rng(3))
    fakes = np.concatenate([honest, np.repeat(honest[:1], 3_000)])
    for reports, is_alarm in ((honest, False), (fakes, True)):
        one = CollectedTally(protocol.fingerprint, mechanism.tally(reports))
        results = Tallies.of(protocol, (("all", one),)).results(0.95)
        text, warns = results_view.law_text(results)
        (found,) = (results.record or {})["report_counts"]["furthest"]
        assert warns == is_alarm == found["unlike_honest"]
        count = int(np.bincount(reports)[honest[0]])
        assert (f"Report {honest[0]} came {count:,} times" in text) == is_alarm
        # Of n reports honest devices send each value by at most e^ε/(e^ε + k − 1), by hand.
        most = len(reports) * np.e / (np.e + 49)
        assert (f" to {most:,.0f} on average" in text) == is_alarm
        assert ("looks like that of honest devices" in text) == (not is_alarm)
    earlier = {key: each for key, each in (results.record or {}).items() if key != "report_counts"}
    assert results_view.law_text(replace(results, record=earlier)) == ("", False)
    assert results_view.law_text(replace(results, record=None)) == ("", False)


def test_the_page_shows_the_check_of_counts_and_warns_of_fakes() -> None:
    at = open_page(navigation.RESULTS)
    assert "looks like that of honest devices" in texts(at)
    protocol = Protocol.from_json(PROTOCOL[0][1].decode())
    reports = protocol.mechanism.privatize(np.zeros(2_000, np.int64), np.random.default_rng(1))
    fakes = CollectedTally(
        protocol.fingerprint, protocol.mechanism.tally(np.repeat(reports[:1], 2_000, axis=0))
    )
    bring(at, [*PROTOCOL, ("fakes.tally.json", fakes.to_json().encode())])
    (warning,) = [each.value for each in at.warning]
    assert "reports were repeated or chosen" in warning


def test_the_promise_says_what_a_person_sends_again() -> None:
    """It said of each protocol that fresh reports add up, whatever its plan of repetition."""
    protocol = labelled("randomized-response", ("flu", "cold", "none"))
    plans = (None, Once(), Memo(), NoisyMemo.of(1.0, 3, 7), DeviceBudget(7))
    sentences = []
    for plan in plans:
        made = protocol if plan is None else protocol.repeated(plan)
        tally = made.mechanism.sample_tally([30, 20, 10], np.random.default_rng(4))
        parts = (("all", CollectedTally(made.fingerprint, tally)),)
        protected, *_ = results_view.promise_sentences(Tallies.of(made, parts).results(0.95))
        sentences.append(protected.split("for one report. ")[1])
    assert len(set(sentences)) == len(plans)
    assert sentences[0] == "Fresh reports of one person to this question add up."
    assert "stored report for each value" in sentences[2]


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
    """The people that the goal needs at that ε reach it there; fewer do not."""
    monkeypatch.setattr(page_state, "BUDGET", Budget(16, 256, 0.01))  # 4 trials are 9 % off
    scenario = replace(people_all_over("46,50,6,10"), estimator="none")
    record = Plan(scenario.with_context(blocks=STRIPS), goal, 0.05, 0.1, 0.2, 0.5, PLAIN)
    level = view.attack(record).figures["epsilon"]
    need = page_state.compute_need(record, PLAIN, record.protected_scenario(PLAIN, level))
    assert need.people is not None
    fewer = 0.98 if goal in page_state.RELATIVE else 0.1  # by formula, or by trials
    for people, enough in ((1.02 * need.people, True), (fewer * need.people, False)):
        n = math.ceil(people)
        stated = view.attack(replace(record, scenario=replace(record.scenario, n=n)))
        assert (stated.figures["error"] <= page_state.target(record)) is enough
        assert ("which is as well as you ask" in stated.whole) is enough
        asked = "the 20 of 100" if goal == "overall" else "to the 10 %"
        assert (f", not {asked} that you ask for" in stated.whole) is not enough


def test_who_is_not_protected_against_the_attacker_comes_first() -> None:
    """And no ε, every ε and nobody are one sentence each."""
    some = view.attack(replace(PLAN, protection="sensitive", guessed=0.5))
    assert some.unprotected
    at = f"at ε = {some.figures['epsilon']:g} one report reveals the answer of "
    assert some.sentence.startswith(f"Only 20 of 100 people are protected; {at}")
    assert some.second.startswith("Up to ε = ")
    never = view.attack(replace(PLAN, guessed=0.05))  # blocks of four or five answers
    assert never.whole == (
        "No ε keeps an attacker's right guesses to 1 in 20 of the protected people: even without a "
        "report a guess among the protected answers in one block can be right for 1 in 4."
    )
    assert not never.figures
    few = replace(PLAN.scenario, dataset=Uniform(2))
    all_levels = replace(PLAN, scenario=few, protection=PLAIN, guessed=0.99999999999)
    assert (
        "Up to ε = 20, the largest that is accepted, so this goal sets no limit, an attacker"
        in view.attack(all_levels).whole
    )
    for guessed in (0.0, 1.5):
        with pytest.raises(CaldpError, match="guessed"):
            LINK.check(replace(PLAN, guessed=guessed))
    texts = [view.guessed_text(share) for share in (1.0, 0.05, 0.3)]
    assert texts == ["no limit", "1 in 20", "1 in 3.33"]


def test_plans_of_repetition_say_what_the_account_of_their_protocols_says(tmp_path: Path) -> None:
    scenario = PLAN.protected_scenario("blocks", 1.0)
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
    at = jobs_done(open_record(STATE, PLAN))
    at.session_state["plan-tabs"] = "Asked again"
    (table,) = jobs_done(at.run()).table
    cells = [list(view.repetition_cells(each).values()) for each in found.values()]
    assert table.value.to_numpy().tolist() == cells
    assert not at.exception
    plain = page_state.repetitions(prepare(PLAN.protected_scenario(PLAIN, 1.0)), no_progress)
    assert [kind for kind, each in plain.items() if each is None] == ["noisy-memo"]
    assert [*view.repetition_cells(None).values()] == ["not with this method", "", "", ""]
