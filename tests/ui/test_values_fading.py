"""Sensitive values with secrecy that fades with distance: on a scale, and by a table."""

from dataclasses import replace

import numpy as np
import pytest

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.datasets import Survey, Uniform
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.scenarios.blocks import SensitiveSymbols
from caldp_core.scenarios.policies import ContextPolicy, CrowFlies, Distances, Line
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_ui.controls.choices import DistancePreset
from caldp_ui.values import tabs as chart
from caldp_ui.values.page_state import (
    LINK,
    TABLES,
    ValuesState,
    domain_of,
    initial_scenario,
    presets_of,
    table_of,
)
from tests.ui.driver import checked, query_of
from tests.ui.values_page import assert_shows, mark, open_values, scenario_of


def fading_preset(name: str) -> tuple[Scenario, DistancePreset]:
    """A survey as it is shown at first, and its protection that fades."""
    table = table_of(Survey(name))
    assert table is not None
    begin = initial_scenario(table)
    (found,) = (
        p for p in presets_of(table.spec, domain_of(begin)) if isinstance(p, DistancePreset)
    )
    return begin, found


@pytest.mark.parametrize("name", ["income", "substances"])
def test_a_protection_that_fades_is_chosen_moved_and_left(name: str) -> None:
    begin, preset = fading_preset(name)
    at = open_values(LINK.write(ValuesState(begin)))
    checked(at.selectbox(key="values-preset").set_value(preset.title).run())
    scenario = preset.apply(begin)
    assert isinstance(scenario.policy, Line | Distances)
    assert_shows(at, scenario)
    checked(at.select_slider(key="values-epsilon").set_value(2.0).run())
    assert_shows(at, scenario.with_epsilon(2.0))
    assert at.selectbox(key="values-preset").value == preset.title
    assert LINK.read(query_of(at)) == ValuesState(scenario.with_epsilon(2.0))
    mark(at, sensitive="0-1")
    marked = scenario_of(at)
    assert isinstance(marked.policy, ContextPolicy)
    assert (marked.policy.sensitive, marked.policy.epsilon) == (SensitiveSymbols(("0-1",)), 2.0)
    mark(at, step="undo")
    assert_shows(at, scenario.with_epsilon(2.0))


@pytest.mark.parametrize(
    "tab", ["What an attacker learns", "What is promised", "Methods", "Error curves", "Numbers"]
)
def test_every_tab_tells_of_a_scale(tab: str) -> None:
    begin, preset = fading_preset("income")
    at = open_values(LINK.write(ValuesState(preset.apply(begin))))
    at.session_state["values-tabs"] = tab
    at.session_state["values-protection"] = True
    checked(at.run())
    assert not at.error
    assert at.caption
    for job in ("values-curve-against-curves", "values-foreseen"):
        if f"{job}/job" in at.session_state:
            at.session_state[f"{job}/job"].cancel()


def test_distances_between_combinations_are_their_differing_answers() -> None:
    begin, preset = fading_preset("substances")
    names = domain_of(begin).names
    rows = np.array(preset.policy.rows) if isinstance(preset.policy, Distances) else np.zeros(0)
    for x, name in enumerate(names):
        for y, other in enumerate(names):
            used = (
                {s for s in ("alcohol", "cigarettes", "marijuana") if s in n} for n in (name, other)
            )
            first, second = used
            assert rows[x, y] == len(first ^ second)


def test_what_fades_is_kept_by_its_mechanism_and_an_onlooker_stays_within() -> None:
    for name in ("income", "substances"):
        begin, preset = fading_preset(name)
        setup = prepare(preset.apply(begin))
        assert audit_mechanism(setup.mechanism, setup.policy).holds
        rows = chart.belief_rows(setup.scenario)
        assert len(rows) == setup.mechanism.k
        for each in rows:
            assert each.channel_beliefs is not None
            assert each.promise_beliefs.least <= each.channel_beliefs.least + 1e-12
            assert each.channel_beliefs.most <= each.promise_beliefs.most + 1e-12


def test_a_mechanism_that_cannot_keep_a_scale_gives_way_and_another_table_has_its_own() -> None:
    begin, preset = fading_preset("income")
    assert preset.apply(replace(begin, mechanism=Hadamard())).mechanism == Best()
    at = open_values(LINK.write(ValuesState(preset.apply(begin))))
    checked(at.selectbox(key="values-table").set_value(TABLES[0].title).run())
    assert_shows(at, initial_scenario(TABLES[0]))


def test_more_answers_stay_on_their_scale() -> None:
    scenario = Scenario(Uniform(20), Line(0.5), estimator="simplex-per-block", n=10_000)
    at = open_values(LINK.write(ValuesState(scenario)))
    at.session_state["values-more"] = True
    checked(at.run())
    checked(at.number_input(key="values-k").set_value(30).run())
    assert_shows(at, replace(scenario, dataset=Uniform(30)))


def test_kilometres_are_refused_in_one_sentence() -> None:
    at = open_values(replace(Scenario(Survey("income")), policy=CrowFlies()).to_query())
    (sentence,) = (item.value for item in at.error)
    assert "choose context, line or distances" in sentence
    assert not at.warning
