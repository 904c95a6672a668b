"""Cached work: keys tell scenarios apart, cached values are the core's own and read-only."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caldp_core.basics.types import no_progress
from caldp_core.datasets import Cities, Gowalla, Snap, Zipf
from caldp_core.experiments.forecast import (
    epsilon_curve,
    forecast,
    people_curve,
    people_for_same_error,
)
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import Hadamard, Oue
from caldp_core.scenarios.blocks import (
    DrawnBlocks,
    EverythingSensitive,
    OneBlock,
    SensitiveAreas,
    StateBlocks,
    SymbolBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import curves, exports, runs
from tests.ui.scenarios import VARIED

FEW = Scenario(n=10**6, mechanism=Oue()).with_context(blocks=StateBlocks(), epsilon=1.0)
BASE = Scenario(policy=ContextPolicy(blocks=StateBlocks(), epsilon=2.0), n=100_000, seed=5)


def test_kinds_without_fields_have_keys_of_their_own() -> None:
    assert hash(OneBlock()) == hash(StateBlocks())  # why keys are texts
    one, states = (BASE.with_context(blocks=kind) for kind in (OneBlock(), StateBlocks()))
    assert runs.key(one) != runs.key(states)
    assert runs.setup(one).partition.m == 1
    assert runs.setup(states).partition.m > 40


def test_any_difference_is_a_different_key() -> None:
    assert len({runs.key(scenario) for scenario in VARIED.values()}) == len(VARIED)


def test_the_same_scenario_has_the_same_key() -> None:
    again = Scenario.from_query(BASE.to_query())
    assert again is not BASE
    assert runs.key(again) == runs.key(BASE)


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "checkins.txt"
    line = "0\t2010-10-19T23:55:27Z\t{}\t-97.79\t22847\n"
    scenario = Scenario(policy=ContextPolicy(blocks=OneBlock()), dataset=Snap(str(file)))
    missing = runs.key(scenario)
    file.write_text(line.format("30.23"))
    first = runs.key(scenario)
    assert runs.dataset(scenario).n == runs.setup(scenario).n == 1
    assert runs.result(scenario).first.people.sum() == 1
    file.write_text(line.format("30.23") + line.format("40.64"))
    assert len({missing, first, runs.key(scenario)}) == 3
    assert runs.dataset(scenario).n == runs.setup(scenario).n == 2
    assert runs.result(scenario).first.people.sum() == 2
    # As long as before, but another place.
    os.utime(file, ns=(1, 1))
    before = runs.dataset(scenario).counts
    assert before is not None
    file.write_text(line.format("30.23") + line.format("45.64"))
    after = runs.dataset(scenario).counts
    assert after is not None
    assert not np.array_equal(after, before)


def test_results_are_what_the_core_runs() -> None:
    for scenario in (BASE, runs.best_plain_ldp(BASE)):
        cached, fresh = runs.result(scenario), run(prepare(scenario))
        assert cached.setup.scenario == scenario
        assert cached.errors == fresh.errors
        assert runs.expected_error(scenario) == forecast(
            replace(fresh.setup, scenario=replace(scenario, seed=0))
        )
        np.testing.assert_array_equal(cached.first.estimate, fresh.first.estimate)
        assert runs.uncached_result(scenario).errors == fresh.errors


def test_the_rival_is_the_best_plain_ldp_for_the_same_people() -> None:
    scenario = replace(BASE, mechanism=Hadamard())
    ours, rival = runs.result(scenario), runs.result(runs.best_plain_ldp(scenario))
    np.testing.assert_array_equal(ours.first.people, rival.first.people)
    assert rival.setup.partition.m == 1
    assert rival.setup.mechanism_name != "hadamard"
    assert rival.errors[0].tv < runs.result(scenario.plain()).errors[0].tv


def test_cached_values_are_shared_and_read_only() -> None:
    result = runs.result(BASE)
    assert runs.result(replace(BASE)) is result
    outcome, setup = result.first, result.setup
    shared = (outcome.estimate, outcome.people, outcome.unbiased, outcome.block_shares)
    for array in (*shared, setup.dataset.distribution, setup.sensitive, setup.partition.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_another_seed_is_another_run_of_the_same_mechanism() -> None:
    other = replace(BASE, seed=6)
    assert runs.setup(other).mechanism is runs.setup(BASE).mechanism
    fewer = replace(BASE, n=100, estimator="clip")
    more = replace(fewer, n=1000, estimator="simplex")
    assert runs.setup(fewer).mechanism is runs.setup(more).mechanism
    assert runs.setup(fewer).scenario == replace(fewer, seed=0)
    assert runs.result(other).errors != runs.result(BASE).errors


def test_data_are_loaded_once_for_all_scenarios() -> None:
    assert runs.dataset(BASE) is runs.dataset(Scenario().with_context(blocks=OneBlock()))
    assert runs.dataset(replace(BASE, dataset=Cities())) is not runs.dataset(BASE)
    assert runs.dataset(BASE).name == Gowalla().load().name


def test_curves_are_the_forecast_s_and_the_same_along_the_curve(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(curves, "EPSILONS", curves.EPSILONS[1::9])
    monkeypatch.setattr(curves, "NUMBERS", curves.NUMBERS[::6])
    few = replace(FEW, n=10**6 + 1)  # which nobody else asks for: what is found is kept
    setup = prepare(replace(few, seed=0))
    same = curves.ignore_epsilon(few)
    assert same == curves.ignore_epsilon(replace(few.with_context(epsilon=0.5), seed=9))
    ours, plain = curves.errors_over_epsilon(same, no_progress)
    np.testing.assert_array_equal(ours.tv, epsilon_curve(setup, curves.EPSILONS).tv)
    other = prepare(runs.best_plain_ldp(same))
    np.testing.assert_array_equal(plain.tv, epsilon_curve(other, curves.EPSILONS).tv)
    one = few.with_context(epsilon=1.1)
    setup, same = prepare(replace(one, seed=0)), curves.ignore_people(one)
    assert same == curves.ignore_people(replace(one, n=10**9, seed=9))
    ours, _ = curves.errors_over_people(same, no_progress)
    np.testing.assert_array_equal(ours.tv, people_curve(setup, curves.NUMBERS).tv)
    assert tuple(ours.x) == curves.NUMBERS


def test_more_blocks_and_fewer_sensitive_places_mean_less_error() -> None:
    few = replace(FEW, n=10**9)
    ours, plain = curves.errors_over_blocks(curves.ignore_blocks(few), no_progress)
    assert (np.diff(ours.x) > 0).all()
    assert ours.tv[0] == pytest.approx(plain.tv[0], rel=0.02)  # one block is plain LDP
    assert ours.tv[-1] < ours.tv[0] / 2
    assert len(set(plain.tv)) == 1
    one = few.with_context(blocks=OneBlock())
    ours, plain = curves.errors_over_sensitive(curves.ignore_seed(one), no_progress)
    assert ours.tv[0] < ours.tv[-1]
    assert ours.tv[-1] == pytest.approx(plain.tv[-1], rel=0.02)  # all of them


def test_people_that_plain_ldp_needs() -> None:
    scenario = Scenario(
        Zipf(500), ContextPolicy(SymbolBlocks(("0-99", "100-199")), epsilon=2.0), n=100_000
    )
    needed = runs.people_plain_needs(scenario)
    assert needed is not None
    assert needed == people_for_same_error(
        prepare(scenario), prepare(runs.best_plain_ldp(scenario))
    )
    assert runs.people_plain_needs(replace(scenario, seed=77)) == needed
    hopeless = replace(BASE.with_context(blocks=OneBlock(), sensitive=SensitiveAreas(())), n=10**12)
    assert runs.people_plain_needs(hopeless) is None


def test_a_scenario_as_a_file() -> None:
    drawn = BASE.with_context(
        blocks=DrawnBlocks(("40,41,-75,-73",)), sensitive=EverythingSensitive()
    )
    text = exports.scenario_json(drawn)
    assert "40,41,-75,-73" in text
    assert Scenario.from_dict(json.loads(text)) == drawn
