"""The estimator "mixture": on a map, each cell is expected to hold what smoothers say together.

A smoother is a weighted mean of the shares around a cell, without the cell itself: round kernels of
five widths, long ones in eight directions, and the even part of the block. How well each explains
the estimates nearby is its weight there (Bayesian model averaging: Hoeting, Madigan, Raftery and
Volinsky 1999), so coasts, roads, towns and empty land each get their own mixture. All else is the
cascade's: where to begin, the shapes, one quantile per block, and all of it where surroundings do
not help to explain the estimates. docs/estimators.md says what it gains and where it does not.

"chosen" lets the evidence choose between that and an even part of the block, and how shares spread:
symbols of which about the same is expected have a law of any form (Kiefer and Wolfowitz 1956) where
it explains estimates that it was not fitted to better, by more than surroundings may know of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Bools, Floats, Singles, read_only
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.cascade_estimator import (
    EDGES,
    EVIDENCE_MIN_NATS,
    LOG_E,
    SHAPES,
    UNSHRUNK_ABOVE,
    Z_GRID,
    Fit,
    GridEstimates,
    NoisySymbols,
    Shape,
    best_fit,
    even_shares,
    excess_nats,
    likelihood,
    log_evidence,
    log_rows,
    look_up,
    pooling_helps,
    posterior_quantiles,
    prior_law,
    quantile_table,
    shape_scores,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import noise_skewness
from caldp_core.mechanisms.randomness import generator

_WIDTHS: Final = (0.7, 1.2, 2.2, 4.0, 8.0)
"""Cells: standard deviations of the round kernels, which are normal."""
_LENGTH, _BREADTH, _DIRECTIONS = 3.0, 0.6, 8
"""Cells: standard deviations of the long kernels along and across, and their number."""
_CUT: Final = 3.4
"""Standard deviations at which a kernel ends."""
_LEAST_INSIDE: Final = 1e-3
"""Least part of a kernel that counts as on the map."""
_NEARBY: Final = 5.0
"""Cells: standard deviation of the surroundings in which smoothers are compared."""
_STRIDE: Final = 4
"""Cells between the places at which they are compared; between these weights are interpolated."""
_FAINT_BELOW: Final = -1.0
"""Logarithm of the expected share, in σ, below which shares have a shape of their own."""
_ROUNDS: Final = 2


@dataclass(frozen=True, eq=False)
class Smoothers:
    """Weighted means around each cell of a map, by one Fourier transform each.

    `padded`: rows and columns of the transform. `spectra`: (f, padded rows, half of the columns) of
    the kernels. `inside`: (f, rows, columns) the part of each kernel that lies on the map.
    """

    padded: tuple[int, int]
    spectra: Singles
    inside: Singles

    def means(self, values: Floats) -> Iterator[Singles]:
        """(k,) means by each of the f kernels; `values`: (k,)."""
        _, rows, columns = self.inside.shape
        table = values.reshape(rows, columns).astype(np.float32)
        spectrum = scipy.fft.rfft2(table, self.padded)
        for kernel, inside in zip(self.spectra, self.inside, strict=True):
            sums = scipy.fft.irfft2(spectrum * kernel, self.padded)[:rows, :columns]
            yield np.asarray(sums / inside, np.float32).ravel()


@cached
def smoothers(rows: int, columns: int) -> Smoothers:
    """The kernels on a map of that size, with padding so that no edge meets the opposite one."""
    kernels = [_kernel(width, width, 0.0) for width in _WIDTHS]
    turns = np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    kernels += [_kernel(_LENGTH, _BREADTH, angle) for angle in turns]
    reach = max(len(kernel) for kernel in kernels) // 2
    padded = (
        scipy.fft.next_fast_len(rows + reach, real=True),
        scipy.fft.next_fast_len(columns + reach, real=True),
    )
    spectra = np.stack([_spectrum(kernel, padded) for kernel in kernels])
    everywhere = scipy.fft.rfft2(np.ones((rows, columns), np.float32), padded)
    inside = scipy.fft.irfft2(everywhere * spectra, padded)[:, :rows, :columns]
    return Smoothers(padded, read_only(spectra), read_only(np.maximum(inside, _LEAST_INSIDE)))


def _kernel(along: float, across: float, angle: float) -> Floats:
    """(2h + 1, 2h + 1) weights around a cell, sum 1, itself 0; standard deviations in cells."""
    half = int(np.ceil(_CUT * max(along, across)))
    down, right = np.mgrid[-half : half + 1, -half : half + 1]
    forward = np.cos(angle) * right + np.sin(angle) * down
    aside = np.cos(angle) * down - np.sin(angle) * right
    kernel = np.exp(-0.5 * ((forward / along) ** 2 + (aside / across) ** 2))
    kernel[half, half] = 0.0
    return np.asarray(kernel / kernel.sum())


def _spectrum(kernel: Floats, padded: tuple[int, int]) -> Singles:
    """The transform of a kernel around the first cell; real, as a kernel equals its half turn."""
    table, steps = np.zeros(padded), np.arange(len(kernel)) - len(kernel) // 2
    np.add.at(table, (steps[:, None] % padded[0], steps % padded[1]), kernel)
    return np.asarray(scipy.fft.rfft2(table).real, np.float32)


@lru_cache(maxsize=8)
def _nearby(size: int) -> tuple[Singles, Singles]:
    """(places, size) weights of cells around each place, and (size, places) of interpolation.

    Weights of a map sum to 2π·`_NEARBY`², half of what independent cells would have, as smoothers
    see nearly the same surroundings of cells that lie side by side.
    """
    cells, places = np.arange(size), np.arange(0, size + _STRIDE - 1, _STRIDE)
    weights = np.exp(-0.5 * ((cells - places[:, None]) / _NEARBY) ** 2)
    weights *= np.sqrt(2.0 * np.pi) * _NEARBY / weights.sum(axis=1, keepdims=True)
    between = np.maximum(1.0 - np.abs(cells[:, None] - places) / _STRIDE, 0.0)
    return read_only(weights.astype(np.float32)), read_only(between.astype(np.float32))


def mixture_estimate(evidence: Evidence) -> Floats:
    """(k,) shares ≥ 0 that keep each block's observed total; without a map the cascade's."""
    return _shares_by(evidence, mixture_fit)


def _shares_by(
    evidence: Evidence, fitted: Callable[[Evidence], tuple[NoisySymbols, Fit]]
) -> Floats:
    if not pooling_helps(evidence.mechanism):
        return evidence.plausible
    noisy, fit = fitted(evidence)
    return noisy.shares(fit)


def mixture_fit(evidence: Evidence) -> tuple[NoisySymbols, Fit]:
    """The noisy symbols and what they may hold; the cascade's where surroundings do not help."""
    domain = evidence.domain
    noisy, fit = best_fit(evidence)
    if isinstance(domain, GridDomain) and fit.uses_place:
        even = even_shares(evidence.tied_shares)
        for _ in range(_ROUNDS):
            fit = _mixed_fit(noisy, domain, noisy.shares(fit), even)
    return noisy, fit


