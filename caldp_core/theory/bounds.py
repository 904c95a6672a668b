"""Results of the papers on errors: upper bounds, worst cases and the least error there can be.

Exact errors of a given p are in `Mechanism.variance`. CALDP = Acharya, Bonawitz, Kairouz, Ramage,
Sun 2020; ULDP = Murakami and Kawamoto 2019. Throughout: `k` values, `s` of them sensitive, `sizes`
(m,) values per block, `n` people, `alpha` a total variation in (0, 1], ε = `epsilon` in [0.001,
20]; all positive, or `CaldpError`.

The least error with a sensitive set is Yoon, Park, Nam, Lee 2025's (arXiv 2509.24173);
docs/mathematics.md, "The optimum with a sensitive set", derives it. A *share* α of the people has a
sensitive value, the best mechanisms send random sets of m sensitive values (uBD), or a mixture of
two neighbouring m. A *loss* is n·Σ_x Var(p̂_x).

The mean distance of a report from the truth is for readers who compare noise that fades with
distance with blocks. In blocks the reports that are places are those of randomized response: a
person names their own cell with probability e^ε·b, and any other cell of the block with b = 1/(s +
e^ε − 1). The other families keep the same promise there, but what they send is not a place.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics import errors
from caldp_core.basics.extras import scipy
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.domain.domains import KM_PER_DEGREE, GridDomain
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import ReportsSymbols
from caldp_core.privacy.context import Context


def high_low_tv_bound(k: int, s: int, n: int, epsilon: float) -> float:
    """CALDP Proposition 4 (17), of Hadamard response with a sensitive set: √(3s²c²/n) + √(ck/n).

    c = (e^ε+1)/(e^ε−1). The proof (27) bounds l1 by this, so TV is at most half of it. (17) prints
    √c·k/n for the second term, (27) √(c·k/n): only the latter is true, as √c·k/n falls
    below the error of the values in the clear once n is much larger than k.
    """
    c = _c(epsilon)
    s, n = errors.check_whole("s", s, 0, errors.check_k(k)), errors.check_n(n)
    return float(np.sqrt(3 * s**2 * c**2 / n) + np.sqrt(c * k / n))


def block_tv_bound(sizes: ArrayLike, n: int, epsilon: float) -> float:
    """CALDP Proposition 5 (20), of Hadamard response in blocks: 2c·√(3Σk_j²/n).

    The proof (29) bounds l1 by this, so TV is at most half of it. (29) has p(X_j) where √p(X_j)
    is meant; Cauchy–Schwarz gives the same end.
    """
    square = float(np.square(_sizes(sizes)).sum())
    return 2 * _c(epsilon) * float(np.sqrt(3 * square / errors.check_n(n)))


def _c(epsilon: float) -> float:
    return float(1.0 / np.tanh(_epsilon(epsilon) / 2))


def _epsilon(value: float) -> float:
    return errors.check_number("epsilon", value, EPSILON_MIN, EPSILON_MAX)


def _sizes(value: ArrayLike) -> Floats:
    sizes = np.asarray(value)
    errors.require(
        sizes.ndim == 1 and sizes.size > 0 and sizes.dtype.kind in "iu" and bool((sizes > 0).all()),
        f"sizes must be one whole number above 0 per block, got {value!r}.",
    )
    return sizes.astype(np.float64)


def _require_flags(sensitive: Bools, shape: tuple[int, ...]) -> None:
    errors.require(
        len(shape) == 1 and shape[0] > 0 and sensitive.shape == shape,
        "sensitive must have one flag for each of k ≥ 1 values, "
        f"got shape {sensitive.shape} for {shape}.",
    )
    errors.require(
        sensitive.dtype == np.bool_, f"sensitive must hold booleans, got {sensitive.dtype}."
    )


def urr_l1_loss(p: Floats, sensitive: Bools, n: int, epsilon: float) -> float:
    """ULDP Proposition 4 (11): E Σ|p̂−p| of utility-optimized randomized response at any p.

    In the limit of many people, where p̂ is normal: √(2/π)·Σσ_x. With u′ = e^ε−1 and
    v = (|X_S|+e^ε−1)/u′ the variances are (p_x+1/u′)(v−p_x−1/u′)/n for sensitive x and
    p_x(v−p_x)/n for the others. `p`, `sensitive`: (k,).
    """
    _require_flags(sensitive, p.shape)
    a = 1.0 / np.expm1(_epsilon(epsilon))
    v = 1.0 + float(np.count_nonzero(sensitive)) * a
    q = p + np.where(sensitive, a, 0.0)
    variance = np.maximum(q * (v - q) / errors.check_n(n), 0.0)
    return float(np.sqrt(2 / np.pi) * np.sqrt(variance).sum())


Triple: TypeAlias = tuple[float, float, float]
"""One number for each term of the loss; no array, as thousands of so small ones would cost most."""

_SHARE_TOLERANCE: Final = 1e-8
"""How near to the worst share of people `minimax` comes."""


@dataclass(frozen=True)
class Optimum:
    """The best use of sets of sensitive values, for people of whom a `share` α has one.

    `sizes`: one m, or two neighbouring ones; `weights`: the probability that a person with a
    sensitive value sends a set of each size, sums to 1. `loss`: n·Σ Var(p̂_x) where people are
    even among the sensitive and among the other values. There no unbiased estimate from reports
    that keep the promise has less.
    """

    share: float
    sizes: tuple[int, ...]
    weights: tuple[float, ...]
    loss: float


@dataclass(frozen=True)
class WorstCase:
    """Where a mechanism's loss is largest: `share` of people with a sensitive value, and `loss`."""

    share: float
    loss: float


