"""Values that nothing protects come first in every sentence, and no ε stands for them."""

import re
from dataclasses import replace
from html import unescape
from typing import Any, Final

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core import Protocol, Scenario, prepare, run
from caldp_core.basics.types import no_progress
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import Results, Tallies
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.run import Result
from caldp_core.scenarios.blocks import EvenRuns, EverythingSensitive, RegionBlocks
from caldp_ui.compute import runs
from caldp_ui.compute.runs import PrivacySummary
from caldp_ui.parts import markup, pins, promises, sharing
from caldp_ui.personal.page_state import LINK as PERSONAL_LINK
from caldp_ui.places.page_state import LINK as PLACES_LINK
from caldp_ui.plan import people_needed
from caldp_ui.plan import view as plan_view
from caldp_ui.plan.page_state import Plan
from caldp_ui.results import view as result_words
from caldp_ui.values.page_state import LINK as VALUES_LINK
from caldp_ui.values.page_state import STATE
from caldp_ui.words import accuracy as sentences
from caldp_ui.words import policies, promise
from caldp_ui.words.formats import ANSWERS, PLACES, place_name
from tests.contract.checks import naming
from tests.ui.agreement import drawn_names
from tests.ui.agreement_pages import PERSONAL
from tests.ui.agreement_pages import PLACES as PLACES_PAGE
from tests.ui.agreement_pages import VALUES as VALUES_PAGE
from tests.ui.driver import checked, open_record, page_record
from tests.ui.readings import read

NAMES: Final = ["hiv*", "flu", "cold", "cough", "none"]
FIRST: Final = "“hiv*” is protected by nothing and sent in clear."
POLICY: Final = {
    "kind": "context",
    "blocks": {"kind": "groups"},
    "sensitive": {"kind": "everything"},
    "epsilon": [7.5, 1.0],
}


def scenario(hiv: int = 0, **policy: Any) -> Scenario:
    """Everything is sensitive, "hiv*" is alone in its block of ε = 7.5, and `hiv` people have it.

    Where nobody has it, 100 of 100 people are protected.
    """
    data = {"kind": "table", "names": NAMES, "counts": [hiv, 60, 60, 60, 60], "groups": [*"ABBBB"]}
    parts = {"caldp_scenario": 2, "dataset": data, "policy": POLICY | policy}
    return Scenario.from_dict(parts)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(prepare(scenario()))


def collected(protocol: Protocol) -> Results:
    tally = protocol.mechanism.sample_tally(np.array([0, 60, 60, 60, 60]), 1)
    return Tallies.of(protocol, (("day", CollectedTally(protocol.fingerprint, tally)),)).results(
        0.95
    )


def test_the_headline_the_odds_and_the_promise_begin_with_them(result: Result) -> None:
    setup = result.setup
    texts = policies.describe_promise(ANSWERS, setup)
    assert texts.protected_share == 1.0, "nobody has it, and shares of people hide it"
    assert not texts.protects_all
    shown = markup.headline_html(sentences.headline(ANSWERS, setup, *[result.first.errors.tv] * 2))
    assert f"<h1>{FIRST}" in unescape(shown)
    assert "unprotected" in shown
    assert unescape(markup.odds_html(ANSWERS, setup)).index(FIRST) < markup.odds_html(
        ANSWERS, setup
    ).index("Protection")
    assert "orange, not" in markup.picture(texts)
    assert policies.promise_summary(ANSWERS, setup).startswith(FIRST)
    assert pins.odds_numbers(ANSWERS, setup)["protected by nothing"].startswith(FIRST)
    assert dict(texts.levels)["ε"] == "1"
    assert policies.setting_text(setup).startswith("ε = 1 ·")
    content = sharing.ReportContent(result, "All is well.", {})
    report = sharing.audit_scenario(setup.scenario, no_progress)
    page = unescape(sharing.html(ANSWERS, content, report, ""))
    assert page.index(FIRST) < page.index("All is well.")
    assert "7.5" not in page.partition('"caldp_scenario"')[0]


def test_a_place_alone_in_its_block_is_named_though_nobody_is_there() -> None:
    """The coarse map cuts single cells off from islands: the largest town, or degrees."""
    setup = prepare(Scenario().with_context(blocks=RegionBlocks()))
    alone = np.flatnonzero((setup.partition.sizes() == 1)[setup.partition.labels])
    exposed = policies.describe_promise(PLACES, setup).exposed
    domain = setup.dataset.domain
    assert isinstance(domain, GridDomain)
    first = place_name(domain, int(alone[0]))
    assert exposed.startswith(
        f"{alone.size} places, such as {first}, are protected by nothing and "
    )