def _mixed_fit(noisy: NoisySymbols, domain: GridDomain, shares: Floats, even: Floats) -> Fit:
    """What the (u,) noisy symbols may hold by all smoothers of the (k,) `shares` so far."""
    expected: list[Singles | Floats] = [*smoothers(domain.rows, domain.columns).means(shares), even]
    held = np.stack([each[noisy.at] / noisy.deviation for each in expected])
    logs = np.log(np.maximum(held, np.exp(LOG_E[0]))).astype(np.float32)
    return _fit_by_level(noisy, np.einsum("fu,fu->u", _weights(noisy, domain, logs), logs))


def _weights(noisy: NoisySymbols, domain: GridDomain, logs: Singles) -> Singles:
    """(f, u) weights of smoothers that expect the (f, u) shares of these logarithms, sum 1."""
    nats = np.zeros((len(logs), domain.k), np.float32)
    for each, expected in zip(nats, logs, strict=True):
        rows = log_rows(expected)
        best = int(np.argmax(shape_scores(noisy.seen, rows)))
        each[noisy.at] = log_evidence()[best][rows, noisy.seen.nearest]
    nats[:, noisy.at[noisy.seen.far]] = 0.0
    (down, from_rows), (right, from_columns) = _nearby(domain.rows), _nearby(domain.columns)
    local = down @ nats.reshape(-1, domain.rows, domain.columns) @ right.T
    weights = np.exp(local - local.max(axis=0))
    weights /= weights.sum(axis=0)
    everywhere = from_rows @ weights @ from_columns.T
    return np.asarray(everywhere.reshape(len(logs), -1)[:, noisy.at])


