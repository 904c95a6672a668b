"""Differencing: what two published tables show of the one person in whom they differ.

The attacker knows everybody else. Between two places the best guess is right (1 + TV)/2 of the
time, TV between the laws of the published table in the two worlds.
"""

import itertools
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.basics.errors import check_symbols, check_whole
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.treatments.release import Rounding, Suppressed, Suppression

PAIRS_MAX: Final = 1000


def place_guess_accuracy(
    treatment: Suppression | Rounding, others: Ints, labels: Ints, pair: Ints
) -> float:
    """How often the best guess between two cells of one person is right, in [0.5, 1].

    `others`: (k,) counts of everybody else; `labels`: (k,) groups, whose totals are published, too;
    `pair`: the two cells.
    """
    one, other = (
        _with_person(others, cell) for cell in check_symbols("pair", pair, others.size).tolist()
    )
    if isinstance(treatment, Suppression):
        same = _are_identical(treatment.publish(one, labels), treatment.publish(other, labels))
        return 0.5 if same else 1.0
    numbers = [np.concatenate([each[pair], _totals(each, labels, pair)]) for each in (one, other)]
    distance = _total_variation(
        [treatment.law(n) for n in numbers[0]], [treatment.law(n) for n in numbers[1]]
    )
    return float((1 + distance) / 2)


def _with_person(others: Ints, cell: int) -> Ints:
    counts = others.copy()
    counts[cell] += 1
    return counts


def _totals(counts: Ints, labels: Ints, pair: Ints) -> Ints:
    return np.array([counts[labels == group].sum() for group in np.unique(labels[pair])])


def _are_identical(one: Suppressed, other: Suppressed) -> bool:
    same = np.array_equal(one.counts, other.counts) and np.array_equal(one.totals, other.totals)
    return same and np.array_equal(one.primary, other.primary)


_Law = Mapping[int, Fraction]


def _total_variation(one: Iterable[_Law], other: Iterable[_Law]) -> Fraction:
    """TV between two products of laws, summed over all outcomes."""
    total = Fraction(0)
    pairs = list(zip(one, other, strict=True))
    for outcome in itertools.product(*({**p, **q} for p, q in pairs)):
        chances = [
            math.prod(
                (law.get(value, Fraction(0)) for law, value in zip(laws, outcome, strict=True))
            )
            for laws in zip(*pairs, strict=True)
        ]
        total += abs(Fraction(chances[0]) - Fraction(chances[1]))
    return total / 2


def exposed_newcomers(rule: Suppression, counts: Ints, labels: Ints) -> Bools:
    """(k,) True for cells whose newcomer the tables before and after give away, the rule known.

    The attacker has these two tables alone: exposed is whom all counts that fit both tables put
    into one cell. A newcomer shows in a published count, in a 0 that is now hidden as small, in a
    small count that is so no longer, and where another second count is hidden. Else there are as
    many candidates as the group has small counts; if it has one, this and the second hidden count.
    Groups of one cell have no published total, so all that are small are candidates.
    """
    table = rule.publish(counts, labels)
    small, second = table.primary, table.hidden & ~table.primary
    stays = small & (counts + 1 < rule.threshold)
    lonely = (np.bincount(labels) == 1)[labels]
    exposed = ~stays | (lonely & (np.count_nonzero(small & lonely) == 1))
    for q in np.flatnonzero(second).tolist():
        (cells,) = np.nonzero(labels == labels[q])
        (p,) = cells[small[cells]].tolist()
        fits = _second_counts(table, cells, q, int(counts[p] + counts[q]))
        exposed[p] |= not any(v > 0 and _is_second(table, cells, q, v + 1) for v in fits)
        seen = counts[q] == 0 or not _is_second(table, cells, q, int(counts[q]) + 1)
        exposed[q] = seen or not any(counts[p] + counts[q] - v + 1 < rule.threshold for v in fits)
    return np.asarray(exposed, np.bool_)


def _second_counts(table: Suppressed, cells: Ints, q: int, both: int) -> list[int]:
    """All counts that q, the second hidden cell of these, may have: `both` less a small count."""
    values = range(max(both - table.threshold + 1, 0), both)
    return [
        v for v in values if (v == 0 or v >= table.threshold) and _is_second(table, cells, q, v)
    ]


def _is_second(table: Suppressed, cells: Ints, q: int, value: int) -> bool:
    """Whether q with this count is the one to hide: no published one of these comes before it."""
    others = cells[~table.hidden[cells]]
    counts = table.counts[others]
    if value == 0:
        return not counts.any() and not (others < q).any()
    before = (counts > 0) & ((counts < value) | ((counts == value) & (others < q)))
    return not before.any()


def rounding_recovery_chance(rounding: Rounding, count: int, pairs: int) -> float:
    """Chance that a count comes out exactly from differences of overlapping regions, rounded anew.

    A region with the cell less one without it, both rounded on their own, averaged over so many
    `pairs` and rounded to the nearest whole number; a tie is half a hit. The other people of the
    regions leave every remainder equally often.
    """
    check_whole("pairs", pairs, 1, PAIRS_MAX)
    law, low = _difference(rounding, count)
    total = _power(law, pairs)
    off = np.abs(np.arange(total.size) + pairs * low - pairs * count)
    return float(total[off < pairs / 2].sum() + total[off == pairs / 2].sum() / 2)


def _difference(rounding: Rounding, count: int) -> tuple[Floats, int]:
    """The law of one difference as an array, and the number that it begins with."""
    base = rounding.base
    chances: dict[int, Fraction] = {}
    for rest in range(base):
        for (a, p), (b, q) in itertools.product(
            rounding.law(rest + count).items(), rounding.law(rest).items()
        ):
            chances[a - b] = chances.get(a - b, Fraction(0)) + p * q / base
    low = min(chances)
    law = np.zeros(max(chances) - low + 1)
    for value, chance in chances.items():
        law[value - low] = float(chance)
    return law, low


def _power(law: Floats, times: int) -> Floats:
    """The law of a sum of so many independent draws."""
    total, square = np.ones(1), law
    while times:
        if times & 1:
            total = np.convolve(total, square)
        times >>= 1
        if times:
            square = np.convolve(square, square)
    return np.asarray(total)
