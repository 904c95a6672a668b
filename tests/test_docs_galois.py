"""The figures of docs/galois.md are those of the code."""

import numpy as np
import pytest

from caldp_core.basics.limits import SPACE_POINTS_MAX
from caldp_core.mechanisms import ContextMechanism, catalogue
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.mechanisms.oracles.galois import digits_of
from caldp_core.mechanisms.oracles.hadamard import published_parts
from caldp_core.mechanisms.oracles.hyperplanes import coins_of
from caldp_core.privacy.context import Context
from caldp_core.theory.expected_error import variance_given_people
from tests import ROOT
from tests.test_docs_mathematics import rows

TEXT = (ROOT / "docs" / "galois.md").read_text(encoding="utf-8")


def best(epsilon: float) -> float:
    return float(4 * np.exp(epsilon) / np.expm1(epsilon) ** 2)


def error(family: str, k: int, epsilon: float) -> float:
    mechanism = catalogue.in_context(Context.plain(k, epsilon), family)
    return float(variance_given_people(mechanism, np.full(k, 1 / k), 1).mean())


def same(text: str, number: float) -> bool:
    """Whether the text is of this number, to its last digit."""
    return float(f"{number:.{len(text.split('.')[1])}f}") == float(text)


@pytest.mark.parametrize(
    "row", rows("What it is for", TEXT), ids=lambda row: f"k = {row[0]}, ε = {row[1]}"
)
def test_what_it_is_for(row: list[str]) -> None:
    k, epsilon = int(row[0]), float(row[1])
    mechanism = catalogue.in_context(Context.plain(k, epsilon), "galois")
    q = int(mechanism.oracles._values[0])  # type: ignore[attr-defined]
    d = int(digits_of(np.array([k]), q.bit_length() - 1)[0])
    assert row[2:6] == [str(q), str(d), str(mechanism.outputs), str(mechanism.report_bits)]
    ours, hadamard = error("galois", k, epsilon), error("hadamard", k, epsilon)
    assert all(map(same, row[6:], (ours, hadamard, best(epsilon))))


def above_optimum(k: int, epsilon: float) -> float:
    """The error as a multiple of subset selection's, the least in plain LDP."""
    return error("galois", k, epsilon) / error("subset-selection", k, epsilon)


STEP = 0.25
VALUES = [64, 256, 1000, 1024, 4096, 43750]


@pytest.mark.parametrize("k", VALUES)
def test_next_to_the_optimum_up_to_a_32nd_and_at_it_from_k_on(k: int) -> None:
    """What the page says first."""
    low = np.append(np.arange(0.05, np.log(k / 32), STEP), np.log(k / 32))
    assert max(above_optimum(k, float(epsilon)) for epsilon in low) < 1.08
    high = np.log(k) + np.array([0.0, 0.5, 2.0])
    assert max(above_optimum(k, float(epsilon)) for epsilon in high) < 1 + 1e-9


@pytest.mark.parametrize("row", rows("Where it is farther off", TEXT), ids="-".join)
def test_where_it_is_farther_off(row: list[str]) -> None:
    k, epsilon = int(row[0]), float(row[1])
    between = np.arange(STEP * np.ceil(np.log(k / 32) / STEP), np.log(k), STEP)
    found = [above_optimum(k, float(each)) for each in between]
    assert between[int(np.argmax(found))] == epsilon
    assert same(row[2], max(found))
    opening = " ".join(TEXT.split("## What it is for")[0].split())
    if k == 1024:
        assert f"{max(found) - 1:.0%}".replace("%", " %") + " above it for 1,024" in opening
    if k == 43750:
        assert f"{max(found):.1f} times it for 43,750" in opening


def test_the_cost_of_a_tally() -> None:
    for q, d, coins in rows("The tally of any number of people", TEXT):
        assert coins_of(int(q).bit_length() - 1, int(d)) == int(coins)


@pytest.mark.parametrize(
    "row",
    rows("Beside general Hadamard response", TEXT),
    ids=lambda row: f"k = {row[0]}, ε = {row[1]}",
)
def test_beside_general_hadamard_response(row: list[str]) -> None:
    k, epsilon = int(row[0]), float(row[1])
    mechanism = ContextMechanism(Context.plain(k, epsilon), "hadamard", Hadamard(None).family())
    (wanted,) = published_parts(np.array([k]), np.array([epsilon])).tolist()
    used = mechanism.oracles._parts  # type: ignore[attr-defined]
    numbers = (wanted, *used.counts.tolist(), *used.orders.tolist(), mechanism.report_bits)
    assert row[2:6] == [str(number) for number in numbers]
    general = float(variance_given_people(mechanism, np.full(k, 1 / k), 1).mean())
    exact = (general, error("galois", k, epsilon), error("hadamard", k, epsilon))
    assert all(map(same, row[6:], exact))
    power, (parts,) = np.exp(epsilon), used.counts
    formula = ((power + 2 * parts - 1) / (power - 1)) ** 2 / parts
    assert general == pytest.approx(formula - 1 / k, rel=0.005)
    assert formula >= 8 / (power - 1)


def test_what_is_said_of_large_epsilon() -> None:
    assert SPACE_POINTS_MAX == 2**22
    assert error("galois", 43_750, 8.0) / best(8.0) == pytest.approx(1.32, abs=0.005)
    bits = catalogue.in_context(Context.plain(43_750, 5.0), "galois").report_bits
    assert f"A report at ε = 5 and k = 43,750 has {bits} bits" in TEXT


def test_what_is_said_of_sensitive_sets() -> None:
    """Fifty or 500 of a thousand values sensitive, held by one person in fifty."""
    ratios = {"hadamard": 1.0, "rappor": 1.0}
    for size in (50, 500):
        for epsilon in (1.0, 2.0, 4.0):
            flags = np.arange(1000) < size
            p = np.where(flags, 0.02 / size, 0.98 / (1000 - size))
            errors = {
                family: catalogue.in_context(Context.high_low(flags, epsilon), family)
                .variance(p, 1)
                .sum()
                for family in ("galois", *ratios)
            }
            for family, least in ratios.items():
                ratios[family] = min(least, errors[family] / errors["galois"])
    assert 0.97 < ratios["hadamard"] < 1.0  # better by some percent
    assert 0.62 < ratios["rappor"] < 0.70  # by a third
