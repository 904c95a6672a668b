"""Attacks by brute force: everything that could be is gone through, one by one."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

Group = Sequence[int]


def hidden_by_hand(counts: Group, threshold: int, second: bool) -> set[int]:
    """Places of a group's hidden counts, with a second one where one would be alone."""
    hidden = {at for at, count in enumerate(counts) if 0 < count < threshold}
    others = [at for at in range(len(counts)) if at not in hidden]
    if second and len(hidden) == 1 and others:
        hidden.add(min(others, key=lambda at: (counts[at] == 0, counts[at])))
    return hidden


def fitting(
    counts: Group, hidden: set[int], allowed: Callable[[bool, int], bool]
) -> Iterator[tuple[int, ...]]:
    """All whole numbers in the hidden places that leave the group's total as it is.

    `allowed`: whether the attacker takes a number for possible in a place that is hidden as small
    (True) or as the second one.
    """
    places = sorted(hidden)
    left = sum(counts[at] for at in places)
    for guess in itertools.product(range(left + 1), repeat=len(places)):
        if sum(guess) == left and all(itertools.starmap(allowed, zip(places, guess, strict=True))):
            yield guess


def known_by_hand(counts: Group, threshold: int, second: bool, knows: str) -> int:
    """How many small counts of a group have one possible value; `knows`: as in `values_by_hand`."""
    return values_by_hand(counts, threshold, second, knows).count(1)


def values_by_hand(counts: Group, threshold: int, second: bool, knows: str) -> list[int]:
    """How many possible values each small count of a group has.

    `knows`: "nothing" of the rule, the "marks" of small counts, or the "rule", by which a second
    hidden count is 0 or not small.
    """
    hidden = hidden_by_hand(counts, threshold, second)

    def allowed(at: int, value: int) -> bool:
        small = 0 < value < threshold
        marked = 0 < counts[at] < threshold
        return knows == "nothing" or (small if marked else (knows == "marks" or not small))

    worlds = list(zip(*fitting(counts, hidden, allowed), strict=True))
    places = zip(sorted(hidden), worlds, strict=True)
    return [len(set(values)) for at, values in places if 0 < counts[at] < threshold]


def table_by_hand(counts: Group, labels: Group, threshold: int) -> tuple[Group, ...]:
    """What is published: counts, −1 where hidden, marks of small ones, totals of groups."""
    shown, marks, totals = list(counts), [0 < n < threshold for n in counts], []
    for label in sorted(set(labels)):
        cells = [at for at, each in enumerate(labels) if each == label]
        group = [counts[at] for at in cells]
        for at in hidden_by_hand(group, threshold, second=True):
            shown[cells[at]] = -1
        totals.append(sum(group) if len(cells) > 1 else -1)
    return shown, marks, totals


def newcomers_by_hand(threshold: int, counts: Group, labels: Group) -> list[bool]:
    """By both published tables and every table that fits them: is one newcomer left?

    Groups whose totals are published are gone through one by one, as only one total changes; those
    of one cell together.
    """
    sizes = {label: labels.count(label) for label in labels}
    units = [sizes[label] > 1 and label for label in labels]
    found = [False] * len(counts)
    for unit in set(units):
        cells = [at for at, each in enumerate(units) if each == unit]
        own, groups = [counts[at] for at in cells], [labels[at] for at in cells]
        for at, exposed in zip(cells, _newcomers_of(threshold, own, groups), strict=True):
            found[at] = exposed
    return found


def _newcomers_of(threshold: int, counts: Group, labels: Group) -> Iterator[bool]:
    def grown(table: Group, cell: int) -> tuple[Group, ...]:
        return table_by_hand([n + (at == cell) for at, n in enumerate(table)], labels, threshold)

    before, places = table_by_hand(counts, labels, threshold), range(len(counts))
    free = [at for at in places if before[0][at] == -1]
    most = max(threshold, sum(counts[at] for at in free))
    worlds = []
    for guess in itertools.product(range(most + 1), repeat=len(free)):
        world = list(counts)
        for at, value in zip(free, guess, strict=True):
            world[at] = value
        if table_by_hand(world, labels, threshold) == before:
            worlds.append(world)
    for cell in places:
        after = grown(counts, cell)
        candidates = {each for world in worlds for each in places if grown(world, each) == after}
        yield candidates == {cell}


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
