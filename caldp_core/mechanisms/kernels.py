"""`design`: the kernel with the least expected displacement, with a proof of how good it is.

docs/mathematics.md, "The best noise for a distance", has the derivation: the linear program, the
bounds that its multipliers prove, and why every envelope P(z) = max_c w_c·e^{−|z − c|} of cones
over some cells c, the peaks, and their mirror images keeps the distance exactly.

Coordinates and distances are in nats of the promise, so that E between two cells is their Euclidean
distance. On a map, what leaves it is summed on its border as in `direct/planar.py`; an envelope is
not smooth, so its tails are summed term by term.

As a mechanism it is planar noise with another distribution. Reports beyond the map are moved to its
nearest row and column. Statements about the error are for a map without a border: on the real one,
moving reports back brings them nearer.

Each design for some steps is stored once, with its proof. A file is read as text that anybody may
have written: the peaks make a kernel that keeps the distance whatever they are, and the bound is
proved anew from the flows.
"""

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.extras import scipy
from caldp_core.basics.files import write_whole
from caldp_core.basics.limits import SPAN_NATS
from caldp_core.basics.types import Bools, Floats, Ints, Progress, no_progress
from caldp_core.datasets.snap import cache_folder
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.designed.relaxation import relative_gap
from caldp_core.mechanisms.direct.planar import PlanarNoise, reduced_epsilons
from caldp_core.privacy.distance import EuclideanMetric


@dataclass(frozen=True)
class StepLevels:
    """Nats per step along both axes; None along an axis of one cell, which has no noise."""

    row: float | None
    column: float | None

    @classmethod
    def of(cls, policy: EuclideanMetric) -> "StepLevels":
        """The steps of a map."""
        return cls(
            policy.epsilon_row if policy.rows > 1 else None,
            policy.epsilon_column if policy.columns > 1 else None,
        )

    @property
    def both(self) -> tuple[float | None, float | None]:
        """Along rows, along columns."""
        return self.row, self.column

    def cells_within(self, reach: float) -> float:
        """About how many displacements with no negative coordinate are within `reach` nats."""
        sizes = [reach / step for step in self.both if step is not None]
        return float(np.prod(sizes)) * (np.pi / 4 if len(sizes) == 2 else 1.0)


@dataclass(frozen=True, eq=False)
class Cells:
    """Displacements (row, column) with no negative coordinate, the nearest first.

    `rows`, `columns`: (cells,) in steps. `x`, `y`: (cells,) nats. `norm`: (cells,) distances.
    `times`: (cells,) how many mirror images each has, itself included: 1, 2 or 4.
    """

    rows: Ints
    columns: Ints
    x: Floats
    y: Floats
    norm: Floats
    times: Floats

    @classmethod
    def within(cls, steps: StepLevels, reach: float) -> "Cells":
        """All displacements within `reach` nats."""
        down, right = (np.arange(int(reach / step) + 1 if step else 1) for step in steps.both)
        rows, columns = (grid.ravel() for grid in np.meshgrid(down, right, indexing="ij"))
        x = np.asarray((steps.row or 0.0) * rows, np.float64)
        y = np.asarray((steps.column or 0.0) * columns, np.float64)
        norm = np.hypot(x, y)
        order = np.argsort(norm, kind="stable")
        order = order[: int(np.searchsorted(norm[order], reach, side="right"))]
        times = np.where(rows > 0, 2.0, 1.0) * np.where(columns > 0, 2.0, 1.0)
        return cls(rows, columns, x, y, norm, times).take(order)

    @property
    def size(self) -> int:
        """Number of displacements."""
        return int(self.norm.size)

    def take(self, chosen: Ints | slice) -> "Cells":
        """The displacements at the indices `chosen`."""
        return Cells(*(values[chosen] for values in vars(self).values()))


_GAIN_MAX: Final = 4.0
"""Nats by which a peak may rise above the cone of the cell 0."""
_REACH: Final = 42.0
"""Nats beyond which noise adds less to a mean distance than floats can show."""
_ASIDE: Final = 1e-6
"""Radians by which the wedge of a peak is widened, far above rounding."""


