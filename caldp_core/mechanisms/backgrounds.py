"""The collector's assumption of what is behind a tag: where homes are, where work is.

`personalised.py` divides each tag's share in these proportions. Each function returns a (κ, k)
array of rows π_j that sum to 1. `open_symbols`: (k,) bool, True where a symbol may hide behind a
tag; the common sensitive ones keep their own name, so they get 0.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, check_whole, require
from caldp_core.basics.limits import K_MAX
from caldp_core.basics.types import Bools, Floats, Ints

_SUM_ROUNDING = 1e-9
NO_PLACE: Final = -1
"""Stands in `own` for a tag that a user does not use."""


def check_places(own: ArrayLike, k: int) -> Ints:
    """(n, κ) own symbols in [0, k), or −1 for none, as int64; raises `CaldpError` for others."""
    places = np.asarray(own)
    require(
        places.ndim == 2 and places.shape[1] > 0 and places.dtype.kind in "iu",
        "own must be one row per person of whole numbers, one for each tag, "
        f"got shape {places.shape} of {places.dtype}.",
    )
    some = places.size > 0
    low, high = (int(places.min()), int(places.max())) if some else (NO_PLACE, NO_PLACE)
    require(
        low >= NO_PLACE and high < k,
        f"own must hold symbols in [0, {k - 1}], or −1 for none; it goes from {low} to {high}.",
    )
    return places.astype(np.int64, copy=False)


def known_background(table: ArrayLike) -> Floats:
    """(κ, k) checked copy of rows that sum to 1; raises `CaldpError` for anything else."""
    rows = np.array(table, dtype=np.float64)
    require(
        rows.ndim == 2 and rows.size > 0,
        f"A background must have one row per tag and one column per symbol, got {rows.shape}.",
    )
    for tag, row in enumerate(rows):
        valid = bool((row >= 0).all()) and abs(float(row.sum()) - 1.0) <= _SUM_ROUNDING
        if not valid:
            raise CaldpError(
                f"Every row of a background must hold shares that sum to 1, row {tag} sums to "
                f"{float(row.sum()):g} with a least entry of {float(row.min()):g}."
            )
    return rows


def uniform_background(tags: int, open_symbols: Bools) -> Floats:
    """(κ, k) rows that are uniform on the open symbols: the assumption if nothing is known."""
    return population_background(tags, np.ones(open_symbols.size), open_symbols)


def population_background(tags: int, population: ArrayLike, open_symbols: Bools) -> Floats:
    """(κ, k) rows proportional to a public population; `population`: (k,) weights ≥ 0.

    Raises `CaldpError` if no weight is left on the open symbols.
    """
    check_whole("tags", tags, 1, K_MAX)
    weights = np.asarray(population, dtype=np.float64)
    require(
        weights.shape == open_symbols.shape and bool((weights >= 0).all()),
        f"population must be {open_symbols.size} weights that are not negative.",
    )
    open_weights = np.where(open_symbols, weights, 0.0)
    total = float(open_weights.sum())
    require(0 < total < np.inf, "population must be positive where a symbol can hide behind a tag.")
    return np.tile(open_weights / total, (tags, 1))


@dataclass(frozen=True, eq=False)
class Bias:
    """Error from a wrong background.

    `per_symbol`: (k,) expected estimate − truth. `total_variation`: half its ℓ₁ norm.
    """

    per_symbol: Floats
    total_variation: float


def background_bias(tag_shares: ArrayLike, true: Floats, assumed: Floats) -> Bias:
    """Exact bias Σ_j p(⊥_j)·(assumed_j − true_j): no number of people makes it smaller.

    `tag_shares`: (κ,) share of the people who are at a place of tag j; `true`, `assumed`: (κ, k)
    rows that sum to 1. The total variation is at most Σ_j p(⊥_j)·TV(assumed_j, true_j).
    """
    shares = np.asarray(tag_shares, dtype=np.float64)
    require(
        true.shape == assumed.shape and shares.shape == true.shape[:1],
        f"The backgrounds must have one shape with {count_text(shares.size, 'row', 'rows')}, "
        f"got {true.shape} and {assumed.shape}.",
    )
    per_symbol = shares @ (assumed - true)
    return Bias(per_symbol, 0.5 * float(np.abs(per_symbol).sum()))
