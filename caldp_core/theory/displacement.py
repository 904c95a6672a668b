"""Mean distance of a report from the truth, and blocks that displace reports as far.

For readers who compare noise that fades with distance with blocks. In blocks the reports that are
places are those of randomized response: a person names their own cell with probability e^ε·b, and
any other cell of the block with b = 1/(s + e^ε − 1). The other families keep the same promise
there, but what they send is no place.
"""

from collections import Counter
from itertools import product

import numpy as np

from caldp_core.basics.errors import CaldpError, check_epsilon, check_number, check_symbols
from caldp_core.basics.types import Floats, Ints
from caldp_core.domain.grid import KM_PER_DEGREE, GridDomain
from caldp_core.mechanisms.base import Mechanism
from caldp_core.mechanisms.capabilities import ReportsSymbols

_EARTH_KM = 20_100.0
"""No two places are farther apart."""


def report_distribution(mechanism: Mechanism, x: int) -> Floats:
    """(k,) distribution of the reports of a person at x.

    Raises `CaldpError` unless the mechanism is a `ReportsSymbols`: other reports are no places.
    """
    if not isinstance(mechanism, ReportsSymbols):
        raise CaldpError("The reports of this mechanism are no places; choose one that adds noise.")
    return mechanism.law_of(x)


def block_report_distribution(labels: Ints, x: int, epsilon: float) -> Floats:
    """(k,) law of the reports of x by k-RR in blocks; `labels`: (k,), ε of the block of x."""
    (symbol,) = check_symbols("x", [x], labels.size)
    block = labels == labels[symbol]
    weight = np.exp(float(check_epsilon(epsilon)))
    law = np.where(block, 1.0, 0.0)
    law[symbol] = weight
    return np.asarray(law / law.sum())


def displacement(law: Floats, distances: Floats) -> float:
    """Mean distance of report and truth. `law`: (k,) of reports; `distances`: (k,) of the truth."""
    return float(law @ distances)


def displacement_in_blocks(domain: GridDomain, rows: int, columns: int, epsilon: float) -> float:
    """Mean kilometres over all cells of the map in rows × columns blocks (`grid_blocks`).

    All cells count alike, as blocks must not be made from where people are; one degree of
    longitude counts as on the map's middle latitude.
    """
    shapes = _shapes(domain, rows, columns)
    sums = (times * h * w * _in_block(domain, h, w, epsilon) for (h, w), times in shapes.items())
    return sum(sums) / domain.k


def _shapes(domain: GridDomain, rows: int, columns: int) -> Counter[tuple[int, int]]:
    """How often a block of (rows, columns) cells occurs: sizes differ by at most one cell."""
    high = Counter(np.bincount(np.arange(domain.rows) * rows // domain.rows).tolist())
    wide = Counter(np.bincount(np.arange(domain.columns) * columns // domain.columns).tolist())
    return Counter({(h, w): high[h] * wide[w] for h, w in product(high, wide)})


def _in_block(domain: GridDomain, rows: int, columns: int, epsilon: float) -> float:
    """Mean kilometres in one block: b·Σ_{x, x′} d(x, x′)/s, from the pairs at each offset."""
    height, width = cell_km(domain)
    down, right = np.arange(rows), np.arange(columns)
    # Each offset but 0 occurs in both directions.
    pairs = np.outer((rows - down) * np.where(down > 0, 2, 1),
                     (columns - right) * np.where(right > 0, 2, 1))  # fmt: skip
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
    target = check_number("km", km, 0.0, _EARTH_KM)
    level = float(check_epsilon(epsilon))
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
