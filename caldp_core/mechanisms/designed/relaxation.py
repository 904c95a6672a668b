"""A lower bound on every channel's loss where the extreme rays are too many to look at all of them.

Let the rows of A be the facets of the cone, aᵀv ≥ 0. For any N ≥ 0 (a number for each pair of
facets) and any λ, vᵀAᵀNAv ≥ 0 on the cone, so G = ½(λπᵀ + πλᵀ) − AᵀNA satisfies vᵀGv ≤ (λᵀv)(π·v)
there, which is all that the bound of `certificate` asks of G and λ. If G ⪰ 0,

    tr(ΩM⁻¹) ≥ (tr (Ω^½GΩ^½)^½)²/(λᵀ1)   for every M of a channel that keeps E.

The best N and λ are multipliers of the relaxation that asks of M no more than M ⪰ 0, Mπ = 1 and
AMAᵀ ≥ 0 (Shor's, with the products of all constraints; Sherali, Adams 1990). Newton's method
follows its central path, min tr(ΩM⁻¹) − μ Σ log (AMAᵀ)_ij, where N_ij = μ/(AMAᵀ)_ij. It
returns a proof even where it does not converge, as N ≥ 0 is all that is asked. Cuts tr(CM) ≤ h,
h·ν more in the denominator for νC more in G, ν ≥ 0, come from problems with fewer symbols.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.types import Floats, Ints, Progress
from caldp_core.mechanisms.designed.certificate import ROUNDING
from caldp_core.mechanisms.designed.master import WeightedColumns
from caldp_core.mechanisms.designed.merged import Cut
from caldp_core.mechanisms.designed.problem import Part

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
    part: Part, weighted: WeightedColumns, cuts: Sequence[Cut], progress: Progress
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

    def __init__(self, part: Part, table: Floats, cuts: Sequence[Cut]) -> None:
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


def dual_bound(part: Part, target: Floats, middle: Floats, more: float) -> float:
    """A bound on tr(ΩM⁻¹) by G = ½(λπᵀ + πλᵀ) − `middle`, with the λ that brings it near `target`.

    `middle`: (k, k), with tr(middle·M) ≥ −`more` for the M of every channel. λ is raised until
    G ⪰ 0: G + τ·diag(π²) goes with λ + τπ, as Σ π_x²v_x² ≤ (π·v)² for v ≥ 0.
    """
    dual = _linear_form(target + middle, part.prior)
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


def _linear_form(target: Floats, prior: Floats) -> Floats:
    """The λ with ½(λπᵀ + πλᵀ) nearest to the (k, k) target, relative to π."""
    scaled = target / np.outer(prior, prior)
    k = len(prior)
    means = scaled.mean(axis=1)
    return np.asarray(prior * (2 * means - means.mean())) if k else means
