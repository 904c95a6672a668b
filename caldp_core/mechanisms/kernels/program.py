"""The linear program of the best kernel, and the lower bounds that its multipliers prove.

With p(z) = q(z)·e^{−|z|}: least Σ cost·q with Σ mass·q = 1, q ≥ 0 and q(z′) ≥ G·q(z) for all pairs,
G = e^{|z′| − |z| − |z − z′|} ≤ 1. Only pairs count whose z is nearer than the optimum λ* (below,
N): their multipliers f ≥ 0 prove that no kernel is below λ if

    cost(z) − λ·mass(z) + Σ_z′ G(z, z′)·f(z, z′) − Σ_z″ f(z″, z) ≥ 0   for all z,

as this, times q(z) and summed up, is Σ (cost − λ·mass)·q plus terms that are ≤ 0 for every kernel.
It reads as transport: far cells pay in what they exceed λ, near ones take out what they lack.
Any f ≥ 0 proves some λ; no solver needs to be believed.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from caldp_core.basics.errors import require
from caldp_core.basics.types import Floats, Ints
from caldp_core.mechanisms.kernels.envelope import Peaks, mean_distance
from caldp_core.mechanisms.kernels.lattice import Cells, Steps

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

    steps: Steps
    cells: Cells
    near: int
    mass: Floats
    cost: Floats
    planar: float

    @classmethod
    def of(cls, steps: Steps) -> "Program":
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


def check_steps(steps: Steps) -> None:
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
