"""The tab "Public prior": its numbers are the run's, and data made of the prior are not judged."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.cli.commands import summary
from caldp_core.datasets import Cities, Gowalla
from caldp_core.estimation.cascaded import cascaded
from caldp_core.experiments.forecast import forecast
from caldp_core.experiments.judged import CIRCULAR
from caldp_core.experiments.metrics import total_variation
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.maps import scene
from caldp_ui.places import prior
from caldp_ui.words import formats, result
from caldp_ui.words.vocabulary import PLACES
from tests.contract.checks import naming
from tests.ui.driver import checked, open_page
from tests.ui.pages import PAGES

KNOWING = Scenario(Cities(together=5), n=200_000, estimator=prior.KNOWING)
CIRCLE = replace(KNOWING, dataset=Gowalla(together=5), n=None).with_context(blocks=OneBlock())


def test_the_tab_says_how_much_is_prior_and_what_that_costs() -> None:
    ours = run(prepare(KNOWING))
    truth, shown = ours.setup.dataset.distribution, ours.first.estimate
    moved = shown - cascaded(ours.first.evidence)
    told = prior.judgement(ours, moved, runs.map_of(ours.setup.dataset))
    for estimate in (shown, shown - moved):
        assert formats.per_hundred(total_variation(truth, estimate)) in told
    assert "left alone" in prior.share_of_prior(np.zeros(4))
    share = np.zeros(4)
    share[:2] = 0.12, -0.12
    assert prior.share_of_prior(share).startswith("**12 of 100 people")


def test_data_that_were_made_of_the_prior_are_not_judged() -> None:
    ours = run(prepare(CIRCLE))
    assert ours.setup.dataset.from_inhabitants
    domain = runs.map_of(ours.setup.dataset)
    assert prior.judgement(ours, np.zeros(domain.k), domain) == CIRCULAR
    with pytest.raises(CaldpError, match="made with where people live"):
        forecast(ours.setup)
    printed = summary(ours, None)
    assert printed["errors"] is printed["expected"] is None
    assert printed["not_judged"] == CIRCULAR
    said = result.headline(PLACES, ours.setup, ours.first.errors.tv, None)
    for text in (said.sentence + said.second, scene.subtitle(ours), scene.fact(ours).text):
        assert formats.per_hundred(ours.first.errors.tv) not in text
    plain = prepare(replace(CIRCLE, estimator="cascade"))
    assert "puts" in result.headline(PLACES, plain, 0.3, 0.4).sentence


def test_pages_that_would_tell_an_error_refuse_it() -> None:
    for page in ("adversary", "personal", "coarser", "plan", "curves"):
        link = PAGES[page].slot.codec
        begin = replace(link.fresh().scenario, dataset=Gowalla(), n=None)
        field: Any = {"scenario": replace(begin, estimator=prior.KNOWING)}
        if page == "curves":
            field = {"scenario": begin, "estimates": (prior.KNOWING,)}
        with naming(page), pytest.raises(CaldpError, match="made with where people live"):
            link.check(replace(link.fresh(), **field))


def test_the_offer_is_taken_and_the_page_says_why_it_tells_no_error() -> None:
    at = open_page("pages/places.py", {**CIRCLE.to_query(), "estimator": "cascade"})
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    checked(at.button(key="places-use-prior").click().run())
    at.session_state["places-tabs"] = "Public prior"
    checked(at.run())
    assert at.session_state["places/slot"].record.scenario.estimator == prior.KNOWING
    assert any(CIRCULAR[:40] in each.value for each in at.markdown)
