"""Make data/nc_infant_deaths.csv.gz and data/nc_counties.csv.gz: a small sensitive table, its map.

Run as `python -m scripts.make_infant_deaths nc.dbf counties-10m.json`: the first file is
`inst/shape/nc.dbf` of the R package sf, whose figures are printed in Cressie 1993, pp. 386–389, the
second is in npm's us-atlas (version 3.0.1 was used; ISC, geometry of the US Census Bureau). It
needs pyshp, for this script only.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapefile

from scripts import DATA, write_table
from scripts.make_state_cells import thinned
from scripts.make_world import arcs_of, rings_of

STATE: Final = "37"
WITHIN: Final = 0.012
"""Degrees within which a thinned border stays with the Census Bureau's."""


def deaths(table: str) -> list[tuple[Any, ...]]:
    """(FIPS, county, births, deaths, births, deaths) of 1974–78 and 1979–84, by county."""
    fields = ("BIR74", "SID74", "BIR79", "SID79")
    with shapefile.Reader(dbf=table) as reader:
        rows = [(r["FIPS"], r["NAME"], *(int(r[f]) for f in fields)) for r in reader.records()]
    return sorted(rows, key=lambda row: row[1])


def outlines(atlas: dict[str, Any]) -> Iterator[tuple[str, int, float, float]]:
    """(FIPS, ring, longitude, latitude) of the counties; shared borders stay shared."""
    arcs = [thinned(arc, WITHIN) for arc in arcs_of(atlas)]
    counties = atlas["objects"]["counties"]["geometries"]
    for county in sorted((c for c in counties if c["id"].startswith(STATE)), key=lambda c: c["id"]):
        for number, ring in enumerate(rings_of(arcs, [county])):
            for lon, lat in np.round(ring[:-1], 3).tolist():
                yield county["id"], number, lon, lat


def main(table: str, atlas: str) -> None:
    """Write both files."""
    header = ("fips", "county", "births_1974", "deaths_1974", "births_1979", "deaths_1979")
    write_table(DATA / "nc_infant_deaths.csv.gz", header, deaths(table))
    lines = outlines(json.loads(Path(atlas).read_text("utf-8")))
    header_2 = ("fips", "ring", "longitude", "latitude")
    write_table(DATA / "nc_counties.csv.gz", header_2, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
