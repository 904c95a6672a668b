"""What an attacker makes of published tables: by differences of two, and by reconstruction.

An attacker by differences knows everybody else. Between two places the best guess is right (1 +
TV)/2 of the time, TV between the laws of the published table in the two worlds. Of a person who
moved, both of two tables show something, so ε adds up to 2ε.

Many tables are solved as by Dinur, Nissim 2003, by linear programming as in Dwork, McSherry, Talwar
2007: n people, a yes or no each; every table counts the yeses of a random half of them. The
attacker looks for answers between 0 and 1 whose tables are nearest to the published ones in the sum
of absolute errors, and rounds them. Where the error of a table is well below √n, nearly all answers
come out.

The census block of seven people is solved from its published table. Source: Garfinkel, Abowd,
Martindale, Communications of the ACM 62(3), 2019: a made-up block whose published counts, medians
and means have exactly one solution. Cells of one or two people are suppressed, and come out all the
same.
"""

import itertools
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from caldp_core.basics.errors import CaldpError, check_symbols, check_whole
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.lecture.counts import GeometricNoise
from caldp_core.mechanisms.randomness import generators, seed_sequence
from caldp_core.treatments.release import CentralTable, Rounding
from caldp_core.treatments.suppression import HiddenTable, Suppression, group_totals

PAIRS_MAX: Final = 1000


def place_guess_accuracy(
    treatment: Suppression | Rounding, others: Ints, labels: Ints, pair: Ints
) -> float:
    """How often the best guess between two cells of one person is right, in [0.5, 1].

    `others`: (k,) counts of everybody else; `labels`: (k,) groups, whose totals are published, too;
    `pair`: the two cells.
    """
    if isinstance(treatment, Suppression):
        # Suppression draws nothing: two tables that differ give the person away, others nothing.
        first_cell, second_cell = check_symbols("pair", pair, others.size).tolist()
        totals = group_totals(labels)
        first = treatment.publish(_with_person(others, first_cell), totals)
        second = treatment.publish(_with_person(others, second_cell), totals)
        same_numbers = np.array_equal(first.numbers, second.numbers)
        if same_numbers and np.array_equal(first.marks, second.marks):
            return 0.5
        return 1.0
    rows = _rows(treatment, others, labels, pair)
    return float(np.maximum(*rows).sum() / 2)


def _with_person(others: Ints, cell: int) -> Ints:
    """(k,) counts of everybody else and of the person, who is in `cell`."""
    counts = others.copy()
    counts[cell] += 1
    return counts


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
    # A newcomer who leaves a count small changes nothing that is published, unless it is the only
    # candidate: a group of one cell has no total, and all such small cells are candidates together.
    stays = small & (counts + 1 < rule.threshold)
    lonely = (np.bincount(labels) == 1)[labels]
    exposed = ~stays | (lonely & (np.count_nonzero(small & lonely) == 1))
    for q in np.flatnonzero(second).tolist():
        # A group with a second hidden count q has one small count p: their sum is published. `fits`
        # are the counts of q that explain the table before the newcomer.
        (cells,) = np.nonzero(labels == labels[q])
        (p,) = cells[small[cells]].tolist()
        both = int(counts[p] + counts[q])
        values = np.arange(max(both - rule.threshold + 1, 0), both)
        fits = values[(values == 0) | (values >= rule.threshold)]
        fits = fits[_is_second(table, cells, q, fits)]
        exposed[p] |= not (_is_second(table, cells, q, fits + 1) & (fits > 0)).any()
        seen = counts[q] == 0 or not _is_second(table, cells, q, counts[[q]] + 1).any()
        exposed[q] = seen or not (both - fits + 1 < rule.threshold).any()
    return np.asarray(exposed, np.bool_)


def _is_second(table: HiddenTable, cells: Ints, q: int, values: Ints) -> Bools:
    """Whether q with each of these counts is the one to hide: no published one comes before it."""
    others = cells[~table.hidden[cells]]
    counts = table.counts[others]
    if counts.any():
        least = counts[counts > 0].min()
        after = q < others[counts == least][0]
        found = (values > 0) & ((values < least) | ((values == least) & after))
    else:
        found = (values > 0) | ~(others < q).any()
    return np.asarray(found, np.bool_)


