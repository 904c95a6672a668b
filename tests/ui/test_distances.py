"""Privacy by distance: maps, rings, odds and files are those of the core, for every control."""

from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.datasets import Gowalla
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms import kernels
from caldp_core.mechanisms.catalogue import (
    MECHANISMS,
    BestKernel,
    Exponential,
    GridGeometric,
    PlanarGeometric,
    SteppedGeometric,
    mechanisms_for,
)
from caldp_core.scenarios.policies import ContextPolicy, CrowFlies, Streets
from caldp_core.theory.bounds import displacement, report_distribution
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.distances import page, page_state, view
from caldp_ui.distances.page_state import (
    BEGIN,
    LINK,
    NEW_YORK,
    PERSON,
    PRESETS,
    SAME_EPSILON,
    SIMILAR_PRIVACY,
    STATE,
    DistanceData,
    DistanceState,
    blocks_scenario,
    compatible_mechanisms,
    load_data,
)
from caldp_ui.distances.view import BLOCKS, NOISE
from caldp_ui.maps.scene import TRUTH
from caldp_ui.stage import encode, encode_mask
from caldp_ui.words import formats
from caldp_ui.words.formats import place_name
from tests.products import thinned
from tests.ui.driver import (
    assert_exported,
    assert_signed,
    both_lines,
    checked,
    headline_of,
    on_stage,
    open_every_tab,
    open_record,
    page_record,
    picture_of,
    pictures,
    query_of,
    scene_of,
    trigger,
)
from tests.ui.figures import hold

STAGE = STATE.key("maps")
OPENS = ("more",)
TWO_KM = DistanceState(replace(BEGIN, policy=CrowFlies(1.0, 2.0)))


def assert_shows(at: AppTest, record: DistanceState) -> DistanceData:
    """Maps, ring, sentence, link are those of these scenarios' runs, which a test runs anew."""
    assert page_record(at, STATE) == record
    assert not at.error
    assert LINK.read(query_of(at)) == record
    ours, beside = runs.result(record.scenario), runs.result(blocks_scenario(record))
    place, domain = record.place, ours.setup.dataset.domain
    data = load_data(record)
    if record.show == PERSON:
        alone = np.zeros(ours.setup.mechanism.k)
        alone[place] = 1.0
        law = report_distribution(ours.setup.mechanism, place)
        laws = {TRUTH: alone, NOISE: law, BLOCKS: data.block_reports.law}
        expected = {name: encode(each).name for name, each in laws.items()}
        assert data.block_reports.law[beside.setup.partition.labels !=
        beside.setup.partition.labels[ place]].sum() == 0  # fmt: skip
    else:
        expected = {
            TRUTH: encode(ours.setup.dataset.distribution).name,
            NOISE: picture_of(ours),
            BLOCKS: picture_of(beside),
        }
    assert pictures(at, STAGE) == expected
    levels = ours.setup.policy.between(np.full(domain.k, place), np.arange(domain.k))
    ring = levels <= record.policy.epsilon * (1 + 1e-12)
    assert scene_of(at, STAGE)["ground"]["sensitive"] == encode_mask(ring).name
    sentence = headline_of(at)
    assert sentence == both_lines(view.headline(data))
    return data


def test_opens_around_new_york_and_follows_every_control() -> None:
    at = open_record(STATE, opens=OPENS)
    record = DistanceState()
    assert query_of(at) == {}
    assert_shows(at, record)
    checked(at.select_slider(key="distances-rate").set_value(0.05).run())
    record = replace(record, scenario=replace(BEGIN, policy=CrowFlies(1.0, 20.0)))
    assert_shows(at, record)
    (control,) = (each for each in at.get("button_group") if each.key == "distances-show")
    shows: Any = control
    checked(shows.set_value(PERSON).run())
    record = replace(record, show=PERSON)
    assert_shows(at, record)
    checked(at.radio(key="distances-beside").set_value(SAME_EPSILON).run())
    record = replace(record, beside=SAME_EPSILON)
    assert_shows(at, record)
    checked(at.selectbox(key="distances-family").set_value("stepped-geometric").run())
    record = replace(record, scenario=replace(record.scenario, mechanism=SteppedGeometric()))
    assert_shows(at, record)
    other = at.selectbox(key="distances-place").options[3]
    checked(at.selectbox(key="distances-place").select(other).run())
    assert page_record(at, STATE).place != NEW_YORK
    assert_shows(at, page_record(at, STATE))


def test_a_distance_along_streets_takes_a_mechanism_that_keeps_it() -> None:
    at = open_record(STATE, DistanceState(replace(BEGIN, mechanism=SteppedGeometric())), OPENS)
    checked(at.radio(key="distances-distance").set_value(Streets).run())
    data = assert_shows(at, DistanceState(replace(BEGIN, policy=Streets(1.0, 50.0))))
    assert data.setup.spec == GridGeometric()


