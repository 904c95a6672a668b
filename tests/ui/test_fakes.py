"""Fake phones on the attacker's page: what is shown is what the core gives for the same attack."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit import poisoning
from caldp_core.audit.poisoning import MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.datasets import us_cities
from caldp_core.domain.grid import US_GRID
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import Hadamard, LocalHashing, RandomizedResponse
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.adversary import fakes, fakes_page
from caldp_ui.adversary.page_state import (
    BEGIN,
    FAKES,
    KNOWS_SHARE,
    KNOWS_TARGET,
    LINK,
    STATE,
    AttackerState,
)
from caldp_ui.compute import runs
from caldp_ui.controls.choices import Preset
from caldp_ui.maps import presets
from caldp_ui.stage import encode, encode_people
from caldp_ui.words import formats
from tests.ui.driver import (
    assert_signed,
    both_lines,
    checked,
    headline_of,
    on_stage,
    open_every_tab,
    open_record,
    page_record,
    pictures,
    query_of,
    scene_of,
)
from tests.ui.test_adversary import STAGE

SHOWN = AttackerState(show=FAKES)


def assert_shows(at: AppTest, record: AttackerState) -> None:
    """Maps, sentence and link are those of the record."""
    assert page_record(at, STATE) == record
    assert not at.error
    data = fakes.run_attack(record)
    expected = {
        "truth": encode(data.truth).name,
        "fakes": encode_people(data.estimate_with_fakes, data.setup.n).name,
        "repaired": encode_people(data.repaired(record.repair).shares, data.setup.n).name,
    }
    assert pictures(at, STAGE) == expected
    sentence = headline_of(at)
    domain = runs.map_of(runs.dataset(record.scenario))
    assert sentence == both_lines(fakes.headline(data, domain, record))
    assert LINK.read(query_of(at)) == record


def test_every_tool_of_its_maps_says_what_it_does_and_moves_the_target() -> None:
    at = open_record(STATE, SHOWN)
    assert_signed(at, SHOWN.scenario, STAGE)
    (action,) = scene_of(at, STAGE)["actions"]
    assert set(action["effects"]) == {"look"}
    (cell,) = US_GRID.locate([41.88], [-87.63]).tolist()
    event = {"tool": "look", "action": "here", "cells": f"{cell}+1"}
    assert_shows(on_stage(at, event, STAGE), replace(SHOWN, place=cell))


def test_follows_every_control() -> None:
    at = open_record(STATE)
    checked(at.segmented_control(key="adversary-show").set_value(FAKES).run())
    assert_shows(at, SHOWN)
    assert query_of(at) == {"show": FAKES}
    checked(at.select_slider(key="adversary-tenths").set_value(50).run())
    record = replace(SHOWN, tenths=50)
    assert_shows(at, record)
    checked(at.radio(key="adversary-attack").set_value(RANDOM_ITEMS).run())
    checked(at.radio(key="adversary-repair").set_value(KNOWS_SHARE).run())
    record = replace(record, attack=RANDOM_ITEMS, repair=KNOWS_SHARE)
    assert_shows(at, record)
    city = us_cities()[0]
    (largest,) = US_GRID.locate([city.latitude], [city.longitude]).tolist()
    checked(at.selectbox(key="adversary-place").set_value(largest).run())
    assert_shows(at, replace(record, place=largest))
    checked(at.select_slider(key="adversary-tenths").set_value(0).run())
    assert_shows(at, replace(record, place=largest, tenths=0))


@pytest.mark.parametrize("preset", presets.PRESETS, ids=lambda preset: preset.title)
def test_every_preset_and_every_tab(preset: Preset) -> None:
    record = replace(SHOWN, scenario=preset.apply(BEGIN))
    at = open_record(STATE, record)
    assert_shows(at, record)
    open_every_tab(at, "adversary-fakes-tabs")


def test_slow_methods_are_refused_with_what_to_do() -> None:
    slow = replace(SHOWN, scenario=replace(BEGIN, mechanism=LocalHashing(), n=1000))
    at = open_record(STATE, slow)
    assert "choose another preset" in at.error[0].value


def test_estimates_are_those_of_the_run_and_as_many_fakes_again() -> None:
    """By another way: the run's tally, and one of crafted reports drawn here."""
    record = replace(SHOWN, tenths=20, scenario=replace(BEGIN, mechanism=Hadamard()))
    data = fakes.run_attack(record)
    honest = run(prepare(record.scenario))
    n, x = honest.first.evidence.n, record.place
    assert data.phones / (data.phones + n) == pytest.approx(0.02, abs=1e-6)
    np.testing.assert_array_equal(data.estimate_without_fakes, honest.first.estimate)
    rng = np.random.default_rng(99)
    crafted = poisoning.sample_crafted(honest.setup.mechanism, x, data.phones, rng)
    again = Evidence.of(
        honest.setup.mechanism,
        honest.first.evidence.tally + crafted,
        domain=honest.setup.dataset.domain,
    )
    other = estimator(record.scenario.estimator).apply(again)
    # Two draws of fakes differ by noise, which is far below what they add to the place.
    assert data.estimate_with_fakes[x] == pytest.approx(other[x], rel=0.02)
    assert data.estimate_with_fakes[x] > 5 * data.estimate_without_fakes[x]
    deviation = np.sqrt(honest.setup.mechanism.variance(data.truth, n)[x])
    gained = again.unbiased[x] - data.truth[x]
    assert gained == pytest.approx(data.gain, abs=6 * deviation)
    assert data.gain > 20 * deviation


