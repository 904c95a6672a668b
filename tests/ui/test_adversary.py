"""What an attacker learns: the page and its films show what the core's inference gives."""

import re
from collections.abc import Sequence
from concurrent.futures import wait
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import guess_accuracy, max_guess_accuracy
from caldp_core.audit.inference import credible_set, likelihood
from caldp_core.basics.types import Floats
from caldp_core.datasets import Gowalla, us_cities
from caldp_core.domain.domains import US_GRID, Area
from caldp_core.mechanisms.catalogue import Hadamard, PublishedUrap
from caldp_core.scenarios.blocks import EverythingSensitive, OneBlock, SensitiveAreas
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary import page, view
from caldp_ui.adversary.page_state import (
    BEGIN,
    DAYS_MAX,
    DENVER,
    LINK,
    STATE,
    AttackerState,
    BeliefData,
    compute_attacker,
    load_data,
)
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.maps import scene as choice
from caldp_ui.parts import layout
from caldp_ui.parts import pins as film_jobs
from caldp_ui.parts.pins import FilmRequest
from caldp_ui.session import jobs
from caldp_ui.session.links import seal, understand
from caldp_ui.stage import records
from caldp_ui.stage.component import Act
from caldp_ui.stage.records import Film, Step, encode
from caldp_ui.words import formats
from caldp_ui.words.formats import place_name
from tests.ui.driver import (
    assert_signed,
    both_lines,
    checked,
    choose,
    headline_of,
    on_stage,
    open_record,
    page_record,
    pictures,
    query_of,
    scene_of,
)
from tests.ui.readings import drawn, shares_of

STAGE = STATE.key("maps")
DENVER_ALONE = SensitiveAreas(("+39.6,39.8,-105,-104.8",))


def replace_days(data: BeliefData, days: int) -> BeliefData:
    return load_data(replace(data.record, days=days))


def assert_shows(at: AppTest, record: AttackerState) -> None:
    """Maps, sentence and link are those of the record."""
    assert page_record(at, STATE) == record
    assert not at.error
    data = load_data(record)
    expected = {
        "plain": encode(data.plain.beliefs[record.days]).name,
        "kept": encode(data.ours.beliefs[min(record.days, 1)]).name,
        "ours": encode(data.ours.beliefs[record.days]).name,
    }
    assert pictures(at, STAGE) == expected
    sentence = headline_of(at)
    assert sentence == both_lines(view.headline(data))
    assert LINK.read(query_of(at)) == record


def click(at: AppTest, cell: int) -> AppTest:
    """Click a cell on the stage, as the browser tells it."""
    value = {"tool": "look", "action": "here", "cells": f"{cell}+1"}
    return on_stage(at, value, STAGE)


def test_the_middle_of_what_is_drawn_is_a_place_of_the_map() -> None:
    (cell,) = US_GRID.locate([41.88], [-87.63]).tolist()
    around = f"{cell - 350}+1,{cell - 1}+3,{cell + 350}+1"
    assert Act("brush", "here", cells=around).middle(US_GRID) == cell
    assert Act("box", "here", Area(41.8, 42.0, -87.8, -87.6)).middle(US_GRID) == cell
    assert Act("brush", "here").middle(US_GRID) is None
    assert Act("box", "here", Area(60.0, 61.0, 10.0, 11.0)).middle(US_GRID) is None


def test_opens_in_denver_and_follows_every_control() -> None:
    at = open_record(STATE)
    assert_shows(at, AttackerState())
    assert query_of(at) == {}
    for days in (3, 0):
        checked(at.select_slider(key="adversary-days").set_value(days).run())
        assert_shows(at, AttackerState(days=days))
    checked(at.select_slider(key="adversary-epsilon").set_value(3.0).run())
    assert_shows(at, AttackerState(BEGIN.with_context(epsilon=3.0), days=0))
    checked(at.button(key="adversary-another").click().run())
    other = replace(BEGIN.with_context(epsilon=3.0), seed=BEGIN.seed + 1)
    assert_shows(at, AttackerState(other, days=0))


def test_a_click_moves_the_person_and_so_does_the_list() -> None:
    at = open_record(STATE)
    (cell,) = US_GRID.locate([41.88], [-87.63]).tolist()
    click(at, cell)
    assert_shows(at, AttackerState(place=cell))
    city = us_cities()[0]
    (largest,) = US_GRID.locate([city.latitude], [city.longitude]).tolist()
    checked(at.selectbox(key="adversary-place").set_value(largest).run())
    assert_shows(at, AttackerState(place=largest))


