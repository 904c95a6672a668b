"""Exact Binomial(g, ½) draws for whole arrays of g at once, fast for every size of g.

Room: what `walsh_hadamard.py` splits counts with. For g ≤ 64 a draw is the number of ones among
g random bits. Above, it is a rejection from a rounded normal: with r(k) = Binomial(g, ½)(k) over
the probability that round(g/2 + √g/2·Z) = k, and z = (k − g/2)/(√g/2),

    log r = (−z⁴/12 + z²/3 − 1/12)/g + O(1/g²),

so r ≤ M = 1 + 0.3/g, and r/M ≥ 1 − (0.4 + z⁴/12 + …)/g lets almost every draw pass without
looking at r; tests check both bounds by enumeration. `rng.binomial` is exact too, but takes
twice as long a draw, and up to four times as long in the tally of a large population.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr

from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms.randomness.coins import WORD_BITS

_FIRST_BITS: Final = np.array([(1 << g) - 1 for g in range(WORD_BITS + 1)], dtype=np.uint64)
"""Masks that keep the lowest g bits of a word."""
_STIRLING_FROM: Final = 16.0
_USUAL: Final = 4.5
"""Standard scores beyond it are rare enough to be looked at one by one."""
_ROOMY: Final = 1024
"""From this g on, 93 of 100 draws pass without a look at their own bounds."""
_CHUNK: Final = 32_768
"""Draws at a time, so that what is in hand stays in the cache (measured: 17 ns against 30)."""


def binomial_half(counts: Ints, rng: np.random.Generator) -> Ints:
    """Binomial(g, ½) for each g of `counts` (any shape, 0 ≤ g ≤ 10^12), independent."""
    flat = counts.reshape(-1)
    drawn = np.empty_like(flat)
    for start in range(0, flat.size, _CHUNK):
        stop = start + _CHUNK
        drawn[start:stop] = _binomial_half(flat[start:stop], rng)
    return drawn.reshape(counts.shape)


def _binomial_half(flat: Ints, rng: np.random.Generator) -> Ints:
    parts = [
        (np.flatnonzero(flat <= WORD_BITS), _few),
        (np.flatnonzero((flat > WORD_BITS) & (flat < _ROOMY)), binomial_half_large),
        (np.flatnonzero(flat >= _ROOMY), binomial_half_large),
    ]
    drawn = np.empty_like(flat)
    for where, draw in parts:
        if where.size == flat.size:
            return draw(flat, rng)
        if where.size:
            drawn[where] = draw(flat[where], rng)
    return drawn


def _few(counts: Ints, rng: np.random.Generator) -> Ints:
    words = rng.integers(0, 2**64 - 1, size=counts.size, dtype=np.uint64, endpoint=True)
    words &= _FIRST_BITS.take(counts, mode="clip")
    return np.bitwise_count(words).astype(np.int64)


def binomial_half_large(counts: Ints, rng: np.random.Generator) -> Ints:
    """Binomial(g, ½) for each g > 64 of `counts` (n,), by rejection from a rounded normal.

    Quickest where all of them are at least 1,024, so callers keep those apart.
    """
    g = counts.astype(np.float64)
    drawn, accepted = _propose(g, rng)
    while not accepted.all():
        again = np.flatnonzero(~accepted)
        drawn[again], accepted[again] = _propose(g[again], rng)
    return drawn.astype(np.int64)


def _propose(g: Floats, rng: np.random.Generator) -> tuple[Floats, Bools]:
    z = rng.standard_normal(g.size)
    drawn = np.sqrt(g)
    drawn *= z
    drawn += g
    drawn *= 0.5
    np.rint(drawn, out=drawn)
    least = float(g.min())
    if least < _ROOMY:
        return drawn, _decide(rng.random(g.size), drawn, z, g)
    # The doubt is a uniform number whose first 16 bits settle nearly all draws; only where they
    # don't are more bits added and the draw's own bound looked at.
    doubt = _sixteen_bits(g.size, rng)
    accepted = doubt < np.floor((1.0 - float(squeeze(_USUAL**2)) / least) * 2.0**16)
    if max(z.max(), -z.min()) > _USUAL:
        accepted &= np.abs(z) <= _USUAL
    rest = np.flatnonzero(~accepted)
    finer = (doubt[rest] + rng.random(rest.size)) / 2.0**16
    accepted[rest] = _decide(finer, drawn[rest], z[rest], g[rest])
    return drawn, accepted


def _sixteen_bits(n: int, rng: np.random.Generator) -> NDArray[np.uint16]:
    words = rng.integers(0, 2**64 - 1, size=-(-n // 4), dtype=np.uint64, endpoint=True)
    return words.view(np.uint16)[:n]


def _decide(doubt: Floats, drawn: Floats, z: Floats, g: Floats) -> Bools:
    """Accept if doubt < r/M: by the squeeze where it settles that, else by r itself."""
    bound = squeeze(z * z)
    np.subtract(g, bound, out=bound)
    accepted = doubt * g < bound
    close = np.flatnonzero(~accepted)
    if close.size:
        accepted[close] = doubt[close] < acceptance(drawn[close], g[close])
    return accepted


def squeeze(z2: Floats | float) -> Floats:
    """g·(1 − r/M) is at most this, for g > 64; `z2`: squared standard scores before rounding.

    Generous in the constants (rounding moves z by up to 1/√g ≤ 1/8), so that it is safe and
    still rarely asked: the test enumerates it.
    """
    return np.asarray(1.5 + z2 * (0.5 + 0.125 * z2))


def acceptance(drawn: Floats, g: Floats) -> Floats:
    """r(k)/M in [0, 1]: 0 outside [0, g]. `drawn`, `g`: (n,) floats holding whole numbers."""
    inside = (drawn >= 0) & (drawn <= g)
    k = np.where(inside, drawn, 0.0)
    k = np.minimum(k, g - k)  # by symmetry, the lower half: there ndtr keeps its relative accuracy
    half_width = 1.0 / np.sqrt(g)
    z = (2.0 * k - g) * half_width
    proposal = ndtr(z + half_width) - ndtr(z - half_width)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.exp(log_binomial_half(k, g)) / (proposal * (1.0 + 0.3 / g))
    return np.where(inside & (proposal > 0), ratio, 0.0)


def log_binomial_half(k: Floats, g: Floats) -> Floats:
    """log of C(g, k)/2^g by Loader's saddle-point form, accurate for g up to 10^12 and beyond."""
    rest = g - k
    d = (2.0 * k - g) / g
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(k > 0, (1.0 + d) * np.log1p(d), 0.0)
        down = np.where(rest > 0, (1.0 - d) * np.log1p(-d), 0.0)
    deviance = 0.5 * g * (up + down)
    edge = np.where((k > 0) & (rest > 0), 0.5 * np.log(g / (2 * np.pi * _one(k) * _one(rest))), 0.0)
    return np.asarray(edge - deviance + _edge_error(g, k, rest))


def _one(count: Floats) -> Floats:
    return np.maximum(count, 1.0)


def _edge_error(g: Floats, k: Floats, rest: Floats) -> Floats:
    inner = (k > 0) & (rest > 0)
    error = _stirling_error(g) - _stirling_error(_one(k)) - _stirling_error(_one(rest))
    return np.where(inner, error, 0.0)


def _stirling_error(x: Floats) -> Floats:
    """log Γ(x+1) − [½log(2πx) + x log x − x]; the series is exact to 1e-16 from 16 on."""
    inverse = 1.0 / x
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    near = np.minimum(x, _STIRLING_FROM)
    direct = gammaln(near + 1) - (0.5 * np.log(2 * np.pi * near) + near * np.log(near) - near)
    return np.where(x < _STIRLING_FROM, direct, series)