def test_who_is_crowded_out_is_counted() -> None:
    data = fakes.run_attack(replace(SHOWN, tenths=20))
    inside = data.setup.partition.labels == data.setup.partition.labels[data.place]
    n = data.setup.n
    counts = [
        int((each[inside] * n >= 0.5).sum())
        for each in (data.estimate_without_fakes, data.estimate_with_fakes)
    ]
    assert data.occupied_without_fakes == counts[0] > 10
    assert data.occupied_with_fakes < counts[0] / 4
    sentence = fakes.describe_crowding_out(data, "state")
    assert f"**{data.occupied_without_fakes}** without fakes" in sentence
    assert (
        f"**{formats.count(data.occupied_with_fakes, 'place', 'places')}** of the state" in sentence
    )
    assert not fakes.describe_crowding_out(fakes.run_attack(replace(SHOWN, tenths=0)), "state")


def test_what_repair_mends_and_what_it_misses() -> None:
    crafted, honest_looking = (
        fakes.run_attack(replace(SHOWN, tenths=20, attack=attack))
        for attack in (MAXIMAL_GAIN, RANDOM_ITEMS)
    )
    x = crafted.place
    truth = float(crafted.truth[x])
    assert crafted.repaired(KNOWS_TARGET).shares[x] == pytest.approx(truth, rel=0.3)
    assert crafted.repaired(KNOWS_SHARE).shares[x] > 5 * truth
    assert honest_looking.estimate_with_fakes[x] > 3 * truth
    assert honest_looking.repaired(KNOWS_TARGET).shares[x] < 0.5 * truth
    assert honest_looking.repaired(KNOWS_SHARE).shares[x] > 3 * truth
    for knows in (KNOWS_TARGET, KNOWS_SHARE):
        assert crafted.repaired(knows).shares.sum() == pytest.approx(1)


def test_whether_fakes_are_seen_is_said_by_the_methods_reports() -> None:
    by_hadamard = replace(SHOWN, scenario=replace(BEGIN, mechanism=Hadamard()))
    data = fakes.run_attack(replace(by_hadamard, tenths=50))
    tally = data.sum_check
    sentence = fakes.describe_detection(data, MAXIMAL_GAIN, "state")
    assert sentence.startswith("**Yes.**")
    for number in (tally.estimated, tally.reported, tally.limit):
        assert formats.people(number) in sentence
    # Each of them adds (e + 1)/(e − 1) people to the sum, an honest phone one.
    excess = data.phones * ((np.e + 1) / (np.e - 1) - 1)
    assert abs(tally.estimated - tally.reported - excess) < 5 * tally.noise
    few = fakes.run_attack(replace(by_hadamard, tenths=1))
    assert fakes.describe_detection(few, MAXIMAL_GAIN, "state").startswith("**Not these.**")
    assert few.phones < (few.phones_to_detect or 0) < data.phones
    assert "no test can" in fakes.describe_detection(few, RANDOM_ITEMS, "state")
    response = replace(BEGIN, mechanism=RandomizedResponse())
    by_response = fakes.run_attack(replace(SHOWN, scenario=response, tenths=50))
    assert by_response.sum_check.always_agree
    assert "always add up" in fakes.describe_detection(by_response, MAXIMAL_GAIN, "state")


def test_the_answer_says_the_numbers_of_the_scenario() -> None:
    by_rr = replace(BEGIN, mechanism=RandomizedResponse())
    for scenario in (BEGIN, by_rr, replace(BEGIN, mechanism=Hadamard())):
        powers = fakes.compute_powers(scenario, SHOWN.place)
        sentence = fakes.describe_block_effect(powers, "state")
        for each in (powers.own_block, powers.in_one_block):
            assert f"**{fakes.people(each.added)}" in sentence
            assert f"**{formats.people(each.to_stand_out())}**" in sentence
        assert ("as much as" in sentence) == (scenario is not by_rr)
    rr = fakes.compute_powers(by_rr, SHOWN.place)
    policy = runs.context_of(runs.setup(by_rr))
    block = int((policy.blocks == policy.blocks[SHOWN.place]).sum())
    for power, hidden in zip((rr.own_block, rr.in_one_block), (block, policy.k), strict=True):
        assert power.added == pytest.approx(1 + (hidden - 1) / np.expm1(1.0), rel=1e-6)
    whole = fakes.compute_powers(BEGIN.plain(), SHOWN.place)
    assert "Everything is one block" in fakes.describe_block_effect(whole, "map")


def test_estimates_that_keep_the_blocks_take_back_a_part() -> None:
    data = fakes.run_attack(SHOWN)
    gained = data.estimate_with_fakes[data.place] - data.estimate_without_fakes[data.place]
    assert 0.5 * data.gain < gained < 0.9 * data.gain
    # How many phones report from the block is seen exactly, the fakes among them.
    labels = runs.context_of(data.setup).blocks
    block = labels == labels[data.place]
    fake = data.phones / (data.setup.n + data.phones)
    share = (1 - fake) * data.estimate_without_fakes[block].sum() + fake
    assert data.estimate_with_fakes[block].sum() == pytest.approx(share, rel=1e-9)


def test_memory_grows_with_places_and_blocks_not_with_their_square() -> None:
    """21,875 blocks of two places: a matrix of blocks by blocks would take 3.8 GB."""
    many = BEGIN.with_context(blocks=GridBlocks(125, 175))
    record = replace(SHOWN, scenario=many)
    runs.result(many)
    tracemalloc.start()
    try:
        data = fakes.run_attack(record)
        code = fakes_page.snippet(data, record.attack)
        on_screen = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        exec(code, {})
        exported = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    one_array = 8 * len(data.truth)
    assert max(on_screen, exported) < 200 * one_array, (on_screen, exported)
