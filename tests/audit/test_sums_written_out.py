"""Sums of blocks under Galois response with q < s and under local hashing, written out.

Fields, planes, hashes and the law of a report are made here; the law of the sum of n reports is
their convolution. Of the package only the check of a tally is taken.
"""

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

from caldp_core.audit.poisoning import FALSE_ALARMS, BlockSum, block_sum
from caldp_core.basics.types import Floats
from caldp_core.estimation.evidence import Evidence
from caldp_core.mechanisms import catalogue
from caldp_core.privacy.context import Context
from tests.contract.checks import naming

MODULI = {2: 0b10, 4: 0b111, 8: 0b1011, 16: 0b10011}
"""Polynomials over GF(2) by which products in the field of q elements are taken."""
BLOCKS = 2


def times(a: int, b: int, q: int) -> int:
    found = 0
    for bit in range(q.bit_length()):
        found ^= (b >> bit & 1) * a << bit
    for bit in range(2 * q.bit_length(), q.bit_length() - 2, -1):
        if found >> bit & 1:
            found ^= MODULI[q] << bit - q.bit_length() + 1
    return found


def planes(size: int, q: int) -> tuple[Floats, int]:
    """(planes, size) which values an affine hyperplane holds, and the number of directions."""
    digits = next(d for d in range(1, 12) if q**d >= size)
    table = np.array([[times(a, b, q) for b in range(q)] for a in range(q)])
    points = np.arange(size)[:, None] // q ** np.arange(digits) % q
    normals = [
        each for each in product(range(q), repeat=digits) if next((c for c in each if c), 0) == 1
    ]
    products = [np.bitwise_xor.reduce(table[normal, points], axis=1) for normal in normals]
    return np.array([each == y for each in products for y in range(q)], float), len(normals)


@dataclass(frozen=True)
class Law:
    """Of one block: (size, values) chances that a report of a person holds 0, 1, … values.

    `q`: how many numbers a value may have in a report.
    """

    q: int
    own: float
    other: float
    chances: Floats

    @property
    def gain(self) -> float:
        return self.own - self.other


def law_of(size: int, epsilon: float, q: int) -> Law:
    power, (held, directions) = math.exp(epsilon), planes(size, q)
    lie = q / (q + power - 1)
    # A person's report is any plane with chance λ, else one of those through their value.
    reports = lie / len(held) + (1 - lie) * held.T / directions
    number = held.sum(axis=1).astype(int)
    chances = np.array([np.bincount(number, row, minlength=size + 1) for row in reports])
    includes = reports @ held
    other = float(includes[0, 1:].mean())
    np.testing.assert_allclose(includes[~np.eye(size, dtype=bool)], other)
    return Law(q, float(includes[0, 0]), other, chances)


def best_law(size: int, epsilon: float) -> Law | None:
    """Of q = 2, 4, 8, 16 and randomized response the one of the least error; None for the last."""

    def error(own: float, other: float) -> float:
        return (own * (1 - own) + (size - 1) * other * (1 - other)) / (own - other) ** 2

    power = math.exp(epsilon)
    laws = [law_of(size, epsilon, q) for q in MODULI if q < size]
    best = min(laws, key=lambda law: error(law.own, law.other))
    response = error(power / (power + size - 1), 1 / (power + size - 1))
    return best if error(best.own, best.other) < response else None


def hashed_law(size: int, epsilon: float) -> Law:
    """By every polynomial of degree 2 over the least field, and each of g numbers next to e^ε + 1.

    Of these the one of the least error.
    """
    prime = next(p for p in range(size, 2 * size) if all(p % d for d in range(2, p)))
    points = np.indices((prime,) * 3).reshape(3, -1, 1)
    values = (points[0] + points[1] * np.arange(size) + points[2] * np.arange(size) ** 2) % prime
    power, laws = math.exp(epsilon), list[tuple[float, Law]]()
    least = min(int(power) + 1, prime)
    for g in {least, min(least + 1, prime)}:
        numbers, wrong = values * g // prime, 1 / (power + g - 1)
        chances = np.zeros((size, size + 1))
        for number in range(g):
            hit = numbers == number
            for held in np.unique(hit.sum(axis=1)):
                of_person = hit[hit.sum(axis=1) == held]
                here = of_person.sum(axis=0)
                chances[:, held] += (power * here + len(of_person) - here) * wrong / prime**3
        agree = float((numbers[:, 0] == numbers[:, 1]).mean())
        own, other = power * wrong, agree * power * wrong + (1 - agree) * wrong
        error = (own * (1 - own) + (size - 1) * other * (1 - other)) / (own - other) ** 2
        laws.append((error, Law(g, own, other, chances)))
    return min(laws, key=lambda pair: pair[0])[1]


def law_of_sum(chances: Floats, n: int) -> Floats:
    """Chances of the sum of n numbers, each of which is 0, 1, … with these chances."""
    size = n * (chances.size - 1) + 1
    return np.maximum(np.fft.irfft(np.fft.rfft(chances, 1 << size.bit_length()) ** n)[:size], 0)


