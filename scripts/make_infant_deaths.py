"""Make data/nc_infant_deaths.csv.gz and data/nc_counties.csv.gz: a small sensitive table, its map.

Run as `python -m scripts.make_infant_deaths nc.dbf counties-10m.json`: the first file is
`inst/shape/nc.dbf` of the R package sf, whose figures are printed in Cressie 1993, pp. 386–389, the
second is in npm's us-atlas (version 3.0.1 was used; ISC, geometry of the US Census Bureau).
"""

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scripts.make_state_cells import thinned
from scripts.make_world import arcs_of
from scripts.write_table import DATA, write_table

STATE: Final = "37"
WITHIN: Final = 0.012
"""Degrees within which a thinned border stays with the Census Bureau's."""
Points = NDArray[np.float64]


def rows(table: bytes) -> Iterator[dict[str, str]]:
    """The rows of a dBASE file as texts by field."""
    (many,), (head, size) = struct.unpack("<I", table[4:8]), struct.unpack("<HH", table[8:12])
    fields, at = [], 32
    while table[at] != 0x0D:
        fields.append((table[at : at + 11].split(b"\0")[0].decode(), table[at + 16]))
        at += 32
    for row in range(many):
        place, record = head + row * size + 1, {}
        for name, length in fields:
            record[name] = table[place : place + length].decode().strip()
            place += length
        yield record


def deaths(table: bytes) -> list[tuple[Any, ...]]:
    """(FIPS, county, births, deaths, births, deaths) of 1974–78 and 1979–84, by county."""
    fields = ("BIR74", "SID74", "BIR79", "SID79")
    records = ((r["FIPS"], r["NAME"], *(int(float(r[f])) for f in fields)) for r in rows(table))
    return sorted(records, key=lambda row: row[1])


def outlines(atlas: dict[str, Any]) -> Iterator[tuple[str, int, float, float]]:
    """(FIPS, ring, longitude, latitude) of the counties; shared borders stay shared."""
    arcs = arcs_of(atlas)

    def part(number: int) -> Points:
        line = thinned(arcs[number if number >= 0 else ~number], WITHIN)
        return line if number >= 0 else line[::-1]

    counties = atlas["objects"]["counties"]["geometries"]
    for county in sorted((c for c in counties if c["id"].startswith(STATE)), key=lambda c: c["id"]):
        shapes = county["arcs"] if county["type"] == "MultiPolygon" else [county["arcs"]]
        for ring, shape in enumerate(shapes):
            points = np.concatenate([part(number)[:-1] for number in shape[0]])
            if len(points) < 3:
                continue  # an islet
            for lon, lat in np.round(points, 3).tolist():
                yield county["id"], ring, lon, lat


def main(table: str, atlas: str) -> None:
    """Write both files."""
    header = ("fips", "county", "births_1974", "deaths_1974", "births_1979", "deaths_1979")
    write_table(DATA / "nc_infant_deaths.csv.gz", header, deaths(Path(table).read_bytes()))
    lines = outlines(json.loads(Path(atlas).read_text("utf-8")))
    header_2 = ("fips", "ring", "longitude", "latitude")
    write_table(DATA / "nc_counties.csv.gz", header_2, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
