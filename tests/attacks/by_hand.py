"""Attacks by brute force: everything that could be is gone through, one by one."""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from caldp_core.treatments import Suppression

Group = Sequence[int]


def hidden_by_hand(counts: Group, threshold: int, second: bool) -> set[int]:
    """Places of a group's hidden counts, with a second one where one would be alone."""
    hidden = {at for at, count in enumerate(counts) if 0 < count < threshold}
    others = [at for at in range(len(counts)) if at not in hidden]
    if second and len(hidden) == 1 and others:
        hidden.add(min(others, key=lambda at: (counts[at] == 0, counts[at])))
    return hidden


def fitting(
    counts: Group, hidden: set[int], threshold: int, rule: bool
) -> Iterator[tuple[int, ...]]:
    """All whole numbers in the hidden places that leave the group's total as it is."""
    places = sorted(hidden)
    left = sum(counts[at] for at in places)
    for guess in itertools.product(range(left + 1), repeat=len(places)):
        small = all(
            not 0 < counts[at] < threshold or 0 < value < threshold
            for at, value in zip(places, guess, strict=True)
        )
        if sum(guess) == left and (small or not rule):
            yield guess


def known_by_hand(counts: Group, threshold: int, second: bool, rule: bool) -> int:
    """How many small counts of a group have one possible value."""
    hidden = hidden_by_hand(counts, threshold, second)
    worlds = list(zip(*fitting(counts, hidden, threshold, rule), strict=True))
    return sum(
        0 < counts[at] < threshold and len(set(values)) == 1
        for at, values in zip(sorted(hidden), worlds, strict=True)
    )


def newcomers_by_hand(rule: Suppression, counts: Group, labels: Group) -> list[bool]:
    """By the whole published table of each newcomer, compared with those of all others."""
    made = []
    for cell in range(len(counts)):
        more = np.array(counts)
        more[cell] += 1
        table = rule.publish(more, np.array(labels))
        made.append((*table.counts.tolist(), *table.totals.tolist(), *table.primary.tolist()))
    return [made.count(each) == 1 for each in made]


def rounded(count: int, base: int) -> dict[int, Fraction]:
    """What a count is rounded to at random, with its chances."""
    low, rest = count // base * base, Fraction(count % base, base)
    return {low: 1 - rest, **({low + base: rest} if rest else {})}


def averaged_by_hand(count: int, base: int, pairs: int) -> Fraction:
    """Chance that differences of regions, averaged and rounded, give a count; a tie half."""
    sums = {0: Fraction(1)}
    for _ in range(pairs):
        more: dict[int, Fraction] = {}
        for total, chance in sums.items():
            for rest in range(base):
                for a, p in rounded(rest + count, base).items():
                    for b, q in rounded(rest, base).items():
                        at = total + a - b
                        more[at] = more.get(at, Fraction(0)) + chance * p * q / base
        sums = more
    hits = Fraction(0)
    for total, chance in sums.items():
        off = 2 * abs(total - pairs * count)
        hits += chance if off < pairs else chance / 2 if off == pairs else 0
    return hits


def told_apart_by_hand(one: Sequence[int], other: Sequence[int], base: int) -> Fraction:
    """How often the best guess between two tables is right once all numbers are rounded."""
    laws = [[rounded(count, base) for count in table] for table in (one, other)]
    outcomes = itertools.product(*({**a, **b} for a, b in zip(*laws, strict=True)))
    right = Fraction(0)
    for outcome in outcomes:
        chances = []
        for law in laws:
            chance = Fraction(1)
            for each, value in zip(law, outcome, strict=True):
                chance *= each.get(value, Fraction(0))
            chances.append(chance)
        right += max(chances)
    return right / 2
