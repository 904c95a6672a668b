"""The tab "Public prior": its numbers are the run's, and data made of the prior are not judged."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.basics.errors import CaldpError
from caldp_core.cli.run import summary
from caldp_core.datasets import Cities, Gowalla, read_places
from caldp_core.datasets.public_map import NoPrior
from caldp_core.estimation.cascade_estimator import cascade_estimate, prior_effect
from caldp_core.experiments.forecast import CIRCULAR, SAME, forecast, invalid_error_reason
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import exports, runs
from caldp_ui.maps import scene
from caldp_ui.maps.presets import BEGIN
from caldp_ui.places import prior
from caldp_ui.places.controls import with_dataset
from caldp_ui.session import visitor_data
from caldp_ui.words import accuracy, formats
from caldp_ui.words.formats import PLACES
from tests.contract.checks import naming
from tests.ui.driver import (
    accepted,
    by_the_core,
    checked,
    headline_of,
    open_page,
    picture_of,
    pictures,
    query_of,
)
from tests.ui.pages import PAGES

KNOWING = Scenario(Cities(together=5), n=200_000, estimator=prior.INHABITANTS_ESTIMATOR)
CIRCLE = replace(KNOWING, dataset=Gowalla(together=5), n=None).with_context(blocks=OneBlock())


def test_the_tab_says_how_much_is_prior_and_what_that_costs() -> None:
    ours = run(prepare(KNOWING))
    truth, shares = ours.setup.dataset.distribution, ours.first.estimate
    moved = shares - cascade_estimate(ours.first.evidence)
    judgement = prior.judgement_text(ours, moved, runs.map_of(ours.setup.dataset))
    for estimate in (shares, shares - moved):
        assert formats.per_hundred(total_variation(truth, estimate)) in judgement
    assert "left alone" in prior.prior_share_text(np.zeros(4), "It")
    share = np.zeros(4)
    share[:2] = 0.12, -0.12
    assert prior.prior_share_text(share, "Where people live").startswith("**12 of 100 people")


def test_data_that_were_made_of_the_prior_are_not_judged() -> None:
    ours = run(prepare(CIRCLE))
    assert ours.setup.dataset.from_inhabitants
    domain = runs.map_of(ours.setup.dataset)
    assert prior.judgement_text(ours, np.zeros(domain.k), domain) == CIRCULAR
    with pytest.raises(CaldpError, match="made with where people live"):
        forecast(ours.setup)
    printed = summary(ours, None)
    assert printed["errors"] is printed["expected"] is None
    assert printed["not_judged"] == CIRCULAR
    headline = accuracy.headline(PLACES, ours.setup, ours.first.errors.tv, None)
    for text in (
        headline.sentence + headline.second,
        scene.subtitle(ours),
        scene.error_fact(ours).text,
    ):
        assert formats.per_hundred(ours.first.errors.tv) not in text
    plain = prepare(replace(CIRCLE, estimator="cascade"))
    assert "puts" in accuracy.headline(PLACES, plain, 0.3, 0.4).sentence


def test_pages_that_would_tell_an_error_refuse_it() -> None:
    for page in ("adversary", "personal", "coarser", "plan", "curves"):
        link = PAGES[page].state.codec
        begin = replace(link.fresh().scenario, dataset=Gowalla(), n=None)
        field: Any = {"scenario": replace(begin, estimator=prior.INHABITANTS_ESTIMATOR)}
        if page == "curves":
            field = {"scenario": begin, "estimates": (prior.INHABITANTS_ESTIMATOR,)}
        with naming(page), pytest.raises(CaldpError, match="made with where people live"):
            link.check(replace(link.fresh(), **field))


def test_the_offer_is_taken_and_the_page_says_why_it_tells_no_error() -> None:
    at = open_page("pages/places.py", {**CIRCLE.to_query(), "estimator": "cascade"})
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    checked(at.button(key="places-use-prior").click().run())
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    assert at.session_state["places/state"].record.scenario.estimator == prior.INHABITANTS_ESTIMATOR
    assert any(CIRCULAR[:40] in each.value for each in at.markdown)


def publish(scenario: Scenario) -> str:
    """What the page gave out of another year's people."""
    return exports.estimate_csv(run(prepare(scenario))).decode()


def bring(at: AppTest, text: str, name: str) -> AppTest:
    """From the tab's button to the picture; a file comes as this text does."""
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    checked(at.button(key="places-bring").click().run())
    at.text_area(key="places-own-text").set_value(text)
    at.text_input(key="places-own-name").set_value(name)
    checked(at.button(key="places-own-show").click().run())
    return accepted(at, "places")


def test_last_years_map_comes_from_a_file_and_stays_with_the_visit() -> None:
    now = replace(KNOWING, estimator="cascade", seed=7).with_context(blocks=OneBlock())
    text = publish(replace(now, seed=3).with_context(epsilon=4.0))
    at = bring(open_page("pages/places.py", now.to_query()), text, "**Last** <b>year")
    scenario = at.session_state["places/state"].record.scenario
    assert (scenario.estimator, scenario.prior.title) == ("cascade-map", "**Last** <b>year")
    assert replace(scenario, estimator="cascade", prior=NoPrior()) == now
    assert picture_of(by_the_core(scenario)) in pictures(at).values()
    assert picture_of(by_the_core(now)) not in pictures(at).values()
    query = query_of(at)
    assert set(query) & {visitor_data.OWN, visitor_data.PRIOR, "prior"} == {visitor_data.PRIOR}
    assert any("Too long for a link" in each.value for each in at.warning)
    assert Scenario.from_text(exports.scenario_json(scenario)) == scenario
    protocols = {exports.protocol_json(run(prepare(each))) for each in (scenario, now)}
    assert len(protocols) == 1  # what devices do does not depend on it
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    ours = run(prepare(scenario))
    moved = prior_effect(ours.first.evidence, ours.first.estimate)
    texts = [each.value for each in at.markdown]
    assert prior.prior_share_text(moved, escape_markdown("“**Last** <b>year”")) in texts
    assert not any("**Last**" in each for each in texts)
    (refused,) = [each.value for each in open_page("pages/places.py", query).error]
    assert "stay with the visit" in refused
    for button, name in (("use-none", "cascade"), ("use-map", "cascade-map")):
        at.session_state["places-tabs"] = "Public prior"
        checked(at.run())
        checked(at.button(key=f"places-{button}").click().run())
        assert at.session_state["places/state"].record.scenario == replace(scenario, estimator=name)


def test_the_data_as_their_own_prior_are_not_judged_and_other_data_leave_it_behind() -> None:
    rng = np.random.default_rng(2)
    places = rng.normal((48.1, 11.6), 0.08, (400, 2)).round(3)
    text = "lat,lon\n" + "\n".join(f"{y},{x}" for y, x in places)
    data = read_places(text).places
    at = bring(open_page("pages/places.py", with_dataset(BEGIN, data).to_query()), text, "it")
    scenario = at.session_state["places/state"].record.scenario
    assert scenario.prior.shares_on(data.grid()) == pytest.approx(data.load().distribution)
    assert invalid_error_reason(prepare(scenario)) == SAME
    headline = headline_of(at)
    assert "accurate" not in headline
    assert formats.per_hundred(run(prepare(scenario)).first.errors.tv) not in headline
    later = with_dataset(scenario, Cities())
    assert (later.estimator, later.prior) == ("cascade", NoPrior())
    cut = with_dataset(scenario, replace(data, together=2))
    assert (cut.estimator, cut.prior) == ("cascade-map", scenario.prior)
