"""The map page by its widgets: what it shows is what the core computes for what was chosen."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import Cities
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.forecast import people_for_same_error
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms import FAMILIES, mechanism
from caldp_core.mechanisms.specs import LocalHashing, Oue
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.protection import (
    AdaptiveBlocks,
    GridBlocks,
    SensitiveInhabited,
    StateBlocks,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.planner import best_family
from caldp_ui import controls, formats, maps, presets, words
from tests.ui import driver
from tests.ui.driver import (
    assert_shows,
    chart,
    checked,
    finished,
    metrics,
    open_app,
    pictures,
    query_of,
    scenario_of,
)
from tests.ui.scenarios import VARIED

BYTES_MAX = 150_000


def test_opens_with_the_default() -> None:
    at = open_app()
    result = assert_shows(at, Scenario())
    assert query_of(at) == {}
    assert not at.error
    assert not at.warning
    shown = pictures(at)
    domain = result.setup.dataset.domain
    truth, estimate = result.setup.dataset.distribution, result.first.estimate
    assert shown["map-truth"] == maps.picture(truth, domain)
    nobody = maps.nobody_below(result.setup.n)
    assert shown["map-estimate"] == maps.picture(estimate, domain, nobody)
    assert shown["map-error"] == maps.picture(abs(estimate - truth), domain, nobody)


def test_words_beside_the_controls_of_epsilon_and_people() -> None:
    for scenario in (Scenario(), Scenario(dataset=Cities(), n=1_000)):
        captions = [caption.value for caption in open_app(**scenario.to_query()).caption]
        assert words.examples() in captions
        counted = words.counted_as_people(Scenario())
        assert (counted in captions) == (scenario == Scenario())


def test_need_of_plain_ldp_is_the_core_s() -> None:
    at = open_app(blocks="states", n="100000")
    scenario = Scenario(policy=ContextPolicy(blocks=StateBlocks()), n=100_000)
    needed = people_for_same_error(prepare(scenario), prepare(scenario.plain()))
    assert needed is not None
    assert metrics(at, "plain-needs") == [formats.people(needed)]


@pytest.mark.parametrize("name", VARIED)
def test_every_kind_of_scenario_opens_from_its_link(name: str) -> None:
    scenario = VARIED[name]
    at = open_app(**scenario.to_query())
    assert not at.warning
    assert_shows(at, scenario)


@pytest.mark.parametrize("title", [preset.title for preset in presets.PRESETS])
def test_every_preset(title: str) -> None:
    at = open_app(blocks="grid", **{"blocks.rows": "3", "blocks.columns": "4"}, n="1000000")
    assert at.selectbox(key="preset").value is None
    checked(at.selectbox(key="preset").set_value(title).run())
    preset = next(p for p in presets.PRESETS if p.title == title)
    assert_shows(at, preset.apply(Scenario(n=1_000_000)))
    assert at.selectbox(key="preset").value == title


@pytest.mark.parametrize("preset", presets.PRESETS, ids=lambda preset: preset.title)
def test_pictures_as_sent_are_small(preset: presets.Preset) -> None:
    at = open_app(**preset.apply(Scenario()).to_query())
    for key in ("map-truth", "map-estimate", "map-error"):
        assert len(chart(at, key).spec) <= BYTES_MAX


@pytest.mark.parametrize("title", controls.BLOCK_KINDS)
def test_every_kind_of_blocks(title: str) -> None:
    at = open_app(blocks="states" if controls.BLOCK_KINDS[title] == GridBlocks() else "grid")
    checked(at.selectbox(key="blocks").set_value(title).run())
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=controls.BLOCK_KINDS[title])))
    assert at.selectbox(key="blocks").value == title


@pytest.mark.parametrize("title", controls.SENSITIVE_KINDS)
def test_every_kind_of_sensitive_places(title: str) -> None:
    at = open_app(sensitive="areas")
    checked(at.selectbox(key="sensitive").set_value(title).run())
    assert_shows(at, Scenario(policy=ContextPolicy(sensitive=controls.SENSITIVE_KINDS[title])))


def test_details_of_blocks_and_places() -> None:
    at = open_app()
    checked(at.number_input(key="rows").set_value(5).run())
    checked(at.number_input(key="columns").set_value(7).run())
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=GridBlocks(5, 7))))
    at = open_app(blocks="adaptive")
    checked(at.select_slider(key="adaptive").set_value(100).run())
    assert_shows(at, Scenario(policy=ContextPolicy(blocks=AdaptiveBlocks(100))))
    at = open_app(sensitive="inhabited")
    checked(at.number_input(key="most").set_value(2000).run())
    assert_shows(at, Scenario(policy=ContextPolicy(sensitive=SensitiveInhabited(1, 2000))))


@pytest.mark.parametrize("epsilon", [0.1, 4.0, 20.0])
def test_epsilon(epsilon: float) -> None:
    at = open_app()
    before = pictures(at)
    checked(at.select_slider(key="epsilon").set_value(epsilon).run())
    assert_shows(at, Scenario(policy=ContextPolicy(epsilon=epsilon)))
    after = pictures(at)
    assert after["map-truth"] == before["map-truth"]
    assert after["map-estimate"] != before["map-estimate"]
    assert after["map-error"] != before["map-error"]


def test_a_button_makes_one_epsilon_of_several() -> None:
    at = open_app(**VARIED["epsilons"].to_query())
    assert at.info
    checked(at.button(key="one-epsilon").click().run())
    several = VARIED["epsilons"].context.epsilon
    assert isinstance(several, tuple)
    assert_shows(at, VARIED["epsilons"].with_context(epsilon=min(several)))


@pytest.mark.parametrize("power", range(3, 13, 3))
def test_people_from_a_thousand_to_a_trillion(power: int) -> None:
    at = open_app()
    checked(at.select_slider(key="people").set_value(10**power).run())
    assert_shows(at, Scenario(n=10**power))
    checked(at.select_slider(key="people").set_value(0).run())
    assert_shows(at, Scenario())


@pytest.mark.parametrize("family", FAMILIES)
def test_families(family: str) -> None:
    at = open_app(blocks="states", n="10000")  # as many as local hashing, too, can draw at once
    finished(at.selectbox(key="family").set_value(family).run())
    assert_shows(
        at,
        Scenario(
            policy=ContextPolicy(blocks=StateBlocks()), n=10_000, mechanism=FAMILIES[family].spec()
        ),
    )


def test_more_people_than_a_family_can_draw_are_told_in_a_sentence() -> None:
    at = finished(open_app(family="local-hashing"))
    (sentence,) = (item.value for item in at.error)
    assert "3,671,812" in sentence
    finished(at.select_slider(key="people").set_value(1000).run())
    assert_shows(at, Scenario(n=1000, mechanism=LocalHashing()))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators(name: str) -> None:
    at = open_app()
    finished(at.selectbox(key="estimator").set_value(name).run())
    assert_shows(at, Scenario(estimator=name))


def test_other_data_bring_their_people() -> None:
    at = open_app()
    title = next(t for t in at.selectbox(key="data").options if "Gowalla" not in t)
    checked(at.selectbox(key="data").set_value(title).run())
    assert_shows(at, Scenario(dataset=Cities(), n=1_000_000))


def _another(at: AppTest) -> AppTest:
    """Ask for another possible outcome; the button is known by its dice."""
    return checked(next(b for b in at.button if b.proto.icon.endswith("casino:")).click().run())


def test_another_outcome_is_the_next_seed() -> None:
    at = open_app(seed="41")
    assert_shows(_another(at), Scenario(seed=42))
    last = open_app(seed=str(2**32 - 1))
    assert_shows(_another(last), Scenario(seed=0))


def test_table_of_numbers_agrees_with_the_core() -> None:
    at = open_app(blocks="states", n="1000000")
    at.session_state["view"] = next(tab.label for tab in at.tabs if "umber" in tab.label)
    checked(at.run())
    table = at.table[0].value
    scenario = Scenario(policy=ContextPolicy(blocks=StateBlocks()), n=1_000_000)
    result = assert_shows(at, scenario)
    column = list(table.iloc[:, 0])
    errors = result.first.errors
    for value in (errors.tv, errors.sampling_tv, errors.l1, errors.l2, errors.kl):
        assert formats.share(value) in column
    assert f"{errors.sliced_wasserstein_km:,.1f} km" in column
    for number in (result.setup.partition.m, 43_750, 1_000_000):
        assert f"{number:,}" in column
    assert str(result.setup.mechanism.report_bits) in column
    assert table.shape[1] == 2
    # Total variations of sampling and of privacy do not add up: neither is a part of the whole.
    alone = next(row for row in table.index if "sampling" in row)
    assert table.loc[alone].iloc[0] == formats.share(errors.sampling_tv)
    assert "of which" not in alone
    assert Scenario.from_dict(json.loads(at.code[-1].value)) == scenario


def test_all_methods_stand_beside_each_other() -> None:
    at = open_app(family="oue", blocks="states")
    at.session_state["view"] = next(tab.label for tab in at.tabs if "umber" in tab.label)
    finished(at.run())
    table = at.table[1].value
    setup = assert_shows(
        at, Scenario(policy=ContextPolicy(blocks=StateBlocks()), mechanism=Oue())
    ).setup
    policy = setup.mechanism.policy
    best = best_family(policy, setup.dataset.distribution, setup.n)
    assert [title.removesuffix(" (chosen)") for title in table.index] == [
        entry.title for entry in FAMILIES.values()
    ]
    assert [title for title in table.index if "(chosen)" in title] == [
        f"{FAMILIES['oue'].title} (chosen)"
    ]
    assert list(table.iloc[:, 1]) == [f"{mechanism(policy, n).report_bits:,}" for n in FAMILIES]
    fewest = [name for name, text in zip(FAMILIES, table.iloc[:, 0], strict=True) if "few" in text]
    assert best.family in fewest
    assert any(best.reason in caption.value for caption in at.caption)


def _places(at: AppTest) -> list[str]:
    """Keys of containers and charts from top to bottom."""
    return [str(part.key) for part in driver._blocks(at.main) if getattr(part, "key", None)]


def test_numbers_of_a_box_stand_right_under_the_upper_maps() -> None:
    order = _places(open_app(region="40,41,-75,-73"))
    assert order.index("map-estimate") < order.index("region") < order.index("map-error")


def test_curve_against_people() -> None:
    at = open_app()
    before = chart(at, "curve").spec
    at.session_state["curve-against"] = at.get("button_group")[-1].options[-1]
    checked(at.run())
    assert chart(at, "curve").spec != before
    assert scenario_of(at) == Scenario()
