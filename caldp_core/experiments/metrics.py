"""How far an estimate is from the truth: distances between two (k,) vectors of shares, by name.

TV is *half* the l1 distance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, check_choice, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import TRANSPORT_CELLS_MAX
from caldp_core.basics.types import Floats
from caldp_core.domain.domains import KM_PER_DEGREE, Domain, GridDomain, degrees_apart

AnyDomain: TypeAlias = Domain | GridDomain
LARGEST_MAX: Final = 50
"""Symbols that are called the largest, at most."""
_SIDES: Final = (4, 16, 64)


def total_variation(truth: Floats, estimate: Floats) -> float:
    """½·Σ|p̂_x − p_x|: for distributions, in [0, 1], the largest error of any yes-no question."""
    return 0.5 * l1(truth, estimate)


def l1(truth: Floats, estimate: Floats) -> float:
    """Σ|p̂_x − p_x|."""
    return float(np.abs(estimate - truth).sum())


def l2(truth: Floats, estimate: Floats) -> float:
    """√Σ(p̂_x − p_x)²."""
    return float(np.sqrt(np.square(estimate - truth).sum()))


def kl_divergence(truth: Floats, estimate: Floats) -> float:
    """Σ p_x·log(p_x/p̂_x) in nats; ∞ where p̂ misses or makes negative what p holds."""
    support = truth > 0
    if (estimate[support] <= 0).any():
        return float("inf")
    return float((truth[support] * np.log(truth[support] / estimate[support])).sum())


def can_move(domain: AnyDomain) -> bool:
    """Whether `earth_movers_km` is computed on a domain: a map of at most 500 cells."""
    return isinstance(domain, GridDomain) and domain.k <= TRANSPORT_CELLS_MAX


def earth_movers_km(truth: Floats, estimate: Floats, domain: GridDomain) -> float:
    """Fewest kilometres, mean over all people, that turn one map into the other when people move.

    The earth mover's (first Wasserstein) distance, exact: the linear program over all ways to move
    people from the cells that have too many to those that have too few, where a move costs the
    great circle between the centres of two cells. Both maps must be distributions: (k,) shares
    ≥ 0, of sum 1. Raises `CaldpError` on a map of more than 500 cells, where it takes too long.
    """
    require(
        can_move(domain),
        f"Kilometres that people are moved by are computed on maps of at most "
        f"{TRANSPORT_CELLS_MAX} cells, this one has {domain.k:,}; take a part of it or larger "
        "cells.",
    )
    # What both maps have in a cell stays there: by the triangle inequality no move is saved by
    # moving it on (Villani, Optimal Transport, 2009, Remark 6.5).
    surplus = estimate - truth
    givers, takers = np.flatnonzero(surplus > 0), np.flatnonzero(surplus < 0)
    if givers.size == 0 or takers.size == 0:
        return 0.0
    # The solver's tolerance is absolute, so the average cell is to have 1; and both are to have the
    # same sum, which rounding alone keeps them from.
    moved, cells = float(surplus[givers].sum()), givers.size + takers.size
    given = surplus[givers] * (cells / moved)
    taken = surplus[takers] * (cells / float(surplus[takers].sum()))

    row, column = domain.row_column(np.arange(domain.k))
    north, east = domain.latitudes()[row], domain.longitudes()[column]
    apart = degrees_apart(
        north[givers, None], north[None, takers], east[givers, None] - east[None, takers]
    )
    cost = apart * KM_PER_DEGREE

    # A variable for each pair of a giver and a taker; it counts in the sum of either of the two.
    pairs = np.arange(cost.size)
    giver_of, taker_of = np.divmod(pairs, takers.size)
    constraints: Any = scipy.sparse.csc_array(
        (
            np.ones(2 * cost.size),
            (np.concatenate([giver_of, givers.size + taker_of]), np.tile(pairs, 2)),
        ),
        shape=(cells, cost.size),
    )
    totals = np.concatenate([given, taken])
    # The first sum follows from the others. Presolve takes longer than the dual simplex itself.
    solution = scipy.optimize.linprog(
        cost.ravel(),
        A_eq=constraints[1:],
        b_eq=totals[1:],
        method="highs-ds",
        options={"presolve": False},
    )
    if solution.fun is None:
        raise CaldpError(f"The earth mover's distance was not found: {solution.message}")
    return max(float(solution.fun), 0.0) * moved / cells


def box_sides(domain: GridDomain) -> tuple[int, ...]:
    """Sides in cells of the boxes whose errors are reported: 4, 16, 64, up to half of the map's."""
    return tuple(side for side in _SIDES if 2 * side <= min(domain.rows, domain.columns))


