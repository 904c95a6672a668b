"""`design`: the kernel with the least expected displacement, with a proof of how good it is.

See `program` for what is solved, `envelope` for why every kernel found keeps the distance exactly,
and docs/mathematics.md, "The best noise for a distance", for the derivation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import scipy

from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress
from caldp_core.mechanisms.designed.certificate import relative_gap
from caldp_core.mechanisms.kernels.envelope import Peaks, mean_distance
from caldp_core.mechanisms.kernels.lattice import Steps
from caldp_core.mechanisms.kernels.program import Flows, Program

_GAP: Final = 2e-5
"""Relative gap at which the search ends: 0.002 %."""
_ROUNDS: Final = 12
_PARENTS: Final = 3
_ALL_PAIRS: Final = 130
"""Up to so many near cells all their pairs are constraints from the start."""
_BESIDE: Final = 2.3
"""Steps to the neighbours in N that are always compared."""
_VIOLATED: Final = 1e-7
_METHODS: Final[tuple[Literal["highs-ipm"], Literal["highs-ds"]]] = ("highs-ipm", "highs-ds")
"""HiGHS's interior points are four times as quick here as its simplex, which is the second try."""
_ADDED: Final = 6
_PEAK_MARGIN: Final = 1e-9
"""Nats by which a peak must rise above all others' cones."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """Noise for lattices with these `steps`: the envelope of `peaks`.

    `displacement`, `planar`: expected distance of report and truth in nats on a map without a
    border, of this kernel and of planar geometric noise. `bound`: no translation-invariant kernel
    that keeps the distance has a smaller one, which `flows` prove.
    """

    steps: Steps
    peaks: Peaks
    flows: Flows
    displacement: float
    planar: float
    bound: float

    @classmethod
    def of(cls, steps: Steps, peaks: Peaks, flows: Flows, program: Program) -> "Kernel":
        """The kernel of these peaks, with its displacement and the bound that the flows prove."""
        peaks.check(steps)
        displacement = mean_distance(peaks, steps)
        return cls(steps, peaks, flows, displacement, program.planar, program.bound(flows))

    @property
    def gap(self) -> float:
        """How far, at most, `displacement` is above any kernel's, relative: 0.0008 is 0.08 %."""
        return relative_gap(self.displacement, self.bound)

    @property
    def planar_gap(self) -> float:
        """How far, at most, `planar` is above any kernel's, relative."""
        return relative_gap(self.planar, self.bound)


def design(steps: Steps, progress: Progress = no_progress) -> Kernel:
    """Find the kernel with the least expected displacement, and prove how good it is.

    For a uniform prior on a torus no mechanism at all is below its `bound`. Takes a hundredth of a
    second of processor time with a nat a step, a second with 0.3, five with 0.1. Raises
    `CaldpError` where steps are too small, and what `progress` raises to cancel.
    """
    program = Program.of(steps)
    best = Kernel.of(steps, Peaks.planar(), _nothing(), program)
    progress(0.05)
    for i, candidate in enumerate(_rounds(program)):
        flows = max(best.flows, candidate.flows, key=program.bound)
        peaks = min(best.peaks, candidate.peaks, key=lambda each: mean_distance(each, steps))
        best = Kernel.of(steps, peaks, flows, program)
        progress(min(0.95, 0.05 + 0.2 * (i + 1)))
        if best.gap <= _GAP or i + 1 == _ROUNDS:
            break
    progress(1.0)
    return best


@dataclass(frozen=True, eq=False)
class _Found:
    peaks: Peaks
    flows: Flows


@dataclass(frozen=True, eq=False)
class _Solved:
    """(cells,) q, (constraints,) multipliers, and the optimum."""

    q: Floats
    amount: Floats
    level: float