def test_fresh_noise_adds_up_and_stored_noise_does_not() -> None:
    strong = BEGIN.with_context(epsilon=2.0)
    data, first = (
        load_data(AttackerState(strong, days=10)),
        load_data(AttackerState(strong, days=1)),
    )
    ours, pair = data.ours, data.pair
    assert all(ours.stored_belief(days) is ours.beliefs[1] for days in range(1, DAYS_MAX + 1))
    assert ours.stored_belief(0) is ours.beliefs[0]
    assert credible_set(ours.beliefs[10]).size < credible_set(ours.stored_belief(10)).size
    assert pair is not None
    assert first.pair is not None
    assert pair.stored_chance == pytest.approx(first.pair.fresh_chance)
    assert (
        pair.stored_limit
        == pytest.approx(max_guess_accuracy(2.0))
        == pytest.approx(first.pair.fresh_limit)
    )
    assert pair.fresh_limit == pytest.approx(max_guess_accuracy(2.0, 10))
    assert pair.stored_chance <= pair.stored_limit + 1e-9
    assert pair.fresh_chance <= pair.fresh_limit + 1e-9


def gains(scenario: Scenario, seeds: Sequence[int]) -> Floats:
    """What nine further fresh reports add to the chance of the true place, for each seed."""
    attackers = [compute_attacker(replace(scenario, seed=seed), DENVER) for seed in seeds]
    return np.array([ours.chance_of_truth(10) - ours.chance_of_truth(1) for ours in attackers])


def test_fresh_reports_raise_the_chance_of_the_truth_on_average() -> None:
    """By 0.46 with a deviation of 0.36: that 20 seeds have a mean of 0.1 or less is 4.5 standard
    errors off. Stored reports, whose chance stays, have a mean of 0."""
    strong = BEGIN.with_context(epsilon=2.0)
    assert gains(strong, range(101, 121)).mean() > 0.1


def test_what_is_bright_is_the_credible_set() -> None:
    data = load_data(AttackerState())
    for beliefs in (data.plain.beliefs[7], data.ours.beliefs[7], data.ours.beliefs[1]):
        lit = shares_of(records.codes(beliefs)) >= view.lit_from(beliefs)
        assert set(credible_set(beliefs)) <= set(np.flatnonzero(lit))
        assert 0.95 <= beliefs[lit].sum() < 0.96
    assert (data.ours.beliefs[0] >= view.lit_from(data.ours.beliefs[0])).sum() > 1_000


def assert_beside(step: Step, record: AttackerState) -> None:
    """The page's sentence and its odds are those of the record."""
    data = load_data(record)
    assert step.replacements[layout.SENTENCE] == layout.headline_html(view.headline(data))
    assert step.replacements[layout.PLACE] == view.odds_html(data, US_GRID)


def test_the_films_are_the_days_and_each_report_alone() -> None:
    data = load_data(AttackerState())
    shares: list[float] = []
    days = view.OVER_DAYS.film(data.record, shares.append)
    for day, step in enumerate(days.steps):
        shows = view.scene(replace_days(data, day), US_GRID).pictures
        assert step.value == day
        assert dict(step.codes) == {each.id: each.code for each in shows}
        assert dict(step.subtitles) == {each.id: each.subtitle for each in shows}
        assert dict(step.facts) == {each.id: each.fact for each in shows}
        assert dict(step.nobody) == {each.id: each.nobody for each in shows}
        assert_beside(step, AttackerState(days=day))
        assert step.reading == str(day)
    assert days.dial == "adversary-days"
    alone = view.single_reports_film(data, US_GRID, shares.append)
    prior = data.ours.beliefs[0]
    for step, report in zip(alone.steps, data.ours.reports, strict=True):
        mechanism = data.ours.setup.mechanism
        chances = prior * likelihood(mechanism, mechanism.tally(report))
        assert step.codes["ours"] == encode(chances / chances.sum())
        assert step.codes["kept"] == alone.steps[0].codes["ours"]
        on_truth = view.chance_with_article(float((chances / chances.sum())[DENVER]))
        assert f"the true place {on_truth} chance" in "".join(step.replacements.values())
    assert len({step.codes["ours"].name for step in alone.steps}) == DAYS_MAX
    assert max(shares) < 1.0


