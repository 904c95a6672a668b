"""Home and work: four ways and the bias are those of the core, for every control."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.datasets import Cities, Gowalla
from caldp_core.domain.grid import Area
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.personalised import population_background
from caldp_core.scenarios.blocks import SensitiveAreas
from caldp_core.scenarios.policies import BACKGROUNDS, PersonalTags
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.maps.scene import TRUTH
from caldp_ui.personal import view
from caldp_ui.personal.page_state import (
    BEGIN,
    LINK,
    PRESETS,
    STATE,
    PersonalData,
    PersonalState,
    infer_home,
    load_data,
    own_place_shares,
    simulate_week,
    tagged_mechanism,
    with_known_places,
    with_tags,
)
from caldp_ui.personal.view import ASSUMED, EVERYTHING, KNOWN
from caldp_ui.stage import encode
from caldp_ui.words.formats import towns
from tests.ui.driver import (
    assert_exported,
    assert_signed,
    both_lines,
    box,
    checked,
    headline_of,
    on_stage,
    open_every_tab,
    open_record,
    page_record,
    picture_of,
    pictures,
    query_of,
)

STAGE = STATE.key("maps")
OPENS = ("more", "who")


def tags(**changes: object) -> Scenario:
    """The page's first scenario with another policy."""
    policy = BEGIN.policy
    assert isinstance(policy, PersonalTags)
    return replace(BEGIN, policy=replace(policy, **changes))  # type: ignore[arg-type]


def small(**changes: object) -> Scenario:
    """The same on a part of the map, where nothing is known of homes."""
    policy = {"background": "uniform", **changes}
    return replace(tags(**policy), dataset=Gowalla("39.8,42.6,-77.2,-71"))


SMALL = small()


def assert_shows(at: AppTest, scenario: Scenario) -> PersonalData:
    """Maps, sentence and link are those of these scenarios' runs, which a test below runs anew."""
    assert page_record(at, STATE).scenario == scenario
    assert not at.error
    assert LINK.read(query_of(at)).scenario == scenario
    data = load_data(PersonalState(scenario))
    ways = {
        EVERYTHING: runs.best_plain_ldp(scenario),
        KNOWN: with_known_places(scenario),
        ASSUMED: scenario,
    }
    if data.has_true_background:
        del ways[KNOWN]
    expected = {name: picture_of(runs.result(way)) for name, way in ways.items()}
    expected[TRUTH] = encode(data.setup.dataset.distribution).name
    assert pictures(at, STAGE) == expected
    headline = headline_of(at)
    assert headline == both_lines(view.headline(data))
    return data


def test_opens_and_follows_every_control() -> None:
    at = open_record(STATE, opens=OPENS)
    assert query_of(at) == {}
    assert_shows(at, BEGIN)
    at = open_record(STATE, PersonalState(SMALL), OPENS)
    checked(at.select_slider(key="personal-epsilon").set_value(3.0).run())
    assert_shows(at, small(epsilon=3.0))
    checked(at.selectbox(key="personal-share-0").set_value(70).run())
    assert_shows(at, small(epsilon=3.0, shares=(0.7, 0.2)))
    checked(at.selectbox(key="personal-family").set_value("hadamard").run())
    spec = FAMILIES["hadamard"].spec()
    assert_shows(at, replace(small(epsilon=3.0, shares=(0.7, 0.2)), mechanism=spec))
    menu = at.selectbox(key="personal-family").options
    assert all(entry.title in menu for entry in FAMILIES.values())
    checked(at.selectbox(key="personal-data").set_value("Synthetic cities").run())
    assert isinstance(page_record(at, STATE).scenario.dataset, Cities)


def test_every_preset() -> None:
    at = open_record(STATE, opens=OPENS)
    for preset in PRESETS:
        checked(at.selectbox(key="personal-preset").set_value(preset.title).run())
        assert_shows(at, preset.apply(BEGIN))


def test_being_at_home_is_hidden_from_one_report_and_no_more_is_said_of_ten() -> None:
    at = open_record(STATE, PersonalState(SMALL), OPENS)
    texts = [each.value for each in at.markdown]
    assert not any("*not* learn" in text for text in texts)
    (sentence,) = (text for text in texts if "Whether somebody is at home" in text)
    policy = SMALL.policy
    assert isinstance(policy, PersonalTags)
    once = 100 * (
        1 - np.exp(-float(policy.epsilon)) / 2
    )  # of home and a place that is sensitive for nobody
    found = [float(number) for number in re.findall(r"(\d+(?:\.\d)?) times in 100", sentence)]
    assert "from one report" in sentence
    assert "Reports add up" in sentence
    assert abs(found[0] - once) <= 0.5
    assert found[1] > 99