def _rounds(program: Program) -> Iterator[_Found]:
    """Peaks and flows of the program with more and more constraints, until none is violated."""
    links = program.links()
    own = np.arange(program.near)
    included = np.zeros(links.shape, np.bool_)
    new = _at_first(program, links)
    while new.any():
        included |= new
        included[own, own] = False
        near, payer = np.nonzero(included)
        solved = _solve(program, links[near, payer], near, payer)
        if solved is None:
            return
        flows = program.within_means(Flows(near, payer, solved.amount), solved.level)
        used = flows.amount > 0
        flows = Flows(flows.near[used], flows.payer[used], flows.amount[used])
        yield _Found(_peaks(program, solved.q[: program.near]), flows)
        new = _violated(links, solved.q, included)


def _at_first(program: Program, links: Floats) -> Bools:
    """Cell 0 with all; each cell with those of N that bind it most; N with its neighbours."""
    near, size = links.shape
    first = np.zeros(links.shape, np.bool_)
    first[0] = True
    ranked = links.copy()
    ranked[np.arange(near), np.arange(near)] = 0.0
    if near > _PARENTS + 1:
        top = np.argpartition(-ranked[1:], _PARENTS - 1, axis=0)[:_PARENTS] + 1
        first[top, np.arange(size)] = True
    else:
        first[:] = True
    x, y = program.cells.x[:near], program.cells.y[:near]
    beside = _BESIDE * sum(step or 0.0 for step in program.steps.both)
    first[:, :near] |= np.hypot(x[:, None] - x, y[:, None] - y) <= beside
    first[:, :near] |= near <= _ALL_PAIRS
    first[np.arange(near), np.arange(near)] = False
    return first


def _solve(program: Program, links: Floats, near: Ints, payer: Ints) -> _Solved | None:
    """Solution of the program with these constraints; None where the solver fails."""
    rows = np.arange(near.size)
    entries = np.concatenate([links, -np.ones(near.size)])
    places = (np.tile(rows, 2), np.concatenate([near, payer]))
    # Its type stubs know no sparse constraints.
    constraints: Any = scipy.sparse.csr_array(
        (entries, places), shape=(near.size, program.cells.size)
    )
    for method in _METHODS:
        result = scipy.optimize.linprog(
            program.cost,
            A_ub=constraints,
            b_ub=np.zeros(near.size),
            A_eq=program.mass[None, :],
            b_eq=np.ones(1),
            method=method,
        )
        if result.status == 0:
            q = np.maximum(np.asarray(result.x, np.float64), 0.0)
            amount = np.maximum(-np.asarray(result.ineqlin.marginals, np.float64), 0.0)
            return _Solved(q, amount, float(program.cost @ q))
    return None


def _violated(links: Floats, q: Floats, included: Bools) -> Bools:
    """(near, cells) for each cell the constraints violated most of those not yet `included`."""
    excess = links * q[: len(links), None] - q
    excess[included] = 0.0
    own = np.arange(len(links))
    excess[own, own] = 0.0
    worst_of_cell = np.zeros(included.shape, np.bool_)
    worst = np.argsort(-excess, axis=0)[:_ADDED]
    for row in worst:
        worst_of_cell[row, np.arange(q.size)] = True
    return np.asarray(worst_of_cell & (excess > _VIOLATED * float(q[0])))


def _peaks(program: Program, q: Floats) -> Peaks:
    """The cells of N whose cones rise above all others' somewhere."""
    near = program.cells.take(slice(0, program.near))
    if q[0] <= 0:
        return Peaks.planar()
    with np.errstate(divide="ignore"):
        logs = np.log(q) - np.log(q[0]) - near.norm
    distances = np.hypot(near.x[:, None] - near.x, near.y[:, None] - near.y)
    others = logs[:, None] - distances
    np.fill_diagonal(others, -np.inf)
    visible = logs > others.max(axis=0) + _PEAK_MARGIN
    visible[0] = True
    return Peaks(near.rows[visible], near.columns[visible], logs[visible])


def _nothing() -> Flows:
    return Flows(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