def least_loss(k: int, s: int, epsilon: float, share: float) -> Optimum:
    """The optimum where a `share` in [0, 1] of the people has one of s sensitive values, s ≤ k.

    The loss is convex in the weights of sizes. What a size gains rises and then falls with m, so
    the best use one size or two neighbouring ones, and bisection finds them.
    """
    problem = _Problem.of(k, s, epsilon, share)
    low, high = 1, s
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if problem.slope(middle, 0.0) < 0 else (low, middle)
    part = 0.0
    if low < s and problem.slope(low, 0.0) < 0:
        part = 1.0
        if problem.slope(low, 1.0) > 0:
            part = float(
                scipy.optimize.brentq(lambda z: problem.slope(low, z), 0.0, 1.0, xtol=1e-14)
            )
    used = [(low, 1.0 - part)] * (part < 1.0) + [(low + 1, part)] * (part > 0.0)
    sizes, weights = zip(*used, strict=True)
    return Optimum(share, sizes, weights, problem.loss(low, part))


def minimax(k: int, s: int, epsilon: float) -> Optimum:
    """The optimum against the worst people: sup over α of inf over mechanisms.

    Its `share` is that worst α. For e^ε < √((s−1)(s−2)/2) it is 1, and the optimum is that of
    plain LDP on the s sensitive values alone, whatever k is.
    """
    everybody = least_loss(k, s, epsilon, 1.0)
    # The least loss is concave in α: where it still rises at 1, nobody is worse than everybody.
    if k == s or everybody.loss >= least_loss(k, s, epsilon, 1.0 - _SHARE_TOLERANCE).loss:
        return everybody
    result = scipy.optimize.minimize_scalar(
        lambda share: -least_loss(k, s, epsilon, float(share)).loss,
        bounds=(0.0, 1.0),
        method="bounded",
        options={"xatol": _SHARE_TOLERANCE},
    )
    shares = (0.0, float(result.x))
    others = (least_loss(k, s, epsilon, share) for share in shares)
    return max((*others, everybody), key=lambda o: o.loss)


def worst_case(mechanism: Mechanism) -> WorstCase:
    """The largest exact loss of a mechanism for a sensitive set in one block, over all people.

    Σ_x n·Var(p̂_x) is linear in p, with one slope for all sensitive values and one for all others,
    less Σ p_x².
    So people who are even within both are the worst, and in α it is a parabola. Raises `CaldpError`
    for other policies.
    """
    policy = mechanism.policy
    if not (isinstance(policy, Context) and policy.m == 1 and bool(policy.hidden().any())):
        raise errors.CaldpError(
            "The worst case is known for a sensitive set in one block; take such a context."
        )
    hidden = policy.hidden()
    s = int(np.count_nonzero(hidden))
    if s == hidden.size:
        return WorstCase(1.0, float(mechanism.variance(np.full(s, 1 / s), 1).sum()))

    def loss(share: float) -> float:
        p = np.where(hidden, share / s, (1.0 - share) / (hidden.size - s))
        return float(mechanism.variance(p, 1).sum())

    none, half, everybody = loss(0.0), loss(0.5), loss(1.0)
    bend = 4.0 * half - 2.0 * (none + everybody)  # of −bend·α² + …; above 0
    top = float(np.clip((everybody - none + bend) / (2.0 * bend), 0.0, 1.0))
    return max((WorstCase(at, loss(at)) for at in (0.0, top, 1.0)), key=lambda w: w.loss)


