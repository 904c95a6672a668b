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

from caldp_core.basics.types import Bools, Floats
from caldp_core.domain.grid import US_GRID
from caldp_core.mechanisms.specs import RandomizedResponse
from caldp_ui.adversary import fakes, view
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
