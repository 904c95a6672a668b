"""Lower bounds on every channel's loss: the proof of how good a design is.

docs/mathematics.md, "The designer", has all of them: the certificate from extreme rays ("The
proof"), and where these are too many to look at all of them the relaxation by products of facets
(Shor's; Sherali, Adams 1990), the bounds from merged symbols and the cut by stars.

The relaxation's multipliers come from Newton's method along its central path, min tr(ΩM⁻¹) − μ Σ
log (AMAᵀ)_ij, where N_ij = μ/(AMAᵀ)_ij. It returns a proof even where it does not converge, as N ≥
0 is all that is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.mechanisms.designed.columns import ColumnScore, extreme_rays
from caldp_core.mechanisms.designed.master import AllRays, WeightedColumns, excess_of, generate
from caldp_core.mechanisms.designed.problem import Classes, ConnectedPart, Information

ROUNDING: Final = 1e-9
"""Relative: taken off every bound for the floating point in it."""


def relative_gap(loss: float, bound: float) -> float:
    """How far, at most, a loss is above any mechanism's, relative: 0.008 stands for 0.8 %."""
    if loss <= bound:
        return 0.0
    return loss / bound - 1.0 if bound > 0 else float("inf")


@dataclass(frozen=True)
class Proof:
    """`loss` tr(ΩM⁻¹) of a design (averaged over twins), and `bound`: no channel has less.

    `exact`: every extreme ray was looked at; else the bound rests on a relaxation.
    """

    loss: float
    bound: float
    exact: bool


def make_proof(weighted: WeightedColumns, excess: float) -> Proof:
    """Loss and bound of weighted columns, by the module's formula.

    `excess`: the largest vᵀGv − λᵀv of all extreme rays with π·v = 1.
    """
    loss = weighted.information.loss
    most = float(weighted.dual @ weighted.information.classes.rows_sum) + max(excess, 0.0)
    bound = loss * min(loss / most, 1.0) * (1 - ROUNDING)
    return Proof(loss, bound, True)


_GROUP_MAX: Final = 8
"""Most symbols of a group."""
_SYMBOLS: Final = 10
"""Most symbols of a merged problem, with its clusters: at most C(18, 9) = 48,620 rays."""
_SYMBOLS_MANY: Final = 9
"""Most symbols where there are more than `_GROUPS_MAX` groups: 12,870 rays."""
_GROUPS_MAX: Final = 4
"""Most groups whose problems have `_SYMBOLS` symbols."""
_TWO: Final = 2
"""Up to this number of groups, near symbols are those with a small sum of distances, in more those
with a large sum of 1/distance: on random levels and places each proves more there."""
_RAYS_MAX: Final = 60_000
_STARTS: Final = 8
"""Divisions into groups that are improved, of which the best is taken."""
_SEED: Final = 5
_ACCURACY: Final = 3e-3
_BESIDE: Final = 1e-4
"""Weight of a cluster relative to a symbol's: enough for M′ to stay regular; the proof has none."""
_SWAPPED: Final = 1e-9
"""Relative: by how much a swap of two symbols must lower the sum."""
_UNRELATED_NATS: Final = 400.0
"""Nats between symbols of which neither hides the other: at twice the largest level."""


@dataclass(frozen=True, eq=False)
class Merged:
    """A problem that keeps the symbols `kept` and has others as clusters.

    `averages`: (c, k) rows of A, those kept first. `levels`: (c, c) closed. `prior`: (c,).
    """

    kept: Ints
    averages: Floats
    levels: Floats
    prior: Floats

    @classmethod
    def of(cls, part: ConnectedPart, kept: Ints, most: int) -> "Merged":
        """Keep `kept` and cluster the others, near ones together: at most `most` symbols in all."""
        rest = np.setdiff1d(np.arange(len(part.prior)), kept)
        near = _clusters(_distances(part.levels)[np.ix_(rest, rest)], most - len(kept))
        members = [*np.eye(len(part.prior))[kept]]
        for label in np.unique(near):
            members.append(np.zeros(len(part.prior)))
            members[-1][rest[near == label]] = 1.0
        shares = np.array(members) * part.prior
        prior = shares.sum(axis=1)
        averages = shares / prior[:, None]
        return cls(kept, averages, _ratios(part.levels, averages), prior)


