"""Fake phones: the page shows what the core gives, by every family's own channel.

Two blocks of six places, or three of three, so that everything is written out here from the papers:
which values a report includes, what it adds, what a repair takes away. Of the package only the run
is taken: its tally and the sentences. Some blocks have an ε of their own and some places are open.
"""

import math
import re
import tracemalloc
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy
import streamlit
from streamlit.testing.v1 import AppTest

from caldp_core.audit import poisoning
from caldp_core.audit.poisoning import MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.basics.types import Floats
from caldp_core.datasets import OwnPlaces, us_cities
from caldp_core.domain.domains import US_GRID
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.evidence import Evidence
from caldp_core.experiments.run import prepare, run
from caldp_core.mechanisms.catalogue import FAMILIES, Hadamard, LocalHashing
from caldp_core.scenarios.blocks import GridBlocks, OneBlock, SensitiveSymbols
from caldp_ui.adversary import fakes
from caldp_ui.adversary.page_state import (
    BEGIN,
    FAKES,
    KNOWS_SHARE,
    KNOWS_TARGET,
    LINK,
    PUSHES,
    REPAIRS,
    STATE,
    TENTHS,
    AttackerState,
)
from caldp_ui.compute import runs
from caldp_ui.compute.runs import with_dataset
from caldp_ui.controls.common import EPSILONS
from caldp_ui.maps import scene
from caldp_ui.stage.records import encode, encode_people
from tests.contract.checks import naming
from tests.strategies import thinned
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
from tests.ui.readings import read, shows, tokens
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_every_tab_of_a_preset() -> None:
    record = replace(SHOWN, scenario=scene.PRESETS[-1].apply(BEGIN))
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


@pytest.mark.slow
def test_memory_grows_with_places_and_blocks_not_with_their_square() -> None:
    """21,875 blocks of two places: a matrix of blocks by blocks would take 3.8 GB."""
    many = BEGIN.with_context(blocks=GridBlocks(125, 175))
    record = replace(SHOWN, scenario=many)
    runs.result(many)
    tracemalloc.start()
    try:
        data = fakes.run_attack(record)
        code = fakes.snippet(data, record.attack)
        on_screen = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        exec(code, {})
        exported = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    one_array = 8 * len(data.truth)
    assert max(on_screen, exported) < 200 * one_array, (on_screen, exported)


ENDS = (EPSILONS[0], 1.0, EPSILONS[-1])
SHARES = (TENTHS[1], TENTHS[-1])
PEOPLE = (40, 0, 9, 3, 120, 1, 60, 7, 22, 15, 30, 8)
MANY = 10**9


def places(columns: int) -> OwnPlaces:
    """Three rows with this number of places."""
    people = " ".join(f"{cell}:{n}" for cell, n in enumerate(PEOPLE[: 3 * columns]))
    return OwnPlaces(people, f"48,48.3,11,{11 + columns / 10:g}", 0.1, "small")


TWELVE, NINE = places(4), places(3)


def record_of(family: str, epsilon: float, n: int = MANY, **fixed: Any) -> AttackerState:
    """Two blocks of six places each."""
    scenario = with_dataset(BEGIN, TWELVE).with_context(blocks=GridBlocks(1, 2), epsilon=epsilon)
    scenario = replace(scenario, mechanism=FAMILIES[family].spec(), n=n)
    estimator = fixed.pop("estimator", "simplex-per-block")
    return AttackerState(replace(scenario, estimator=estimator), place=0, show=FAKES, **fixed)


def domain_of(record: AttackerState) -> Any:
    return runs.map_of(runs.dataset(record.scenario))


@dataclass(frozen=True)
class Included:
    """Chances that a report includes a value: `own` its person's, `other` another of the block.

    `beside`: another value's, in the strongest report for one.
    """

    own: float
    other: float
    beside: float

    @property
    def added(self) -> float:
        return (1 - self.other) / (self.own - self.other)

    @property
    def added_beside(self) -> float:
        return (self.beside - self.other) / (self.own - self.other)

    def variance(self, here: float, rest: float) -> float:
        """Of a value's estimate in people, by the people there and elsewhere in the block."""
        noise = here * self.own * (1 - self.own) + rest * self.other * (1 - self.other)
        return noise / (self.own - self.other) ** 2