def test_a_click_looks_from_there_and_undo_takes_it_back() -> None:
    at = open_record(STATE, opens=OPENS)
    assert_signed(at, DistanceState().scenario, STAGE)
    cells = "100+2,131+2"  # two rows of two cells; 31 columns
    on_stage(at, {"tool": "brush", "action": "here", "cells": cells}, STAGE)
    assert page_record(at, STATE).place in (100, 101, 131, 132)
    assert_shows(at, page_record(at, STATE))
    on_stage(at, {"tool": "undo", "action": "undo"}, STAGE)
    assert_shows(at, DistanceState())
    redo = {"serial": 1, "kind": "act", "record": {"tool": "redo", "action": "redo"}}
    batch = {"client": "browser", "events": [redo]}
    trigger(at, [{"event": "events", "value": batch}], STAGE)
    assert_shows(at, DistanceState())  # what was received once is not done again


def test_the_very_mechanism_can_be_audited() -> None:
    at = open_record(STATE, opens=OPENS)
    checked(at.button(key="distances-audited-start").click().run())
    assert not wait([at.session_state["distances-audited/job"].future], timeout=120).not_done
    checked(at.run())
    assert any("It holds" in item.value for item in at.markdown)


@pytest.mark.thorough  # each is opened in `test_page_contract.py`
def test_every_preset() -> None:
    at = open_record(STATE, opens=OPENS)
    for preset in PRESETS:
        checked(at.selectbox(key="distances-preset").set_value(preset.title).run())
        assert_shows(at, DistanceState(replace(BEGIN, policy=preset.policy)))


ODD = {
    "a single cell": DistanceState(replace(BEGIN, dataset=Gowalla("40.6,40.8,-74.2,-74")), place=0),
    "a single row": DistanceState(replace(BEGIN, dataset=Gowalla("40.6,40.8,-77.2,-71")), place=3),
    "no shares": DistanceState(replace(BEGIN, estimator="none", n=1000)),
    "the best noise of a single cell": DistanceState(
        replace(BEGIN, dataset=Gowalla("40.6,40.8,-74.2,-74"), mechanism=BestKernel()), place=0
    ),
    "the exponential mechanism": DistanceState(replace(BEGIN, mechanism=Exponential())),
}


@pytest.mark.parametrize("name", thinned(ODD, one_in=3))
def test_odd_scenarios_are_told_as_well(name: str) -> None:
    at = open_record(STATE, ODD[name], OPENS)
    open_every_tab(at, "distances-tabs")
    assert page_record(at, STATE) == ODD[name]


def test_the_whole_map_is_a_job_and_the_place_moves_along() -> None:
    at = open_record(STATE, opens=OPENS)
    whole = "Gowalla (reconstructed grid)"
    checked(at.selectbox(key="distances-data").set_value(whole).run())
    record = page_record(at, STATE)
    assert record.scenario.dataset == Gowalla()
    assert place_name(Gowalla().grid(), record.place) == "New York, New York"
    assert any(button.key == "distances-ours-start" for button in at.button)
    assert set(pictures(at, STAGE)) == {TRUTH, BLOCKS}


def test_the_best_noise_is_designed_beside_the_page_and_its_proof_is_told() -> None:
    at = open_record(STATE, opens=OPENS)
    checked(at.selectbox(key="distances-family").set_value("best-kernel").run())
    record = DistanceState(replace(BEGIN, mechanism=BestKernel()))
    job = at.session_state["distances-design/job"]
    # Until it is there planar noise stands for it, and what was chosen stays chosen.
    assert page_record(at, STATE) == record
    assert at.selectbox(key="distances-family").value == "best-kernel"
    assert not wait([job.future], timeout=120).not_done
    checked(at.run())
    data = assert_shows(at, record)
    assert isinstance(data.setup.mechanism, kernels.BestKernelMechanism)
    made = data.setup.mechanism.kernel
    kept = page_state.designed_kernel(data.setup.policy)
    assert kept is not None
    assert kept.bound == made.bound
    (sentence,) = (line for line in view.promise_sentences(data) if line.startswith("Proved"))
    assert f"**{view.lower_bound_text(made.bound / record.rate)} km**" in sentence
    assert any(sentence in item.value for item in at.markdown)
    at.session_state["distances-tabs"] = "Every noise"
    checked(at.run())
    assert any(sentence in item.value for item in at.markdown)


def test_the_proof_rounds_to_the_safe_side() -> None:
    assert view.upper_percent_text(0.00001234) == "0.002 %"
    assert view.upper_percent_text(0.00322514) == "0.33 %"
    assert view.upper_percent_text(0.0) == "0.000 %"
    assert view.lower_bound_text(99.5899) == "99.58"
    assert view.lower_bound_text(1234.9) == "1,234"
    assert view.lower_bound_text(0.0123459) == "0.01234"


def test_where_steps_are_too_small_for_the_best_noise_planar_noise_stands() -> None:
    small = replace(BEGIN, policy=CrowFlies(1.0, 2000.0))
    record = DistanceState(replace(small, mechanism=BestKernel()))
    at = open_record(STATE, record, OPENS)
    assert "planar geometric noise is as good" in at.warning[0].value
    assert page_record(at, STATE) == record
    planar = runs.result(replace(small, mechanism=PlanarGeometric()))
    assert pictures(at, STAGE)[NOISE] == picture_of(planar)
    assert "as good" in page.infeasible_reason(small, "best-kernel")