def rounding_recovery_chance(rounding: Rounding, count: int, pairs: int) -> float:
    """Chance that a count comes out exactly from differences of overlapping regions, rounded anew.

    A region with the cell less one without it, each rounded separately, averaged over this many
    `pairs` and rounded to the nearest whole number; a tie is half a hit. The other people of the
    regions leave every remainder equally often.
    """
    check_whole("pairs", pairs, 1, PAIRS_MAX)
    law, low = _difference(rounding, count)
    size = pairs * (law.size - 1) + 1
    total = np.maximum(np.fft.irfft(np.fft.rfft(law, size) ** pairs, size), 0.0)
    off = np.abs(np.arange(total.size) + pairs * low - pairs * count)
    return float(total[off < pairs / 2].sum() + total[off == pairs / 2].sum() / 2)


def _difference(rounding: Rounding, count: int) -> tuple[Floats, int]:
    """The law of one difference as an array, and the number that it begins with."""
    base = rounding.base
    # The region without the cell leaves each remainder equally often; in exact fractions, as
    # thousands of such laws are convolved later.
    chances: dict[int, Fraction] = {}
    for remainder in range(base):
        with_cell = rounding.law(remainder + count)
        without_cell = rounding.law(remainder)
        for larger, p in with_cell.items():
            for smaller, q in without_cell.items():
                difference = larger - smaller
                chances[difference] = chances.get(difference, Fraction(0)) + p * q / base
    low = min(chances)
    law = np.zeros(max(chances) - low + 1)
    for difference, chance in chances.items():
        law[difference - low] = float(chance)
    return law, low


_DIGITS = 12
"""Decimals to which chances must agree for outcomes to count as one."""


def direction_guess_accuracy(rows: Floats) -> float:
    """How often the best guess of the direction is right after both days, in [0.5, 1].

    `rows`: (2, outcomes) chances of what one day shows, if the person is in one or the other cell;
    days are independent. ½ Σ max(p_i q_j, q_i p_j), by outcomes with one likelihood ratio.
    """
    totals = rows.sum(axis=0)
    rows = rows[:, totals > 0]
    # Outcomes with one ratio say the same: put together, thousands become a few dozen.
    ratios, place = np.unique(np.round(rows[0] / rows.sum(axis=0), _DIGITS), return_inverse=True)
    p = np.bincount(place, rows[0], ratios.size)
    q = np.bincount(place, rows[1], ratios.size)
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
    return direction_guess_accuracy(_rows(treatment, others, labels, pair))


def noisy_move_guess_accuracy(noise: CentralTable) -> float:
    """How often the best guess of the direction is right after central noise, in [0.5, 1].

    Each of four counts points in one direction, the true one with chance r = 1/(1 + e^{−ε/2}); the
    majority of four is right 3r² − 2r³ of the time, ties being guesses, as the majority of three
    is.
    """
    r = noise.guess_accuracy
    return 3 * r**2 - 2 * r**3


def _rows(rounding: Rounding, others: Ints, labels: Ints, pair: Ints) -> Floats:
    """(2, outcomes) chances of what both worlds show: the two cells and their groups' totals."""
    ends = check_symbols("pair", pair, others.size)
    groups = np.unique(labels[ends])

    # By world the law of each published number that the person changes: two cells, and the total
    # of the one group or the two groups that they are in.
    laws_of_worlds = []
    for cell in ends.tolist():
        counts = _with_person(others, cell)
        laws = [rounding.law(count) for count in counts[ends].tolist()]
        for group in groups:
            laws.append(rounding.law(int(counts[labels == group].sum())))
        laws_of_worlds.append(laws)

    # Both worlds need the same outcomes, those included that one of them never shows.
    first_laws, second_laws = laws_of_worlds
    values = []
    for first_law, second_law in zip(first_laws, second_laws, strict=True):
        values.append(sorted({*first_law, *second_law}))
    rows = []
    for laws in laws_of_worlds:
        row = []
        for outcome in itertools.product(*values):
            # Numbers are rounded independently.
            chance = Fraction(1)
            for law, value in zip(laws, outcome, strict=True):
                chance *= law.get(value, Fraction(0))
            row.append(float(chance))
        rows.append(row)
    return np.array(rows)


PEOPLE_MAX: Final = 400
TABLES_MAX: Final = 2000


class Publisher(Protocol):
    """How the counts of all tables are published."""

    def __call__(self, counts: Ints, rng: np.random.Generator) -> Floats:
        """(m,) published numbers of (m,) counts."""


def publish_exact(counts: Ints, rng: np.random.Generator) -> Floats:
    """(m,) counts as they are; `rng` is not used."""
    del rng
    return counts.astype(np.float64)