def test_where_nobody_is_protected_no_level_is_said() -> None:
    marks = {"kind": "symbols", "runs": ["0"]}
    setup = prepare(scenario(30, sensitive=marks))
    texts = policies.describe_promise(ANSWERS, setup)
    said = policies.promise_summary(ANSWERS, setup)
    assert said.startswith(FIRST)
    assert "Nobody is protected" in said
    assert dict(texts.levels)["ε"] == "none: nobody is protected"
    assert policies.setting_text(setup).startswith("nobody is protected ·")
    report = sharing.audit_scenario(setup.scenario, no_progress)
    page = sharing.html(ANSWERS, sharing.ReportContent(run(setup), "", {}), report, "")
    assert "It holds" not in page
    assert "Nothing is promised" in page
    assert "Nothing is promised" in promises._audit_text(report.summary)


def test_a_loss_that_reads_like_its_level_is_said_to_be_above_it() -> None:
    found = PrivacySummary(False, "all", 1.00000000000001, 1.0, excess=1e-14)
    assert "where ε = 1 is promised: less than 0.0001 above it." in sharing._audit(found)
    assert ": 0.0500 above it." in sharing._audit(replace(found, loss=1.05, excess=0.05))
    assert "above" not in sharing._audit(PrivacySummary(True, "all", 1.0, 1.0))


def test_a_plan_and_its_memo_begin_with_them(
    monkeypatch: pytest.MonkeyPatch, result: Result
) -> None:
    plan = Plan(scenario())
    # Of the plan's own protections, places alone in their state or country are such.
    monkeypatch.setattr(plan_view, "setup_at", lambda record, level: result.setup)
    points = people_needed.needs_by_protection(list(people_needed.compute_needs(plan, no_progress)))
    assert plan_view.headline(plan, points).sentence.startswith(FIRST)
    assert plan_view.plain_memo(plan, points, None).startswith(FIRST)


def test_results_of_a_collection_begin_with_them() -> None:
    results = collected(Protocol.of(prepare(scenario()), allow_unprotected=True))
    shown = result_words.headline(results, is_example=False)
    assert shown.sentence.startswith(FIRST)
    assert shown.unprotected
    sentences = result_words.promise_sentences(results)
    assert sentences[0].startswith(FIRST)
    assert not any("7.5" in each for each in sentences)


def test_the_protocol_is_offered_once_it_is_asked_for() -> None:
    first = page_record(open_record(STATE), STATE)
    every_answer_alone = EvenRuns(runs.setup(first.scenario).mechanism.k)
    alone = first.scenario.with_context(blocks=every_answer_alone, sensitive=EverythingSensitive())
    at = open_record(STATE, replace(first, scenario=alone))
    at.session_state["values-tabs"] = "Share and export"
    checked(at.run())
    offered = _files(at)
    assert "scenario.json" in offered
    assert "protocol.json" not in offered
    (warning,) = at.warning
    assert "are protected by nothing" in warning.value
    checked(at.checkbox(key="values-allow-unprotected").check().run())
    assert "protocol.json" in _files(at)


def _files(at: AppTest) -> list[str]:
    """Names of the files that the page offers."""
    found: Any = at.get("download_button")
    return [each.label for each in found]


_PAGES: Final[list[Any]] = [
    (PLACES_PAGE, PLACES_LINK),
    (VALUES_PAGE, VALUES_LINK),
    (PERSONAL, PERSONAL_LINK),
]


def test_presets_say_of_how_many_unprotected_people_one_report_names_the_value() -> None:
    """By reports of ten million of them: who sends a cover report can't be read from it."""
    said = set()
    for page, link in _PAGES:
        for query in page.links():
            setup = runs.setup(link.read(query).scenario)
            texts = policies.describe_promise(ANSWERS, setup)
            if texts.protected_share >= 1.0:
                continue
            share = drawn_names(setup)
            with naming(f"{page.name} {query}"):
                sentence = promise.unprotected_text(ANSWERS, texts.protected_share, texts.readable)
                of = "(?:people|of the others|of them)"
                numbers = re.findall(rf"names the \w+ of (.+?) {of}", sentence)
                assert all(read(number).holds(share) for number in numbers)
                assert len(numbers) == (share < 0.995)
                assert ("can be read" in sentence) == (share >= 0.995)
                said.add(len(numbers))
    assert said == {0, 1}
