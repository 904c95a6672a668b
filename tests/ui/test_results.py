"""Results of a collection: the example, files of one's own, and files that are none."""

import math
import re
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import pair_odds
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import Results, Tallies, made_up_week, read_collection
from caldp_core.collect.protocol import Protocol
from caldp_core.datasets import Zipf
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import prepare
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import EvenRuns
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.mixing import epsilons_after_mixing
from caldp_ui.app import navigation
from caldp_ui.results import page, view
from caldp_ui.results.page_state import ResultsState
from caldp_ui.words import formats, promise
from caldp_ui.words.formats import VALUES
from tests.collect.protocols import SPECS, labelled, many, planned, protocol_in
from tests.collect.test_results import MONDAY, PROTOCOL, TUESDAY
from tests.ui.driver import checked, jobs_done, open_page, query_of


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
    headline = view.headline(right, is_example=True)
    assert headline.sentence in html_text(at)
    assert view.MADE_UP in headline.second
    assert "8,000" in html_text(at)
    assert "40 of another question" in texts(at)
    checked(at.select_slider(key="results-level").set_value(0.999).run())
    wide = made_up_week().results(0.999)
    assert formats.percent_range(wide.low[7], wide.high[7]) in html_text(at)
    assert formats.percent_range(right.low[7], right.high[7]) not in html_text(at)
    checked(at.select_slider(key="results-times").set_value(30).run())
    assert query_of(at) == {"level": "0.999", "times": "30"}


def test_own_files_stay_in_the_visit_and_bad_ones_are_told_in_a_sentence() -> None:
    at = bring(open_page(navigation.RESULTS), [*PROTOCOL, MONDAY, TUESDAY])
    own = read_collection([*PROTOCOL, MONDAY, TUESDAY]).results(0.95)
    assert view.headline(own, is_example=False).second in html_text(at)
    assert "18,000" in html_text(at)
    assert not query_of(at)
    bring(at, [*PROTOCOL, MONDAY, ("again.tally.json", MONDAY[1])])
    (error,) = [each.value for each in at.error]
    assert "would count twice" in error
    assert view.headline(made_up_week().results(0.95), is_example=True).second in html_text(at)
    bring(at, [*PROTOCOL, MONDAY])
    assert "24,000" in texts(at)
    checked(at.button(key="results-example").click().run())
    assert "8,000" in html_text(at)


def test_few_reports_are_said_to_say_nothing_and_how_many_would() -> None:
    """Kept answers of two: a yes is sent by e^ε in e^ε + 1, so that the number is known by hand."""
    protocol = labelled("randomized-response", ("no", "yes"), epsilon=0.5)
    kept = 1 / (1 + math.exp(-0.5))
    for counts, is_all in (((2, 3), True), ((2_000, 3_000), False)):
        tally = protocol.mechanism.tally(np.repeat([0, 1], counts))
        parts = (("day", CollectedTally(protocol.fingerprint, tally)),)
        results = Tallies.of(protocol, parts).results(0.95)
        sentence = view.headline(results, is_example=False).sentence
        assert sentence.startswith("5 reports say nothing yet about") == is_all, sentence
        assert ("0.0 to 100.0 %" in sentence) is False
        if is_all:
            share = float(results.shares.max())
            sends = kept * share + (1 - kept) * (1 - share)
            needed = sends * (1 - sends) * (1.959964 / (0.1 * (2 * kept - 1))) ** 2
            said = re.search(r"percentage points it takes about ([\d,]+)\.", sentence)
            assert said is not None, sentence
            assert int(said[1].replace(",", "")) == pytest.approx(needed, rel=2e-2)


def test_what_is_said_of_a_person_is_the_bound_on_an_even_guess() -> None:
    results = made_up_week().results(0.95)
    policy = results.protocol.mechanism.policy
    one, many, sentence = view.describe_attacker(results, 5)
    assert (one, many) == (pair_odds(policy).largest, pair_odds(policy, 5).largest)
    assert one < many
    assert "more than" in sentence or f"{100 * many:.0f}" in sentence
    assert ResultsState().times > 1


def test_what_mixing_leaves_is_said_as_the_core_has_it() -> None:
    results = made_up_week().results(0.95)
    (block,) = results.record["privacy"]["if_mixed"]["blocks"]  # type: ignore[index]
    (sentence,) = [each for each in view.promise_sentences(results) if "mixed" in each]
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
    crowd = round(
        10_000 * max(setup.dataset.distribution[:5].sum(), setup.dataset.distribution[5:].sum())
    )
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
            each for each in view.promise_sentences(found.results(0.95)) if "mixed" in each
        ]
        assert f"360 reports of the block “{block}”" in sentence
        assert f"from {level} to " in sentence


def test_maps_and_files_are_of_the_estimate(on_a_map: Results) -> None:
    scene = view.scene(on_a_map)
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
        text, warns = view.law_text(results)
        (found,) = (results.record or {})["report_counts"]["furthest"]
        assert warns == is_alarm == found["unlike_honest"]
        count = int(np.bincount(reports)[honest[0]])
        assert (f"Report {honest[0]} came {count:,} times" in text) == is_alarm
        # Of n reports honest devices send each value by at most e^ε/(e^ε + k − 1), by hand.
        most = len(reports) * np.e / (np.e + 49)
        assert (f" to {most:,.0f} on average" in text) == is_alarm
        assert ("as often as honest devices send them" in text) == (not is_alarm)
    earlier = {key: each for key, each in (results.record or {}).items() if key != "report_counts"}
    assert view.law_text(replace(results, record=earlier)) == ("", False)
    assert view.law_text(replace(results, record=None)) == ("", False)


def test_the_page_shows_the_check_of_counts_and_warns_of_fakes() -> None:
    at = open_page(navigation.RESULTS)
    assert "as often as honest devices send them" in texts(at)
    protocol = Protocol.from_json(PROTOCOL[0][1].decode())
    reports = protocol.mechanism.privatize(np.zeros(2_000, np.int64), np.random.default_rng(1))
    fakes = CollectedTally(
        protocol.fingerprint, protocol.mechanism.tally(np.repeat(reports[:1], 2_000, axis=0))
    )
    bring(at, [*PROTOCOL, ("fakes.tally.json", fakes.to_json().encode())])
    (warning,) = [each.value for each in at.warning]
    assert "reports were repeated or chosen" in warning