def test_boxes_are_sensitive_for_everybody_and_undo_takes_them_back() -> None:
    at = open_record(STATE, PersonalState(SMALL), OPENS)
    area = Area(40.2, 41.4, -74.8, -73.2)
    for action in (view.PROTECT, view.UNPROTECT):
        record = {"tool": "box", "action": action, "box": box(area)}
        on_stage(at, record, STAGE)
    assert_shows(at, small(sensitive=SensitiveAreas((f"+{area}", f"-{area}"))))
    on_stage(at, {"tool": "undo", "action": "undo"}, STAGE)
    data = assert_shows(at, small(sensitive=SensitiveAreas((f"+{area}",))))
    assert_signed(at, data.setup.scenario, STAGE)
    assert data.setup.sensitive.any()
    assert "at a place that is sensitive for everybody" in view.describe_reports(data)


@pytest.mark.parametrize(
    "odd",
    [
        small(shares=(0.0, 0.0)),
        small(shares=(0.25,) * 4),
        small(shares=(1.0,), background="truth"),
        replace(SMALL, estimator="none", n=1000),
    ],
    ids=["nobody", "everybody", "one tag", "no shares"],
)
def test_odd_scenarios_are_told_as_well(odd: Scenario) -> None:
    at = open_record(STATE, PersonalState(odd), OPENS)
    open_every_tab(at, "personal-tabs")
    assert page_record(at, STATE).scenario == odd


def test_a_method_that_cannot_read_tags_is_refused_and_nothing_is_lost() -> None:
    at = open_record(STATE, PersonalState(SMALL), OPENS)
    checked(at.selectbox(key="personal-estimator").set_value("maximum-likelihood").run())
    assert "not known for tags" in at.warning[0].value
    assert_shows(at, SMALL)


def test_every_background_has_words_and_its_bias_is_what_is_left_of_many_people() -> None:
    truth = load_data(PersonalState(BEGIN)).setup.dataset.distribution
    sizes = {}
    for name in BACKGROUNDS:
        data = load_data(PersonalState(tags(background=name)))
        assert view.background_text(name) != name
        mechanism = tagged_mechanism(data.setup)
        np.testing.assert_allclose(
            data.bias.per_symbol, mechanism.expected_estimate(truth) - truth, atol=1e-15
        )
        sizes[name] = data.bias.total_variation
        many, few = (picture.code for picture in view.bias_scene(data).pictures[1:])
        assert many == encode(np.maximum(data.bias.per_symbol, 0.0))
        assert few == encode(np.maximum(-data.bias.per_symbol, 0.0))
        if name != "truth":
            assert data.ours is not None
            # 3.67 million people: the noise adds little to the bias.
            off = data.ours.first.errors.tv
            assert off == pytest.approx(data.bias.total_variation, rel=0.1)
    assert sizes["truth"] == pytest.approx(0.0, abs=1e-12)
    assert 0.1 < sizes["population"] < sizes["mirrored"] < 0.6


def test_what_the_collector_counts_at_own_places_is_right() -> None:
    data = load_data(PersonalState(BEGIN))
    true, found = own_place_shares(data)
    np.testing.assert_allclose(true, [0.4, 0.2], atol=1e-12)
    mechanism = tagged_mechanism(data.setup)
    shares, n = mechanism.shares_with_tags(data.setup.dataset.distribution), data.setup.n
    # 5.1 standard deviations: two-sided 3.4e-7 a tag.
    spread = np.sqrt(mechanism.common.variance(shares, n)[mechanism.k :])
    assert (np.abs(found - true) < 5.1 * spread).all()
    assert (spread < 0.002).all()
    assert audit_mechanism(mechanism, data.setup.policy).holds


