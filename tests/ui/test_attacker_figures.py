"""What the attacker's page states, at the ends of its sliders, against a second computation.

Beliefs are computed here by Bayes from what each report includes, with the factor e^ε alone.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.poisoning import MAXIMAL_GAIN
from caldp_core.basics.types import Bools, Floats
from caldp_core.datasets import OwnPlaces
from caldp_core.domain.grid import US_GRID
from caldp_core.experiments.run import prepare
from caldp_core.mechanisms.catalogue import Hadamard, Oue, RandomizedResponse
from caldp_core.scenarios.blocks import EverythingSensitive, GridBlocks, SensitiveSymbols
from caldp_ui.adversary import charts, fakes, view
from caldp_ui.adversary.page import attacker_numbers
from caldp_ui.adversary.page_state import (
    BEGIN,
    DENVER,
    FAKES,
    REPAIRS,
    TENTHS,
    Attacker,
    AttackerState,
    load_data,
)
from caldp_ui.compute.runs import with_dataset
from caldp_ui.controls.common import EPSILONS
from tests.contract.checks import naming
from tests.ui.figures import hold, shows, tokens
from tests.ui.readings import read

RARE = 20_000
"""A cell of the map that hardly anybody is in."""


def records() -> Iterator[AttackerState]:
    """Both ends of ε and of the days, at a common and at a rare place."""
    for epsilon in (EPSILONS[0], 1.0, EPSILONS[-1]):
        for place in (DENVER, RARE):
            for days in (0, 1, 10):
                yield AttackerState(BEGIN.with_context(epsilon=epsilon), place=place, days=days)


def included(attacker: Attacker, day: int) -> tuple[Bools, Bools]:
    """(k,) places that the report of a day may come from, and those that it speaks for.

    The unbiased estimate of one report is 0 in other blocks, positive where it speaks for a place.
    """
    mechanism = attacker.setup.mechanism
    estimate = mechanism.estimate(mechanism.tally(attacker.reports[day]))
    return np.abs(estimate) > 1e-12, estimate > 1e-12


def beliefs(attacker: Attacker, days: Sequence[int]) -> Floats:
    """(k,) chances after the reports of these days: e^ε for each report that speaks for a place."""
    people = attacker.setup.dataset.distribution
    policy: Any = attacker.setup.policy
    logs = np.log(0.999 * people + 0.001 / people.size)
    for day in days:
        possible, spoken_for = included(attacker, day)
        logs = np.where(possible, logs + policy.epsilon[0] * spoken_for, -np.inf)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def test_one_person() -> None:
    for record in records():
        with naming(f"{record.scenario}, {record.place}, {record.days}"):
            data, place = load_data(record), record.place
            line = view.headline(data)
            hold(line, (record.days, 100))
            after = {
                "now": beliefs(data.ours, range(record.days)),
                "if the phone repeats one stored report": beliefs(data.ours, [0]),
                "with plain LDP": beliefs(data.plain, range(record.days)),
                "before any report": beliefs(data.ours, []),
            }
            for name, value in line.figures.items():
                assert value == pytest.approx(100 * after[name][place], rel=1e-5, abs=1e-9)
            assert (
                "100 %" not in f"{line.sentence} {line.second}"
            )  # a place that hides is never sure
            said = view.subtitle(US_GRID, data.ours.beliefs[record.days])
            assert_best_guess(said, after["now"])


def assert_best_guess(said: str, chances: Floats) -> None:
    """The largest chance, and the fewest places that hold 95 of 100."""
    best, places = re.fullmatch(r".*, ([^,]* %); 95 % likely area: ([\d,]+) places?", said).groups()  # type: ignore[union-attr]
    assert any(shows(token, 100 * float(chances.max())) for token in tokens(best))
    held = np.cumsum(np.sort(chances)[::-1])
    fewest = int(np.searchsorted(held, 0.95)) + 1
    assert abs(int(places.replace(",", "")) - fewest) <= max(1, fewest // 10_000)


def test_odds_are_those_of_two_places_and_add_up() -> None:
    for epsilon in (EPSILONS[0], 1.0, EPSILONS[-1]):
        for days in (1, 10):
            record = AttackerState(BEGIN.with_context(epsilon=epsilon), days=days)
            sentence = view.odds_sentence(US_GRID, load_data(record)).replace("*", "")
            limits = [100 / (1 + math.exp(-m * epsilon)) for m in sorted({1, days})]
            found = [token for token in tokens(sentence) if token[1] not in (100, 10)]
            assert len(found) == len(limits)
            for token, limit in zip(found, limits, strict=True):
                assert shows(token, limit)


def test_a_report_alone() -> None:
    data = load_data(AttackerState())
    for day in (1, 10):
        alone = [beliefs(each, [day - 1])[DENVER] for each in (data.ours, data.plain)]
        said = (each.single_report_belief(day)[DENVER] for each in (data.ours, data.plain))
        line = view.single_report_headline(day, *said)
        hold(line, (day,))
        assert list(line.figures.values()) == pytest.approx(
            [100 * each for each in alone], rel=1e-5
        )


def test_beliefs_at_another_epsilon_are_caught() -> None:
    data = load_data(AttackerState(days=10))
    wrong = load_data(AttackerState(BEGIN.with_context(epsilon=1.1), days=10))
    ours = beliefs(data.ours, range(10))[DENVER]
    assert wrong.ours.chance_of_truth(10) != pytest.approx(ours, rel=1e-3)


def test_fake_phones() -> None:
    scenario = replace(BEGIN, mechanism=RandomizedResponse())
    for tenths in (TENTHS[0], TENTHS[1], TENTHS[-1]):
        for repair in REPAIRS:
            record = AttackerState(scenario, show=FAKES, tenths=tenths, repair=repair)
            data = fakes.run_attack(record)
            line = fakes.headline(data, US_GRID, record)
            with naming(f"{tenths}, {repair}: {line}"):
                honest = data.setup.n
                phones = round(honest * tenths / (1000 - tenths))
                assert data.phones == phones
                counts = re.findall(
                    r"(?:puts|In truth|look like|instead of) ([\d,]+)",
                    f"{line.sentence} {line.second}",
                )
                number = re.search(r"of ([\d,]+) people", line.sentence)
                assert number
                for count, share in zip(counts, in_order(line.figures), strict=True):
                    assert read(f"{count} of {number[1]}").holds(share)
                if phones:
                    assert f"{tenths / 10:g} % are fake" in line.second
                assert_people(data)


def in_order(figures: object) -> list[float]:
    """The shares of the headline in the order of its sentences."""
    assert isinstance(figures, dict)
    order = ("with fakes", "without fakes", "truth", "repaired")
    return [figures[name] for name in order if name in figures]


def assert_people(data: fakes.PoisonedEstimate) -> None:
    """The unbiased count with fakes is the honest one and what each strongest report adds."""
    block = data.honest.blocks == data.honest.blocks[data.place]
    size, epsilon = int(block.sum()), 1.0
    n = data.honest.tally.n
    before = data.honest.unbiased[data.place] * n
    after = data.evidence.unbiased[data.place] * data.evidence.tally.n
    added = 1 + (size - 1) / (math.exp(epsilon) - 1)
    assert after - before == pytest.approx(data.phones * added, rel=1e-6, abs=1e-3)


def numbers_of(text: str) -> list[tuple[str, float]]:
    return tokens(text.replace("*", "").replace("\N{NO-BREAK SPACE}", " "))


def logistic(level: float) -> float:
    return 1 / (1 + math.exp(-level))


def test_what_the_attacker_knows_before_and_two_candidates() -> None:
    """Two candidates: e^ε for each report that speaks for one and not for the other."""
    for record in records():
        data = load_data(record)
        policy: Any = data.ours.setup.policy
        epsilon = float(policy.epsilon[0])
        with naming(f"{epsilon}, {record.place}, {record.days}"):
            ((_, factor),) = numbers_of(view.prior_text(data))
            assert factor == pytest.approx(math.exp(epsilon), rel=5e-3), view.prior_text(data)
            if not record.days:
                continue
            assert data.pair is not None
            ends = [record.place, data.pair.rival]
            votes = [included(data.ours, day)[1][ends] for day in range(record.days)]
            ahead = np.cumsum([int(a) - int(b) for a, b in votes]) * epsilon
            expected = [
                logistic(float(ahead[-1])),
                logistic(record.days * epsilon),
                logistic(float(ahead[0])),
                logistic(epsilon),
            ]
            said = view.candidates(US_GRID, data, data.pair).rpartition(" before, ")[2]
            shares = [token for token in numbers_of(said) if f"{token[1]:g} %" in said]
            found = [100 * each for each in expected]
            assert all(shows(*each) for each in zip(shares, found, strict=True)), said


def test_the_table_of_numbers_holds_the_limits() -> None:
    for record in records():
        data = load_data(record)
        for attacker in (data.ours, data.plain):
            policy: Any = attacker.setup.policy
            prior, k = beliefs(attacker, []), policy.k
            together = policy.blocks == policy.blocks[record.place]
            level = float(policy.epsilon[policy.blocks[record.place]])
            rest = float(prior[together & (np.arange(k) != record.place)].sum())
            own = float(prior[record.place])
            numbers = attacker_numbers(attacker, data)
            for title, reports in (
                ("at most, by ε", record.days),
                ("at most then, by ε", min(record.days, 1)),
            ):
                most = own / (own + rest * math.exp(-reports * level)) if reports else own
                with naming(f"{level}, {record.place}, {reports}: {numbers[title]}"):
                    assert read(numbers[title]).holds(most)


def test_one_fake_phone_and_how_fakes_are_seen() -> None:
    """Randomized response: 1 + (s − 1)/(e^ε − 1) people; Hadamard: (e^ε + 1)/(e^ε − 1)."""
    for epsilon in (EPSILONS[0], 1.0, EPSILONS[-1]):
        by_response = replace(BEGIN.with_context(epsilon=epsilon), mechanism=RandomizedResponse())
        record = AttackerState(by_response, show=FAKES)
        setup = prepare(by_response)
        policy: Any = setup.policy
        block = policy.blocks == policy.blocks[record.place]
        size, people = int(block.sum()), np.rint(setup.dataset.distribution * setup.n)
        other = 1 / (math.exp(epsilon) + size - 1)
        own = math.exp(epsilon) * other
        added = (1 - other) / (own - other)
        here, elsewhere = people[record.place], people[block].sum() - people[record.place]
        variance = here * own * (1 - own) + elsewhere * other * (1 - other)
        needed = math.ceil(3 * math.sqrt(variance) / (own - other) / added)
        sentence = numbers_of(fakes.one_phone(record, US_GRID))
        with naming(f"{epsilon}: {fakes.one_phone(record, US_GRID)}"):
            assert abs(sentence[0][1] / added - 1) < 5e-3
            assert abs(sentence[-1][1] - needed) <= 1
        by_hadamard = replace(by_response, mechanism=Hadamard())
        for tenths in (TENTHS[1], TENTHS[-1])[epsilon != 1.0 :]:
            data = fakes.run_attack(AttackerState(by_hadamard, show=FAKES, tenths=tenths))
            found, real = data.sum_check, int(people[block].sum())
            assert found.reported == pytest.approx(real + data.phones)
            excess = data.phones * ((math.exp(epsilon) + 1) / (math.exp(epsilon) - 1) - 1)
            assert abs(found.estimated - found.reported - excess) < 5 * found.noise
            text = fakes.describe_detection(data, MAXIMAL_GAIN, "state")
            with naming(text):
                assert text.startswith("**Yes.**") == (
                    found.estimated - found.reported > found.limit
                )
                said = [number for _, number in numbers_of(text)]
                assert said[:2] == pytest.approx([found.estimated, found.reported], rel=5e-3, abs=1)


SMALL = OwnPlaces(
    " ".join(f"{cell}:{people}" for cell, people in enumerate((40, 0, 9, 3, 120, 1, 60, 7, 22))),
    "48,48.3,11,11.3",
    0.1,
    "small",
)
"""Nine places, so that channels can be written out."""


def small_records() -> Iterator[AttackerState]:
    for epsilon in (EPSILONS[0], 1.0, charts.EPSILON_MAX):
        for sensitive in (EverythingSensitive(), SensitiveSymbols(("0-3",))):
            scenario = with_dataset(BEGIN, SMALL).with_context(
                blocks=GridBlocks(1, 3), sensitive=sensitive, epsilon=epsilon
            )
            yield AttackerState(replace(scenario, mechanism=Hadamard()), place=0, days=1)


def test_guesses_of_anybody_and_of_two_candidates_are_those_of_the_channel_written_out() -> None:
    for record in small_records():
        setup = prepare(record.scenario)
        policy: Any = setup.policy
        people = setup.dataset.distribution
        rows = np.array([[float(q) for q in row] for row in setup.mechanism.exact_channel()])
        best = np.argmax(people[:, None] * rows, axis=0)
        right = np.zeros(9)
        np.add.at(right, best, people[best] * rows[best, np.arange(rows.shape[1])])
        hidden = np.asarray(policy.hidden())
        expected = [people.max(), right.sum()]
        if not hidden.all():
            named = people[~hidden].sum(), people[hidden].sum()
            expected += [right[~hidden].sum() / named[0], right[hidden].sum() / named[1]]
        sentence = view.guess_sentence(charts.guess_anyone(record.scenario), None, "block")
        counts = re.findall(r"\*\*([\d.,]+)(?: of ([\d,]+))?\*\*", sentence)
        number = ""
        with naming(sentence):
            for (count, of), share in zip(counts, expected, strict=True):
                number = of or number
                assert read(f"{count} of {number}").holds(float(share))
        data = load_data(record)
        assert data.pair is not None
        pair = rows[[0, data.pair.rival]]
        test = charts.error_lines(data.ours, data.pair.rival)
        assert test.right == pytest.approx(np.maximum(*pair).sum() / 2, abs=1e-9)
        said = view.alt_regions(test.right, test.most, "here", "there")
        shares = [token for token in numbers_of(said) if token[1] != 100]
        for token, share in zip(shares, (test.most, test.right), strict=True):
            assert shows(token, 100 * share), said


def test_charts_in_words_say_the_beliefs_and_limits() -> None:
    for record in (each for each in records() if not each.days):
        data = load_data(record)
        policy: Any = data.ours.setup.policy
        prior, place = beliefs(data.ours, []), record.place
        rest = float(prior[policy.blocks == policy.blocks[place]].sum() - prior[place])
        level = float(policy.epsilon[0])
        most = [prior[place] / (prior[place] + rest * math.exp(-m * level)) for m in (10, 1)]
        fresh = [beliefs(data.ours, range(m))[place] for m in (1, 10)]
        plain = beliefs(data.plain, range(10))[place]
        said = view.alt_limits(data)
        expected = [10, *(100 * each for each in (*fresh, fresh[0], plain, *most))]
        with naming(said):
            for token, value in zip(numbers_of(said), expected, strict=True):
                assert shows(token, value), (token, value)


def test_blocks_change_what_a_phone_adds_as_the_closed_forms_say() -> None:
    for epsilon in (EPSILONS[0], 1.0, EPSILONS[-1]):
        scenario = replace(BEGIN.with_context(epsilon=epsilon), mechanism=Oue())
        setup, power = prepare(scenario), math.exp(epsilon)
        policy: Any = setup.policy
        people = np.rint(setup.dataset.distribution * setup.n)
        block = policy.blocks == policy.blocks[DENVER]
        added, other = 2 * power / (power - 1), 1 / (power + 1)
        found = fakes.compute_powers(scenario, DENVER)
        needed = []
        for each, there in ((found.own_block, people[block].sum()), (found.in_one_block, setup.n)):
            rest = there - people[DENVER]
            variance = people[DENVER] / 4 + rest * other * (1 - other)
            noise = math.sqrt(variance) / (0.5 - other)
            assert [each.added, each.noise] == pytest.approx([added, noise], rel=1e-6)
            needed.append(max(1, math.ceil(3 * noise / added)))
        said = fakes.describe_block_effect(found, "state")
        shown = [number for _, number in numbers_of(said)]
        noises = [found.own_block.noise, found.in_one_block.noise]
        with naming(said):
            assert shown == pytest.approx([added, added, *noises, *needed], rel=6e-3, abs=0.51)
            assert ("So fewer" in said) == (needed[0] < needed[1])


def test_the_gain_and_who_is_crowded_out() -> None:
    for epsilon in (EPSILONS[0], EPSILONS[-1]):
        scenario = replace(BEGIN.with_context(epsilon=epsilon), mechanism=RandomizedResponse())
        for tenths in (TENTHS[1], TENTHS[-1]):
            data = fakes.run_attack(AttackerState(scenario, show=FAKES, tenths=tenths))
            block = data.honest.blocks == data.honest.blocks[data.place]
            size = int(block.sum())
            added = 1 + (size - 1) / math.expm1(epsilon)
            share = tenths / 1000
            assert data.gain == pytest.approx(share * (added - data.truth[data.place]), rel=1e-6)
            counts = [
                int((shares[block] * evidence.tally.n >= 0.5).sum())
                for shares, evidence in (
                    (data.estimate_with_fakes, data.evidence),
                    (data.estimate_without_fakes, data.honest),
                )
            ]
            said = fakes.describe_crowding_out(data, "state")
            if counts[0] < counts[1]:
                assert [number for _, number in numbers_of(said)] == counts
            else:
                assert not said