def test_all_of_the_catalogue_is_listed() -> None:
    for policy in (CrowFlies(1.0, 50.0), Streets(1.0, 50.0)):
        scenario = replace(BEGIN, policy=policy)
        made = prepare(scenario)
        assert compatible_mechanisms(scenario) == mechanisms_for(made.policy)
        assert all(
            page.is_feasible(scenario, entry.name) for entry in compatible_mechanisms(scenario)
        )
    whole = replace(BEGIN, dataset=Gowalla())
    assert "at most" in page.infeasible_reason(whole, "exponential")
    at = open_record(STATE, DistanceState(whole), OPENS)
    menu = at.selectbox(key="distances-family").options
    assert MECHANISMS["exponential"].title not in menu
    assert MECHANISMS["stepped-geometric"].title in menu


def test_blocks_beside_are_made_from_the_promise_alone() -> None:
    for beside in (SIMILAR_PRIVACY, SAME_EPSILON):
        record = DistanceState(beside=beside)
        policy = blocks_scenario(record).policy
        assert isinstance(policy, ContextPolicy)
        setup = prepare(record.scenario)
        domain = Gowalla("39.8,42.6,-77.2,-71").grid()
        east = float(setup.policy.between([0], [1])[0])
        assert policy.epsilon == (east if beside == SIMILAR_PRIVACY else 1.0)
        noise, blocks = load_data(record).average_km
        assert blocks == pytest.approx(noise, rel=0.25)
        elsewhere = replace(record.scenario, n=1000, seed=9)
        assert blocks_scenario(DistanceState(elsewhere, beside=beside)).policy == policy
        assert audit_mechanism(prepare(blocks_scenario(record)).mechanism,
                               prepare(blocks_scenario(record)).policy).holds  # fmt: skip
        assert domain.k == setup.mechanism.k


def test_odds_are_the_policys_and_the_channel_keeps_them() -> None:
    data = load_data(DistanceState())
    assert view.odds_text(data.record, 50.0) == "73"
    assert [view.odds_text(data.record, km) for km in view.ODDS_DISTANCES] == [
        "50",
        "52",
        "60",
        "88",
    ]
    km, right = view.exact_odds(data)
    assert km.size > 3
    assert (right <= [max_guess_accuracy(0.02 * each) + 1e-9 for each in km]).all()
    assert (np.diff(right[np.argsort(km)]) > 0).all()
    drawn = view.odds_figure(data, LIGHT)
    by_name = {trace.name: trace for trace in drawn.data}
    np.testing.assert_allclose(by_name["this noise"].y, 100 * right)
    assert by_name["within one block"].y[0] == 100 * max_guess_accuracy(data.blocks_epsilon)
    assert [note.text for note in drawn.layout.annotations] == [
        f"<b>{name}</b>" for name in by_name
    ]


def test_displacements_are_the_core_s() -> None:
    data = load_data(TWO_KM)
    law = report_distribution(data.setup.mechanism, NEW_YORK)
    assert data.noise_reports.mean_km == displacement(law, data.domain.km_from(NEW_YORK)) < 0.02


def test_the_exported_scenarios_give_the_pages_numbers(tmp_path: Path) -> None:
    # A quick estimator: the command forecasts the error by hundreds of trials, too.
    data = load_data(DistanceState(replace(BEGIN, estimator="clip", n=20_000)))
    assert data.ours is not None
    assert data.plain is not None
    assert data.blocks_result is not None
    assert data.plain.setup.scenario == runs.best_plain_ldp(data.record.scenario)
    assert_exported(tmp_path, data.ours, data.blocks_result, data.plain)


def test_the_headline_compares_with_plain_ldp_and_the_second_line_with_blocks() -> None:
    data = load_data(DistanceState(replace(BEGIN, n=20_000)))
    assert data.ours is not None
    assert data.blocks_result is not None
    assert data.plain is not None
    ours, blocks, plain = (
        formats.length(each.first.errors.sliced_wasserstein_km or 0.0)
        for each in (data.ours, data.blocks_result, data.plain)
    )
    headline = view.headline(data)
    assert headline.sentence == (
        f"The map misplaces people by {ours} on average, plain LDP by {plain}."
    )
    assert headline.second == f"Blocks with similar privacy misplace them by {blocks}."
    hold(headline, [])
    waiting = view.headline(replace(data, ours=None))
    assert waiting.second.endswith("50 km apart, an attacker is right at most 73 times in 100.")
    person = view.headline(load_data(DistanceState(replace(BEGIN, n=20_000), show=PERSON)))
    hold(person, [])
    assert person.sentence == (
        f"A report from New York, New York lies {formats.length(data.noise_reports.mean_km)} away "
        "on average."
    )
