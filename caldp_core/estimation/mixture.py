"""The estimator "mixture": on a map, each cell is expected to hold what smoothers say together.

A smoother is a weighted mean of the shares around a cell, without the cell itself: round kernels of
five widths, long ones in eight directions, and the even part of the block. How well each explains
the estimates nearby is its weight there (Bayesian model averaging: Hoeting, Madigan, Raftery and
Volinsky 1999), so coasts, roads, towns and empty land each get their own mixture. All else is the
cascade's: where to begin, the shapes, one quantile per block, and all of it where surroundings do
not help to explain the estimates. docs/estimators.md says what it gains and where it does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

import numpy as np

from caldp_core.basics.cache import cached
from caldp_core.basics.extras import scipy
from caldp_core.basics.types import Floats, Singles, read_only
from caldp_core.domain.domains import GridDomain
from caldp_core.estimation.cascade_estimator import (
    LOG_E,
    SHAPES,
    Fit,
    GridEstimates,
    NoisySymbols,
    best_fit,
    even_shares,
    log_evidence,
    log_rows,
    look_up,
    pooling_helps,
    prior_law,
    quantile_table,
    shape_scores,
)
from caldp_core.estimation.evidence import Evidence

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
    if not pooling_helps(evidence.mechanism):
        return evidence.plausible
    noisy, fit = mixture_fit(evidence)
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
    return Fit(partial(look_up, noisy.seen, quantiles, rows), nats, rows, law)