@dataclass(frozen=True, eq=False)
class Peaks:
    """Cells c with the logarithms of their weights; the first is the cell 0 with log weight 0.

    `rows`, `columns`: (peaks,) steps ≥ 0. `logs`: (peaks,) nats, each from its height on the cone
    of the cell 0 to 4 nats above it.
    """

    rows: Ints
    columns: Ints
    logs: Floats

    @classmethod
    def planar(cls) -> "Peaks":
        """The cone of the cell 0: planar geometric noise."""
        return cls(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1))

    def check(self, steps: StepLevels) -> None:
        """Raise `CaldpError` where the peaks are not as the class requires."""
        x, y = self.coordinates(*steps.both)
        gains = self.logs + np.hypot(x, y)
        require(
            bool(np.isfinite(gains).all() and (np.abs(gains) <= _GAIN_MAX).all())
            and self.logs[0] == 0 == self.rows[0] == self.columns[0]
            and bool((self.rows >= 0).all() and (self.columns >= 0).all()),
            "The peaks of a kernel must begin with cell 0 at 0 nats and rise above its cone by at "
            f"most {_GAIN_MAX:g} nats; design it again.",
        )

    def coordinates(self, row: float | None, column: float | None) -> tuple[Floats, Floats]:
        """(peaks,) coordinates in nats; `row`, `column`: nats per step, None for no noise."""
        return np.asarray((row or 0.0) * self.rows), np.asarray((column or 0.0) * self.columns)


def log_envelope(peaks: Peaks, at: tuple[Floats, Floats], cells: tuple[Floats, Floats]) -> Floats:
    """log p at (cells,) coordinates ≥ 0; `at`: those of the peaks, both in nats.

    Mirror images of peaks never win there: each is farther away than the peak itself. In the
    direction u a peak c comes nearest to the cone of cell 0 in the limit, |z − c| − |z| → −c·u. So
    it can win only where |c| − c·u is less than its rise above that cone: in a wedge.
    """
    x, y = cells
    norm, angles = np.hypot(x, y), np.arctan2(y, x)
    order = np.argsort(angles)
    x, y, angles = x[order], y[order], angles[order]
    best = -norm[order]
    for px, py, log in zip(*at, peaks.logs, strict=True):
        far = float(np.hypot(px, py))
        gain = log + far
        if far == 0.0 or gain <= 0.0:
            continue
        width = float(np.arccos(np.clip(1.0 - gain / far, -1.0, 1.0))) + _ASIDE
        toward = float(np.arctan2(py, px))
        wedge = slice(*np.searchsorted(angles, [toward - width, toward + width]))
        cone = log - np.hypot(x[wedge] - px, y[wedge] - py)
        np.maximum(best[wedge], cone, out=best[wedge])
    result = np.empty_like(best)
    result[order] = best
    return result


def mean_distance(peaks: Peaks, steps: StepLevels) -> float:
    """Expected displacement in nats, on a map without a border."""
    cells = Cells.within(steps, _REACH)
    weights = cells.times * np.exp(
        log_envelope(peaks, peaks.coordinates(*steps.both), (cells.x, cells.y))
    )
    return float(weights @ cells.norm / weights.sum())


NEAR_MAX: Final = 600
"""Most cells of one quadrant that are nearer than the mean displacement: a minute's work."""
_WINDOW: Final = 1500
_REACH_MIN: Final = 5.5
_REACH_MAX: Final = 24.0
_TOWARD: Final = (0.999, 0.97, 0.94, 0.9)
"""Shares of the radius at which a cell of the window is sought to stand for a far one."""
_ROUNDING: Final = 1e-9
"""Relative: taken off every bound, far more than floating point can have added to it."""


@dataclass(frozen=True, eq=False)
class Flows:
    """Multipliers: (flows,) the near cell, the cell that pays, and how much ≥ 0."""

    near: Ints
    payer: Ints
    amount: Floats