@dataclass(frozen=True)
class _Problem:
    """The loss where m gets weight 1 − z and m + 1 gets z: Σ factor/rate, rates linear in z.

    The three terms: differences of sensitive values, differences of others, and how many people
    have a sensitive value.
    """

    s: int
    e: float
    share: float
    factors: Triple

    @classmethod
    def of(cls, k: int, s: int, epsilon: float, share: float) -> "_Problem":
        errors.check_whole("s", s, 1, errors.check_k(k))
        e = float(np.exp(_epsilon(epsilon)))
        errors.check_number("share", share, 0.0, 1.0)
        others, rest = k - s, 1.0 - share
        spread = (others - 1) * rest / others if others else 0.0
        between = rest * (1 / s + 1 / others) if others else 0.0
        return cls(s, e, share, (s - 1.0, spread, between))

    def rates(self, m: int, z: float = 0.0) -> Triple:
        """Information of each kind from sets of m sensitive values, with z of m + 1."""
        if z:
            pairs = zip(self.rates(m), self.rates(m + 1), strict=True)
            first, second, third = ((1.0 - z) * one + z * other for one, other in pairs)
            return first, second, third
        s, e = self.s, self.e
        cover = s / (m * e + s - m)
        chance = self.share + (1.0 - self.share) * cover
        contrast = cover**2 * m * (s - m) * (e - 1.0) ** 2 / (s * max(s - 1, 1) * chance)
        return contrast, 1.0 - cover, (1.0 - cover) / chance

    def loss(self, m: int, z: float) -> float:
        """The loss of this mixture; every rate that counts must be above 0."""
        return sum(f / rate for f, rate in zip(self.factors, self.rates(m, z), strict=True) if f)

    def slope(self, m: int, z: float) -> float:
        """Its derivative in z, m < s; ∞ where sets of all values alone would tell nothing."""
        low, high = self.rates(m), self.rates(m + 1)
        total = 0.0
        for factor, one, other, rate in zip(self.factors, low, high, self.rates(m, z), strict=True):
            if factor and not rate:
                return inf
            total += factor * (one - other) / rate**2 if factor else 0.0
        return total


_EARTH_KM = 20_100.0
"""No two places are farther apart."""


def report_distribution(mechanism: Mechanism, x: int) -> Floats:
    """(k,) distribution of the reports of a person at x.

    Raises `CaldpError` unless the mechanism is a `ReportsSymbols`: other reports are not places.
    """
    if not isinstance(mechanism, ReportsSymbols):
        raise errors.CaldpError(
            "The reports of this mechanism are not places; choose one that adds noise."
        )
    return mechanism.law_of(x)


def block_report_distribution(labels: Ints, x: int, epsilon: float) -> Floats:
    """(k,) law of the reports of x by k-RR in blocks; `labels`: (k,), ε of the block of x."""
    (symbol,) = errors.check_symbols("x", [x], labels.size)
    block = labels == labels[symbol]
    weight = np.exp(float(errors.check_epsilon(epsilon)))
    law = np.where(block, 1.0, 0.0)
    law[symbol] = weight
    return np.asarray(law / law.sum())


def displacement_in_blocks(domain: GridDomain, rows: int, columns: int, epsilon: float) -> float:
    """Mean kilometres over all cells of the map in rows × columns blocks (`grid_blocks`).

    All cells count equally, as blocks must not be made from where people are; one degree of
    longitude counts as on the map's middle latitude.
    """
    # How often a block has each height and width: they differ by at most one cell.
    high = Counter[int](np.bincount(np.arange(domain.rows) * rows // domain.rows).tolist())
    wide = Counter[int](np.bincount(np.arange(domain.columns) * columns // domain.columns).tolist())
    total: float = sum(
        high[h] * wide[w] * h * w * _in_block(domain, h, w, epsilon) for h, w in product(high, wide)
    )
    return total / domain.k


def _in_block(domain: GridDomain, rows: int, columns: int, epsilon: float) -> float:
    """Mean kilometres in one block: b·Σ_{x, x′} d(x, x′)/s, from the pairs at each offset."""
    height, width = cell_km(domain)
    down, right = np.arange(rows), np.arange(columns)
    # Each offset but 0 occurs in both directions.
    pairs = np.outer(
        (rows - down) * np.where(down > 0, 2, 1), (columns - right) * np.where(right > 0, 2, 1)
    )
    total = float((pairs * np.hypot(height * down[:, None], width * right)).sum())
    size = rows * columns
    return total / size / (size + float(np.expm1(epsilon)))


def cell_km(domain: GridDomain) -> tuple[float, float]:
    """Height and width of a cell on the map's middle latitude, in kilometres."""
    height = domain.cell * KM_PER_DEGREE
    middle = 0.5 * (domain.area.south + domain.area.north)
    return height, height * float(np.cos(np.radians(middle)))


def blocks_with_displacement(domain: GridDomain, km: float, epsilon: float) -> tuple[int, int]:
    """(rows, columns) of `grid_blocks` whose displacement at ε is nearest to `km`.

    Among all cuts into blocks that are as wide as they are high on the ground, as nearly as cells
    allow. `km`: kilometres ≥ 0.
    """
    target = errors.check_number("km", km, 0.0, _EARTH_KM)
    level = float(errors.check_epsilon(epsilon))
    off = {
        cut: abs(displacement_in_blocks(domain, *cut, level) - target) for cut in _square(domain)
    }
    return min(off, key=off.__getitem__)


def _square(domain: GridDomain) -> list[tuple[int, int]]:
    """Cuts into blocks that are nearly square on the ground, the largest blocks first."""
    height, width = cell_km(domain)
    aspect = domain.columns * width / (domain.rows * height)
    most = max(domain.rows, round(domain.columns / aspect))
    cuts = {
        (min(rows, domain.rows), min(max(round(rows * aspect), 1), domain.columns))
        for rows in range(1, most + 1)
    }
    return sorted(cuts)