@dataclass(frozen=True)
class Rounded:
    """Every count rounded at random to a multiple of `base`."""

    base: int

    def __call__(self, counts: Ints, rng: np.random.Generator) -> Floats:
        """(m,) rounded numbers of (m,) counts."""
        return Rounding(self.base).draw(counts, rng).astype(np.float64)


@dataclass(frozen=True)
class Noisy:
    """A trusted office's noise, with one ε for all tables together.

    One person's answer changes each table by at most one, so each of m tables gets ε/m, and its
    error grows with their number.
    """

    epsilon: float

    def __call__(self, counts: Ints, rng: np.random.Generator) -> Floats:
        """(m,) noisy numbers of (m,) counts."""
        noise = GeometricNoise(self.epsilon / max(counts.size, 1))
        return (counts + noise.draw(counts.shape, rng)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """True and reconstructed answers, (n,) each.

    `error`: mean error of the published counts, in people.
    """

    truth: Bools
    answers: Bools
    error: float

    @property
    def accuracy(self) -> float:
        """Share of people whose answer is right, in [0, 1]; ½ for guesses."""
        return float((self.truth == self.answers).mean())


def reconstruct(people: int, tables: int, publisher: Publisher, seed: int) -> Reconstruction:
    """Publish `tables` random tables of `people` people and solve them.

    Half of the people, at random, say yes. The same seed gives the same people, and of more tables
    the first ones are the same. Raises `CaldpError` for too many of either.
    """
    n = check_whole("people", people, 2, PEOPLE_MAX)
    m = check_whole("tables", tables, 1, TABLES_MAX)
    who, membership, coins = generators(seed_sequence(seed), 3)
    truth = who.permutation(n) < n // 2
    members = membership.random((m, n)) < 0.5
    counts = (members & truth).sum(axis=1)
    published = publisher(counts, coins)
    answers = fit_answers(members, published) > 0.5
    error = float(np.abs(published - counts).mean())
    return Reconstruction(read_only(truth), read_only(answers), error)


def fit_answers(members: Bools, published: Floats) -> Floats:
    """(n,) answers in [0, 1] that minimise Σ_t |Σ_{i in t} x_i − published_t|, by HiGHS.

    `members`: (m, n) who is in which table.
    """
    m, n = members.shape
    ones = scipy.sparse.eye_array(m, format="csr")
    # Each table's sum may be off by the difference of two slacks ≥ 0; the objective adds up both.
    sums: Any = scipy.sparse.hstack(
        [scipy.sparse.csr_array(members.astype(np.float64)), ones, -ones], format="csr"
    )
    solution = scipy.optimize.linprog(
        np.concatenate([np.zeros(n), np.ones(2 * m)]),
        A_eq=sums,
        b_eq=published,
        bounds=[(0.0, 1.0)] * n + [(0.0, None)] * (2 * m),
        method="highs",
    )
    assert solution.x is not None  # 0 ≤ x ≤ 1 with slack on both sides always has a solution
    return np.asarray(solution.x[:n], dtype=np.float64)


OLDEST: Final = 115
MARRIED_FROM: Final = 15
_TENTH: Final = 0.1
_TINY: Final = 1e-9


class Person(NamedTuple):
    """Age in years; F or M; B or W for black or white; M or S for married or single."""

    age: int
    sex: str
    race: str
    married: str

    def __str__(self) -> str:
        return f"{self.age}{self.sex}{self.race}{self.married}"


@dataclass(frozen=True)
class PublishedRow:
    """A row of the published table: who is counted, how many, and their ages' median and mean."""

    number: str
    who: str
    count: int
    median: float
    mean: float

    def fits(self, ages: Sequence[int]) -> bool:
        """Whether sorted ages have this count, median and mean, rounded to a tenth."""
        if len(ages) != self.count:
            return False
        middle = ages[(self.count - 1) // 2] + ages[self.count // 2]
        return (
            abs(middle - 2 * self.median) < _TENTH
            and abs(sum(ages) - self.mean * self.count) <= _TENTH / 2 * self.count + _TINY
        )


_TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
LINES: Final = tuple(PublishedRow(*line) for line in _TABLE["lines"])
SUPPRESSED: Final = tuple((number, who) for number, who in _TABLE["suppressed"])


@dataclass(frozen=True)
class Tables:
    """Which of the published lines the attacker has, by their numbers.

    Raises `CaldpError` without 1A, 2C, 2D and 3B, as there would be too many solutions to list, and
    for numbers that no line has.
    """

    numbers: tuple[str, ...] = tuple(line.number for line in LINES)

    def __post_init__(self) -> None:
        unknown = [number for number in self.numbers if number not in _BY_NUMBER]
        if unknown or not set(self.numbers) >= _NEEDED:
            raise CaldpError(
                f"numbers must be of {', '.join(_BY_NUMBER)} and hold "
                f"{', '.join(sorted(_NEEDED))}, got {', '.join(self.numbers) or 'none'}."
            )

    def lines(self) -> tuple[PublishedRow, ...]:
        """The lines, in their order."""
        return tuple(line for line in LINES if line.number in self.numbers)


_BY_NUMBER: Final = {line.number: line for line in LINES}
_NEEDED: Final = frozenset({"1A", "2C", "2D", "3B"})


def worlds(tables: Tables) -> list[tuple[Person, ...]]:
    """Every block of seven people that fits the published lines, each sorted by age.

    Ages from 1 to 115; nobody married is under 15. One after the other: four black and three white
    people by their ages, then who of them is female, then who is married.
    """
    has = {line.number: line for line in tables.lines()}
    solutions = set()
    for black, white in itertools.product(_ages(has["2C"]), list(_ages(has["2D"]))):
        ages = black + white
        # The line of all people leaves few of these ages, so that it is looked at first.
        if not has["1A"].fits(sorted(ages)):
            continue
        of_age = [person for person in range(7) if ages[person] >= MARRIED_FROM]
        couples = []
        for married in itertools.combinations(of_age, has["3B"].count):
            if _fit(ages, married, has["3B"]):
                couples.append(married)
        # Sex and marriage are not published together: each of one goes with each of the other.
        for female in _sexes(ages, has):
            for married in couples:
                solutions.add(_people(ages, female, married))
    return sorted(solutions)


_Ages = tuple[int, ...]
"""Ages of the four black people, then of the three white ones."""


def _ages(line: PublishedRow) -> Iterator[_Ages]:
    """Sorted ages of three or four people with the line's median and mean.

    The median says what one or two in the middle add up to, the mean what the outer two do.
    """
    total = round(line.mean * line.count)
    twice_median = round(2 * line.median)
    middles: list[tuple[int, ...]] = []
    if line.count % 2:
        middles.append((twice_median // 2,))
    else:
        for low in range(1, twice_median // 2 + 1):
            middles.append((low, twice_median - low))
    for middle in middles:
        for low in range(1, middle[0] + 1):
            high = total - sum(middle) - low
            if middle[-1] <= high <= OLDEST:
                yield (low, *middle, high)


def _sexes(ages: _Ages, has: Mapping[str, PublishedRow]) -> Iterator[tuple[int, ...]]:
    """Who is female: as many as a line says, any number if none does."""
    sizes: Iterable[int] = range(8)
    if "2A" in has:
        sizes = [has["2A"].count]
    elif "2B" in has:
        sizes = [7 - has["2B"].count]
    for size in sizes:
        for female in itertools.combinations(range(7), size):
            if _fit_sexes(ages, female, has):
                yield female


def _fit_sexes(ages: _Ages, female: tuple[int, ...], has: Mapping[str, PublishedRow]) -> bool:
    """Whether the published lines of women, of men and of black women fit, those that there are."""
    groups = {
        "2A": female,
        "2B": tuple(person for person in range(7) if person not in female),
        # The black people come first.
        "4A": tuple(person for person in female if person < has["2C"].count),
    }
    for number, people in groups.items():
        if number in has and not _fit(ages, people, has[number]):
            return False
    return True


def _fit(ages: _Ages, people: Iterable[int], line: PublishedRow) -> bool:
    """Whether the ages of these people have the line's count, median and mean."""
    return line.fits(sorted(ages[person] for person in people))


def _people(ages: _Ages, female: tuple[int, ...], married: tuple[int, ...]) -> tuple[Person, ...]:
    """A block of people, sorted: equal ones are then equal, whatever their numbers were."""
    people = []
    for number, age in enumerate(ages):
        sex, race, status = "M", "B", "S"
        if number in female:
            sex = "F"
        if number >= 4:
            race = "W"
        if number in married:
            status = "M"
        people.append(Person(age, sex, race, status))
    return tuple(sorted(people))