def checked(family: str, size: int, epsilon: float, n: int, seed: int) -> tuple[BlockSum, Floats]:
    """The check of the first of two blocks with n reports each, and its plausible shares."""
    labels = np.repeat(np.arange(BLOCKS), size)
    context = Context.of(labels, np.ones(labels.size, np.bool_), epsilon)
    mechanism = catalogue.in_context(context, family)
    people = np.bincount(np.arange(n) % min(size, 5), minlength=size)
    tally = mechanism.sample_tally(np.tile(people, BLOCKS), np.random.default_rng(seed))
    evidence = Evidence.of(mechanism, tally)
    own = evidence.plausible[:size]
    return block_sum(evidence, 0), own / own.sum()


def tail_at(check: BlockSum, law: Law, shares: Floats, n: int) -> tuple[float, float, float]:
    """Chance that an honest sum is above the limit, or two steps below it; deviation of the sum.

    In people: a report that holds c values adds (c − r·s)/(a − r) to the sum.
    """
    mixed, size = shares @ law.chances, shares.size
    number = np.arange(size + 1)
    mean = float(mixed @ number)
    deviation = math.sqrt(n * float(mixed @ (number - mean) ** 2)) / law.gain
    sums = law_of_sum(mixed, n)
    people = (np.arange(sums.size) - n * mean) / law.gain
    used = np.flatnonzero(mixed > 1e-12)
    step = float(np.gcd.reduce(np.diff(used))) / law.gain
    return (
        float(sums[people > check.limit + 1e-6].sum()),
        float(sums[people > check.limit - 2 * step].sum()),
        deviation,
    )


SETTINGS = [(6, 0.1, 2), (9, 0.1, 2), (9, 1.0, 4), (15, 1.0, 4), (40, 0.1, 2), (40, 2.0, 8)]


@pytest.mark.parametrize(("size", "epsilon", "q"), SETTINGS)
def test_the_limit_is_that_of_all_sums_of_reports(size: int, epsilon: float, q: int) -> None:
    law = best_law(size, epsilon)
    assert law is not None
    assert law.q == q
    for n in (40, 600, 20_000):
        check, shares = checked("galois", size, epsilon, n, n)
        above, below, deviation = tail_at(check, law, shares, n)
        with naming(f"{n}: {check}, {above}, {below}"):
            assert check.noise == pytest.approx(deviation, rel=1e-6)
            assert above <= 1.05 * FALSE_ALARMS / BLOCKS
            assert below > 0.9 * FALSE_ALARMS / BLOCKS


@pytest.mark.parametrize("size", [6, 7, 20, 23])
def test_the_limit_of_local_hashing_is_that_of_all_hashes(size: int) -> None:
    """Of 20 reports of 20 values thirteen times as many were above that of independent bits."""
    for epsilon, n in product((0.1, 3.0), (20, 600)):
        law = hashed_law(size, epsilon)
        check, shares = checked("local-hashing", size, epsilon, n, n)
        above, below, deviation = tail_at(check, law, shares, n)
        with naming(f"{epsilon}, {n}: {check}, {above}, {below}"):
            assert check.noise == pytest.approx(deviation, rel=1e-6)
            assert above <= 1.05 * FALSE_ALARMS / BLOCKS
            assert below > 0.9 * FALSE_ALARMS / BLOCKS


@pytest.mark.parametrize(("size", "epsilon"), [(36, 3.6), (40, 1.0), (40, 10.0)])
def test_in_larger_fields_no_more_sums_are_above_the_limit(size: int, epsilon: float) -> None:
    """There only hashes that are constant are counted apart."""
    law = hashed_law(size, epsilon)
    for n in (20, 600):
        check, shares = checked("local-hashing", size, epsilon, n, n)
        above, _, deviation = tail_at(check, law, shares, n)
        with naming(f"{n}: {check}, {above}"):
            assert check.noise == pytest.approx(deviation, rel=1e-6)
            assert above <= 1.15 * FALSE_ALARMS / BLOCKS
            assert check.limit < 12 * check.noise


def test_randomized_response_is_taken_where_the_field_is_not_smaller() -> None:
    for size, epsilon in ((6, 20.0), (40, 10.0), (40, 20.0)):
        assert best_law(size, epsilon) is None
        assert checked("galois", size, epsilon, 600, 1)[0].always_agree


@pytest.mark.parametrize("family", ["galois", "local-hashing", "oue", "rappor"])
def test_cover_answers_count_with_the_reports_of_hidden_values(family: str) -> None:
    """By the channel written out; a report holds what sends it more often than cover answers do."""
    context = Context.of([0] * 9 + [1] * 3, [True] * 6 + [False] * 3 + [True] * 3, [0.1, 1.0])
    mechanism = catalogue.in_context(context, family)
    oracles: Any = mechanism.oracles
    p = np.arange(1.0, 13) / 78
    _, numerators, whole = oracles.channel(0)
    rows = np.array([[float(each / whole) for each in row] for row in numerators])
    lie = 1 - float(mechanism.clear_share[0])
    sent = p[:6] @ rows[:6] + lie * p[6:9].sum() * rows[6]
    number = (rows[:6] > rows[6]).sum(axis=0)
    if family in ("oue", "rappor"):
        number = np.array([at.bit_count() for at in range(rows.shape[1])])
    expected = np.bincount(number, sent / sent.sum(), 7)
    block_p = np.array([p[:9].sum(), p[9:].sum()])
    found = oracles.number_law(0, p[mechanism.hidden_symbols], block_p)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    without = oracles.number_law(0, p[mechanism.hidden_symbols], block_p * (1 - p[6:9].sum()))
    assert abs(without - expected).max() > 1e-4