def test_the_day_where_a_film_rests_is_the_page_s() -> None:
    at = open_record(STATE)
    assert_signed(at, AttackerState().scenario, STAGE)
    assert scene_of(at, STAGE)["values"] == {"days": 7.0, "epsilon": 1.0}
    choose(at, "days", 2.0, STAGE)
    assert_shows(at, AttackerState(days=2))
    choose(at, "reports", 5.0, STAGE)
    assert_shows(at, AttackerState(days=2))
    choose(at, "epsilon", 2.0, STAGE)
    assert_shows(at, AttackerState(BEGIN.with_context(epsilon=2.0), days=2))


def test_a_chance_has_its_article_before_its_number() -> None:
    shares = {0.63: "a 63 %", 0.83: "an 83 %", 1e-7: "less than a 0.01 %"}
    for share, text in {**shares, 1 - 1e-7: "more than a 99.99 %"}.items():
        assert view.chance_with_article(share) == text


def test_plain_ldp_is_not_compared_with_itself() -> None:
    """By whichever method: each is one draw of noise, and the better one may read worse."""
    scenario = replace(
        BEGIN.with_context(blocks=OneBlock(), sensitive=EverythingSensitive()), mechanism=Hadamard()
    )
    assert runs.best_plain_ldp(scenario) != scenario
    found = view.headline(load_data(AttackerState(scenario)))
    assert "plain LDP" not in found.second
    assert not any("plain" in name for name in found.figures)


def test_chances_that_read_alike_are_named_once_and_none_is_a_power_of_ten() -> None:
    rare = 20_000
    headline = view.headline(load_data(AttackerState(BEGIN.with_context(epsilon=0.05), place=rare)))
    assert headline.second.count("less than 0.01 %") == 1
    for share in (1.9e-7, 3e-5, 0.004, 0.3, 0.9999999, 1.0):
        assert re.fullmatch(r"(less than |more than )?[\d.]+ %", formats.percent(share)), share


def test_who_is_not_protected_comes_first() -> None:
    """Denver alone is sensitive: its people hide among others; all others can be read."""
    some = BEGIN.with_context(sensitive=DENVER_ALONE)
    this = load_data(AttackerState(some))
    assert this.odds is not None
    headline = view.headline(this)
    assert headline.unprotected
    left = formats.out_of_few(1 - float(this.ours.setup.dataset.distribution[DENVER]))
    assert headline.sentence.startswith(
        f"{left} people are not protected; this person is: after 7 "
    )
    (outside,) = US_GRID.locate([38.84], [-104.82]).tolist()
    headline = view.headline(load_data(AttackerState(some, place=outside)))
    assert headline.unprotected
    assert headline.sentence.startswith("This person is not protected: after 7 fresh reports ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "sensitive", [EverythingSensitive(), SensitiveAreas(("+39.6,39.8,-105,-104.8",))]
)
def test_the_odds_are_the_largest_over_all_pairs_that_they_speak_of(sensitive: Any) -> None:
    """Between a sensitive place and an open one of its block ε limits one way only."""
    scenario = BEGIN.with_context(sensitive=sensitive)
    data = load_data(AttackerState(scenario))
    setup = data.ours.setup
    others = np.flatnonzero(setup.partition.labels == setup.partition.labels[DENVER])[::5]
    by_channel = [
        guess_accuracy(setup.mechanism, DENVER, other)
        for other in others.tolist()
        if other != DENVER
    ]
    assert data.odds is not None
    one_sided = not isinstance(sensitive, EverythingSensitive)
    assert data.odds[0] == pytest.approx(
        1 - np.exp(-1) / 2 if one_sided else max_guess_accuracy(1.0)
    )
    assert max(by_channel) <= data.odds[0] + 1e-9
    assert f"at most **{formats.hundred(data.odds[0])} times in 100**" in view.odds_sentence(
        US_GRID, data
    )


def test_published_urap_has_an_attacker_too() -> None:
    at = open_record(
        STATE, record := AttackerState(replace(BEGIN, mechanism=PublishedUrap()), days=2)
    )
    assert_shows(at, record)


def test_where_nothing_hides_the_page_says_so() -> None:
    bare = BEGIN.with_context(blocks=OneBlock(), sensitive=SensitiveAreas(()))
    data = load_data(AttackerState(bare))
    assert data.pair is None
    assert data.odds is None
    assert view.headline(data).unprotected
    assert "not protected" in view.odds_html(data, US_GRID)
    assert data.ours.chance_of_truth(1) == pytest.approx(1.0)
    assert credible_set(data.ours.beliefs[1]).tolist() == [DENVER]