def box_error(truth: Floats, estimate: Floats, domain: GridDomain, side: int) -> float:
    """Total variation of boxes of side × side cells: the share of people in the wrong box.

    The mean over all ways to lay boxes edge to edge on the map, side² of them: each place of a box
    counts once, also those that reach beyond the map. `side`: 1 or more cells; 1 is
    `total_variation`.
    """
    differences = (estimate - truth).reshape(domain.rows, domain.columns)
    for _ in range(2):
        differences = _running_sums(differences, side).T
    return 0.5 * float(np.abs(differences).sum()) / side**2


def _running_sums(values: Floats, side: int) -> Floats:
    """(rows, …) → (rows + side − 1, …) sums of `side` rows in a run, and of fewer at both ends."""
    rows = values.shape[0]
    until = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    last = np.arange(1, rows + side)
    return np.asarray(until[np.minimum(last, rows)] - until[np.maximum(last - side, 0)])


@dataclass(frozen=True)
class Largest:
    """Which of the `number` largest symbols an estimate names, each in [0, 1].

    `precision`: share of the named symbols that are among the largest; `recall`: share of the
    largest that are named; `f1`: their harmonic mean.
    """

    number: int
    precision: float
    recall: float
    f1: float


def largest(truth: Floats, estimate: Floats) -> Largest:
    """How well the estimate says which symbols stand out: 50, or one in ten where there are fewer.

    Symbols that nobody has are never named. Of symbols that tie for the last places each counts in
    part, so that order alone earns nothing.
    """
    number = number_of_largest(truth.size)
    true, named = _places(truth, number), _places(estimate, number)
    both, actual, claimed = (float(each.sum()) for each in (np.minimum(true, named), true, named))
    precision = both / claimed if claimed > 0 else 0.0
    recall = both / actual if actual > 0 else 0.0
    return Largest(number, precision, recall, 2 * both / (actual + claimed) if both > 0 else 0.0)


def number_of_largest(k: int) -> int:
    """How many of k symbols are called the largest: 50, or one in ten where that is fewer."""
    return min(LARGEST_MAX, -(-k // 10))


def _places(shares: Floats, number: int) -> Floats:
    """(k,) parts of the `number` first places that symbols have, in [0, 1]."""
    last = np.sort(shares)[-number]  # np.partition takes ten times as long where most are equal
    above, level = shares > last, shares == last
    part = (number - int(above.sum())) / int(level.sum())
    return np.where(shares > 0, above + part * level, 0.0)


TV: Final = "tv"
BOXES: Final = "boxes"
LARGEST: Final = "largest"
KM: Final = "km"
_SIDE: Final = 16
"""Cells along a side of a box; smaller maps take the next smaller size of `box_sides`."""


@dataclass(frozen=True)
class Measure:
    """An error that a reader may ask for.

    `of`: (k,) true shares, (k,) estimate, domain → error ≥ 0. `is_possible`: whether a domain has
    it. `wants_shares`: it means nothing for estimates that may be negative.
    """

    name: str
    of: Callable[[Floats, Floats, AnyDomain], float]
    is_possible: Callable[[AnyDomain], bool]
    wants_shares: bool = False


def box_side(domain: AnyDomain) -> int | None:
    """Cells along a side of the boxes of the error `BOXES`; None without boxes."""
    if not isinstance(domain, GridDomain):
        return None
    return max((side for side in box_sides(domain) if side <= _SIDE), default=None)


def _of_boxes(truth: Floats, estimate: Floats, domain: AnyDomain) -> float:
    side = box_side(domain)
    assert side is not None
    assert isinstance(domain, GridDomain)
    return box_error(truth, estimate, domain, side)


def _moved(truth: Floats, estimate: Floats, domain: AnyDomain) -> float:
    assert isinstance(domain, GridDomain)
    return earth_movers_km(truth, estimate, domain)


MEASURES: Final = {
    each.name: each
    for each in (
        Measure(TV, lambda truth, estimate, _: total_variation(truth, estimate), lambda _: True),
        Measure(BOXES, _of_boxes, lambda domain: box_side(domain) is not None),
        Measure(
            LARGEST, lambda truth, estimate, _: 1.0 - largest(truth, estimate).f1, lambda _: True
        ),
        Measure(KM, _moved, can_move, wants_shares=True),
    )
}
"""Total variation; that of boxes; one less F1 of the largest symbols; earth mover's km."""


def find_measure(name: str, domain: AnyDomain) -> Measure:
    """The named measure; raises `CaldpError` for an unknown name, and where the domain has none."""
    check_choice("error", name, MEASURES)
    require(
        MEASURES[name].is_possible(domain),
        f"The error {name!r} is one of maps, of eight or more cells along each side if of boxes, "
        f"of at most {TRANSPORT_CELLS_MAX} cells if of kilometres; choose {TV!r}.",
    )
    return MEASURES[name]
