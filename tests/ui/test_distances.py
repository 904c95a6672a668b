"""Privacy by distance, and Home and work: maps, odds, bias and files are those of the core."""

import math
import re
from concurrent.futures import wait
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.datasets import Cities, Gowalla
from caldp_core.domain.domains import Area
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms import FAMILIES, kernels
from caldp_core.mechanisms.catalogue import (
    MECHANISMS,
    BestKernel,
    Exponential,
    GridGeometric,
    PlanarGeometric,
    SteppedGeometric,
    mechanisms_for,
)
from caldp_core.scenarios.blocks import SensitiveAreas
from caldp_core.scenarios.policies import (
    BACKGROUNDS,
    ContextPolicy,
    CrowFlies,
    PersonalTags,
    Streets,
)
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.bounds import report_distribution
from caldp_ui.app.theme import LIGHT
from caldp_ui.compute import runs
from caldp_ui.distances import page, page_state, view
from caldp_ui.distances.page_state import (
    BEGIN,
    LINK,
    NEW_YORK,
    PERSON,
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
from caldp_ui.personal import view as personal_view
from caldp_ui.personal.page_state import BEGIN as PERSONAL_BEGIN
from caldp_ui.personal.page_state import LINK as PERSONAL_LINK
from caldp_ui.personal.page_state import STATE as PERSONAL_STATE
from caldp_ui.personal.page_state import (
    PersonalData,
    PersonalState,
    infer_home,
    own_place_shares,
    simulate_week,
    tagged_mechanism,
    with_known_places,
    with_tags,
)
from caldp_ui.personal.page_state import load_data as personal_load_data
from caldp_ui.personal.view import ASSUMED, EVERYTHING, KNOWN
from caldp_ui.stage.records import encode, encode_mask
from caldp_ui.words import formats
from caldp_ui.words.formats import PLACES, place_name, towns
from tests.strategies import thinned
from tests.ui.driver import (
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
    scene_of,
    trigger,
)
from tests.ui.readings import drawn

STAGE = STATE.key("maps")
OPENS = ("more",)


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
        assert (
            data.block_reports.law[
                beside.setup.partition.labels != beside.setup.partition.labels[place]
            ].sum()
            == 0
        )
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


@pytest.mark.slow
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


@pytest.mark.slow
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


ODD = {
    "a single cell": DistanceState(replace(BEGIN, dataset=Gowalla("40.6,40.8,-74.2,-74")), place=0),
    "a single row": DistanceState(replace(BEGIN, dataset=Gowalla("40.6,40.8,-77.2,-71")), place=3),
    "no shares": DistanceState(replace(BEGIN, estimator="none", n=1000)),
    "the best noise of a single cell": DistanceState(
        replace(BEGIN, dataset=Gowalla("40.6,40.8,-74.2,-74"), mechanism=BestKernel()), place=0
    ),
    "the exponential mechanism": DistanceState(replace(BEGIN, mechanism=Exponential())),
}


@pytest.mark.slow
def test_the_whole_map_is_a_job_and_the_place_moves_along() -> None:
    at = open_record(STATE, opens=OPENS)
    whole = "Gowalla (reconstructed grid)"
    checked(at.selectbox(key="distances-data").set_value(whole).run())
    record = page_record(at, STATE)
    assert record.scenario.dataset == Gowalla()
    assert place_name(Gowalla().grid(), record.place) == "New York, New York"
    assert any(button.key == "distances-ours-start" for button in at.button)
    assert set(pictures(at, STAGE)) == {TRUTH, BLOCKS}


@pytest.mark.slow
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


@pytest.mark.slow
def test_all_of_the_catalogue_is_listed() -> None:
    for policy in (CrowFlies(1.0, 50.0), Streets(1.0, 50.0)):
        scenario = replace(BEGIN, policy=policy)
        made = prepare(scenario)
        assert compatible_mechanisms(scenario) == mechanisms_for(made.policy)
        assert all(
            not page.infeasible_reason(scenario, entry.name)
            for entry in compatible_mechanisms(scenario)
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
        assert audit_mechanism(
            prepare(blocks_scenario(record)).mechanism, prepare(blocks_scenario(record)).policy
        ).holds
        assert domain.k == setup.mechanism.k


def test_no_region_is_called_open_that_an_attacker_may_guess_wrong() -> None:
    """At the distance at which reports lie, Bayes' rule is right e^1.88 to 1 times, not always."""
    data = load_data(DistanceState())
    mean_km = data.noise_reports.mean_km
    assert formats.length(mean_km) == "94 km"
    ratio = math.exp(mean_km / 50)
    assert 0.865 < ratio / (1 + ratio) < 0.875
    (sentence,) = (
        each for each in view.not_promised_sentences(data) if each.startswith("Which region")
    )
    assert "94 km away" in sentence
    assert "up to 87 of 100 guesses" in sentence
    assert "no secret" not in sentence


def test_the_headline_s_kilometres_are_the_earth_mover_s() -> None:
    """What `tests/experiments/test_earth_mover.py` finds by the dual."""
    data = load_data(DistanceState())
    assert view.headline(data).sentence.startswith(
        "In this draw the map misplaces people by 7.2 km"
    )
    assert "11 km" in view.headline(data).second


def test_a_large_map_says_people_and_no_kilometres() -> None:
    large = replace(BEGIN, dataset=Gowalla("35,45,-85,-70"), n=10_000)
    data = load_data(DistanceState(large, place=0))
    lines = view.headline(data)
    assert data.domain.k > 500
    assert "km" not in lines.sentence
    assert "in the wrong place" in lines.sentence
    assert "at most 500 cells, this one has 3,750" in lines.second


def test_odds_are_the_policys_and_the_channel_keeps_them() -> None:
    data = load_data(DistanceState())
    assert list(view.odds_by_distance(data.record).values()) == ["50", "52", "60", "88"]
    km, right = view.exact_odds(data)
    assert km.size > 3
    assert (right <= [max_guess_accuracy(0.02 * each) + 1e-9 for each in km]).all()
    assert (np.diff(right[np.argsort(km)]) > 0).all()
    figure = drawn(view.odds_figure(data, LIGHT))
    by_name = {trace.name: trace for trace in figure.data}
    np.testing.assert_allclose(by_name["this noise"].y, 100 * right)
    assert by_name["within one block"].y[0] == 100 * max_guess_accuracy(data.blocks_epsilon)
    assert [note.text for note in figure.layout.annotations] == [
        f"<b>{name}</b>" for name in by_name
    ]


def test_the_second_ring_is_where_a_guess_may_be_right_95_times_in_100() -> None:
    for rate in (0.02, 0.05):
        record = DistanceState(page_state.with_rate(DistanceState().scenario, rate))
        data = load_data(record)
        here, cells = np.full(data.domain.k, record.place), np.arange(data.domain.k)
        levels = data.setup.policy.between(here, cells)
        inside = np.array([max_guess_accuracy(each) <= 0.95 for each in levels.tolist()])
        assert 0 < inside.sum() < data.domain.k
        assert view.scene(data).ground.far == encode_mask(inside)


def test_the_small_curve_is_the_odds_over_a_logarithmic_distance() -> None:
    html = view.odds_html(DistanceState())
    polygon = re.search(r"polygon\(0 100%,(.*),100% 100%\)", html)
    assert polygon is not None
    points = [point.replace("%", "").split() for point in polygon[1].split(",")]
    assert len(points) == 25
    for at, (x, y) in enumerate(map(float, point) for point in points):
        assert x == pytest.approx(100 * at / 24, abs=0.05)
        right = max_guess_accuracy(0.02 * 0.5 * 400 ** (at / 24))
        assert 1 - y / 200 == pytest.approx(right, abs=0.00025)


PERSONAL_STAGE = PERSONAL_STATE.key("maps")
PERSONAL_OPENS = ("more", "who")


def tags(**changes: object) -> Scenario:
    """The page's first scenario with another policy."""
    policy = PERSONAL_BEGIN.policy
    assert isinstance(policy, PersonalTags)
    return replace(PERSONAL_BEGIN, policy=replace(policy, **changes))  # type: ignore[arg-type]


def small(**changes: object) -> Scenario:
    """The same on a part of the map, where nothing is known of homes."""
    policy = {"background": "uniform", **changes}
    return replace(tags(**policy), dataset=Gowalla("39.8,42.6,-77.2,-71"))


SMALL = small()


def personal_assert_shows(at: AppTest, scenario: Scenario) -> PersonalData:
    """Maps, sentence and link are those of these scenarios' runs, which a test below runs anew."""
    assert page_record(at, PERSONAL_STATE).scenario == scenario
    assert not at.error
    assert PERSONAL_LINK.read(query_of(at)).scenario == scenario
    data = personal_load_data(PersonalState(scenario))
    ways = {
        EVERYTHING: runs.best_plain_ldp(scenario),
        KNOWN: with_known_places(scenario),
        ASSUMED: scenario,
    }
    if data.has_true_background:
        del ways[KNOWN]
    expected = {name: picture_of(runs.result(way)) for name, way in ways.items()}
    expected[TRUTH] = encode(data.setup.dataset.distribution).name
    assert pictures(at, PERSONAL_STAGE) == expected
    headline = headline_of(at)
    assert headline == both_lines(personal_view.headline(data))
    return data


@pytest.mark.slow
def test_opens_and_follows_every_control() -> None:
    at = open_record(PERSONAL_STATE, opens=PERSONAL_OPENS)
    assert query_of(at) == {}
    personal_assert_shows(at, PERSONAL_BEGIN)
    at = open_record(PERSONAL_STATE, PersonalState(SMALL), PERSONAL_OPENS)
    checked(at.select_slider(key="personal-epsilon").set_value(3.0).run())
    personal_assert_shows(at, small(epsilon=3.0))
    checked(at.selectbox(key="personal-share-0").set_value(70).run())
    personal_assert_shows(at, small(epsilon=3.0, shares=(0.7, 0.2)))
    checked(at.selectbox(key="personal-family").set_value("hadamard").run())
    spec = FAMILIES["hadamard"].spec()
    personal_assert_shows(at, replace(small(epsilon=3.0, shares=(0.7, 0.2)), mechanism=spec))
    menu = at.selectbox(key="personal-family").options
    assert all(entry.title in menu for entry in FAMILIES.values())
    checked(at.selectbox(key="personal-data").set_value("Synthetic cities").run())
    assert isinstance(page_record(at, PERSONAL_STATE).scenario.dataset, Cities)


def test_boxes_are_sensitive_for_everybody_and_undo_takes_them_back() -> None:
    at = open_record(PERSONAL_STATE, PersonalState(SMALL), PERSONAL_OPENS)
    area = Area(40.2, 41.4, -74.8, -73.2)
    for action in (personal_view.PROTECT, personal_view.UNPROTECT):
        record = {"tool": "box", "action": action, "box": box(area)}
        on_stage(at, record, PERSONAL_STAGE)
    personal_assert_shows(at, small(sensitive=SensitiveAreas((f"+{area}", f"-{area}"))))
    on_stage(at, {"tool": "undo", "action": "undo"}, PERSONAL_STAGE)
    data = personal_assert_shows(at, small(sensitive=SensitiveAreas((f"+{area}",))))
    assert_signed(at, data.setup.scenario, PERSONAL_STAGE)
    assert data.setup.sensitive.any()
    assert "at a place that is sensitive for everybody" in personal_view.describe_reports(data)


ODD_TAGS = {
    "nobody has a place": PersonalState(small(shares=(0.0, 0.0))),
    "no shares of tags": PersonalState(replace(SMALL, estimator="none", n=1000)),
    "four places": PersonalState(small(shares=(0.25,) * 4)),
    "everybody is at home": PersonalState(small(shares=(1.0,), background="truth")),
}


@pytest.mark.parametrize("name", [*thinned(ODD, one_in=5), *thinned(ODD_TAGS, one_in=4)])
def test_odd_scenarios_are_told_as_well(name: str) -> None:
    page: Any = STATE if name in ODD else PERSONAL_STATE
    odd: Any = {**ODD, **ODD_TAGS}[name]
    at = open_record(page, odd, OPENS if name in ODD else PERSONAL_OPENS)
    open_every_tab(at, page.key("tabs"))
    assert page_record(at, page) == odd


def test_a_method_that_cannot_read_tags_is_refused_and_nothing_is_lost() -> None:
    at = open_record(PERSONAL_STATE, PersonalState(SMALL), PERSONAL_OPENS)
    checked(at.selectbox(key="personal-estimator").set_value("maximum-likelihood").run())
    assert "not known for tags" in at.warning[0].value
    personal_assert_shows(at, SMALL)


def test_every_background_has_words_and_its_bias_is_what_is_left_of_many_people() -> None:
    truth = personal_load_data(PersonalState(PERSONAL_BEGIN)).setup.dataset.distribution
    sizes = {}
    for name in BACKGROUNDS:
        data = personal_load_data(PersonalState(tags(background=name)))
        assert personal_view.background_text(name) != name
        mechanism = tagged_mechanism(data.setup)
        np.testing.assert_allclose(
            data.bias.per_symbol, mechanism.expected_estimate(truth) - truth, atol=1e-15
        )
        sizes[name] = data.bias.total_variation
        many, few = (picture.code for picture in personal_view.bias_scene(data).pictures[1:])
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
    data = personal_load_data(PersonalState(PERSONAL_BEGIN))
    assert data.ours is not None
    true, found, errors = own_place_shares(data)
    np.testing.assert_allclose(true, [0.4, 0.2], atol=1e-12)
    mechanism = tagged_mechanism(data.setup)
    shares, n = mechanism.shares_with_tags(data.setup.dataset.distribution), data.setup.n
    # 5.1 standard deviations: two-sided 3.4e-7 a tag.
    spread = np.sqrt(mechanism.common.variance(shares, n)[mechanism.k :])
    assert (np.abs(found - true) < 5.1 * spread).all()
    assert (spread < 0.002).all()
    # The collector knows the estimated shares alone, so no other may be in its ranges.
    likely = np.maximum(mechanism.common.estimate(data.ours.first.evidence.tally), 0.0)
    by_estimate = mechanism.common.variance(likely / likely.sum(), n)[mechanism.k :]
    np.testing.assert_allclose(errors, np.sqrt(by_estimate))
    assert (errors != spread).all()
    assert audit_mechanism(mechanism, data.setup.policy).holds


@pytest.mark.parametrize(
    ("epsilon", "n"), [(0.01, 1), (0.01, 1_000), (1.0, 1_000), (20.0, 1), (1.0, 10**9)]
)
def test_what_is_counted_at_own_places_is_a_range_of_shares(epsilon: float, n: int) -> None:
    data = personal_load_data(
        PersonalState(replace(with_tags(PERSONAL_BEGIN, epsilon=epsilon), n=n))
    )
    _, found, errors = own_place_shares(data)
    for at, (_, reach) in enumerate(personal_view.own_places(data).values()):
        low, high = (float(end) for end in reach.removesuffix(" %").split(" to "))
        assert 0 <= low < high <= 100
        for end, side in ((low, -1.96), (high, 1.96)):
            shown = min(max(100 * (found[at] + side * errors[at]), 0), 100)
            assert end == pytest.approx(shown, abs=max(0.06, 0.02 * (high - low)))


def test_a_week_of_one_person_keeps_home_within_the_odds() -> None:
    data = personal_load_data(PersonalState(PERSONAL_BEGIN))
    named, homes = 0, []
    for seed in range(1, 41):
        days = simulate_week(
            replace(data, record=PersonalState(replace(PERSONAL_BEGIN, seed=seed)))
        )
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
    data = personal_load_data(PersonalState(PERSONAL_BEGIN))
    found = infer_home(data)
    assert found is not None
    assert found.own_place_probability > 0.99
    assert found.home_probability == pytest.approx(found.prior_probability)
    assert "not which one" in personal_view.home_inference_text(found, "home")
    # Where home's city is sensitive for everybody it keeps its name, and reports close in on it.
    (row,), (column,) = data.domain.row_column([next(iter(towns(data.domain)))])
    south, west = (
        data.domain.south + row * data.domain.cell,
        data.domain.west + column * data.domain.cell,
    )
    city = SensitiveAreas((f"+{south:.6f},{south + 0.2:.6f},{west:.6f},{west + 0.2:.6f}",))
    bare = infer_home(personal_load_data(PersonalState(with_tags(PERSONAL_BEGIN, sensitive=city))))
    assert bare is not None
    assert bare.home_probability > 2 * bare.prior_probability
    assert "not which one" not in personal_view.home_inference_text(bare, "home")


def test_the_headline_says_who_is_not_protected_then_the_errors() -> None:
    data = personal_load_data(PersonalState(PERSONAL_BEGIN))
    headline = personal_view.headline(data)
    assert data.known_places is not None
    assert data.plain is not None
    assert data.ours is not None
    known_s, all_s, ours = (
        personal_view.error_parts(each)[0] for each in (data.known_places, data.plain, data.ours)
    )
    assert headline.unprotected
    # A cover report has probability 2/(e^ε + 1), here .538.
    assert headline.sentence == (
        "40 of 100 people are not protected: one report reveals the place of 18 of 100 people."
    )
    assert headline.second == (
        f"In this draw the map puts {ours} of 100 people {PLACES.wrong}. "
        f"It would be {all_s} if everything were hidden, and {known_s} if the collector knew "
        "already how many people are at home where, which none does."
    )
    wrong = [each.first.errors.tv for each in (data.ours, data.known_places, data.plain)]
    # Of all people: of the 40 of 100 without a sensitive place, those whose report is no cover.
    read = pytest.approx(0.4 * (1 - 2 / (1 + math.e)))
    assert list(headline.figures.values()) == [*wrong, pytest.approx(0.6), read]
    everybody = personal_view.headline(personal_load_data(PersonalState(small(shares=(0.5, 0.5)))))
    assert not everybody.unprotected
    assert everybody.sentence.startswith("In this draw the map puts ")