def test_the_chart_draws_the_days() -> None:
    data = load_data(AttackerState(days=4))
    ours = [data.ours.chance_of_truth(m) for m in range(11)]
    plain = [data.plain.chance_of_truth(m) for m in range(11)]
    most = list(data.ours.limits)
    charts = [drawn(draw(data, LIGHT)) for draw in (page.curve, page.limits)]
    lines = {name: line for chart in charts for name, line in by_name(chart).items()}
    for name, shares in {
        "fresh reports": ours,
        "one stored report": ours[:2] + ours[1:2] * 9,
        "plain LDP, fresh": plain,
        "this outcome, fresh": ours,
        "limit, fresh reports": most,
        "limit, one stored report": most[:2] + most[1:2] * 9,
        "limit, budget of 3": most[:4] + most[3:4] * 7,
    }.items():
        np.testing.assert_allclose(lines.pop(name), shares, err_msg=name)
    assert not lines
    for made in charts:
        names = {
            note.text.removeprefix("<b>").removesuffix("</b>") for note in made.layout.annotations
        }
        assert names >= {trace.name for trace in made.data}


def by_name(figure: Any) -> dict[str, Any]:
    """Shares in [0, 1] of the lines of a chart."""
    return {trace.name: np.asarray(trace.y) / 100 for trace in figure.data}


def test_the_place_may_be_held_against_any_other() -> None:
    at = open_record(STATE)
    at.session_state["adversary-tabs"] = "Two candidates"
    checked(at.run())
    data = load_data(AttackerState())
    assert data.pair is not None
    assert (
        at.selectbox(key="adversary-other").value == data.pair.rival == page.other_candidate(data)
    )
    (far,) = US_GRID.locate([41.88], [-87.63]).tolist()
    checked(at.selectbox(key="adversary-other").set_value(far).run())
    record = AttackerState(other=far)
    assert_shows(at, record)
    test = page.error_lines(load_data(record).ours, far)
    np.testing.assert_allclose(test.claimed[1], [0, 0])  # another state is read
    assert test.right == test.most == 1.0
    assert page.other_candidate(load_data(AttackerState(place=far, other=far))) != far


def test_the_places_to_choose_from_are_those_of_the_map() -> None:
    part = Gowalla("39.8,42.6,-77.2,-71").grid()
    offered = choice.cities(part, 0)
    assert offered[0] == 0
    assert max(offered) < part.k < max(choice.cities(US_GRID))
    named = {place_name(part, cell) for cell in offered}
    assert named > {"New York, New York", "Boston, Massachusetts"}


def test_the_person_s_films_are_named_by_all_that_they_rest_on() -> None:
    def names(record: AttackerState) -> dict[str, str]:
        return {each.key: each.name for each in page.film_requests(load_data(record))}

    ours = names(AttackerState())
    assert list(ours) == [f"adversary-film-{kind}" for kind in ("days", "epsilon", "reports")]
    for change, kept in (
        ({"scenario": BEGIN.with_context(epsilon=4.0)}, {"epsilon"}),
        ({"days": 3}, {"days", "reports"}),
        ({"place": 20_000}, set()),
        ({"scenario": replace(BEGIN, seed=2)}, set()),
    ):
        others = names(replace(AttackerState(), **change))
        same = {key.rpartition("-")[2] for key, name in others.items() if name == ours[key]}
        assert same == kept, change


def test_what_all_share_may_be_forgotten_and_a_visit_still_has_its_films(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Making the second film took so much room that the first was forgotten, for ever in turn."""
    names = ("a film that was forgotten", "a film that is to be made")
    kept: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", kept)

    def made(name: str) -> FilmRequest:
        return FilmRequest(name, name, lambda progress: Film(name, "", ()))

    requests = list(map(made, names))
    for each in requests:
        kept[jobs.job_key(each.key)] = job = jobs.launch(each.name, each.make)
        wait([job.future])
    assert not any(film_jobs._made(name) for name in names)
    assert [film.id for film in film_jobs.ready_films(requests)] == list(names)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_a_link_to_the_view_of_fake_phones_opens_with_a_sentence(is_sealed: bool) -> None:
    """Links of earlier versions, with the check that they had, show one person instead."""
    sent = {"days": "3", "show": "fakes", "tenths": "20"}
    query = seal("adversary", sent) if is_sealed else sent
    received = understand(LINK, "adversary", list(query.items()))
    assert received.record == AttackerState(days=3)
    assert received.fault == "The view of fake phones is given up; the page shows one person."
    assert understand(LINK, "adversary", [("days", "3")]).fault == ""
    cut = understand(LINK, "adversary", [*seal("adversary", sent).items()][:-1])
    assert cut.fault.startswith("The link was cut")