@dataclass(frozen=True, eq=False)
class Cut:
    """tr(CM) ≤ `most` for every channel of the part, `quadratic` C ⪰ 0: (k, k).

    `bound`: least loss of the symbols of one group.
    """

    quadratic: Floats
    most: float
    bound: float


def merged_bounds(part: ConnectedPart, progress: Progress) -> list[Cut]:
    """Cuts of groups that part the symbols; no channel's tr(ΩM⁻¹) is below their bounds' sum."""
    count, distances = -(-len(part.prior) // _GROUP_MAX), _distances(part.levels)
    groups = near_groups(distances if count <= _TWO else -1 / distances, count)
    most = _SYMBOLS if count <= _GROUPS_MAX else _SYMBOLS_MANY
    cuts = []
    for i, kept in enumerate(groups):
        cuts.append(_cut(part, Merged.of(part, kept, most)))
        progress((i + 1) / len(groups))
    return cuts


def _cut(part: ConnectedPart, problem: Merged) -> Cut:
    """The cut from the best design of the merged problem: C = AᵀG′A."""
    own, count = part.weights[problem.kept], len(problem.prior) - len(problem.kept)
    weights = np.concatenate([own, np.full(count, _BESIDE * own.mean())])
    classes = ConnectedPart(problem.levels, problem.prior, weights).classes()
    rays = extreme_rays(problem.levels, classes.labels, _RAYS_MAX)
    assert rays is not None  # by the number of symbols
    source = AllRays(classes, classes.columns(rays), problem.levels)
    best = generate(source, _ACCURACY, no_progress)
    kept_classes = Classes(classes.labels, classes.prior, np.concatenate([own, np.zeros(count)]))
    information = Information(best.information.shared, best.information.own, kept_classes)
    alone = WeightedColumns(best.columns, best.w, best.dual, information)
    proof = make_proof(alone, float(excess_of(alone, source.rays).max()))
    quadratic = problem.averages.T @ ColumnScore.of(alone).quadratic @ problem.averages
    return Cut(quadratic, proof.loss**2 / proof.bound, proof.bound)


def _ratios(levels: Floats, averages: Floats) -> Floats:
    """(c, c) closed logarithms of the most that (Av)_i/(Av)_j can be.

    v_x ≤ e^E[x, z]·v_z gives (Av)_i ≤ v_z·Σ_x A_ix·e^E[x, z], hence (Av)_j ≥ (Av)_i·Σ_z A_jz/(…);
    and v_x·Σ_z A_jz·e^−E[x, z] ≤ (Av)_j, hence (Av)_i ≤ (Av)_j·Σ_x A_ix/(…).
    """
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        up = np.where(averages[:, :, None] > 0, averages[:, :, None] * np.exp(levels), 0.0)
        first = -np.log((averages[None] / up.sum(axis=1)[:, None, :]).sum(axis=2))
        down = np.exp(-levels) @ averages.T
        each = np.where(averages[:, :, None] > 0, averages[:, :, None] / down, 0.0)
        second = np.log(each.sum(axis=1))
    closed: Floats = np.minimum(first, second)
    np.fill_diagonal(closed, 0.0)
    for through in range(len(closed)):
        closed = np.minimum(closed, closed[:, through, None] + closed[through])
    return closed


def _distances(levels: Floats) -> Floats:
    """(k, k) symmetric, positive and finite: how little two symbols hide each other.

    Entries on the diagonal mean nothing.
    """
    finite = np.minimum(levels, _UNRELATED_NATS)
    return np.asarray(finite + finite.T + np.diag(np.full(len(levels), _UNRELATED_NATS)))


def _clusters(distances: Floats, count: int) -> Ints:
    """(n,) labels of at most `count` clusters of near ones."""
    if len(distances) <= max(count, 1):
        return np.arange(len(distances))
    tree = scipy.cluster.hierarchy.linkage(
        scipy.spatial.distance.squareform(distances, checks=False), "complete"
    )
    return np.asarray(scipy.cluster.hierarchy.fcluster(tree, count, "maxclust"), np.int64)


def near_groups(distances: Floats, count: int) -> list[Ints]:
    """All symbols in `count` groups of equal size, but for one, with little within them.

    (k, k) `distances`, symmetric: its sum over pairs within groups is made small, by swaps of two
    symbols, from several random divisions.
    """
    rng, k = np.random.default_rng(_SEED), len(distances)
    distances = np.where(np.eye(k, dtype=np.bool_), 0.0, distances)
    sizes = np.arange(k) % count
    divisions = [_swapped(distances, rng.permutation(sizes)) for _ in range(_STARTS)]
    best = min(divisions, key=lambda group: float(distances[group[:, None] == group].sum()))
    return [np.flatnonzero(best == i) for i in range(count)]


def _swapped(distances: Floats, group: Ints) -> Ints:
    """(k,) labels of groups of which no swap of two symbols lowers the `distances` within."""
    rows = np.arange(len(group))
    while True:
        of = distances @ np.eye(int(group.max()) + 1)[group]
        own, other = of[rows, group], of[:, group]
        fall = own[:, None] + own - other - other.T + 2 * distances
        fall[group[:, None] == group] = 0.0
        x, z = np.unravel_index(int(fall.argmax()), fall.shape)
        if fall[x, z] <= _SWAPPED * float(np.abs(of).max()):
            return group
        group[[x, z]] = group[[z, x]]


K_MAX: Final = 32
"""Most symbols for which a step takes less than a second."""
_FACETS_MAX: Final = 160
_STEPS: Final = 80
_SHRINK: Final = 0.1
"""Factor of the barrier from one stage to the next."""
_CENTERED: Final = 1e-3
"""A stage ends when a step promises to lower its function by less than this share of it."""
_BARRIER_SHARE_END: Final = 1e-4
"""The path ends when the barrier counts for no more than this share of the loss."""
_START_SHARE: Final = 0.05
"""Share of 11ᵀ in the start, which puts it inside of all constraints."""


def facets(levels: Floats, most: int, v: Floats) -> Floats:
    """(m, k) rows a with aᵀv ≥ 0 on the cone: the pairs that no detour implies, scaled evenly.

    `v`: (N, k) columns in use; beyond `most` facets, those where they are the tightest stay.
    """
    k = len(levels)
    rows = []
    for x in range(k):
        detour = levels[x, :, None] + levels
        detour[x] = np.inf
        detour[np.arange(k), np.arange(k)] = np.inf
        needed = np.isfinite(levels[x]) & (levels[x] < detour.min(axis=0) * (1 - 1e-12))
        for z in np.flatnonzero(needed & (np.arange(k) != x)):
            row = np.zeros(k)
            row[x], row[z] = -np.exp(-levels[x, z] / 2), np.exp(levels[x, z] / 2)
            rows.append(row)
    positive = [np.eye(k)[x] for x in range(k) if not np.isfinite(np.delete(levels[:, x], x)).any()]
    table = np.array(rows + positive)
    if len(table) <= most:
        return table
    slack = np.sqrt(np.maximum(v @ table.T, 0.0)).mean(axis=0)
    return table[np.argsort(slack)[:most]]


def relaxed_bound(
    part: ConnectedPart, weighted: WeightedColumns, cuts: Sequence[Cut], progress: Progress
) -> float:
    """A bound on tr(ΩM⁻¹) of every channel of the part; the design is only the start."""
    table = facets(part.levels, _FACETS_MAX, weighted.columns.v[weighted.w > 0])
    path = _Path(part, table, cuts)
    design = (weighted.columns.v * weighted.w[:, None]).T @ weighted.columns.v
    m = (1 - _START_SHARE) * design + _START_SHARE
    barrier, best = weighted.information.loss / path.products.shape[0], 0.0
    for i in range(_STEPS):
        m, decrement = path.step(m, barrier)
        progress((i + 1) / _STEPS)
        if decrement < _CENTERED * barrier:
            best = max(best, path.bound(m, barrier))
            barrier *= _SHRINK
        if barrier * path.products.shape[0] < _BARRIER_SHARE_END * weighted.information.loss:
            break
    return best


class _Path:
    """The central path in the coordinates x of M = M₀ + Σ x_i B_i, which keep Mπ = 1."""

    def __init__(self, part: ConnectedPart, table: Floats, cuts: Sequence[Cut]) -> None:
        k = len(part.prior)
        self.part = part
        self.cuts = np.array([cut.quadratic / cut.most for cut in cuts]).reshape(len(cuts), k * k)
        first, second = np.triu_indices(k)
        basis = np.zeros((len(first), k, k))
        basis[np.arange(len(first)), first, second] = 1.0
        basis = basis + basis.transpose(0, 2, 1)
        self.free = scipy.linalg.null_space((basis @ part.prior).T)
        self.basis = np.tensordot(self.free.T, basis, axes=1)
        self.left, self.right = np.triu_indices(len(table))
        self.table = table
        fallen = scipy.sparse.csr_array(-self.cuts @ basis.reshape(len(basis), -1).T)
        self.products = scipy.sparse.vstack(
            [_of_entries(table, self.left, self.right), fallen], "csr"
        )

    def _values(self, m: Floats) -> Floats:
        products = (self.table @ m @ self.table.T)[self.left, self.right]
        return np.concatenate([products, 1 - self.cuts @ m.ravel()])

    def step(self, m: Floats, barrier: float) -> tuple[Floats, float]:
        """One damped step of Newton's; M and by how much the barrier's function was to fall."""
        values, inverse = self._values(m), np.linalg.inv(m)
        g = inverse @ (self.part.weights[:, None] * inverse)
        scaled = scipy.sparse.diags_array(1 / values) @ self.products
        pushed = np.asarray(scaled.sum(axis=0)) @ self.free
        gradient = -np.einsum("ijk,jk->i", self.basis, g) - barrier * pushed
        outer = (g @ self.basis @ inverse).reshape(len(self.basis), -1)
        hessian = 2 * outer @ self.basis.transpose(0, 2, 1).reshape(len(self.basis), -1).T
        bent = self.free.T @ (scaled.T @ scaled).toarray() @ self.free
        hessian = (hessian + hessian.T) / 2 + barrier * bent
        ridge = 1e-14 * float(np.trace(hessian)) * np.eye(len(hessian)) / len(hessian)
        move = -scipy.linalg.cho_solve(scipy.linalg.cho_factor(hessian + ridge), gradient)
        whole = np.tensordot(move, self.basis, axes=1)
        fall = float((scaled @ (self.free @ move)).min())
        reach = min(1.0, 0.95 / max(-fall, 1e-300))
        while reach > 1e-12 and np.linalg.eigvalsh(m + reach * whole)[0] <= 0:
            reach /= 2
        return m + reach * whole, -float(gradient @ move)

    def bound(self, m: Floats, barrier: float) -> float:
        """The bound proved by N = μ/(AMAᵀ) and the multipliers of the cuts."""
        k = len(m)
        multipliers = barrier / self._values(m)
        n, cut = np.zeros((len(self.table), len(self.table))), multipliers[len(self.left) :]
        n[self.left, self.right] = multipliers[: len(self.left)]
        middle = self.table.T @ (n + n.T) @ self.table / 2 - (cut @ self.cuts).reshape(k, k)
        inverse = np.linalg.inv(m)
        target = inverse @ (self.part.weights[:, None] * inverse)
        return dual_bound(self.part, np.asarray(target, np.float64), middle, float(cut.sum()))


def dual_bound(part: ConnectedPart, target: Floats, middle: Floats, more: float) -> float:
    """A bound on tr(ΩM⁻¹) by G = ½(λπᵀ + πλᵀ) − `middle`, with the λ that brings it near `target`.

    `middle`: (k, k), with tr(middle·M) ≥ −`more` for the M of every channel. λ is raised until
    G ⪰ 0: G + τ·diag(π²) goes with λ + τπ, as Σ π_x²v_x² ≤ (π·v)² for v ≥ 0.
    """
    # The λ with ½(λπᵀ + πλᵀ) nearest to target + middle, relative to π.
    means = ((target + middle) / np.outer(part.prior, part.prior)).mean(axis=1)
    dual = np.asarray(part.prior * (2 * means - means.mean()))
    both = np.outer(dual, part.prior)
    g = (both + both.T) / 2 - middle
    pressed = g / np.outer(part.prior, part.prior)
    lift = max(-float(np.linalg.eigvalsh(pressed)[0]), 0.0) * (1 + 1e-9)
    root = np.sqrt(part.weights)
    g = (g + np.diag(lift * part.prior**2)) * np.outer(root, root)
    total = float(np.sqrt(np.maximum(np.linalg.eigvalsh(g), 0.0)).sum())
    return total**2 / (float(dual.sum()) + lift + more) * (1 - ROUNDING)


def _of_entries(table: Floats, left: Ints, right: Ints) -> "scipy.sparse.csr_array":
    """(N, k(k+1)/2) how the products aᵀMa′ of facets go up with M's entries, those on top of it.

    An entry on the diagonal counts twice, as in the basis of M. Facets have at most two entries, so
    products have four, and their part of a step's Hessian costs next to nothing.
    """
    k = table.shape[1]
    first, second = np.triu_indices(k)
    place = np.zeros((k, k), np.int64)
    place[first, second] = place[second, first] = np.arange(len(first))
    symbols = np.argsort(-np.abs(table), axis=1)[:, :2]
    entries = np.take_along_axis(table, symbols, axis=1)
    x, z = symbols[left][:, :, None], symbols[right][:, None, :]
    values = entries[left][:, :, None] * entries[right][:, None, :] * np.where(x == z, 2.0, 1.0)
    rows = np.repeat(np.arange(len(left)), 4)
    shape = (len(left), len(first))
    return scipy.sparse.csr_array((values.ravel(), (rows, place[x, z].ravel())), shape=shape)


_ROUNDS: Final = 20
_SAFE: Final = 1e-9
"""Nats that a is raised by, and share of a cut's right side, for the rounding."""
_SHARES: Final = np.linspace(0.4, 2.0, 17)
"""Multiples of C that are tried."""
_STAR_STARTS: Final = 6
_STARTS_LARGE: Final = 2
_LARGE_K: Final = 100
_STAR_STEPS: Final = 60
"""Steps of each search for g and λ; its result is proved afterwards, so it need not converge."""
_LAMBDA_START: Final = 3.0
"""First λ, as a multiple of π: G is well inside of what is positive."""
_PROOF_SHARE_MIN: Final = 0.25
"""Share of the design's loss: where the first search proves less, the others do not try."""
_LOG_MOVE_MAX: Final = 20.0
"""Most that a logarithm of g is moved."""
_INFEASIBLE_VALUE: Final = 1e3


def star_cut(part: ConnectedPart, weighted: WeightedColumns, progress: Progress) -> Cut | None:
    """With the g that the design's own G has on its diagonal; None where U has no two symbols.

    `bound` is what C proves without other inequalities: for that g, and where all symbols are in U
    for the best g that is found. C + s·ππᵀ ⪰ 0 has tr((C + s·ππᵀ)M) ≤ s.
    """
    within = np.flatnonzero(np.isfinite(part.levels).all(axis=1))
    if len(within) < 2:
        return None
    sides, design = _Sides.of(part, within), ColumnScore.of(weighted).quadratic
    least = sides.quadratic(design.diagonal()[within])
    bound = max(dual_bound(part, design, -share * least, 0.0) for share in _SHARES)
    if len(within) == len(part.prior):
        bound = max(
            bound, _best_alone(sides, _PROOF_SHARE_MIN * weighted.information.loss, progress)
        )
    both = np.outer(part.prior, part.prior)
    enough = float(np.abs(np.linalg.eigvalsh(least / np.sqrt(both))).max())
    return Cut(least + enough * both, enough * (1 + _SAFE), bound)


@dataclass(frozen=True, eq=False)
class _Sides:
    """`low` l, `high` h: (u,) of the symbols `within` U: (u,)."""

    part: ConnectedPart
    within: Ints
    low: Floats
    high: Floats

    @classmethod
    def of(cls, part: ConnectedPart, within: Ints) -> "_Sides":
        up, down = covering(part.levels[np.ix_(within, within)])
        return cls(part, within, np.exp(-down), np.exp(up))

    def quadratic(self, g: Floats) -> Floats:
        """(k, k) C of (u,) g."""
        whole = np.zeros_like(self.part.levels)
        whole[np.ix_(self.within, self.within)] = star(g, self.low, self.high)
        return whole

    def proven(self, g: Floats, dual: Floats) -> tuple[float, Floats, Floats]:
        """log of (tr (Ω^½GΩ^½)^½)²/(λᵀ1), G = ½(λπᵀ + πλᵀ) + C, and its slopes by g and λ.

        −∞ where G is not positive. The root's slope is infinite there, so the best G is inside.
        """
        half = np.outer(dual, self.part.prior)
        root = np.sqrt(self.part.weights)
        inner = ((half + half.T) / 2 + self.quadratic(g)) * np.outer(root, root)
        values, vectors = np.linalg.eigh(inner)
        total, sum_of = float(np.sqrt(np.maximum(values, 0.0)).sum()), float(dual.sum())
        if values[0] <= 0 or sum_of <= 0:
            return -np.inf, np.zeros_like(g), np.zeros_like(dual)
        turned = root[:, None] * vectors
        slope = (turned / np.sqrt(values)) @ turned.T / total
        own = slope[np.ix_(self.within, self.within)]
        c, d = g * (self.low + self.high), float(g @ (self.low * self.high))
        pushed = own @ c
        by_g = own.diagonal() - (self.low + self.high) * pushed / (2 * d)
        by_g = by_g + self.low * self.high * float(c @ pushed) / (4 * d**2)
        return 2 * np.log(total) - np.log(sum_of), by_g, slope @ self.part.prior - 1 / sum_of


def _best_alone(sides: _Sides, least: float, progress: Progress) -> float:
    """A bound by g > 0 and λ that are sought from c = π on, for which λ ∝ π is enough.

    The search ends early below `least`.
    """
    prior, count = sides.part.prior, len(sides.within)
    start = prior / (sides.low + sides.high)
    scale = prior / float(start @ (sides.low * sides.high))

    def of(point: Floats) -> tuple[Floats, Floats]:
        return start * np.exp(np.clip(point[:count], -_LOG_MOVE_MAX, _LOG_MOVE_MAX)), point[
            count:
        ] * scale

    def loss(point: Floats) -> tuple[float, Floats]:
        g, dual = of(point)
        value, by_g, by_dual = sides.proven(g, dual)
        if not np.isfinite(value):
            return _INFEASIBLE_VALUE, np.zeros_like(point)
        return -value, -np.concatenate([by_g * g, by_dual * scale])

    point = np.concatenate([np.zeros(count), np.full(count, _LAMBDA_START)])
    starts = _STAR_STARTS if count < _LARGE_K else _STARTS_LARGE
    for step in range(starts):
        result = scipy.optimize.minimize(
            loss, point, jac=True, method="CG", options={"maxiter": _STAR_STEPS}
        )
        point = result.x
        progress((step + 1) / starts)
        if np.exp(-result.fun) < least:
            break
    g, dual = of(point)
    star_of, half = sides.quadratic(g), np.outer(dual, prior)
    return dual_bound(sides.part, star_of + (half + half.T) / 2, -star_of, 0.0)


def star(g: Floats, low: Floats, high: Floats) -> Floats:
    """(u, u) C of (u,) g, l and h."""
    c, d = g * (low + high), float(g @ (low * high))
    return np.asarray(np.diag(g) - np.outer(c, c) / (4 * d))


def covering(levels: Floats) -> tuple[Floats, Floats]:
    """(u,) a and (u,) b with a_x + b_z ≥ E[x, z], neither of which can be lowered alone."""
    up = levels.max(axis=1) / 2
    for _ in range(_ROUNDS):
        down = (levels - up[:, None]).max(axis=0)
        up = (levels - down).max(axis=1)
    return up + _SAFE, down