def test_a_week_of_one_person_keeps_home_within_the_odds() -> None:
    data = load_data(PersonalState(BEGIN))
    named, homes = 0, []
    for seed in range(1, 41):
        days = simulate_week(replace(data, record=PersonalState(replace(BEGIN, seed=seed))))
        assert [day.tag for day in days] == [0, 1, None, 1, 0, None, 0]
        for day in days:
            # Own places are never named; others are named as they are, and rule home out.
            assert day.reported_place in (None, day.place if day.tag is None else None)
            assert day.home_probability <= max_guess_accuracy(1.0) + 1e-12
            assert (day.home_probability == 0) == (day.reported_place is not None)
        named += sum(day.reported_place is not None for day in days)
        homes.append(days[0].home_probability)
    # 80 stops elsewhere, each named with chance 0.462: 5.1 deviations of 4.5 either side.
    assert abs(named - 80 * data.open_probability) < 5.1 * np.sqrt(
        80 * data.open_probability * (1 - data.open_probability)
    )
    assert max(homes) == pytest.approx(max_guess_accuracy(1.0))


def test_ten_reports_from_home_tell_that_it_is_home_and_not_where() -> None:
    data = load_data(PersonalState(BEGIN))
    found = infer_home(data)
    assert found is not None
    assert found.own_place_probability > 0.99
    assert found.home_probability == pytest.approx(found.prior_probability)
    assert "not to which" in view.home_inference_text(found, "home")
    # Where home's city is sensitive for everybody it keeps its name, and reports close in on it.
    (row,), (column,) = data.domain.row_column([next(iter(towns(data.domain)))])
    south, west = (
        data.domain.south + row * data.domain.cell,
        data.domain.west + column * data.domain.cell,
    )
    city = SensitiveAreas((f"+{south:.6f},{south + 0.2:.6f},{west:.6f},{west + 0.2:.6f}",))
    bare = infer_home(load_data(PersonalState(with_tags(BEGIN, sensitive=city))))
    assert bare is not None
    assert bare.home_probability > 2 * bare.prior_probability
    assert "not to which" not in view.home_inference_text(bare, "home")


def test_the_four_ways_are_told_by_one_denominator() -> None:
    data = load_data(PersonalState(BEGIN))
    for result in (data.untagged, data.known_places, data.ours, data.plain):
        assert result is not None
        number, unit = view.error_parts(result)
        assert unit == "of 100 people in the wrong place"
        assert float(number) == pytest.approx(100 * result.first.errors.tv, rel=0.1, abs=1e-6)
    assert data.untagged is not None
    assert view.error_parts(data.untagged)[0] == "0"


def test_a_mirrored_background_is_the_truth_east_for_west() -> None:
    data = load_data(PersonalState(tags(background="mirrored")))
    truth = data.setup.dataset.distribution.reshape(125, 350)
    open_symbols = ~data.setup.sensitive
    right = population_background(1, truth[:, ::-1].ravel(), open_symbols)[0]
    np.testing.assert_array_equal(tagged_mechanism(data.setup).policy.background[0], right)


def test_the_exported_scenarios_give_the_pages_numbers(tmp_path: Path) -> None:
    small = replace(tags(background="uniform"), dataset=Cities(), n=20_000, estimator="clip")
    data = load_data(PersonalState(small))
    results = [data.ours, data.known_places, data.untagged, data.plain]
    assert_exported(tmp_path, *[each for each in results if each is not None])
    assert None not in results


def test_the_headline_says_who_is_not_protected_then_the_errors() -> None:
    data = load_data(PersonalState(BEGIN))
    headline = view.headline(data)
    assert data.known_places is not None
    assert data.plain is not None
    assert data.ours is not None
    known_s, all_s, ours = (
        view.error_parts(each)[0] for each in (data.known_places, data.plain, data.ours)
    )
    assert headline.unprotected
    # A cover report has probability 2/(e^ε + 1), here .538.
    assert headline.sentence == (
        "40 of 100 people are not protected: one report names the place of 46 of 100 of them."
    )
    assert headline.second == (
        f"The map puts {ours} of 100 people in the wrong place. It would be {known_s} if homes "
        f"were known, and {all_s} if everything were hidden."
    )
    wrong = [each.first.errors.tv for each in (data.ours, data.known_places, data.plain)]
    read = pytest.approx(1 - 2 / (1 + math.e))
    assert list(headline.figures.values()) == [*wrong, pytest.approx(0.6), read]
    everybody = view.headline(load_data(PersonalState(small(shares=(0.5, 0.5)))))
    assert not everybody.unprotected
    assert everybody.sentence.startswith("The map puts ")
