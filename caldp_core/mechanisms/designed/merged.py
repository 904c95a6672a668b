"""A lower bound on every channel's loss from problems with fewer symbols, of any size.

Keep some symbols and merge the others into clusters: row i of A averages over cluster i by the
prior. Av ∈ K′ for every allowed column v, where K′ is the cone of the largest ratios (Av)_i/(Av)_j
that E allows, so M′ = AMAᵀ is what some channel for K′ has. And

    (M⁻¹)_xx = max_u 2u_x − uᵀMu ≥ (M′⁻¹)_xx   (u = Aᵀu′) for every symbol x that is kept:

to know how people are spread within a cluster only helps. So Σ_x ω_x(M⁻¹)_xx is at least the sum,
over groups that share out the symbols, of the least losses of problems that keep a group each. All
their extreme rays are looked at, which proves these as in `certificate`.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.mechanisms.designed.certificate import make_proof
from caldp_core.mechanisms.designed.climb import ColumnScore
from caldp_core.mechanisms.designed.generation import AllRays, excess_of, generate
from caldp_core.mechanisms.designed.master import WeightedColumns
from caldp_core.mechanisms.designed.moments import Classes, Information, columns_of
from caldp_core.mechanisms.designed.problem import Part
from caldp_core.mechanisms.designed.rays import extreme_rays

_GROUP_MAX: Final = 8
"""Most symbols of a group."""
_SYMBOLS: Final = 10
"""Most symbols of a merged problem, with its clusters: at most C(18, 9) = 48,620 rays."""
_SYMBOLS_MANY: Final = 9
"""Most symbols where there are more than `_GROUPS_MAX` groups: 12,870 rays."""
_GROUPS_MAX: Final = 4
"""Most groups whose problems have `_SYMBOLS` symbols."""
_TWO: Final = 2
"""Up to so many groups near symbols are those with a small sum of distances, in more with a large
sum of 1/distance: measured on random levels and places, each proves more than the other there."""
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
    def of(cls, part: Part, kept: Ints, most: int) -> "Merged":
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


def merged_bounds(part: Part, progress: Progress) -> list[Cut]:
    """Cuts of groups that part the symbols; no channel's tr(ΩM⁻¹) is below their bounds' sum."""
    count, distances = -(-len(part.prior) // _GROUP_MAX), _distances(part.levels)
    groups = near_groups(distances if count <= _TWO else -1 / distances, count)
    most = _SYMBOLS if count <= _GROUPS_MAX else _SYMBOLS_MANY
    cuts = []
    for i, kept in enumerate(groups):
        cuts.append(_cut(part, Merged.of(part, kept, most)))
        progress((i + 1) / len(groups))
    return cuts


def _cut(part: Part, problem: Merged) -> Cut:
    """The cut from the best design of the merged problem: C = AᵀG′A."""
    own, count = part.weights[problem.kept], len(problem.prior) - len(problem.kept)
    weights = np.concatenate([own, np.full(count, _BESIDE * own.mean())])
    classes = Part(problem.levels, problem.prior, weights).classes()
    rays = extreme_rays(problem.levels, classes.labels, _RAYS_MAX)
    assert rays is not None  # by the number of symbols
    source = AllRays(classes, columns_of(rays, classes), problem.levels)
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
