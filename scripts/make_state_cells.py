"""Make cells, borders and land (three tables in data/) from data/us_states.geojson.

Run from anywhere: `python scripts/make_state_cells.py`; it needs shapely.
"""

import sys
from pathlib import Path
from typing import Final

import numpy as np

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from state_borders import border_lines, coast_rings, inside, state_rings, thinned  # noqa: E402
from write_table import write_table  # noqa: E402

from caldp_core.basics.types import Floats  # noqa: E402
from caldp_core.datasets import ELSEWHERE  # noqa: E402
from caldp_core.domain.grid import US_GRID  # noqa: E402

TOLERANCE: Final = 0.05
"""Degrees by which the drawn outline may be off; a quarter of a cell."""


def cell_names(rings: dict[str, list[Floats]]) -> list[str]:
    """(43750,) the state of each cell's centre; raises `ValueError` if two states claim one."""
    latitude = np.repeat(US_GRID.latitudes(), US_GRID.columns)
    longitude = np.tile(US_GRID.longitudes(), US_GRID.rows)
    names = [ELSEWHERE] * US_GRID.k
    for state, its_rings in rings.items():
        for cell in np.flatnonzero(inside(its_rings, longitude, latitude)):
            if names[cell] != ELSEWHERE:
                raise ValueError(f"cell {cell} is in {names[cell]} and in {state}")
            names[cell] = state
    return names


def runs(names: list[str]) -> list[tuple[str, int]]:
    """(name, length) of each run of equal neighbours."""
    starts = [i for i, name in enumerate(names) if i == 0 or names[i - 1] != name]
    ends = [*starts[1:], len(names)]
    return [(names[start], end - start) for start, end in zip(starts, ends, strict=True)]


def outline(rings: dict[str, list[Floats]]) -> list[tuple[int, float, float]]:
    """(line, longitude, latitude) of the thinned borders, without islands within the tolerance."""
    lines = border_lines([ring for its_rings in rings.values() for ring in its_rings])
    thin = [_once(thinned(line, TOLERANCE)) for line in lines]
    # The two shores of a narrow strait may become one and the same stroke.
    kept = {frozenset(map(tuple, line)): line for line in thin if len(line) > 1}.values()
    return [(i, float(x), float(y)) for i, line in enumerate(kept) for x, y in line]


def land(rings: dict[str, list[Floats]]) -> list[tuple[int, float, float]]:
    """(ring, longitude, latitude) of the thinned coast, without what is then no area."""
    coast = coast_rings([ring for its_rings in rings.values() for ring in its_rings])
    thin = [thinned(ring, TOLERANCE) for ring in coast]
    kept = [ring for ring in thin if len(ring) > 3]
    return [(i, float(x), float(y)) for i, ring in enumerate(kept) for x, y in ring]


def _once(line: Floats) -> Floats:
    """A narrow island is a line there and back: draw it once. A tiny one is a dot: one point."""
    closed = bool((line[0] == line[-1]).all())
    return line[:-1] if closed and len(line) < 4 else line


def main() -> None:
    """Write the three files."""
    rings = state_rings()
    names = cell_names(rings)
    data = ROOT / "data"
    write_table(data / "us_states_cells.csv.gz", ("state", "cells"), runs(names))
    write_table(
        data / "us_states_outline.csv.gz", ("line", "longitude", "latitude"), outline(rings)
    )
    write_table(data / "us_land.csv.gz", ("ring", "longitude", "latitude"), land(rings))
    print("no cell's centre is in:", ", ".join(sorted(set(rings) - set(names))) or "none")


if __name__ == "__main__":
    main()