def hashed(power: float, values: int, shared: float) -> Included:
    """Randomized response on the value of a hash, which two values have in common by chance."""
    own, wrong = power / (power + values - 1), 1 / (power + values - 1)
    return Included(own, shared * own + (1 - shared) * wrong, shared)


def galois(power: float, size: int) -> list[Included]:
    """Two values share (q^(d−1) − 1)/(q^d − 1) of the hyperplanes; or randomized response."""
    found = [hashed(power, size, 0.0)]
    for q in (2, 4):
        d = math.ceil(math.log(size) / math.log(q))
        found.append(hashed(power, q, (q ** (d - 1) - 1) / (q**d - 1)))
    return found


def local_hashing(power: float, size: int) -> list[Included]:
    """⌊g·f(x)/P⌋, f(x) and f(x′) uniform on P = 7 for six values and independent.

    g is next to e^ε + 1 (Wang and others 2017), and at most P.
    """
    prime = next(p for p in (2, 3, 5, 7, 11, 13) if p >= size)
    found = []
    least = min(math.floor(power) + 1, prime)
    for g in range(least, min(least + 1, prime) + 1):
        parts = np.bincount(np.arange(prime) * g // prime)
        found.append(hashed(power, g, float((parts**2).sum()) / prime**2))
    return found


def subset_selection(power: float, size: int) -> list[Included]:
    found = []
    for w in range(1, size):
        own = w * power / (w * power + size - w)
        beside = (w - 1) / (size - 1)
        found.append(Included(own, own * beside + (1 - own) * w / (size - 1), beside))
    return found


def included(family: str, epsilon: float, size: int = 6) -> Included:
    """By the papers, never by our code: a new family's law is written here by hand.

    Where a family has a choice, the one of the least error of all values.
    """
    power, half = math.exp(epsilon), math.exp(epsilon / 2)
    some = {
        "hadamard": [Included(power / (power + 1), 0.5, 0.5)],
        "randomized-response": [hashed(power, size, 0.0)],
        "rappor": [Included(half / (half + 1), 1 / (half + 1), 1 / (half + 1))],
        "oue": [Included(0.5, 1 / (power + 1), 1 / (power + 1))],
        "subset-selection": subset_selection(power, size),
        "local-hashing": local_hashing(power, size),
        "galois": galois(power, size),
    }[family]
    return min(some, key=lambda each: each.variance(1, size - 1))


def numbers_of(text: str) -> list[tuple[str, float]]:
    return tokens(text.replace("*", "").replace("\N{NO-BREAK SPACE}", " "))


def crowd(record: AttackerState) -> tuple[Floats, Any]:
    """(12,) people and (12,) blocks of the record."""
    setup: Any = runs.setup(record.scenario)
    return np.asarray(setup.dataset.distribution * setup.n), np.asarray(setup.policy.blocks)


def drawn(people: float) -> float:
    """Variance of how many of the 10⁹ drawn are at a place, by its average."""
    return people * (1 - people / MANY)


@pytest.mark.parametrize("family", FAMILIES)
def test_one_phone_and_the_gain_of_every_family(family: str) -> None:
    for epsilon in ENDS:
        law, record = included(family, epsilon), record_of(family, epsilon)
        people, blocks = crowd(record)
        rest = people[blocks == blocks[0]].sum() - people[0]
        needed = 3 * math.sqrt(law.variance(people[0], rest)) / law.added
        said = fakes.one_phone(record, domain_of(record))
        adds, needs = (numbers_of(said)[place] for place in (0, -1))
        with naming(f"{family}, {epsilon}: {said}"):
            for token, value in ((adds, law.added), (needs, max(1, math.ceil(needed)))):
                assert abs(token[1] / value - 1) < 5e-3 or abs(token[1] - value) <= 1e-6
                assert abs(token[1] / (1.1 * value) - 1) > 5e-3
        for tenths in SHARES:
            data = fakes.run_attack(replace(record, tenths=tenths))
            share = tenths / 1000
            assert data.gain == pytest.approx(share * (law.added - people[0] / MANY), rel=1e-6)
            risen = float(data.evidence.unbiased[0]) - people[0] / MANY
            noise = math.sqrt(law.variance(people[0], rest) + drawn(people[0])) / MANY
            assert abs(risen - data.gain) < 6 * noise  # two in 10⁹ are beyond
            assert abs(risen - 0.5 * data.gain) > 6 * noise


def signs(rows: int) -> Floats:
    """Sylvester's matrix of more rows than that."""
    made = np.array([[1.0]])
    while len(made) <= rows:
        made = np.block([[made, made], [made, -made]])
    return made


def estimate_by_hand(data: fakes.PoisonedEstimate, family: str, law: Included) -> Any:
    """(k,) unbiased shares, and the (blocks,) shares of reports, from the tally alone."""
    counts, n = np.asarray(data.evidence.tally.counts, float), data.evidence.tally.n
    blocks = np.asarray(data.evidence.blocks)
    shares, of_blocks = np.zeros(blocks.size), []
    for number in range(blocks.max() + 1):
        inside = np.flatnonzero(blocks == number)
        if family == "hadamard":
            matrix = signs(inside.size)
            of_block = counts[number * len(matrix) : (number + 1) * len(matrix)]
            reports = of_block.sum()
            includes = (reports + matrix[1 : inside.size + 1] @ of_block) / 2
        else:
            includes = counts[number * inside.size : (number + 1) * inside.size]
            response = family == "randomized-response"
            reports = includes.sum() if response else counts[blocks.size + number]
        shares[inside] = (includes - law.other * reports) / (law.own - law.other) / n
        of_blocks.append(reports / n)
    return shares, np.array(of_blocks)


def nearest(shares: Floats, total: float) -> Floats:
    """The nearest shares ≥ 0 with this sum, by trying how many are kept."""
    down = np.sort(shares)[::-1]
    for kept in range(shares.size, 0, -1):
        level = (down[:kept].sum() - total) / kept
        if down[kept - 1] > level:
            return np.maximum(shares - level, 0.0)
    raise AssertionError


def repaired_by_hand(
    data: fakes.PoisonedEstimate, family: str, law: Included, knows: str
) -> Floats:
    """(k,) shares after the repair: fakes taken away, then block by block the nearest ones."""
    shares, of_blocks = estimate_by_hand(data, family, law)
    blocks, share = np.asarray(data.evidence.blocks), data.share
    own = blocks == blocks[0]
    added = np.where(own, law.added_beside, 0.0)
    added[0] = law.added
    if knows == KNOWS_TARGET:
        of_blocks = of_blocks - share * (np.arange(of_blocks.size) == blocks[0])
        of_blocks = np.maximum(of_blocks, 0) / np.maximum(of_blocks, 0).sum()
    else:
        positive = shares > 0
        added = np.where(positive, added.sum() / positive.sum(), 0.0)
    clean = (shares - share * added) / (1 - share)
    for number, total in enumerate(of_blocks):
        clean[blocks == number] = nearest(clean[blocks == number], total)
    return clean


@pytest.mark.parametrize(("family", "knows"), thinned(FAMILIES, REPAIRS, one_in=2))
def test_what_a_repair_leaves_is_what_the_tally_says_by_hand(family: str, knows: str) -> None:
    for epsilon in ENDS:
        law = included(family, epsilon)
        for tenths, attack in product(SHARES, PUSHES):
            settings: dict[str, Any] = {"tenths": tenths, "attack": attack, "repair": knows}
            record = record_of(family, epsilon, **settings)
            data = fakes.run_attack(record)
            expected = repaired_by_hand(data, family, law, knows)
            line = fakes.headline(data, domain_of(record), record)
            with naming(f"{family}, {epsilon}, {tenths}, {attack}: {line.second}"):
                found = data.repaired(knows).shares
                np.testing.assert_allclose(found, expected, atol=1e-6)
                assert line.figures["repaired"] == pytest.approx(expected[0], abs=1e-6)
                number = re.search(r"of ([\d,]+) people", line.sentence)
                said = re.search(r" puts (.+) there\.", line.second)
                assert number
                assert said
                assert read(f"{said[1]} of {number[1]}").holds(float(found[0]))
            wrong = replace(data, share=data.share * 1.1)
            others = repaired_by_hand(wrong, family, law, knows)
            assert abs(others - found).max() > 1e-5


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_of_both_attacks_and_repairs(
    family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Truth, estimate with fakes, gain by formula, and both repairs: people of one number."""
    tables, captions = list[Any](), list[str]()
    monkeypatch.setattr(streamlit, "table", tables.append)
    monkeypatch.setattr(streamlit, "markdown", lambda _: None)
    monkeypatch.setattr(streamlit, "caption", captions.append)
    for epsilon, tenths in product(ENDS, SHARES):
        law, record = included(family, epsilon), record_of(family, epsilon, tenths=tenths)
        fakes._detection(fakes.load(record))
        people, blocks = crowd(record)
        number = re.search(r"People of ([\d,]+) in", captions[-1])
        assert number
        for attack, column in zip(PUSHES, tables[-1].columns, strict=True):
            data = fakes.run_attack(record, attack)
            shares, of_blocks = estimate_by_hand(data, family, law)
            own = shares[blocks == blocks[0]]
            truth, added = people[0] / MANY, law.added if attack == MAXIMAL_GAIN else 1.0
            expected = [
                truth,
                nearest(own, of_blocks[blocks[0]])[0],
                tenths / 1000 * (added - truth),
                *(repaired_by_hand(data, family, law, knows)[0] for knows in REPAIRS),
            ]
            with naming(f"{family}, {epsilon}, {tenths}, {attack}: {tables[-1][column]}"):
                for cell, value in zip(tables[-1][column], expected, strict=True):
                    shown = read(f"{cell} of {number[1]}")
                    assert shown.holds(float(value)), (cell, value)
                    assert not shown.holds(1.3 * float(value) + 0.02), (cell, value)


@pytest.mark.parametrize(
    "family", thinned(["hadamard", "oue", "local-hashing", "rappor"], one_in=2)
)
def test_whether_fakes_are_seen_is_said_by_the_limit_of_the_sum(family: str) -> None:
    """The limit by draws and binomials: `audit/test_poisoning.py`."""
    for epsilon in ENDS:
        law = included(family, epsilon, 3)
        excess = law.added + 2 * law.added_beside - 1
        for tenths in SHARES:
            record = record_of(family, epsilon, 20_000, tenths=tenths)
            context = with_dataset(record.scenario, NINE).with_context(blocks=GridBlocks(1, 3))
            record = replace(record, scenario=replace(context, n=20_000))
            data = fakes.run_attack(record)
            check = poisoning.block_sum(data.evidence, data.place)
            reports = round(check.reported)
            shares, of_blocks = estimate_by_hand(data, family, law)
            total = float(shares[np.asarray(data.evidence.blocks) == 0].sum()) * data.evidence.n
            assert reports == round(of_blocks[0] * data.evidence.n)
            said = fakes.describe_detection(data, MAXIMAL_GAIN, "block")
            with naming(f"{family}, {epsilon}, {tenths}: {said}"):
                found = [number for _, number in numbers_of(said)]
                assert found[:2] == pytest.approx([total, reports], rel=5e-3, abs=1)
                assert found[2] == pytest.approx(check.limit, rel=5e-3, abs=1)
                assert said.startswith("**Yes.**") == (total - reports > check.limit)
                enough = re.search(r"(About|Not even) (.+?)(?: fakes, .+)? would be seen", said)
                if enough:
                    honest = poisoning.block_sum(data.honest, data.place)
                    read_fakes = numbers_of(enough[2])[0]
                    f = root_of_fakes(excess, honest.limit, honest.reported)
                    assert (enough[1] == "Not even") == (f > 20_000)
                    f = min(f, 20_000.0)
                    assert shows(read_fakes, f) or abs(read_fakes[1] / f - 1) < 0.01


def root_of_fakes(excess: float, limit: float, reports: float) -> float:
    """Fakes f with f·excess = limit·√((reports + f)/reports), by bisection."""
    return float(
        scipy.optimize.brentq(
            lambda f: f * excess - limit * math.sqrt(1 + f / reports), 0.0, 1e25, xtol=1e-6
        )
    )


@pytest.mark.parametrize("family", ["randomized-response", "subset-selection"])
def test_sums_that_always_agree_are_said_to_show_nothing(family: str) -> None:
    for epsilon in ENDS:
        law = included(family, epsilon)
        assert law.added + 5 * law.added_beside == pytest.approx(1.0)
        data = fakes.run_attack(record_of(family, epsilon, tenths=50))
        said = fakes.describe_detection(data, MAXIMAL_GAIN, "block")
        assert said.startswith("**Not by this sum.**")


OPEN = (4, 8, 3)
"""Two of the first block, columns 0 and 1 of 4, and one of the second."""
SENSITIVE = SensitiveSymbols(tuple(str(x) for x in range(12) if x not in OPEN))
PLACES = (0, 4, 2, 3, 10)
"""Hidden and open ones of either block."""


def record_at(family: str, levels: tuple[float, float], place: int) -> AttackerState:
    scenario = with_dataset(BEGIN, TWELVE).with_context(
        blocks=GridBlocks(1, 2), sensitive=SENSITIVE, epsilon=levels
    )
    scenario = replace(scenario, mechanism=FAMILIES[family].spec(), n=MANY)
    return AttackerState(scenario, place=place, show=FAKES)


LEVELS = ((ENDS[0], ENDS[-1]), (1.0, ENDS[0]), (ENDS[-1], 1.0))


def near(number: float, value: float) -> bool:
    """Whether a number is `value` to three digits, or as a whole one."""
    return abs(number / value - 1) < 5e-3 or abs(number - value) <= 0.51 * (value >= 100) + 1e-6


@pytest.mark.parametrize("family", FAMILIES)
def test_a_block_is_compared_with_one_of_all_places_at_its_own_level(family: str) -> None:
    """With the same sensitive places; powers by all reports: `audit/test_poisoning.py`."""
    for levels, place in product(LEVELS, PLACES):
        record = record_at(family, levels, place)
        setup = prepare(record.scenario)
        epsilon = levels[setup.partition.labels[place]]
        one = prepare(record.scenario.with_context(blocks=OneBlock(), epsilon=epsilon))
        here, whole = (
            poisoning.attack_power(each.mechanism, place, setup.dataset.distribution, MANY)
            for each in (setup, one)
        )
        phone = fakes.one_phone(record, domain_of(record)).partition(" in ")
        said = fakes.describe_block_effect(fakes.compute_powers(record.scenario, place), "block")
        needed = here.to_stand_out(), whole.to_stand_out()
        with naming(f"{family}, {levels}, {place}: {phone} {said}"):
            shown = [number for _, number in numbers_of(said)]
            shown += [numbers_of(part)[-1][1] for part in phone[::2]]
            expected = [here.added, whole.added, here.noise, whole.noise, *needed]
            pairs = zip(shown, [*expected, here.added, needed[0]], strict=True)
            assert all(near(*pair) or round(pair[1]) == pair[0] > 0 for pair in pairs)
            assert ("So fewer" in said) == (needed[0] < needed[1])
            assert ("as much as" in said) == (f"{here.added:.3g}" == f"{whole.added:.3g}")


def test_a_scenario_of_one_block_is_compared_with_nothing() -> None:
    scenario = with_dataset(BEGIN, TWELVE).with_context(blocks=OneBlock(), sensitive=SENSITIVE)
    for place in (0, OPEN[0]):
        said = fakes.describe_block_effect(fakes.compute_powers(scenario, place), "map")
        assert said.startswith("Everything is one block here")


def test_a_fake_phone_that_changes_no_number_is_said_to_change_none() -> None:
    scenario = replace(BEGIN, n=1_000).with_context(blocks=OneBlock(), epsilon=0.1)
    record = replace(SHOWN, scenario=scenario, tenths=1)
    data = fakes.run_attack(record)
    (_, before, after, _), number = fakes.counts_at_target(data, record)
    assert before == after
    sentence = fakes.headline(data, domain_of(record), record).sentence
    assert sentence.endswith(f" look like {after} of {number} people, as without any.")
