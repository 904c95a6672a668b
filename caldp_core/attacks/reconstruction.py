"""Reconstruction of everybody's secret answer from many tables.

Source: Dinur, Nissim 2003, by linear programming as in Dwork, McSherry, Talwar 2007: n people, a
yes or no each; every table counts the yeses of a random half of them. The attacker looks for
answers between 0 and 1 whose tables are nearest to the published ones in the sum of absolute
errors, and rounds them. Where the error of a table is well below √n, nearly all answers come out.
"""

from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import scipy

from caldp_core.basics.errors import check_whole
from caldp_core.basics.types import Bools, Floats, Ints, read_only
from caldp_core.lecture.central import GeometricNoise
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
    """Publish so many `tables` of so many `people` and solve them.

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
