"""Attacks on packs: subtracting another table, one person more, two ε, a second release."""

import csv
import io
import json
import random
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from caldp_core.basics.types import Floats, Ints
from caldp_core.release import desk, noise, rounding
from caldp_core.release.noise import NoisyCounts
from caldp_core.release.settings import Settings
from tests.release.lists import (
    CENTRAL,
    MAP,
    PUBLICATION,
    ROUND,
    cell_numbers,
    city_files,
    city_rows,
    city_settings,
    csv_bytes,
    new_office,
    released,
    true_counts,
)
from tests.stats import SIGNIFICANCE, assert_fits

ROWS = city_rows()
FILES = city_files(ROWS)
TRUTH = true_counts(city_settings(), FILES)
FLAT_PEOPLE = 1_005
"""Not a multiple of the base, so that rounding throws a coin for each cell."""
REACH = 400


def law(epsilon: float, factor: int = 1) -> Floats:
    """Chances of −REACH … REACH of `factor` times the noise of one count, of scale 2/ε."""
    alpha = np.exp(-epsilon / 2)
    found = np.zeros(2 * REACH + 1)
    values = np.arange(-(REACH // factor), REACH // factor + 1)
    found[REACH + factor * values] = (1 - alpha) / (1 + alpha) * alpha ** np.abs(values)
    return found


def chance_of_equal(one: Floats, other: Floats) -> float:
    """Of two independent numbers."""
    return float((one * other).sum())


def flat_settings(treatment: dict[str, Any]) -> Settings:
    """Another list with as many cells: a table of as many people in each."""
    held = {"name": "Flat", "file": "flat.csv", "unit": "table", "column": "people"}
    return Settings.from_record(
        {
            "list": held,
            "cells": {"source": "typed", "map": MAP},
            "treatment": treatment,
            "publication": PUBLICATION,
        }
    )


def flat_file() -> bytes:
    lon = [round(7.535 + 0.01 * i, 3) for i in range(28)]
    lat = [round(51.865 + 0.01 * j, 3) for j in range(20)]
    rows = [[x, y, FLAT_PEOPLE] for y in lat for x in lon]
    return csv_bytes([["lon", "lat", "people"], *rows])


def numbers_in(made: desk.Released) -> dict[str, Ints]:
    """The numbers of cells as an attacker reads them, by file; the other files have no table."""
    table = list(csv.reader(io.StringIO(made.files["table.csv"].decode())))[1:]
    record = json.loads(made.files["release.json"])["table"]
    for name in ("record.html", "memo.html", "assessment.html"):
        text = made.files[name].decode()
        assert not any(row.name in text for row in made.frozen.rows if " N " in row.name)
    return {
        "table.csv": np.array([int(row[2]) for row in table if row[0] == "cell"]),
        "release.json": np.array([row[2] for row in record if row[0] == "cell"]),
    }


def assert_chance(hits: int, tried: int, chance: float) -> None:
    """No more hits than luck gives, at 10⁻⁶ of several tests."""
    most = binom.isf(SIGNIFICANCE / 20, tried, chance)
    assert hits <= most, f"{hits} of {tried} are read, and luck gives {tried * chance:.1f}"


def read_by_flat_table(office_list: desk.Released, flat: desk.Released, name: str) -> Ints:
    """The office's numbers less the noise of the flat table."""
    return numbers_in(office_list)[name][:-1] - (numbers_in(flat)[name] - FLAT_PEOPLE)


def flat_attack(treatment: dict[str, Any], chance: float) -> None:
    """Read the small counts by a flat list in the same office, and in another one."""
    files = city_files(ROWS, **{"flat.csv": flat_file()})
    office = new_office()
    made = desk.release(city_settings(treatment), files, office)
    small = (TRUTH[:-1] > 0) & (TRUTH[:-1] < 10)
    assert small.sum() >= 80
    for other in (office, new_office()):
        flat = desk.release(flat_settings(treatment), files, other)
        for name in ("table.csv", "release.json"):
            guesses = read_by_flat_table(made, flat, name)
            assert_chance(int((guesses == TRUTH[:-1])[small].sum()), int(small.sum()), chance)


def test_a_flat_table_reads_no_small_count() -> None:
    """With the seeds of the rehearsal it read all of them."""
    flat_attack(CENTRAL, chance_of_equal(law(1.0), law(1.0)))


def test_a_flat_table_reads_no_small_count_of_a_rounded_table() -> None:
    """Two coins: a rest of r of one, and of 5 of the other, are equal in at most half of all."""
    flat_attack(ROUND, 0.5)


def seeded_noise(counts: Ints, most: int, epsilon: float) -> NoisyCounts:
    """A wrong mechanism: noise by a seed, as the rehearsal drew it."""
    rng, stop = np.random.default_rng(1), 1 - np.exp(-epsilon / (2 * most))
    first, second = rng.geometric(stop, (2, 561))
    return NoisyCounts(counts + (first - second)[: counts.size], 2 * most / epsilon, epsilon)


def test_noise_by_a_seed_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attacks must find a mechanism whose coins follow from a seed."""
    monkeypatch.setattr(noise, "add_noise", seeded_noise)
    for attack in (test_a_flat_table_reads_no_small_count, test_one_person_more_changes_most_cells):
        with pytest.raises(AssertionError):
            attack()


def differing(treatment: dict[str, Any]) -> int:
    """How many cells differ between two releases, of which one has a person more."""
    office = new_office()
    first = desk.release(city_settings(treatment), FILES, office)
    more = city_files([*ROWS, [9_999, 7.645, 52.045, "daily"]])
    second = released(city_settings(treatment), more, office)
    assert second.frozen.releases == 2
    return int((cell_numbers(first) != cell_numbers(second)).sum())


def test_one_person_more_changes_most_cells() -> None:
    """Two draws of a cell are equal as often as luck has it."""
    equal = TRUTH.size - differing(CENTRAL)
    assert_chance(equal, TRUTH.size, chance_of_equal(law(1.0), law(1.0)))


def test_one_person_more_changes_many_rounded_cells() -> None:
    """A cell of rest r differs with chance 2(r/b)(1 − r/b): some 60 do; with one coin, one."""
    rest = TRUTH % 10 / 10
    assert (2 * rest * (1 - rest)).sum() > 50
    assert differing(ROUND) > 15


def test_rounding_by_a_seed_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Seeded:
        def __init__(self) -> None:
            self.coins = random.Random(1)

        def randbelow(self, most: int) -> int:
            return self.coins.randrange(most)

    def with_seed(*given: Any) -> Ints:
        monkeypatch.setattr(rounding, "secrets", Seeded())
        return rounding.round_table(*given)

    monkeypatch.setattr("caldp_core.release.treatments.round_table", with_seed)
    with pytest.raises(AssertionError):
        test_one_person_more_changes_many_rounded_cells()


def test_two_releases_at_two_epsilons_do_not_solve_to_the_truth() -> None:
    """2y − x of ε = 0.25 and 0.5 was the true count of every other cell."""
    office = new_office()
    one = released(city_settings(CENTRAL | {"epsilon": 0.25}), FILES, office)
    two = released(city_settings(CENTRAL | {"epsilon": 0.5}), FILES, office)
    assert two.frozen.together == 0.75
    for name in ("table.csv", "release.json"):
        guesses = 2 * numbers_in(two)[name] - numbers_in(one)[name]
        chance = chance_of_equal(law(0.5, 2), law(0.25))
        assert_chance(int((guesses == TRUTH).sum()), TRUTH.size, chance)


def test_a_second_release_has_coins_of_its_own() -> None:
    office = new_office()
    first = released(city_settings(CENTRAL), FILES, office)
    later = city_settings(CENTRAL).to_record()
    later["publication"] = PUBLICATION | {"date": "2026-12-01"}
    second = released(Settings.from_record(later), FILES, office)
    assert second.frozen.together == 2.0
    equal = int((cell_numbers(first) == cell_numbers(second)).sum())
    assert_chance(equal, TRUTH.size, chance_of_equal(law(1.0), law(1.0)))


@pytest.mark.slow
@pytest.mark.parametrize(("most", "epsilon"), [(1, 1.0), (4, 2.0)])
def test_central_noise_is_the_discrete_laplace_law(most: int, epsilon: float) -> None:
    """Of scale 2m/ε, by 200,000 draws; an ε that is 5 % off must be rejected.

    The coins are the operating system's, so that a right sampler fails once in a million runs.
    """
    draws = 200_000
    made = noise.add_noise(np.full(draws, 7, np.int64), most, epsilon)
    assert made.epsilon <= epsilon
    found = np.bincount(np.clip(made.counts - 7, -REACH, REACH) + REACH, minlength=2 * REACH + 1)
    expected = draws * law(epsilon / most)
    assert_fits(found, np.maximum(expected, 1e-9), SIGNIFICANCE)
    for wrong in (0.95, 1.05, 2.0):
        with pytest.raises(AssertionError):
            assert_fits(found, np.maximum(draws * law(wrong * epsilon / most), 1e-9), SIGNIFICANCE)


def test_the_promise_is_never_above_what_was_asked_for() -> None:
    """OpenDP rounds up: 3 became 3.0000000000000004."""
    for epsilon in (0.001, 0.1, 0.3, 1 / 3, 0.7, 1.0, 3.0, 7.7, 20.0):
        for most in (1, 3, 4, 7):
            made = noise.add_noise(np.zeros(1, np.int64), most, epsilon)
            assert made.epsilon <= epsilon
            assert made.scale == pytest.approx(2 * most / epsilon, rel=1e-12)


def test_95_of_100_counts_are_off_by_at_most_the_half_width() -> None:
    """And not by one less."""
    for epsilon in (0.1, 0.5, 1.0, 2.0, 5.0):
        width, chances = noise.half_width(epsilon, 1), law(epsilon)
        inside = chances[REACH - width : REACH + width + 1].sum()
        assert inside >= 0.95 - 1e-6
        less = chances[REACH - width + 1 : REACH + width].sum() if width else 0.0
        assert less < 0.95