def _fit_by_level(noisy: NoisySymbols, logs: Singles) -> Fit:
    """The shapes that fit best, one for what is expected to be faint and one for the rest."""
    rows, bright = log_rows(logs), logs > _FAINT_BELOW
    shapes, nats = [], 0.0
    for members in (~bright, bright):
        scores = shape_scores(GridEstimates.of(noisy.seen.z[members]), rows[members])
        shapes.append(SHAPES[int(np.argmax(scores))])
        nats += float(scores.max())
    rows = rows + bright * LOG_E.size
    quantiles = np.concatenate([quantile_table(shape) for shape in shapes], axis=1)
    law = np.concatenate([prior_law(shape) for shape in shapes])
    return Fit(partial(look_up, noisy.seen, quantiles, rows), nats, rows, law, uses_place=True)


_GROUP: Final = 8
"""Rows of the grid of expected shares, a factor e, whose symbols have one law."""
_FREE: Final = (-4.0, 1.5)
"""Logarithms of expected shares, in σ, with free laws: below are few people, above few shrink."""
_NARROW: Final = Shape(2048.0, 2048.0)
"""Shares that are as expected."""
_GROUP_NATS: Final = 3.0
"""Nats by which another law must be better for a group."""
_EMPTY, _AS_BEFORE, _EM_ROUNDS = 0.1, 5.0, 30
"""Of the law that EM begins with: the part that is put at 0, and for how many symbols it counts."""
_PEOPLE_EACH: Final = 10
"""People per symbol; of fewer a free law would explain who happens to be where."""
_SKEW_MAX: Final = 0.2
"""Mean skewness of the noise above which a free law would explain the noise."""


def chosen_estimate(evidence: Evidence) -> Floats:
    """(k,) shares ≥ 0 that keep each block's observed total; without a map the cascade's."""
    return _shares_by(evidence, chosen_fit)


def chosen_fit(evidence: Evidence) -> tuple[NoisySymbols, Fit]:
    """The noisy symbols and what they may hold, by surroundings or by an even part of the block."""
    noisy, around = mixture_fit(evidence)
    on_map = isinstance(evidence.domain, GridDomain) and noisy.at.size > 0
    kept = len(around.prior) == 1 or evidence.n < _PEOPLE_EACH * noisy.at.size
    if not on_map or kept or noise_skewness(evidence)[noisy.at].mean() > _SKEW_MAX:
        return noisy, around
    tied = evidence.tied_shares
    excess = excess_nats(evidence.cascade_pooling, tied) if around.uses_place else 0.0
    near = with_best_laws(noisy, around, excess)
    apart = with_best_laws(noisy, noisy.fit(even_shares(tied)), 0.0)
    return noisy, apart if apart.nats > near.nats + EVIDENCE_MIN_NATS else near