@dataclass(frozen=True, eq=False)
class Program:
    """The cells of a window, N first. `mass`, `cost`: (cells,) see the module.

    Cells beyond the window stand with one inside, at e^{−distance} of its weight or more: they are
    in its mass and cost. Those beyond 24 nats are left out; as they are farther than λ, both only
    make the bound smaller.
    """

    steps: StepLevels
    cells: Cells
    near: int
    mass: Floats
    cost: Floats
    planar: float

    @classmethod
    def of(cls, steps: StepLevels) -> "Program":
        """The program for these steps; `CaldpError` where they are too small."""
        check_steps(steps)
        planar = mean_distance(Peaks.planar(), steps)
        full = steps.cells_within(1.0)
        reach = (_WINDOW / full) ** (0.5 if None not in steps.both else 1.0)
        every = Cells.within(steps, _REACH_MAX)
        window = np.searchsorted(every.norm, np.clip(reach, _REACH_MIN, _REACH_MAX), side="right")
        cells = every.take(slice(0, int(window)))
        mass, cost = _with_far(cells, every.take(slice(int(window), None)))
        near = max(int(np.searchsorted(cells.norm, planar)), 1)
        return cls(steps, cells, near, mass, cost, planar)

    def slack(self, near: Ints, others: Ints) -> Floats:
        """log G of pairs of cells; arrays of one shape, or that broadcast."""
        c = self.cells
        distance = np.hypot(c.x[near] - c.x[others], c.y[near] - c.y[others])
        return np.asarray(np.minimum(c.norm[others] - c.norm[near] - distance, 0.0))

    def links(self) -> Floats:
        """(near, cells) G of all pairs that count."""
        near, others = np.arange(self.near)[:, None], np.arange(self.cells.size)
        return np.exp(self.slack(near, others))

    def within_means(self, flows: Flows, level: float) -> Flows:
        """Flows reduced where a cell beyond N pays more than it has above `level`."""
        size = self.cells.size
        paid = np.bincount(flows.payer, flows.amount, size)
        means = np.maximum(self.cost - level * self.mass, 0.0)
        share = np.where(paid > means, means / np.maximum(paid, np.finfo(float).tiny), 1.0)
        share[: self.near] = 1.0
        return Flows(flows.near, flows.payer, flows.amount * share[flows.payer])

    def bound(self, flows: Flows) -> float:
        """Nats below which no kernel's expected displacement is, by these multipliers."""
        amount = np.maximum(flows.amount, 0.0)
        size = self.cells.size
        income = amount * np.exp(self.slack(flows.near, flows.payer))
        remaining = self.cost + np.bincount(flows.near, income, size)
        remaining -= np.bincount(flows.payer, amount, size)
        level = min(float((remaining / self.mass).min()), float(self.cells.norm[-1]))
        return max(level * (1.0 - _ROUNDING), 0.0)


def check_steps(steps: StepLevels) -> None:
    """Raise `CaldpError` where steps are so small that a program would be too large."""
    require(
        steps.cells_within(2.0) <= NEAR_MAX,
        f"The best noise is looked for where at most {NEAR_MAX} cells lie within two nats in each "
        f"quarter of the map, here are about {steps.cells_within(2.0):,.0f}; with such small steps "
        "planar geometric noise is as good.",
    )


def _with_far(cells: Cells, far: Cells) -> tuple[Floats, Floats]:
    """Mass and cost of the window's cells with those of far ones that stand with them."""
    weights = cells.times * np.exp(-cells.norm)
    mass, cost = weights, weights * cells.norm
    if not far.size:
        return mass, cost
    tree, reach = scipy.spatial.KDTree(np.stack([cells.x, cells.y], axis=1)), float(cells.norm[-1])
    best, host = np.full(far.size, -np.inf), np.zeros(far.size, np.int64)
    for share in _TOWARD:
        nearer = reach * share / far.norm
        _, nearest = tree.query(np.stack([far.x * nearer, far.y * nearer], axis=1))
        distance = np.hypot(far.x - cells.x[nearest], far.y - cells.y[nearest])
        slack = far.norm - cells.norm[nearest] - distance
        host = np.where(slack > best, nearest, host)
        best = np.maximum(best, slack)
    weight = far.times * np.exp(best - far.norm)
    return (
        mass + np.bincount(host, weight, cells.size),
        cost + np.bincount(host, weight * far.norm, cells.size),
    )


_GAP: Final = 2e-5
"""Relative gap at which the search ends: 0.002 %."""
_ROUNDS: Final = 12
_PARENTS: Final = 3
_ALL_PAIRS: Final = 130
"""Of at most this many near cells all pairs are constraints from the start."""
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

    steps: StepLevels
    peaks: Peaks
    flows: Flows
    displacement: float
    planar: float
    bound: float

    @classmethod
    def of(cls, steps: StepLevels, peaks: Peaks, flows: Flows, program: Program) -> "Kernel":
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


