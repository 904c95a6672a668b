"""Reconstruction of everybody's secret answer from many tables, and of a block from its table.

Dinur, Nissim 2003, by linear programming as in Dwork, McSherry, Talwar 2007: n people, a
yes or no each; every table counts the yeses of a random half of them. The attacker looks for
answers between 0 and 1 whose tables are nearest to the published ones in the sum of absolute
errors, and rounds them. Where the error of a table is well below √n, nearly all answers come out.

The census block of seven people is solved from its published table. Source: Garfinkel, Abowd,
Martindale, Communications of the ACM 62(3), 2019: a made-up block whose published counts, medians
and means have exactly one solution. Cells of one or two people are suppressed, and come out all the
same.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import scipy

from caldp_core.basics.errors import CaldpError, check_whole
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.lecture.counts import GeometricNoise
from caldp_core.treatments.release import Rounding

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
    who, membership, coins = (
        np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3)
    )
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


LINES: Final = (
    PublishedRow("1A", "everybody", 7, 30, 38),
    PublishedRow("2A", "female", 4, 30, 33.5),
    PublishedRow("2B", "male", 3, 30, 44),
    PublishedRow("2C", "black", 4, 51, 48.5),
    PublishedRow("2D", "white", 3, 24, 24),
    PublishedRow("3B", "married adults", 4, 51, 54),
    PublishedRow("4A", "black female", 3, 36, 36.7),
)
SUPPRESSED: Final = (
    ("3A", "single adults"),
    ("4B", "black male"),
    ("4C", "white male"),
    ("4D", "white female"),
    ("5A", "people under 5"),
    ("5B", "people under 18"),
    ("5C", "people of 64 and over"),
)


@dataclass(frozen=True)
class Tables:
    """Which of the published lines the attacker has, by their numbers.

    Raises `CaldpError` without 1A, 2C, 2D and 3B, as there would be too many solutions to list, and
    for numbers that no line has.
    """

    numbers: tuple[str, ...] = tuple(line.number for line in LINES)

    def __post_init__(self) -> None:
        unknown = [each for each in self.numbers if each not in _BY_NUMBER]
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
        if not has["1A"].fits(sorted(ages)):
            continue
        for female in _sexes(ages, has):
            solutions |= {_people(ages, female, married) for married in _married(ages, has["3B"])}
    return sorted(solutions)


_Ages = tuple[int, ...]
"""Ages of the four black people, then of the three white ones."""


def _ages(line: PublishedRow) -> Iterator[_Ages]:
    """Sorted ages of three or four people with the line's median and mean.

    The median says what one or two in the middle add up to, the mean what the outer two do.
    """
    total, twice = round(line.mean * line.count), round(2 * line.median)
    middles: list[tuple[int, ...]]
    if line.count % 2:
        middles = [(twice // 2,)]
    else:
        middles = [(low, twice - low) for low in range(1, twice // 2 + 1)]
    for middle in middles:
        for low in range(1, middle[0] + 1):
            high = total - sum(middle) - low
            if middle[-1] <= high <= OLDEST:
                yield (low, *middle, high)


def _sexes(ages: _Ages, has: Mapping[str, PublishedRow]) -> Iterator[tuple[int, ...]]:
    """Who is female: as many as a line says, any number if none does."""
    sizes = [has["2A"].count] if "2A" in has else [7 - has["2B"].count] if "2B" in has else range(8)
    for female in itertools.chain(*(itertools.combinations(range(7), size) for size in sizes)):
        groups = {
            "2A": female,
            "2B": [i for i in range(7) if i not in female],
            "4A": [i for i in female if i < has["2C"].count],
        }
        if all(_fit(ages, of, has[name]) for name, of in groups.items() if name in has):
            yield female


def _married(ages: _Ages, line: PublishedRow) -> Iterator[tuple[int, ...]]:
    of_age = [i for i in range(7) if ages[i] >= MARRIED_FROM]
    return (m for m in itertools.combinations(of_age, line.count) if _fit(ages, m, line))


def _fit(ages: _Ages, of: Iterable[int], line: PublishedRow) -> bool:
    return line.fits(sorted(ages[i] for i in of))


def _people(ages: _Ages, female: tuple[int, ...], married: tuple[int, ...]) -> tuple[Person, ...]:
    people = (
        Person(age, "MF"[i in female], "BW"[i >= 4], "SM"[i in married])
        for i, age in enumerate(ages)
    )
    return tuple(sorted(people))