def with_best_laws(noisy: NoisySymbols, fit: Fit, excess: float) -> Fit:
    """The fit with free or narrow laws in the groups of symbols where they are better.

    Free ones are judged on two random halves of the symbols, each by the other's law. All gains
    together must be above `excess`, nats by which `fit` is too good, and `EVIDENCE_MIN_NATS`.
    """
    if len(fit.prior) == 1:
        return fit  # one free law for all
    half = generator(0).random(noisy.at.size) < 0.5
    first, second = _seen_counts(noisy, fit, half), _seen_counts(noisy, fit, ~half)
    group = np.arange(len(fit.prior)) % LOG_E.size // _GROUP
    member = group == np.arange(group[-1] + 1)[:, None]
    narrow = np.tile(prior_law(_NARROW), (len(fit.prior) // LOG_E.size, 1))
    shaped, gains = _log_density(fit.prior), np.zeros((3, len(member)))
    gains[1] = member @ ((_log_density(narrow) - shaped) * (first + second)).sum(axis=1)
    for seen, other in ((first, second), (second, first)):
        better = _log_density(_freed(fit.prior, seen, member)) - shaped
        gains[2] += member @ (better * other).sum(axis=1)
    gains[1:] -= _GROUP_NATS
    gains[2, (LOG_E[::_GROUP] < _FREE[0]) | (LOG_E[::_GROUP] > _FREE[1])] = 0.0
    gain, nats = float(gains.max(axis=0).sum()), float(((first + second) * shaped).sum()) - excess
    if gain <= excess + EVIDENCE_MIN_NATS:
        return replace(fit, nats=nats)
    laws = np.stack([fit.prior, narrow, _freed(fit.prior, first + second, member)])
    law = laws[gains.argmax(axis=0)[group], np.arange(group.size)]
    used, rows = np.unique(fit.rows, return_inverse=True)
    table = np.stack([posterior_quantiles(each) for each in law[used]], axis=1)
    return replace(
        fit, quantile=partial(look_up, noisy.seen, table, rows), nats=nats + gain, prior=law
    )


@lru_cache(maxsize=1)
def _densities() -> Floats:
    """(z + 1, u) as `likelihood`, and last that an estimate is above the grid."""
    above = scipy.special.ndtr(EDGES - UNSHRUNK_ABOVE) * np.sqrt(2.0 * np.pi)
    return read_only(np.vstack([likelihood(), above / (Z_GRID[1] - Z_GRID[0])]))


def _log_density(laws: Floats) -> Floats:
    """(e, z + 1) logarithms of the density of estimates by (e, u) laws, but for a constant."""
    return np.asarray(np.log(laws @ _densities().T + 1e-300))


def _seen_counts(noisy: NoisySymbols, fit: Fit, which: Bools) -> Floats:
    """(e, z + 1) numbers of estimates in each row of the fit, of symbols `which`, (u,)."""
    seen, shape = noisy.seen.nearest.copy(), (len(fit.prior), Z_GRID.size + 1)
    seen[noisy.seen.far] = Z_GRID.size
    counts = np.bincount((fit.rows * shape[1] + seen)[which], minlength=shape[0] * shape[1])
    return counts.reshape(shape).astype(np.float64)


def _freed(shapes: Floats, seen: Floats, member: Bools) -> Floats:
    """(e, u) laws: what EM makes of the mean law of a group changes the law of each of its rows.

    `shapes`: (e, u) laws to begin with; `seen`: (e, z + 1) numbers; `member`: (groups, e).
    """
    begin = (1.0 - _EMPTY) * shapes
    begin[:, 0] += _EMPTY
    counts, whole = member @ seen, (member @ seen).sum(axis=1, keepdims=True)
    mean = (member * (seen.sum(axis=1) + 1e-9)) @ begin
    mean /= mean.sum(axis=1, keepdims=True)
    law = mean
    for _ in range(_EM_ROUNDS):
        law = law * ((counts / np.maximum(law @ _densities().T, 1e-300)) @ _densities())
        law = (law + _AS_BEFORE * mean) / (whole + _AS_BEFORE)
    laws = begin * (law / np.maximum(mean, 1e-300))[member.argmax(axis=0)]
    return np.asarray(laws / laws.sum(axis=1, keepdims=True))