def design(steps: StepLevels, progress: Progress = no_progress) -> Kernel:
    """Find the kernel with the least expected displacement, and prove how good it is.

    For a uniform prior on a torus no mechanism at all is below its `bound`. Takes a hundredth of a
    second of processor time with a nat a step, a second with 0.3, five with 0.1. Raises
    `CaldpError` where steps are too small, and what `progress` raises to cancel.
    """
    program = Program.of(steps)
    none = np.zeros(0, np.int64)
    best = Kernel.of(steps, Peaks.planar(), Flows(none, none, np.zeros(0)), program)
    progress(0.05)
    for i, (new_peaks, new_flows) in enumerate(_rounds(program)):
        flows = max(best.flows, new_flows, key=program.bound)
        peaks = min(best.peaks, new_peaks, key=lambda each: mean_distance(each, steps))
        best = Kernel.of(steps, peaks, flows, program)
        progress(min(0.95, 0.05 + 0.2 * (i + 1)))
        if best.gap <= _GAP or i + 1 == _ROUNDS:
            break
    progress(1.0)
    return best


def _rounds(program: Program) -> Iterator[tuple[Peaks, Flows]]:
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
        q, amount = solved
        flows = program.within_means(Flows(near, payer, amount), float(program.cost @ q))
        used = flows.amount > 0
        flows = Flows(flows.near[used], flows.payer[used], flows.amount[used])
        yield _peaks(program, q[: program.near]), flows
        new = _violated(links, q, included)


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


def _solve(
    program: Program, links: Floats, near: Ints, payer: Ints
) -> tuple[Floats, Floats] | None:
    """(cells,) q and (constraints,) multipliers at the optimum; None where the solver fails."""
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
            return q, amount
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


_FORGET: Final = 44.0
"""Nats beyond the map's corner from which terms are left out. A peak lifts the others by at most
4 nats, so together they are 1e-15 of their sum, as in `planar_law`."""
_TERMS_MAX: Final = 4_000_000


def quadrant_of(peaks: Peaks, policy: EuclideanMetric) -> Floats:
    """(rows, columns) weights of displacements by z_row, z_column ≥ 0; the last hold the tails.

    The peaks' weights stay, their distances are those of the ε that is kept back: the envelope
    of these cones keeps it whatever the weights are. `CaldpError` where too many terms count.
    """
    down, right = terms_of(policy)
    a, b = reduced_epsilons(policy)
    x, y = np.meshgrid(a * np.arange(down), b * np.arange(right), indexing="ij")
    logs = log_envelope(peaks, peaks.coordinates(a, b), (x.ravel(), y.ravel())).reshape(x.shape)
    terms = np.exp(0.5 * SPAN_NATS + logs)
    rows = np.add.reduceat(terms, np.arange(policy.rows), axis=0)
    return np.asarray(np.add.reduceat(rows, np.arange(policy.columns), axis=1))


def terms_of(policy: EuclideanMetric) -> tuple[int, int]:
    """How many displacements count along rows and columns; `CaldpError` for too many in all."""
    axes = list(zip((policy.rows, policy.columns), reduced_epsilons(policy), strict=True))
    farthest = math.hypot(*(epsilon * (size - 1) for size, epsilon in axes))
    down, right = (_terms(size, epsilon, farthest) for size, epsilon in axes)
    require(
        down * right <= _TERMS_MAX,
        f"The best noise may need at most {_TERMS_MAX:,} terms with its tails, here are "
        f"{down * right:,}; use planar geometric noise, a smaller map, or a larger epsilon.",
    )
    return down, right


def _terms(size: int, epsilon: float, farthest: float) -> int:
    """How many displacements along an axis count."""
    if size == 1:
        return 1
    margin = _FORGET * (2 * farthest + _FORGET) / epsilon**2
    return int(np.sqrt((size - 1) ** 2 + margin)) + 1


FORMAT: Final = "caldp kernel 1"
_BYTES_MAX: Final = 2**26


def to_text(kernel: Kernel) -> str:
    """The kernel and its proof as JSON."""
    peaks, flows = kernel.peaks, kernel.flows
    lists = {
        "peak_rows": peaks.rows,
        "peak_columns": peaks.columns,
        "peak_logs": peaks.logs,
        "near": flows.near,
        "payer": flows.payer,
        "amount": flows.amount,
    }
    head = {"format": FORMAT, "steps": kernel.steps.both}
    return json.dumps(head | {name: values.tolist() for name, values in lists.items()})


