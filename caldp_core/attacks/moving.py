"""One person who moved: two tables, a day apart, and the guess of the direction.

The attacker knows everybody else, and the two cells: the person was in one of them on the first day
and in the other on the second. Both tables show the person, so ε adds up to 2ε.
"""

import itertools
import math
from fractions import Fraction

import numpy as np

from caldp_core.attacks.differencing import place_guess_accuracy
from caldp_core.basics.errors import check_symbols
from caldp_core.basics.types import Floats, Ints
from caldp_core.treatments.release import CentralTable, Rounding, Suppression

_DIGITS = 12
"""Decimals of chances; outcomes that agree in so many count as one."""


def direction_guess_accuracy(rows: Floats) -> float:
    """How often the best guess of the direction is right after both days, in [0.5, 1].

    `rows`: (2, outcomes) chances of what one day shows, if the person is in one or the other cell;
    days are independent. ½ Σ max(p_i q_j, q_i p_j), by outcomes with one likelihood ratio.
    """
    totals = rows.sum(axis=0)
    rows = rows[:, totals > 0]
    ratios, place = np.unique(np.round(rows[0] / rows.sum(axis=0), _DIGITS), return_inverse=True)
    p, q = (np.bincount(place, row, ratios.size) for row in rows)
    products = np.outer(p, q)
    return float(np.maximum(products, products.T).sum() / 2)


def move_guess_accuracy(
    treatment: Suppression | Rounding, others: Ints, labels: Ints, pair: Ints
) -> float:
    """How often the best guess of the direction is right by two tables of an office, in [0.5, 1].

    Arguments as for `place_guess_accuracy`.
    """
    if isinstance(treatment, Suppression):
        return place_guess_accuracy(treatment, others, labels, pair)  # sure on one day, or on none
    ends = check_symbols("pair", pair, others.size)
    worlds = [others + (np.arange(others.size) == cell) for cell in ends.tolist()]
    groups = np.unique(labels[ends])
    numbers = [
        [*world[ends].tolist(), *(int(world[labels == group].sum()) for group in groups)]
        for world in worlds
    ]
    return direction_guess_accuracy(_rows(treatment, numbers))


def noisy_move_guess_accuracy(noise: CentralTable) -> float:
    """How often the best guess of the direction is right after central noise, in [0.5, 1].

    Each of four counts points in one direction, the true one with chance r = 1/(1 + e^{−ε/2}); the
    majority of four is right 3r² − 2r³ of the time, ties being guesses, as the majority of three
    is.
    """
    r = noise.guess_accuracy
    return 3 * r**2 - 2 * r**3


def _rows(rounding: Rounding, numbers: list[list[int]]) -> Floats:
    """(2, outcomes) chances of all rounded tables in both worlds."""
    laws = [[rounding.law(number) for number in table] for table in numbers]
    values = [sorted({**a, **b}) for a, b in zip(*laws, strict=True)]
    none = Fraction(0)
    rows = [
        [
            float(math.prod(law.get(v, none) for law, v in zip(table, outcome, strict=True)))
            for outcome in itertools.product(*values)
        ]
        for table in laws
    ]
    return np.array(rows)
