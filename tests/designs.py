"""Routes to a design's numbers that share no code with the designer, and policies to try it on."""

import math
from itertools import combinations
from typing import Final

import numpy as np
from scipy.optimize import linprog

from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.design import Design

INF: Final = math.inf


def line(k: int, epsilon: float) -> Floats:
    """E of k places on a line, epsilon nats a step."""
    return epsilon * np.abs(np.subtract.outer(np.arange(k), np.arange(k)))


def uneven(k: int, seed: int, low: float = 0.2, high: float = 2.0) -> Floats:
    """An asymmetric E without any pattern, closed or not."""
    levels = np.random.default_rng(seed).uniform(low, high, (k, k))
    np.fill_diagonal(levels, 0.0)
    return levels


def plane(k: int, seed: int) -> Floats:
    """Distances as the crow flies of k random places."""
    places = np.random.default_rng(seed).uniform(0, 2, (k, 2))
    return np.hypot(*(places[:, None] - places).transpose(2, 0, 1))


def all_rays(levels: Floats) -> Floats:
    """(rays, k) extreme rays of {v ≥ 0: v_x ≤ e^E[x, z]·v_z}: wherever k − 1 facets meet."""
    k = len(levels)
    facets = [*np.eye(k)] if np.isinf(levels).any() else []
    for x in range(k):
        for z in np.flatnonzero(np.isfinite(levels[x]) & (np.arange(k) != x)):
            facet = np.zeros(k)
            facet[x], facet[z] = -math.exp(-levels[x, z] / 2), math.exp(levels[x, z] / 2)
            facets.append(facet)
    table = np.array(facets)
    chosen = np.array(list(combinations(range(len(table)), k - 1)))
    _, sizes, spaces = np.linalg.svd(table[chosen])
    rays = spaces[sizes[:, -1] > 1e-9][:, -1]
    rays = rays * np.sign(rays.sum(axis=1, keepdims=True))
    rays = rays[((rays @ table.T > -1e-9) & (rays.sum(axis=1) > 1e-6)[:, None]).all(axis=1)]
    rays = np.maximum(rays / rays.max(axis=1, keepdims=True), 0.0)
    return rays[np.unique(np.round(rays, 7), axis=0, return_index=True)[1]]


def proved_by(design: Design, rays: Floats) -> float:
    """A lower bound on Σ ω_x·n·Var by linear programming over all extreme rays.

    With G of the design's own channel: the least λᵀ1 with λᵀv ≥ vᵀGv for every ray v with π·v = 1.
    """
    channel, prior, omega = design.channel.floats(), design.prior, design.weights
    inverse = np.linalg.inv(channel / (prior @ channel) @ channel.T)
    g = inverse @ np.diag(omega) @ inverse
    v = rays / (rays @ prior)[:, None]
    gains = np.einsum("ij,ij->i", v @ g, v)
    scale = gains.max()
    k = len(prior)
    least = linprog(np.ones(k), A_ub=-v, b_ub=-gains / scale, bounds=(None, None))
    loss = float(omega @ inverse.diagonal())
    return loss**2 / (least.fun * scale) - float(omega @ prior**2)