def from_text(text: str, steps: StepLevels) -> Kernel:
    """The kernel for these steps from such a text. Raises `CaldpError` for anything else."""
    program = Program.of(steps)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    require(isinstance(data, dict), f"A kernel must be a JSON object, got {text!r:.40}; {_ADVICE}")
    for key, expected in (("format", FORMAT), ("steps", list(steps.both))):
        found = data.get(key)
        rule = f"A kernel's {key} must be {expected!r}"
        require(found == expected, f"{rule}, got {found!r:.40}; {_ADVICE}")
    rows, columns = (_numbers(data, f"peak_{each}", 0, 10**6, int) for each in ("rows", "columns"))
    near = _numbers(data, "near", 0, program.near - 1, int)
    payer = _numbers(data, "payer", 0, program.cells.size - 1, int)
    logs, amount = (_numbers(data, key, -(10**9), 10**9, float) for key in ("peak_logs", "amount"))
    for name, one, *others in (("peak", rows, columns, logs), ("flow", near, payer, amount)):
        sizes = [each.size for each in (one, *others)]
        rule = f"A kernel's lists must have one entry for each {name}, at least one peak"
        require(len({*sizes}) == 1 and rows.size > 0, f"{rule}, got {sizes}; {_ADVICE}")
    return Kernel.of(steps, Peaks(rows, columns, logs), Flows(near, payer, amount), program)


_ADVICE: Final = "give the text that to_text made for these steps."


def _numbers(data: dict[str, Any], key: str, low: int, high: int, kind: type) -> NDArray[Any]:
    """The list under `key`; raises `CaldpError` unless its entries are numbers of this range."""
    noun = "whole numbers" if kind is int else "numbers"
    rule = f"A kernel's {key} must be a list of {noun} from {low:,} to {high:,}"
    values: Any = data.get(key)
    for value in values if isinstance(values, list) else [values]:
        is_right = values is not value and type(value) in (int, kind) and low <= value <= high
        require(is_right, f"{rule}, got {value!r:.40}; {_ADVICE}")
    return np.array(values, dtype=kind)


def kernel_for(steps: StepLevels, progress: Progress = no_progress) -> Kernel:
    """The kernel on file, or else designed now and stored if the folder can be written."""
    kernel = read_kernel(steps)
    if kernel is None:
        kernel = design(steps, progress)
        with suppress(CaldpError, OSError):
            _file(steps).parent.mkdir(parents=True, exist_ok=True)
            write_whole(_file(steps), to_text(kernel))
    return kernel


def read_kernel(steps: StepLevels) -> Kernel | None:
    """The kernel on file; None if no readable file has it."""
    try:
        file = _file(steps)
        if file.stat().st_size > _BYTES_MAX:
            return None
        return from_text(file.read_text(encoding="utf-8"), steps)
    except (OSError, UnicodeDecodeError, CaldpError):
        return None


def _file(steps: StepLevels) -> Path:
    names = [str(step and float(step).hex()) for step in steps.both]
    return cache_folder() / "kernels" / f"{digest(FORMAT, *names)}.json"


class BestKernelMechanism(PlanarNoise):
    """Planar noise by a designed kernel; `CaldpError` unless it is for the map's steps."""

    def __init__(self, policy: EuclideanMetric, kernel: Kernel) -> None:
        require(
            kernel.steps == StepLevels.of(policy),
            f"This noise was designed for steps of {kernel.steps} nats, the map has "
            f"{StepLevels.of(policy)}; design it for this map.",
        )
        peaks = kernel.peaks
        cells = f"{peaks.rows.tolist()} {peaks.columns.tolist()}"
        name = f"best kernel {cells} {[log.hex() for log in peaks.logs.tolist()]}"
        super().__init__(policy, partial(quadrant_of, peaks), name)
        self.kernel = kernel


def check_map(policy: EuclideanMetric) -> None:
    """Raise `CaldpError` where the best noise would be refused; designs nothing."""
    check_steps(StepLevels.of(policy))
    terms_of(policy)


def best_kernel(policy: EuclideanMetric) -> BestKernelMechanism:
    """The mechanism with the kernel that is on file for the map's steps, or is designed now."""
    check_map(policy)
    return BestKernelMechanism(policy, kernel_for(StepLevels.of(policy)))
